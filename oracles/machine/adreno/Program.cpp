// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Program.h"

#include "oracles/machine/ir3_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

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

/// Whether what the flags of \p op ask for has semantics here.
static bool hasSemantics(const Op &op) {
  const Inst &inst = op.inst;
  if (!op.alu)
    return true;
  bool half = inst.hasHalfSources();
  if (!(half ? op.alu->half : op.alu->full))
    return false;
  if (inst.get(Field::EndInput)) // A halving addition, or the last fetch of a varying.
    return false;
  bool saturates = inst.get(Field::Saturate);
  return !saturates || op.alu->result == ValueKind::Float ||
         (half ? op.alu->halfSaturated : op.alu->fullSaturated);
}

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
  return op;
}

Program::Program(ArrayRef<uint64_t> words, Chip chip) : m_chip(chip), m_words(words) {
  for (uint64_t word : words)
    m_ops.push_back(makeOp(word, chip));
}

std::string Program::textOf(uint32_t index) const {
  return index < m_words.size() ? printWord(m_words[index], m_chip) : "";
}
