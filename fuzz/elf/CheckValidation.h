// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for validate-elf on any bytes, beyond that it survives. Knows no fuzz engine.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay::fuzz {

/// Judges \p file with all rules and prints its metadata; every second file again with options that
/// its bytes choose; of every sixteenth it prints what was found in every format. Returns what is
/// wrong; empty: nothing. Wrong is: a finding of no rule, without text, or with a signature that is
/// no line of text; findings that depend on the options in another way than those say; a clean ELF
/// whose metadata can't be printed; a report that does not read again.
std::string checkValidation(llvm::ArrayRef<uint8_t> file);

} // namespace assay::fuzz
