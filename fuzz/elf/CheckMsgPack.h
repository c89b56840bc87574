// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold of the msgpack reader, writer and printer on any bytes. Knows no fuzz engine.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay::fuzz {

/// True for values that are the same to the last bit, in the same order.
bool areEqual(const MsgValue &a, const MsgValue &b);

/// Reads \p bytes as msgpack and judges what came of it. Returns what is wrong; empty: nothing.
/// Wrong is: a refusal without a reason; a tree beyond the reader's limits, or with text from
/// outside of \p bytes; bytes that still read when one is missing or one too many; a tree that
/// changes when it is written and read again; text that LLVM's reader of YAML takes for another
/// tree, for what both can say (a map, names and numbers, no key twice).
std::string checkMsgPack(llvm::ArrayRef<uint8_t> bytes);

} // namespace assay::fuzz
