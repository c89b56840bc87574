// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes PAL ELFs by what they are made of - header, sections, symbols, relocations, notes,
// metadata, instructions, members of an archive - so that the next layer is reached. Knows no fuzz
// engine.
#pragma once

#include "fuzz/elf/ElfParts.h"

namespace assay::fuzz {

/// \p file, an ELF or an archive, with one thing changed. What is neither comes back with some
/// bytes changed. The same \p seed makes the same change.
Bytes mutateElf(llvm::ArrayRef<uint8_t> file, uint64_t seed);

/// \p into with a section, the metadata, a part of them, or instructions of \p from; of two
/// archives or an archive and an ELF, one with members of both.
Bytes mixElfs(llvm::ArrayRef<uint8_t> into, llvm::ArrayRef<uint8_t> from, uint64_t seed);

} // namespace assay::fuzz
