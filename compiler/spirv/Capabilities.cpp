// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/Capabilities.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::spirv {

/// The number of a row that is found by its name.
static constexpr uint32_t NoNumber = ~0u;

static constexpr StageMask None = 0;
static constexpr StageMask Vertex = stageBit(ShaderStage::Vertex);
static constexpr StageMask Fragment = stageBit(ShaderStage::Fragment);
static constexpr StageMask Both = Vertex | Fragment;

/// Generated from Capabilities.def; modes and other rows are found by linear search.
static const CapabilityRow rows[] = {
#define CAPABILITY(NAME, FEATURE, COMPILER, REFERENCE)                                             \
  {CapabilityKind::Capability,                                                                     \
   #NAME,                                                                                          \
   uint32_t(spv::Capability::NAME),                                                                \
   FEATURE,                                                                                        \
   COMPILER,                                                                                       \
   REFERENCE},
#define FEATURE(KIND, NAME, FEATURE, COMPILER, REFERENCE)                                          \
  {CapabilityKind::KIND, #NAME, NoNumber, FEATURE, COMPILER, REFERENCE},
#define MODE(NAME, FEATURE, COMPILER, REFERENCE)                                                   \
  {CapabilityKind::Mode, #NAME, uint32_t(spv::ExecutionMode::NAME), FEATURE, COMPILER, REFERENCE},
#define OTHER_STAGE(NAME, FEATURE, STAGES, COMPILER, REFERENCE)                                    \
  {CapabilityKind::OtherStage,                                                                     \
   #NAME,                                                                                          \
   uint32_t(spv::Capability::NAME),                                                                \
   FEATURE,                                                                                        \
   COMPILER,                                                                                       \
   REFERENCE,                                                                                      \
   STAGES},
#include "compiler/spirv/Capabilities.def"
};

ArrayRef<CapabilityRow> capabilityTable() {
  return rows;
}

/// Returns whether the number of \p row is that of a capability.
static bool isCapability(const CapabilityRow &row) {
  return row.kind == CapabilityKind::Capability || row.kind == CapabilityKind::OtherStage;
}

/// Returns whether \p row is of the extended instruction set \p set.
static bool matchesSet(const CapabilityRow &row, StringRef set) {
  StringRef name = row.name;
  return row.kind == CapabilityKind::ExtInst &&
         (name.consume_back("*") ? set.starts_with(name) : set == name);
}

/// Returns whether \p module declares what \p row is about. Device features and capabilities of
/// other stages do not show.
static bool uses(const Module &module, const CapabilityRow &row) {
  switch (row.kind) {
  case CapabilityKind::Capability:
    return is_contained(module.capabilities, spv::Capability(row.number));
  case CapabilityKind::Mode:
    return any_of(module.executionModes,
                  [&](const ExecutionMode &mode) { return uint32_t(mode.mode) == row.number; });
  case CapabilityKind::ExtInst:
    return any_of(module.extInstImports,
                  [&](const auto &import) { return matchesSet(row, import.second); });
  case CapabilityKind::Device:
  case CapabilityKind::OtherStage:
    return false;
  }
  llvm_unreachable("a row of no kind");
}

/// Device features and OtherStage rows are never used in this sense.
std::vector<const CapabilityRow *> usedRows(const Module &module) {
  std::vector<const CapabilityRow *> used;
  for (const CapabilityRow &row : rows)
    if (uses(module, row))
      used.push_back(&row);
  return used;
}

/// Returns whether \p user has what \p row says; a null row is nothing that anyone has.
static bool isWithin(const CapabilityRow *row, CapabilityUser user) {
  return row && (user == CapabilityUser::Compiler ? row->inCompiler : row->inReference);
}

// OpCapability comes before every other instruction.
static constexpr size_t FirstInstruction = 5, CapabilityWords = 2;

/// Unsupported for the first capability that \p user lacks, else for the first instruction set.
/// Capabilities of other stages are ignored.
Error checkCapabilities(const Module &module, CapabilityUser user, ShaderStage stage) {
  auto isIgnored = [&](const CapabilityRow &row) {
    return row.kind == CapabilityKind::OtherStage && !(row.stages & stageBit(stage));
  };
  for (size_t i = 0; i < module.capabilities.size(); ++i) {
    spv::Capability capability = module.capabilities[i];
    const auto *row = find_if(rows, [&](const CapabilityRow &candidate) {
      return isCapability(candidate) && candidate.number == uint32_t(capability);
    });
    if (row != std::end(rows) && isIgnored(*row))
      continue;
    if (!isWithin(row == std::end(rows) ? nullptr : row, user))
      return unsupported("OpCapability " + capabilityName(capability) + " (word " +
                         Twine(FirstInstruction + i * CapabilityWords) + ")");
  }
  for (const auto &[id, name] : module.extInstImports) {
    const auto *row =
        find_if(rows, [&](const CapabilityRow &candidate) { return matchesSet(candidate, name); });
    if (!isWithin(row == std::end(rows) ? nullptr : row, user))
      return unsupported("OpExtInstImport (%" + Twine(id) + "): " + name);
  }
  return Error::success();
}

/// Returns whether \p capability is for subgroups, by its name.
static bool isOfSubgroups(spv::Capability capability) {
  std::string name = capabilityName(capability);
  return StringRef(name).starts_with("GroupNonUniform") || StringRef(name).starts_with("Subgroup");
}

bool usesSubgroups(ArrayRef<uint32_t> words) {
  constexpr uint32_t head = CapabilityWords << 16 | uint32_t(spv::Op::OpCapability);
  // OpCapability is before all else (SPIR-V, 2.4).
  for (size_t i = FirstInstruction; i + 1 < words.size() && words[i] == head; i += CapabilityWords)
    if (isOfSubgroups(spv::Capability(words[i + 1])))
      return true;
  return false;
}

} // namespace assay::spirv
