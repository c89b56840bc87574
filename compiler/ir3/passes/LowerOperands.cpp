// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/LowerOperands.h"

#include "compiler/ir3/ir/Legality.h"
#include "compiler/ir3/ir/Printer.h"
#include "support/Error.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/APFloat.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Makes the sources of one program legal. Phis are left alone: prepareAllocation() copies their
/// sources.
class OperandLowering {
public:
  OperandLowering(Program &program, bool toRegisters)
      : m_program(program), m_toRegisters(toRegisters) {}
  Error run();

private:
  /// Replaces source \p index (from 0) if it is not legal: modifiers by absneg, immediates by
  /// constants, everything else by a move.
  Error lower(Instruction &inst, unsigned index);
  /// A move of \p source in front of \p inst.
  Register moved(Instruction &inst, const Register &source);
  void dropModifiers(Instruction &inst, Register &source);
  bool tryConstant(Instruction &inst, unsigned index, Register &source);

  Program &m_program;
  const bool m_toRegisters;
  /// Moves of constants in this block, which further instructions of it can read.
  Block *m_block = nullptr;
  SmallVector<Instruction *, 16> m_moves;
};

/// The bits of the f32 of the same value as the half in the low 16 bits.
uint32_t floatOfHalf(uint32_t bits) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, bits & 0xffff));
  bool losesInfo = false;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  return uint32_t(value.bitcastToAPInt().getZExtValue());
}

/// A move of the same full constant in the same block is used again, except for meta instructions,
/// which need registers of their own.
Register OperandLowering::moved(Instruction &inst, const Register &source) {
  bool isShared = (source.isImmediate() || (source.isConst() && !source.isRelative())) &&
                  !source.isHalf() && !inst.isMeta();
  if (m_block != inst.block)
    m_moves.clear();
  m_block = inst.block;
  if (isShared)
    for (Instruction *move : m_moves) {
      const Register &known = move->registers[1];
      if (known.flags == source.flags && known.number == source.number &&
          known.value == source.value)
        return move->value();
    }
  Instruction *move = m_program.createInstruction(Opcode::Mov);
  bool half = source.isHalf();
  move->fields.type = half ? U16 : U32;
  move->fields.sourceType = move->fields.type;
  // A constant that a float opcode reads as half has 32 bits in the const file.
  if (half && source.isConst() && inst.info().has(property::Float)) {
    move->fields.sourceType = F32;
    move->fields.type = F16;
  }
  move->dst().flags = registerflag::Ssa | (half ? registerflag::Half : 0);
  move->dst().size = source.size;
  move->registers.push_back(source);
  if (source.isImmediate() && !m_toRegisters && faultPlanted(Ir3Fault::MoveNarrow))
    move->registers[1].value = uint16_t(source.value);
  if (move->fields.sourceType == F32)
    move->registers[1].flags &= ~registerflag::Half;
  if (source.isRelative())
    move->address = inst.address;
  inst.block->insertBefore(&inst, move);
  if (isShared)
    m_moves.push_back(move);
  return move->value();
}

/// absneg applies the modifiers of \p source in front of \p inst.
void OperandLowering::dropModifiers(Instruction &inst, Register &source) {
  Register plain = source;
  plain.flags &= ~(registerflag::Negate | registerflag::Absolute);
  if (plain.isImmediate() || plain.isConst() || plain.isArray())
    plain = moved(inst, plain);
  bool isFloat = inst.info().has(property::Float) || inst.opcode == Opcode::MadF32;
  Instruction *absneg = m_program.createInstruction(isFloat ? Opcode::AbsnegF : Opcode::AbsnegS);
  absneg->dst().flags = registerflag::Ssa | (source.isHalf() ? registerflag::Half : 0);
  absneg->registers.push_back(
      plain.with(source.flags & (registerflag::Negate | registerflag::Absolute)));
  inst.block->insertBefore(&inst, absneg);
  source = absneg->value();
}

/// Immediates that do not fit go to the const file where the opcode can read it.
bool OperandLowering::tryConstant(Instruction &inst, unsigned index, Register &source) {
  Register constant = Register::constant(0, source.isHalf());
  if (inst.isMeta() || !isLegalSource(inst, index, constant))
    return false;
  bool isFloatHalf = source.isHalf() && inst.info().has(property::Float);
  uint32_t bits = isFloatHalf ? floatOfHalf(uint32_t(source.value)) : uint32_t(source.value);
  std::optional<unsigned> dword = m_program.constantFor(bits);
  if (!dword)
    return false;
  constant.number = uint16_t(*dword);
  source = constant;
  return true;
}

Error OperandLowering::lower(Instruction &inst, unsigned index) {
  Register &source = inst.registers[index + 1];
  if (source.is(registerflag::Undefined) && !inst.isMeta())
    source = Register::immediate(0, source.isHalf());
  bool isNumber = source.isImmediate() || (source.isConst() && !source.isRelative());
  if (m_toRegisters && isNumber && inst.info().category >= 2 && inst.info().category <= 4) {
    Register plain = source;
    plain.flags &= ~(registerflag::Negate | registerflag::Absolute);
    source =
        moved(inst, plain).with(source.flags & (registerflag::Negate | registerflag::Absolute));
  }
  if (isLegalSource(inst, index, source))
    return Error::success();
  bool isFlow =
      inst.info().category == 0 && inst.opcode != Opcode::End && inst.opcode != Opcode::MacroRead;
  if (source.is(registerflag::Predicate) || isFlow)
    if (inst.opcode != Opcode::End)
      return unsupported("source " + Twine(index) + " of '" + print(inst, m_program) +
                         "' is a predicate, or should be one");
  if (source.is(registerflag::Negate | registerflag::Absolute)) {
    dropModifiers(inst, source);
    return Error::success();
  }
  if (source.isImmediate() && tryConstant(inst, index, source))
    return Error::success();
  source = moved(inst, source);
  return Error::success();
}

/// An instruction whose relative operands have all been moved needs a0.x no more.
Error OperandLowering::run() {
  for (Instruction *inst : m_program.instructions()) {
    if (inst->opcode == Opcode::MetaPhi)
      continue;
    for (unsigned i = 0; i + 1 < inst->registers.size(); ++i)
      if (Error error = lower(*inst, i))
        return error;
    bool isRelative =
        any_of(inst->registers, [](const Register &operand) { return operand.isRelative(); });
    if (inst->address && inst->address->dst().is(registerflag::Address) && !isRelative)
      inst->address = nullptr;
  }
  return Error::success();
}

} // namespace

Error lowerOperands(Program &program, bool toRegisters) {
  return OperandLowering(program, toRegisters).run();
}

/// The writer is repeated as often as needed; writers that nothing uses any more are left to
/// removeDeadCode().
void lowerAddresses(Program &program) {
  for (auto &block : program.blocks) {
    Instruction *current[2] = {nullptr, nullptr};
    DenseMap<Instruction *, Instruction *> copies;
    for (Instruction *inst : std::vector<Instruction *>(block->instructions)) {
      if (Instruction *writer = inst->address) {
        bool isSecond = writer->dst().is(registerflag::Address1);
        Instruction *latest = copies.lookup(writer);
        latest = latest ? latest : writer;
        if (current[isSecond] != latest) {
          latest = program.clone(*writer);
          block->insertBefore(inst, latest);
          copies[writer] = latest;
          current[isSecond] = latest;
        }
        inst->address = latest;
      }
      if (inst->dst().is(registerflag::Address))
        current[0] = inst;
      if (inst->dst().is(registerflag::Address1))
        current[1] = inst;
    }
  }
}

} // namespace assay::ir3
