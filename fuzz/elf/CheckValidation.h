// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for validate-elf on any bytes, beyond that it survives. Knows no fuzz engine.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay::fuzz {

/// All, or what the bytes choose, so that a fuzz engine gets through many files a second: other
/// options for every fourth file, the dump for every fourth, the reports for every sixteenth.
enum class Checks { All, Chosen };

/// Judges \p file with all rules, again with other options, prints its metadata, and reports in
/// every format. Returns what is wrong; empty: nothing. Wrong is: a finding of no rule, without
/// text, or with a signature that is no line of text; findings that depend on the options in
/// another way than those say; a clean ELF whose metadata can't be printed; a report that does not
/// read again.
std::string checkValidation(llvm::ArrayRef<uint8_t> file, Checks checks = Checks::All);

} // namespace assay::fuzz
