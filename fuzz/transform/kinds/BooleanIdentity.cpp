// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// boolean-identity: a use of a bool names the same after logic that changes nothing.
// Precondition: a replaceable use (Editing.h) of a bool or a vector of them. Effect: none.
// Numbers: Identity.h.
#include "fuzz/transform/Identity.h"
#include "fuzz/transform/Transformations.h"

namespace assay::fuzz {

/// Steps have the number of a row: new rows go to the end, so that old logs keep their meaning.
static constexpr IdentityRow rows[] = {
    {spv::Op::OpLogicalAnd, Partner::AllOnes},   {spv::Op::OpLogicalAnd, Partner::Itself},
    {spv::Op::OpLogicalOr, Partner::Zero, true}, {spv::Op::OpLogicalOr, Partner::Itself},
    {spv::Op::OpLogicalEqual, Partner::AllOnes}, {spv::Op::OpLogicalNotEqual, Partner::Zero},
    {spv::Op::OpLogicalNot, Partner::Nobody},
};

std::optional<Step> BooleanIdentity::propose(const Context &context, Random &random) {
  return proposeIdentity(context, random, spv::Op::OpTypeBool, rows);
}

bool BooleanIdentity::isApplicable(const Context &context, const Step &step) {
  return isIdentityApplicable(context, step, spv::Op::OpTypeBool, rows);
}

void BooleanIdentity::apply(Context &context, const Step &step) {
  applyIdentity(context, step, rows);
}

} // namespace assay::fuzz
