// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What has influenced the code of a shader, in the order in which it was read, and the hash of it.
#pragma once

#include "support/Hash.h"
#include <string>
#include <vector>

namespace assay {

/// One datum that influenced the code of a function.
struct HashStep {
  std::string reader; ///< A pass by its name in Passes.def, "front-end" or "driver". Not hashed.
  std::string datum;  ///< What was read: "wave-size", "descriptor 0 3".
  std::string bytes;  ///< Its value: numbers in 64 bits, little endian; texts with their length.

  bool operator==(const HashStep &) const = default;
};

/// A chain from its first step to its last. The hash of a step is H(h | datum | bytes), where h is
/// the hash of the preceding step (all zeros for the first).
struct HashChain {
  Hash128 hash = {}; ///< Of the last step.
  std::vector<HashStep> steps;
};

/// The chain of a function of the finished code.
struct FunctionChain {
  std::string function; ///< Its symbol.
  HashChain chain;
};

} // namespace assay
