; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; One wave32 in a loop of vector and scalar arithmetic, as compilers mix it: for assay-bench-exec.
.text
.globl _amdgpu_cs_main
.p2align 8
.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
  s_mov_b32 s4, 0
  s_mov_b32 s5, 0x3f800000
  s_mov_b32 s6, 0x9e3779b9
  v_and_b32 v0, 0x3ff, v0
  v_cvt_f32_u32 v1, v0
  v_mov_b32 v2, 1.0
  v_mov_b32 v3, 0.5
  v_mov_b32 v4, v0
  v_mov_b32 v5, 0x12345
  v_mov_b32 v6, v0
  v_mov_b32 v7, 2.0
  v_mov_b32 v8, 0
.Lloop:
  v_add_f32 v2, v1, v2
  v_mul_f32 v7, 0.5, v2
  v_fma_f32 v2, v7, v3, s5
  v_add_nc_u32 v4, v4, v5
  v_xor_b32 v5, v4, v6
  v_lshlrev_b32 v6, 3, v5
  v_cmp_gt_f32 vcc_lo, v2, v7
  v_cndmask_b32 v8, v4, v6, vcc_lo
  v_and_b32 v9, 0xffff, v8
  v_mul_lo_u32 v4, v4, s6
  s_add_u32 s7, s4, s6
  s_xor_b32 s8, s7, s4
  v_add3_u32 v5, v5, v9, s8
  v_fmac_f32 v7, v3, v2
  v_max_f32 v2, v2, v7
  v_min_u32 v6, v6, v5
  v_bfe_u32 v10, v6, 4, 8
  v_lshl_or_b32 v6, v10, 8, v6
  v_cmp_lt_u32 s9, v5, v6
  v_cndmask_b32 v5, v5, v10, s9
  v_fma_f32 v2, -v3, v2, v7
  v_sub_f32 v2, v2, v1
  s_lshl_b32 s10, s8, 2
  s_and_b32 s7, s10, 0xff
  s_add_i32 s4, s4, 1
  s_cmp_lt_u32 s4, 0x30000
  s_cbranch_scc1 .Lloop
  s_endpgm
.Lend:
.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
.amdgpu_pal_metadata
---
amdpal.version: [ 3, 0 ]
amdpal.pipelines:
  - .type: Cs
    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
        .wavefront_size: 32
        .threadgroup_dimensions: [ 32, 1, 1 ]
        .vgpr_count: 16
        .sgpr_count: 32
        .lds_size: 0
        .user_sgprs: 1
        .user_data_reg_map: [ 0x10000000 ]
        .float_mode: 0xc0
    .compute_registers:
      .tgid_x_en: true
      .tidig_comp_cnt: 0
...
.end_amdgpu_pal_metadata
