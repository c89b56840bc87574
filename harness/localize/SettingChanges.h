// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compilers get wrong of the PAL metadata that a launch follows, as a table: each row says
// which other values a key may have been meant to have.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// An ELF with one changed value in its metadata.
struct SettingChange {
  llvm::StringRef key;        ///< ".wavefront_size".
  std::string changed;        ///< What it says then: "64", "[268435456, 0, 1]".
  std::vector<uint8_t> elf;   ///< The whole changed file.
  llvm::StringRef stage = {}; ///< "vertex", "fragment"; empty of compute.
};

/// All changes of \p elf that the table has, in the order of its rows; none of what is no ELF with
/// such metadata.
std::vector<SettingChange> listSettingChanges(llvm::ArrayRef<uint8_t> elf);

/// Whether \p change of \p elf may be what was meant: a wave size that \p module, the LLVM IR that
/// the code generator got, asks for; more LDS or scratch memory, where there is none, or the module
/// has more. Fewer waves hide a race, and a higher limit an address that is wrong.
bool mayBeMeant(const SettingChange &change, llvm::ArrayRef<uint8_t> elf, llvm::StringRef module);

} // namespace assay
