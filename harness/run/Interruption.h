// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Signals that ask this process to end while it has children, which must not outlive it.
#pragma once

#include <csignal>
#include <string>

namespace assay {

/// While it lives, SIGINT and SIGTERM are noted instead of ending the process. One at a time.
class Interruption {
public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;
  /// The signal that came last, or 0.
  int get() const;
  /// "interrupted by SIGINT", where one came.
  std::string describe() const;

private:
  struct sigaction m_oldInt = {}, m_oldTerm = {};
};

} // namespace assay
