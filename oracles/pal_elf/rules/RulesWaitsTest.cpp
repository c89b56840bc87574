// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MC-14 says of the waits that there are; MutantsCodeTest.cpp has when it says something.
#include "oracles/pal_elf/mutants/MutationTesting.h"

#include "llvm/Support/Error.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

namespace {
/// Instructions at the entry of the compute base, and the first finding on them.
struct Row {
  const char *code;
  const char *signature;
  const char *end; ///< Of the message.
};
} // namespace

static constexpr Row rows[] = {
    {"	global_load_b32 v1, v0, s[2:3]\n	v_mov_b32 v2, v1\n", "MC-14:vector",
     "no wait for vmcnt is between them"},
    {"	s_load_b32 s8, s[2:3], 0x0\n	s_waitcnt vmcnt(0)\n	s_mov_b32 s9, s8\n", "MC-14:scalar",
     "no wait for lgkmcnt is between them"},
    {"	global_load_b32 v1, v0, s[2:3]\n	s_waitcnt vmcnt(1)\n	v_mov_b32 v2, v1\n",
     "MC-14:vector-weak", "the wait for vmcnt(1) at +0x8 lets it be in flight, vmcnt(0) would not"},
    {"	s_load_b32 s8, s[2:3], 0x0\n	s_load_b32 s9, s[2:3], 0x4\n"
     "	s_waitcnt lgkmcnt(1)\n	s_mov_b32 s10, s8\n",
     "MC-14:scalar-weak",
     "the wait for lgkmcnt(1) at +0x10 lets it be in flight, lgkmcnt(0) would not"},
    // A wait that is right for what it is there for.
    {"	global_load_b32 v1, v0, s[2:3]\n	global_load_b32 v2, v0, s[2:3] offset:4\n"
     "	s_waitcnt vmcnt(1)\n	v_mov_b32 v3, v1\n	v_mov_b32 v4, v2\n",
     "MC-14:vector", "no wait for vmcnt is between them"},
    // On both ways.
    {"	global_load_b32 v1, v0, s[2:3]\n	s_cbranch_scc1 .La\n	s_waitcnt vmcnt(1)\n"
     "	s_branch .Lb\n.La:\n	s_waitcnt vmcnt(2)\n.Lb:\n	v_mov_b32 v2, v1\n",
     "MC-14:vector-weak",
     "the wait for vmcnt(2) at +0x14 lets it be in flight, vmcnt(0) would not"},
};

TEST(RulesWaits, TellsAWeakWaitFromNone) {
  for (const Row &row : rows) {
    std::string entry = computeEntry.str() + row.code;
    std::vector<Finding> findings =
        cantFail(validateElf(assemble(computeBase, {{computeEntry, entry}}), {}));
    ASSERT_EQ(findings.size(), 1u) << row.code << show(findings);
    EXPECT_EQ(findings[0].signature, row.signature) << row.code;
    EXPECT_TRUE(StringRef(findings[0].message).ends_with(row.end)) << findings[0].message;
  }
}
