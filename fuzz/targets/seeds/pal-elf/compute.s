// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute shader with a table in .rodata that it refers to, links to other pipelines, and text of
// a disassembly: 3.x metadata.
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, _amdgpu_cs_shdr_intrl_tbl@rel32@lo+4
	s_addc_u32 s1, s1, _amdgpu_cs_shdr_intrl_tbl@rel32@hi+12
	v_mov_b32 v1, 0
	s_cmp_eq_u32 s2, 0
	s_cbranch_scc1 .Lskip
	v_add_f32 v1, v1, v1
.Lskip:
	s_endpgm
.Lend:
	.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
	.globl _amdgpu_pipelineLink0
	.type _amdgpu_pipelineLink0,@function
_amdgpu_pipelineLink0:
	s_endpgm
.Lend0:
	.size _amdgpu_pipelineLink0, .Lend0-_amdgpu_pipelineLink0
	.fill 64, 4, 0xbf9f0000
	.section .rodata,"a",@progbits
	.p2align 5
	.globl _amdgpu_cs_shdr_intrl_tbl
	.type _amdgpu_cs_shdr_intrl_tbl,@object
_amdgpu_cs_shdr_intrl_tbl:
	.long 1, 2, 3, 4
	.size _amdgpu_cs_shdr_intrl_tbl, 16
	.section .AMDGPU.disasm,"",@progbits
	.globl _amdgpu_cs_disasm
	.type _amdgpu_cs_disasm,@object
_amdgpu_cs_disasm:
	.ascii "s_endpgm\n"
	.size _amdgpu_cs_disasm, 9
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Cs
    .internal_pipeline_hash: [0x11, 0x22]
    .user_data_limit: 2
    .spill_threshold: 65535
    .shaders:
      .compute:
        .api_shader_hash: [0x33, 0x44]
        .hardware_mapping: [.cs]
    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
        .wavefront_size: 64
        .threadgroup_dimensions: [8, 8, 1]
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0, 0x10000006, 0xffffffff]
        .float_mode: 192
        .scratch_memory_size: 0
        .lds_size: 1024
        .vgpr_count: 8
        .sgpr_count: 24
        .mem_ordered: true
    .compute_registers:
      .tgid_x_en: true
      .tgid_y_en: true
      .tgid_z_en: true
      .tg_size_en: true
      .tidig_comp_cnt: 1
...
	.end_amdgpu_pal_metadata
