// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What transformations look at and change: a case, snapshots of who defines what and of control
// flow, and the facts that earlier steps left.
#pragma once

#include "fuzz/generate/Generator.h"
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace assay::fuzz {

/// A place in code that survives changes elsewhere: the instruction \p offset places after the one
/// whose result is \p id, or, where \p id is a label, number \p offset of its block.
struct Anchor {
  Id id = 0;
  uint32_t offset = 0;
};

/// One operand that names an id.
struct Use {
  Place place;
  unsigned operand = 0;
};

class Context {
public:
  explicit Context(GeneratedCase generated, bool isBroken = false);

  const GeneratedCase &generated() const { return m_generated; }
  const Program &program() const { return m_generated.program; }
  /// For apply: whoever changes the case relies on no snapshot afterwards.
  GeneratedCase &edit() { return m_generated; }
  /// Ends the truth of all snapshots: after each step.
  void refresh();
  /// Tests only: the step that is applied is to get its essential thing wrong.
  bool isBroken() const { return m_isBroken; }
  void setBroken(bool isBroken) { m_isBroken = isBroken; }

  /// Programs that functions may be taken from, besides generated ones; they must outlive this.
  llvm::ArrayRef<Program> donors() const { return m_donors; }
  void setDonors(llvm::ArrayRef<Program> donors) { m_donors = donors; }

  // Snapshots: of the program as it was after the last refresh.
  const Definitions &definitions() const;
  /// \p function: an index into the program's functions.
  const Flow &flow(size_t function) const;
  /// Where the block of \p label stands (index 0), or none.
  std::optional<Place> findBlock(Id label) const;
  std::optional<Place> locate(Anchor anchor) const;
  Anchor anchorOf(Place place) const;
  /// The instruction at \p place, null for a place at the end of nothing.
  const Instruction *at(Place place) const;
  const Block &block(Place place) const {
    return program().functions[place.function].blocks[place.block];
  }
  /// Whether \p place can be reached from its function's entry.
  bool isReachable(Place place) const { return flow(place.function).isReachable(place.block); }
  /// Whether \p id is a value that an instruction put before \p place may use: a constant, a
  /// parameter, or the result of an instruction that dominates the place.
  bool isAvailable(Id id, Place place) const;
  /// Whether no other instruction than its OpStore may use \p id, for it is decorated with
  /// FPRoundingMode.
  bool isOnlyStored(Id id) const;
  /// Results and parameters (no constants) available before \p place whose type is \p type.
  std::vector<Id> valuesAt(Place place, Id type) const;
  std::vector<Use> usesOf(Id id) const;
  /// Before which place a value must be available so that \p use may name it: the instruction
  /// itself, or for a phi the end of the block from which the value comes.
  Place placeOf(const Use &use) const;

  // Facts.
  /// Nobody ever executes the block of \p label, nor what it dominates.
  void addDeadBlock(Id label) { m_deadBlocks.insert(label); }
  bool isDead(Place place) const;
  const std::set<Id> &deadBlocks() const { return m_deadBlocks; }
  /// A function that may be called from anywhere with any arguments, and changes nothing.
  void addSafeFunction(Id function) { m_safeFunctions.insert(function); }
  bool isSafeFunction(Id function) const { return m_safeFunctions.count(function); }
  /// Wherever both are available, \p a and \p b are the same value of the same type.
  void addSynonyms(Id a, Id b) { m_synonyms.push_back({a, b}); }
  const std::vector<std::pair<Id, Id>> &synonyms() const { return m_synonyms; }

private:
  GeneratedCase m_generated;
  bool m_isBroken;
  std::set<Id> m_deadBlocks, m_safeFunctions;
  llvm::ArrayRef<Program> m_donors;
  std::vector<std::pair<Id, Id>> m_synonyms;
  mutable std::unique_ptr<Definitions> m_definitions;
  mutable std::map<size_t, Flow> m_flows;
  mutable llvm::DenseMap<Id, Place> m_blocks;
  mutable std::optional<std::set<Id>> m_onlyStored;
};

/// Where instructions may be put: after phis and variables, and before merge and terminator.
inline size_t firstInsertion(const Block &block) {
  return block.firstOrdinary();
}
inline size_t lastInsertion(const Block &block) {
  return block.body.size() - (block.merge() ? 2 : 1);
}
/// Whether \p place is one of them.
bool isInsertion(const Context &context, Place place);

} // namespace assay::fuzz
