// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute shaders, as SPIR-V assembly, that execute a list of subgroup operations under divergent
// control flow.
#pragma once

#include "harness/system/subgroups/Operations.h"

namespace assay::subgroups {

/// How invocations come to the operations. Each has a selector, a number from a buffer.
enum class Shape : uint8_t {
  Straight,   ///< All.
  If,         ///< Those with an odd selector.
  IfElse,     ///< Odd and even ones separately, by the same operations in either arm.
  Loop,       ///< In turn i those with a selector > i: selector & 3 turns.
  Continue,   ///< In turn i those whose selector has bit i clear; the others continue.
  BreakBlock, ///< In turn i those with min(selector & 3, maxTurns - 1) == i, in the block that
              ///< leaves the loop.
  ReturnBlock ///< The same, but it returns.
};
inline constexpr Shape allShapes[] = {Shape::Straight,   Shape::If,       Shape::IfElse,
                                      Shape::Loop,       Shape::Continue, Shape::BreakBlock,
                                      Shape::ReturnBlock};
/// "if-else".
const char *shapeName(Shape shape);

/// Iterations of the loop shapes; the others have one.
inline constexpr unsigned maxTurns = 3;
inline constexpr unsigned invocationsPerGroup = 80; ///< The last subgroup is not full.
inline constexpr unsigned inputDwords = 4; ///< Of an operation: value, value, parameter, 0.
inline constexpr unsigned outputDwords = 4;

/// The lanes that execute the operations together in turn \p turn, of those with these selectors.
uint64_t activeLanes(Shape shape, llvm::ArrayRef<uint32_t> selectors, unsigned turn, unsigned lane);

/// Buffers of set 0: binding 0 holds a selector for each invocation; binding 1 inputDwords for each
/// (invocation, operation); binding 2 outputDwords for each (invocation, operation, turn).
std::string makeShader(Shape shape, llvm::ArrayRef<Operation> operations);

} // namespace assay::subgroups
