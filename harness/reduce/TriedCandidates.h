// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What became of candidates, by the hash of their text: in memory and, line by line, on disk.
#pragma once

#include "harness/reduce/Judge.h"
#include <map>

namespace assay {

/// A candidate by the hash of its text.
struct TriedCandidate {
  uint64_t hash = 0;
  Judged judged = Judged::Other;
  llvm::StringRef reduction; ///< That led to it; for readers of the file alone.
};

/// Results of one program on one case. The file grows by a line for each candidate.
class TriedCandidates {
public:
  /// Reads \p path; a line that was cut off is forgotten. Where the file was written for another
  /// \p key, it begins again. Environment.
  static llvm::Expected<TriedCandidates> open(std::string path, llvm::StringRef key);

  /// Nothing for a candidate that nobody has judged.
  std::optional<Judged> find(uint64_t hash) const;
  /// Remembers these, and returns when they are on disk. Environment.
  llvm::Error add(llvm::ArrayRef<TriedCandidate> results);
  size_t size() const { return m_results.size(); }

private:
  explicit TriedCandidates(std::string path) : m_path(std::move(path)) {}

  std::string m_path;
  std::map<uint64_t, Judged> m_results;
};

} // namespace assay
