; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Metadata 2.6: everything in registers, user data spilled; '.user_data_limit' counts 8 entries.
; chip: gfx1030
	.text
	.globl _amdgpu_gs_main
	.p2align 8
	.type _amdgpu_gs_main,@function
_amdgpu_gs_main:
	v_mov_b32 v1, 0
	s_mov_b32 s8, s1
	s_mov_b32 m0, 0x1001
	s_nop 0
	s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)
	exp prim v0, off, off, off done
	exp pos0 v1, v1, v1, v1 done
	exp param0 v1, v1, v1, v1
	s_endpgm
.Lgs:
	.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
	s_mov_b32 s8, s1
	v_mov_b32 v2, 0
	exp mrt0 v0, v1, v2, v2 done vm
	s_endpgm
.Lps:
	.size _amdgpu_ps_main, .Lps-_amdgpu_ps_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .api: Vulkan
    .hardware_stages:
      .gs:
        .entry_point: _amdgpu_gs_main
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x68
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .lds_size: 0
      .ps:
        .entry_point: _amdgpu_ps_main
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x68
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .uses_uavs: false
        .writes_depth: 0
        .writes_uavs: false
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1004, 0x1a2b3c4d5e6f7083]
    .nggSubgroupSize: 0x80
    .num_interpolants: 1
    .registers:
      0x2c0a: 0xc0041
      0x2c0b: 0x8
      0x2c0c: 0x10000000
      0x2c0d: 0x10000002
      0x2c0e: 0x2
      0x2c0f: 0x3
      0x2c8a: 0xc0041
      0x2c8b: 0x10
      0x2c8c: 0x10000000
      0x2c8d: 0x10000002
      0x2c8e: 0x10000003
      0x2c8f: 0x10000004
      0x2c90: 0x0
      0x2c91: 0x1
      0x2c92: 0x1000000f
      0xa08f: 0xf
      0xa191: 0x0
      0xa1b1: 0x0
      0xa1b3: 0x2
      0xa1b4: 0x2
      0xa1b6: 0x1
      0xa1b8: 0x1000000
      0xa1c3: 0x4
      0xa1c4: 0x0
      0xa1c5: 0x9
      0xa203: 0x810
      0xa204: 0x1000000
      0xa206: 0x43f
      0xa207: 0x0
      0xa291: 0x20040080
      0xa2d5: 0x2002040
      0xa2f9: 0x2d
    .shaders:
      .pixel: {.api_shader_hash: [0xf1e2d3c4b5a6978, 0], .hardware_mapping: [.ps]}
      .vertex: {.api_shader_hash: [0x1020304050607080, 0], .hardware_mapping: [.gs]}
    .spill_threshold: 4
    .type: Ngg
    .user_data_limit: 8
    .xgl_cache_info:
      .128_bit_cache_hash: [0x1f2e3d4c5b6a7988, 0x1122334455667788]
      .llpc_version: 46.0
amdpal.version: [2, 6]
...
	.end_amdgpu_pal_metadata
