// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases that mean the same as others but look different: chains of small transformations, each a
// step that can be written down, replayed and left out.
#pragma once

#include "fuzz/generate/Generator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay::fuzz {

constexpr Id maxId = 0x3ffffe;

/// One application of one transformation, by ids and numbers alone. What a number means is the
/// transformation's; one that a step lacks reads as 0.
struct Step {
  std::string name; ///< Of the transformation (Transformations.def).
  Id fresh = 0;     ///< New ids are this and those above it, which the program must not use yet.
  std::vector<uint64_t> numbers;
  std::string text; ///< Where numbers do not do.

  uint64_t number(size_t index) const { return index < numbers.size() ? numbers[index] : 0; }
  /// 0, which is no id, for a number beyond what an id may be (SPIR-V, "Universal Limits").
  Id id(size_t index) const { return number(index) <= maxId ? static_cast<Id>(number(index)) : 0; }
  bool operator==(const Step &) const = default;
};

/// What was done to a case. Replays on that case, with any of its steps left out.
struct TransformationLog {
  uint64_t seed = 0;    ///< That the steps were chosen by.
  std::string original; ///< The case, as a person would find it: "seed 7, profile flow".
  std::vector<Step> steps;

  bool operator==(const TransformationLog &) const = default;
};

/// A case, and what is to be done to it.
struct LoggedCase {
  GeneratedCase original;
  TransformationLog log;
};

/// The names of the transformations in \p log, each once, ascending; without enabling ones
/// (Transformations.def), which say nothing of a bug. InvalidInput for an unknown name.
llvm::Expected<std::vector<std::string>> changingNames(const TransformationLog &log);

/// JSON lines: the header, then a line a step.
std::string printLog(const TransformationLog &log);
/// InvalidInput with the number of the line that is wrong.
llvm::Expected<TransformationLog> parseLog(llvm::StringRef text);

struct TransformedCase {
  GeneratedCase result;
  TransformationLog log; ///< Of the steps that were applied.
};

struct TransformOptions {
  uint64_t seed = 0;
  unsigned steps = 30; ///< That are applied, at most.
  /// Names of transformations to take from; empty: a mix that the seed chooses.
  std::vector<std::string> only = {};
  /// Programs that functions may be taken from, besides generated ones.
  std::vector<Program> donors = {};
  /// Tests only: the transformation of this name gets its essential thing wrong.
  std::string broken = {};
};

/// Bindings of set 0 from this one on are those of new buffers.
constexpr uint32_t firstHiddenBinding = 64;

/// \p original changed by up to \p steps steps, chosen by \p seed: valid, without undefined
/// behaviour, and with the same contents of all buffers of the original, which stay the first ones.
/// The same arguments give the same result everywhere. InvalidInput for an unknown name.
llvm::Expected<TransformedCase> transformCase(const GeneratedCase &original,
                                              const TransformOptions &options);
llvm::Expected<TransformedCase> transformCase(const GeneratedCase &original, uint64_t seed,
                                              unsigned steps);

/// Applies the steps of \p log in order. A step that does not apply (any more) is skipped, and is
/// missing from the log of the result. InvalidInput for an unknown name.
llvm::Expected<TransformedCase> replay(const GeneratedCase &original, const TransformationLog &log);

} // namespace assay::fuzz
