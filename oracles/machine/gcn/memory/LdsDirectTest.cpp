// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LDS as a source of vector operations, by the data types of the manuals.
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// v0 of all lanes after v_mov_b32 v0, src_lds_direct with \p m0.
static uint32_t readBy(uint32_t m0) {
  WaveBench bench("gfx1030", 32, "v_mov_b32 v0, src_lds_direct");
  Wave &wave = *bench.wave;
  wave.group->lds = {0x11, 0x82, 0x93, 0xa4, 0x55, 0x66, 0x77, 0x88};
  wave.s[sreg::M0] = m0;
  EXPECT_TRUE(bench.run());
  for (unsigned lane = 1; lane < 32; ++lane)
    EXPECT_EQ(wave.v[0][lane], wave.v[0][0]);
  return wave.v[0][0];
}

TEST(LdsDirect, TypesAreThoseOfM0) {
  EXPECT_EQ(readBy(0x00001), 0x82u);
  EXPECT_EQ(readBy(0x10002), 0xa493u);
  EXPECT_EQ(readBy(0x20004), 0x88776655u);
  EXPECT_EQ(readBy(0x40001), 0xffffff82u);
  EXPECT_EQ(readBy(0x50002), 0xffffa493u);
}

TEST(LdsDirect, ModifiersAndOtherSourcesHold) {
  WaveBench bench("gfx900", 64, "v_sub_f32_e64 v0, |src_lds_direct|, -v1");
  Wave &wave = *bench.wave;
  wave.group->lds = {0, 0, 0x80, 0xbf}; // -1.0
  wave.s[sreg::M0] = 0x20000;
  wave.v[1].fill(bit_cast<uint32_t>(3.0f));
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(bit_cast<float>(wave.v[0][5]), 4.0f);
}

TEST(LdsDirect, WhatIsNotThereEndsTheRun) {
  for (uint32_t m0 : {0x30000u, 0x20100u}) {
    WaveBench bench("gfx1030", 32, "v_mov_b32 v0, src_lds_direct");
    bench.wave->group->lds.resize(16);
    bench.wave->s[sreg::M0] = m0;
    bench.step();
    EXPECT_NE(bench.failure(), "");
  }
}
