// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute shader whose launch stands in registers: 2.x metadata.
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	s_mov_b32 s4, 16
.Lloop:
	v_mul_f32 v1, v1, v1
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 .Lloop
	s_endpgm
.Lend:
	.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.version: [2, 6]
amdpal.pipelines:
  - .api: Vulkan
    .type: Cs
    .internal_pipeline_hash: [0x11, 0x22]
    .user_data_limit: 1
    .spill_threshold: 65535
    .shaders:
      .compute:
        .api_shader_hash: [0x33, 0x44]
        .hardware_mapping: [.cs]
    .hardware_stages:
      .cs:
        .entry_point: _amdgpu_cs_main
        .scratch_memory_size: 0
        .lds_size: 0
        .vgpr_count: 4
        .sgpr_count: 16
    .registers:
      0x2e07: 64
      0x2e08: 1
      0x2e09: 1
      0x2e12: 0xc0040
      0x2e13: 0x788
      0x2e40: 0x10000000
      0x2e41: 0
...
	.end_amdgpu_pal_metadata
