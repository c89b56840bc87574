// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Timing.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// The scalar ALU has no vector sources.
static bool isScalarAlu(const Op &op) {
  bool isAlu = op.inst.category() >= 1 && op.inst.category() <= 3;
  if (!factsOf(op.inst.chip()).hasScalarAlu || !isAlu || op.dst < reg::Shared ||
      op.dst >= reg::SharedEnd || op.sources.empty())
    return false;
  return all_of(op.sources, [](const Operand &operand) {
    bool isRegister = operand.file == Operand::File::Gpr;
    bool isVector =
        isRegister && (operand.number < reg::Shared || operand.number >= reg::SharedEnd);
    return !isVector && operand.file != Operand::File::RelativeGpr;
  });
}

/// Slots without (nopN) (Mesa, count_instruction).
static unsigned slotsOf(const Op &op) {
  StringRef name = op.inst.name();
  unsigned category = op.inst.category();
  bool isBranch = name == "br" || name == "braa" || name == "brao" || name == "jump";
  if (category >= 4 || isBranch || op.facts.isScalar)
    return 0;
  if (name == "swz") // It is two moves, and gat and sct are four.
    return 2;
  if (name == "gat" || name == "sct")
    return 4;
  return 1U + op.repeat;
}

/// Whether an ALU instruction's result is a register that all fibers share, r48 to r55 (Mesa,
/// is_ss_producer).
static bool writesShared(const Op &op) {
  bool isAlu = op.inst.category() >= 1 && op.inst.category() <= 3;
  return isAlu && !op.dstRelative && op.dst >= reg::Shared && op.dst < reg::SharedEnd;
}

void adreno::addOpFacts(Op &op) {
  const Inst &inst = op.inst;
  OpFacts &facts = op.facts;
  facts.ss = inst.get(Field::Short);
  facts.sy = inst.get(Field::Sync);
  facts.joins = inst.get(Field::Join);
  facts.isAlu = inst.category() >= 1 && inst.category() <= 3;
  facts.isScalar = isScalarAlu(op);
  facts.readsLate = inst.category() >= 4 && inst.category() <= 6;
  facts.holdsSources = facts.readsLate || writesShared(op);
  facts.isHalf = inst.hasHalfSources();
  facts.clamps = op.alu && op.alu->result == ValueKind::Float && inst.get(Field::Saturate);
  facts.result = resultSync(inst.unit());
  facts.slots = uint8_t(slotsOf(op) + inst.nopCount());
}

/// Full registers, shared ones, a0.x, a1.x, predicates; then half registers where the files are
/// apart.
static void placeCell(Touch &touch, bool merged) {
  constexpr unsigned Shared = reg::Shared, Others = reg::SharedEnd, Halves = Others + 8;
  static_assert(Halves + reg::Shared <= ConstCell);
  unsigned number = touch.number - (touch.file == RegisterFile::Shared ? reg::Shared : 0);
  unsigned base = touch.file == RegisterFile::Shared ? Shared : 0;
  switch (touch.file) {
  case RegisterFile::Gpr:
  case RegisterFile::Shared:
    if (touch.half && !merged && touch.file == RegisterFile::Gpr) {
      touch.cell = uint16_t(Halves + number);
      return;
    }
    touch.cell = uint16_t(base + (touch.half ? number / 2 : number));
    touch.parts = touch.half ? uint8_t(1 << number % 2) : 3;
    return;
  case RegisterFile::Address:
    touch.cell = Others;
    return;
  case RegisterFile::Address1:
    touch.cell = Others + 1;
    return;
  case RegisterFile::Predicate:
    touch.cell = uint16_t(Others + 2 + number % 4);
    return;
  case RegisterFile::Const:
    touch.cell = ConstCell;
    return;
  }
}

/// Only the ALU reads results of the ALU with the short delay.
void adreno::placeTouch(const Op &op, Touch &touch) {
  const ChipFacts &facts = factsOf(op.inst.chip());
  placeCell(touch, facts.mergedRegisters);
  bool isSpecial = touch.file == RegisterFile::Address || touch.file == RegisterFile::Address1 ||
                   touch.file == RegisterFile::Predicate;
  unsigned category = op.inst.category();
  if (isSpecial || category < 1 || category > 3) {
    touch.slots[0] = touch.slots[1] = facts.farDelay;
    return;
  }
  unsigned slots = touch.isThird ? facts.thirdDelay : facts.aluDelay;
  slots -= hasDefect(Defect::SlotsShort);
  touch.slots[0] = uint8_t(slots);
  touch.slots[1] = uint8_t(slots + facts.widthDelay);
}
