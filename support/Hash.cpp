// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Hash.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

std::string assay::printHash(const Hash128 &hash) {
  return utohexstr(hash.high, /*LowerCase=*/true, /*Width=*/16) +
         utohexstr(hash.low, /*LowerCase=*/true, /*Width=*/16);
}

CanonicalBytes &CanonicalBytes::add(uint64_t number) {
  char bytes[8];
  support::endian::write64le(bytes, number);
  m_bytes.append(bytes, sizeof(bytes));
  return *this;
}

CanonicalBytes &CanonicalBytes::add(StringRef text) {
  add(uint64_t(text.size()));
  m_bytes.append(text.begin(), text.end());
  return *this;
}

Hash128 CanonicalBytes::hash() const {
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(m_bytes));
  return {hash.low64, hash.high64};
}
