// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code with RADV's launch: what its registers say, what it finds where, and what only code of ACO
// does with the machine.
#include "oracles/machine/gcn/launch/RadvImage.h"

#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/pal_elf/ElfView.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using radv::RadvShader;
using radv::UserData;

static std::vector<uint8_t> assembleCode(StringRef target, unsigned waveSize, StringRef text) {
  auto elf = assembleElf((".text\n" + text + "\n").str(), target, waveSize);
  if (!elf) {
    ADD_FAILURE() << takeError(elf.takeError()).message;
    return {};
  }
  Expected<ElfView> view = ElfView::read(*elf);
  const ElfSection *code = view ? view->findSection(".text") : nullptr;
  if (code)
    return std::vector<uint8_t>(code->bytes.begin(), code->bytes.end());
  ADD_FAILURE() << "no .text";
  return {};
}

/// Ring pointer, set 0, and nothing else; one wave a workgroup.
static RadvShader makeShader(StringRef target, unsigned waveSize, StringRef text) {
  RadvShader shader;
  shader.target = target.str();
  shader.waveSize = waveSize;
  shader.blockSize = {waveSize, 1, 1};
  shader.rsrc1 = 0x602c0000 | (waveSize == 32 ? 3 : 7); // 32 VGPRs; flush f32 denormals.
  shader.rsrc2 = 3 << 1;
  shader.userData = {{UserData::ScratchRing, 0, 0, 2}, {UserData::DescriptorSet, 0, 2, 1}};
  shader.bindings = {{0, 0, radv::DescriptorType::StorageBuffer, 1}};
  shader.code = assembleCode(target, waveSize, text);
  shader.execBytes = static_cast<uint32_t>(shader.code.size());
  return shader;
}

static Outcome runShader(const RadvShader &shader, const Case &input) {
  Artifact artifact(radv::writeRadvShader(shader));
  Expected<Outcome> outcome =
      createGcnMachine(**findTarget(shader.target))->run(input, artifact, RunOptions());
  if (outcome)
    return *outcome;
  ADD_FAILURE() << takeError(outcome.takeError()).message;
  return {};
}

/// s[16:19] becomes the descriptor of set 0, binding 0.
static constexpr const char *loadDescriptor11 = R"(
  s_mov_b32 s12, s2
  s_movk_i32 s13, 0x8000
  s_load_b128 s[16:19], s[12:13], 0x0
)";
static constexpr const char *loadDescriptor10 = R"(
  s_mov_b32 s12, s2
  s_movk_i32 s13, 0x8000
  s_load_dwordx4 s[16:19], s[12:13], 0x0
  s_waitcnt lgkmcnt(0)
)";

TEST(RadvImage, LaunchStateFollowsTheRegisters) {
  RadvShader shader = makeShader("gfx900", 64, "s_endpgm");
  shader.rsrc1 = 5 | 2 << 6 | 0xc3 << 12 | 1 << 21 | 1 << 23;
  shader.rsrc2 = 1 | 7 << 1 | 5 << 7 | 1 << 10 | 1 << 11 | 3 << 15;
  shader.scratchBytesPerWave = 64 * 20;
  shader.blockSize = {8, 4, 2};
  shader.inlinePushMask = 0x8000000000000022;
  shader.userData = {{UserData::ScratchRing, 0, 0, 2},
                     {UserData::DescriptorSet, 9, 2, 1},
                     {UserData::InlinePushConstants, 0, 3, 3}};
  shader.bindings = {{9, 1, radv::DescriptorType::CombinedImageSampler, 2}};
  Expected<LaunchState> state = launchStateFor(shader, **findTarget("gfx900"));
  ASSERT_TRUE(static_cast<bool>(state)) << takeError(state.takeError()).message;
  const UserSgpr expected[] = {{UserValue::ScratchBase, 0},  {UserValue::ScratchBase, 1},
                               {UserValue::SetTable, 9},     {UserValue::PushConstant, 1},
                               {UserValue::PushConstant, 5}, {UserValue::PushConstant, 63},
                               {UserValue::Unmapped, 0}};
  ASSERT_EQ(state->userSgprs.size(), std::size(expected));
  for (unsigned i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(state->userSgprs[i], expected[i]) << i;
  EXPECT_EQ(state->groupIds, (std::array<bool, 3>{true, false, true}));
  EXPECT_TRUE(state->groupSizeWord);
  EXPECT_TRUE(state->scratchOffset);
  EXPECT_EQ(state->localIds, 2u);
  EXPECT_EQ(state->threadCount(), 64u);
  EXPECT_EQ(state->vgprCount, 24u);
  EXPECT_EQ(state->sgprCount, 24u);
  EXPECT_EQ(state->ldsBytes, 1536u);
  EXPECT_EQ(state->scratchBytesPerLane, 20u);
  EXPECT_EQ(state->mode, 0x3c3u);
  EXPECT_TRUE(state->hasPlanarLines);
  ASSERT_TRUE(state->sets && state->sets->size() == 1);
  const BindingPlace *place = state->sets->front().find(1);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->stride, 96u);
  EXPECT_EQ(place->fmaskOffset, 32u);
  EXPECT_EQ(place->samplerOffset, 80u);
}

TEST(RadvImage, RefusesWhatItsRegistersContradict) {
  auto kindOf = [](auto change, StringRef target = "gfx1100") {
    RadvShader shader = makeShader("gfx1100", 32, "s_endpgm");
    change(shader);
    auto image = loadRadv(Artifact(radv::writeRadvShader(shader)), **findTarget(target));
    return image ? std::optional<ErrorKind>() : takeError(image.takeError()).kind;
  };
  EXPECT_EQ(kindOf([](RadvShader &) {}), std::nullopt);
  EXPECT_EQ(kindOf([](RadvShader &) {}, "gfx1201"), ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.userData[1].first = 3; }), ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.userData[0].count = 1; }), ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.userData[1].data = UserData::InlinePushConstants; }),
            ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.blockSize = {1024, 2, 1}; }), ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.rsrc2 |= 17 << 1; }), ErrorKind::InvalidInput);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.scratchBytesPerWave = ~31u; }), ErrorKind::Unsupported);
  EXPECT_EQ(kindOf([](RadvShader &s) { s.stage = radv::Stage::Fragment; }), ErrorKind::Unsupported);
}

TEST(RadvImage, CodeFindsSetsPushConstantsAndCounts) {
  RadvShader shader = makeShader("gfx1100", 32, std::string(loadDescriptor11) + R"(
  s_mov_b32 s12, s3
  s_load_b32 s20, s[12:13], 0x4
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s20
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
  v_mov_b32 v4, s8
  s_lshl_b32 s9, s8, 4
  v_mov_b32 v5, s9
  buffer_store_b128 v[1:4], v5, s[16:19], 0 offen
  s_endpgm)");
  shader.rsrc2 = 8 << 1 | 1 << 7;
  shader.inlinePushMask = 4;
  shader.userData.push_back({UserData::PushConstants, 0, 3, 1});
  shader.userData.push_back({UserData::InlinePushConstants, 0, 4, 1});
  shader.userData.push_back({UserData::GridSize, 0, 5, 3});
  Case input = makeCase({makeBuffer(std::vector<uint32_t>(12, 9)), makeBuffer({11, 22, 33})}, 3);
  CasePipeline &pipeline = input.pipelines[0];
  pipeline.bindings[1].kind = BindingKind::PushConstant;
  pipeline.description.layout = makeResourceLayout({{0, 0, 1}}, 12);
  Outcome outcome = runShader(shader, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 0), (std::vector<uint32_t>{22, 33, 3, 0, 22, 33, 3, 1, 22, 33, 3, 2}));
}

TEST(RadvImage, HalvesOfAWaveShareRegisters) {
  RadvShader shader = makeShader("gfx1030", 64, std::string(loadDescriptor10) + R"(
  v_lshlrev_b32 v2, 2, v0
  v_mov_b32_dpp v9, v0 quad_perm:[0,1,2,3] row_mask:0xc bank_mask:0xf fi:1
  v_mov_b32 v1, v9
  buffer_store_dword v1, v2, s[16:19], 0 offen
  s_endpgm)");
  shader.rsrc1 = (shader.rsrc1 & ~63u) | 1; // 8 of its own.
  Case input = makeCase({makeBuffer(std::vector<uint32_t>(64, 9))}, 1);
  EXPECT_EQ(runShader(shader, input).findings.at(0).rule, "REG-RANGE");
  shader.rsrc3 = 1; // 8 shared.
  Outcome outcome = runShader(shader, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(words(outcome, 0)[i], i | 32) << i;
}

TEST(RadvImage, NullImagesReadAsZero) {
  std::string zeros;
  for (unsigned i = 20; i < 28; ++i)
    zeros += "s_mov_b32 s" + std::to_string(i) + ", 0\n";
  RadvShader shader = makeShader("gfx1030", 32, loadDescriptor10 + zeros + R"(
  v_lshlrev_b32 v2, 2, v0
  v_mov_b32 v4, 7
  v_mov_b32 v5, 0
  image_store v4, [v0, v5], s[20:27] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  image_load v4, [v0, v5], s[20:27] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm
  s_waitcnt vmcnt(0)
  buffer_store_dword v4, v2, s[16:19], 0 offen
  s_endpgm)");
  Case input = makeCase({makeBuffer(std::vector<uint32_t>(32, 9))}, 1);
  Outcome outcome = runShader(shader, input);
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << outcome.reason;
  EXPECT_EQ(words(outcome, 0), std::vector<uint32_t>(32, 0));
}

TEST(RadvImage, LoadsInFlightHoldTheirLanesOnly) {
  auto run =
      [](StringRef secondHalf) {
        RadvShader shader = makeShader("gfx1100", 32,
                                       (loadDescriptor11 + Twine(R"(
  s_waitcnt lgkmcnt(0)
  v_lshlrev_b32 v1, 2, v0
  s_mov_b32 exec_lo, 0xffff
  buffer_load_b32 v2, v1, s[16:19], 0 offen
  s_mov_b32 exec_lo, )") + secondHalf + R"(
  v_mov_b32 v2, 5
  s_mov_b32 exec_lo, -1
  s_waitcnt vmcnt(0)
  buffer_store_b32 v2, v1, s[16:19], 0 offen
  s_endpgm)")
                                           .str());
        return runShader(shader, makeCase({makeBuffer(std::vector<uint32_t>(32, 9))}, 1));
      };
  Outcome apart = run("0xffff0000");
  ASSERT_EQ(apart.kind, OutcomeKind::Completed) << apart.reason;
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(words(apart, 0)[i], i < 16 ? 9u : 5u) << i;
  Outcome meeting = run("0xffff8000");
  ASSERT_EQ(meeting.kind, OutcomeKind::Hazard);
  EXPECT_EQ(meeting.findings.at(0).rule, "WAIT-WAW");
}
