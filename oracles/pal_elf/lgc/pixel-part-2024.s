; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The fragment half of a graphics pipeline: its inputs are matched with the other half later.
; chip: gfx1030
	.text
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
    .fragInputs: []
    .graphics_registers:
      .cb_shader_mask: {.output0_enable: 15, .output1_enable: 0, .output2_enable: 0, .output3_enable: 0, .output4_enable: 0, .output5_enable: 0, .output6_enable: 0, .output7_enable: 0}
      .db_shader_control: {.alpha_to_mask_disable: true, .conservative_z_export: 0, .depth_before_shader: false, .exec_on_hier_fail: false, .exec_on_noop: false, .kill_enable: false, .mask_export_enable: false, .pre_shader_depth_coverage_enable: 0, .stencil_test_val_export_enable: false, .z_export_enable: false, .z_order: 1}
      .ps_extra_lds_size: 0
      .ps_iter_sample: false
      .spi_baryc_cntl: {.front_face_all_bits: true, .pos_float_location: 0}
      .spi_ps_in_control: {.num_interps: 2, .ps_w32_en: false}
      .spi_ps_input_addr: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: true, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: false, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_ps_input_cntl:
        - {.attr0_valid: 0, .attr1_valid: 0, .flat_shade: false, .fp16_interp_mode: false, .offset: 0, .prim_attr: false, .pt_sprite_tex: false}
        - {.attr0_valid: 0, .attr1_valid: 0, .flat_shade: false, .fp16_interp_mode: false, .offset: 0x20, .prim_attr: false, .pt_sprite_tex: true}
      .spi_ps_input_ena: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: true, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: false, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_shader_col_format: {.col_0_export_format: 9, .col_1_export_format: 0, .col_2_export_format: 0, .col_3_export_format: 0, .col_4_export_format: 0, .col_5_export_format: 0, .col_6_export_format: 0, .col_7_export_format: 0}
      .spi_shader_z_format: 0
    .hardware_stages:
      .ps:
        .checksum_value: 0x44444444
        .debug_mode: false
        .entry_point: _amdgpu_ps_main
        .float_mode: 0xc0
        .ieee_mode: false
        .image_op: false
        .mem_ordered: true
        .scratch_en: false
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x6a
        .trap_present: false
        .user_data_reg_map: [0x10000000, 0xffffffff, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 3
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .wgp_mode: false
        .uses_uavs: false
        .writes_depth: false
        .writes_uavs: false
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1008, 0x1a2b3c4d5e6f7087]
    .num_interpolants: 2
    .ps_input_semantic: [{.semantic: 0x41}]
    .registers: {}
    .shaders:
      .pixel: {.api_shader_hash: [0xf1e2d3c4b5a6978, 0], .hardware_mapping: [.ps]}
    .spill_threshold: 0xffff
    .type: Ngg
    .user_data_limit: 1
    .xgl_cache_info:
      .128_bit_cache_hash: [0x1f2e3d4c5b6a7988, 0x1122334455667788]
      .llpc_version: 70.1
amdpal.version: [3, 2]
...
	.end_amdgpu_pal_metadata
