// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on stages and pipeline types: TOP-.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

/// What the compute base says of its hardware stage and its API shader.
static constexpr StringRef computeStage = R"(    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
        .wavefront_size: 64
        .threadgroup_dimensions: [64, 1, 1]
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0, 0x10000006, 0xffffffff]
        .float_mode: 192
        .scratch_memory_size: 0
        .lds_size: 512
        .vgpr_count: 8
        .sgpr_count: 16
        .mem_ordered: true
)";
static constexpr StringRef computeShader = R"(    .shaders:
      .compute:
        .api_shader_hash: [0x9abc, 0xdef0]
        .hardware_mapping: [.cs]
)";

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
      textMutant("TOP-02",
                 {R{"\t.globl _amdgpu_pipelineLink1\n"
                    "\t.type _amdgpu_pipelineLink1,@function\n"
                    "_amdgpu_pipelineLink1:\n",
                    "\t.globl _amdgpu_gs_main\n\t.p2align 8\n"
                    "\t.type _amdgpu_gs_main,@function\n"
                    "_amdgpu_gs_main:\n"},
                  R{"\t.size _amdgpu_pipelineLink1, .Lend1-"
                    "_amdgpu_pipelineLink1\n",
                    "\t.size _amdgpu_gs_main, 4\n"}},
                 Severity::Note),
      textMutant("TOP-02", {R{computeStage, ""}, R{computeShader, ""}, R{"    .type: Cs\n", ""}}),
      graphicsMutant("TOP-03", {R{"        .entry_point: _amdgpu_gs_main\n",
                                  "        .entry_point_symbol: vertices\n"},
                                R{"\t.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main\n",
                                  "\t.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main\n"
                                  "\t.globl vertices\n\t.type vertices,@function\n"
                                  "\t.set vertices, _amdgpu_gs_main\n"
                                  "\t.size vertices, .Lgs-_amdgpu_gs_main\n"}}),
      textMutant("TOP-03",
                 R{"        .entry_point_symbol:", "        .entry_point: _amdgpu_gs_main\n"
                                                   "        .entry_point_symbol:"},
                 Severity::Note),
      textMutant("TOP-05", R{".type: Cs", ".type: Mesh"}, Severity::Note),
      textMutant("TOP-05", R{".type: Cs", ".type: TaskMesh"}, Severity::Note),
      textMutant("TOP-06", R{"[.cs]", "[.cs, .ps]"}),
      textMutant("TOP-06", R{"[.cs]", "[]"}, Severity::Note),
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
                      R{".type: Ngg\n", ".type: Ngg\n    .xgl_cache_info: {}\n"}},
                     Severity::Note),
      graphicsMutant("TOP-11",
                     R{"    .type: Ngg\n", "    .type: Ngg\n    .shader_functions:\n      f: {}\n"},
                     Severity::Note),
  };
}
