// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults planted in the code and the registers of small draws: each is caught by its rule. The
// draws without them have no findings (DrawsTest.cpp).
#include "oracles/machine/gcn/sanitizer/ExportRules.h"

#include "oracles/machine/gcn/graphics/DrawTesting.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct ExportFault {
  const char *name;
  const char *rule;
  const char *draw; ///< "gfx1030": hardware VS; "ngg" and a target.
  std::string DrawCode::*part;
  const char *from;
  const char *to;
};

const ExportFault Faults[] = {
    {"PixelsWithoutDone", "EXPORT-DONE", "gfx1030", &DrawCode::pixel, " done vm", ""},
    {"PixelsWithoutVm", "EXPORT-DONE", "gfx1030", &DrawCode::pixel, " done vm", " done"},
    {"PixelsTwice", "EXPORT-DONE", "gfx1030", &DrawCode::pixel, "  s_endpgm",
     "  exp mrt0 v4, v5, v6, v7 done vm\n  s_endpgm"},
    {"PixelsWithoutDoneGfx11", "EXPORT-DONE", "ngg gfx1100", &DrawCode::pixel, " done", ""},
    {"PositionWithoutDone", "EXPORT-DONE", "gfx1030", &DrawCode::vertex, "v11 done", "v11"},
    {"PositionTwice", "EXPORT-DONE", "gfx1030", &DrawCode::vertex, "  exp param0",
     "  exp pos0 v8, v9, v10, v11 done\n  exp param0"},
    {"PrimitiveWithoutDone", "EXPORT-DONE", "ngg gfx1030", &DrawCode::vertex, "off, off, off done",
     "off, off, off"},
    {"PrimitiveTwice", "EXPORT-DONE", "ngg gfx1030", &DrawCode::vertex,
     "  exp prim v0, off, off, off done\n",
     "  exp prim v0, off, off, off done\n  exp prim v0, off, off, off done\n"},
    {"TargetWithoutFormat", "EXPORT-RANGE", "gfx1030", &DrawCode::pixel, "  exp mrt0",
     "  exp mrt1 v4, v5, v6, v7\n  exp mrt0"},
    {"SecondPosition", "EXPORT-RANGE", "gfx1030", &DrawCode::vertex, "  exp pos0",
     "  exp pos1 v8, v9, v10, v11\n  exp pos0"},
    {"SecondParameter", "EXPORT-RANGE", "gfx1030", &DrawCode::vertex, "  s_endpgm",
     "  exp param1 v4, v5, v5, v5\n  s_endpgm"},
    {"NoRequest", "EXPORT-RANGE", "ngg gfx1030", &DrawCode::vertex,
     "  s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n", ""},
    {"RequestTwice", "EXPORT-RANGE", "ngg gfx1030", &DrawCode::vertex,
     "  s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n",
     "  s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n  s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n"},
    {"TwoVerticesRequested", "EXPORT-RANGE", "ngg gfx1030", &DrawCode::vertex,
     "s_or_b32 m0, s0, s1", "s_or_b32 m0, s1, 2"},
    {"FourVerticesRequested", "EXPORT-RANGE", "ngg gfx1030", &DrawCode::vertex,
     "s_or_b32 m0, s0, s1", "s_or_b32 m0, s1, 4"},
    {"FourVertices", "EXPORT-RANGE", "ngg gfx1030", &DrawCode::vertex,
     "  s_bfm_b64 exec, s0, 0\n  s_getpc", "  s_mov_b64 exec, 15\n  s_getpc"},
    {"TwoPrimitives", "EXPORT-RANGE", "ngg gfx1201", &DrawCode::vertex,
     "  s_bfm_b64 exec, s0, 0\n  export prim",
     "  s_mov_b64 exec, 3\n  v_mov_b32 v0, 0\n  export prim"},
    {"TwoVertices", "EXPORT-LANES", "ngg gfx1030", &DrawCode::vertex, "  exp pos0",
     "  s_mov_b64 exec, 3\n  exp pos0"},
    {"TwoVerticesHaveParameters", "EXPORT-LANES", "gfx1030", &DrawCode::vertex, "  exp param0",
     "  s_mov_b64 exec, 3\n  exp param0"},
    {"NoPrimitive", "EXPORT-LANES", "ngg gfx1100", &DrawCode::vertex, "  exp prim",
     "  s_mov_b64 exec, 0\n  exp prim"},
    {"HalfOfThePixels", "EXPORT-LANES", "gfx1030", &DrawCode::pixel,
     "  exp mrt0 v4, v5, v6, v7 done vm",
     "  s_mov_b64 s[4:5], exec\n  s_mov_b64 exec, 3\n  exp mrt0 v4, v5, v6, v7\n"
     "  s_mov_b64 exec, s[4:5]\n  exp null off, off, off, off done vm"},
    {"OtherVertices", "EXPORT-PRIMITIVE", "ngg gfx1030", &DrawCode::vertex, "  exp prim",
     "  v_mov_b32 v0, 0x100001\n  exp prim"},
    {"OtherVerticesGfx12", "EXPORT-PRIMITIVE", "ngg gfx1201", &DrawCode::vertex, "  export prim",
     "  v_lshlrev_b32 v0, 1, v0\n  export prim"},
    {"RingWithoutWait", "PARAM-EARLY", "ngg gfx1100", &DrawCode::vertex,
     "  s_waitcnt_vscnt null, 0x0\n", ""},
    {"RingAfterPosition", "PARAM-EARLY", "ngg gfx1100", &DrawCode::vertex, "  s_endpgm",
     "  buffer_store_b128 v[16:19], v6, s[20:23], s5 idxen glc\n  s_endpgm"},
};

class ExportFaults : public testing::TestWithParam<ExportFault> {};

DrawCode makeDraw(StringRef name) {
  if (name.consume_front("ngg "))
    return nggDraw(name);
  return {name.str(), vertexCode(true), pixelCode.str(), registers.str()};
}

} // namespace

TEST_P(ExportFaults, AreCaught) {
  const ExportFault &fault = GetParam();
  DrawCode code = makeDraw(fault.draw);
  std::string &part = code.*fault.part;
  std::string changed = replaceAll(part, {{fault.from, fault.to}});
  ASSERT_NE(changed, part) << "the draw has no such text";
  part = changed;
  Expected<Outcome> outcome = draw(code);
  ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
  std::string found;
  for (const Finding &finding : outcome->findings)
    found += finding.rule + ": " + finding.message + "\n";
  EXPECT_TRUE(any_of(outcome->findings, [&](const Finding &finding) {
    return finding.rule == fault.rule;
  })) << found;
}

/// Half of the pixels, and a buffer that the fragment shader writes.
static constexpr StringLiteral storingScript = R"(#!amber
SHADER vertex vs PASSTHROUGH
SHADER fragment fs GLSL
#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) buffer Data { uint data[64]; };
void main() { result = color; data[0] = 1; }
END
BUFFER position DATA_TYPE R32G32B32A32_SFLOAT DATA
-1 -1 0 1   1 -1 0 1   -1 1 0 1
END
BUFFER data DATA_TYPE uint32 SIZE 64 FILL 0
BUFFER image FORMAT R32G32B32A32_SFLOAT
PIPELINE graphics p
  ATTACH vs
  ATTACH fs
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER image AS color LOCATION 0
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
  VERTEX_DATA position LOCATION 0
END
CLEAR_COLOR p 0 0 0 0
CLEAR p
RUN p DRAW_ARRAY AS TRIANGLE_LIST START_IDX 0 COUNT 3
)";

/// Each lane stores its number; with \p wholeQuads, those without a pixel, too.
static DrawCode storingDraw(bool wholeQuads) {
  DrawCode code{"gfx1030", vertexCode(true), {}, registers.str()};
  code.script = storingScript.str();
  code.pixelUserData = "        .user_sgprs: 1\n        .user_data_reg_map: [ 0 ]\n";
  code.pixel = std::string(R"(
  s_getpc_b64 s[4:5]
  s_mov_b32 s4, s0
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  v_mbcnt_lo_u32_b32 v2, -1, 0
  v_mbcnt_hi_u32_b32 v2, -1, v2
  s_mov_b64 s[6:7], exec
)") + (wholeQuads ? "  s_wqm_b64 exec, exec\n" : "") +
               R"(
  v_mov_b32 v4, 1.0
  v_mbcnt_lo_u32_b32 v2, -1, 0
  v_mbcnt_hi_u32_b32 v2, -1, v2
  v_lshlrev_b32 v3, 2, v2
  s_waitcnt lgkmcnt(0)
  buffer_store_dword v2, v3, s[8:11], 0 offen
  s_mov_b64 exec, s[6:7]
  exp mrt0 v4, v4, v4, v4 done vm
  s_endpgm
)";
  return code;
}

TEST(ExportRules, ReportStoresByHelpers) {
  for (bool wholeQuads : {false, true}) {
    Expected<Outcome> outcome = draw(storingDraw(wholeQuads));
    ASSERT_TRUE(bool(outcome)) << takeError(outcome.takeError()).message;
    ASSERT_EQ(outcome->findings.size(), wholeQuads ? 1u : 0u) << outcome->reason;
    if (wholeQuads)
      EXPECT_EQ(outcome->findings[0].rule, "HELPER-STORE");
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ExportFaults, testing::ValuesIn(Faults),
                         [](const testing::TestParamInfo<ExportFault> &info) {
                           return std::string(info.param.name);
                         });
