// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Cfg.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace assay::gcn;

/// Four-byte instructions; a branch is "s_branch +1", its distance in words after itself.
static std::vector<Inst> makeCode(ArrayRef<StringRef> texts) {
  std::vector<Inst> insts;
  for (StringRef text : texts) {
    Inst &inst = insts.emplace_back();
    auto [name, distance] = text.split(' ');
    inst.mnemonic = name.str();
    inst.valid = name != "bad";
    inst.size = 4;
    inst.pc = 4 * (insts.size() - 1);
    int value = 0;
    distance.getAsInteger(10, value);
    inst.words[0] = static_cast<uint16_t>(value);
  }
  return insts;
}

TEST(ControlFlowGraph, SplitsAtBranchesAndTargets) {
  // 0, 1: entry; 2: branch back to 1 or on to 3.
  std::vector<Inst> code = makeCode({"s_nop", "v_mov_b32", "s_cbranch_scc0 -2", "s_endpgm"});
  ControlFlowGraph graph(code, 0);
  ASSERT_EQ(graph.blocks().size(), 3u);
  EXPECT_EQ(graph.blocks()[0].successors, (SmallVector<uint32_t, 2>{1}));
  EXPECT_EQ(graph.blocks()[1].successors, (SmallVector<uint32_t, 2>{1, 2}));
  EXPECT_EQ(graph.blocks()[1].predecessors.size(), 2u);
  EXPECT_EQ(graph.blocks()[2].leaving, BlockEnd::Ends);
  EXPECT_EQ(graph.reversePostOrder(), (std::vector<uint32_t>{0, 1, 2}));
}

TEST(ControlFlowGraph, LeavesOutWhatNothingReaches) {
  std::vector<Inst> code = makeCode({"s_branch 1", "bad", "s_endpgm", "s_code_end"});
  ControlFlowGraph graph(code, 0);
  ASSERT_EQ(graph.blocks().size(), 2u);
  EXPECT_EQ(graph.blockOf(1), NoBlock);
  EXPECT_EQ(graph.blockOf(3), NoBlock);
  EXPECT_EQ(graph.instsOf(graph.blocks()[1])[0].mnemonic, "s_endpgm");
}

TEST(ControlFlowGraph, SaysHowControlIsLost) {
  struct Row {
    std::vector<StringRef> code;
    BlockEnd leaving;
  };
  const Row rows[] = {
      {{"s_nop"}, BlockEnd::FallsOff},
      {{"s_branch 5", "s_endpgm"}, BlockEnd::BadBranch},
      {{"s_branch -3", "s_endpgm"}, BlockEnd::BadBranch},
      {{"s_setpc_b64"}, BlockEnd::Leaves},
      {{"bad"}, BlockEnd::Illegal},
      {{"s_cbranch_vccz 0"}, BlockEnd::BadBranch},
  };
  for (const Row &row : rows) {
    std::vector<Inst> code = makeCode(row.code);
    ControlFlowGraph graph(code, 0);
    EXPECT_EQ(graph.blocks()[0].leaving, row.leaving) << row.code[0].str();
  }
}

TEST(ControlFlowGraph, TakesCallsToReturn) {
  std::vector<Inst> code = makeCode({"s_swappc_b64", "s_call_b64 1", "s_endpgm", "s_setpc_b64"});
  ControlFlowGraph graph(code, 0);
  EXPECT_NE(graph.blockOf(2), NoBlock);
  EXPECT_NE(graph.blockOf(3), NoBlock) << "the function that is called";
}

TEST(ControlFlowGraph, FollowsSeveralEntries) {
  std::vector<Inst> code = makeCode({"s_endpgm", "s_nop", "s_endpgm"});
  ControlFlowGraph graph(code, {0, 1});
  EXPECT_EQ(graph.blocks().size(), 2u);
  EXPECT_EQ(graph.reversePostOrder().size(), 2u);
}
