// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Requirements.h"

#include "compiler/spirv/Capabilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A capability that SPIR-V 1.6 has by an extension, and the one of the device where Vulkan 1.3 has
/// no feature for it.
struct ExtensionRow {
  spv::Capability capability;
  const char *spirv;
  const char *device = nullptr;
};
} // namespace

/// Capabilities that are not listed are part of SPIR-V 1.6.
static constexpr ExtensionRow extensionRows[] = {
    {spv::Capability::AtomicFloat16AddEXT, "SPV_EXT_shader_atomic_float16_add"},
    {spv::Capability::AtomicFloat32AddEXT, "SPV_EXT_shader_atomic_float_add"},
    {spv::Capability::AtomicFloat64AddEXT, "SPV_EXT_shader_atomic_float_add"},
    {spv::Capability::AtomicFloat16MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"},
    {spv::Capability::AtomicFloat32MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"},
    {spv::Capability::AtomicFloat64MinMaxEXT, "SPV_EXT_shader_atomic_float_min_max"},
    {spv::Capability::ExpectAssumeKHR, "SPV_KHR_expect_assume", "VK_KHR_shader_expect_assume"},
    {spv::Capability::GroupNonUniformRotateKHR, "SPV_KHR_subgroup_rotate",
     "VK_KHR_shader_subgroup_rotate"},
    {spv::Capability::Int64ImageEXT, "SPV_EXT_shader_image_int64"},
    {spv::Capability::ShaderClockKHR, "SPV_KHR_shader_clock", "VK_KHR_shader_clock"},
    {spv::Capability::SubgroupBallotKHR, "SPV_KHR_shader_ballot"},
    {spv::Capability::SubgroupVoteKHR, "SPV_KHR_subgroup_vote"},
    {spv::Capability::WorkgroupMemoryExplicitLayoutKHR, "SPV_KHR_workgroup_memory_explicit_layout"},
};

/// True if the program declares the row's capability or execution mode.
static bool asksFor(const Program &program, const spirv::CapabilityRow &row) {
  if (row.kind == spirv::CapabilityKind::Capability)
    return any_of(program.capabilities,
                  [&](const Instruction &each) { return each.word(0) == row.number; });
  return row.kind == spirv::CapabilityKind::Mode &&
         any_of(program.executionModes,
                [&](const Instruction &each) { return each.word(1) == row.number; });
}

void completeRequirements(GeneratedCase &generated, Pool &pool) {
  for (const spirv::CapabilityRow &row : spirv::capabilityTable()) {
    if (!asksFor(generated.program, row))
      continue;
    const auto *extension = find_if(extensionRows, [&](const ExtensionRow &each) {
      return row.kind == spirv::CapabilityKind::Capability &&
             uint32_t(each.capability) == row.number;
    });
    bool isExtension = extension != std::end(extensionRows);
    if (isExtension)
      pool.extension(extension->spirv);
    if (isExtension && extension->device)
      generated.features.insert(extension->device);
    else if (!row.feature.empty() && !row.feature.contains(' ')) // Subgroup operations: properties.
      generated.features.insert(row.feature.str());
  }
}

} // namespace assay::fuzz
