// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A descriptor that is not decorated NonUniform has to be the same for all invocations of a
// subgroup that access it together (Vulkan 1.3, VUID-RuntimeSpirv-NonUniform-06274). Invocations
// run one at a time, so the first to come to a place notes what it chose.
#include "oracles/machine/spirv/memory/MemoryAccess.h"

using namespace assay;
using namespace assay::reference;

/// Who accesses together: the subgroup, the calls and loops around, and the instruction.
static std::vector<uint64_t> placeOf(const Invocation &invocation, const Inst &inst) {
  std::vector<uint64_t> place = {invocation.localIndex / invocation.execution->subgroupSize()};
  for (const CallRecord &call : invocation.calls)
    place.push_back(reinterpret_cast<uintptr_t>(call.call));
  for (const LoopRecord &loop : invocation.loops) {
    place.push_back(reinterpret_cast<uintptr_t>(loop.header));
    place.push_back(loop.iteration);
  }
  place.push_back(reinterpret_cast<uintptr_t>(&inst));
  return place;
}

/// Undefined behaviour where another invocation has chosen another descriptor at the same place.
Status reference::checkUniform(Invocation &invocation, const Inst &inst, const Scalar &pointer) {
  auto [found, isFirst] =
      invocation.group->chosenDescriptors.emplace(placeOf(invocation, inst), pointer.object);
  if (isFirst || found->second == pointer.object)
    return Status::Next;
  auto elementOf = [&](uint32_t object) {
    return std::to_string(invocation.program().descriptors[object - FirstDescriptor].arrayElement);
  };
  return invocation.execution->undefinedBehavior(
      "UB-NONUNIFORM", invocation, inst,
      "descriptor " + elementOf(pointer.object) +
          ", where another invocation of the subgroup takes " + elementOf(found->second) +
          ", without NonUniform");
}
