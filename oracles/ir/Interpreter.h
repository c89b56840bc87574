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
  bool isPoison = false; ///< In any of its bits.
  uint32_t poisonBytes =
      0; ///< Where isPoison: which bytes, lowest first; 0 = every byte. Known for
         ///< what comes out of memory, so that copies by words keep the rest.
};

/// The bits of \p scalar that are not poison.
llvm::APInt knownBits(const Scalar &scalar);
/// What a freeze makes of \p scalar: zeros for poison, which are as good as anything.
llvm::APInt frozenBits(const Scalar &scalar);
/// Whether \p after, as wide as \p before, may represent it: what is known of it is the same.
bool isRefined(const Scalar &before, const Scalar &after);

/// A first-class value: its scalars, in the order of its (nested) elements.
using Value = std::vector<Scalar>;

/// How a run ended. Only Returned and Trapped are outcomes that a lowering must keep.
enum class RunState {
  Returned,
  Trapped,       ///< llvm.trap, or an access outside of every region (raw bounds).
  Undefined,     ///< Undefined behaviour: poison in a branch or an address, misaligned, ...
  PartialBounds, ///< An access partly outside its buffer: hardware may do it by pieces or whole.
  Divergent,     ///< What must be the same in all lanes was not: a scalar load's resource, a
                 ///< readlane's lane. (readfirstlane may be asked about anything.)
  TimedOut,      ///< More instructions, calls or memory than RunLimits allows.
  Unsupported    ///< reason names the instruction or intrinsic.
};

struct RunLimits {
  uint64_t instructions = 1'000'000; ///< Over all lanes; a copy counts as one for 16 bytes.
  unsigned callDepth = 64;
  uint64_t scratchBytes = 1 << 20; ///< Of allocas, a lane.
  uint64_t registers = 1 << 21;    ///< Scalars in all frames of all lanes.
};

/// What other agents could see of an access: volatile ones and atomics, in order, a lane after
/// the other for those of one instruction. Scratch is nobody else's: it makes no events.
struct Event {
  enum class Kind : uint8_t {
    VolatileLoad,
    VolatileStore,
    AtomicLoad,
    AtomicStore,
    AtomicRmw,
    FailedExchange, ///< A cmpxchg that found another value.
    Fence,
    CachedLoad,  ///< By a buffer instruction with a cache policy; neither volatile nor atomic.
    CachedStore, ///< The same.
  };
  Kind kind = Kind::Fence;
  unsigned lane = 0;
  uint64_t address = 0;
  unsigned bytes = 0;
  llvm::AtomicOrdering ordering = llvm::AtomicOrdering::NotAtomic;
  std::string scope;       ///< Sync scope's name.
  bool isVolatile = false; ///< Of any kind but Fence.
  bool isCopy = false;     ///< Of a copy or a fill: its bytes may go in any pieces and order.
  bool isExchange =
      false; ///< Of AtomicRmw, FailedExchange: it compares first. Nobody else sees that.
  /// By a buffer instruction: which caches it passes is in cachePolicy alone.
  bool isInstruction = false;
  uint32_t cachePolicy = 0; ///< Its last operand, without the bit for volatile.
};
bool operator==(const Event &a, const Event &b);
bool isVolatileAccess(const Event &event);

struct RunResult {
  RunState state = RunState::Returned;
  std::string reason;          ///< Empty only when Returned.
  std::vector<Value> returned; ///< By lane; empty for void.
  std::vector<Event> events;
  /// A freeze met poison: what followed is one of several things that the function may do.
  bool frozePoison = false;
  /// Something outside of its buffer was read after something outside was written. It reads 0; but
  /// an optimiser knows nothing of bounds, and may pass what was written.
  bool readLostWrite = false;
  uint64_t instructions = 0;
};

/// The events in a form in which those of a function before and after a lowering are equal, for
/// buffer instructions say less than accesses do:
///  - a lane's events stand together, lanes in order;
///  - an ordered access is fence release (if it releases), access (monotonic, no scope), fence
///    acquire (if it acquires); sequentially consistent counts as both; fences next to each other
///    are one for each scope;
///  - atomic loads and stores that are not volatile go, and CachedLoad and CachedStore: what they
///    did is in results and memory;
///  - volatile accesses, atomic or not, are VolatileLoad and VolatileStore, and runs of them to
///    successive addresses are one event, except for those of a copy;
///  - a FailedExchange goes if the lane next tries again at the same address: a loop represents one
///    operation, of which only the exchange that succeeds counts.
std::vector<Event> normalizeEvents(llvm::ArrayRef<Event> events);

/// A line for people.
std::string toString(const Event &event);
llvm::StringRef toString(RunState state);

/// Runs \p function over \p memory, which it changes. \p arguments: by lane, then by parameter;
/// their number is the number of lanes (1 to 64). Lanes run in lockstep: each step is one
/// instruction for all lanes that are at the least position, which is a call stack of places in
/// an order of blocks in which loops come before what follows them. So lanes come together again
/// where control flow joins, and what crosses lanes sees who is there. Same input, same result.
///
/// Buffers: an access to bytes outside of a resource's records reads 0 and writes nothing, one that
/// is partly outside ends the run (PartialBounds); with ~0 records, and for what a resource
/// promises but memory has not, the place of the address decides (Trapped). Records count bytes if
/// the stride is 0, else elements, and then the offset must stay below the stride. Reads by
/// s.buffer.load and !invariant.load of bytes that the run has written are Undefined.
/// Not judged: inbounds beyond its overflow rules, noalias, TBAA, attributes of calls.
RunResult run(llvm::Function &function, llvm::ArrayRef<std::vector<Value>> arguments,
              Memory &memory, const RunLimits &limits);

/// The fat pointer (or resource, or strided pointer) value of \p type that addresses \p buffer of
/// \p memory at \p offset (and \p index).
Scalar makePointer(const Memory &memory, unsigned buffer, unsigned addressSpace, uint32_t offset,
                   uint32_t index = 0);

} // namespace assay::ir
