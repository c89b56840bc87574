// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/TerminationNote.h"

using namespace assay;

/// Written by the handler of SIGTERM.
static volatile std::sig_atomic_t wasNoted = 0;

TerminationNote::TerminationNote() {
  wasNoted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { wasNoted = 1; };
  sigaction(SIGTERM, &action, &m_old);
}

TerminationNote::~TerminationNote() {
  sigaction(SIGTERM, &m_old, nullptr);
}

bool TerminationNote::get() const {
  return wasNoted != 0;
}
