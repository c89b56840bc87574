// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on pixel shaders: PS-.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::pixelMutants() {
  using R = Replacement;
  return {
      graphicsMutant("PS-01", R{".spi_ps_input_addr: {.persp_center_ena: true",
                                ".spi_ps_input_addr: {.persp_center_ena: false"}),
      graphicsMutant("PS-01", {R{".spi_ps_input_ena: {.persp_center_ena: true",
                                 ".spi_ps_input_ena: {.persp_center_ena: false"}}),
      graphicsMutant("PS-02", {R{"{.persp_center_ena: true, .pos_w_float_ena: false, "
                                 ".linear_center_ena: false}",
                                 "{.pos_w_float_ena: true, .linear_center_ena: true}"},
                               R{"{.persp_center_ena: true, .pos_w_float_ena: false, "
                                 ".linear_center_ena: false}",
                                 "{.pos_w_float_ena: true, .linear_center_ena: true}"}}),
      graphicsMutant(
          "PS-03",
          R{".spi_ps_input_addr: {",
            ".spi_ps_input_addr: {.persp_sample_ena: true, .persp_centroid_ena: true, "
            ".persp_pull_model_ena: true, .linear_sample_ena: true, .linear_centroid_ena: true, "
            ".line_stipple_tex_ena: true, .pos_x_float_ena: true, .pos_y_float_ena: true, "
            ".pos_z_float_ena: true, .front_face_ena: true, .ancillary_ena: true, "
            ".sample_coverage_ena: true, .pos_fixed_pt_ena: true, "},
          Severity::Warning),
      graphicsMutant("PS-04", R{".num_interpolants: 1", ".num_interpolants: 0"}),
      graphicsMutant("PS-04", R{".num_interpolants: 1", ".num_interpolants: 33"}),
      graphicsMutant("PS-04", R{".num_interpolants: 1", ".num_interpolants: 2"}, Severity::Note),
      graphicsMutant("PS-04", {R{"{.num_interps: 1}", "{.num_interps: 2}"},
                               R{".vs_export_count: 0", ".vs_export_count: 1"}}),
      graphicsMutant("PS-07", R{".output0_enable: 15", ".output0_enable: 15, .output1_enable: 1"}),
      graphicsMutant("PS-08",
                     {R{".spi_shader_z_format: 0", ".spi_shader_z_format: 1"},
                      R{"	exp mrt0 ", "	exp mrtz v0, off, off, off\n	exp mrt0 "}},
                     Severity::Note),
      graphicsMutant("PS-08", R{".mask_export_enable: false", ".mask_export_enable: true"}),
      graphicsMutant("PS-10",
                     {R{".depth_before_shader: false", ".depth_before_shader: true"},
                      R{".z_export_enable: false", ".z_export_enable: true"},
                      R{".writes_depth: false", ".writes_depth: true"},
                      R{".spi_shader_z_format: 0", ".spi_shader_z_format: 1"},
                      R{"	exp mrt0 ", "	exp mrtz v0, off, off, off\n	exp mrt0 "}},
                     Severity::Warning),
      graphicsMutant("PS-11", R{".writes_uavs: false", ".writes_uavs: true"}, Severity::Warning),
      graphicsMutant("PS-11",
                     {R{".writes_uavs: false", ".writes_uavs: true"},
                      R{".db_shader_control: {", ".db_shader_control: {.z_order: 0, "}},
                     Severity::Note),
      graphicsMutant("PS-12",
                     {R{".writes_uavs: false", ".writes_uavs: true"},
                      R{".uses_uavs: true", ".uses_uavs: false"},
                      R{".exec_on_hier_fail: false", ".exec_on_hier_fail: true"}},
                     Severity::Note),
      graphicsMutant("PS-12", R{".writes_depth: false", ".writes_depth: true"}, Severity::Note),
      graphicsMutant("PS-13", R{".primitive_ordered_pixel_shader: false",
                                ".primitive_ordered_pixel_shader: true"}),
      graphicsMutant("PS-13", R{".load_collision_waveid: false", ".load_collision_waveid: true"},
                     Severity::Note),
      graphicsMutant("PS-15", R{".ps_sample_mask: false", ".ps_sample_mask: true"}, Severity::Note),
      graphicsMutant("PS-16", R{".pos_float_location: 0", ".pos_float_location: 3"}),
      graphicsMutant("PS-17",
                     R{"	.amdgpu_pal_metadata\n",
                       "	.globl color_export_shader\n	.p2align 8\n"
                       "	.type color_export_shader,@function\ncolor_export_shader:\n"
                       "	s_endpgm\n.Lce:\n"
                       "	.size color_export_shader, .Lce-color_export_shader\n"
                       "\t.fill 64, 4, 0xbf9f0000\n"
                       "	.amdgpu_pal_metadata\n"},
                     Severity::Warning),
      graphicsMutant("PS-18", R{".fp16_interp_mode: false", ".fp16_interp_mode: true"}),
  };
}
