// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated problems of register allocation, and a checker that shares nothing with the allocator.
#include "compiler/ir3/passes/AllocateRegisters.h"
#include "compiler/ir3/passes/LowerOperands.h"
#include "compiler/ir3/passes/Optimize.h"
#include "compiler/ir3/passes/PrepareAllocation.h"
#include "oracles/ir3_compiler/AllocationChecker.h"
#include "oracles/ir3_compiler/Generator.h"
#include "support/Error.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace assay::ir3 {

static void prepare(Program &program, const GeneratorOptions &shape, uint64_t seed,
                    Grouping grouping = Grouping::MergeSets) {
  program.constDwords = 16;
  Generator(program, shape, seed).run();
  if (seed % 2)
    optimizeProgram(program);
  EXPECT_FALSE(bool(lowerOperands(program)));
  lowerAddresses(program);
  removeDeadCode(program);
  if (grouping == Grouping::Neighbors)
    groupNeighbors(program);
  prepareAllocation(program, grouping);
}

static GeneratorOptions shapeOf(uint64_t seed) {
  GeneratorOptions shape;
  shape.statements = unsigned(10 + seed % 40);
  shape.values = unsigned(4 + seed % 50);
  return shape;
}

static uint64_t scaled(uint64_t sample, uint64_t full) {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? full : sample;
}

TEST(Ir3Allocate, Row40And52NoValueIsOverwritten) {
  unsigned spilled = 0;
  for (uint64_t seed = 1; seed <= scaled(300, 10'000); ++seed) {
    Program program(*findCompiler(seed % 5 ? "a630" : "a420"));
    prepare(program, shapeOf(seed), seed);
    AllocationOptions options;
    if (program.compiler().hasPrivateMemory) {
      options.vectors = seed % 3 ? 0 : unsigned(5 + seed % 4);
      options.spillAll = seed % 7 == 0;
    }
    Expected<AllocationResult> result = allocateRegisters(program, options);
    ASSERT_TRUE(bool(result)) << "seed " << seed << ": " << takeError(result.takeError()).message;
    spilled += result->spills != 0;
    std::string error = AllocationChecker(program).run();
    ASSERT_EQ(error, "") << "seed " << seed << "\n" << print(program);
  }
  EXPECT_GT(spilled, 20u);
}

/// Any collects with sources in common can be allocated, with copies of conflicts alone.
TEST(Ir3Allocate, Row26NeighborsGetTheirRegisters) {
  for (uint64_t seed = 1; seed <= scaled(200, 5000); ++seed) {
    Program program(*findCompiler(seed % 5 ? "a630" : "a420"));
    prepare(program, shapeOf(seed), seed, Grouping::Neighbors);
    Expected<AllocationResult> result = allocateRegisters(program, {});
    ASSERT_TRUE(bool(result)) << "seed " << seed << ": " << takeError(result.takeError()).message;
    std::string error = AllocationChecker(program).run();
    ASSERT_EQ(error, "") << "seed " << seed << "\n" << print(program);
  }
}

/// The checker finds a value that shares a register with another one.
TEST(Ir3Allocate, Row52CheckerFindsOverlaps) {
  unsigned found = 0, tried = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Program program(*findCompiler("a630"));
    prepare(program, shapeOf(seed), seed);
    Expected<AllocationResult> result = allocateRegisters(program, {});
    ASSERT_TRUE(bool(result));
    // A value that is used later moves into the register of the next result.
    std::vector<Instruction *> all = program.instructions();
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      Instruction *inst = all[i], *next = all[i + 1];
      bool isValue = inst->dst().isSsa() && next->dst().isSsa() && !inst->isMeta() &&
                     !next->isMeta() && inst->dst().flags == next->dst().flags &&
                     inst->dst().number != next->dst().number && !next->isPlainMove();
      bool isUsedLater = any_of(ArrayRef(all).drop_front(i + 2), [&](Instruction *user) {
        return is_contained(user->ssaSources(), inst);
      });
      if (!isValue || !isUsedLater)
        continue;
      ++tried;
      inst->dst().number = next->dst().number;
      for (Instruction *user : all)
        for (Register &source : user->sources())
          if (source.isSsa() && source.def == inst)
            source.number = next->dst().number;
      found += !AllocationChecker(program).run().empty();
      break;
    }
  }
  EXPECT_GT(tried, 20u);
  EXPECT_EQ(found, tried);
}

} // namespace assay::ir3
