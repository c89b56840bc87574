// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on subgroups, geometry, tessellation and mesh shaders: GEO-10 to GEO-22.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::geometryMutants() {
  using R = Replacement;
  return {
      graphicsMutant("GEO-10", {R{".es_verts_per_subgroup: 64", ".es_verts_per_subgroup: 257"},
                                R{".nggSubgroupSize: 64", ".nggSubgroupSize: 257"}}),
      graphicsMutant("GEO-11", R{".max_verts_per_subgroup: 64", ".max_verts_per_subgroup: 257"}),
      graphicsMutant("GEO-11",
                     {R{"      .pixel:\n", "      .geometry:\n        .hardware_mapping: [.gs]\n"
                                           "      .pixel:\n"},
                      R{".max_verts_per_subgroup: 64",
                        ".max_verts_per_subgroup: 64\n      .vgt_gs_max_vert_out: 2"}}),
      graphicsMutant("GEO-12", R{".threads_per_subgroup: 128", ".threads_per_subgroup: 257"}),
      graphicsMutant("GEO-12", R{".prim_amp_factor: 1", ".prim_amp_factor: 0"}),
      graphicsMutant("GEO-13", R{".nggSubgroupSize: 64", ".nggSubgroupSize: 63"}, Severity::Note),
      baseMutant("GEO-13", meshBase(), {R{".nggSubgroupSize: 1", ".nggSubgroupSize: 64"}},
                 Severity::Note),
      graphicsMutant("GEO-14", R{".enable: false, .count: 1", ".enable: false, .count: 2"}),
      baseMutant("GEO-15", geometryBase(),
                 {R{".vgt_gsvs_ring_itemsize: 12", ".vgt_gsvs_ring_itemsize: 11"}}),
      baseMutant("GEO-15", geometryBase(),
                 {R{".vgt_gsvs_ring_itemsize: 12", ".vgt_gsvs_ring_itemsize: 13"}}, Severity::Note),
      baseMutant("GEO-15", geometryBase(), {R{"[12, 12, 12]", "[12, 0, 12]"}}),
      baseMutant("GEO-15", geometryBase(), {R{"      .vgt_gs_per_vs: 2\n", ""}}),
      baseMutant("GEO-16", tessellationBase(), {R{".hs_num_input_cp: 3", ".hs_num_input_cp: 33"}}),
      baseMutant("GEO-16", tessellationBase(), {R{".hs_num_input_cp: 3", ".hs_num_input_cp: 0"}},
                 Severity::Note),
      baseMutant("GEO-16", tessellationBase(), {R{".num_patches: 8", ".num_patches: 0"}}),
      baseMutant("GEO-16", tessellationBase(), {R{".num_patches: 8", ".num_patches: 65"}},
                 Severity::Note),
      baseMutant("GEO-17", tessellationBase(),
                 {R{"_max_tess_level: 64.0", "_max_tess_level: 65.0"}}),
      baseMutant("GEO-17", tessellationBase(),
                 {R{"_min_tess_level: 0.0", "_min_tess_level: 64.5"}}),
      baseMutant("GEO-18", tessellationBase(), {R{"{.type: 1,", "{.type: 3,"}}),
      baseMutant("GEO-18", tessellationBase(), {R{".topology: 2", ".topology: 1"}}),
      baseMutant("GEO-19", meshBase(), {R{".num_thread_y: 0", ".num_thread_y: 15"}}),
      baseMutant("GEO-19", meshBase(), {R{".max_exp_verts: 64", ".max_exp_verts: 257"}}),
      baseMutant("GEO-20", meshBase(), {R{"_prim_payload_en: false", "_prim_payload_en: true"}}),
      baseMutant("GEO-20", meshBase(), {R{"_idx_format: 1", "_idx_format: 2"}}, Severity::Note),
      graphicsMutant("GEO-21", R{".streamout_0_en: false", ".streamout_0_en: true"},
                     Severity::Note),
      graphicsMutant("GEO-21",
                     R{"    .nggSubgroupSize: 64\n",
                       "    .nggSubgroupSize: 64\n    .streamout_vertex_strides: [513]\n"},
                     Severity::Note),
      graphicsMutant(
          "GEO-22",
          R{"        .vgpr_count: 8\n", "        .vgpr_count: 8\n        .offchip_lds_en: true\n"},
          Severity::Note),
  };
}
