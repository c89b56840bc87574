// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the row of an opcode among all families.
#include "oracles/machine/spirv/Decoder.h"

#include "llvm/ADT/StringMap.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Rows by opcode, or by number of an extended set.
using Table = DenseMap<uint32_t, const OpRow *>;

/// Opcodes are unique over all families: a later row would replace an earlier one.
static Table makeTable(ArrayRef<ArrayRef<OpRow>> families) {
  Table table;
  for (ArrayRef<OpRow> family : families)
    for (const OpRow &row : family)
      table[row.opcode] = &row;
  return table;
}

/// Returns null for opcodes that the machine does not execute.
const OpRow *reference::findOp(spv::Op opcode) {
  static const Table table =
      makeTable({arithmeticOps(), integerDotOps(), floatOps(), matrixOps(), bitOps(),
                 conversionOps(), relationalOps(), compositeOps(), memoryOps(), pointerOps(),
                 hintOps(), imageOps(), sampleOps(), sparseOps(), atomicOps(), controlFlowOps(),
                 subgroupOps(), subgroupArithmeticOps(), fragmentOps()});
  return table.lookup(uint32_t(opcode));
}

/// Kinds of whole families, and of opcodes.
static DenseMap<uint32_t, InstKind> makeKinds() {
  using spv::Op;
  static const std::pair<Op, InstKind> single[] = {
      {Op::OpVectorExtractDynamic, InstKind::Value},
      {Op::OpVectorInsertDynamic, InstKind::Value},
      {Op::OpUndef, InstKind::Undef},
      {Op::OpCopyObject, InstKind::Copy},
      {Op::OpCopyLogical, InstKind::Copy},
      {Op::OpCompositeExtract, InstKind::Copy},
      {Op::OpCompositeConstruct, InstKind::Construct},
      {Op::OpCompositeInsert, InstKind::Insert},
      {Op::OpVectorShuffle, InstKind::Shuffle},
      {Op::OpVariable, InstKind::Variable},
      {Op::OpLoad, InstKind::Load},
      {Op::OpStore, InstKind::Store},
      {Op::OpAccessChain, InstKind::Chain},
      {Op::OpInBoundsAccessChain, InstKind::Chain},
      {Op::OpBranch, InstKind::Branch},
      {Op::OpBranchConditional, InstKind::ConditionalBranch},
      {Op::OpSwitch, InstKind::Switch},
      {Op::OpFunctionCall, InstKind::Call},
      {Op::OpReturn, InstKind::Return},
      {Op::OpReturnValue, InstKind::ReturnValue},
      {Op::OpKill, InstKind::Kill},
      {Op::OpTerminateInvocation, InstKind::Kill},
  };
  DenseMap<uint32_t, InstKind> kinds;
  for (ArrayRef<OpRow> family :
       {arithmeticOps(), floatOps(), matrixOps(), bitOps(), conversionOps(), relationalOps()})
    for (const OpRow &row : family)
      kinds[row.opcode] = InstKind::Value;
  for (auto [opcode, kind] : single)
    kinds[uint32_t(opcode)] = kind;
  return kinds;
}

/// Returns Other for opcodes that PathTree does not follow.
InstKind reference::kindOf(spv::Op opcode) {
  static const DenseMap<uint32_t, InstKind> kinds = makeKinds();
  auto found = kinds.find(uint32_t(opcode));
  return found == kinds.end() ? InstKind::Other : found->second;
}

namespace {
struct ExtendedTable {
  Table rows;
  InstKind kind = InstKind::Other;
};
} // namespace

static StringMap<ExtendedTable> makeSets() {
  StringMap<ExtendedTable> sets;
  sets["GLSL.std.450"] = {
      makeTable({glslScalarOps(), glslVectorOps(), glslPackOps(), glslFragmentOps()}),
      InstKind::Value};
  for (const ExtendedSet &set : amdSets())
    sets[set.name] = {makeTable(set.rows), set.kind};
  return sets;
}

std::optional<ExtendedOp> reference::findExtendedOp(StringRef set, uint32_t number) {
  static const StringMap<ExtendedTable> sets = makeSets();
  auto found = sets.find(set);
  if (found == sets.end())
    return std::nullopt;
  return ExtendedOp{found->second.rows.lookup(number), found->second.kind};
}
