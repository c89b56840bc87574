// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference's outcome on its way from its worker to those that are compared with it.
#pragma once

#include "oracles/api/Outcome.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Kind, reason, instruction count and all buffers of \p outcome; its findings are left out (they
/// travel in the verdict). Little endian, with a number of its own format.
std::vector<uint8_t> writeOutcome(const Outcome &outcome);

/// The reverse. InvalidInput for bytes that writeOutcome would not have written.
llvm::Expected<Outcome> readOutcome(llvm::ArrayRef<uint8_t> bytes);
/// The same of a file, of at most \p most bytes; Environment where it can't be read.
llvm::Expected<Outcome> readOutcomeFile(const std::string &path, uint64_t most);

} // namespace assay
