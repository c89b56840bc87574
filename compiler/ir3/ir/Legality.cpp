// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Legality.h"

#include "compiler/ir3/isa/Encoder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::ir3 {

/// Whether \p source is a value or a register of the full or half file: no constant, immediate,
/// array, relative or undefined operand, and in no special file.
static bool isVectorRegister(const Register &source) {
  constexpr uint32_t Others = registerflag::Special | registerflag::Const |
                              registerflag::Immediate | registerflag::Array |
                              registerflag::Relative | registerflag::Undefined;
  return !source.is(Others);
}

/// Whether \p source is negated or an absolute value.
static bool hasModifiers(const Register &source) {
  return source.is(registerflag::Negate | registerflag::Absolute);
}

/// Category 2: float opcodes have a table of floats, integer opcodes a signed field of 11 bits.
static bool isLegalImmediate2(const Instruction &inst, const Register &source) {
  if (inst.info().has(property::Float))
    return findTableFloat(uint32_t(source.value), source.isHalf()).has_value();
  return isInt<11>(source.value);
}

/// Categories 2 and 4.
static bool isLegalWide(const Instruction &inst, unsigned index, const Register &source) {
  constexpr uint32_t Never = registerflag::Predicate | registerflag::Address |
                             registerflag::Address1 | registerflag::Undefined | registerflag::Array;
  if (source.is(Never) || source.size != 1)
    return false;
  bool isSigned = inst.info().has(property::Float | property::IntegerNegate);
  if (hasModifiers(source) && (!isSigned || source.isImmediate()))
    return false;
  if (inst.info().category == 4)
    return !source.isConst() && !source.isImmediate();
  if (source.isImmediate() && !isLegalImmediate2(inst, source))
    return false;
  for (auto [number, other] : enumerate(inst.sources())) {
    if (number == index)
      continue;
    if ((source.isConst() && other.isConst()) || (source.isImmediate() && other.isImmediate()))
      return false;
  }
  return true;
}

/// Category 3. Only mad.f negates. The second source is a register; the others can be constants,
/// or, of the formats with immediates, numbers of 12 bits without a sign.
static bool isLegalThree(const Instruction &inst, unsigned index, const Register &source) {
  bool takesImmediate = inst.info().format == Format::Alu3Immediate;
  constexpr uint32_t Never = registerflag::Predicate | registerflag::Address |
                             registerflag::Address1 | registerflag::Undefined |
                             registerflag::Array | registerflag::Absolute;
  bool isMad = inst.opcode == Opcode::MadF32 || inst.opcode == Opcode::MadF16;
  if (source.is(Never) || source.size != 1 || (source.is(registerflag::Negate) && !isMad))
    return false;
  if (index == 1)
    return isVectorRegister(source);
  if (source.isImmediate())
    return takesImmediate && source.value >= 0 && source.value < 4096;
  return !(takesImmediate && source.isConst() && !source.isRelative());
}

/// Moves read anything but predicates, addresses and undefined values; modifiers have no bits
/// there.
static bool isLegalMove(const Instruction &inst, const Register &source) {
  constexpr uint32_t Never = registerflag::Predicate | registerflag::Address |
                             registerflag::Address1 | registerflag::Undefined;
  if (source.is(Never) || hasModifiers(source))
    return false;
  // One a0.x serves both, but a conversion of an element in place is of no use.
  return !(inst.dst().isRelative() && source.isRelative() && !source.isConst());
}

/// Sources of category 6 that can be immediates of 8 bits: where the slot is one, and where the
/// format has a bit for it.
static bool takesImmediate(const Instruction &inst, unsigned index) {
  bool isSlotNumber = inst.fields.mode == SlotImmediate; // Otherwise a register holds the slot.
  switch (inst.info().format) {
  case Format::Shuffle:
    return index == 1;
  case Format::AtomicLocal:
    return true;
  case Format::AtomicGlobal:
    return index == 1;
  case Format::LoadConst:
  case Format::CopyConst:
    return true;
  case Format::BoundInfo:
    return index == 0 && isSlotNumber;
  case Format::BoundLoad:
  case Format::BoundStore:
    return index == 1 && isSlotNumber;
  case Format::BoundAtomic:
    return index == 2 && isSlotNumber;
  case Format::SlotInfo:
    return index == 0;
  case Format::SlotLoad:
  case Format::SlotStore:
  case Format::SlotAtomic:
    return index == 1 || index == 2;
  default:
    return false;
  }
}

/// The last source of an instruction of category 5 whose field desc says that texture and sampler
/// are numbers, four bits each: no register can hold them.
static bool isTextureImmediate(const Instruction &inst, unsigned index) {
  return inst.info().format == Format::Texture && inst.fields.indirect &&
         inst.fields.descriptor == ImmediateDescriptor && index + 2 == inst.registers.size();
}

/// Categories 5 to 7: vector registers, and immediates of 8 bits without a sign where the slot
/// takes them.
static bool isLegalMemory(const Instruction &inst, unsigned index, const Register &source) {
  if (hasModifiers(source))
    return false;
  if (isTextureImmediate(inst, index))
    return source.isImmediate() && source.value >= 0 && source.value < 256;
  if (source.isImmediate())
    return takesImmediate(inst, index) && source.value >= 0 && source.value < 256;
  return isVectorRegister(source);
}

/// Splits read values. Collects and phis read also constants, immediates and undefined values,
/// which become moves.
static bool isLegalMeta(const Instruction &inst, const Register &source) {
  if (hasModifiers(source))
    return false;
  if (inst.opcode == Opcode::MetaSplit)
    return source.isSsa();
  bool isPlace = source.isArray() || source.isRelative();
  return !isPlace && !source.is(registerflag::Special);
}

/// Category 0 is special: branches read predicates, end reads vector registers, and the macros have
/// a source of each kind.
bool isLegalSource(const Instruction &inst, unsigned index, const Register &source) {
  switch (inst.info().category) {
  case 0:
    if (inst.opcode == Opcode::End || (inst.opcode == Opcode::MacroRead && index == 1) ||
        (inst.opcode == Opcode::MacroScan && index == 0))
      return isVectorRegister(source) && !hasModifiers(source);
    if (inst.opcode == Opcode::MacroScan)
      return source.is(registerflag::Shared);
    return source.is(registerflag::Predicate) && !hasModifiers(source);
  case 1:
    return inst.opcode == Opcode::Mov ? isLegalMove(inst, source) : isVectorRegister(source);
  case 2:
  case 4:
    return isLegalWide(inst, index, source);
  case 3:
    return isLegalThree(inst, index, source);
  case MetaCategory:
    return isLegalMeta(inst, source);
  default:
    return isLegalMemory(inst, index, source);
  }
}

} // namespace assay::ir3
