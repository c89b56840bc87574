// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes PAL metadata by keys and values of the schema, so that what comes out is still msgpack
// and mostly still metadata: random bytes hardly ever get past the reader.
#pragma once

#include "fuzz/elf/ElfParts.h"
#include "oracles/pal_elf/MsgPack.h"
#include "support/Random.h"

namespace assay::fuzz {

/// \p value as msgpack, in the shortest form of each value; except that negative integers have 8
/// bytes, and binaries and extensions a length of 4 bytes.
Bytes writeMsgPack(const MsgValue &value);

/// \p metadata with one to three values, keys or entries changed. What is no msgpack comes back as
/// it is.
Bytes mutateMetadata(llvm::ArrayRef<uint8_t> metadata, Random &random);

/// \p into with a part of \p from: the whole, or one entry of a map that both have.
Bytes mixMetadata(llvm::ArrayRef<uint8_t> into, llvm::ArrayRef<uint8_t> from, Random &random);

} // namespace assay::fuzz
