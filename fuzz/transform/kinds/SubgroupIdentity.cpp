// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// subgroup-identity: a use of a value names what an operation over clusters of one invocation makes
// of it, which is the value. Precondition: a replaceable use (Editing.h) of a 32-bit integer, a
// bool, or a vector of them; SPIR-V 1.3. Effect: both are synonyms. Numbers: anchor of the user,
// operand, row.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr spv::Op integers[] = {
    spv::Op::OpGroupNonUniformIAdd,       spv::Op::OpGroupNonUniformIMul,
    spv::Op::OpGroupNonUniformSMin,       spv::Op::OpGroupNonUniformUMin,
    spv::Op::OpGroupNonUniformSMax,       spv::Op::OpGroupNonUniformUMax,
    spv::Op::OpGroupNonUniformBitwiseAnd, spv::Op::OpGroupNonUniformBitwiseOr,
    spv::Op::OpGroupNonUniformBitwiseXor};
static constexpr spv::Op bools[] = {spv::Op::OpGroupNonUniformLogicalAnd,
                                    spv::Op::OpGroupNonUniformLogicalOr,
                                    spv::Op::OpGroupNonUniformLogicalXor};

/// Operations that take the value at \p use; none for other types.
static ArrayRef<spv::Op> opcodesFor(const Context &context, const Use &use) {
  Id value = context.at(use.place)->word(use.operand);
  const Instruction *scalar = scalarOf(context, context.definitions().typeOf(value));
  if (scalar && scalar->opcode == spv::Op::OpTypeBool)
    return bools;
  if (scalar && scalar->opcode == spv::Op::OpTypeInt && scalar->word(0) == 32)
    return integers;
  return {};
}

/// Subgroup operations are part of SPIR-V 1.3 and later.
static bool hasSubgroups(const Program &program) {
  return program.version >= 0x00010300;
}

/// None for SPIR-V below 1.3. Operations are equally likely.
std::optional<Step> SubgroupIdentity::propose(const Context &context, Random &random) {
  if (!hasSubgroups(context.program()))
    return std::nullopt;
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return !opcodesFor(context, each).empty(); });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  step.numbers.push_back(random.below(opcodesFor(context, *use).size()));
  return step;
}

bool SubgroupIdentity::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && hasSubgroups(context.program()) &&
         step.number(3) < opcodesFor(context, *use).size();
}

/// Broken: clusters are of two.
void SubgroupIdentity::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  Id value = context.at(use.place)->word(use.operand);
  spv::Op opcode = opcodesFor(context, use)[step.number(3)];
  Emitter emitter(context);
  Pool &pool = emitter.pool();
  for (spv::Capability needed :
       {spv::Capability::GroupNonUniform, spv::Capability::GroupNonUniformArithmetic,
        spv::Capability::GroupNonUniformClustered})
    pool.require(needed);
  Id same = emitter.emit(opcode, context.definitions().typeOf(value),
                         {id(pool.number(uint32_t(spv::Scope::Subgroup))),
                          literal(uint32_t(spv::GroupOperation::ClusteredReduce)), id(value),
                          id(pool.number(context.isBroken() ? 2 : 1))});
  context.addSynonyms(value, same);
  substitute(context, use, same, emitter);
}

} // namespace assay::fuzz
