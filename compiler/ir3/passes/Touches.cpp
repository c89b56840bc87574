// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Touches.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Appends the touches of one instruction.
class Collector {
public:
  Collector(const Instruction &inst, const Program &program, SmallVectorImpl<Touch> &touches)
      : m_inst(inst), m_program(program), m_touches(touches) {}
  void collect();

private:
  /// Appends the cells of one scalar register; none for register numbers that mean no register.
  void add(unsigned number, bool half, bool writes, unsigned step, bool isThird);
  /// Appends the cells of all scalars and repetitions of an operand. Relative operands touch a0.x
  /// and their whole array.
  void addOperand(const Register &operand, bool writes, bool isThird);

  const Instruction &m_inst;
  const Program &m_program;
  SmallVectorImpl<Touch> &m_touches;
};

void Collector::add(unsigned number, bool half, bool writes, unsigned step, bool isThird) {
  Touch touch{0, 1, writes, half, isThird, uint8_t(step)};
  if (number >= reg::None)
    return;
  if (number >= reg::Predicate) {
    touch.cell = uint16_t(cell::Predicate + number - reg::Predicate);
  } else if (number >= reg::Address) {
    touch.cell = uint16_t(cell::Address + number - reg::Address);
  } else if (number >= reg::Shared) {
    unsigned index = number - reg::Shared;
    touch.cell = uint16_t(cell::Shared + (half ? index : 2 * index));
    touch.count = half ? 1 : 2;
  } else if (half) {
    bool isMerged = m_program.compiler().mergedRegisters;
    touch.cell = uint16_t((isMerged ? 0 : cell::Half) + number);
  } else {
    touch.cell = uint16_t(2 * number);
    touch.count = 2;
  }
  m_touches.push_back(touch);
}

void Collector::addOperand(const Register &operand, bool writes, bool isThird) {
  if (operand.isRelative()) {
    add(reg::Address, true, false, 0, false);
    if (operand.isArray()) {
      const Array &array = m_program.arrays[operand.arrayId];
      for (unsigned i = 0; i < array.size; ++i)
        add(array.base + i, operand.isHalf(), writes, 0, isThird);
    }
    return;
  }
  bool isRegister = !operand.isConst() && !operand.isImmediate() &&
                    !operand.is(registerflag::Undefined) && operand.isAssigned();
  if (!isRegister)
    return;
  unsigned repeats = unsigned(m_inst.fields.repeat);
  bool moves = writes || operand.is(registerflag::Repeats);
  for (unsigned step = 0; step <= repeats; ++step)
    for (unsigned i = 0; i < operand.size; ++i)
      add(operand.number + i + (moves ? step : 0), operand.isHalf(), writes, step, isThird);
}

/// Sources come first, then addresses and predicates that the opcode reads without naming them,
/// then the result.
void Collector::collect() {
  // The hardware reads outputs when all is done.
  if (m_inst.opcode == Opcode::End)
    return;
  bool isLate = m_inst.info().has(property::LateThird) ||
                (m_inst.info().category == 3 && m_program.compiler().generation >= 700);
  for (auto [index, source] : enumerate(m_inst.sources()))
    addOperand(source, false, isLate && index == 2);
  if (m_inst.address && m_inst.address->dst().is(registerflag::Address1))
    add(reg::Address1, true, false, 0, false);
  if (m_inst.opcode == Opcode::Predt || m_inst.opcode == Opcode::Predf)
    add(reg::Predicate, false, false, 0, false);
  if (m_inst.hasDst())
    addOperand(m_inst.dst(), true, false);
}

} // namespace

void collectTouches(const Instruction &inst, const Program &program,
                    SmallVectorImpl<Touch> &touches) {
  Collector(inst, program, touches).collect();
}

/// A result in a shared register of the scalar ALU, which reads no vector register (Mesa, ir3.c,
/// is_scalar_alu).
static bool isScalarAlu(const Compiler &compiler, const Instruction &inst) {
  auto isVector = [](const Register &source) {
    return source.isAssigned() && !source.isConst() && source.number < reg::Shared;
  };
  return compiler.hasScalarAlu && inst.isAlu() && inst.hasDst() && inst.dst().isAssigned() &&
         inst.dst().number >= reg::Shared && inst.dst().number < reg::Address &&
         !inst.sources().empty() && none_of(inst.sources(), isVector);
}

/// Categories 4 to 7, br, braa, brao, jump and the scalar ALU count as none; other flow counts.
unsigned slotsOf(const Compiler &compiler, const Instruction &inst) {
  static constexpr Opcode Free[] = {Opcode::Br, Opcode::Braa, Opcode::Brao, Opcode::Jump};
  if (inst.opcode == Opcode::Swz)
    return 2;
  bool isFree =
      inst.info().category >= 4 || is_contained(Free, inst.opcode) || isScalarAlu(compiler, inst);
  return isFree ? 0 : 1 + unsigned(inst.fields.repeat);
}

/// Readers other than the ALU, and reads of addresses and predicates, need the longest delay.
unsigned delayOf(const Compiler &compiler, const Instruction &reader, const Touch &touch,
                 bool writtenAsHalf) {
  if (touch.cell >= cell::Address || !reader.isAlu())
    return compiler.farDelay;
  unsigned delay = touch.isThird ? compiler.thirdDelay : compiler.aluDelay;
  return delay + (touch.half != writtenAsHalf ? compiler.widthDelay : 0);
}

} // namespace assay::ir3
