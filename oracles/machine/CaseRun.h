// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of running a case that all machines share: the order of its commands and the
// checkpoints.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Runs one dispatch on \p buffers, in place. Returns false when the run ended there, having set
/// \p outcome.kind and \p outcome.reason.
using DispatchFunction = llvm::function_ref<llvm::Expected<bool>(
    const Dispatch &dispatch, std::vector<BufferState> &buffers, Outcome &outcome)>;

/// Walks the commands of \p input: dispatches by \p dispatch, copies here, checkpoints recorded.
llvm::Expected<Outcome> runCommands(const Case &input, DispatchFunction dispatch);

} // namespace assay
