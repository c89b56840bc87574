// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Driver calls in a child process. A driver that aborts, crashes or hangs ends the child, and the
// caller gets the reason as text.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>

namespace assay::vulkan {

/// How a trial ended.
struct Trial {
  enum class End {
    Returned, ///< The function returned text.
    Failed,   ///< The function returned an Error.
    Died      ///< The process ended by a signal or exit(), or was killed after the time limit.
  };
  End end = End::Died;
  /// The text, the message of the Error, or how the process ended:
  /// "SIGABRT (Unknown family: navi31)".
  std::string text;
  bool isUnsupported = false; ///< Failed: the Error was Unsupported.
};

/// Forks, and calls \p function in the child. Its output is kept; the last line of it is part of
/// Trial::text when the child dies. No other thread of this process may be using a Vulkan driver.
llvm::Expected<Trial> tryInChild(llvm::function_ref<llvm::Expected<std::string>()> function,
                                 std::chrono::milliseconds limit = std::chrono::minutes(1));

/// The same for the driver with manifest \p icd, once for each \p use ("navi31 aco") in the life of
/// this process, and of those that keep their trials in the same folder.
llvm::Expected<Trial> tryOnce(const std::string &icd, const std::string &use,
                              llvm::function_ref<llvm::Expected<std::string>()> function);

/// From now on tryOnce() reads and writes trials in \p folder. A child that died is tried again by
/// each process.
void keepTrialsIn(llvm::StringRef folder);

} // namespace assay::vulkan
