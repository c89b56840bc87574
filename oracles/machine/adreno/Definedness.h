// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers of a wave hold what nobody has written. A result is undefined where a source is;
// sel follows its condition, and exchanges between fibers give what is defined. Memory counts as
// defined.
#pragma once

#include "oracles/machine/adreno/Timing.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::adreno {

enum class UndefinedUse : uint8_t { Branch, Address, Store };

class Definedness {
public:
  explicit Definedness(const ChipFacts &facts);
  /// Register \p number holds something at the start.
  void define(unsigned number);
  /// \p op, which \p touches registers, is about to run. Calls \p report where an undefined value
  /// decides something.
  void step(const Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches,
            llvm::function_ref<void(UndefinedUse)> report);

private:
  LaneMask undefined(const Touch &touch) const;
  LaneMask selected(const Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches,
                    unsigned step) const;
  LaneMask ofStep(const Wave &wave, const Op &op, llvm::ArrayRef<Touch> touches,
                  unsigned step) const;
  void set(const Touch &touch, LaneMask lanes);

  const ChipFacts &m_facts;
  std::vector<LaneMask> m_cells; ///< Lanes in which a cell is undefined.
};

} // namespace assay::adreno
