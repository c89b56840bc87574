// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole graphics pipelines in assembly, drawn by machine gcn: what reaches the targets.
#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/graphics/DrawTesting.h"
#include "oracles/machine/gcn/graphics/ExportFormats.h"
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "llvm/ADT/bit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Draws, and expects pixels with red interpolated between the numbers of the vertices, the second
/// of which is 8 pixels right of the first, the third 8 below it.
static void expectGradient(const DrawCode &code) {
  Expected<Outcome> outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  for (const Finding &finding : outcome->findings)
    ADD_FAILURE() << finding.rule << ": " << finding.message;
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      std::array<float, 4> color = texel(*outcome, 4 * y + x);
      EXPECT_FLOAT_EQ(color[0], (float(x) + 0.5f) / 8 + 2 * (float(y) + 0.5f) / 8);
      EXPECT_FLOAT_EQ(color[1], 2);
      EXPECT_FLOAT_EQ(color[2], 0.5f);
      EXPECT_FLOAT_EQ(color[3], 1);
    }
}

TEST(GcnDraws, InterpolatesAParameter) {
  expectGradient({"gfx1030", vertexCode(true), pixelCode.str(), registers.str()});
}

TEST(GcnDraws, RunsNgg) {
  for (StringRef target : {"gfx1030", "gfx1100", "gfx1201"}) {
    SCOPED_TRACE(target.str());
    expectGradient(nggDraw(target));
  }
}

/// Pairs of 16 bits in a component: red and green come from the low halves and blue from a high
/// one.
TEST(GcnDraws, InterpolatesPairsOfHalves) {
  DrawCode code{"gfx1030", vertexCode(true), R"(
  s_mov_b32 m0, s0
  v_mov_b32 v7, 1.0
  v_interp_p1ll_f16 v4, v0, attr0.x
  v_interp_p2_f16 v4, v1, attr0.x, v4
  v_interp_p1ll_f16 v5, v0, attr0.y
  v_interp_p2_f16 v5, v1, attr0.y, v5
  v_interp_p1ll_f16 v6, v0, attr0.x high
  v_interp_p2_f16 v6, v1, attr0.x, v6 high
  v_cvt_f32_f16 v4, v4
  v_cvt_f32_f16 v5, v5
  v_cvt_f32_f16 v6, v6
  exp mrt0 v4, v5, v6, v7 done vm
  s_endpgm
)",
                replaceAll(registers, {{"{ .offset: 0 }",
                                        "{ .offset: 0, .fp16_interp_mode: true, .attr0_valid: "
                                        "true, .attr1_valid: true }"}})};
  // The number of the vertex in the low half, 0.5 in the high one; 2 twice.
  code.vertex =
      replaceAll(code.vertex, {{"  v_cvt_f32_u32 v4, v4\n", "  v_cvt_f16_u16 v4, v4\n"
                                                            "  v_or_b32 v4, 0x38000000, v4\n"},
                               {"v_mov_b32 v5, 2.0", "v_mov_b32 v5, 0x40004000"}});
  expectGradient(code);
}

TEST(GcnDraws, GivesFacesAndPositions) {
  DrawCode code{"gfx1030", vertexCode(true), R"(
  exp mrt0 v2, v3, v4, v5 done vm
  s_endpgm
)",
                replaceAll(registers, {{".persp_center_ena: true",
                                        ".persp_center_ena: true, .pos_x_float_ena: true, "
                                        ".pos_y_float_ena: true, .pos_w_float_ena: true, "
                                        ".front_face_ena: true"}})};
  for (bool allBits : {false, true}) {
    DrawCode each = code;
    each.graphicsRegisters += allBits ? "      .spi_baryc_cntl: { .front_face_all_bits: true }\n"
                                      : "      .spi_baryc_cntl: { .front_face_all_bits: false }\n";
    Expected<Outcome> outcome = draw(each);
    ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
    std::array<float, 4> color = texel(*outcome, 6);
    EXPECT_FLOAT_EQ(color[0], 2.5f);
    EXPECT_FLOAT_EQ(color[1], 1.5f);
    EXPECT_FLOAT_EQ(color[2], 1);
    // In Vulkan's default, the triangle shows its back.
    EXPECT_EQ(bit_cast<uint32_t>(color[3]), allBits ? 0 : bit_cast<uint32_t>(-1.0f));
  }
}

TEST(GcnDraws, EndsWithoutPositions) {
  Expected<Outcome> outcome =
      draw({"gfx1030", vertexCode(false), pixelCode.str(), registers.str()});
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  EXPECT_EQ(outcome->kind, OutcomeKind::Trap);
  EXPECT_EQ(outcome->reason, "a vertex shader that does not export POS0");
}

TEST(GcnDraws, DropsDiscardedFragments) {
  std::string discard = R"(
  s_mov_b64 exec, 0x5
)" + pixelCode.str();
  DrawCode code{"gfx1030", vertexCode(true), discard, registers.str()};
  Expected<Outcome> outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  EXPECT_FLOAT_EQ(texel(*outcome, 0)[3], 1); // Lane 0.
  EXPECT_FLOAT_EQ(texel(*outcome, 1)[3], 0);
  EXPECT_FLOAT_EQ(texel(*outcome, 4)[3], 1); // Lane 2.
}

/// Which stage a wave is of, and what it starts with.
TEST(GcnDraws, TracesNameTheStage) {
  std::string text;
  raw_string_ostream trace(text);
  RunOptions options;
  options.trace.out = &trace;
  Expected<Outcome> outcome = draw(nggDraw("gfx1100"), options);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  EXPECT_THAT(text, testing::StartsWith("group 0,0,0 wave 0 (vertex) starts with exec 0x"));
  EXPECT_THAT(text, testing::HasSubstr("\ngroup 0,0,0 wave 0 (vertex) pc 0x0: s_bfe_u32"));
  EXPECT_THAT(text, testing::HasSubstr("\ngroup 0,0,0 wave 0 (fragment) starts with exec 0x"));
}

/// Vertex code leaves the upper half of a parameter of 16 bits as it is. Of a value with 32 bits
/// the store is reported where some lanes have both halves.
TEST(GcnDraws, HalfParametersLeaveGaps) {
  DrawCode code = nggDraw("gfx1100");
  code.vertex = replaceAll(ringCode, {{"v_mov_b32 v18, 2.0", "v_mov_b16 v18.l, 2.0"}});
  Expected<Outcome> outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  for (const Finding &finding : outcome->findings)
    ADD_FAILURE() << finding.rule << ": " << finding.message;
  code.vertex =
      replaceAll(ringCode, {{"  v_mov_b32 v18, 2.0\n",
                             "  s_mov_b64 exec, 1\n  v_mov_b32 v18, 2.0\n  s_mov_b64 exec, 7\n"}});
  outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ASSERT_FALSE(outcome->findings.empty());
  EXPECT_EQ(outcome->findings[0].rule, "UNDEF-STORE");
}

/// The path that the fragment shader never takes does not wait for its parameter.
TEST(GcnDraws, LeadsAWaveOfAStage) {
  DrawCode code = nggDraw("gfx1100");
  code.pixel = replaceAll(pixelCodeGfx11, {{"  v_interp_p10_f32 v6, v4, v0, v4 wait_exp:1\n",
                                            "  s_cmp_eq_u32 s0, s0\n  s_cbranch_scc1 .Lwait\n"
                                            "  v_mov_b32 v10, v4\n.Lwait:\n"
                                            "  v_interp_p10_f32 v6, v4, v0, v4 wait_exp:0\n"}});
  Expected<AssembledDraw> made = assembleDraw(code);
  ASSERT_TRUE(bool(made)) << takeError(made.takeError()).message;
  Expected<GraphicsProgram> program = loadGraphics(made->artifact, *made->target);
  ASSERT_TRUE(bool(program)) << takeError(program.takeError()).message;
  std::vector<uint64_t> path;
  for (const MicroOp &op : program->pixel->program->ops().drop_front(program->pixel->entry)) {
    path.push_back(op.inst->pc);
    if (op.inst->mnemonic == "s_endpgm")
      break;
  }
  Expected<DirectedRun> run =
      runDirectedDraw(made->input, made->artifact, *made->target, ShaderStage::Fragment, path);
  ASSERT_TRUE(bool(run)) << takeError(run.takeError()).message;
  EXPECT_EQ(run->steps.size(), path.size());
  ASSERT_FALSE(run->reports.empty());
  EXPECT_EQ(run->reports[0].rule, "WAIT-RAW");
  EXPECT_THAT(run->reports[0].evidence,
              testing::Contains(std::pair<std::string, std::string>("stage", "fragment")));
}

TEST(GcnDraws, RefusesOtherPrimitivesThanTheRegisterSays) {
  DrawCode code = nggDraw("gfx1030");
  code.graphicsRegisters = replaceAll(code.graphicsRegisters, {{"TriStrip", "LineStrip"}});
  Expected<Outcome> outcome = draw(code);
  ASSERT_FALSE(bool(outcome));
  EXPECT_THAT(takeError(outcome.takeError()).message,
              testing::HasSubstr("VGT_GS_OUT_PRIM_TYPE is 1, but the primitives have 3 vertices"));
}

TEST(GcnDraws, RefusesCullingData) {
  DrawCode code = nggDraw("gfx1030");
  code.graphicsRegisters += "      .ngg_culling_data_reg: 0x8e\n";
  Expected<Outcome> outcome = draw(code);
  ASSERT_FALSE(bool(outcome));
  EXPECT_THAT(takeError(outcome.takeError()).message, testing::HasSubstr("culling data"));
}

/// Exports of MRTZ with 16 bits have stencil in X[23:16] and the mask of samples in Y[15:0]; with
/// 32 bits they are in Y and Z.
TEST(GcnDraws, DecodesStencilAndSampleMask) {
  constexpr unsigned Uint16Abgr = 7, Abgr32 = 9;
  PixelExports exports;
  exports.isKept = true;
  exports.values[PixelExports::Depth] = {0x00450000, 0x12340006, 0x9, 0};
  exports.mask[PixelExports::Depth] = 7;
  PixelRegisters registers;
  registers.shaderControl = 1 << 1 | 1 << 8;
  registers.depthFormat = Uint16Abgr;
  raster::FragmentOutput output = decodePixel(exports, registers, {}, false);
  EXPECT_EQ(output.stencilReference, 0x45u);
  EXPECT_EQ(output.sampleMask, 6u);
  registers.depthFormat = Abgr32;
  output = decodePixel(exports, registers, {}, false);
  EXPECT_EQ(output.stencilReference, 6u);
  EXPECT_EQ(output.sampleMask, 9u);
}
