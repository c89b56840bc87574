// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/ElfHashes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <optional>

using namespace llvm;
using namespace assay;

/// Bytes that begin an array of two elements and a 64-bit number in msgpack.
static constexpr uint8_t arrayOfTwo = 0x92, uint64Tag = 0xcf;
static constexpr size_t uint64Size = 9;

/// Returns whether msgpack writes \p number in 64 bits.
static bool isWide(uint64_t number) {
  return number > UINT32_MAX;
}

/// Returns the offset of the tag of the first number of the hash called \p key. Nothing where the
/// key is not there exactly once, or its numbers are not both written in 64 bits.
static std::optional<size_t> findHash(ArrayRef<uint8_t> elf, StringRef key) {
  StringRef text = toStringRef(elf);
  size_t place = text.find(key);
  if (place == StringRef::npos || text.find(key, place + 1) != StringRef::npos)
    return std::nullopt;
  place += key.size();
  if (elf.size() < place + 1 + 2 * uint64Size || elf[place] != arrayOfTwo ||
      elf[place + 1] != uint64Tag || elf[place + 1 + uint64Size] != uint64Tag)
    return std::nullopt;
  return place + 1;
}

/// Overwrites the two numbers that begin with the tag at \p place. msgpack numbers are big-endian.
static void writeHash(uint8_t *place, const Hash128 &hash) {
  support::endian::write64be(place + 1, hash.low);
  support::endian::write64be(place + 1 + uint64Size, hash.high);
}

/// Returns false, with \p elf unchanged, where a hash is not found or a new number would need fewer
/// bytes.
bool pal::setElfHashes(std::vector<uint8_t> &elf, const Hash128 &pipeline, const Hash128 &shader) {
  std::optional<size_t> first = findHash(elf, ".internal_pipeline_hash");
  std::optional<size_t> second = findHash(elf, ".api_shader_hash");
  if (!first || !second || !isWide(pipeline.low) || !isWide(pipeline.high) || !isWide(shader.low) ||
      !isWide(shader.high))
    return false;
  writeHash(&elf[*first], pipeline);
  writeHash(&elf[*second], shader);
  return true;
}
