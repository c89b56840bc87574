// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Coverage.h"

#include "oracles/machine/gcn/KernelTesting.h"

using namespace assay;
using namespace assay::gcn;

/// What the machine lacks of a kernel: by mnemonic, or the first dword of what is no instruction.
static std::map<std::string, MissingOpcode> missingOf(const char *body, unsigned waveSize) {
  KernelOptions options;
  options.waveSize = waveSize;
  auto elf = assembleElf(wrapKernel(options, body), options.target, waveSize);
  EXPECT_TRUE(static_cast<bool>(elf));
  auto code = decodeStatically(*elf);
  EXPECT_TRUE(static_cast<bool>(code));
  return findMissingOpcodes(*code);
}

TEST(Coverage, SaysForWhichWavesAnInstructionIs) {
  // v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2
  const char *pair = ".long 0xca100101\n.long 0x00020102\ns_endpgm\n";
  EXPECT_TRUE(missingOf(pair, 32).empty());
  auto missing = missingOf(pair, 64);
  ASSERT_EQ(missing.count("0xca100101"), 1u);
  const MissingOpcode &row = missing["0xca100101"];
  EXPECT_TRUE(row.isIllegal);
  EXPECT_NE(row.example.find("v_dual_mov_b32"), std::string::npos) << row.example;
  EXPECT_NE(row.example.find(": for waves of 32 alone"), std::string::npos) << row.example;
}

TEST(Coverage, SaysWhatIsNoInstruction) {
  auto missing = missingOf(".long 0xfffffff0\ns_endpgm\n", 32);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing.begin()->second.example, "no instruction of the chip");
}
