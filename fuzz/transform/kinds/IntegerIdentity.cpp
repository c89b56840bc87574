// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// integer-identity: a use of an integer names the same after arithmetic that changes nothing.
// Precondition: a replaceable use (Editing.h) of an integer or a vector of them. Effect: none.
// Numbers: Identity.h.
#include "fuzz/transform/Identity.h"
#include "fuzz/transform/Transformations.h"

namespace assay::fuzz {

/// Steps have the number of a row: new rows go to the end, so that old logs keep their meaning.
static constexpr IdentityRow rows[] = {
    {spv::Op::OpIAdd, Partner::Zero},      {spv::Op::OpIAdd, Partner::Zero, true},
    {spv::Op::OpISub, Partner::Zero},      {spv::Op::OpIMul, Partner::One},
    {spv::Op::OpIMul, Partner::One, true}, {spv::Op::OpSDiv, Partner::One},
    {spv::Op::OpSNegate, Partner::Nobody},
};

std::optional<Step> IntegerIdentity::propose(const Context &context, Random &random) {
  return proposeIdentity(context, random, spv::Op::OpTypeInt, rows);
}

bool IntegerIdentity::isApplicable(const Context &context, const Step &step) {
  return isIdentityApplicable(context, step, spv::Op::OpTypeInt, rows);
}

void IntegerIdentity::apply(Context &context, const Step &step) {
  applyIdentity(context, step, rows);
}

} // namespace assay::fuzz
