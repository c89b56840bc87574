// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A register as an instruction uses it, and the storage that it is.
#pragma once

#include "oracles/machine/adreno/Lanes.h"
#include "llvm/ADT/SmallVector.h"

namespace assay::adreno {

/// Shared: r48 to r55, one for all lanes. Address is a0.x, Address1 is a1.x.
enum class RegisterFile : uint8_t { Gpr, Shared, Address, Address1, Predicate, Const };

/// What a source is for.
enum class TouchRole : uint8_t {
  Value,
  Predicate, ///< Decides where control goes.
  Address,   ///< Of memory.
  Data,      ///< Goes to memory that others see.
};

/// A register that an instruction reads or writes, in one step of its (rptN).
struct Touch {
  RegisterFile file = RegisterFile::Gpr;
  bool writes = false;
  bool half = false;
  bool isThird = false; ///< A source of category 3 that is read late (Mesa, ir3_src_read_delay).
  uint8_t step = 0;
  uint8_t source = 0; ///< Number of the source of categories 1 to 4.
  TouchRole role = TouchRole::Value;
  uint16_t number = 0; ///< As fields have it; of Predicate the component.
  /// \name Storage: overlapsWith(). A full register is a cell with two parts, its halves.
  /// @{
  uint16_t cell = 0;
  uint8_t parts = 3; ///< 1: the lower half, 2: the upper one.
  /// @}
  /// Of a source: slots that must separate it from the ALU result that it is, of the same width
  /// and of the other one.
  uint8_t slots[2] = {0, 0};
  LaneMask lanes = 0;

  bool overlapsWith(const Touch &other) const { return cell == other.cell && parts & other.parts; }
};

/// How many cells all files have together.
constexpr unsigned CellCount = 432;
/// Constants have none of their own: nothing is ever noted of this one.
constexpr unsigned ConstCell = CellCount - 1;

} // namespace assay::adreno
