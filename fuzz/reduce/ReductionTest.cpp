// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions keep modules well-formed, make them smaller, and come to an end; which of them takes
// what away is seen on modules of a few lines.
#include "fuzz/reduce/Reduction.h"
#include "compiler/spirv/Module.h"
#include "fuzz/generate/Generator.h"
#include "fuzz/program/Definitions.h"
#include "support/Error.h"
#include "support/Random.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static bool isValid(const Program &program) {
  Error error = spirv::validate(encode(program));
  bool valid = !error;
  consumeError(std::move(error));
  return valid;
}

static Program applied(Program program, const ProgramReduction &row, ArrayRef<Chance> chances) {
  row.apply(program, chances);
  repair(program);
  return program;
}

static const ProgramReduction &rowNamed(StringRef name) {
  return *find_if(programReductions(), [&](const auto &row) { return row.name == name; });
}

static Program assembled(StringRef text) {
  return cantFail(decode(cantFail(spirv::assemble(text))));
}

/// Without line information, which a decoded module never has.
static Program generated(uint64_t seed) {
  return cantFail(decode(encode(generate(seed, cantFail(findProfile("default"))).program)));
}

namespace {
struct Tally {
  unsigned tried = 0, valid = 0;
};
} // namespace

TEST(Reduction, SingleChancesOftenStayValid) {
  std::map<StringRef, Tally> tallies;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Program program = generated(seed);
    Random random(seed);
    for (const ProgramReduction &row : programReductions()) {
      std::vector<Chance> chances = row.find(program);
      for (unsigned i = 0; i < 4 && !chances.empty(); ++i) {
        Program smaller = applied(program, row, random.pick(ArrayRef(chances)));
        Tally &tally = tallies[row.name];
        ++tally.tried;
        tally.valid += isValid(smaller);
        EXPECT_FALSE(smaller == program) << row.name.str();
        EXPECT_TRUE(cantFail(decode(encode(smaller))) == smaller) << row.name.str();
      }
    }
  }
  unsigned tried = 0, valid = 0;
  for (const auto &[name, tally] : tallies) {
    tried += tally.tried;
    valid += tally.valid;
    RecordProperty(name.str(), std::to_string(tally.valid) + "/" + std::to_string(tally.tried));
  }
  // Each candidate that is invalid costs a validation; more must not be wasted than is used.
  EXPECT_GE(valid * 3, tried * 2) << valid << " of " << tried;
  EXPECT_GE(tallies.size(), 20u) << "most reductions find something in generated modules";
}

TEST(Reduction, AllChancesTogetherLeaveDecodableModules) {
  for (uint64_t seed = 10; seed < 16; ++seed) {
    Program program = generated(seed);
    for (const ProgramReduction &row : programReductions()) {
      Program smaller = applied(program, row, row.find(program));
      EXPECT_TRUE(cantFail(decode(encode(smaller))) == smaller) << row.name.str();
      sweep(smaller);
      EXPECT_TRUE(countInstructions(smaller) <= countInstructions(program)) << row.name.str();
    }
  }
}

TEST(Reduction, TakingChancesEnds) {
  Program program = generated(3);
  // One chance at a time, whatever it does to validity: the number of rounds is bounded.
  for (const ProgramReduction &row : programReductions()) {
    Program current = program;
    size_t limit = 4 * row.find(current).size() + 64 * countInstructions(current);
    size_t taken = 0;
    for (std::vector<Chance> chances = row.find(current); !chances.empty() && taken <= limit;
         chances = row.find(current), ++taken) {
      Program next = applied(current, row, chances.front());
      ASSERT_FALSE(next == current) << row.name.str() << " proposes what changes nothing";
      current = std::move(next);
    }
    EXPECT_LE(taken, limit) << row.name.str();
  }
}

TEST(Reduction, SweepKeepsMeaningAndRemovesTheRest) {
  Program program = generated(5);
  ASSERT_TRUE(isValid(program));
  Program swept = program;
  sweep(swept);
  EXPECT_TRUE(isValid(swept));
  Program twice = swept;
  sweep(twice);
  EXPECT_TRUE(twice == swept);
}

static constexpr StringLiteral header = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %out
OpExecutionMode %main LocalSize 8 4 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%ten = OpConstant %uint 10
%true = OpConstantTrue %bool
%block = OpTypeStruct %uint %uint
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%plocal = OpTypePointer Function %uint
%out = OpVariable %pblock StorageBuffer
%fvoid = OpTypeFunction %void
%fuint = OpTypeFunction %uint %uint
)";

static const std::string loop = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%p = OpAccessChain %puint %out %zero
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %zero %entry %j %next
%c = OpULessThan %bool %i %ten
OpLoopMerge %done %next None
OpBranchConditional %c %body %done
%body = OpLabel
OpStore %p %i
OpBranch %next
%next = OpLabel
%j = OpIAdd %uint %i %ten
OpBranch %head
%done = OpLabel
OpStore %p %i
OpReturn
OpFunctionEnd
)";

static size_t countBlocks(const Program &program) {
  size_t count = 0;
  for (const fuzz::Function &function : program.functions)
    count += function.blocks.size();
  return count;
}

TEST(Reduction, LoopsAreSkippedOrRunOnce) {
  Program program = assembled(loop);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &skip = rowNamed("skip-loops");
  Program skipped = applied(program, skip, skip.find(program));
  EXPECT_TRUE(isValid(skipped));
  EXPECT_EQ(countBlocks(skipped), 3u);
  const ProgramReduction &once = rowNamed("run-loops-once");
  Program straight = applied(program, once, once.find(program));
  EXPECT_TRUE(isValid(straight));
  EXPECT_EQ(countBlocks(straight), 5u);
  const ProgramReduction &join = rowNamed("join-blocks");
  straight = applied(straight, join, join.find(straight));
  EXPECT_TRUE(isValid(straight));
  EXPECT_EQ(countBlocks(straight), 1u);
}

TEST(Reduction, WhatFollowsALoopSeesItsOneRun) {
  // After the loop, a phi of the header and one of the merge block, which leaves early, too.
  std::string text = loop;
  StringRef early = "OpStore %p %i\nOpBranch %next";
  text.replace(text.find(early), early.size(),
               "OpStore %p %i\nOpBranchConditional %true %next %done");
  StringRef done = "%done = OpLabel\nOpStore %p %i";
  text.replace(
      text.find(done), done.size(),
      "%done = OpLabel\n%m = OpPhi %uint %i %head %ten %body\nOpStore %p %m\nOpStore %p %i");
  Program program = assembled(text);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &once = rowNamed("run-loops-once");
  Program straight = applied(program, once, once.find(program));
  const ProgramReduction &join = rowNamed("join-blocks");
  straight = applied(straight, join, join.find(straight));
  ASSERT_TRUE(isValid(straight));
  ASSERT_EQ(countBlocks(straight), 1u);
  std::vector<fuzz::Instruction> stores;
  Id sum = 0;
  for (const fuzz::Instruction &each : straight.functions[0].blocks[0].body) {
    if (each.opcode == spv::Op::OpStore)
      stores.push_back(each);
    if (each.opcode == spv::Op::OpIAdd)
      sum = each.result;
  }
  ASSERT_EQ(stores.size(), 3u);
  EXPECT_NE(stores[0].word(1), sum) << "in the loop";
  EXPECT_EQ(stores[1].word(1), sum);
  EXPECT_EQ(stores[2].word(1), sum);
}

TEST(Reduction, CountersBecomeWhatNobodyKnows) {
  Program program = assembled(loop);
  const ProgramReduction &row = rowNamed("uncount-loops");
  ASSERT_EQ(row.find(program).size(), 1u);
  Program straight = applied(program, row, row.find(program));
  EXPECT_TRUE(row.find(straight).empty());
  const ProgramReduction &join = rowNamed("join-blocks");
  straight = applied(straight, join, join.find(straight));
  sweep(straight);
  ASSERT_TRUE(isValid(straight));
  ASSERT_EQ(countBlocks(straight), 1u);
  Id index = findBuiltIn(straight, spv::BuiltIn::LocalInvocationIndex);
  ASSERT_NE(index, 0u);
  SmallVector<Id, 2> stored;
  Id load = 0, sum = 0;
  for (const fuzz::Instruction &each : straight.functions[0].blocks[0].body) {
    if (each.opcode == spv::Op::OpLoad && each.word(0) == index)
      load = each.result;
    if (each.opcode == spv::Op::OpStore)
      stored.push_back(each.word(1));
    if (each.opcode == spv::Op::OpIAdd)
      sum = each.result;
  }
  EXPECT_EQ(stored, (SmallVector<Id, 2>{load, load})) << "in the loop, and after it";
  EXPECT_EQ(sum, 0u) << "nothing counts any more";
}

static const std::string calls = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%local = OpVariable %plocal Function
%p = OpAccessChain %puint %out %zero
OpStore %local %ten
%r = OpFunctionCall %uint %f %ten
OpStore %p %r
OpReturn
OpFunctionEnd
%f = OpFunction %uint None %fuint
%x = OpFunctionParameter %uint
%fentry = OpLabel
%y = OpIAdd %uint %x %ten
OpReturnValue %y
OpFunctionEnd
)";

TEST(Reduction, CallsGoOrAreInlined) {
  Program program = assembled(calls);
  ASSERT_TRUE(isValid(program));
  for (StringRef name : {"drop-calls", "inline-calls", "drop-parameters"}) {
    const ProgramReduction &row = rowNamed(name);
    ASSERT_EQ(row.find(program).size(), 1u) << name.str();
    Program smaller = applied(program, row, row.find(program));
    EXPECT_TRUE(isValid(smaller)) << name.str();
    sweep(smaller);
    EXPECT_TRUE(isValid(smaller)) << name.str();
    EXPECT_EQ(smaller.functions.size(), name == "drop-parameters" ? 2u : 1u);
  }
}

TEST(Reduction, SweepTakesVariablesThatAreOnlyWritten) {
  Program program = assembled(calls);
  sweep(program);
  ASSERT_TRUE(isValid(program));
  EXPECT_EQ(countInstructions(program), 6u); // Chain, call, store, return; add, return.
}

static const std::string values = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%p = OpAccessChain %puint %out %zero
%loaded = OpLoad %uint %p
%sum = OpIAdd %uint %loaded %ten
OpStore %p %sum
OpReturn
OpFunctionEnd
)";

TEST(Reduction, ResultsBecomeNumbersAndConstants) {
  Program program = assembled(values);
  // What is added in the first place that takes the load's place.
  auto addends = [&](StringRef name) {
    const ProgramReduction &row = rowNamed(name);
    std::set<uint32_t> found;
    for (const Chance &chance : row.find(program)) {
      Program smaller = applied(program, row, chance);
      EXPECT_TRUE(isValid(smaller)) << name.str();
      Definitions definitions(smaller);
      for (const fuzz::Instruction &each : smaller.functions.front().blocks.front().body)
        if (each.opcode == spv::Op::OpIAdd)
          if (const fuzz::Instruction *addend = definitions.find(each.word(0));
              addend && addend->opcode == spv::Op::OpConstant)
            found.insert(addend->word(0));
    }
    return found;
  };
  EXPECT_EQ(addends("numbers-for-results"), (std::set<uint32_t>{1, ~0u}));
  EXPECT_EQ(addends("constants-for-results"), (std::set<uint32_t>{10}));
}

static const std::string branchingCall = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%p = OpAccessChain %puint %out %zero
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %zero %entry %j %next
%c = OpULessThan %bool %i %ten
OpLoopMerge %done %next None
OpBranchConditional %c %next %done
%next = OpLabel
%j = OpFunctionCall %uint %f %i
OpBranch %head
%done = OpLabel
OpStore %p %i
OpReturn
OpFunctionEnd
%f = OpFunction %uint None %fuint
%x = OpFunctionParameter %uint
%fentry = OpLabel
%local = OpVariable %plocal Function
%d = OpULessThan %bool %x %ten
OpSelectionMerge %both None
OpBranchConditional %d %yes %both
%yes = OpLabel
%y = OpIAdd %uint %x %ten
OpBranch %both
%both = OpLabel
%z = OpPhi %uint %x %fentry %y %yes
OpStore %local %z
OpReturnValue %z
OpFunctionEnd
)";

TEST(Reduction, FunctionsWithBranchesAreInlined) {
  Program program = assembled(branchingCall);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &row = rowNamed("inline-calls");
  ASSERT_EQ(row.find(program).size(), 1u);
  Program smaller = applied(program, row, row.find(program));
  EXPECT_TRUE(isValid(smaller));
  EXPECT_TRUE(row.find(smaller).empty());
  sweep(smaller);
  ASSERT_TRUE(isValid(smaller));
  EXPECT_EQ(smaller.functions.size(), 1u);
  EXPECT_EQ(countBlocks(smaller), 6u) << "%next is three blocks now";
}

static const std::string variables = header.str() + R"(
%vec = OpTypeVector %uint 2
%one = OpConstant %uint 1
%pvec = OpTypePointer Function %vec
%main = OpFunction %void None %fvoid
%entry = OpLabel
%k = OpVariable %plocal Function %ten
%v = OpVariable %pvec Function
%late = OpVariable %plocal Function
%p = OpAccessChain %puint %out %zero
%v1 = OpAccessChain %plocal %v %one
OpStore %v1 %ten
OpBranch %head
%head = OpLabel
OpLoopMerge %done %next None
OpBranch %test
%test = OpLabel
%i = OpLoad %uint %k
%c = OpULessThan %bool %i %ten
OpBranchConditional %c %body %done
%body = OpLabel
%e = OpLoad %uint %v1
OpStore %p %e
OpBranch %next
%next = OpLabel
%old = OpLoad %uint %k
%new = OpIAdd %uint %old %one
OpStore %k %new
OpStore %late %new
OpBranch %head
%done = OpLabel
%last = OpLoad %uint %k
%before = OpLoad %uint %late
%sum = OpIAdd %uint %last %before
OpStore %p %sum
OpReturn
OpFunctionEnd
)";

/// Operands that are ids of constants become their numbers, others 0.
static std::vector<uint32_t> numbersIn(const Program &program, const fuzz::Instruction &user) {
  Definitions definitions(program);
  std::vector<uint32_t> numbers;
  for (const Operand &operand : user.operands) {
    const fuzz::Instruction *definition = definitions.find(operand.word);
    numbers.push_back(definition && definition->opcode == spv::Op::OpConstant ? definition->word(0)
                                                                              : 0);
  }
  return numbers;
}

TEST(Reduction, VariablesBecomeValues) {
  Program program = assembled(variables);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &row = rowNamed("promote-variables");
  ASSERT_EQ(row.find(program).size(), 3u);
  Program smaller = applied(program, row, row.find(program));
  ASSERT_TRUE(isValid(smaller));
  EXPECT_TRUE(row.find(smaller).empty());
  std::map<spv::Op, unsigned> counts;
  std::vector<fuzz::Instruction> phis;
  forEachInstruction(smaller, [&](const fuzz::Instruction &each) {
    ++counts[each.opcode];
    if (each.opcode == spv::Op::OpPhi)
      phis.push_back(each);
  });
  EXPECT_EQ(counts[spv::Op::OpVariable], 1u) << "%out";
  EXPECT_EQ(counts[spv::Op::OpLoad], 0u);
  EXPECT_EQ(counts[spv::Op::OpCompositeInsert], 1u);
  EXPECT_EQ(counts[spv::Op::OpCompositeExtract], 1u);
  ASSERT_EQ(phis.size(), 2u) << "of %k and %late; %v has one value everywhere";
  EXPECT_EQ(numbersIn(smaller, phis[0]), (std::vector<uint32_t>{0, 0, 0, 0})) << "%late";
  EXPECT_EQ(numbersIn(smaller, phis[1]), (std::vector<uint32_t>{10, 0, 0, 0})) << "%k";
}

TEST(Reduction, CopiesOfVariablesBecomeValues) {
  std::string text = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%a = OpVariable %plocal Function
%b = OpVariable %plocal Function
%p = OpAccessChain %puint %out %zero
OpCopyMemory %a %p
OpCopyMemory %b %a
OpCopyMemory %p %b
OpReturn
OpFunctionEnd
)";
  Program program = assembled(text);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &row = rowNamed("promote-variables");
  ASSERT_EQ(row.find(program).size(), 2u);
  Program smaller = applied(program, row, row.find(program));
  EXPECT_TRUE(isValid(smaller));
  EXPECT_EQ(countInstructions(smaller), 4u) << "chain, load, store, return";
}

TEST(Reduction, VariablesWhosePointerIsPassedOnStay) {
  std::string text = calls;
  size_t call = text.find("%f %ten");
  ASSERT_NE(call, std::string::npos);
  text.replace(call, 7, "%f %local");
  text.replace(text.find("%x = OpFunctionParameter %uint"), 30, "%x = OpFunctionParameter %plocal");
  text.replace(text.find("%y = OpIAdd %uint %x %ten"), 25, "%y = OpLoad %uint %x");
  text.replace(text.find("%fuint = OpTypeFunction %uint %uint"), 35,
               "%fuint = OpTypeFunction %uint %plocal");
  Program program = assembled(text);
  ASSERT_TRUE(isValid(program));
  EXPECT_TRUE(rowNamed("promote-variables").find(program).empty());
  // Where the call is put in place, nothing is in the way.
  const ProgramReduction &inlining = rowNamed("inline-calls");
  Program smaller = applied(program, inlining, inlining.find(program));
  EXPECT_EQ(rowNamed("promote-variables").find(smaller).size(), 1u);
}

static const std::string decision = header.str() + R"(
%main = OpFunction %void None %fvoid
%entry = OpLabel
%p = OpAccessChain %puint %out %zero
%loaded = OpLoad %uint %p
%c = OpIEqual %bool %loaded %ten
OpSelectionMerge %done None
OpBranchConditional %c %early %done
%early = OpLabel
OpReturn
%done = OpLabel
OpStore %p %ten
OpReturn
OpFunctionEnd
)";

TEST(Reduction, WhatDecidesIsStored) {
  Program program = assembled(decision);
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &row = rowNamed("store-decisions");
  ASSERT_EQ(row.find(program).size(), 1u) << "the other arm stores nothing";
  Program smaller = applied(program, row, row.find(program));
  EXPECT_TRUE(isValid(smaller));
  EXPECT_TRUE(row.find(smaller).empty());
  const ProgramReduction &join = rowNamed("join-blocks");
  smaller = applied(smaller, join, join.find(smaller));
  ASSERT_EQ(countBlocks(smaller), 1u);
  EXPECT_EQ(countInstructions(smaller), countInstructions(program) - 2);
  // What was compared then takes the place of the comparison.
  const ProgramReduction &origins = rowNamed("origins-for-results");
  ASSERT_EQ(origins.find(smaller).size(), 1u);
  smaller = applied(smaller, origins, origins.find(smaller));
  sweep(smaller);
  EXPECT_TRUE(isValid(smaller));
  EXPECT_EQ(countInstructions(smaller), 4u) << "chain, load, store, return";
}

TEST(Reduction, SizesOfWorkgroupsFromConstantsBecomeNumbers) {
  std::string text = decision;
  StringRef plain = "OpExecutionMode %main LocalSize 8 4 1";
  text.replace(text.find(plain), plain.size(),
               "OpExecutionModeId %main LocalSizeId %ten %ten %ten");
  Program program = assembled(text);
  ASSERT_TRUE(isValid(program));
  EXPECT_TRUE(rowNamed("shrink-workgroups").find(program).empty());
  const ProgramReduction &row = rowNamed("fix-workgroups");
  ASSERT_EQ(row.find(program).size(), 1u);
  Program smaller = applied(program, row, row.find(program));
  EXPECT_TRUE(isValid(smaller));
  EXPECT_TRUE(row.find(smaller).empty());
  EXPECT_EQ(rowNamed("shrink-workgroups").find(smaller).size(), 6u) << "to 1 and to 5, each";
}

TEST(Reduction, VectorsBecomeOnes) {
  Program program = assembled(header.str() + R"(
%vec = OpTypeVector %uint 3
%main = OpFunction %void None %fvoid
%entry = OpLabel
%p = OpAccessChain %puint %out %zero
%x = OpLoad %uint %p
%v = OpCompositeConstruct %vec %x %x %x
%y = OpCompositeExtract %uint %v 2
OpStore %p %y
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(isValid(program));
  std::set<std::vector<uint32_t>> vectors;
  const ProgramReduction &row = rowNamed("numbers-for-results");
  for (const Chance &chance : row.find(program)) {
    Program smaller = applied(program, row, chance);
    EXPECT_TRUE(isValid(smaller));
    for (const fuzz::Instruction &global : smaller.globals)
      if (global.opcode == spv::Op::OpConstantComposite)
        vectors.insert(numbersIn(smaller, global));
  }
  EXPECT_EQ(vectors, (std::set<std::vector<uint32_t>>{{1, 0, 0}, {1, 1, 1}}));
}

TEST(Reduction, IndicesBecomeConstants) {
  Program program = assembled(header.str() + R"(
%array = OpTypeArray %uint %ten
%parray = OpTypePointer Function %array
%main = OpFunction %void None %fvoid
%entry = OpLabel
%local = OpVariable %parray Function
%p = OpAccessChain %puint %out %zero
%x = OpLoad %uint %p
%q = OpAccessChain %plocal %local %x
OpStore %q %x
OpReturn
OpFunctionEnd
)");
  ASSERT_TRUE(isValid(program));
  const ProgramReduction &row = rowNamed("constants-for-indices");
  std::vector<Chance> chances = row.find(program);
  ASSERT_EQ(chances.size(), 1u) << "%zero is what zero-operands tries";
  Program smaller = applied(program, row, chances);
  EXPECT_TRUE(isValid(smaller));
  EXPECT_TRUE(row.find(smaller).empty());
  EXPECT_EQ(numbersIn(smaller, smaller.functions[0].blocks[0].body[3]),
            (std::vector<uint32_t>{0, 10}));
}
