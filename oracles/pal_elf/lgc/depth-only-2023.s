; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A legacy vertex shader and LGC's null pixel shader, whose hash is zero, in 2023.
; chip: gfx1030
	.text
	.globl _amdgpu_vs_main
	.p2align 8
	.type _amdgpu_vs_main,@function
_amdgpu_vs_main:
	v_mov_b32 v1, 0
	exp pos0 v1, v1, v1, v1 done
	s_endpgm
.Lvs:
	.size _amdgpu_vs_main, .Lvs-_amdgpu_vs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
	exp null off, off, off, off done vm
	s_endpgm
.Lps:
	.size _amdgpu_ps_main, .Lps-_amdgpu_ps_main
	.fill 64, 4, 0xbf9f0000
	.amdgpu_pal_metadata
---
amdpal.pipelines:
  - .api: Vulkan
    .graphics_registers:
      .aa_coverage_to_shader_select: InputCoverage
      .cb_shader_mask: {.output0_enable: 0, .output1_enable: 0, .output2_enable: 0, .output3_enable: 0, .output4_enable: 0, .output5_enable: 0, .output6_enable: 0, .output7_enable: 0}
      .db_shader_control: {.alpha_to_mask_disable: true, .conservative_z_export: 0, .depth_before_shader: 0, .exec_on_hier_fail: false, .exec_on_noop: false, .kill_enable: false, .mask_export_enable: false, .pre_shader_depth_coverage_enable: 0, .stencil_test_val_export_enable: 0, .z_export_enable: 0, .z_order: 1}
      .ia_multi_vgt_param_piped: {.partial_es_wave_on: false, .primgroup_size: 0x7f, .switch_on_eoi: false}
      .pa_cl_clip_cntl: {.dx_linear_attr_clip_ena: true, .rasterization_kill: false, .vte_vport_provoke_disable: false}
      .pa_cl_vte_cntl: {.vtx_w0_fmt: true, .x_offset_ena: true, .x_scale_ena: true, .y_offset_ena: true, .y_scale_ena: true, .z_offset_ena: true, .z_scale_ena: true}
      .pa_sc_shader_control: {.wave_break_region_size: 0}
      .pa_su_vtx_cntl: {.pix_center: 1, .quant_mode: 5, .round_mode: 2}
      .ps_extra_lds_size: 0
      .ps_iter_sample: false
      .spi_baryc_cntl: {.front_face_all_bits: true, .pos_float_location: 0}
      .spi_ps_in_control: {.num_interps: 0, .num_prim_interp: 0, .ps_w32_en: false}
      .spi_ps_input_addr: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: false, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: true, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_ps_input_cntl:
        - {.attr0_valid: 0, .attr1_valid: 0, .flat_shade: false, .fp16_interp_mode: false, .offset: 0, .prim_attr: false, .pt_sprite_tex: false}
      .spi_ps_input_ena: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: false, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: true, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_shader_col_format: {.col_0_export_format: 0, .col_1_export_format: 0, .col_2_export_format: 0, .col_3_export_format: 0, .col_4_export_format: 0, .col_5_export_format: 0, .col_6_export_format: 0, .col_7_export_format: 0}
      .spi_shader_pos_format: [4, 0, 0, 0, 0]
      .spi_shader_z_format: 0
      .spi_vs_out_config: {.no_pc_export: true}
      .vgt_reuse_off: false
      .vgt_shader_stages_en: {.max_primgroup_in_wave: 2, .vs_stage_en: 0, .vs_w32_en: false}
      .vgt_strmout_buffer_config: {.stream_0_buffer_en: 0, .stream_1_buffer_en: 0, .stream_2_buffer_en: 0, .stream_3_buffer_en: 0}
      .vgt_strmout_config: {.streamout_0_en: false, .streamout_1_en: false, .streamout_2_en: false, .streamout_3_en: false}
      .vs_so_base0_en: false
      .vs_streamout_en: false
      .vs_vgpr_comp_cnt: 0
    .hardware_stages:
      .ps:
        .checksum_value: 0
        .debug_mode: false
        .entry_point: _amdgpu_ps_main
        .float_mode: 0xc0
        .ieee_mode: false
        .image_op: false
        .mem_ordered: true
        .scratch_en: false
        .scratch_memory_size: 0
        .sgpr_count: 2
        .sgpr_limit: 0x6a
        .trap_present: 0
        .user_data_reg_map: [0x10000000, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 1
        .vgpr_count: 2
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .wgp_mode: false
        .uses_uavs: false
        .writes_depth: 0
        .writes_uavs: false
      .vs:
        .checksum_value: 0x404040c0
        .debug_mode: false
        .entry_point: _amdgpu_vs_main
        .float_mode: 0xc0
        .ieee_mode: false
        .image_op: false
        .mem_ordered: true
        .scratch_en: false
        .scratch_memory_size: 0
        .sgpr_count: 8
        .sgpr_limit: 0x6a
        .trap_present: 0
        .user_data_reg_map: [0x10000000, 0x10000003, 0x10000004, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 3
        .vgpr_count: 4
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .wgp_mode: false
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1002, 0x1a2b3c4d5e6f7081]
    .num_interpolants: 1
    .registers: {}
    .shaders:
      .pixel: {.api_shader_hash: [0, 0], .hardware_mapping: [.ps]}
      .vertex: {.api_shader_hash: [0x1020304050607080, 0], .hardware_mapping: [.vs]}
    .spill_threshold: 0xffff
    .streamout_vertex_strides: [0, 0, 0, 0]
    .type: VsPs
    .user_data_limit: 1
    .xgl_cache_info:
      .128_bit_cache_hash: [0x1f2e3d4c5b6a7988, 0x1122334455667788]
      .llpc_version: 52.0
amdpal.version: [3, 0]
...
	.end_amdgpu_pal_metadata
