// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/UserDataLayout.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

std::optional<unsigned> UserDataLayout::findEntry(uint32_t entry) const {
  const auto *found = llvm::find(registers, entry);
  if (found == registers.end())
    return std::nullopt;
  return static_cast<unsigned>(found - registers.begin());
}

/// Entries that find no room are read from the spill table; the threshold is the first of them. The
/// register for the spill table is reserved as soon as anything needs it.
UserDataLayout amdgpu::makeUserDataLayout(const UserDataUse &use, unsigned minimum) {
  UserDataLayout layout;
  layout.registers.push_back(pal::GlobalTable);
  if (use.numWorkgroups) {
    layout.numWorkgroups = layout.registers.size();
    layout.registers.append({pal::Workgroup, pal::NotMapped});
  }
  unsigned room = use.mostSgprs - layout.registers.size() - use.values.size();
  bool mustSpill = use.needsSpillTable || use.entries.count() > room;
  room -= mustSpill;
  for (unsigned entry : use.entries.set_bits()) {
    if (room == 0) {
      layout.spillThreshold = std::min(layout.spillThreshold, entry);
      break;
    }
    layout.registers.push_back(entry);
    --room;
  }
  if (mustSpill) {
    layout.spillTable = layout.registers.size();
    layout.registers.push_back(pal::SpillTable);
  }
  layout.registers.append(use.values);
  // An address that only the shader knows may be any entry's.
  if (use.needsSpillTable)
    layout.spillThreshold = 0;
  while (layout.registers.size() < minimum)
    layout.registers.push_back(pal::NotMapped);
  return layout;
}
