// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/Families.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// Operations with one prefix that a pass handles in one way. The first row that fits applies; an
/// empty family excludes operations that a following row would take.
struct FamilyRow {
  StringLiteral pass;
  StringLiteral operation; ///< What it begins with.
  StringLiteral family;
};

/// A component, and a compiler or driver that contains it.
struct ComponentRow {
  StringLiteral component;
  StringLiteral producer; ///< producerOf() a symptom.
};

/// A rule, and the metadata key that it is about.
struct SubjectRow {
  StringLiteral rule;
  StringLiteral subject;
};

} // namespace

// Code generation knows branches alone: switches became some before. The front-end only takes image
// and sampler apart: what is done with them is lower-image's. Constants of all types are
// specialised in one way, but not what is computed of them. lower-desc only finds descriptors,
// whatever is done with them; lower-image only tells where a texel is, whatever is done with it,
// and of some what level. Scans and reductions are one tree of steps, which lower-subgroups ends in
// different places; in the front-end each is a line of its own. Dot products are one function of
// the front-end, whose code ir3-select may be the first to take wrong. An operation of the shader
// and the one of the middle-end that it becomes are one: values or IR may tell first.
static constexpr FamilyRow familyRows[] = {
    {"front-end", "OpImageSample", "sampling"},
    {"front-end", "OpImageSparseSample", "sampling"},
    {"front-end", "OpImageGather", "sampling"},
    {"front-end", "OpImageDrefGather", "sampling"},
    {"front-end", "OpImageSparseGather", "sampling"},
    {"front-end", "OpImageSparseDrefGather", "sampling"},
    {"front-end", "OpSpecConstantOp", ""},
    {"front-end", "OpSpecConstant", "specialisation"},
    {"ir3-select", "OpSDot", "dot products"},
    {"ir3-select", "OpUDot", "dot products"},
    {"ir3-select", "OpSUDot", "dot products"},
    {"lower-image", "OpImageFetch level", "levels"},
    {"lower-image", "lgc.image.load level", "levels"},
    {"lower-image", "OpImageFetch", "texels"},
    {"lower-image", "OpImageRead", "texels"},
    {"lower-image", "OpImageWrite", "texels"},
    {"lower-image", "OpAtomic", "texels"},
    {"lower-image", "lgc.image.load", "texels"},
    {"lower-image", "lgc.image.store", "texels"},
    {"lower-image", "lgc.image.atomic", "texels"},
    {"lower-desc", "OpStore ", "descriptors"},
    {"lower-desc", "OpImage", "descriptors"},
    {"lower-desc", "OpAtomic", "descriptors"},
    {"lower-desc", "OpLoad StorageBuffer", "descriptors"},
    {"lower-desc", "OpLoad Uniform", "descriptors"},
    {"lower-desc", "OpArrayLength", "buffer length"},
    {"lower-desc", "lgc.buffer.length", "buffer length"},
    {"lower-desc", "lgc.load.buffer.desc", "descriptors"},
    {"lower-subgroups", "group Reduce", "group arithmetic"},
    {"lower-subgroups", "group InclusiveScan", "group arithmetic"},
    {"lower-subgroups", "group ExclusiveScan", "group arithmetic"},
};

// Rules of validate-elf (docs/validate-elf.md) that read one key of the metadata: a target on which
// one of them cannot object has another that does. What code runs into is not here: it may be the
// code that is wrong.
static constexpr SubjectRow subjectRows[] = {
    {"RES-01", ".wavefront_size"},
    {"MC-16", ".wavefront_size"},
    {"RES-12", ".scratch_memory_size"},
    {"MC-08", ".scratch_memory_size"},
};

// Kinds of changes by which localize repairs machine code (docs/localize.md).
static constexpr StringLiteral repairs[] = {"comparison", "branch",   "arithmetic", "address",
                                            "register",   "constant", "modifier"};

// Smaller components first. RADV's own code lies between NIR and both of its back-ends; lavapipe's
// LLVM generates code for the host, which shares nothing with AMDGPU but the optimiser.
static constexpr ComponentRow componentRows[] = {
    {"LLVM's AMDGPU back-end", "assay"},
    {"LLVM's AMDGPU back-end", "radv-llvm"},
    {"RADV or NIR", "aco"},
    {"RADV or NIR", "radv-llvm"},
    {"NIR", "aco"},
    {"NIR", "radv-llvm"},
    {"NIR", "lavapipe"},
    {"LLVM", "assay"},
    {"LLVM", "radv-llvm"},
    {"LLVM", "lavapipe"},
};

/// True if the compiler or driver contains the component.
static bool contains(StringRef producer, StringRef component) {
  return any_of(componentRows, [&](const ComponentRow &row) {
    return row.producer == producer && row.component == component;
  });
}

StringRef assay::sharedComponent(StringRef a, StringRef b) {
  for (const ComponentRow &row : componentRows)
    if (row.producer == a && contains(b, row.component))
      return row.component;
  return "";
}

bool assay::isRepair(StringRef operation) {
  return is_contained(repairs, operation);
}

/// Empty for operations that no row of the table matches. The first matching row wins.
StringRef assay::familyOf(StringRef pass, StringRef operation) {
  const auto *found = find_if(familyRows, [&](const FamilyRow &row) {
    return row.pass == pass && operation.starts_with(row.operation);
  });
  return found == std::end(familyRows) ? StringRef() : StringRef(found->family);
}

/// Empty for rules without a row.
StringRef assay::subjectOf(StringRef rule) {
  const auto *found = find_if(subjectRows, [&](const SubjectRow &row) { return row.rule == rule; });
  return found == std::end(subjectRows) ? StringRef() : StringRef(found->subject);
}
