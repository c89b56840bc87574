// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on what comes before rasterisation: GEO-01 to GEO-09.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::vertexMutants() {
  using R = Replacement;
  static constexpr R second = {
      "	exp pos0 v1, v1, v1, v1 done\n",
      "	exp pos0 v1, v1, v1, v1\n	exp pos1 v1, v1, v1, v1 done\n"};
  return {
      graphicsMutant("GEO-01", R{"[4, 0, 0, 0, 0]", "[1, 0, 0, 0, 0]"}),
      graphicsMutant("GEO-01", {R{"[4, 0, 0, 0, 0]", "[4, 0, 4, 0, 0]"},
                                R{".use_vtx_point_size: false", ".use_vtx_point_size: true"},
                                R{".vs_out_misc_vec_ena: false", ".vs_out_misc_vec_ena: true"}}),
      graphicsMutant("GEO-02", R{".use_vtx_point_size: false", ".use_vtx_point_size: true"}),
      graphicsMutant("GEO-02",
                     {R{".vs_out_misc_vec_ena: false", ".vs_out_misc_vec_ena: true"},
                      R{"[4, 0, 0, 0, 0]", "[4, 4, 0, 0, 0]"}, second},
                     Severity::Warning),
      graphicsMutant("GEO-03", R{".clip_dist_ena_0: false", ".clip_dist_ena_0: true"}),
      graphicsMutant("GEO-03",
                     {R{".vs_out_cc_dist0_vec_ena: false", ".vs_out_cc_dist0_vec_ena: true"},
                      R{"[4, 0, 0, 0, 0]", "[4, 4, 0, 0, 0]"}, second},
                     Severity::Warning),
      graphicsMutant("GEO-04", {R{"[4, 0, 0, 0, 0]", "[4, 4, 0, 0, 0]"}, second}),
      graphicsMutant("GEO-05",
                     {R{".no_pc_export: false", ".no_pc_export: true"},
                      R{".vs_export_count: 0", ".vs_export_count: 1"}},
                     Severity::Note),
      graphicsMutant("GEO-05", R{".prim_export_count: 0", ".prim_export_count: 1"}, Severity::Note),
      graphicsMutant("GEO-06", R{"{.offset: 0,", "{.offset: 1,"}, Severity::Warning),
      graphicsMutant("GEO-08", {R{".use_vtx_viewport_indx: false", ".use_vtx_viewport_indx: true"},
                                R{".vs_out_misc_vec_ena: false", ".vs_out_misc_vec_ena: true"},
                                R{"[4, 0, 0, 0, 0]", "[4, 4, 0, 0, 0]"}, second}),
      graphicsMutant("GEO-08",
                     R{".uses_viewport_array_index: false", ".uses_viewport_array_index: true"},
                     Severity::Note),
      graphicsMutant("GEO-09", R{".uses_prim_id: false", ".uses_prim_id: true"}, Severity::Warning),
  };
}
