// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what turnip submitted to what a launch needs: follows the command streams of the same
// dispatch with different numbers, and compares.
#pragma once

#include "harness/peer/turnip/Protocol.h"
#include "oracles/turnip/TurnipShader.h"

namespace assay::turnip {

/// Registers have other numbers in a7xx.
enum class Generation : uint8_t { A6xx, A7xx };

/// The shader that \p submissions launch: all but driver, target, resources, statistics and
/// assembly. Unsupported where the commands are none that are known, with the first one; where a
/// dword depends on the dispatch in an unknown way; and where there are no dispatchCount
/// submissions. \p descriptorRoom: bytes that the descriptors of set N take at most.
llvm::Expected<TurnipShader> readSubmissions(llvm::ArrayRef<Submission> submissions,
                                             Generation generation,
                                             llvm::ArrayRef<uint64_t> descriptorRoom);

} // namespace assay::turnip
