; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Metadata 2.1 with keys that PAL knew then.
; chip: gfx900
	.text
	.globl _amdgpu_vs_main
	.p2align 8
	.type _amdgpu_vs_main,@function
_amdgpu_vs_main:
	v_mov_b32 v1, 0
	exp pos0 v1, v1, v1, v1 done
	exp param0 v1, v1, v1, v1
	s_endpgm
.Lvs:
	.size _amdgpu_vs_main, .Lvs-_amdgpu_vs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
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
    .calc_wave_break_size_at_draw_time: false
    .indirect_user_data_table_addresses: [0, 0, 0]
    .hardware_stages:
      .ps:
        .entry_point: _amdgpu_ps_main
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x68
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .max_prims_per_wave: 0
        .uses_uavs: false
        .writes_depth: false
        .writes_uavs: false
      .vs:
        .entry_point: _amdgpu_vs_main
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x68
        .vgpr_count: 8
        .vgpr_limit: 0x100
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1005, 0x1a2b3c4d5e6f7084]
    .num_interpolants: 1
    .scratch_memory_size: 0
    .registers:
      0x2c0a: 0xc0041
      0x2c0b: 0x8
      0x2c0c: 0x10000000
      0x2c0e: 0x1
      0x2c0f: 0x2
      0x2c4a: 0xc0041
      0x2c4b: 0xc
      0x2c4c: 0x10000000
      0x2c4e: 0x10000003
      0x2c4f: 0x10000004
      0x2c50: 0x0
      0x2c51: 0x20000001
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
      0xa2d5: 0x0
      0xa2f9: 0x2d
    .shaders:
      .pixel: {.api_shader_hash: [0xf1e2d3c4b5a6978, 0], .hardware_mapping: [.ps]}
      .vertex: {.api_shader_hash: [0x1020304050607080, 0], .hardware_mapping: [.vs]}
    .spill_threshold: 0xffff
    .stream_out_table_address: 0
    .type: VsPs
    .user_data_limit: 3
    .uses_viewport_array_index: false
amdpal.version: [2, 1]
...
	.end_amdgpu_pal_metadata
