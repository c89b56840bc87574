// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions, most of them of integers, whose operands decide the result: selection expands
// 64-bit values, products and addresses without a look at constants.
#include "compiler/ir3/passes/Optimize.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace llvm;

namespace assay::ir3 {

namespace {

/// An opcode with two sources. An operand that is \p neutral leaves the other one; one that is
/// \p absorbing is the result. Both hold for the second source, and where the opcode commutes for
/// the first.
struct FoldRow {
  Opcode opcode;
  uint32_t (*compute)(uint32_t left, uint32_t right);
  std::optional<uint32_t> neutral, absorbing;
};

} // namespace

static constexpr uint32_t AmountMask = 31, LowHalf = 0xffff;

static constexpr FoldRow rows[] = {
    {Opcode::AddU, [](uint32_t a, uint32_t b) { return a + b; }, 0, {}},
    {Opcode::SubU, [](uint32_t a, uint32_t b) { return a - b; }, 0, {}},
    {Opcode::AndB, [](uint32_t a, uint32_t b) { return a & b; }, UINT32_MAX, 0},
    {Opcode::OrB, [](uint32_t a, uint32_t b) { return a | b; }, 0, UINT32_MAX},
    {Opcode::XorB, [](uint32_t a, uint32_t b) { return a ^ b; }, 0, {}},
    {Opcode::ShlB, [](uint32_t a, uint32_t b) { return a << (b & AmountMask); }, 0, {}},
    {Opcode::ShrB, [](uint32_t a, uint32_t b) { return a >> (b & AmountMask); }, 0, {}},
    {Opcode::AshrB,
     [](uint32_t a, uint32_t b) { return uint32_t(int32_t(a) >> (b & AmountMask)); },
     0,
     {}},
    {Opcode::MullU, [](uint32_t a, uint32_t b) { return (a & LowHalf) * (b & LowHalf); }, {}, 0},
    {Opcode::MinU, [](uint32_t a, uint32_t b) { return std::min(a, b); }, UINT32_MAX, 0},
    {Opcode::MaxU, [](uint32_t a, uint32_t b) { return std::max(a, b); }, 0, UINT32_MAX},
};

/// The bits of an immediate without modifiers, or of one that has been moved: an opcode takes one
/// immediate, so that copy propagation leaves the second one.
static std::optional<uint32_t> bitsOf(const Register &source) {
  if (source.isHalf() || source.is(registerflag::Negate | registerflag::Absolute))
    return std::nullopt;
  if (source.isImmediate())
    return uint32_t(source.value);
  bool isMoved = source.isSsa() && source.def->isPlainMove() && source.def->dst().size == 1;
  return isMoved && source.def->registers[1].isImmediate() ? bitsOf(source.def->registers[1])
                                                           : std::nullopt;
}

/// Whether both sources read one value without modifiers.
static bool isSameValue(const Register &left, const Register &right) {
  return left.isSsa() && right.isSsa() && left.def == right.def && left.flags == right.flags &&
         !left.is(registerflag::Negate | registerflag::Absolute);
}

/// A full immediate.
static Register number(uint32_t bits) {
  return Register::immediate(bits);
}

/// What an opcode with a row is equal to: a constant, one of its sources, or nothing that is known.
/// A shift of 0 is 0 for any amount.
static std::optional<Register> foldTwo(const Instruction &inst, const FoldRow &row) {
  const Register &left = inst.registers[1], &right = inst.registers[2];
  std::optional<uint32_t> a = bitsOf(left), b = bitsOf(right);
  if (a && b)
    return number(row.compute(*a, *b));
  if (b && b == row.neutral)
    return left;
  if (b && b == row.absorbing)
    return number(*b);
  bool isShift =
      row.opcode == Opcode::ShlB || row.opcode == Opcode::ShrB || row.opcode == Opcode::AshrB;
  if (isShift && a == 0U)
    return number(0);
  if (!a || !inst.info().has(property::Commutes))
    return std::nullopt;
  if (a == row.neutral)
    return right;
  return a == row.absorbing ? std::optional(number(*a)) : std::nullopt;
}

/// ((low half of the first times high half of the second) << 16) + third.
static std::optional<Register> foldMadsh(const Instruction &inst) {
  std::optional<uint32_t> a = bitsOf(inst.registers[1]), b = bitsOf(inst.registers[2]);
  std::optional<uint32_t> c = bitsOf(inst.registers[3]);
  if ((a && !(*a & LowHalf)) || (b && !(*b >> 16)))
    return inst.registers[3];
  if (a && b && c)
    return number(((*a & LowHalf) * (*b >> 16) << 16) + *c);
  return std::nullopt;
}

/// A sel with a constant condition, or with two equal values.
static std::optional<Register> foldSelect(const Instruction &inst) {
  if (std::optional<uint32_t> condition = bitsOf(inst.registers[2]))
    return inst.registers[*condition ? 1 : 3];
  std::optional<uint32_t> yes = bitsOf(inst.registers[1]), no = bitsOf(inst.registers[3]);
  if (yes && yes == no)
    return number(*yes);
  bool isSame = isSameValue(inst.registers[1], inst.registers[3]);
  return isSame ? std::optional(inst.registers[1]) : std::nullopt;
}

/// clz.b and bfrev.b of a constant. clz.b of 0 is -1.
static std::optional<Register> foldOne(const Instruction &inst) {
  std::optional<uint32_t> bits = bitsOf(inst.registers[1]);
  if (!bits)
    return std::nullopt;
  if (inst.opcode == Opcode::ClzB)
    return number(*bits ? uint32_t(countl_zero(*bits)) : UINT32_MAX);
  return number(reverseBits(*bits));
}

/// rcp and rndne.f of a constant, where numbers and results are normal or, of rndne.f, 0.
static std::optional<Register> foldReal(const Instruction &inst) {
  std::optional<uint32_t> bits = bitsOf(inst.registers[1]);
  if (!bits)
    return std::nullopt;
  auto value = bit_cast<float>(*bits);
  float result = inst.opcode == Opcode::Rcp ? 1.0F / value : std::nearbyint(value);
  bool isKnown = std::isnormal(value) &&
                 (std::isnormal(result) || (inst.opcode == Opcode::RndneF && result == 0));
  return isKnown ? std::optional(number(bit_cast<uint32_t>(result))) : std::nullopt;
}

/// The 0 or 1 of an integer compare of constants, or of a value with itself.
static std::optional<Register> foldCompare(const Instruction &inst) {
  std::optional<uint32_t> a = bitsOf(inst.registers[1]), b = bitsOf(inst.registers[2]);
  if (isSameValue(inst.registers[1], inst.registers[2]))
    a = b = 0;
  if (!a || !b)
    return std::nullopt;
  bool isSigned = inst.opcode == Opcode::CmpsS;
  int64_t left = isSigned ? int32_t(*a) : int64_t(*a), right = isSigned ? int32_t(*b) : int64_t(*b);
  switch (Condition(inst.fields.condition)) {
  case Lt:
    return number(left < right);
  case Le:
    return number(left <= right);
  case Gt:
    return number(left > right);
  case Ge:
    return number(left >= right);
  case Eq:
    return number(left == right);
  case Ne:
    return number(left != right);
  default:
    return std::nullopt;
  }
}

/// What \p inst, of a full result in a register of its own, is equal to.
static std::optional<Register> folded(const Instruction &inst) {
  switch (inst.opcode) {
  case Opcode::MadshM16:
    return foldMadsh(inst);
  case Opcode::SelB32:
    return foldSelect(inst);
  case Opcode::ClzB:
  case Opcode::BfrevB:
    return foldOne(inst);
  case Opcode::Rcp:
  case Opcode::RndneF:
    return foldReal(inst);
  case Opcode::CmpsU:
  case Opcode::CmpsS:
    return foldCompare(inst);
  default:
    break;
  }
  const auto *row = find_if(rows, [&](const FoldRow &each) { return each.opcode == inst.opcode; });
  return row != std::end(rows) ? foldTwo(inst, *row) : std::nullopt;
}

/// Only results of 32 bits in vector registers, without saturation, repetition and address.
/// Constants of the const file are not known here.
unsigned foldValues(Program &program) {
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    bool isPlain = inst->dst().isSsa() && !inst->dst().isHalf() && inst->dst().size == 1 &&
                   !inst->dst().is(registerflag::Special) && !inst->fields.saturate &&
                   !inst->fields.repeat && !inst->address;
    std::optional<Register> value = isPlain ? folded(*inst) : std::nullopt;
    constexpr uint32_t Never = registerflag::Negate | registerflag::Absolute | registerflag::Half |
                               registerflag::Special | registerflag::Undefined;
    if (!value || value->is(Never))
      continue;
    inst->opcode = Opcode::Mov;
    inst->fields = Fields();
    inst->fields.type = inst->fields.sourceType = U32;
    inst->registers = {inst->dst(), *value};
    ++changes;
  }
  return changes;
}

/// Whether \p source is 0 or 1: of a compare, or of bitwise operations on such.
static bool isBoolean(const Register &source, unsigned depth = 0) {
  constexpr unsigned MaxDepth = 6;
  if (source.isImmediate())
    return bitsOf(source).value_or(2) <= 1;
  if (!source.isSsa() || source.isHalf() || depth > MaxDepth ||
      source.is(registerflag::Negate | registerflag::Absolute | registerflag::Special))
    return false;
  const Instruction &inst = *source.def;
  switch (inst.opcode) {
  case Opcode::CmpsU:
  case Opcode::CmpsS:
  case Opcode::CmpsF:
    return true;
  case Opcode::AndB:
  case Opcode::OrB:
  case Opcode::XorB:
    return isBoolean(inst.registers[1], depth + 1) && isBoolean(inst.registers[2], depth + 1);
  default:
    return false;
  }
}

/// c ? a : b of values that are 0 or 1, where b is c or 0, is "and"; where a is c or 1, it is "or".
unsigned foldLogic(Program &program) {
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    if (inst->opcode != Opcode::SelB32 || inst->dst().isHalf() || inst->fields.repeat ||
        inst->address)
      continue;
    Register yes = inst->registers[1], condition = inst->registers[2], no = inst->registers[3];
    if (!isBoolean(condition) || !condition.isSsa())
      continue;
    bool isAnd = isBoolean(yes) && (bitsOf(no) == 0U || isSameValue(no, condition));
    bool isOr = isBoolean(no) && (bitsOf(yes) == 1U || isSameValue(yes, condition));
    if (!isAnd && !isOr)
      continue;
    inst->opcode = isAnd ? Opcode::AndB : Opcode::OrB;
    inst->fields = Fields();
    inst->registers = {inst->dst(), condition, isAnd ? yes : no};
    ++changes;
  }
  return changes;
}

/// A test of a compare itself is left to foldCompares(). Returns how many tests have changed.
unsigned foldConditions(Program &program) {
  unsigned changes = 0;
  if (program.compiler().generation < 500)
    return changes;
  for (Instruction *inst : program.instructions()) {
    bool isTest = inst->dst().is(registerflag::Predicate) && inst->opcode == Opcode::CmpsU &&
                  inst->fields.condition == Ne && isBoolean(inst->registers[1]) &&
                  inst->registers[1].isSsa() && bitsOf(inst->registers[2]) == 0;
    if (!isTest)
      continue;
    const Instruction &bitwise = *inst->registers[1].def;
    bool isBitwise = bitwise.opcode == Opcode::AndB || bitwise.opcode == Opcode::OrB ||
                     bitwise.opcode == Opcode::XorB;
    if (!isBitwise)
      continue; // See foldCompares().
    inst->opcode = bitwise.opcode;
    inst->fields = bitwise.fields;
    for (unsigned i = 1; i <= 2; ++i)
      inst->registers[i] = bitwise.registers[i];
    ++changes;
  }
  return changes;
}

} // namespace assay::ir3
