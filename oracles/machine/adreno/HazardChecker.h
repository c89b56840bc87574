// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watches one wave: are results used only after what makes them visible? It changes nothing.
//
// Time is counted in slots, as Mesa's scheduler counts them when it fills them: an ALU instruction
// is 1 + its (rptN), its (nopN) follow; a nop and other flow are 1; categories 4 to 7, the scalar
// ALU, br, braa, brao and jump are 0. Records are kept for each fiber: instructions on the other
// side of a branch cause no hazard, and their slots and flags end none (Clocks.h). Only shared
// registers belong to the wave: accesses by any fiber count in the order of execution (Mesa,
// ir3_legalize.c, physical predecessors).
#pragma once

#include "oracles/api/Verdict.h"
#include "oracles/machine/adreno/Clocks.h"
#include "oracles/machine/adreno/Definedness.h"
#include <set>

namespace assay::adreno {

enum class HazardRule : uint8_t {
#define SANITIZER_RULE(ENUMERATOR, ID, TITLE, EXPLANATION) ENUMERATOR,
#include "oracles/machine/adreno/Hazards.def"
#undef SANITIZER_RULE
};
/// "SYNC-SS".
llvm::StringRef hazardId(HazardRule rule);

/// What was declared for the wave; 0: not known.
struct HazardLimits {
  uint32_t fullRegisters = 0; ///< Vectors.
  uint32_t constants = 0;     ///< Dwords.
  /// Places where fibers may wait at the same time.
  std::optional<uint32_t> waitingPlaces = std::nullopt;
};

/// A finding of \p rule at instruction \p pc; \p what says more.
Finding makeHazard(const Program &program, HazardRule rule, uint32_t pc, const llvm::Twine &what);

/// The sanitizer of one wave.
class HazardChecker {
public:
  /// \p program outlives this.
  HazardChecker(const Program &program, HazardLimits limits);
  /// Register \p number has a value at the start.
  void define(unsigned number) { m_definedness.define(number); }
  /// \p op is about to run on \p wave.
  void step(const Wave &wave, const Op &op);
  /// Each pair of instructions once.
  llvm::ArrayRef<Finding> findings() const { return m_findings; }

private:
  /// Who waits for what: the result of an ALU instruction by slots, another one by a flag, a source
  /// by a flag.
  enum class Pending : uint8_t { Slots, Ss, Sy, ReadSs, ReadSsOrSy };
  /// What an instruction has left in a cell.
  struct Record {
    LaneMask lanes = 0;
    uint64_t time = 0; ///< At which it was written.
    uint32_t pc = 0;
    Pending pending = Pending::Slots;
    uint8_t parts = 3; ///< Of the cell (Touch).
    bool half : 1 = false;
    bool isScalar : 1 = false; ///< Of the scalar ALU.
    bool endsBySs : 1 = false; ///< (ss) ends it, too.
    bool isShared : 1 = false; ///< The wave's: flags of any fibers end it.
  };
  using Cell = llvm::SmallVector<Record, 2>;
  /// The one record of a cell where that is a result of the ALU of all fibers, which waits for
  /// nothing but its slots: what most cells hold, in little space.
  struct Latest {
    /// No record: nothing is pending.
    static constexpr uint8_t Nothing = 4;
    /// The time where the cell's records are in m_cells: all sources are too early for it.
    static constexpr uint64_t Never = uint64_t(1) << 62;
    uint64_t time = 0;
    uint32_t pc = 0;
    uint8_t parts = Nothing; ///< 0: the cell's records are in m_cells.
    bool half = false;
  };

  /// The instruction of a step.
  struct Now {
    const Op &op;
    uint32_t pc;
    uint64_t time;
    LaneMask here;
  };

  /// Begins a step of the fibers \p here; their time.
  bool stepQuickly(const Now &now);
  /// The same of an instruction with packed registers, where no cell has a list of records.
  bool stepPacked(const Now &now);
  /// Whether nothing of the list concerns \p touch.
  bool isQuiet(const Now &now, const Touch &touch) const;
  /// All rules, for any instruction.
  void stepSlowly(const Wave &wave, const Now &now);
  /// The record that it represents.
  Record recordOf(const Latest &latest) const;
  /// Whether \p record is all that the cell holds from now on.
  bool replacesAll(const Record &record, uint16_t cell) const;
  /// The records of a cell, as a list.
  Cell &cellAt(uint16_t number);
  uint64_t enter(LaneMask here);
  /// Lets results of \p lanes stay as old as they are, now that their clock gains \p slots.
  void shift(LaneMask lanes, uint64_t slots);
  /// Ends what (ss) and (sy) of the instruction wait for.
  void applyFlags(const Now &now);
  /// BRANCH-STACK, once.
  void checkStack(const Wave &wave);
  /// Whether a use comes too early.
  void check(const Now &now, const Touch &touch, LaneMask lanes);
  void checkOverlap(const Now &now, const Touch &touch, const Record &record, LaneMask lanes);
  /// Whether \p touch is too early for \p record.
  void checkRecord(const Now &now, const Touch &touch, const Record &record);
  /// REG-RANGE and CONST-RANGE.
  void checkRange(const Touch &touch, uint32_t pc);
  /// SYNC-CONST.
  void checkConst(uint32_t pc);
  /// Remembers what a use leaves pending.
  void note(const Now &now, const Touch &touch, LaneMask lanes);
  /// All of that for one instruction; \p lanesOf gives the lanes of a touch.
  template <typename LanesOf>
  void use(const Now &now, llvm::ArrayRef<Touch> touches, LanesOf lanesOf);
  /// The const file waits for the instruction.
  void noteConst(const Now &now);
  /// What a use leaves pending.
  Record makeRecord(const Now &now, const Touch &touch, LaneMask lanes) const;
  /// "instruction 3 'rcp r1.x, r0.x'".
  std::string describe(const Record &record) const;
  /// Adds a finding, unless there is one of the same rule and instructions.
  void report(HazardRule rule, uint32_t pc, uint32_t producer, const llvm::Twine &what);

  const Program &m_program;
  const ChipFacts &m_facts;
  HazardLimits m_limits;
  bool m_exceedsStack = false;
  Definedness m_definedness;
  Clocks m_clocks;
  LaneMask m_all = 0; ///< The fibers of the wave; 0: no step yet.
  std::array<Latest, CellCount> m_latest;
  std::array<Cell, CellCount> m_cells;
  llvm::SmallVector<uint16_t, 16>
      m_flagged; ///< Cells where a flag may end something; with repetition.
  std::optional<uint32_t> m_constSs, m_constSy; ///< Instructions that the const file waits for.
  /// By instruction: its numbers are checked; then, whether it is plain, too.
  enum class Known : uint8_t { No, Range, Plain };
  std::vector<Known> m_knownOps;
  std::set<std::tuple<HazardRule, uint32_t, uint32_t>> m_known;
  std::vector<Finding> m_findings;
};

} // namespace assay::adreno
