// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sanitizer says of the waits that there are.
#include "oracles/machine/gcn/KernelTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Whoever reads it is told what to look for: a wait that is gone, or one that is too weak.
TEST(WeakWait, IsToldFromNone) {
  struct Row {
    const char *wait;
    const char *signature, *evidence;
  };
  constexpr Row rows[] = {
      {"", "WAIT-RAW:v_mov_b32:buffer_load_b32:vmcnt", "none for vmcnt"},
      {"s_waitcnt vmcnt(1)\n", "WAIT-RAW:v_mov_b32:buffer_load_b32:vmcnt:weak",
       "vmcnt(1) at pc 0x30, not vmcnt(0)"},
      {"s_waitcnt lgkmcnt(0)\n", "WAIT-RAW:v_mov_b32:buffer_load_b32:vmcnt", "none for vmcnt"},
      // In both rounds of a loop; stores have a counter of their own.
      {"s_mov_b32 s20, 2\n.Lloop:\ns_waitcnt vmcnt(1)\nbuffer_store_b32 v0, v1, s[8:11], 0 offen\n"
       "s_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lloop\n",
       "WAIT-RAW:v_mov_b32:buffer_load_b32:vmcnt:weak", "vmcnt(1) at pc 0x34, not vmcnt(0)"},
  };
  for (const Row &row : rows) {
    AsmText body = prologue("gfx1100") + "buffer_load_b32 v2, v1, s[4:7], 0 offen\n" + row.wait +
                   "v_mov_b32 v3, v2\ns_endpgm\n";
    Case input = makeCase({makeBuffer(iota(64, 0)), makeBuffer(iota(64, 0))}, 1);
    Outcome outcome = runOrFail({}, body, input);
    ASSERT_EQ(outcome.findings.size(), 1u) << row.wait;
    const Finding &finding = outcome.findings[0];
    EXPECT_EQ(finding.signature, row.signature) << finding.message;
    EXPECT_EQ(finding.evidence.back(), (std::pair<std::string, std::string>("wait", row.evidence)));
  }
}
