// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the schedulers know about waits: a flag waits for everything that is outstanding, not for
// one result (Mesa 25.0, ir3_sched.c and ir3_postsched.c count in this way, too).
#pragma once

#include <algorithm>

namespace assay::ir3 {

/// The instructions that one flag, (ss) or (sy), waits for. They have numbers, from 1 on, in the
/// order in which they are scheduled.
struct Outstanding {
  unsigned issued = 0; ///< The number of the last one.
  unsigned waited = 0; ///< Up to this number, a wait has been passed.
  int done = 0;        ///< The slot in which all are taken to be over.

  /// Adds an instruction that is over in slot \p end; returns its number.
  unsigned issue(int end) {
    done = std::max(done, end);
    return ++issued;
  }
  /// When what needs instruction \p number can begin; \p start is when it could otherwise.
  int startOf(unsigned number, int start) const {
    return number > waited ? std::max(start, done) : start;
  }
  /// What needs instruction \p number has been scheduled; 0: it needs none.
  void pass(unsigned number) {
    if (number > waited)
      waited = issued;
  }
};

} // namespace assay::ir3
