// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When the result of a memory instruction may be used: which counter each instruction raises, what
// a wait instruction waits for, and which outstanding events a wait completes.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <optional>
#include <utility>

namespace assay::gcn {

/// The counters of all generations under one set of names. Before GFX12, Load is vmcnt, Store is
/// vscnt (none on GFX9), and Ds is lgkmcnt, which scalar memory and messages raise too.
enum class WaitCounter : uint8_t { Load, Store, Ds, Km, Exp, Sample, Bvh };
constexpr unsigned WaitCounterCount = 7;

/// The name of \p counter in the assembler of generation \p gfxMajor: "vmcnt", "loadcnt".
llvm::StringRef waitCounterName(WaitCounter counter, unsigned gfxMajor);
/// The largest value the counter holds; one more outstanding event stalls.
unsigned waitCounterMax(WaitCounter counter, unsigned gfxMajor);

/// Events of one class complete in the order of issue - or, Scalar and Flat, in any. Of two classes
/// that share a counter, either may be first. Exports have a class for each type (RDNA manual,
/// "Export": those of one type complete in order, those of different types in any).
enum class WaitOrder : uint8_t {
  Vmem,
  VmemStore,
  Lds,
  Scalar,
  Flat,
  Message,
  ExportColor, ///< MRT0 to MRT7, MRTZ, NULL.
  ExportPosition,
  ExportPrimitive,
  ExportDualSource,
  ExportParameter,
};
constexpr unsigned WaitOrderCount = 11;
constexpr bool isExport(WaitOrder order) {
  return order >= WaitOrder::ExportColor;
}
/// True for events that their counter counts down in the order of issue.
constexpr bool completesInOrder(WaitOrder order) {
  return order != WaitOrder::Scalar && order != WaitOrder::Flat;
}

/// What issuing an instruction raises.
struct WaitEvent {
  uint8_t counters = 0; ///< Bit per WaitCounter.
  WaitOrder order = WaitOrder::Vmem;
};
constexpr uint8_t counterBit(WaitCounter counter) {
  return uint8_t(1u << unsigned(counter));
}

/// Nothing for an instruction that raises no counter.
std::optional<WaitEvent> classifyWaitEvent(const Inst &inst, unsigned gfxMajor);

/// The units after a vector memory instruction. Those of one write registers in their order; of
/// two, only the counter goes in order (LLVM, SIInsertWaitcnts, getVmemType and
/// hasOtherPendingVmemTypes; ACO, get_vmem_type).
enum class VmemUnit : uint8_t { Plain, Sampler, Bvh };
/// Plain for whatever is no sampler's and no ray's.
VmemUnit vmemUnit(const Inst &inst);

/// An instruction that raises counters: the order of its results.
struct ResultOrder {
  WaitEvent event;
  VmemUnit unit = VmemUnit::Plain;
};
/// True when \p later writes its registers after \p earlier, so that it may overwrite them without
/// a wait in between. Messages do not: compilers rely on the order of their counter alone. Exports
/// write no registers.
bool writesAfter(const ResultOrder &later, const ResultOrder &earlier);

/// How many events each counter may still have outstanding; NoLimit: not waited for.
struct WaitLimits {
  static constexpr uint8_t NoLimit = 255;
  std::array<uint8_t, WaitCounterCount> max;
  WaitLimits() { max.fill(NoLimit); }
  void set(WaitCounter counter, unsigned limit) { max[unsigned(counter)] = uint8_t(limit); }
};

/// Nothing for what is not a wait for counters.
std::optional<WaitLimits> decodeWait(const Inst &inst, unsigned gfxMajor);

/// The class that \p counter counts an event of \p order in. From GFX10 on, each counter of a flat
/// access comes down in the order of that counter's other events (LLVM,
/// hasFlatLgkmVMemCountInOrder; ACO asks for zero up to GFX9 only).
constexpr WaitOrder orderIn(WaitOrder order, WaitCounter counter, unsigned gfxMajor) {
  if (order != WaitOrder::Flat || gfxMajor < 10)
    return order;
  return counter == WaitCounter::Ds      ? WaitOrder::Lds
         : counter == WaitCounter::Store ? WaitOrder::VmemStore
                                         : WaitOrder::Vmem;
}
/// Whether a counter is done with an event of \p order, as orderIn() gives it, once it is at most
/// \p limit, where \p age events of the counter and the same order were issued at or after the
/// event.
constexpr bool waitCompletes(WaitOrder order, unsigned age, unsigned limit) {
  return limit == 0 || (completesInOrder(order) && age > limit);
}

/// Registers that an outstanding event will write.
struct PendingRegisters {
  bool vector = false;
  uint16_t first = 0;
  uint16_t count = 0;
  bool operator==(const PendingRegisters &) const = default;
  bool overlaps(const PendingRegisters &other) const {
    return vector == other.vector && first < other.first + other.count &&
           other.first < first + count;
  }
};

/// The outstanding events of one wave, in order of issue.
///
/// After wait(c <= n), an event is complete when waitCompletes() says so.
class WaitScoreboard {
public:
  struct Entry {
    WaitEvent event;
    PendingRegisters registers; ///< count 0: none (a store).
    uint32_t producer = 0;      ///< The caller's number of the instruction.
    uint32_t sequence = 0;      ///< The caller's number of the event.
    uint64_t lanes = ~0ull;     ///< Lanes of vector registers that it will write.
  };

  explicit WaitScoreboard(unsigned gfxMajor) : m_gfxMajor(gfxMajor) {}
  /// Adds an event; a full counter stalls, which completes its oldest events.
  void issue(const Entry &entry);
  void wait(const WaitLimits &limits);
  void clear() { m_entries.clear(); }
  bool empty() const { return m_entries.empty(); }
  /// The newest outstanding event that writes any of \p registers in any of \p lanes (of vector
  /// registers), or null.
  const Entry *find(const PendingRegisters &registers, uint64_t lanes = ~0ull) const;
  llvm::ArrayRef<Entry> entries() const { return m_entries; }

  /// From now on, events that complete are kept for takeCompleted().
  void keepCompleted() { m_keepsCompleted = true; }
  /// Those that completed since the last call, in the order of issue; their counters are 0.
  llvm::SmallVector<Entry, 8> takeCompleted() { return std::exchange(m_completed, {}); }
  bool hasCompleted() const { return !m_completed.empty(); }

private:
  void stall(unsigned counter, unsigned max);
  void waitFor(unsigned counter, unsigned limit);
  void removeComplete();

  unsigned m_gfxMajor;
  llvm::SmallVector<Entry, 8> m_entries;
  bool m_keepsCompleted = false;
  llvm::SmallVector<Entry, 8> m_completed;
};

} // namespace assay::gcn
