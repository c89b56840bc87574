// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the oracle is shown of one compilation.
#pragma once

#include "compiler/api/HashChain.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// The IR after a pass, and the chains of its functions at that point.
struct PassRecord {
  std::string pass; ///< By its name in Passes.def or LLVM's registries; "front-end".
  Hash128 code;     ///< Of the IR without the chains, the pipeline's state and its hashes.
  Hash128 chains;   ///< Of the chains' hashes, in the order of the functions.
};

/// One compilation of one shader without a cache.
struct ChainRecord {
  std::string stage;                 ///< By its name; empty for a compute shader.
  std::vector<FunctionChain> chains; ///< Of the functions of the finished code.
  std::vector<PassRecord> passes;    ///< In the order in which they ran.
  std::vector<uint8_t> code;         ///< The ELF; of a graphics stage that of its part.
  /// By which a cache has the code, without the build; nothing where that is not known.
  std::optional<Hash128> key;
  /// Of graphics stages: the interface before linking, as bytes, and all that the other stages
  /// showed to this one.
  std::string interface, neighbours;
};

/// The shaders of a pipeline, in the order of its stages.
using PipelineRecord = std::vector<ChainRecord>;

} // namespace assay
