// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subgroup operations of Builder, and those on control flow: ops in every Builder, because what
// becomes of them depends on the wave size or on the architecture.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

using namespace llvm;
using namespace assay;

Value *Builder::createSubgroupBallot(Value *predicate) {
  return SubgroupBallotOp::create(*this, predicate);
}

Value *Builder::createSubgroupCountBelow(Value *mask) {
  return SubgroupCountBelowOp::create(*this, mask);
}

Value *Builder::createSubgroupBroadcastFirst(Value *value) {
  return SubgroupBroadcastFirstOp::create(*this, value);
}

Value *Builder::createSubgroupBroadcast(Value *value, Value *lane) {
  return SubgroupBroadcastOp::create(*this, value, lane);
}

Value *Builder::createSubgroupShuffle(Value *value, Value *lane) {
  return SubgroupShuffleOp::create(*this, value, lane);
}

Value *Builder::createSubgroupShuffleXor(Value *value, Value *mask) {
  return SubgroupShuffleXorOp::create(*this, value, mask);
}

Value *Builder::createSubgroupQuadPermute(Value *value, uint32_t pattern) {
  return SubgroupQuadPermuteOp::create(*this, value, pattern);
}

Value *Builder::createSubgroupReduce(SubgroupOperation operation, Value *value,
                                     uint32_t clusterSize) {
  return SubgroupReduceOp::create(*this, value, static_cast<uint64_t>(operation), clusterSize);
}

Value *Builder::createSubgroupScan(SubgroupOperation operation, Value *value, bool isExclusive) {
  return SubgroupScanOp::create(*this, value, static_cast<uint64_t>(operation), isExclusive);
}

Value *Builder::createOpaqueTrue() {
  return OpaqueTrueOp::create(*this);
}

void Builder::createAnchor() {
  AnchorOp::create(*this);
}
