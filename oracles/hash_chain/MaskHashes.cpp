// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/hash_chain/HashChainOracle.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// Keys of PAL metadata whose value is an array of two numbers (PAL: palPipelineAbi.h).
static constexpr StringLiteral hashKeys[] = {".internal_pipeline_hash", ".api_shader_hash"};

/// The bytes of the msgpack unsigned integer at the start of \p text: 0 when there is none.
static size_t getNumberSize(StringRef text) {
  if (text.empty())
    return 0;
  auto tag = static_cast<uint8_t>(text.front());
  // msgpack specification, "int format family": positive fixint, uint 8 to uint 64.
  size_t size = tag < 0x80 ? 1 : tag >= 0xcc && tag <= 0xcf ? 1 + (size_t(1) << (tag - 0xcc)) : 0;
  return size <= text.size() ? size : 0;
}

/// Zeroes the two numbers that follow \p key wherever it is in \p bytes.
static void maskKey(std::vector<uint8_t> &bytes, StringRef key) {
  constexpr uint8_t arrayOfTwo = 0x92;
  StringRef text = toStringRef(bytes);
  for (size_t at = text.find(key); at != StringRef::npos; at = text.find(key, at + 1)) {
    size_t place = at + key.size();
    if (place >= bytes.size() || bytes[place++] != arrayOfTwo)
      continue;
    for (int i = 0; i < 2; ++i) {
      size_t size = getNumberSize(text.drop_front(place));
      for (size_t j = 1; j < size; ++j)
        bytes[place + j] = 0;
      place += size;
    }
  }
}

std::vector<uint8_t> assay::maskHashes(ArrayRef<uint8_t> elf) {
  std::vector<uint8_t> bytes = elf.vec();
  for (StringRef key : hashKeys)
    maskKey(bytes, key);
  return bytes;
}
