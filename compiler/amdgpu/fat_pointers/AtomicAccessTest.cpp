// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which atomics are native on which chip, and what the others become.
#include "compiler/amdgpu/fat_pointers/BufferAccessTesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using namespace assay::amdgpu::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using BinOp = AtomicRMWInst::BinOp;

static AccessTraits monotonic(AccessBench &bench, uint64_t align) {
  AccessTraits traits;
  traits.align = Align(align);
  traits.ordering = AtomicOrdering::Monotonic;
  traits.scope = bench.scope("agent");
  return traits;
}

namespace {
struct Row {
  BinOp operation;
  const char *type;
  /// Chips that have it, among gfx900, gfx1030, gfx1100, gfx1201; "all", "none".
  const char *chips;
  const char *name;
};
} // namespace

TEST(AtomicAccess, NativeWhereTheTargetHasIt) {
  static const Row rows[] = {
      {BinOp::Add, "i32", "all", "atomic.add.i32"},
      {BinOp::Sub, "i64", "all", "atomic.sub.i64"},
      {BinOp::And, "i32", "all", "atomic.and.i32"},
      {BinOp::Or, "i64", "all", "atomic.or.i64"},
      {BinOp::Xor, "i32", "all", "atomic.xor.i32"},
      {BinOp::Max, "i32", "all", "atomic.smax.i32"},
      {BinOp::Min, "i64", "all", "atomic.smin.i64"},
      {BinOp::UMax, "i64", "all", "atomic.umax.i64"},
      {BinOp::UMin, "i32", "all", "atomic.umin.i32"},
      {BinOp::UIncWrap, "i32", "all", "atomic.inc.i32"},
      {BinOp::UDecWrap, "i64", "all", "atomic.dec.i64"},
      {BinOp::Xchg, "i32", "all", "atomic.swap.i32"},
      {BinOp::Xchg, "float", "all", "atomic.swap.i32"},
      {BinOp::Xchg, "double", "all", "atomic.swap.i64"},
      {BinOp::Xchg, "ptr addrspace(1)", "all", "atomic.swap.i64"},
      {BinOp::USubCond, "i32", "gfx1201", "atomic.cond.sub.u32.i32"},
      {BinOp::USubSat, "i32", "gfx1030 gfx1100 gfx1201", "atomic.sub.clamp.u32.i32"},
      {BinOp::FAdd, "float", "gfx1201", "atomic.fadd.f32"},
      {BinOp::FAdd, "<2 x half>", "gfx1201", "atomic.fadd.v2f16"},
      {BinOp::FAdd, "<2 x bfloat>", "gfx1201", "atomic.fadd.v2bf16"},
      {BinOp::FMin, "float", "gfx1030 gfx1100 gfx1201", "atomic.fmin.f32"},
      {BinOp::FMax, "double", "gfx1030", "atomic.fmax.f64"},
      {BinOp::Nand, "i32", "none", ""},
      {BinOp::FSub, "float", "none", ""},
      {BinOp::FMaximum, "float", "none", ""},
      {BinOp::FMinimum, "double", "none", ""},
      {BinOp::FAdd, "double", "none", ""},
      {BinOp::USubCond, "i64", "none", ""},
  };
  for (const Row &row : rows)
    for (const char *chip : {"gfx900", "gfx1030", "gfx1100", "gfx1201"}) {
      AccessBench bench(chip);
      auto lines = bench.atomic(row.operation, row.type, monotonic(bench, 8));
      StringRef chips = row.chips;
      std::string all = join(lines, "; ");
      if (chips == "all" || chips.contains(chip))
        EXPECT_EQ(all, std::string(row.name) + " +0 align 8" +
                           (StringRef(chip) == "gfx1201" ? " aux 16" : "")) // Device scope.
            << chip;
      else
        EXPECT_THAT(all, HasSubstr("cmpswap")) << chip;
    }
}

TEST(AtomicAccess, FlushingAddsNeedLeave) {
  AccessBench bench("gfx1100");
  AccessTraits traits = monotonic(bench, 4);
  EXPECT_THAT(bench.atomic(BinOp::FAdd, "float", traits).back(), HasSubstr("cmpswap"));
  traits.ignoresDenormalMode = true;
  EXPECT_THAT(bench.atomic(BinOp::FAdd, "float", traits),
              ElementsAre("atomic.fadd.f32 +0 align 4"));
  traits.ignoresDenormalMode = false;
  bench.attributes = " \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"";
  EXPECT_THAT(bench.atomic(BinOp::FAdd, "float", traits),
              ElementsAre("atomic.fadd.f32 +0 align 4"));
}

TEST(AtomicAccess, LoopsLoadOnceAndSwap) {
  AccessBench bench("gfx900");
  EXPECT_THAT(bench.atomic(BinOp::Nand, "i64", monotonic(bench, 8)),
              ElementsAre("atomic.load.v2i32 +0 align 8 aux 1", "atomic.cmpswap.i64 +0 align 8"));
  EXPECT_THAT(bench.text(), HasSubstr("br i1"));
}

TEST(AtomicAccess, NarrowOnesWorkOnTheirDword) {
  AccessBench bench("gfx1100");
  EXPECT_THAT(
      bench.atomic(BinOp::Add, "i8", monotonic(bench, 1)),
      ElementsAre("atomic.load.i32 at and align 4 aux 1", "atomic.cmpswap.i32 at and align 4"));
  EXPECT_THAT(bench.atomic(BinOp::Or, "i16", monotonic(bench, 2)),
              ElementsAre("atomic.or.i32 at and align 4"));
  EXPECT_THAT(
      bench.exchange("i8", monotonic(bench, 1)),
      ElementsAre("atomic.load.i32 at and align 4 aux 1", "atomic.cmpswap.i32 at and align 4"));
}

TEST(AtomicAccess, FencesStandOutsideTheLoop) {
  AccessBench bench("gfx1100");
  AccessTraits traits = monotonic(bench, 4);
  traits.ordering = AtomicOrdering::AcquireRelease;
  EXPECT_THAT(bench.atomic(BinOp::FSub, "float", traits),
              ElementsAre("fence agent release", "atomic.load.i32 +0 align 4 aux 1",
                          "atomic.cmpswap.i32 +0 align 4", "fence agent acquire"));
}

TEST(AtomicAccess, FencesStandAroundAnExchange) {
  AccessBench bench("gfx1100");
  AccessTraits traits = monotonic(bench, 4);
  traits.ordering = AtomicOrdering::Acquire;
  EXPECT_THAT(bench.exchange("i32", traits),
              ElementsAre("atomic.cmpswap.i32 +0 align 4", "fence agent acquire"));
  traits.ordering = AtomicOrdering::SequentiallyConsistent;
  EXPECT_THAT(
      bench.exchange("ptr addrspace(1)", traits),
      ElementsAre("fence agent release", "atomic.cmpswap.i64 +0 align 4", "fence agent acquire"));
}

TEST(AtomicAccess, ExchangeOrdersByTheStrongerSide) {
  LLVMContext context;
  BasicBlock *block = BasicBlock::Create(context);
  IRBuilder<> builder(block);
  Value *pointer = PoisonValue::get(builder.getPtrTy(7));
  auto orderOf = [&](AtomicOrdering success, AtomicOrdering failure) {
    Value *zero = builder.getInt32(0);
    return getAccessTraits(
               *builder.CreateAtomicCmpXchg(pointer, zero, zero, Align(4), success, failure))
        .ordering;
  };
  EXPECT_EQ(orderOf(AtomicOrdering::Monotonic, AtomicOrdering::Acquire), AtomicOrdering::Acquire);
  EXPECT_EQ(orderOf(AtomicOrdering::Release, AtomicOrdering::Acquire),
            AtomicOrdering::AcquireRelease);
  EXPECT_EQ(orderOf(AtomicOrdering::Release, AtomicOrdering::SequentiallyConsistent),
            AtomicOrdering::SequentiallyConsistent);
  EXPECT_EQ(orderOf(AtomicOrdering::AcquireRelease, AtomicOrdering::Monotonic),
            AtomicOrdering::AcquireRelease);
  delete block;
}

TEST(AtomicAccess, EveryOperationOfEveryWidthIsValid) {
  for (unsigned i = BinOp::FIRST_BINOP; i <= BinOp::LAST_BINOP; ++i) {
    auto operation = static_cast<BinOp>(i);
    bool isFloat = AtomicRMWInst::isFPOperation(operation);
    static const char *const floats[] = {"half", "bfloat", "float", "double", "<2 x half>"};
    static const char *const integers[] = {"i8", "i16", "i32", "i64"};
    for (const char *type : isFloat ? ArrayRef(floats) : ArrayRef(integers))
      for (const char *chip : {"gfx900", "gfx1030", "gfx1100", "gfx1201", "gfx942"})
        for (bool isStrided : {false, true}) {
          AccessBench bench(chip);
          bench.isStrided = isStrided;
          bench.atomic(operation, type, monotonic(bench, 8));
        }
  }
}
