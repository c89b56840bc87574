// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results of a shader are used too early, by data flow over its code: an opinion of its own,
// made of the text of instructions and of Mesa's rules (Mesa 25.0, ir3_delay.c, ir3_legalize.c).
// Where slots and flags of different paths differ, the worst one counts.
#pragma once

#include "harness/syncs/OperandText.h"
#include "oracles/machine/ir3_isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"
#include <set>
#include <string>
#include <vector>

namespace assay::syncs {

/// \p consumer uses, or overwrites, what \p producer has not finished with.
struct SyncPair {
  uint32_t producer = 0, consumer = 0;
  auto operator<=>(const SyncPair &) const = default;
};

/// From one instruction to the next one.
using Edge = std::pair<uint32_t, uint32_t>;
using Edges = std::set<Edge>;

/// The paths through some code.
struct SyncPaths {
  Edges fibers; ///< Of a fiber.
  /// Of a wave, whose fibers may be at several places: what counts for registers that they share
  /// (Mesa, ir3_legalize.c, physical predecessors). An instruction beyond the code is a place from
  /// which any of those goes on that follow it.
  Edges waves;
  /// Instructions that some fiber executes, which predication may prevent; nothing: all.
  std::optional<std::set<uint32_t>> active;
};

/// The analysis of one shader.
class SyncTruth {
public:
  /// Control begins at instruction \p entry.
  SyncTruth(llvm::ArrayRef<uint64_t> code, adreno::Chip chip, uint32_t entry);
  /// Puts \p word in the place of instruction \p pc. Which side of predication instructions are on
  /// stays as it is.
  void replace(uint32_t pc, uint64_t word);
  /// Why nothing can be said; empty: it can.
  const std::string &refusal() const { return m_refusal; }
  /// All paths that the code permits, and for waves perhaps more: after any jump and in front of
  /// any place that is jumped to, fibers that wait anywhere may go on.
  SyncPaths paths() const;
  /// What is too early on some path of \p paths. \p certain: leaves out uses of which the text does
  /// not say whether they are any.
  std::set<SyncPair> findPairs(const SyncPaths &paths, bool certain = true) const;

private:
  /// Slots, or which flag ends it: results, and reads that are still to come.
  enum class Pending : uint8_t { Slots, Ss, Sy, ReadSs, ReadAny };
  /// The side of predication that an instruction is on.
  enum class Side : uint8_t { Both, True, False };
  /// Something pending, by the cell and by the instruction that is its cause.
  struct Key {
    uint32_t cell = 0, producer = 0;
    Pending pending = Pending::Slots;
    auto operator<=>(const Key &) const = default;
  };
  /// How long, of which kind.
  struct Value {
    unsigned age = 0; ///< Slots since it was issued, at least.
    bool half = false, isScalar = false, endsBySs = false, isMaybe = false;
    Side side = Side::Both;
    bool operator==(const Value &) const = default;
  };
  /// Sorted by the keys, which are unique.
  using State = std::vector<std::pair<Key, Value>>;
  struct Graph;

  bool isActive(uint32_t pc, const SyncPaths &paths) const {
    return pc < m_insts.size() && m_insts[pc].isInstruction &&
           (!paths.active || paths.active->contains(pc));
  }
  /// Ends what the flags of \p inst wait for.
  void applyFlags(const TextInst &inst, State &state) const;
  /// Adds what \p pc uses too early.
  void check(uint32_t pc, const State &state, bool certain, std::set<SyncPair> &pairs) const;
  /// Whether \p use comes before what is pending has ended.
  bool isEarly(uint32_t pc, const RegisterUse &use, const Key &key, const Value &value) const;
  /// Slots between a result of the ALU and \p use.
  unsigned neededSlots(const TextInst &inst, const RegisterUse &use, bool half) const;
  /// What the instruction leaves pending.
  void addPending(uint32_t pc, State &state) const;
  /// The state after the instruction, from the one before it, to which its flags are applied.
  void leave(uint32_t pc, State &state, const SyncPaths &paths) const;
  /// Reads the text of an instruction.
  void read(uint32_t pc, uint64_t word);
  /// That it takes, without (nopN).
  unsigned slotsOf(const TextInst &inst) const;
  /// Of the scalar ALU.
  bool isScalar(const TextInst &inst) const;
  /// Of each instruction, by predt, predf and prede before it in the text.
  void findSides();

  /// Slots to the ALU, to its third source, and to all else (Mesa, ir3_compiler.c, delay_slots).
  unsigned m_alu, m_third, m_far;
  bool m_isNew, m_hasScalarAlu;
  adreno::Chip m_chip;
  uint32_t m_entry;
  std::vector<std::string> m_texts;
  std::vector<TextInst> m_insts;
  std::vector<int32_t> m_jumps; ///< Offsets of jumps and branches; 0: none.
  std::vector<Side> m_sides;    ///< Of predt and predf.
  std::string m_refusal;
};

} // namespace assay::syncs
