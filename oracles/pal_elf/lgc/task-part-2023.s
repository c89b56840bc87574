; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A task shader, whose mesh shader is compiled apart.
; chip: gfx1030
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	s_endpgm
.Lcs:
	.size _amdgpu_cs_main, .Lcs-_amdgpu_cs_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .api: Vulkan
    .compute_registers: {.tg_size_en: true, .tgid_x_en: true, .tgid_y_en: true, .tgid_z_en: true, .tidig_comp_cnt: 0}
    .graphics_registers:
      .aa_coverage_to_shader_select: InputCoverage
      .pa_sc_shader_control: {.wave_break_region_size: 0}
    .hardware_stages:
      .cs:
        .checksum_value: 0x22eeaa66
        .debug_mode: false
        .entry_point: _amdgpu_cs_main
        .float_mode: 0xc0
        .ieee_mode: false
        .image_op: false
        .mem_ordered: true
        .scratch_en: false
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x6a
        .trap_present: false
        .user_data_reg_map: [0x10000000, 0x10000012, 0xffffffff, 0xffffffff, 0x10000013, 0x10000014, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 6
        .vgpr_count: 3
        .vgpr_limit: 0x100
        .wavefront_size: 32
        .wgp_mode: false
        .threadgroup_dimensions: [32, 1, 1]
        .lds_size: 0
        .excp_en: 0
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1003, 0x1a2b3c4d5e6f7082]
    .registers: {}
    .shaders:
      .task: {.api_shader_hash: [0x2244668800aaccee, 0], .hardware_mapping: [.cs]}
    .spill_threshold: 0xffff
    .type: TaskMesh
    .user_data_limit: 1
    .xgl_cache_info:
      .128_bit_cache_hash: [0x1f2e3d4c5b6a7988, 0x1122334455667788]
      .llpc_version: 61.15
amdpal.version: [3, 0]
...
	.end_amdgpu_pal_metadata
