// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes through decoder, printer, parser and encoder of ir3_isa. Knows no fuzz engine.
#pragma once

#include "oracles/machine/ir3_isa/Isa.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay::fuzz {

/// Decodes each word of \p code on \p chip, and reads its text again. Returns the first thing that
/// is wrong: a word that decodes to another one, a text that does not parse, or that parses to an
/// instruction of another text. Empty: nothing.
std::string checkIr3Words(adreno::Chip chip, llvm::ArrayRef<uint8_t> code);

/// Assembles \p text for \p chip. Returns what is wrong: words whose text does not assemble to
/// words of the same text. Empty: nothing, also where the text is refused.
std::string checkIr3Text(adreno::Chip chip, llvm::StringRef text);

} // namespace assay::fuzz
