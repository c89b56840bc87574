// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is after "# ASSAY:" in a comment of a script: things a case can say and neither script
// language can. Other readers of the language step over them.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ScriptLines.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace assay::input {

/// Finds the buffer that the line names next.
using BufferFinder = llvm::function_ref<llvm::Expected<unsigned>(LineCursor &)>;

/// Applies \p directives to \p target, whose buffers exist already:
///   SUBGROUP_SIZES n...                          Case::subgroupSizes
///   ADDRESS_OF target IN buffer OFFSET n [PLUS m]  Case::addresses
///   STATE pipeline key value...                  its GraphicsState, by keys of GraphicsState.h
/// InvalidInput, with the line, for anything else.
llvm::Error applyDirectives(llvm::MutableArrayRef<LineCursor> directives, Case &target,
                            BufferFinder findBuffer);

} // namespace assay::input
