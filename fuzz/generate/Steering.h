// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that make up for what an earlier campaign lacked. They are a function of the profile, of
// that campaign's published coverage, and of the campaign's seed and the case's number: of nothing
// that a shard does, or all shards would differ.
#pragma once

#include "fuzz/generate/Generator.h"
#include "support/Random.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::fuzz {

/// In how many cases each construct took part, each feature was seen, and both together. Features
/// are whatever the caller can name: featuresOf, opcodes of the machine.
class CoverageTable {
public:
  /// Adds one case.
  void add(const std::set<std::string> &constructs, const std::set<std::string> &features);
  /// The table of both collections together; the order does not matter.
  void merge(const CoverageTable &other);

  uint64_t cases() const { return m_cases; }
  /// Returns 0 for a construct that no case has.
  uint64_t casesWithConstruct(llvm::StringRef name) const;
  struct Feature {
    uint64_t cases = 0;
    std::map<std::string, uint64_t> constructs; ///< Of these cases, how many have each.
  };
  const std::map<std::string, Feature> &features() const { return m_features; }

  /// JSON, schema assay.coverage/1; equal tables print alike.
  std::string print() const;
  /// InvalidInput.
  static llvm::Expected<CoverageTable> parse(llvm::StringRef text);

private:
  uint64_t m_cases = 0;
  std::map<std::string, uint64_t> m_constructs;
  std::map<std::string, Feature> m_features;
};

/// What an earlier campaign's coverage asks of a later one's cases.
class Steering {
public:
  explicit Steering(const CoverageTable &table);

  /// \p profile for case \p number of the campaign with \p seed: every other case is left as it
  /// is; the others chase a few constructs or features that are rare in the table, by way of the
  /// constructs that come with them. What has weight 0 stays barred.
  Profile apply(Profile profile, uint64_t seed, uint64_t number) const;

private:
  /// Something, and the constructs that may make it.
  struct Goal {
    uint64_t likelihood = 0; ///< The rarer the greater.
    llvm::SmallVector<llvm::StringRef, 3> constructs;
  };
  const Goal &draw(Random &random) const;

  std::vector<Goal> m_goals;
  std::vector<uint64_t> m_sums; ///< Of likelihoods, up to and with each goal.
};

} // namespace assay::fuzz
