// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on resources: RES-.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::resourceMutants() {
  using R = Replacement;
  return {
      textMutant("RES-01", R{".wavefront_size: 64", ".wavefront_size: 48"}),
      textMutant("RES-01", R{".wavefront_size: 64", ".wavefront_size: 32"}, Severity::Error,
                 "gfx900"),
      textMutant("RES-02", R{".vgpr_count: 8", ".vgpr_count: 257"}),
      textMutant("RES-02", R{".vgpr_count: 8", ".vgpr_count: 8\n        .vgpr_limit: 7"},
                 Severity::Warning),
      textMutant("RES-03", R{".sgpr_count: 16", ".sgpr_count: 109"}, Severity::Error, "gfx900"),
      textMutant("RES-03", R{".sgpr_count: 16", ".sgpr_count: 109"}, Severity::Note),
      textMutant("RES-04", R{".vgpr_count: 8", ".vgpr_limit: 300"}, Severity::Note),
      textMutant("RES-05", R{".lds_size: 512", ".lds_size: 66048"}),
      textMutant("RES-06", R{".lds_size: 512", ".lds_size: 700"}),
      graphicsMutant("RES-07", R{"      .spi_shader_z_format: 0\n",
                                 "      .spi_shader_z_format: 0\n      .ps_extra_lds_size: 700\n"}),
      textMutant("RES-08", R{"[64, 1, 1]", "[64, 32, 1]"}, Severity::Error),
      textMutant("RES-08", R{"[64, 1, 1]", "[64, 0, 1]"}),
      textMutant("RES-09",
                 {R{".vgpr_count: 8", ".vgpr_count: 200"}, R{"[64, 1, 1]", "[1024, 1, 1]"}}),
      textMutant("RES-09", {R{".vgpr_count: 8", ".vgpr_count: 140\n        .wgp_mode: false"},
                            R{"[64, 1, 1]", "[704, 1, 1]"}}),
      textMutant("RES-10",
                 R{"[64, 1, 1]", "[64, 1, 1]\n        .orig_threadgroup_dimensions: [8, 4, 1]"},
                 Severity::Note),
      textMutant("RES-11", R{"[64, 1, 1]", "[8, 8, 1]"}, Severity::Warning, "gfx1030"),
      textMutant("RES-12", R{".scratch_memory_size: 0",
                             ".scratch_memory_size: 64\n        .scratch_en: false"}),
      textMutant(
          "RES-12",
          {R{".scratch_memory_size: 0", ".scratch_en: true"}, R{"0x2e13: 0x788", "0x2e13: 0x789"}},
          Severity::Warning),
      textMutant("RES-13", R{".scratch_memory_size: 0", ".scratch_memory_size: 63"}),
      textMutant("RES-13", R{".scratch_memory_size: 0", ".scratch_memory_size: 1000000"}),
      textMutant("RES-14", R{".lds_size: 512", ".lds_size: 512\n        .backend_stack_size: 16"},
                 Severity::Note),
      graphicsMutant("RES-15", R{".wavefront_size: 64", ".wavefront_size: 32"}),
      graphicsMutant("RES-15", R{".shared_vgpr_cnt: 8", ".shared_vgpr_cnt: 9"}),
      textMutant("RES-16",
                 {R{".user_sgprs: 4", ".user_sgprs: 17"}, R{"0x2e13: 0x788", "0x2e13: 0x7a2"}}),
      textMutant("RES-17",
                 {R{".user_sgprs: 4", ".user_sgprs: 16"}, R{"0x2e13: 0x788", "0x2e13: 0x7a0"}},
                 Severity::Warning, "gfx900"),
      textMutant("RES-18",
                 R{".user_data_limit: 2", ".user_data_limit: 2\n    .mesh_scratch_memory_size: 64"},
                 Severity::Note),
      textMutant("RES-20",
                 {R{".tgid_x_en: true", ".tgid_x_en: true\n      .dynamic_vgpr_en: true"},
                  R{"[3, 0]", "[3, 6]"}},
                 Severity::Error, "gfx1201"),
      textMutant("RES-20",
                 {R{".tgid_x_en: true", ".tgid_x_en: true\n      .dynamic_vgpr_en: true"},
                  R{"[3, 0]", "[3, 6]"}},
                 Severity::Note),
      textMutant("RES-21", R{".mem_ordered: true", ".debug_mode: true"}, Severity::Warning),
      textMutant("RES-22", R{".mem_ordered: true", ".mem_ordered: false"}, Severity::Note),
      textMutant("RES-23", R{".mem_ordered: true", ".ieee_mode: true"}, Severity::Warning),
  };
}
