// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls mean in a dispatch: intrinsics that ask where a wave is, and the ops of the compiler's
// dialect ("lgc.*"). Their meaning is written here a second time, from compiler/dialect/Lgc.td and
// the contracts of compiler/lgc/Builder.h alone.
#pragma once

#include "oracles/ir/Program.h"

namespace assay::irm {

struct OpRow {
  llvm::StringLiteral name; ///< Without "lgc." and what stands behind it for types.
  ir::Handler run;
};

/// One table a family, each beside its handlers.
llvm::ArrayRef<OpRow> resourceOps();
llvm::ArrayRef<OpRow> arithmeticOps();
llvm::ArrayRef<OpRow> subgroupOps();

/// Null for what means here what it means everywhere.
ir::Handler findCallHandler(const llvm::Function &callee);

} // namespace assay::irm
