// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built-in inputs that the frame does not need for itself.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A built-in of u32 components. isUniform: the same in all invocations of a workgroup.
struct BuiltInRow {
  spv::BuiltIn builtIn;
  unsigned components;
  bool isUniform;
  spv::Capability capability;
};
} // namespace

/// Each is an input of compute shaders with components of u32.
static constexpr BuiltInRow builtInRows[] = {
    {spv::BuiltIn::NumWorkgroups, 3, true, spv::Capability::Shader},
    {spv::BuiltIn::LocalInvocationId, 3, false, spv::Capability::Shader},
    {spv::BuiltIn::GlobalInvocationId, 3, false, spv::Capability::Shader},
    {spv::BuiltIn::DeviceIndex, 1, true, spv::Capability::DeviceGroup},
    {spv::BuiltIn::SubgroupSize, 1, true, spv::Capability::GroupNonUniform},
    {spv::BuiltIn::NumSubgroups, 1, true, spv::Capability::GroupNonUniform},
    {spv::BuiltIn::SubgroupId, 1, false, spv::Capability::GroupNonUniform},
    {spv::BuiltIn::SubgroupLtMask, 4, false, spv::Capability::GroupNonUniformBallot},
    {spv::BuiltIn::SubgroupGeMask, 4, false, spv::Capability::GroupNonUniformBallot},
};

/// Loads a built-in, and a component of it if it is a vector.
void writeBuiltInRead(Writer &writer) {
  Pool &pool = writer.pool();
  const BuiltInRow &row = writer.random().pick(ArrayRef(builtInRows));
  pool.require(row.capability);
  Id u32 = pool.intType(32, false);
  Id type = row.components == 1 ? u32 : pool.vectorType(u32, row.components);
  Value value{writer.loadBuiltIn(row.builtIn, type), type, row.isUniform, 0};
  writer.add(value);
  if (row.components == 1)
    return;
  auto index = static_cast<uint32_t>(writer.random().below(row.components));
  writer.add({writer.emit(spv::Op::OpCompositeExtract, u32, {fuzz::id(value.id), literal(index)}),
              u32, row.isUniform, 0});
}

} // namespace assay::fuzz
