// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The laws of hash chains, checked on compilations. docs/hash-chains.md explains them. The oracle
// recomputes hashes itself and shares no code with the compiler's HashChain.
#pragma once

#include "oracles/api/Verdict.h"
#include "oracles/hash_chain/ChainRecord.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay {

enum class ChainRule : uint8_t {
#define CHAIN_RULE(ENUMERATOR, ID, TITLE, TEXT) ENUMERATOR,
#include "oracles/hash_chain/Rules.def"
};

struct ChainRuleInfo {
  llvm::StringRef id;
  llvm::StringRef title;
  llvm::StringRef text;
};

/// All rules, in the order of ChainRule.
llvm::ArrayRef<ChainRuleInfo> listChainRules();

/// HASH-LOST and HASH-HISTORY.
std::vector<Finding> checkHistory(const ChainRecord &record);

/// HASH-REPEAT: \p again is of the same pipeline and options as \p first.
std::vector<Finding> checkRepeat(const ChainRecord &first, const ChainRecord &again);

/// HASH-CACHE: \p cached is what a compilation of \p record with a cache returned, bit for bit the
/// same as without one.
std::vector<Finding> checkCached(const ChainRecord &record, llvm::ArrayRef<uint8_t> cached);

/// What is known of the change between two pipelines.
enum class PairChange : uint8_t {
  Neutral, ///< The code can't depend on it: the chains must be equal.
  Any,
};

/// Judges the same shader of two pipelines that differ by one change.
struct PairJudgement {
  std::vector<Finding> findings; ///< HASH-SOUND, -STEP, -CACHE, -PRECISE, -SILENT.
  bool isSameHash = false;
  bool isSameCode = false;    ///< Apart from the hashes of pipeline and shader in ELFs.
  std::string differingDatum; ///< The first datum that differs; empty when the hashes are equal.
};
PairJudgement judgePair(const ChainRecord &first, const ChainRecord &second, PairChange change);

/// \p elf without the values of `.internal_pipeline_hash` and `.api_shader_hash`: everything that a
/// cache may return for another pipeline. Bytes that are no PAL ELF are returned as they are.
std::vector<uint8_t> maskHashes(llvm::ArrayRef<uint8_t> elf);

} // namespace assay
