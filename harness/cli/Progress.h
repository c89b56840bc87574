// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a long run is, on stderr: a line that renews itself on a terminal, a line a minute
// elsewhere.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>

namespace assay {

class Progress {
public:
  /// Says nothing when \p quiet.
  Progress(llvm::StringRef what, bool quiet);
  /// Clears the line.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void update(size_t done, size_t total);

private:
  std::string m_what;
  bool m_quiet;
  bool m_terminal;
  bool m_lineIsOpen = false;
  std::chrono::steady_clock::time_point m_last;
};

} // namespace assay
