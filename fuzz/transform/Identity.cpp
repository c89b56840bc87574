// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Identity.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// True if the used value is a scalar or vector of such a scalar type.
static bool isOf(const Context &context, const Use &use, spv::Op scalar) {
  Id value = context.at(use.place)->word(use.operand);
  const Instruction *found = scalarOf(context, context.definitions().typeOf(value));
  return found && found->opcode == scalar;
}

/// Rows are equally likely.
std::optional<Step> proposeIdentity(const Context &context, Random &random, spv::Op scalar,
                                    ArrayRef<IdentityRow> rows) {
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return isOf(context, each, scalar); });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  step.numbers.push_back(random.below(rows.size()));
  return step;
}

bool isIdentityApplicable(const Context &context, const Step &step, spv::Op scalar,
                          ArrayRef<IdentityRow> rows) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && isOf(context, *use, scalar) && step.number(3) < rows.size();
}

/// Of a bool all ones are true.
static uint64_t bitsOf(Partner partner, const Instruction &scalar) {
  if (partner == Partner::AllOnes)
    return scalar.opcode == spv::Op::OpTypeBool ? 1 : maskTrailingOnes<uint64_t>(scalar.word(0));
  return partner == Partner::One;
}

/// Returns a partner with which the operation changes its operand; for tests of the detection.
static Partner brokenPartner(Partner partner) {
  return partner == Partner::One || partner == Partner::AllOnes ? Partner::Zero : Partner::One;
}

/// The value and the result become synonyms.
void applyIdentity(Context &context, const Step &step, ArrayRef<IdentityRow> rows) {
  Use use = *useIn(context, step, 0);
  const IdentityRow &row = rows[step.number(3)];
  Id value = context.at(use.place)->word(use.operand);
  Id type = context.definitions().typeOf(value);
  const Instruction scalar = *scalarOf(context, type);
  Emitter emitter(context);
  Id to = value;
  if (row.partner == Partner::Nobody) {
    for (unsigned times = context.isBroken() ? 1 : 2; times; --times)
      to = emitter.emit(row.opcode, type, {id(to)});
  } else {
    Partner partner = context.isBroken() ? brokenPartner(row.partner) : row.partner;
    Id other = partner == Partner::Itself
                   ? value
                   : constantSplat(emitter.pool(), type, bitsOf(partner, scalar));
    to = emitter.emit(row.opcode, type,
                      {id(row.isSecond ? other : value), id(row.isSecond ? value : other)});
  }
  context.addSynonyms(value, to);
  substitute(context, use, to, emitter);
}

} // namespace assay::fuzz
