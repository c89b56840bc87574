// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mesh shader and a pixel shader.
	.include "exports.inc"
	.text
	.include "primitive.inc"
	.include "pixel.inc"
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Mesh
    .user_data_limit: 8
    .spill_threshold: 4
    .nggSubgroupSize: 1
    .num_interpolants: 1
    .uses_viewport_array_index: false
    .ps_sample_mask: false
    .shaders:
      .mesh:
        .hardware_mapping: [.gs]
      .pixel:
        .hardware_mapping: [.ps]
    .hardware_stages:
      .gs:
        .entry_point: _amdgpu_gs_main
        .wavefront_size: 64
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 0, 1]
        .vgpr_count: 8
      .ps:
        .entry_point: _amdgpu_ps_main
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 3, 2, 0x10000018]
        .vgpr_count: 8
        .writes_uavs: false
        .uses_uavs: true
        .writes_depth: false
        .uses_prim_id: false
    .graphics_registers:
      .vgt_shader_stages_en: {.hs_stage_en: false, .gs_stage_en: false, .primgen_en: true}
      .vgt_gs_onchip_cntl: {.es_verts_per_subgroup: 64, .gs_prims_per_subgroup: 64, .gs_inst_prims_per_subgrp: 64}
      .ge_ngg_subgrp_cntl: {.prim_amp_factor: 1, .threads_per_subgroup: 128}
      .max_verts_per_subgroup: 64
      .vgt_gs_instance_cnt: {.enable: false, .count: 1}
      .spi_shader_idx_format: 1
      .vgt_draw_prim_payload_en: false
      .spi_shader_gs_meshlet_dim: {.num_thread_x: 127, .num_thread_y: 0, .num_thread_z: 0}
      .spi_shader_gs_meshlet_exp_alloc: {.max_exp_verts: 64, .max_exp_prims: 126}
      .vgt_primitive_id_en: false
      .spi_shader_pos_format: [4, 0, 0, 0, 0]
      .pa_cl_vs_out_cntl: {.use_vtx_point_size: false, .use_vtx_viewport_indx: false, .vs_out_misc_vec_ena: false, .clip_dist_ena_0: false, .cull_dist_ena_0: false, .vs_out_cc_dist0_vec_ena: false, .vs_out_cc_dist1_vec_ena: false}
      .spi_vs_out_config: {.no_pc_export: false, .vs_export_count: 0, .prim_export_count: 0}
      .spi_ps_in_control: {.num_interps: 1}
      .spi_ps_input_cntl: [{.offset: 0, .fp16_interp_mode: false, .attr0_valid: false}]
      .spi_ps_input_ena: {.persp_center_ena: true, .pos_w_float_ena: false, .linear_center_ena: false}
      .spi_ps_input_addr: {.persp_center_ena: true, .pos_w_float_ena: false, .linear_center_ena: false}
      .spi_baryc_cntl: {.pos_float_location: 0}
      .spi_shader_col_format: {.col_0_export_format: 9}
      .cb_shader_mask: {.output0_enable: 15}
      .spi_shader_z_format: 0
      .db_shader_control: {.z_export_enable: false, .mask_export_enable: false, .depth_before_shader: false, .exec_on_hier_fail: false, .primitive_ordered_pixel_shader: false}
      .pa_sc_shader_control: {.load_collision_waveid: false}
...
	.end_amdgpu_pal_metadata
