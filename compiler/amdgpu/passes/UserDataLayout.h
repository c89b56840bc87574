// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which user data entry a shader finds in which SGPR, and what it must fetch from the spill table.
#pragma once

#include "compiler/pal/Metadata.h"
#include "llvm/ADT/BitVector.h"
#include <optional>

namespace assay::amdgpu {

/// What a shader reads of its user data.
struct UserDataUse {
  llvm::BitVector entries;      ///< Entries read on their own, by number.
  bool needsSpillTable = false; ///< Something is read at an address that only the shader knows.
  bool numWorkgroups = false;   ///< The address of the dispatch's size.
  /// UserDataMappings that a graphics stage reads, one SGPR each, in this order.
  llvm::SmallVector<uint32_t, 4> values;
  unsigned mostSgprs = pal::maxComputeUserSgprs; ///< That the stage can have.
};

/// The SGPRs, from 0: global table, [address of the dispatch's size], entries in ascending order as
/// long as there is room, [spill table], values of draws.
struct UserDataLayout {
  static constexpr unsigned none = ~0U;                            ///< No SGPR.
  llvm::SmallVector<uint32_t, pal::maxComputeUserSgprs> registers; ///< As `.user_data_reg_map`.
  unsigned numWorkgroups = none;                                   ///< First of its two SGPRs.
  unsigned spillTable = none;
  uint32_t spillThreshold = pal::noSpill;

  /// The SGPR that holds \p entry, if one does.
  std::optional<unsigned> findEntry(uint32_t entry) const; ///< Or a UserDataMapping.
};

/// Lays out \p use. At least \p minimum SGPRs are taken, the last ones perhaps unmapped.
UserDataLayout makeUserDataLayout(const UserDataUse &use, unsigned minimum);

} // namespace assay::amdgpu
