// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay doctor --isa: what of the code in files the gcn machine can't execute.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay {

/// Looks at every PAL ELF and every file of oracles/radv in \p inputs (files, folders), prints the
/// opcodes without semantics by chip as \p format ("text", "json") says. The exit code: findings
/// when there is one, or when nothing was looked at.
int listMissingOpcodes(llvm::ArrayRef<std::string> inputs, const std::string &format);

} // namespace assay
