// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sound code that lies close to what the rules on machine code report: they must be silent.
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "support/File.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

namespace {
/// Instructions at the entry of the compute base.
struct CleanCode {
  StringRef name;
  StringRef chip;
  StringRef code;
};
} // namespace

static constexpr CleanCode snippets[] = {
    {"both ways wait", "gfx1100",
     "	s_cbranch_scc1 .La\n	global_load_b32 v1, v0, s[2:3]\n	s_waitcnt vmcnt(0)\n"
     "	s_branch .Lb\n.La:\n	global_load_b32 v1, v0, s[2:3] offset:4\n	s_waitcnt "
     "vmcnt(0)\n"
     ".Lb:\n	v_mov_b32 v2, v1\n"},
    {"what waits is after the join", "gfx1100",
     "	s_cbranch_scc1 .La\n	global_load_b32 v1, v0, s[2:3]\n	s_branch .Lb\n"
     ".La:\n	ds_load_b32 v1, v0\n.Lb:\n	s_waitcnt vmcnt(0) lgkmcnt(0)\n	v_mov_b32 v2, "
     "v1\n"},
    {"older than the limit on every way", "gfx1100",
     "	global_load_b32 v1, v0, s[2:3]\n	s_cbranch_scc1 .La\n"
     "	global_load_b32 v2, v0, s[2:3] offset:4\n"
     ".La:\n	global_load_b32 v3, v0, s[2:3] offset:8\n	s_waitcnt vmcnt(1)\n"
     "	v_mov_b32 v4, v1\n	s_waitcnt vmcnt(0)\n"},
    {"a loop that loads for its next round", "gfx1100",
     "	global_load_b32 v1, v0, s[2:3]\n.La:\n	s_waitcnt vmcnt(0)\n	v_mov_b32 v2, v1\n"
     "	global_load_b32 v1, v0, s[2:3]\n	s_cbranch_scc1 .La\n	s_waitcnt vmcnt(0)\n"},
    {"the other lanes of an if", "gfx1100",
     "	s_and_saveexec_b64 s[4:5], vcc\n	global_load_b32 v1, v0, s[2:3]\n"
     "	s_and_not1_saveexec_b64 s[4:5], s[4:5]\n	v_mov_b32 v1, 0\n"
     "	s_or_b64 exec, exec, s[4:5]\n	s_waitcnt vmcnt(0)\n"},
    {"loads into one register come in order", "gfx1100",
     "	global_load_b32 v1, v0, s[2:3]\n	global_load_b32 v1, v0, s[2:3] offset:4\n"
     "	s_waitcnt vmcnt(0)\n	v_mov_b32 v2, v1\n"},
    {"an atomic into a register that a load brings", "gfx1100",
     "	global_load_b32 v1, v0, s[2:3]\n	global_atomic_xor_b32 v1, v0, v2, s[2:3] glc\n"
     "	s_waitcnt vmcnt(0)\n	v_mov_b32 v2, v1\n"},
    {"stores count among themselves", "gfx1100",
     "	global_load_b32 v1, v0, s[2:3]\n	global_store_b32 v0, v2, s[2:3]\n"
     "	s_waitcnt vmcnt(0)\n	v_mov_b32 v2, v1\n"},
    {"stores count with loads on GFX9", "gfx900",
     "	global_load_dword v1, v0, s[2:3]\n	global_store_dword v0, v2, s[2:3]\n"
     "	s_waitcnt vmcnt(1)\n	v_mov_b32 v2, v1\n"},
    {"samples have a counter of their own", "gfx1201",
     "	image_sample v1, v0, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D\n"
     "	s_wait_samplecnt 0x0\n	v_mov_b32 v2, v1\n"},
    {"flat loads come in order from GFX10 on", "gfx1030",
     "	flat_load_dword v4, v[0:1]\n	flat_load_dword v5, v[2:3]\n"
     "	s_waitcnt vmcnt(1) lgkmcnt(1)\n	v_mov_b32 v6, v4\n	s_waitcnt vmcnt(0) lgkmcnt(0)\n"},
    {"messages come in order", "gfx1100",
     "	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "	s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\n	s_waitcnt lgkmcnt(1)\n"
     "	s_mov_b32 s5, s4\n	s_waitcnt lgkmcnt(0)\n	s_mov_b32 s5, s6\n"},
    {"messages come in order on GFX12", "gfx1201",
     "	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "	s_sendmsg_rtn_b64 s[6:7], sendmsg(MSG_RTN_GET_REALTIME)\n	s_wait_kmcnt 0x1\n"
     "	s_load_b32 s4, s[2:3], 0x0\n	s_wait_kmcnt 0x0\n	s_mov_b32 s5, s4\n"},
    {"enough wait states on both ways", "gfx900",
     "	v_readfirstlane_b32 s4, v0\n	s_cbranch_scc1 .La\n	s_nop 1\n.La:\n	s_nop 3\n"
     "	buffer_load_dword v1, v0, s[4:7], 0 offen\n"},
    {"another write in between on every way", "gfx900",
     "	v_readfirstlane_b32 s4, v0\n	s_cbranch_scc1 .La\n	s_mov_b32 s4, 0\n	s_nop 0\n"
     "	s_branch .Lb\n.La:\n	s_mov_b32 s4, 1\n.Lb:\n	v_readlane_b32 s5, v1, s4\n"},
    {"no hazards on GFX10.3", "gfx1030",
     "	v_readfirstlane_b32 s4, v0\n	buffer_load_dword v1, v0, s[4:7], 0 offen\n"
     "	s_mov_b32 s4, 0\n"},
    {"what ends GFX10.1's hazards", "gfx1010",
     "	global_load_dword v1, v0, s[2:3]\n	v_nop\n	s_mov_b32 s2, 0\n"
     "	s_load_dword s8, s[2:3], 0x0\n	s_mov_b32 s9, 0\n	v_readfirstlane_b32 s2, v0\n"},
    {"a comparison reads its register", "gfx1010",
     "	global_load_dword v1, v0, s[2:3]\n	s_cmpk_eq_i32 s2, 0\n	s_waitcnt vmcnt(0)\n"},
    {"one scalar twice, and two", "gfx1100",
     "	v_add3_u32 v0, s2, s3, s2\n	v_fma_f32 v1, s2, s2, 0x40490fdb\n"
     "	v_add3_u32 v0, s2, s2, s2\n	v_lshlrev_b64 v[0:1], s2, v[2:3]\n	v_add3_u32 v0, s2, "
     "64, s3\n"},
    // v_cndmask_b32 v0, s2, v2, vcc.
    {"one scalar and VCC from GFX10 on", "gfx1030", "	.long 0x02000402\n"},
    {"one mode on all ways", "gfx1100",
     "	s_cbranch_scc1 .La\n	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15\n	s_branch "
     ".Lb\n"
     ".La:\n	s_round_mode 0xf\n.Lb:\n	v_add_f32 v1, v0, v0\n"},
    {"other bits of MODE, and put back", "gfx1100",
     "	s_cbranch_scc1 .La\n	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\n"
     "	v_cvt_f16_f32 v1, v0\n	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 0\n"
     ".La:\n	v_add_f16 v1, v0, v0\n"},
    {"residency told into a register that is set", "gfx1100",
     "	v_mov_b32 v2, 0\n	image_load v[1:2], v[5:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D "
     "tfe\n"},
    {"half a register is loaded", "gfx1030",
     "	global_load_short_d16 v1, v0, s[2:3]\n	s_waitcnt vmcnt(0)\n	v_mov_b32 v2, v1\n"},
};

TEST(CleanCode, IsNotObjectedTo) {
  for (const CleanCode &each : snippets) {
    Mutant mutant = textMutant("", std::vector<Replacement>{}, Severity::Error, each.chip);
    mutant.code = each.code.str();
    std::vector<Finding> findings = cantFail(validateElf(build(mutant), {}));
    for (const Finding &finding : findings)
      EXPECT_EQ(finding.severity, Severity::Note) << each.name.str() << "\n" << show(findings);
  }
}

/// Pixel shaders that do not discard, whatever they do to EXEC before they export.
TEST(CleanCode, SwitchesPixelsBackOnBeforeItExports) {
  for (StringRef code :
       {"	s_mov_b64 s[4:5], exec\n	s_wqm_b64 exec, exec\n	s_and_b64 exec, exec, "
        "s[4:5]\n",
        "	s_and_saveexec_b64 s[4:5], vcc\n	v_mov_b32 v3, 0\n	s_or_b64 exec, "
        "exec, s[4:5]\n",
        "	s_and_saveexec_b64 s[4:5], vcc\n	s_cbranch_execz .Lx\n	v_mov_b32 v3, "
        "0\n.Lx:\n"
        "	s_mov_b64 exec, s[4:5]\n",
        "	s_and_saveexec_b64 s[4:5], vcc\n	s_xor_b64 s[4:5], exec, s[4:5]\n"
        "	v_mov_b32 v3, 0\n	s_or_saveexec_b64 s[4:5], s[4:5]\n"
        "	s_xor_b64 exec, exec, s[4:5]\n	s_or_b64 exec, exec, s[4:5]\n"}) {
    Mutant mutant = graphicsMutant(
        "", Replacement{".z_export_enable: false", ".z_export_enable: false, .kill_enable: false"});
    mutant.pixelCode = code.str();
    EXPECT_EQ(show(cantFail(validateElf(build(mutant), {}))), "") << code.str();
  }
}

TEST(CleanCode, AgreesWithItsDisassembly) {
  for (const char *text : {"s_getpc_b64 s[0:1]\\n label:\\n\\ts_add_u32 s0, s0, 4 ; a comment\\n"
                           "s_addc_u32 s1, s1, 0\\ns_endpgm\\n",
                           "  s_getpc_b64  s[0:1] // 000000000000: BE804700\\n"
                           "  s_add_u32 s0, s0, x // 000000000004: 8000FF00 00000000\\n"
                           "  s_addc_u32 s1, s1, y\\n  s_endpgm // 000000000014: BFB00000\\n"}) {
    Mutant mutant = textMutant("", std::vector<Replacement>{});
    mutant.disassembly = text;
    EXPECT_EQ(show(cantFail(validateElf(build(mutant), {}))), "") << text;
  }
}

/// LLVM writes the section itself.
TEST(CleanCode, AgreesWithTheDisassemblyOfLlvm) {
  for (StringRef chip : {"gfx900", "gfx1030", "gfx1100", "gfx1201"})
    for (StringRef file : {"compute", "arithmetic"}) {
      std::string text = cantFail(
          readFileText((ASSAY_SOURCE_DIR "/oracles/pal_elf/plain/" + Twine(file) + ".ll").str()));
      auto compiled = [&] {
        return runTool("llc-22",
                       {"-mtriple=amdgcn-amd-amdpal", ("-mcpu=" + chip).str(), "-mattr=+dumpcode"},
                       text);
      };
      ValidateOptions options;
      options.only = {"ELF-24"};
      Bytes bytes = compiled();
      ElfView elf = cantFail(ElfView::read(bytes));
      ASSERT_NE(elf.findSection(".AMDGPU.disasm"), nullptr);
      EXPECT_EQ(show(cantFail(validateElf(bytes, options))), "") << chip.str() << file.str();
      // The highest bit of any dword, but of literals that the text leaves open.
      size_t first = sectionOffset(bytes, ".text"), seen = 0, dwords = 0;
      for (const ElfSymbol &symbol : elf.symbols())
        dwords += symbol.type == elf::SttFunc ? symbol.size / 4 : 0;
      for (size_t i = 0; i < dwords; ++i) {
        bytes[first + 4 * i + 3] ^= 0x80;
        seen += cantFail(validateElf(bytes, options)).size() == 1;
        bytes[first + 4 * i + 3] ^= 0x80;
      }
      EXPECT_GT(dwords, 50u);
      EXPECT_GE(seen + 2, dwords) << chip.str() << file.str();
    }
}
