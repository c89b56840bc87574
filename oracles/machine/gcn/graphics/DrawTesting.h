// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole graphics pipelines in assembly, drawn by machine gcn: what tests of draws have in common.
#pragma once

#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/graphics/Draws.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "support/Error.h"
#include <cstring>

namespace assay::gcn {

/// A triangle over the left half of 4 x 4 pixels, colours from a vertex buffer.
inline constexpr llvm::StringLiteral drawScript = R"(#!amber
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

/// A pipeline in assembly. User data of the vertex shader, from s0 or, of NGG, from s8 on: the
/// global table, the table of vertex buffers, the base vertex. The fragment shader has none: its
/// mask of primitives is in s0.
struct DrawCode {
  std::string target = "gfx1030";
  std::string vertex;
  std::string pixel;
  std::string graphicsRegisters;
  bool isNgg = false;
  std::string script = drawScript.str();
  std::string pixelUserData = "        .user_sgprs: 0\n";
};

inline std::string entry(llvm::StringRef symbol, llvm::StringRef body) {
  return ".globl " + symbol.str() + "\n.p2align 8\n.type " + symbol.str() + ",@function\n" +
         symbol.str() + ":\n" + body.str() + ".L" + symbol.str() + "_end:\n.size " + symbol.str() +
         ", .L" + symbol.str() + "_end-" + symbol.str() + "\n";
}

inline std::string stage(llvm::StringRef name, llvm::StringRef userData) {
  return ("      ." + name + ":\n        .entry_point_symbol: _amdgpu_" + name + R"(_main
        .wavefront_size: 64
        .vgpr_count: 24
        .sgpr_count: 32
        .float_mode: 0xc0
)" + userData)
      .str();
}

inline std::string makeText(const DrawCode &code) {
  std::string vertex = code.isNgg ? "gs" : "vs";
  return ".text\n" + entry("_amdgpu_" + vertex + "_main", code.vertex) +
         entry("_amdgpu_ps_main", code.pixel) + R"(.amdgpu_pal_metadata
---
amdpal.version: [ 3, 0 ]
amdpal.pipelines:
  - .type: )" +
         (code.isNgg ? "Ngg" : "VsPs") + "\n    .hardware_stages:\n" + stage(vertex, R"(
        .user_sgprs: 3
        .user_data_reg_map: [ 0x10000000, 0x1000000f, 0x10000003 ]
)") + stage("ps", code.pixelUserData) +
         "    .graphics_registers:\n" + code.graphicsRegisters + "...\n.end_amdgpu_pal_metadata\n";
}

/// Loads the position by its number, exports it, and the number as a parameter.
inline std::string vertexCode(bool exportsPosition) {
  return std::string(R"(
  s_getpc_b64 s[4:5]
  s_mov_b32 s4, s1
  s_load_dwordx4 s[8:11], s[4:5], 0x0
  v_add_nc_u32 v4, v0, s2
  s_waitcnt lgkmcnt(0)
  buffer_load_dwordx4 v[8:11], v4, s[8:11], 0 idxen
  v_cvt_f32_u32 v4, v4
  v_mov_b32 v5, 2.0
  s_waitcnt vmcnt(0)
)") + (exportsPosition ? "  exp pos0 v8, v9, v10, v11 done\n" : "") +
         "  exp param0 v4, v5, v5, v5\n  s_endpgm\n";
}

/// Parameter 0.x interpolated, and 0.y.
inline constexpr llvm::StringLiteral pixelCode = R"(
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

inline constexpr llvm::StringLiteral registers = R"(
      .spi_ps_input_ena: { .persp_center_ena: true }
      .spi_ps_input_addr: { .persp_center_ena: true }
      .spi_ps_in_control: { .num_interps: 1 }
      .spi_ps_input_cntl: [ { .offset: 0 } ]
      .spi_shader_col_format: { .col_0_export_format: 9 }
      .spi_shader_pos_format: [ 4 ]
)";

// --- NGG, passthrough

/// As vertexCode, of GFX10: the connectivity of primitives is exported as it came.
inline constexpr llvm::StringLiteral primitiveCode = R"(
  s_bfe_u32 s0, s2, 0x9000c
  s_bfe_u32 s1, s2, 0x90016
  s_lshl_b32 s1, s1, 12
  s_or_b32 m0, s0, s1
  s_nop 0
  s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
  s_bfe_u32 s0, s3, 0x80008
  s_bfm_b64 exec, s0, 0
  exp prim v0, off, off, off done
  s_and_b32 s0, s3, 0xff
  s_bfm_b64 exec, s0, 0
  s_getpc_b64 s[12:13]
  s_mov_b32 s12, s9
  s_load_dwordx4 s[16:19], s[12:13], 0x0
  v_add_nc_u32 v4, v5, s10
  s_waitcnt lgkmcnt(0)
  buffer_load_dwordx4 v[12:15], v4, s[16:19], 0 idxen
  v_cvt_f32_u32 v4, v4
  v_mov_b32 v5, 2.0
  s_waitcnt vmcnt(0)
  exp pos0 v12, v13, v14, v15 done
  exp param0 v4, v5, v5, v5
  s_endpgm
)";

/// The same of GFX11: two parameters go to the attribute ring, of which the second is used.
inline constexpr llvm::StringLiteral ringCode = R"(
  s_bfe_u32 s0, s3, 0x80008
  s_bfm_b64 exec, s0, 0
  exp prim v0, off, off, off done
  s_and_b32 s0, s3, 0xff
  s_bfm_b64 exec, s0, 0
  s_getpc_b64 s[12:13]
  s_mov_b32 s12, s9
  s_load_b128 s[16:19], s[12:13], 0x0
  s_mov_b32 s12, s8
  s_load_b128 s[20:23], s[12:13], 0xb0
  v_add_nc_u32 v4, v5, s10
  v_mbcnt_lo_u32_b32 v6, -1, 0
  v_mbcnt_hi_u32_b32 v6, -1, v6
  s_waitcnt lgkmcnt(0)
  buffer_load_b128 v[12:15], v4, s[16:19], 0 idxen
  s_and_b32 s21, s21, 0xc000ffff
  s_or_b32 s21, s21, 0x200000
  s_and_b32 s5, s5, 0x7fff
  s_lshl_b32 s5, s5, 9
  v_cvt_f32_u32 v16, v4
  v_mov_b32 v17, 2.0
  v_mov_b32 v18, 2.0
  v_mov_b32 v19, 2.0
  buffer_store_b128 v[16:19], v6, s[20:23], s5 idxen offset:16 glc
  s_waitcnt vmcnt(0)
  s_waitcnt_vscnt null, 0x0
  exp pos0 v12, v13, v14, v15 done
  s_endpgm
)";

inline constexpr llvm::StringLiteral pixelCodeGfx11 = R"(
  s_mov_b32 m0, s0
  s_nop 0
  lds_param_load v4, attr0.x wait_vdst:15
  lds_param_load v5, attr0.y wait_vdst:15
  v_interp_p10_f32 v6, v4, v0, v4 wait_exp:1
  v_interp_p2_f32 v6, v4, v1, v6 wait_exp:7
  v_interp_p10_f32 v7, v5, v0, v5 wait_exp:0
  v_interp_p2_f32 v7, v5, v1, v7 wait_exp:7
  v_mov_b32 v8, 0.5
  v_mov_b32 v9, 1.0
  exp mrt0 v6, v7, v8, v9 done
  s_endpgm
)";

inline constexpr llvm::StringLiteral nggRegisters = R"(
      .vgt_shader_stages_en: { .primgen_en: true, .es_stage_en: 2, .primgen_passthru_en: true }
      .vgt_gs_onchip_cntl: { .es_verts_per_subgroup: 64, .gs_prims_per_subgroup: 64,
                             .gs_inst_prims_per_subgrp: 64 }
      .vgt_gs_out_prim_type: { .outprim_type: TriStrip }
)";

/// Registers of GFX11 and later: two parameters, no GS_ALLOC_REQ.
inline constexpr llvm::StringLiteral ringRegisters = R"(
      .spi_ps_input_ena: { .persp_center_ena: true }
      .spi_ps_input_addr: { .persp_center_ena: true }
      .spi_ps_in_control: { .num_interps: 1 }
      .spi_ps_input_cntl: [ { .offset: 1 } ]
      .spi_shader_col_format: { .col_0_export_format: 9 }
      .spi_shader_pos_format: [ 4 ]
      .spi_vs_out_config: { .vs_export_count: 1 }
      .vgt_shader_stages_en: { .primgen_en: true, .es_stage_en: 2, .primgen_passthru_en: true,
                               .primgen_passthru_no_msg: true }
      .vgt_gs_onchip_cntl: { .es_verts_per_subgroup: 64, .gs_prims_per_subgroup: 64,
                             .gs_inst_prims_per_subgrp: 64 }
      .vgt_gs_out_prim_type: { .outprim_type: TriStrip }
)";

/// \p text with each first word of \p words as its second one.
inline std::string replaceAll(llvm::StringRef text,
                              llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> words) {
  std::string result = text.str();
  for (auto [from, to] : words)
    for (size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size())
      result.replace(at, from.size(), to);
  return result;
}

/// GFX12 has the vertex's number in v3, and other names.
inline std::string toGfx12(llvm::StringRef text) {
  return replaceAll(text, {{"v4, v5, s10", "v4, v3, s10"},
                           {"exp ", "export "},
                           {" glc", " scope:SCOPE_DEV"},
                           {", 0 idxen", ", null idxen"},
                           {"s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0"},
                           {"s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0"},
                           {"s_waitcnt_vscnt null, 0x0", "s_wait_storecnt 0x0"},
                           {"lds_param_load", "ds_param_load"},
                           {"wait_vdst:15", "wait_va_vdst:15 wait_vm_vsrc:1"}});
}

inline DrawCode nggDraw(llvm::StringRef target) {
  DrawCode code{target.str(), primitiveCode.str(), pixelCode.str(),
                (registers + nggRegisters).str(), /*isNgg=*/true};
  if (target != "gfx1030")
    code = {target.str(), ringCode.str(), pixelCodeGfx11.str(), ringRegisters.str(),
            /*isNgg=*/true};
  if (target == "gfx1201") {
    code.vertex = toGfx12(code.vertex);
    code.pixel = toGfx12(code.pixel);
  }
  return code;
}

/// What a machine needs to draw a pipeline in assembly.
struct AssembledDraw {
  Case input;
  const TargetInfo *target = nullptr;
  Artifact artifact;
};

inline llvm::Expected<AssembledDraw> assembleDraw(const DrawCode &code) {
  llvm::Expected<Case> input = readCaseFromText(code.script, "test.amber", {});
  if (!input)
    return input.takeError();
  auto target = findTarget(code.target);
  if (!target)
    return target.takeError();
  auto elf = assembleElf(makeText(code), code.target, 64);
  if (!elf)
    return elf.takeError();
  return AssembledDraw{std::move(*input), *target, Artifact(*elf)};
}

inline llvm::Expected<Outcome> draw(const DrawCode &code, const RunOptions &options = {}) {
  llvm::Expected<AssembledDraw> made = assembleDraw(code);
  if (!made)
    return made.takeError();
  return createGcnMachine(*made->target, loadDraws)->run(made->input, made->artifact, options);
}

inline std::array<float, 4> texel(const Outcome &outcome, unsigned index) {
  std::array<float, 4> result{};
  if (outcome.checkpoints.empty())
    return result;
  const std::vector<uint8_t> &bytes = outcome.checkpoints.back().back().bytes;
  std::memcpy(result.data(), bytes.data() + index * 16, 16);
  return result;
}

} // namespace assay::gcn
