// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on user data: UD-.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::userDataMutants() {
  using R = Replacement;
  return {
      textMutant("UD-01",
                 {R{".user_sgprs: 4", ".user_sgprs: 2"}, R{"0x2e13: 0x788", "0x2e13: 0x784"}}),
      graphicsMutant("UD-02", R{"0x1000000f]", "0x100000ff]"}),
      textMutant("UD-03", R{"[0x10000000, 0,", "[0, 0x10000000,"}),
      textMutant("UD-04", R{"0x10000006, 0xffffffff]", "0, 0xffffffff]"}, Severity::Error,
                 "gfx1201"),
      textMutant("UD-04", R{"0x10000006, 0xffffffff]", "0, 0xffffffff]"}, Severity::Note),
      graphicsMutant("UD-04", R{"3, 2, 0x10000018]", "3, 2, 3]"}, Severity::Note),
      graphicsMutant("UD-05", R{"0x10000003, 0x10000004, 0, 1", "0x10000003, 0, 0x10000004, 1"}),
      graphicsMutant("UD-06", R{"3, 2, 0x10000018]", "0x10000003, 2, 3]"}),
      graphicsMutant("UD-07", R{"3, 2, 0x10000018", "3, 2, 0x10000018, 0x10000018"}),
      graphicsMutant("UD-08", R{"0x1000000f]", "0x10000020]"}),
      gfx12Mutant("UD-08", {R{"0x1000000f]", "0x10000020]"}}, Severity::Note),
      textMutant("UD-09", R{"0x10000006, 0xffffffff]", "0x10000006, 1]"}),
      textMutant("UD-10", R{"0x10000006, 0xffffffff]", "0x1000000f, 0xffffffff]"}),
      graphicsMutant("UD-10", R{"0x1000000f]", "0x10000006]"}),
      graphicsMutant("UD-11", {R{"[3, 0]", "[3, 6]"}, R{"0x10000018]", "0x10000010]"}}),
      graphicsMutant("UD-11", R{"0x10000018]", "0x10000010]"}, Severity::Note),
      graphicsMutant("UD-11", R{"0x10000018]", "0x10000009]"}, Severity::Note),
      textMutant("UD-11", R{"0x10000006, 0xffffffff]", "0x10000007, 0xffffffff]"}, Severity::Note),
      graphicsMutant("UD-12", R{"0x10000018]", "0x10001002]"}),
      textMutant("UD-13", R{".spill_threshold: 65535", ".spill_threshold: 1"}),
      textMutant("UD-13",
                 {R{".spill_threshold: 65535", ".spill_threshold: 0"},
                  R{".user_data_limit: 2", ".user_data_limit: 1"}},
                 Severity::Note),
      textMutant("UD-13", {R{".spill_threshold: 65535", ".spill_threshold: 1"},
                           R{"    .user_data_limit: 2\n", ""}}),
      graphicsMutant("UD-13", R{".spill_threshold: 4", ".spill_threshold: 8"}, Severity::Warning),
      textMutant("UD-14", R{".user_data_limit: 2", ".user_data_limit: 0"}),
      textMutant("UD-14", R{".user_data_limit: 2", ".user_data_limit: 161"}),
      graphicsMutant("UD-15", R{"3, 2, 0x10000018]", "3, 0xffffffff, 0x10000018]"}, Severity::Note),
      graphicsMutant("UD-16", R{"	s_mov_b32 s8, s1\n", ""}, Severity::Warning),
      graphicsMutant("UD-17", R{"0x1000000f]", "0x1000000a]"}, Severity::Note),
      baseMutant("UD-17", geometryBase(), {R{"0x10000002, 0, 1]", "0x10000002, 0, 1, 0x1000000a]"}},
                 Severity::Warning),
      gfx12Mutant("UD-17", {R{"0x1000000f]", "0x1000000a]"}}),
      graphicsMutant("UD-18",
                     {R{"        .primgen_en: true\n",
                        "        .primgen_en: true\n        .primgen_passthru_en: true\n"},
                      R{"      .max_verts_per_subgroup: 64\n",
                        "      .max_verts_per_subgroup: 64\n      .ngg_culling_data_reg: 1\n"}},
                     Severity::Note),
      graphicsMutant("UD-19", R{".perf_data_buffer_size: 0", ".perf_data_buffer_size: 64"},
                     Severity::Note),
      // The same in 2.x registers.
      baseMutant("UD-03", lgcBase("ngg-registers-2021"),
                 {R{"      0x2c92:", "      0x2c93: 0x10000000\n      0x2c92:"}}),
      baseMutant("UD-03", lgcBase("geometry-registers-2020"),
                 {R{"      0x2cd1:", "      0x2cd2: 0x10000001\n      0x2cd1:"}}),
      baseMutant("UD-04", lgcBase("ngg-registers-2021"),
                 {R{"      0x2c92:", "      0x2c93: 0x1\n      0x2c92:"}}, Severity::Note),
      baseMutant("UD-13", lgcBase("ngg-registers-2021"),
                 {R{"      0x2c0d: 0x10000002\n", ""}, R{"      0x2c8d: 0x10000002\n", ""}}),
  };
}
