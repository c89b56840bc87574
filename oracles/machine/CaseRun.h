// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of running a case that all machines share: device addresses in buffers, the order of its
// commands, and the checkpoints.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace assay {

/// Runs one dispatch on \p buffers, in place. Returns false when the run ended there, having set
/// \p outcome.kind and \p outcome.reason.
using DispatchFunction = llvm::function_ref<llvm::Expected<bool>(
    const Dispatch &dispatch, std::vector<BufferState> &buffers, Outcome &outcome)>;

/// The device address of a buffer (an index into Case::buffers): the same for the whole run.
using AddressFunction = llvm::function_ref<uint64_t(unsigned buffer)>;

/// The same for draws and clears, of machines that have them.
struct DrawFunctions {
  llvm::function_ref<llvm::Expected<bool>(const Draw &draw, std::vector<BufferState> &buffers,
                                          Outcome &outcome)>
      draw;
  llvm::function_ref<llvm::Expected<bool>(const Clear &clear, std::vector<BufferState> &buffers,
                                          Outcome &outcome)>
      clear;
};

/// Walks the commands of \p input. Without \p draws a case with draws or clears is Unsupported,
/// with the line of the first, and nothing runs. Dispatches run by \p dispatch, copies here,
/// checkpoints recorded. What Case::addresses asks for is written before the first command, and
/// reads as 0 at every checkpoint; without \p addressOf a case that has any is Unsupported.
/// InvalidInput for an address that does not fit into its buffer.
llvm::Expected<Outcome> runCommands(const Case &input, DispatchFunction dispatch,
                                    AddressFunction addressOf = nullptr,
                                    std::optional<DrawFunctions> draws = std::nullopt);

} // namespace assay
