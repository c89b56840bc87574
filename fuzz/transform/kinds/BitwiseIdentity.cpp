// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bitwise-identity: a use of an integer names the same after bit operations that change nothing.
// Precondition: a replaceable use (Editing.h) of an integer or a vector of them. Effect: none.
// Numbers: Identity.h.
#include "fuzz/transform/Identity.h"
#include "fuzz/transform/Transformations.h"

namespace assay::fuzz {

/// Steps have the number of a row: new rows go to the end, so that old logs keep their meaning.
static constexpr IdentityRow rows[] = {
    {spv::Op::OpBitwiseAnd, Partner::AllOnes},
    {spv::Op::OpBitwiseAnd, Partner::Itself},
    {spv::Op::OpBitwiseOr, Partner::Zero, true},
    {spv::Op::OpBitwiseOr, Partner::Itself},
    {spv::Op::OpBitwiseXor, Partner::Zero},
    {spv::Op::OpShiftLeftLogical, Partner::Zero},
    {spv::Op::OpShiftRightLogical, Partner::Zero},
    {spv::Op::OpShiftRightArithmetic, Partner::Zero},
    {spv::Op::OpNot, Partner::Nobody},
};

std::optional<Step> BitwiseIdentity::propose(const Context &context, Random &random) {
  return proposeIdentity(context, random, spv::Op::OpTypeInt, rows);
}

bool BitwiseIdentity::isApplicable(const Context &context, const Step &step) {
  return isIdentityApplicable(context, step, spv::Op::OpTypeInt, rows);
}

void BitwiseIdentity::apply(Context &context, const Step &step) {
  applyIdentity(context, step, rows);
}

} // namespace assay::fuzz
