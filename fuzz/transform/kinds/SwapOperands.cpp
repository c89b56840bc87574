// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// swap-operands: the two operands of an instruction change places, and a comparison becomes its
// mirror image. Precondition: an opcode of the table. Effect: none. Numbers: the instruction's
// result.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// What an opcode becomes when its operands are swapped, and the other way round.
struct MirrorRow {
  spv::Op opcode, mirrored;
};
} // namespace

static constexpr MirrorRow mirrorRows[] = {
    {spv::Op::OpIAdd, spv::Op::OpIAdd},
    {spv::Op::OpIMul, spv::Op::OpIMul},
    {spv::Op::OpIAddCarry, spv::Op::OpIAddCarry},
    {spv::Op::OpUMulExtended, spv::Op::OpUMulExtended},
    {spv::Op::OpSMulExtended, spv::Op::OpSMulExtended},
    {spv::Op::OpFAdd, spv::Op::OpFAdd},
    {spv::Op::OpFMul, spv::Op::OpFMul},
    {spv::Op::OpBitwiseAnd, spv::Op::OpBitwiseAnd},
    {spv::Op::OpBitwiseOr, spv::Op::OpBitwiseOr},
    {spv::Op::OpBitwiseXor, spv::Op::OpBitwiseXor},
    {spv::Op::OpLogicalAnd, spv::Op::OpLogicalAnd},
    {spv::Op::OpLogicalOr, spv::Op::OpLogicalOr},
    {spv::Op::OpLogicalEqual, spv::Op::OpLogicalEqual},
    {spv::Op::OpLogicalNotEqual, spv::Op::OpLogicalNotEqual},
    {spv::Op::OpIEqual, spv::Op::OpIEqual},
    {spv::Op::OpINotEqual, spv::Op::OpINotEqual},
    {spv::Op::OpULessThan, spv::Op::OpUGreaterThan},
    {spv::Op::OpULessThanEqual, spv::Op::OpUGreaterThanEqual},
    {spv::Op::OpSLessThan, spv::Op::OpSGreaterThan},
    {spv::Op::OpSLessThanEqual, spv::Op::OpSGreaterThanEqual},
    {spv::Op::OpFOrdEqual, spv::Op::OpFOrdEqual},
    {spv::Op::OpFUnordEqual, spv::Op::OpFUnordEqual},
    {spv::Op::OpFOrdNotEqual, spv::Op::OpFOrdNotEqual},
    {spv::Op::OpFUnordNotEqual, spv::Op::OpFUnordNotEqual},
    {spv::Op::OpFOrdLessThan, spv::Op::OpFOrdGreaterThan},
    {spv::Op::OpFOrdLessThanEqual, spv::Op::OpFOrdGreaterThanEqual},
    {spv::Op::OpFUnordLessThan, spv::Op::OpFUnordGreaterThan},
    {spv::Op::OpFUnordLessThanEqual, spv::Op::OpFUnordGreaterThanEqual},
};

/// Returns the opcode for exchanged operands; the same one for commutative operations.
static std::optional<spv::Op> findMirrored(spv::Op opcode) {
  for (const MirrorRow &row : mirrorRows)
    if (row.opcode == opcode || row.mirrored == opcode)
      return row.opcode == opcode ? row.mirrored : row.opcode;
  return std::nullopt;
}

std::optional<Step> SwapOperands::propose(const Context &context, Random &random) {
  std::optional<Place> place = pickInstruction(context, random, [](Place, const Instruction &each) {
    return findMirrored(each.opcode).has_value();
  });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result};
  return step;
}

bool SwapOperands::isApplicable(const Context &context, const Step &step) {
  const Place *place = context.definitions().place(step.id(0));
  return place && findMirrored(context.at(*place)->opcode);
}

/// Broken: both operands are the first.
void SwapOperands::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Instruction &changed =
      context.edit().program.functions[place.function].blocks[place.block].body[place.index];
  changed.opcode = *findMirrored(changed.opcode);
  std::swap(changed.operands[0], changed.operands[1]);
  if (context.isBroken())
    changed.operands[0] = changed.operands[1];
}

} // namespace assay::fuzz
