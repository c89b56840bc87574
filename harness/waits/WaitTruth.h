// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which accesses are not covered by waits: on any path through the code, or on paths that were
// executed. By dataflow over the control-flow graph, with the least that is certain at every point.
#pragma once

#include "harness/waits/WaitModel.h"
#include "oracles/machine/gcn_isa/Cfg.h"
#include <set>

namespace assay::waits {

/// (instruction that touches the registers or orders memory, instruction that is not done yet).
using Uncovered = std::set<std::pair<uint32_t, uint32_t>>;

/// Pairs of instructions between which no wait is certain.
struct Exposure {
  Uncovered registers; ///< Reads, and writes that the result in flight may come after.
  /// Memory accesses in flight at what orders accesses of several waves.
  Uncovered memory;

  bool operator==(const Exposure &) const = default;
};

/// What is in flight at one point, at worst.
class InFlightState {
public:
  /// One counter of one instruction that raises it.
  struct Slot {
    uint32_t producer = 0;
    Counter counter = Counter::Load;
    Stream stream = Stream::Any;
  };

  explicit InFlightState(size_t slots = 0) : m_ages(slots), m_lanes(slots) {}
  /// Takes in what comes along another path. True when something became worse.
  bool merge(const InFlightState &other);

private:
  friend class WaitTruth;
  /// Of each slot: 0, not in flight; else how many events of the counter and stream were issued at
  /// or after its newest one, at least.
  std::vector<uint8_t> m_ages;
  std::vector<uint64_t> m_lanes; ///< That were active when it was issued.
  unsigned m_count = 0;
};

/// One instruction that was executed.
struct PathStep {
  uint32_t index = 0;
  uint64_t exec = ~uint64_t(0);

  auto operator<=>(const PathStep &) const = default;
};

/// The largest value of the counter; one more event in flight stalls.
unsigned maxOf(Counter counter, unsigned major);

/// What the code alone says of missing waits.
class WaitTruth {
public:
  /// \p graph must outlive this.
  WaitTruth(const gcn::ControlFlowGraph &graph, unsigned major);

  llvm::ArrayRef<Facts> facts() const { return m_facts; }
  /// On all paths of the graph, with \p mutation made (null: as it is).
  Exposure onAllPaths(const Mutation *mutation) const;
  /// On one path, from the first instruction on. Adds to \p exposure. A result in flight is in the
  /// lanes that were active when it was asked for, and nobody else's.
  void onPath(llvm::ArrayRef<PathStep> path, const Mutation *mutation, Exposure &exposure) const;

  /// A shortest path through the graph, from the first instruction on, that ends with \p access
  /// while \p producer is in flight. Empty: there is none.
  std::vector<uint32_t> findPath(uint32_t access, uint32_t producer,
                                 const Mutation *mutation) const;

private:
  struct Search;
  /// Notes what the instruction exposes (null: nothing), lets it wait, and issues its events.
  void step(PathStep step, const Mutation *mutation, InFlightState &state,
            Exposure *exposure) const;
  /// The limit of the instruction's wait, with \p mutation made; NoLimit where it does not wait.
  uint8_t limitOf(uint32_t index, Counter counter, const Mutation *mutation) const;
  uint8_t ageAfter(uint32_t index, size_t slot, const Mutation *mutation, uint8_t age) const;
  /// As findPath(), for one counter of the producer.
  std::vector<uint32_t> findPathOfSlot(uint32_t access, size_t slot,
                                       const Mutation *mutation) const;
  /// Adds each producer in flight that the instruction comes too early for.
  void note(PathStep step, const InFlightState &state, Exposure &exposure) const;
  /// Removes what is certainly done after the wait.
  void wait(Counter counter, uint8_t limit, InFlightState &state) const;
  /// Adds the events of the instruction, and makes older ones of the stream older.
  void issue(PathStep step, InFlightState &state) const;

  const gcn::ControlFlowGraph &m_graph;
  unsigned m_major;
  std::vector<Facts> m_facts;
  std::vector<InFlightState::Slot> m_slots;
  std::vector<uint32_t> m_firstSlot; ///< By instruction; its slots follow each other.
};

} // namespace assay::waits
