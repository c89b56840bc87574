// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;
using namespace assay;

Progress::Progress(StringRef what, bool quiet)
    : m_what(what), m_quiet(quiet), m_terminal(isatty(STDERR_FILENO)),
      m_last(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (m_lineIsOpen)
    errs() << "\r\033[K";
}

void Progress::update(size_t done, size_t total) {
  if (m_quiet)
    return;
  auto now = std::chrono::steady_clock::now();
  auto interval = m_terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(60'000);
  if (now - m_last < interval)
    return;
  m_last = now;
  errs() << (m_terminal ? "\r\033[K" : "") << "assay: " << m_what << ": " << done << " of " << total
         << (m_terminal ? "" : "\n");
  m_lineIsOpen = m_terminal;
}
