// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/math/FloatBits.h"

#include "oracles/api/Outcome.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/memory/BufferMemory.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

static Scalar floatOf(double lo, double hi, unsigned width, bool nan = false) {
  FloatRules rules;
  rules.width = static_cast<uint8_t>(width);
  return scalarOf({lo, hi, nan}, rules);
}

TEST(FloatBits, KeepTheInterval) {
  Scalar bits = bitsOfFloat(floatOf(1, 2, 32, true));
  EXPECT_TRUE(isFloatBits(bits));
  EXPECT_TRUE(bits.isPoison());
  Scalar back = floatOfBits(bits);
  EXPECT_FALSE(back.isPoison());
  EXPECT_EQ(back.lo, 1);
  EXPECT_EQ(back.hi, 2);
  EXPECT_TRUE(back.flags & MayNan);
  EXPECT_EQ(bitsOfFloat(Scalar::exact(7)).flags, 0);
  // Operations forget it.
  EXPECT_FALSE(isFloatBits(inheritPoison(bits, bits)));
}

TEST(FloatBits, OfTwoHalvesAreTakenApart) {
  Scalar low = floatOf(-1.5, 2, 16), high = floatOf(3, 4, 16, true);
  Scalar both = joinHalves(low, high);
  EXPECT_TRUE(isTwoHalves(both));
  EXPECT_EQ(both.bits, low.bits | high.bits << 16);
  Scalar first = halfOf(both, false), second = halfOf(both, true);
  EXPECT_EQ(first.lo, -1.5);
  EXPECT_EQ(first.hi, 2);
  EXPECT_FALSE(first.flags & MayNan);
  EXPECT_EQ(first.bits, low.bits);
  EXPECT_EQ(second.lo, 3);
  EXPECT_EQ(second.hi, 4);
  EXPECT_TRUE(second.flags & MayNan);
  // One of them exact.
  Scalar exact = halfOf(joinHalves(Scalar::exact(0x3c00), high), false);
  EXPECT_EQ(exact.flags, 0);
  EXPECT_EQ(exact.bits, 0x3c00u);
  EXPECT_EQ(joinHalves(Scalar::exact(1), Scalar::exact(2)).bits, 0x20001u);
  EXPECT_EQ(joinHalves(Scalar::exact(1), Scalar::exact(2)).flags, 0);
}

TEST(FloatBits, AreFloatsInMemory) {
  BufferState state;
  state.bytes.resize(16);
  BufferMemory memory(state, 0);
  memory.store(0, 4, bitsOfFloat(floatOf(1, 2, 32)));
  memory.store(4, 4, joinHalves(floatOf(0.5, 1, 16), Scalar::exact(0x4000)));
  Scalar loaded = memory.load(0, 4, /*isFloat=*/false);
  EXPECT_TRUE(isFloatBits(loaded));
  memory.store(8, 4, loaded);
  memory.store(12, 4, inheritPoison(loaded, loaded));
  memory.exportTo(state);
  ASSERT_EQ(state.intervals.size(), 3u);
  EXPECT_EQ(state.intervals[0].hi, 2);
  EXPECT_EQ(state.intervals[4].bytes, 2u);
  EXPECT_EQ(state.intervals[4].lo, 0.5);
  EXPECT_EQ(state.intervals[8].lo, 1);
  EXPECT_EQ(state.bytes[7], 0x40);
  std::map<uint64_t, uint64_t> open = {{12, 4}};
  EXPECT_EQ(state.indeterminate, open);
}
