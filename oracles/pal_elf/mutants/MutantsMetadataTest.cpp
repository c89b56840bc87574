// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on the metadata as such: MD-.
#include "oracles/pal_elf/mutants/MutationTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

/// An array of structs that PAL reads without looking at its length.
static StringRef tooManySemantics() {
  static const std::string text = [] {
    std::string semantics = "    .ps_input_semantic:\n";
    for (int i = 0; i < 33; ++i)
      semantics += "      - .semantic: 1\n";
    return semantics + "    .compute_registers:\n";
  }();
  return text;
}

std::vector<Mutant> mutation::metadataMutants() {
  using R = Replacement;
  return {
      byteMutant("MD-01", "a map with an entry too few",
                 [](Bytes &b) { b[sectionOffset(b, ".note") + 20] = 0x83; }),
      byteMutant("MD-01", "bytes after the map",
                 [](Bytes &b) { b[sectionOffset(b, ".note") + 20] = 0x81; }),
      textMutant("MD-02", R{"amdpal.version: [3, 0]\n", ""}),
      textMutant("MD-02", R{"[3, 0]", "[4, 0]"}),
      textMutant("MD-03", R{"[3, 0]", "[3, 7]"}, Severity::Warning),
      textMutant("MD-04", R{"amdpal.pipelines:\n", "amdpal.pipelines:\n  - .api: A\n"}),
      byteMutant(
          "MD-05", ".vgpr_count twice",
          [](Bytes &b) { patch(b, ".sgpr_count", ".vgpr_count", sectionOffset(b, ".note")); }),
      textMutant("MD-06", R{".mem_ordered: true", ".mem_ordered: yes!"}),
      textMutant("MD-06", R{".user_sgprs: 4", ".user_sgprs: [4, 4]"}),
      textMutant("MD-06", R{".user_sgprs: 4", ".user_sgprs: {}"}),
      textMutant("MD-06", R{".api: Vulkan", ".api: 1"}),
      textMutant("MD-06", R{"[64, 1, 1]", "sixtyfour"}),
      textMutant("MD-06", R{"[.cs]", ".cs"}),
      textMutant("MD-06", R{".mem_ordered: true", ".mem_ordered: [true]"}, Severity::Note),
      textMutant("MD-06", R{".user_sgprs: 4", ".user_sgprs: 4.0"}, Severity::Note),
      byteMutant(
          "MD-06", ".tidig_comp_cnt nil",
          [](Bytes &b) {
            patch(b, StringRef(".tidig_comp_cnt\0", 16), ".tidig_comp_cnt\xc0",
                  sectionOffset(b, ".note"));
          },
          Severity::Note),
      byteMutant("MD-06", "a key that is a number",
                 [](Bytes &b) {
                   patch(b, "\xa4.api", "\xce\x01\x02\x03\x04", sectionOffset(b, ".note"));
                 }),
      textMutant("MD-07", R{".float_mode: 192", ".float_mode: 256"}),
      textMutant("MD-07", R{".tgid_x_en: true", ".x_interleave: -1"}),
      textMutant("MD-07", R{".mem_ordered: true", ".mem_ordered: 2"}, Severity::Warning),
      textMutant("MD-07", R{".lds_size: 512", ".lds_size: 512.5"}, Severity::Warning),
      textMutant("MD-07",
                 {R{"0x2e13: 0x788", "0x2e41: 0"}, R{".tidig_comp_cnt: 0", ".tidig_comp_cnt: 3"}}),
      textMutant("MD-08", R{".lds_size:", ".lds_siez:"}, Severity::Warning),
      textMutant("MD-08", R{".lds_size:", ".something_else:"}, Severity::Warning),
      textMutant("MD-08", R{".tgid_x_en: true", ".tgid_x_en: true\n      .tgid_w_en: true"},
                 Severity::Warning),
      textMutant("MD-08", R{".lds_size:", ".shader_spill_threshold:"}, Severity::Note),
      textMutant("MD-08", R{".lds_size:", ".dynamic_vgpr_saved_count:"}, Severity::Note),
      textMutant("MD-08", R{".lds_size:", ".max_prims_per_wave:"}, Severity::Note),
      textMutant("MD-09", R{".type: Cs", ".type: Banana"}),
      textMutant("MD-09", R{"[.cs]", "[.xs]"}),
      textMutant("MD-10", R{"[64, 1, 1]", "[64, 1]"}),
      textMutant("MD-10", R{"[3, 0]", "[3, 0, 0]"}),
      textMutant("MD-11", R{"0x2e13: 0x788", "0x2e13: 0x708"}),
      textMutant("MD-11", R{"0x2e13: 0x788", "0x2e41: 1"}),
      textMutant("MD-12", R{"0x2e13: 0x788", "16: 3"}),
      textMutant("MD-12", R{"0x2e13: 0x788", "0x10000001: 3"}),
      textMutant("MD-12", R{"0x2e13: 0x788", "0x2c0c: 0x12345678"}),
      textMutant("MD-13", R{".api: Vulkan", ".api: VulkanAndMoreText"}),
      textMutant("MD-14", R{"[0x1234, 0x5678]", "[0, 0]"}, Severity::Warning),
      textMutant("MD-14", R{"[0x9abc, 0xdef0]", "[0, 0]"}, Severity::Note),
      textMutant("MD-10", R{"    .compute_registers:\n", tooManySemantics()}),
  };
}
