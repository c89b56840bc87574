// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions an access becomes. What they mean is judged by oracles/fat_pointer.
#include "compiler/amdgpu/fat_pointers/BufferAccessTesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using namespace assay::amdgpu::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

static AccessTraits aligned(uint64_t align) {
  AccessTraits traits;
  traits.align = Align(align);
  return traits;
}

TEST(BufferAccess, LoadsAreCutAtTheirAlignment) {
  AccessBench bench("gfx1100");
  EXPECT_THAT(bench.load("i32", aligned(4)), ElementsAre("load.i32 +0 align 4"));
  EXPECT_THAT(bench.load("i32", aligned(2)),
              ElementsAre("load.i16 +0 align 2", "load.i16 +2 align 2"));
  EXPECT_THAT(bench.load("i32", aligned(1)),
              ElementsAre("load.i8 +0 align 1", "load.i8 +1 align 1", "load.i8 +2 align 1",
                          "load.i8 +3 align 1"));
  EXPECT_THAT(bench.load("<4 x float>", aligned(4)), ElementsAre("load.v4f32 +0 align 4"));
  EXPECT_THAT(bench.load("[5 x float]", aligned(16)),
              ElementsAre("load.v4i32 +0 align 16", "load.f32 +16 align 16"));
  EXPECT_THAT(bench.load("i24", aligned(4)),
              ElementsAre("load.i16 +0 align 4", "load.i8 +2 align 2"));
  EXPECT_THAT(bench.load("i160", aligned(4)),
              ElementsAre("load.v4i32 +0 align 4", "load.i32 +16 align 4"));
  EXPECT_THAT(bench.load("i1", aligned(1)), ElementsAre("load.i8 +0 align 1"));
  EXPECT_THAT(bench.load("<3 x i1>", aligned(1)), ElementsAre("load.i8 +0 align 1"));
  EXPECT_THAT(bench.load("{}", aligned(4)), ElementsAre());
}

TEST(BufferAccess, UnalignedAccessModeNeedsNoCutting) {
  AccessBench bench("gfx1100", "+wavefrontsize32,+unaligned-access-mode");
  EXPECT_THAT(bench.load("<3 x i32>", aligned(1)), ElementsAre("load.v3i32 +0 align 1"));
  AccessBench off("gfx1100", "+unaligned-access-mode,-unaligned-access-mode");
  EXPECT_THAT(off.load("i16", aligned(1)), ElementsAre("load.i8 +0 align 1", "load.i8 +1 align 1"));
}

TEST(BufferAccess, PaddingIsNotTouched) {
  AccessBench bench("gfx1100");
  EXPECT_THAT(bench.store("{ i8, i32, i16 }", aligned(4)),
              ElementsAre("store.i8 +0 align 4", "store.i32 +4 align 4", "store.i16 +8 align 4"));
  EXPECT_THAT(bench.store("[2 x <3 x float>]", aligned(16)),
              ElementsAre("store.v3f32 +0 align 16", "store.v3f32 +16 align 16"));
  EXPECT_THAT(bench.store("i40", aligned(4)),
              ElementsAre("store.i32 +0 align 4", "store.i8 +4 align 4"));
}

TEST(BufferAccess, NeighboursShareAnInstruction) {
  AccessBench bench("gfx1100");
  EXPECT_THAT(bench.store("{ i32, float, i16, i16, ptr addrspace(3) }", aligned(4)),
              ElementsAre("store.v4i32 +0 align 4"));
  EXPECT_THAT(bench.load("[6 x i8]", aligned(2)),
              ElementsAre("load.i16 +0 align 2", "load.i16 +2 align 2", "load.i16 +4 align 2"));
}

TEST(BufferAccess, StridedBuffersHaveAnIndex) {
  AccessBench bench("gfx1100");
  bench.isStrided = true;
  EXPECT_THAT(bench.load("[5 x i32]", aligned(4)),
              ElementsAre("struct.load.v4i32 +0 align 4", "struct.load.i32 +16 align 4"));
}

TEST(BufferAccess, AnyTypeMakesValidModules) {
  for (const char *type : {"i1",
                           "i3",
                           "i8",
                           "i16",
                           "i24",
                           "i48",
                           "i64",
                           "i65",
                           "i128",
                           "i1000",
                           "i1024",
                           "half",
                           "bfloat",
                           "float",
                           "double",
                           "fp128",
                           "ptr addrspace(1)",
                           "ptr addrspace(3)",
                           "ptr addrspace(5)",
                           "ptr addrspace(8)",
                           "<2 x ptr addrspace(1)>",
                           "<2 x ptr addrspace(8)>",
                           "<3 x i1>",
                           "<5 x i3>",
                           "<6 x i8>",
                           "<3 x half>",
                           "<2 x bfloat>",
                           "<7 x float>",
                           "<64 x i32>",
                           "<3 x i24>",
                           "[17 x <4 x float>]",
                           "{ i8, { i1, fp128 }, [3 x i16], <2 x half> }",
                           "<{ i8, i32, i64 }>",
                           "[0 x i32]",
                           "{ [2 x { i8, i16 }], i1 }"})
    for (uint64_t align : {1, 2, 4, 16}) {
      AccessBench bench("gfx900");
      bench.load(type, aligned(align));
      bench.store(type, aligned(align));
    }
}

TEST(BufferAccess, AtomicLoadsBypassCaches) {
  AccessTraits traits = aligned(4);
  traits.ordering = AtomicOrdering::Monotonic;
  struct {
    const char *chip;
    const char *features;
    const char *scope;
    const char *expected;
  } rows[] = {{"gfx900", "", "agent", "atomic.load.i32 +0 align 4 aux 1"},
              {"gfx900", "", "workgroup", "atomic.load.i32 +0 align 4"},
              {"gfx1030", "", "agent", "atomic.load.i32 +0 align 4 aux 5"},
              {"gfx1030", "", "workgroup", "atomic.load.i32 +0 align 4 aux 1"},
              {"gfx1030", "+cumode", "workgroup", "atomic.load.i32 +0 align 4"},
              {"gfx1100", "", "", "atomic.load.i32 +0 align 4 aux 1"},
              {"gfx1201", "", "workgroup", "atomic.load.i32 +0 align 4 aux 8"},
              {"gfx1201", "", "agent-one-as", "atomic.load.i32 +0 align 4 aux 16"},
              {"gfx1201", "", "", "atomic.load.i32 +0 align 4 aux 24"},
              {"gfx1201", "", "wavefront", "atomic.load.i32 +0 align 4"}};
  for (const auto &row : rows) {
    AccessBench bench(row.chip, row.features);
    traits.scope = bench.scope(row.scope);
    EXPECT_THAT(bench.load("i32", traits), ElementsAre(row.expected)) << row.chip << row.scope;
  }
}

TEST(BufferAccess, FencesStandAroundOrderedAccesses) {
  AccessBench bench("gfx1100");
  AccessTraits traits = aligned(4);
  traits.scope = bench.scope("agent");
  traits.ordering = AtomicOrdering::Acquire;
  EXPECT_THAT(bench.load("i32", traits),
              ElementsAre("atomic.load.i32 +0 align 4 aux 1", "fence agent acquire"));
  traits.ordering = AtomicOrdering::Release;
  EXPECT_THAT(bench.store("i32", traits),
              ElementsAre("fence agent release", "store.i32 +0 align 4"));
  traits.ordering = AtomicOrdering::SequentiallyConsistent;
  EXPECT_THAT(bench.load("float", traits),
              ElementsAre("fence agent release", "atomic.load.f32 +0 align 4 aux 1",
                          "fence agent acquire"));
}

TEST(BufferAccess, PromisesGoToEveryPiece) {
  AccessBench bench("gfx1100");
  AccessTraits traits = aligned(4);
  traits.isVolatile = true;
  EXPECT_THAT(bench.load("i64", traits),
              ElementsAre("atomic.load.v2i32 +0 align 4 aux 2147483648"));
  traits = aligned(4);
  traits.isInvariant = traits.isNontemporal = true;
  EXPECT_THAT(bench.load("[5 x i32]", traits),
              ElementsAre("load.v4i32 +0 align 4 invariant nontemporal",
                          "load.i32 +16 align 4 invariant nontemporal"));
}

TEST(BufferAccess, RefusesWhatCannotBeAtomic) {
  AccessBench bench("gfx1100");
  EXPECT_EQ(bench.verify("store atomic i64 0, ptr addrspace(7) %p monotonic, align 8"), "");
  EXPECT_THAT(bench.verify("store atomic i64 0, ptr addrspace(7) %p monotonic, align 4"),
              HasSubstr("naturally aligned"));
  EXPECT_THAT(bench.verify("store atomic i128 0, ptr addrspace(7) %p monotonic, align 16"),
              HasSubstr("128 bits"));
  EXPECT_EQ(bench.verify("store i128 0, ptr addrspace(7) %p, align 1"), "");
}
