// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines close to what the rules on metadata and container report, and sound: what another
// writer may do, and PAL and the hardware accept. The rules must be silent.
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

namespace {
struct Twin {
  StringRef name;
  const Base *base;
  std::vector<Replacement> edits;
  StringRef chip = ""; ///< Empty: the base's.
};
} // namespace

TEST(CleanTwins, AreNotReported) {
  using R = Replacement;
  const Twin twins[] = {
      {"formats packed, as RADV does (PS-07)",
       &graphicsBase,
       {R{".cb_shader_mask: {.output0_enable: 15}", ".cb_shader_mask: {.output3_enable: 15}"}}},
      {"any name for an entry point from version 3.6 on (TOP-03)",
       &graphicsBase,
       {R{"[3, 0]", "[3, 6]"},
        R{"        .entry_point: _amdgpu_gs_main\n", "        .entry_point_symbol: vertices\n"},
        R{"\t.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main\n",
          "\t.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main\n\t.globl vertices\n"
          "\t.type vertices,@function\n\t.set vertices, _amdgpu_gs_main\n"
          "\t.size vertices, .Lgs-_amdgpu_gs_main\n"}}},
      {"data that is not aligned to 32 bytes next to a table that is (ELF-18)",
       &computeBase,
       {R{"\t.long 1, 2, 3, 4\n", "\t.long 1, 2, 3, 4\n\t.byte 1\n"}}},
      {"a spill table that holds the last entry (UD-13)",
       &computeBase,
       {R{".spill_threshold: 65535", ".spill_threshold: 1"},
        R{"0x10000006, 0xffffffff]", "0x10000002, 0xffffffff]"},
        R{"_amdgpu_cs_main:\n", "_amdgpu_cs_main:\n\ts_mov_b32 s8, s2\n"}}},
  };
  for (const Twin &twin : twins)
    EXPECT_EQ(show(cantFail(validateElf(assemble(*twin.base, twin.edits, twin.chip), {}))), "")
        << twin.name.str();
}

/// PAL makes a pipeline of each member; the members of a graphics archive are merged (ELF-26).
TEST(CleanTwins, ArchiveOfComputePipelines) {
  using R = Replacement;
  Bytes first = assemble(computeBase);
  Bytes second = assemble(computeBase, {R{"[64, 1, 1]", "[32, 2, 1]"}});
  EXPECT_EQ(show(cantFail(validateElf(makeArchive({{"a.elf", first}, {"b.elf", second}}), {}))),
            "");
}
