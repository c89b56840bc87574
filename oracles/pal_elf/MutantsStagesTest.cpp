// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on stages and pipeline types: TOP-.
#include "oracles/pal_elf/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

std::vector<Mutant> mutation::stageMutants() {
  using R = Replacement;
  return {
      {"TOP-04",
       &legacyBase(),
       {R{"\texp param0 v1, v1, v1, v1\n", ""}, R{" done vm\n", " done\n"}},
       nullptr,
       "a hardware VS on gfx1100",
       Severity::Error,
       "gfx1100",
       "",
       "",
       "",
       ""},
      textMutant("TOP-01",
                 R{".entry_point_symbol: _amdgpu_cs_main", ".entry_point_symbol: another"}),
      textMutant("TOP-02", {R{"\t.globl _amdgpu_pipelineLink1\n"
                              "\t.type _amdgpu_pipelineLink1,@function\n"
                              "_amdgpu_pipelineLink1:\n",
                              "\t.globl _amdgpu_gs_main\n\t.p2align 8\n"
                              "\t.type _amdgpu_gs_main,@function\n"
                              "_amdgpu_gs_main:\n"},
                            R{"\t.size _amdgpu_pipelineLink1, .Lend1-"
                              "_amdgpu_pipelineLink1\n",
                              "\t.size _amdgpu_gs_main, 4\n"}}),
      textMutant("TOP-03",
                 R{"        .entry_point_symbol:", "        .entry_point: _amdgpu_gs_main\n"
                                                   "        .entry_point_symbol:"}),
      textMutant("TOP-05", R{".type: Cs", ".type: Mesh"}, Severity::Warning),
      textMutant("TOP-05", R{".type: Cs", ".type: TaskMesh"}, Severity::Note),
      textMutant("TOP-06", R{"[.cs]", "[.cs, .ps]"}),
      graphicsMutant("TOP-07", R{".pixel:\n", ".mesh:\n"}),
      textMutant("TOP-07", R{".compute:\n", ".task:\n"}, Severity::Note),
      graphicsMutant("TOP-07", R{".pixel:\n", ".hull:\n"}, Severity::Note),
      graphicsMutant("TOP-08", R{".hs_stage_en: false", ".hs_stage_en: true"}),
      graphicsMutant("TOP-08", R{".primgen_en: true", ".primgen_en: false"}),
      gfx12Mutant("TOP-09",
                  {R{".hs_stage_en: false", ".hs_stage_en: false\n        .vs_stage_en: 2"}}),
      gfx12Mutant("TOP-09",
                  {R{".hs_stage_en: false", ".hs_stage_en: false\n        .dynamic_hs: true"}}),
      graphicsMutant("TOP-10",
                     {R{".hs_stage_en: false", ".hs_stage_en: false\n        .gs_w32_en: true"},
                      // LGC's own key, in what LGC has written.
                      R{".type: Ngg\n", ".type: Ngg\n    .xgl_cache_info: {}\n"}}),
      graphicsMutant("TOP-11",
                     R{"    .type: Ngg\n", "    .type: Ngg\n    .shader_functions:\n      f: {}\n"},
                     Severity::Warning),
  };
}
