// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Timing.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

bool adreno::isAluOp(const Op &op) {
  return op.inst.category() >= 1 && op.inst.category() <= 3;
}

bool adreno::isScalarAluOp(const Op &op, const ChipFacts &facts) {
  if (!facts.hasScalarAlu || !isAluOp(op) || op.dst < reg::Shared || op.dst >= reg::SharedEnd ||
      op.sources.empty())
    return false;
  return all_of(op.sources, [](const Operand &operand) {
    bool isRegister = operand.file == Operand::File::Gpr;
    bool isVector =
        isRegister && (operand.number < reg::Shared || operand.number >= reg::SharedEnd);
    return !isVector && operand.file != Operand::File::RelativeGpr;
  });
}

bool adreno::readsLate(const Op &op) {
  return op.inst.category() >= 4 && op.inst.category() <= 6;
}

unsigned adreno::slotsOf(const Op &op) {
  StringRef name = op.inst.name();
  if (name == "swz") // It is two moves, and gat and sct are four.
    return 2;
  if (name == "gat" || name == "sct")
    return 4;
  if (isAluOp(op) || op.inst.category() == 4)
    return 1U + op.repeat;
  if (op.inst.category() != 0 || name == "br" || name == "jump")
    return 0;
  return 1U + op.repeat;
}

unsigned adreno::neededSlots(const ChipFacts &facts, const Op &reader, const Touch &touch,
                             bool half) {
  bool isSpecial = touch.file == RegisterFile::Address || touch.file == RegisterFile::Address1 ||
                   touch.file == RegisterFile::Predicate;
  if (isSpecial || !isAluOp(reader))
    return facts.farDelay;
  unsigned slots = touch.isThird ? facts.thirdDelay : facts.aluDelay;
  slots -= hasDefect(Defect::SlotsShort);
  return slots + (touch.half != half ? facts.widthDelay : 0);
}

CellRange adreno::cellsOf(const Touch &touch, const ChipFacts &facts) {
  constexpr uint32_t FileCells = 1024;
  uint32_t base = uint32_t(touch.file) * FileCells;
  bool isRegister = touch.file == RegisterFile::Gpr || touch.file == RegisterFile::Shared;
  uint32_t number = touch.number - (touch.file == RegisterFile::Shared ? reg::Shared : 0);
  if (!isRegister)
    return {base + (touch.file == RegisterFile::Predicate ? number : 0), 1};
  if (touch.half)
    return {base + number, 1};
  bool isMerged = facts.mergedRegisters || touch.file == RegisterFile::Shared;
  return {(isMerged ? base : base + FileCells / 2) + 2 * number, 2};
}
