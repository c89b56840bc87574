// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Program.h"

#include "oracles/machine/adreno/Footprint.h"
#include "oracles/machine/adreno/Timing.h"
#include "oracles/machine/ir3_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// By category and name; null: there are no semantics.
static Handler findHandler(const Op &op) {
  StringRef name = op.inst.name();
  switch (op.inst.category()) {
  case 0:
  case 7:
    return findFlowHandler(name);
  case 1:
    return findMoveHandler(name);
  case 2:
  case 3:
  case 4:
    return op.alu ? executeAlu : nullptr;
  default:
    if (Handler handler = findMemoryHandler(name))
      return handler;
    return findSubgroupHandler(name);
  }
}

/// The kernel of the row for the width of the sources and for (sat); nothing: there is none.
static const AluKernels *kernelsOf(const Op &op) {
  bool half = op.inst.hasHalfSources();
  if (op.inst.get(Field::Saturate) && op.alu->result != ValueKind::Float)
    return half ? op.alu->halfSaturated : op.alu->fullSaturated;
  return half ? op.alu->half : op.alu->full;
}

/// Whether the machine implements what the flags of \p op require.
static bool hasSemantics(const Op &op) {
  const Inst &inst = op.inst;
  if (!op.alu)
    return true;
  // EndInput: a halving addition, or the last fetch of a varying.
  return kernelsOf(op) && !inst.get(Field::EndInput);
}

/// What is asked at each step is found out once.
static void addFacts(Op &op) {
  const Inst &inst = op.inst;
  addOpFacts(op);
  if (op.alu) {
    if (const AluKernels *kernels = kernelsOf(op))
      op.kernel = (*kernels)[unsigned(gcn::hostVectorWidth())];
    op.fields.condition = inst.get(Field::Condition);
    op.fields.isMixed = inst.get(Field::Mixed);
    op.fields.isHigh = inst.get(Field::High);
  }
  op.footprint = fixedFootprint(op);
  if (op.handler == executeAlu && makeRowSources(op))
    op.handler = executeRows;
}

/// The instruction of one word.
static Op makeOp(uint64_t word, Chip chip) {
  Op op;
  op.inst = decode(word, chip);
  if (!op.inst.isValid())
    return op;
  const Inst &inst = op.inst;
  op.dst = uint16_t(inst.get(Field::Dst));
  op.dstHalf = inst.hasHalfResult();
  op.dstRelative = inst.get(Field::DstRelative);
  op.repeat = uint8_t(inst.repeat());
  bool hasSources = inst.category() >= 2 ? inst.category() <= 4 : inst.name() == "mov";
  if (inst.category() != 0 && hasSources)
    for (unsigned i = 0; i < sourceCount(inst); ++i)
      op.sources.push_back(*readSource(inst, i));
  if (inst.category() >= 2 && inst.category() <= 4)
    op.alu = findAluRow(inst.name());
  op.handler = hasSemantics(op) ? findHandler(op) : nullptr;
  addFacts(op);
  return op;
}

Program::Program(ArrayRef<uint64_t> words, Chip chip) : m_chip(chip), m_words(words) {
  for (uint64_t word : words)
    m_ops.push_back(makeOp(word, chip));
}

std::string Program::textOf(uint32_t index) const {
  return index < m_words.size() ? printWord(m_words[index], m_chip) : "";
}
