// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/turnip/TurnipShader.h"

#include "support/Error.h"
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

static TurnipShader makeShader() {
  TurnipShader shader;
  shader.driver = "turnip 25";
  shader.target = "a630";
  shader.launch.fullRegisters = 3;
  shader.launch.mergedRegisters = true;
  shader.launch.constantVec4s = 4;
  shader.launch.localSize = {16, 2, 1};
  shader.launch.workgroupIdRegister = 192;
  shader.launch.localIdRegister = 0;
  shader.code = {0x0300000000000000, 0};
  shader.loads = {{LoadSpace::SharedConstants, 0, 0, {{DwordSource::PushConstant, 1}}},
                  {LoadSpace::Constants, 0, 4, {{DwordSource::GroupCount, 2}, {}}},
                  {LoadSpace::UniformBuffer, 3, 0, {{DwordSource::FirstGroup, 0}}},
                  {LoadSpace::Constants, 1, 8, {{DwordSource::Resource, 16}, {}}}};
  shader.bases = {{0, 64, 0x100029000, {1, 2, 3, 4}}, {1, 16, 0x100029040, {}}};
  shader.resources = {{0x100030000, 4096, {}}, {0x100040000, 8192, {{64, 4096, 64, 4096, 4096}}}};
  shader.memory = {{0x100001000, {9, 8, 7, 6}}};
  shader.registers = {{0xa9b0, 0x80000180}};
  shader.statistics = {{"Instruction Count", 2}, {"Loops", 0}};
  shader.assembly = "end\n";
  return shader;
}

static bool isRefused(ArrayRef<uint8_t> bytes) {
  Expected<TurnipShader> read = readTurnipShader(bytes);
  if (read)
    return false;
  return takeError(read.takeError()).kind == ErrorKind::InvalidInput;
}

TEST(TurnipShader, ReadsWhatItWrote) {
  TurnipShader shader = makeShader();
  std::vector<uint8_t> bytes = writeTurnipShader(shader);
  Expected<TurnipShader> read = readTurnipShader(bytes);
  ASSERT_TRUE(static_cast<bool>(read)) << takeError(read.takeError()).message;
  EXPECT_EQ(read->driver, shader.driver);
  EXPECT_EQ(read->target, shader.target);
  EXPECT_EQ(read->launch, shader.launch);
  EXPECT_EQ(read->code, shader.code);
  EXPECT_EQ(read->loads, shader.loads);
  EXPECT_EQ(read->bases, shader.bases);
  EXPECT_EQ(read->resources, shader.resources);
  EXPECT_EQ(read->memory, shader.memory);
  EXPECT_EQ(read->registers, shader.registers);
  EXPECT_EQ(read->statistics, shader.statistics);
  EXPECT_EQ(read->assembly, shader.assembly);
  EXPECT_EQ(writeTurnipShader(*read), bytes);
}

TEST(TurnipShader, RefusesEveryTruncationAndMore) {
  std::vector<uint8_t> bytes = writeTurnipShader(makeShader());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(isRefused(ArrayRef(bytes).take_front(size))) << size;
  bytes.push_back(0);
  EXPECT_TRUE(isRefused(bytes));
  EXPECT_TRUE(isRefused(ArrayRef<uint8_t>{0x7f, 'E', 'L', 'F'}));
}

TEST(TurnipShader, SurvivesDamageAnywhere) {
  std::vector<uint8_t> good = writeTurnipShader(makeShader());
  std::mt19937 random(7);
  for (unsigned round = 0; round < 50000; ++round) {
    std::vector<uint8_t> bytes = good;
    for (unsigned i = 0, count = 1 + random() % 4; i < count; ++i)
      bytes[random() % bytes.size()] = static_cast<uint8_t>(random());
    Expected<TurnipShader> read = readTurnipShader(bytes);
    if (!read) {
      EXPECT_EQ(takeError(read.takeError()).kind, ErrorKind::InvalidInput);
      continue;
    }
    EXPECT_FALSE(errorToBool(verifyTurnipShader(*read)));
    EXPECT_EQ(writeTurnipShader(*read), bytes);
    EXPECT_FALSE(printTurnipShader(*read).empty());
  }
}

TEST(TurnipShader, RefusesWhatContradictsItself) {
  auto refuses = [](auto change) {
    TurnipShader shader = makeShader();
    change(shader);
    return isRefused(writeTurnipShader(shader));
  };
  EXPECT_FALSE(refuses([](TurnipShader &) {}));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.code.clear(); }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.firstInstruction = 2; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.fibersPerWave = 48; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.localSize[1] = 0; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.localSize = {1024, 64, 1}; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.constantVec4s = 2000; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.localIdRegister = 256; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.launch.localBytes = 1 << 20; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.loads[0].first = 64; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.loads[0].slot = 1; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.loads[1].first = ~0u; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.loads[1].dwords[0].value = 3; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.bases[1].base = 0; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.bases[1].base = 8; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.bases[1].descriptorBytes = 32; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.bases[0].bytes.pop_back(); }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.bases[0].address = 0x100030ffc; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.resources[0].address = ~0ull; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.resources[0].bytes = 0x10001; }));
  EXPECT_TRUE(refuses([](TurnipShader &s) { s.resources[1].levels[0].offset = 8193; }));
}

TEST(TurnipShader, PrintsWhatALaunchNeeds) {
  std::string text = printTurnipShader(makeShader());
  for (const char *line :
       {"workgroup id: r48.x\n", "local index: none\n", "load shared c0.x: push1\n",
        "load c1.x: groups2 0x0\n", "load ubo 3 dword 0: first0\n", "  0000: 01020304\n",
        "statistics: Instruction Count 2\n", "register 0xa9b0: 0x80000180\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}
