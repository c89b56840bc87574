// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole graphics pipelines in assembly, drawn by machine gcn: what reaches the targets.
#include "oracles/machine/gcn/graphics/Draws.h"

#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "support/Error.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A pipeline in assembly: a vertex shader with the table of vertex buffers in s0 and the base
/// vertex in s1, and a fragment shader with its mask of primitives in s0.
struct DrawCode {
  std::string target = "gfx1030";
  std::string vertex;
  std::string pixel;
  std::string graphicsRegisters;
};

} // namespace

static std::string entry(StringRef symbol, StringRef body) {
  return ".globl " + symbol.str() + "\n.p2align 8\n.type " + symbol.str() + ",@function\n" +
         symbol.str() + ":\n" + body.str() + ".L" + symbol.str() + "_end:\n.size " + symbol.str() +
         ", .L" + symbol.str() + "_end-" + symbol.str() + "\n";
}

static std::string makeText(const DrawCode &code) {
  return ".text\n" + entry("_amdgpu_vs_main", code.vertex) + entry("_amdgpu_ps_main", code.pixel) +
         R"(.amdgpu_pal_metadata
---
amdpal.version: [ 3, 0 ]
amdpal.pipelines:
  - .type: VsPs
    .hardware_stages:
      .vs:
        .entry_point_symbol: _amdgpu_vs_main
        .wavefront_size: 64
        .vgpr_count: 16
        .sgpr_count: 32
        .user_sgprs: 2
        .user_data_reg_map: [ 0x1000000f, 0x10000003 ]
        .float_mode: 0xc0
      .ps:
        .entry_point_symbol: _amdgpu_ps_main
        .wavefront_size: 64
        .vgpr_count: 16
        .sgpr_count: 32
        .user_sgprs: 0
        .user_data_reg_map: [ ]
        .float_mode: 0xc0
    .graphics_registers:
)" + code.graphicsRegisters +
         "...\n.end_amdgpu_pal_metadata\n";
}

/// A triangle over the left half of 4 x 4 pixels, colours from a vertex buffer.
static constexpr StringLiteral script = R"(#!amber
SHADER vertex vs PASSTHROUGH
SHADER fragment fs GLSL
#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main() { result = color; }
END
BUFFER position DATA_TYPE R32G32B32A32_SFLOAT DATA
-1 -1 0 1   3 -1 0 1   -1 3 0 1
END
BUFFER image FORMAT R32G32B32A32_SFLOAT
PIPELINE graphics p
  ATTACH vs
  ATTACH fs
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER image AS color LOCATION 0
  VERTEX_DATA position LOCATION 0
END
CLEAR_COLOR p 0 0 0 0
CLEAR p
RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3
)";

/// Loads the position by its number, exports it, and the number as a parameter.
static std::string vertexCode(bool exportsPosition) {
  return std::string(R"(
  s_getpc_b64 s[2:3]
  s_mov_b32 s2, s0
  s_load_dwordx4 s[4:7], s[2:3], 0x0
  v_add_nc_u32 v4, v0, s1
  s_waitcnt lgkmcnt(0)
  buffer_load_dwordx4 v[8:11], v4, s[4:7], 0 idxen
  v_cvt_f32_u32 v4, v4
  v_mov_b32 v5, 2.0
  s_waitcnt vmcnt(0)
)") + (exportsPosition ? "  exp pos0 v8, v9, v10, v11 done\n" : "") +
         "  exp param0 v4, v5, v5, v5\n  s_endpgm\n";
}

/// Parameter 0.x interpolated, and 0.y.
static constexpr StringLiteral pixelCode = R"(
  s_mov_b32 m0, s0
  v_interp_p1_f32 v4, v0, attr0.x
  v_interp_p2_f32 v4, v1, attr0.x
  v_interp_p1_f32 v5, v0, attr0.y
  v_interp_p2_f32 v5, v1, attr0.y
  v_mov_b32 v6, 0.5
  v_mov_b32 v7, 1.0
  exp mrt0 v4, v5, v6, v7 done vm
  s_endpgm
)";

static constexpr StringLiteral registers = R"(
      .spi_ps_input_ena: { .persp_center_ena: true }
      .spi_ps_input_addr: { .persp_center_ena: true }
      .spi_ps_in_control: { .num_interps: 1 }
      .spi_ps_input_cntl: [ { .offset: 0 } ]
      .spi_shader_col_format: { .col_0_export_format: 9 }
      .spi_shader_pos_format: [ 4 ]
)";

static Expected<Outcome> draw(const DrawCode &code) {
  Expected<Case> input = readCaseFromText(script, "test.amber", {});
  if (!input)
    return input.takeError();
  auto target = findTarget(code.target);
  if (!target)
    return target.takeError();
  auto elf = assembleElf(makeText(code), code.target, 64);
  if (!elf)
    return elf.takeError();
  Artifact artifact;
  artifact.elf = *elf;
  return createGcnMachine(**target, loadDraws)->run(*input, artifact, {});
}

static std::array<float, 4> texel(const Outcome &outcome, unsigned index) {
  std::array<float, 4> result{};
  if (outcome.checkpoints.empty())
    return result;
  const std::vector<uint8_t> &bytes = outcome.checkpoints.back().back().bytes;
  std::memcpy(result.data(), bytes.data() + index * 16, 16);
  return result;
}

TEST(GcnDraws, InterpolatesAParameter) {
  DrawCode code{"gfx1030", vertexCode(true), pixelCode.str(), registers.str()};
  Expected<Outcome> outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  ASSERT_EQ(outcome->kind, OutcomeKind::Completed) << outcome->reason;
  // Weights at the centre of pixel (x, y): the second vertex is 8 pixels right of the first.
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 4; ++x) {
      std::array<float, 4> color = texel(*outcome, 4 * y + x);
      EXPECT_FLOAT_EQ(color[0], (float(x) + 0.5f) / 8 + 2 * (float(y) + 0.5f) / 8);
      EXPECT_FLOAT_EQ(color[1], 2);
      EXPECT_FLOAT_EQ(color[2], 0.5f);
      EXPECT_FLOAT_EQ(color[3], 1);
    }
}

TEST(GcnDraws, RefusesVerticesWithoutPosition) {
  DrawCode code{"gfx1030", vertexCode(false), pixelCode.str(), registers.str()};
  Expected<Outcome> outcome = draw(code);
  ASSERT_FALSE(bool(outcome));
  EXPECT_EQ(takeError(outcome.takeError()).message, "a vertex shader that does not export POS0");
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
