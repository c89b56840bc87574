// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Negations, absolute values and conversions that an operand or a result can do itself.
#include "compiler/ir3/ir/Legality.h"
#include "compiler/ir3/passes/Optimize.h"

using namespace llvm;

namespace assay::ir3 {

static constexpr uint32_t Modifiers = registerflag::Negate | registerflag::Absolute;

/// Whether \p inst computes a new float from each that it reads: it flushes denormals and makes one
/// NaN of all, as absneg.f does. sel.f copies bits.
static bool isArithmetic(const Instruction &inst) {
  return inst.info().has(property::Float) && inst.opcode != Opcode::SelF16 &&
         inst.opcode != Opcode::SelF32;
}

/// The flags of a source whose modifiers \p outer apply to a value that \p inner has been applied
/// to. The negation of an operand is outside of its absolute value.
static uint32_t composed(uint32_t outer, uint32_t inner) {
  if (outer & registerflag::Absolute)
    return outer;
  return (inner & registerflag::Absolute) | ((outer ^ inner) & registerflag::Negate);
}

/// What a source that reads \p absneg can read in its place. Relative constants stay with their
/// address, and what a wave shares in its block.
static std::optional<Register> withoutAbsneg(const Instruction &user, const Register &source,
                                             const Instruction &absneg) {
  bool isFloat = absneg.opcode == Opcode::AbsnegF && isArithmetic(user);
  bool isInteger = absneg.opcode == Opcode::AbsnegS && user.info().has(property::IntegerNegate);
  if (!isFloat && !isInteger)
    return std::nullopt;
  const Register &from = absneg.registers[1];
  bool isPlain = !absneg.fields.saturate && !absneg.fields.repeat && !absneg.address &&
                 !from.isRelative() && !from.isImmediate() &&
                 !from.is(registerflag::Special | registerflag::Array | registerflag::Undefined);
  bool keepsWidth =
      absneg.dst().isHalf() == from.isHalf() && !absneg.dst().is(registerflag::Special);
  if (!isPlain || !keepsWidth)
    return std::nullopt;
  Register result = from;
  result.flags =
      (from.flags & ~Modifiers) | composed(source.flags & Modifiers, from.flags & Modifiers);
  return result;
}

/// A chain is followed by one step for each use, and by the rest in the next round.
unsigned foldNegations(Program &program) {
  unsigned changes = 0;
  for (Instruction *inst : program.instructions()) {
    for (auto [index, source] : inst->numberedSources()) {
      if (!source.isSsa())
        continue;
      std::optional<Register> replacement = withoutAbsneg(*inst, source, *source.def);
      if (!replacement || !isLegalSource(*inst, unsigned(index), *replacement))
        continue;
      source = *replacement;
      ++changes;
    }
  }
  return changes;
}

/// Whether \p move takes the lower 16 bits of a value.
static bool isNarrowing(const Instruction &move) {
  const Fields &fields = move.fields;
  bool isInteger = (fields.sourceType == U32 || fields.sourceType == S32) &&
                   (fields.type == U16 || fields.type == S16);
  return move.opcode == Opcode::Mov && isInteger && move.dst().isSsa() && move.dst().size == 1 &&
         !fields.saturate && !fields.repeat && !move.address && move.registers[1].isSsa() &&
         !move.registers[1].is(registerflag::Special | Modifiers);
}

/// Whether \p inst can write the lower half of its result alone: arithmetic of integers can, and
/// compares can.
static bool canNarrow(const Instruction &inst) {
  const OpcodeInfo &info = inst.info();
  bool isInteger = !info.has(property::Float) || info.has(property::Compare);
  return (info.category == 2 || info.category == 3) && isInteger && inst.dst().isSsa() &&
         !inst.dst().isHalf() && inst.dst().size == 1 && !inst.dst().is(registerflag::Special) &&
         !info.has(property::NoNopCount) && !inst.fields.saturate && !inst.fields.repeat;
}

/// Floats are left: how arithmetic rounds to a half result is nowhere said, and Mesa does not fold
/// conversions that round to the nearest (Mesa 25.0, ir3_cf.c).
unsigned foldConversions(Program &program) {
  unsigned changes = 0;
  std::vector<uint32_t> uses = program.countUses();
  for (Instruction *inst : program.instructions()) {
    if (!isNarrowing(*inst))
      continue;
    Instruction &producer = *inst->registers[1].def;
    if (uses[producer.name] != 1 || !canNarrow(producer))
      continue;
    producer.dst().flags |= registerflag::Half;
    inst->registers[1].flags |= registerflag::Half;
    inst->fields.type = inst->fields.sourceType = U16;
    ++changes;
  }
  return changes;
}

} // namespace assay::ir3
