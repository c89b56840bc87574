// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only way in which a pass sees the other stages of a pipeline: each getter adds what it
// returns to the hash chains of the functions that the pass works on, as TrackedState does.
#pragma once

#include "compiler/lgc/link/StageInterface.h"
#include "llvm/ADT/StringRef.h"
#include <map>

namespace assay {

/// The neighbours of one stage, for one run of one pass. Data are named by the number of the place
/// in the order of questions, not by location: linking moves what is exchanged, so that locations
/// do not count (docs/hash-chains.md). It holds values only; no IR of another
/// stage can be reached from it. LinkStages makes views, nobody else.
class TrackedView {
public:
  /// What the preceding stage writes at a place that this stage reads.
  struct Written {
    /// The 32 bits that every invocation writes, where that is one constant.
    std::optional<uint32_t> constant;
  };
  /// Nothing when no write is there, or there is no preceding stage.
  std::optional<Written> findWritten(const InOutPlace &place);

  /// Where the next stage expects what this stage writes at \p place, after packing; nothing when
  /// it does not read that, or there is no next stage.
  std::optional<InOutPlace> findReader(const InOutPlace &place);

private:
  friend class StageLinker;
  /// \p previous and \p next may be null.
  TrackedView(llvm::Module &reader, llvm::StringRef pass, const StageInterface *previous,
              const StageInterface *next)
      : m_reader(reader), m_pass(pass), m_previous(previous), m_next(next) {}
  void track(llvm::StringRef datum, const InOutPlace &place, llvm::ArrayRef<uint64_t> values);
  unsigned numberOf(const InOutPlace &place);

  llvm::Module &m_reader;
  llvm::StringRef m_pass;
  const StageInterface *m_previous;
  const StageInterface *m_next;
  std::map<InOutPlace, unsigned> m_numbers;
};

} // namespace assay
