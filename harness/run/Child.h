// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process of the parent's: in a group of its own, under limits, waited for by a pidfd, and killed
// with whatever it started. What it is told and what its end means is the business of others.
#pragma once

#include "harness/run/Interruption.h"
#include "harness/run/Job.h"
#include "harness/run/WorkerProcess.h"
#include <sys/types.h>

namespace assay {

struct ChildStart {
  std::string program;
  std::vector<std::string> arguments;
  int input = -1;        ///< Its standard input, which the caller owns; -1: nothing to read.
  int output = -1;       ///< Its standard output, likewise; -1: nowhere.
  std::string errorFile; ///< Its standard error; empty: nowhere.
  JobLimits limits;      ///< Of memory and files; time is the parent's to keep.
  Surroundings surroundings = Surroundings::Same;
};

/// Owns the process: what still runs when this goes away is killed and reaped.
class Child {
public:
  /// Environment when it can't be started. To be called on the main thread: the process dies with
  /// the thread that started it.
  static llvm::Expected<Child> start(const ChildStart &start);
  Child(Child &&other) noexcept;
  Child &operator=(Child &&other) noexcept;
  ~Child();

  /// Can be read from once the process has ended.
  int descriptor() const { return m_descriptor; }
  /// Asks the process alone for its stack (CrashStack.h); one that does not know of that ends.
  void askForStack();
  /// Kills the group; reap() tells when it is gone.
  void kill();
  /// Waits for the end, for \p milliseconds at most where that is not 0, and no longer than until
  /// \p interruption has a signal. False: it was killed then.
  bool waitFor(uint64_t milliseconds, const Interruption &interruption);
  /// Waits for the end (for ever, unless it was killed), and kills what the process left.
  WorkerEnd reap();
  /// What it has in memory; 0 when that can't be read.
  uint64_t residentBytes() const;

private:
  Child() = default;
  pid_t m_process = -1; ///< -1: reaped, or moved away.
  int m_descriptor = -1;
};

/// What \p process, or this one ("self"), has in memory; 0 when that can't be read.
uint64_t readResidentBytes(llvm::StringRef process);

/// A descriptor that closes itself. Never one of the standard three.
class Descriptor {
public:
  /// Takes \p descriptor, which may be one of the standard three and is then moved; -1: none.
  explicit Descriptor(int descriptor = -1);
  Descriptor(Descriptor &&other) noexcept;
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();
  int get() const { return m_descriptor; }

private:
  int m_descriptor;
};

} // namespace assay
