// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bitcast-round-trip: a use of an integer names the same after a way through another type of as
// many bits: of the other sign; 64 bits as two of 32. Floats stay, whose bits may be chosen by how
// they were computed. Precondition: a replaceable use (Editing.h) of a scalar or vector of integers
// of 32 bits, or a scalar of 64. Effect: value and result are synonyms. Numbers: anchor of the
// user, operand.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

/// True for uses of 32-bit integers, vectors of them, and scalar 64-bit integers.
static bool hasRoundTrip(const Context &context, const Use &use) {
  Id type = context.definitions().typeOf(context.at(use.place)->word(use.operand));
  const Instruction *scalar = scalarOf(context, type);
  if (!scalar || scalar->opcode != spv::Op::OpTypeInt)
    return false;
  return scalar->word(0) == 32 || (scalar->word(0) == 64 && scalar->result == type);
}

/// Of a \p type that has a round trip.
static Id otherType(Context &context, Pool &pool, Id type) {
  const Instruction scalar = *scalarOf(context, type);
  Id word = pool.intType(32, false);
  if (scalar.word(0) == 64)
    return pool.vectorType(word, 2);
  Id other = scalar.word(1) ? word : pool.intType(32, true);
  return scalar.result == type ? other : pool.vectorType(other, pool.definition(type).word(1));
}

std::optional<Step> BitcastRoundTrip::propose(const Context &context, Random &random) {
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return hasRoundTrip(context, each); });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  return step;
}

bool BitcastRoundTrip::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && hasRoundTrip(context, *use);
}

/// Broken: every bit is the other on the way.
void BitcastRoundTrip::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  Id value = context.at(use.place)->word(use.operand), type = context.definitions().typeOf(value);
  Emitter emitter(context);
  Id other = otherType(context, emitter.pool(), type);
  Id there = emitter.emit(spv::Op::OpBitcast, other, {id(value)});
  if (context.isBroken())
    there = emitter.emit(spv::Op::OpNot, other, {id(there)});
  Id back = emitter.emit(spv::Op::OpBitcast, type, {id(there)});
  context.addSynonyms(value, back);
  substitute(context, use, back, emitter);
}

} // namespace assay::fuzz
