// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The notes of a section as values, and back: elf(5), padded to 4 bytes as LLVM writes them.
#pragma once

#include "fuzz/elf/ElfParts.h"
#include "support/Random.h"

namespace assay::fuzz {

/// A note of any type; the contents are not interpreted.
struct NotePart {
  Bytes owner;       ///< With its zero.
  uint32_t type = 0; ///< As the owner defines it.
  Bytes contents;    ///< Without padding.
};

/// The notes up to the first that does not fit.
std::vector<NotePart> readNoteParts(llvm::ArrayRef<uint8_t> section);
/// Returns the section's contents, with owners and contents padded by zeros to 4 bytes.
Bytes writeNoteParts(llvm::ArrayRef<NotePart> notes);

/// Changes the list of notes, or the metadata in one. False when there is no section of notes.
bool mutateNotes(ElfParts &parts, Random &random);
/// Takes a note of \p from, or mixes the metadata. False when one of them has no notes.
bool mixNotes(ElfParts &into, ElfParts &from, Random &random);

} // namespace assay::fuzz
