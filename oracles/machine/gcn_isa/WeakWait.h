// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a result is not waited for: because nothing waits for it, or because what waits lets too many
// be in flight. Whether it is waited for is WaitRule.h's to say; this only tells apart what was
// found.
#pragma once

#include "oracles/machine/gcn_isa/WaitRule.h"
#include <optional>
#include <string>

namespace assay::gcn {

/// Code as findWeakWait() looks at it; instructions have numbers from 0, where control comes in.
class WaitedCode {
public:
  virtual ~WaitedCode() = default;
  /// How many instructions there are.
  virtual uint32_t size() const = 0;
  virtual const Inst &inst(uint32_t index) const = 0;
  /// What \p index brings and a counter tells of; count 0: nothing.
  virtual PendingRegisters result(uint32_t index) const = 0;
  /// Which may run after \p index.
  virtual llvm::SmallVector<uint32_t, 2> next(uint32_t index) const = 0;
};

/// A wait that a result outlasts.
struct WeakWait {
  uint64_t pc = 0; ///< Address of the wait.
  WaitCounter counter = WaitCounter::Load;
  unsigned limit = 0;  ///< What it lets be in flight,
  unsigned needed = 0; ///< and what it may, lest the result is among that.
};

/// The last wait too weak for what \p producer brings, on the shortest way from there to \p use.
/// One that is there for older results, since an instruction on the way touches them, does not
/// count. Nothing, too, where some counter of the producer is not waited for at all.
std::optional<WeakWait> findWeakWait(const WaitedCode &code, uint32_t producer, uint32_t use,
                                     unsigned gfxMajor);

/// "vmcnt(1)".
std::string printWait(WaitCounter counter, unsigned limit, unsigned gfxMajor);

} // namespace assay::gcn
