// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SIGTERM between the pools of workers of a campaign, each of which listens for itself
// (Interruption).
#pragma once

#include <csignal>

namespace assay {

/// While it lives, SIGTERM is noted instead of ending the process. One at a time.
class TerminationNote {
public:
  TerminationNote();
  ~TerminationNote();
  TerminationNote(const TerminationNote &) = delete;
  TerminationNote &operator=(const TerminationNote &) = delete;
  /// Whether SIGTERM has come.
  bool get() const;

private:
  struct sigaction m_old = {};
};

} // namespace assay
