// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers of a wave hold what nobody has written. A result is undefined where a source is;
// sel follows its condition, and exchanges between fibers give what is defined. Memory counts as
// defined.
#pragma once

#include "oracles/machine/adreno/Wave.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::adreno {

enum class UndefinedUse : uint8_t { Branch, Address, Store };

/// The undefined registers of one wave.
class Definedness {
public:
  Definedness();
  /// Register \p number holds something at the start.
  void define(unsigned number);
  /// Whether a register of \p cell may have no value in some lane.
  bool isDirty(uint16_t cell) const { return m_isDirty[cell]; }
  /// False: all that \p touches name has values, so that step() has nothing to do.
  bool concerns(const Wave &wave, llvm::ArrayRef<Touch> touches) {
    if (!m_hasBegun)
      begin(wave);
    bool isDirty = false;
    for (const Touch &touch : touches)
      isDirty |= m_isDirty[touch.cell];
    return isDirty;
  }
  /// \p op, which \p touches registers, is about to run on \p lanes where its footprint is fixed.
  /// Calls \p report where an undefined value decides something. After concerns().
  void step(const Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches, LaneMask lanes,
            llvm::function_ref<void(UndefinedUse)> report);

private:
  /// A full register, or what else is a cell (Touch).
  struct Cell {
    LaneMask undefined[2] = {0, 0}; ///< Lanes in which each part is.
  };
  /// The step of one instruction.
  struct Flow {
    const Wave &wave;
    const Op &op;
    llvm::ArrayRef<Touch> touches;
    LaneMask lanes;
    LaneMask lanesOf(const Touch &touch) const {
      return op.footprint.isFixed ? lanes : touch.lanes;
    }
  };

  /// Learns which lanes have a fiber.
  void begin(const Wave &wave);
  LaneMask undefined(const Touch &touch, LaneMask lanes) const;
  /// Of sel, in one step.
  LaneMask selected(const Flow &flow, unsigned step) const;
  LaneMask ofStep(const Flow &flow, unsigned step) const;
  void set(const Touch &touch, LaneMask written, LaneMask lanes);

  bool m_hasBegun = false;
  LaneMask m_used = ~LaneMask(0); ///< Lanes that have a fiber.
  std::array<Cell, CellCount> m_cells;
  std::array<bool, CellCount> m_isDirty; ///< Some part of some lane is undefined.
};

} // namespace assay::adreno
