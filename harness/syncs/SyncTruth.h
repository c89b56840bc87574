// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results of a shader are used too early, by data flow over its code: an opinion of its own,
// made of the text of instructions and of Mesa's rules (Mesa 25.0, ir3_delay.c, ir3_legalize.c).
// Where slots and flags of different paths differ, the worst one counts.
#pragma once

#include "harness/syncs/OperandText.h"
#include "oracles/machine/ir3_isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::syncs {

/// \p consumer uses, or overwrites, what \p producer has not finished with.
struct SyncPair {
  uint32_t producer = 0, consumer = 0;
  auto operator<=>(const SyncPair &) const = default;
};

/// From one instruction to the next one that a fiber executes.
using Edge = std::pair<uint32_t, uint32_t>;
using Edges = std::set<Edge>;

class SyncTruth {
public:
  /// Control begins at instruction \p entry.
  SyncTruth(llvm::ArrayRef<uint64_t> code, adreno::Chip chip, uint32_t entry);
  /// Why nothing can be said; empty: it can.
  const std::string &refusal() const { return m_refusal; }
  /// All of the code's edges.
  Edges edges() const;
  /// What is too early on some path of \p edges. \p certain: leaves out uses of which the text does
  /// not say whether they are any.
  std::set<SyncPair> findPairs(const Edges &edges, bool certain = true) const;

private:
  /// Slots, or which flag ends it: results, and reads that are still to come.
  enum class Pending : uint8_t { Slots, Ss, Sy, ReadSs, ReadAny };
  enum class Side : uint8_t { Both, True, False };
  struct Key {
    uint32_t cell = 0, producer = 0;
    Pending pending = Pending::Slots;
    auto operator<=>(const Key &) const = default;
  };
  struct Value {
    unsigned age = 0; ///< Slots since it was issued, at least.
    bool half = false, isScalar = false, endsBySs = false, isMaybe = false;
    Side side = Side::Both;
    bool operator==(const Value &) const = default;
  };
  using State = std::map<Key, Value>;

  void applyFlags(const TextInst &inst, State &state) const;
  void check(uint32_t pc, const State &state, bool certain, std::set<SyncPair> &pairs) const;
  bool isEarly(uint32_t pc, const RegisterUse &use, const Key &key, const Value &value) const;
  unsigned neededSlots(const TextInst &inst, const RegisterUse &use, bool half) const;
  void addPending(uint32_t pc, State &state) const;
  void leave(uint32_t pc, State &state) const;
  bool isScalar(const TextInst &inst) const;
  void findSides();

  unsigned m_alu, m_third, m_far;
  bool m_isNew, m_hasScalarAlu;
  uint32_t m_entry;
  std::vector<std::string> m_texts;
  std::vector<TextInst> m_insts;
  std::vector<int32_t> m_jumps; ///< Offsets of jumps and branches; 0: none.
  std::vector<Side> m_sides;    ///< Of predt and predf.
  std::string m_refusal;
};

} // namespace assay::syncs
