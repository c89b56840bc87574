// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes through decoder, encoder and printer of gcn_isa. Knows no fuzz engine.
#pragma once

#include "oracles/machine/gcn_isa/Isa.h"
#include <string>

namespace assay::fuzz {

/// Decodes \p code, the bytes of instructions of \p chip, to its end. Returns the first thing that
/// is wrong: an instruction that is longer than what is left, that does not encode, or encodes to
/// something else than it was except for bits that mean nothing. Empty: nothing.
std::string checkRoundTrip(gcn::Chip chip, unsigned waveSize, llvm::ArrayRef<uint8_t> code);

} // namespace assay::fuzz
