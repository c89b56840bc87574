// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Watches one wave: are results used only after what makes them visible? It changes nothing.
//
// Time is counted in slots, as Mesa's scheduler counts them when it fills them: an ALU instruction
// is 1 + its (rptN), its (nopN) follow; a nop and other flow are 1; categories 5 to 7, br and jump
// are 0. All is kept by fiber: what the other side of a branch does is no hazard.
#pragma once

#include "oracles/api/Verdict.h"
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

class HazardChecker {
public:
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
  struct Record {
    Pending pending;
    bool half = false;
    bool isScalar = false; ///< Of the scalar ALU.
    bool endsBySs = false; ///< (ss) ends it, too.
    uint32_t pc = 0;
    uint64_t time = 0; ///< At which it was written.
    LaneMask lanes = 0;
  };
  using Cell = llvm::SmallVector<Record, 2>;

  std::string describe(const Record &record) const;
  void applyFlags(const Inst &inst);
  void check(const Op &op, const Touch &touch, uint64_t time, uint32_t pc);
  void checkRange(const Op &op, const Touch &touch, uint32_t pc);
  void checkConst(const Op &op, uint32_t pc);
  void note(const Op &op, const Touch &touch, uint64_t time, uint32_t pc);
  void report(HazardRule rule, uint32_t pc, uint32_t producer, const llvm::Twine &what);
  /// Calls \p each for the cells of the registers.
  void forCells(const Touch &touch, llvm::function_ref<void(Cell &cell)> each);

  const Program &m_program;
  const ChipFacts &m_facts;
  HazardLimits m_limits;
  bool m_exceedsStack = false;
  Definedness m_definedness;
  uint64_t m_now = 0;
  std::vector<Cell> m_cells;                    ///< By number.
  std::optional<uint32_t> m_constSs, m_constSy; ///< Instructions that the const file waits for.
  std::set<std::tuple<HazardRule, uint32_t, uint32_t>> m_known;
  std::vector<Finding> m_findings;
};

} // namespace assay::adreno
