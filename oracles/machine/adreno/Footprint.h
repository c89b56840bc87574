// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which registers an instruction reads and writes.
#pragma once

#include "oracles/machine/adreno/Wave.h"

namespace assay::adreno {

enum class RegisterFile : uint8_t { Gpr, Shared, Address, Address1, Predicate, Const };

/// What a source is for.
enum class TouchRole : uint8_t {
  Value,
  Predicate, ///< Decides where control goes.
  Address,   ///< Of memory.
  Data,      ///< Goes to memory that others see.
};

/// Registers that an instruction reads or writes, in one step of its (rptN).
struct Touch {
  RegisterFile file = RegisterFile::Gpr;
  bool writes = false;
  bool half = false;
  bool isThird = false; ///< The third source of mad and madsh.
  uint8_t step = 0;
  uint8_t source = 0; ///< Number of the source of categories 1 to 4.
  TouchRole role = TouchRole::Value;
  uint16_t number = 0; ///< As fields have it; of Predicate the component.
  LaneMask lanes = 0;
};

/// What \p op, which is about to run on \p wave, reads and writes. Registers that a0.x chooses are
/// those of now.
void collectTouches(const Wave &wave, const Op &op, llvm::SmallVectorImpl<Touch> &touches);

} // namespace assay::adreno
