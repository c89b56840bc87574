// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs functions of LLVM IR as a wave of lanes would: the IR that front-ends make for buffers, with
// fat pointers (address spaces 7, 8, 9) and without, before and after a lowering. It shares nothing
// with the compiler.
#pragma once

#include "oracles/ir/Memory.h"
#include "llvm/ADT/APInt.h"
#include "llvm/IR/Function.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay::ir {

/// One scalar: an integer, the bits of a float, or of a pointer with all that belongs to it (160
/// bits in address space 7: resource << 32 | offset, as ptrtoint gives them; 192 in address space
/// 9). Undef is poison here: what depends on it may not be compared.
struct Scalar {
  llvm::APInt bits;
  bool isPoison = false;
};

/// A first-class value: its scalars, in the order of its (nested) elements.
using Value = std::vector<Scalar>;

/// How a run ended. Only Returned and Trapped are outcomes that a lowering must keep.
enum class RunState {
  Returned,
  Trapped,       ///< llvm.trap, or an access outside of every region (raw bounds).
  Undefined,     ///< Undefined behaviour: poison in a branch or an address, misaligned, ...
  PartialBounds, ///< An access partly outside its buffer: hardware may do it by pieces or whole.
  Divergent,  ///< A readfirstlane (or scalar load) whose operand should have been uniform was not.
  TimedOut,   ///< More instructions than RunLimits allows.
  Unsupported ///< reason names the instruction or intrinsic.
};

struct RunLimits {
  uint64_t instructions = 1'000'000; ///< Over all lanes.
  unsigned callDepth = 64;
};

/// What other agents could see of an access: volatile ones and atomics, in order, a lane after
/// the other for those of one instruction.
struct Event {
  enum class Kind : uint8_t {
    VolatileLoad,
    VolatileStore,
    AtomicLoad,
    AtomicStore,
    AtomicRmw,
    Fence
  };
  Kind kind;
  unsigned lane = 0;
  uint64_t address = 0;
  unsigned bytes = 0;
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::NotAtomic;
  std::string scope; ///< Sync scope's name.
};

struct RunResult {
  RunState state = RunState::Returned;
  std::string reason;          ///< Empty only when Returned.
  std::vector<Value> returned; ///< By lane; empty for void.
  std::vector<Event> events;
  uint64_t instructions = 0;
};

/// Runs \p function over \p memory, which it changes. \p arguments: by lane, then by parameter;
/// their number is the number of lanes. Lanes run in lockstep and come together again at the
/// earliest common block in reverse post-order. Same input, same result.
RunResult run(llvm::Function &function, llvm::ArrayRef<std::vector<Value>> arguments,
              Memory &memory, const RunLimits &limits);

/// The fat pointer (or resource, or strided pointer) value of \p type that addresses \p buffer of
/// \p memory at \p offset (and \p index).
Scalar makePointer(const Memory &memory, unsigned buffer, unsigned addressSpace, uint32_t offset,
                   uint32_t index = 0);

} // namespace assay::ir
