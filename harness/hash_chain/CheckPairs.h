// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles a pipeline and mutations of it, and checks the laws of hash chains on them.
#pragma once

#include "fuzz/pair/PairMutations.h"
#include "harness/hash_chain/RecordChains.h"
#include "oracles/hash_chain/HashChainOracle.h"
#include <map>

namespace assay {

/// How pairs are made of a pipeline and what is checked on them.
struct PairOptions {
  uint64_t seed = 0;
  unsigned pairs = 16; ///< Mutations that compile. At most four times as many are tried, or each
                       ///< kind once where there are more kinds.
  std::vector<std::string> mutations; ///< Names from PairMutations.def; empty: all.
  /// Each pipeline is also compiled with a cache that has the entries of the others (HASH-CACHE).
  bool checksCache = false;
};

/// What was seen of one mutation, or of all.
struct PairCounts {
  unsigned pairs = 0;            ///< Of pipelines.
  unsigned shaders = 0;          ///< Pairs of shaders in them: one for each stage.
  unsigned sameCode = 0;         ///< Of these, those with equal code.
  unsigned sameCodeSameHash = 0; ///< Of these, those with equal hashes.

  /// Adds each count.
  void add(const PairCounts &other);
};

/// What the laws say of some pairs, and how precise the hashes are.
struct PairReport {
  std::vector<Finding> findings;            ///< The evidence names the mutation and its number.
  std::map<std::string, PairCounts> counts; ///< By mutation.
  /// Shaders with equal code and different hashes, by the first datum that differs.
  std::map<std::string, unsigned> imprecise;
  /// Shaders with different hashes, by the first datum that differs.
  std::map<std::string, unsigned> differing;

  /// Appends findings, and adds up counts by their keys.
  void add(const PairReport &other);
  /// Over all mutations.
  PairCounts total() const;
};

/// Compiles \p input twice and \p options.pairs mutations of it once. An error when \p input itself
/// does not compile; mutations that do not compile are left out.
llvm::Expected<PairReport> checkPairs(Compiler &compiler, const PairInput &input,
                                      const PairOptions &options);

/// Judges two pipelines of which nothing is known but their difference.
llvm::Expected<PairReport> checkPair(Compiler &compiler, const PairInput &first,
                                     const PairInput &second);

} // namespace assay
