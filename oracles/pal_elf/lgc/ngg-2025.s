; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; What LGC wrote in 2025: two clip and one cull distance (clip distances cull, too), user data spilled.
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
	exp pos0 v1, v1, v1, v1
	exp pos1 v1, v1, v1, v1 done
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
    .graphics_registers:
      .aa_coverage_to_shader_select: InputCoverage
      .cb_shader_mask: {.output0_enable: 15, .output1_enable: 0, .output2_enable: 0, .output3_enable: 0, .output4_enable: 0, .output5_enable: 0, .output6_enable: 0, .output7_enable: 0}
      .db_shader_control: {.alpha_to_mask_disable: true, .conservative_z_export: 0, .depth_before_shader: false, .exec_on_hier_fail: false, .exec_on_noop: false, .kill_enable: false, .mask_export_enable: false, .pre_shader_depth_coverage_enable: 0, .stencil_test_val_export_enable: false, .z_export_enable: false, .z_order: 1}
      .es_vgpr_comp_cnt: 0
      .ge_ngg_subgrp_cntl: {.prim_amp_factor: 1, .threads_per_subgroup: 256}
      .gs_vgpr_comp_cnt: 1
      .max_verts_per_subgroup: 0x80
      .pa_cl_clip_cntl: {.dx_linear_attr_clip_ena: true, .rasterization_kill: false, .vte_vport_provoke_disable: false}
      .pa_cl_vte_cntl: {.vtx_w0_fmt: true, .x_offset_ena: true, .x_scale_ena: true, .y_offset_ena: true, .y_scale_ena: true, .z_offset_ena: true, .z_scale_ena: true}
      .pa_cl_vs_out_cntl: {.clip_dist_ena_0: true, .clip_dist_ena_1: true, .clip_dist_ena_2: false, .clip_dist_ena_3: false, .clip_dist_ena_4: false, .clip_dist_ena_5: false, .clip_dist_ena_6: false, .clip_dist_ena_7: false, .cull_dist_ena_0: true, .cull_dist_ena_1: true, .cull_dist_ena_2: true, .cull_dist_ena_3: false, .cull_dist_ena_4: false, .cull_dist_ena_5: false, .cull_dist_ena_6: false, .cull_dist_ena_7: false, .vs_out_cc_dist0_vec_ena: true, .vs_out_misc_side_bus_ena: true}
      .pa_su_vtx_cntl: {.pix_center: true, .quant_mode: 5, .round_mode: 2}
      .ps_extra_lds_size: 0
      .ps_iter_sample: false
      .spi_baryc_cntl: {.front_face_all_bits: true, .pos_float_location: 0}
      .spi_ps_in_control: {.num_interps: 1, .ps_w32_en: false}
      .spi_ps_input_addr: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: true, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: false, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_ps_input_cntl:
        - {.attr0_valid: false, .attr1_valid: false, .flat_shade: false, .fp16_interp_mode: false, .offset: 0, .prim_attr: false, .pt_sprite_tex: false}
      .spi_ps_input_ena: {.ancillary_ena: false, .front_face_ena: false, .line_stipple_tex_ena: false, .linear_center_ena: false, .linear_centroid_ena: false, .linear_sample_ena: false, .persp_center_ena: true, .persp_centroid_ena: false, .persp_pull_model_ena: false, .persp_sample_ena: false, .pos_fixed_pt_ena: false, .pos_w_float_ena: false, .pos_x_float_ena: false, .pos_y_float_ena: false, .pos_z_float_ena: false, .sample_coverage_ena: false}
      .spi_shader_col_format: {.col_0_export_format: 9, .col_1_export_format: 0, .col_2_export_format: 0, .col_3_export_format: 0, .col_4_export_format: 0, .col_5_export_format: 0, .col_6_export_format: 0, .col_7_export_format: 0}
      .spi_shader_idx_format: 1
      .spi_shader_pos_format: [4, 4, 0, 0, 0]
      .spi_shader_z_format: 0
      .spi_vs_out_config: {.vs_export_count: 0}
      .vgt_esgs_ring_itemsize: 1
      .vgt_gs_max_vert_out: 1
      .vgt_gs_mode: {.es_write_optimize: false, .gs_write_optimize: true, .mode: 3, .onchip: 1}
      .vgt_gs_onchip_cntl: {.es_verts_per_subgroup: 0x80, .gs_inst_prims_per_subgrp: 0x80, .gs_prims_per_subgroup: 0x80}
      .vgt_gs_out_prim_type: {.outprim_type: TriStrip}
      .vgt_gs_per_vs: 2
      .vgt_gs_vert_itemsize: [0, 0, 0, 0]
      .vgt_gsvs_ring_itemsize: 0
      .vgt_reuse_off: false
      .vgt_shader_stages_en: {.es_stage_en: 2, .gs_w32_en: false, .max_primgroup_in_wave: 2, .ngg_wave_id_en: false, .primgen_en: true, .primgen_passthru_en: true, .primgen_passthru_no_msg: true, .vs_stage_en: 0}
    .hardware_stages:
      .gs:
        .checksum_value: 0x404040c0
        .debug_mode: false
        .entry_point: _amdgpu_gs_main
        .float_mode: 0xc0
        .ieee_mode: false
        .image_op: false
        .mem_ordered: true
        .scratch_en: false
        .scratch_memory_size: 0
        .sgpr_count: 16
        .sgpr_limit: 0x6a
        .trap_present: false
        .user_data_reg_map: [0x10000000, 0x10000002, 0x10000003, 0x10000004, 0, 1, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 6
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .wgp_mode: false
        .lds_size: 0
        .offchip_lds_en: false
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
        .user_data_reg_map: [0x10000000, 0x10000002, 2, 3, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff]
        .user_sgprs: 4
        .vgpr_count: 8
        .vgpr_limit: 0x100
        .wavefront_size: 64
        .wgp_mode: false
        .uses_uavs: false
        .writes_depth: false
        .writes_uavs: false
    .internal_pipeline_hash: [0x7a6b5c4d3e2f1001, 0x1a2b3c4d5e6f7080]
    .nggSubgroupSize: 0x80
    .num_interpolants: 1
    .registers: {}
    .shaders:
      .pixel:
        .api_shader_hash: [0xf1e2d3c4b5a6978, 0x0]
        .hardware_mapping: [.ps]
      .vertex:
        .api_shader_hash: [0x1020304050607080, 0x0]
        .hardware_mapping: [.gs]
    .spill_threshold: 4
    .type: Ngg
    .user_data_limit: 8
    .xgl_cache_info:
      .128_bit_cache_hash: [0x1f2e3d4c5b6a7988, 0x1122334455667788]
      .llpc_version: 75.2
amdpal.version: [3, 6]
...
	.end_amdgpu_pal_metadata
