// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What wait instructions guard, read off the code alone: a second model of the counters, written
// from the ISA manuals without the machine's sanitizer, whose truth it is to be. Loads, stores and
// waits are told by their formats and fields, not by lists of names.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace assay::waits {

/// VMCNT (LOADCNT), VSCNT (STORECNT), LGKMCNT (DSCNT), EXPCNT and GFX12's own.
enum class Counter : uint8_t { Load, Store, Lgkm, Exp, Sample, Bvh, Km };
/// Of the enumeration.
constexpr unsigned CounterCount = 7;
/// A wait without a limit for a counter.
constexpr uint8_t NoLimit = 255;

/// Events of a counter and one stream count down in the order of issue; of Any, in any. Messages
/// do so, too, but nothing says when they write their registers.
enum class Stream : uint8_t { Loads, Stores, Lds, Messages, Any };

/// What brings the results of vector memory. Of one of them, they come in the order of issue; of
/// two that share a counter, the counter alone goes in order (LLVM's VmemType says so).
enum class Unit : uint8_t { Memory, Sampler, Rays };

/// Consecutive registers, \p count of them from number \p first on.
struct Span {
  bool isVector = false;
  uint16_t first = 0;
  uint16_t count = 0;
  bool isWritten = false; ///< Written and nothing else.

  bool overlaps(const Span &other) const {
    return isVector == other.isVector && first < other.first + other.count &&
           other.first < first + count;
  }
};

/// Whose values of vector registers an instruction reads or writes.
enum class LanesTouched : uint8_t { Active, First, All };

/// What the model knows of one instruction.
struct Facts {
  llvm::SmallVector<Counter, 2> raises; ///< Counters that count it while it is in flight.
  Stream stream = Stream::Any;
  Unit unit = Unit::Memory;
  Span result;                      ///< What the counter guards; count 0: memory, or nothing.
  llvm::SmallVector<Span, 6> spans; ///< All registers that it reads or writes.
  std::array<uint8_t, CounterCount> limits; ///< Of a wait; NoLimit elsewhere.
  LanesTouched lanes = LanesTouched::Active;
  bool isMemory = false;
  bool isOrdering =
      false; ///< A barrier, an atomic, an access or an operation on caches that orders.
  /// The last position of a vertex on GFX11: parameters in the attribute ring may be read from then
  /// on, so that stores must be done.
  bool ordersStores = false;
  bool isExport = false;   ///< Reads its registers later; EXPCNT says when.
  bool waitsFirst = false; ///< Waits before it reads its operands.
};

/// The facts of \p insts, instruction by instruction. \p major is the GFX IP.
std::vector<Facts> readFacts(llvm::ArrayRef<gcn::Inst> insts, unsigned major);

/// One wait made weaker: the counter \p counter of instruction \p inst from one limit to another.
struct Mutation {
  uint32_t inst = 0;
  Counter counter = Counter::Load;
  uint8_t limit = 0;          ///< As the code has it.
  uint8_t newLimit = NoLimit; ///< NoLimit: dropped.

  bool isDrop() const { return newLimit == NoLimit; }
};

/// Each wait of \p insts for each of its counters: dropped, and weakened by one where that is not
/// the same.
std::vector<Mutation> listMutations(llvm::ArrayRef<gcn::Inst> insts, unsigned major);
/// The first dword of \p inst with \p mutation made.
uint32_t mutatedWord(const gcn::Inst &inst, const Mutation &mutation, unsigned major);

/// The counter's name in the assembler of generation \p major.
llvm::StringRef counterName(Counter counter, unsigned major);

} // namespace assay::waits
