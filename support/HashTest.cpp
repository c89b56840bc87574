// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Hash.h"

#include "gtest/gtest.h"
#include <set>

using namespace assay;

TEST(Hash, OfNothingIsXxh3s) {
  // The value that xxHash's own specification gives for empty input and seed 0.
  EXPECT_EQ(printHash(CanonicalBytes().hash()), "99aa06d3014798d86001c324468d497f");
}

TEST(Hash, BytesAreLittleEndianWithLengths) {
  CanonicalBytes bytes;
  bytes.add(0x0102).add("ab");
  EXPECT_EQ(bytes.str(), llvm::StringRef("\2\1\0\0\0\0\0\0\2\0\0\0\0\0\0\0ab", 18));
}

TEST(Hash, SequencesDiffer) {
  std::set<Hash128> hashes = {
      CanonicalBytes().hash(),
      CanonicalBytes().add("").hash(),
      CanonicalBytes().add("ab").hash(),
      CanonicalBytes().add("a").add("b").hash(),
      CanonicalBytes().add(1).hash(),
      CanonicalBytes().add(1).add(uint64_t(0)).hash(),
      CanonicalBytes().add(Hash128{1, 2}).hash(),
      CanonicalBytes().add(Hash128{2, 1}).hash(),
  };
  EXPECT_EQ(hashes.size(), 8u);
}
