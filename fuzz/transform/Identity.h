// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to compute a value from itself (x + 0, x & x, !!x): rows of a table, and what the
// transformations that have such a table share. Numbers of their steps: anchor of the user,
// operand, row.
#pragma once

#include "fuzz/transform/Editing.h"

namespace assay::fuzz {

enum class Partner : uint8_t { Zero, One, AllOnes, Itself, Nobody };

/// An opcode that leaves its first operand (isSecond: its second) as it is next to this partner.
/// Nobody: a unary opcode that does so when applied twice.
struct IdentityRow {
  spv::Op opcode;
  Partner partner;
  bool isSecond = false;
};

/// A use of a value whose components are of type \p scalar, and a row of \p rows.
std::optional<Step> proposeIdentity(const Context &context, Random &random, spv::Op scalar,
                                    llvm::ArrayRef<IdentityRow> rows);
/// Whether use, type and row of \p step are still there.
bool isIdentityApplicable(const Context &context, const Step &step, spv::Op scalar,
                          llvm::ArrayRef<IdentityRow> rows);
/// Broken: the partner is another, or a unary opcode applied once.
void applyIdentity(Context &context, const Step &step, llvm::ArrayRef<IdentityRow> rows);

} // namespace assay::fuzz
