// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ballots and votes of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, where all of a
// workgroup take part.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Emits one instruction of SPV_KHR_shader_ballot.
static void addBallot(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::SubgroupBallotKHR);
  Id u32 = pool.intType(32, false), mask = pool.vectorType(u32, 4);
  Value value = writer.take(u32);
  switch (writer.random().below(3)) {
  case 0:
    writer.add(
        {writer.emit(spv::Op::OpSubgroupBallotKHR, mask, {fuzz::id(writer.takeCondition().id)}),
         mask, false, 0});
    return;
  case 1:
    writer.add({writer.emit(spv::Op::OpSubgroupFirstInvocationKHR, u32, {fuzz::id(value.id)}), u32,
                false, 0});
    return;
  default: // Of the first, which is always there.
    writer.add({writer.emit(spv::Op::OpSubgroupReadInvocationKHR, u32,
                            {fuzz::id(value.id), fuzz::id(pool.number(0))}),
                u32, false, 0});
  }
}

/// Emits a vote, or a ballot instruction.
void writeSubgroupOld(Writer &writer) {
  static constexpr spv::Op votes[] = {spv::Op::OpSubgroupAllKHR, spv::Op::OpSubgroupAnyKHR,
                                      spv::Op::OpSubgroupAllEqualKHR};
  if (writer.random().oneIn(2))
    return addBallot(writer);
  Pool &pool = writer.pool();
  pool.require(spv::Capability::SubgroupVoteKHR);
  Value condition = writer.takeCondition();
  writer.add({writer.emit(writer.random().pick(ArrayRef(votes)), pool.boolType(),
                          {fuzz::id(condition.id)}),
              pool.boolType(), false, 0});
}

} // namespace assay::fuzz
