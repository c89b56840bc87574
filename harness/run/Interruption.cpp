// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Interruption.h"

using namespace assay;

/// Written by the handlers; 0: no signal has come.
static volatile std::sig_atomic_t lastSignal = 0;

/// Handles SIGINT and SIGTERM while it exists. There must be one at a time.
Interruption::Interruption() {
  lastSignal = 0;
  struct sigaction action = {};
  action.sa_handler = [](int signal) { lastSignal = signal; };
  sigaction(SIGINT, &action, &m_oldInt);
  sigaction(SIGTERM, &action, &m_oldTerm);
}

/// Restores the handlers.
Interruption::~Interruption() {
  sigaction(SIGINT, &m_oldInt, nullptr);
  sigaction(SIGTERM, &m_oldTerm, nullptr);
}

/// Returns the last signal, or 0.
int Interruption::get() const {
  return lastSignal;
}

std::string Interruption::describe() const {
  return std::string("interrupted by ") + (get() == SIGINT ? "SIGINT" : "SIGTERM");
}
