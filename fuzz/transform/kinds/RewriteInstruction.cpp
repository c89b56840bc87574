// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rewrite-instruction: an instruction computes the same by others: x - y = x + -y, De Morgan,
// x ^ y = ~x ^ ~y, a comparison as the opposite of its opposite.
// Precondition: an opcode of the table, not promised to be without overflow. Effect: none. Numbers:
// the instruction's result.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// opcode(x, y) = last(both(onFirst(x), onSecond(y))), OpNop for what is not there: without both
/// last has two operands. All are of the type of the result.
struct RewriteRow {
  spv::Op opcode;
  spv::Op last;
  spv::Op both = spv::Op::OpNop;
  spv::Op onFirst = spv::Op::OpNop, onSecond = spv::Op::OpNop;
};
} // namespace

/// The opposite of an ordered comparison is unordered and vice versa, so that NaN gives the same
/// result.
static constexpr RewriteRow rewriteRows[] = {
    {spv::Op::OpISub, spv::Op::OpIAdd, spv::Op::OpNop, spv::Op::OpNop, spv::Op::OpSNegate},
    {spv::Op::OpIAdd, spv::Op::OpISub, spv::Op::OpNop, spv::Op::OpNop, spv::Op::OpSNegate},
    {spv::Op::OpIMul, spv::Op::OpIMul, spv::Op::OpNop, spv::Op::OpSNegate, spv::Op::OpSNegate},
    {spv::Op::OpBitwiseXor, spv::Op::OpBitwiseXor, spv::Op::OpNop, spv::Op::OpNot, spv::Op::OpNot},
    {spv::Op::OpBitwiseAnd, spv::Op::OpNot, spv::Op::OpBitwiseOr, spv::Op::OpNot, spv::Op::OpNot},
    {spv::Op::OpBitwiseOr, spv::Op::OpNot, spv::Op::OpBitwiseAnd, spv::Op::OpNot, spv::Op::OpNot},
    {spv::Op::OpLogicalAnd, spv::Op::OpLogicalNot, spv::Op::OpLogicalOr, spv::Op::OpLogicalNot,
     spv::Op::OpLogicalNot},
    {spv::Op::OpLogicalOr, spv::Op::OpLogicalNot, spv::Op::OpLogicalAnd, spv::Op::OpLogicalNot,
     spv::Op::OpLogicalNot},
    {spv::Op::OpLogicalEqual, spv::Op::OpLogicalNotEqual, spv::Op::OpNop, spv::Op::OpNop,
     spv::Op::OpLogicalNot},
    {spv::Op::OpLogicalNotEqual, spv::Op::OpLogicalNot, spv::Op::OpLogicalEqual},
    {spv::Op::OpIEqual, spv::Op::OpLogicalNot, spv::Op::OpINotEqual},
    {spv::Op::OpINotEqual, spv::Op::OpLogicalNot, spv::Op::OpIEqual},
    {spv::Op::OpULessThan, spv::Op::OpLogicalNot, spv::Op::OpUGreaterThanEqual},
    {spv::Op::OpUGreaterThanEqual, spv::Op::OpLogicalNot, spv::Op::OpULessThan},
    {spv::Op::OpUGreaterThan, spv::Op::OpLogicalNot, spv::Op::OpULessThanEqual},
    {spv::Op::OpULessThanEqual, spv::Op::OpLogicalNot, spv::Op::OpUGreaterThan},
    {spv::Op::OpSLessThan, spv::Op::OpLogicalNot, spv::Op::OpSGreaterThanEqual},
    {spv::Op::OpSGreaterThanEqual, spv::Op::OpLogicalNot, spv::Op::OpSLessThan},
    {spv::Op::OpSGreaterThan, spv::Op::OpLogicalNot, spv::Op::OpSLessThanEqual},
    {spv::Op::OpSLessThanEqual, spv::Op::OpLogicalNot, spv::Op::OpSGreaterThan},
    {spv::Op::OpFOrdLessThan, spv::Op::OpLogicalNot, spv::Op::OpFUnordGreaterThanEqual},
    {spv::Op::OpFOrdGreaterThanEqual, spv::Op::OpLogicalNot, spv::Op::OpFUnordLessThan},
    {spv::Op::OpFOrdGreaterThan, spv::Op::OpLogicalNot, spv::Op::OpFUnordLessThanEqual},
    {spv::Op::OpFOrdLessThanEqual, spv::Op::OpLogicalNot, spv::Op::OpFUnordGreaterThan},
    {spv::Op::OpFOrdEqual, spv::Op::OpLogicalNot, spv::Op::OpFUnordNotEqual},
    {spv::Op::OpFUnordNotEqual, spv::Op::OpLogicalNot, spv::Op::OpFOrdEqual},
};

/// Returns the row of the opcode, or null.
static const RewriteRow *findRow(spv::Op opcode) {
  const RewriteRow *found =
      find_if(rewriteRows, [&](const RewriteRow &row) { return row.opcode == opcode; });
  return found == std::end(rewriteRows) ? nullptr : found;
}

/// True if a decoration promises that the result does not wrap. The rewritten form could wrap in
/// between.
static bool isWithoutOverflow(const Context &context, Id result) {
  return any_of(context.program().decorations, [&](const Instruction &each) {
    return each.opcode == spv::Op::OpDecorate && each.word(0) == result &&
           (each.word(1) == uint32_t(spv::Decoration::NoSignedWrap) ||
            each.word(1) == uint32_t(spv::Decoration::NoUnsignedWrap));
  });
}

/// True for opcodes of the table without such a promise.
static bool mayBeRewritten(const Context &context, const Instruction &each) {
  return findRow(each.opcode) && !isWithoutOverflow(context, each.result);
}

std::optional<Step> RewriteInstruction::propose(const Context &context, Random &random) {
  std::optional<Place> place =
      pickInstruction(context, random, [&](Place, const Instruction &each) {
        return mayBeRewritten(context, each);
      });
  if (!place)
    return std::nullopt;
  Step step;
  step.numbers = {context.at(*place)->result};
  return step;
}

bool RewriteInstruction::isApplicable(const Context &context, const Step &step) {
  const Place *place = context.definitions().place(step.id(0));
  return place && mayBeRewritten(context, *context.at(*place));
}

/// Broken: nothing is done to the second operand, nor to both.
void RewriteInstruction::apply(Context &context, const Step &step) {
  Place place = *context.definitions().place(step.id(0));
  Block &block = context.edit().program.functions[place.function].blocks[place.block];
  Instruction &changed = block.body[place.index];
  const RewriteRow &row = *findRow(changed.opcode);
  Emitter emitter(context);
  auto prepare = [&](spv::Op opcode, Operand operand) {
    return opcode == spv::Op::OpNop ? operand : id(emitter.emit(opcode, changed.type, {operand}));
  };
  Operand first = prepare(row.onFirst, changed.operands[0]);
  Operand second =
      context.isBroken() ? changed.operands[1] : prepare(row.onSecond, changed.operands[1]);
  changed.opcode = row.last;
  changed.operands = {first, second};
  if (row.both != spv::Op::OpNop) {
    changed.operands = {id(emitter.emit(row.both, changed.type, {first, second}))};
    if (context.isBroken())
      changed.opcode = spv::Op::OpCopyObject;
  }
  emitter.insertInto(block, place.index);
}

} // namespace assay::fuzz
