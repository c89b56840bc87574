// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes machine code by whole instructions, so that what comes out still decodes: random bytes
// hardly ever do twice in a row.
#pragma once

#include "fuzz/code/HostileCode.h"

namespace assay::fuzz {

/// Inserts, replaces or drops one instruction of \p code, flips a bit of it or moves it to the end,
/// or changes what the code starts with.
/// The same \p seed makes the same change.
void mutateCode(HostileCode &code, uint32_t seed);

/// \p into with some instructions of \p from in place of some of its own, or after them; where the
/// chips differ, with the chip and the launch of \p from. The same \p seed makes the same.
HostileCode mixCode(const HostileCode &into, const HostileCode &from, uint32_t seed);

/// A random instruction of \p chip: any opcode; fields mostly small numbers, so that registers are
/// those that other instructions use, too.
std::vector<uint32_t> randomInst(gcn::Chip chip, uint64_t seed);

} // namespace assay::fuzz
