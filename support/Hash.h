// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 128-bit hashes, and the canonical bytes that they are hashes of: the same on every host, in every
// process and at every address.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <compare>
#include <cstdint>
#include <string>

namespace assay {

/// XXH3, 128 bits.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;

  auto operator<=>(const Hash128 &) const = default;
};

/// 32 hexadecimal digits, the high half first.
std::string printHash(const Hash128 &hash);

/// Bytes to hash: each number as 64 bits, little endian; each text preceded by its length. So two
/// sequences of add() have the same bytes only when they add the same numbers and texts.
class CanonicalBytes {
public:
  CanonicalBytes &add(uint64_t number);
  CanonicalBytes &add(llvm::StringRef text);
  CanonicalBytes &add(const Hash128 &hash) { return add(hash.low).add(hash.high); }

  Hash128 hash() const;
  llvm::StringRef str() const { return m_bytes; }
  std::string take() { return std::move(m_bytes); }

private:
  std::string m_bytes;
};

} // namespace assay
