// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on machine code: MC-, and those on exports.
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static constexpr StringRef pixelExport = "	exp mrt0 v0, v1, v2, v2 done vm\n";

/// The compute base with \p code at its entry.
static Mutant codeMutant(StringRef rule, StringRef code, Severity severity = Severity::Error,
                         StringRef chip = "") {
  Mutant mutant = textMutant(rule, std::vector<Replacement>{}, severity, chip);
  mutant.code = code.str();
  return mutant;
}

/// The graphics base, which says that it does not discard, with \p code before the pixel shader's
/// export.
static Mutant killMutant(StringRef code) {
  Mutant mutant = graphicsMutant(
      "PS-09",
      Replacement{".z_export_enable: false", ".z_export_enable: false, .kill_enable: false"},
      Severity::Warning);
  mutant.pixelCode = code.str();
  return mutant;
}

/// The compute base with a function of four registers each, and \p code in it.
static Mutant calleeMutant(StringRef rule, StringRef code, Severity severity = Severity::Error) {
  using R = Replacement;
  Mutant mutant = textMutant(rule,
                             R{"    .type: Cs\n", "    .type: Cs\n    .shader_functions:\n"
                                                  "      _amdgpu_pipelineLink0: "
                                                  "{.vgpr_count: 4, .sgpr_count: 4}\n"},
                             severity);
  mutant.calleeCode = code.str();
  return mutant;
}

/// Code of gfx1100 in an ELF that says gfx1030.
static Mutant otherChipMutant() {
  Mutant mutant = codeMutant("MC-24", "	s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_TBA)\n"
                                      "	s_waitcnt lgkmcnt(0)\n");
  mutant.bytes = [](Bytes &bytes) { bytes[48] = 0x36; }; // e_flags: EF_AMDGPU_MACH.
  return mutant;
}

/// The compute base for waves of 32 lanes with \p code at its entry.
static Mutant wave32Mutant(StringRef rule, StringRef code) {
  Mutant mutant = textMutant(rule, Replacement{".wavefront_size: 64", ".wavefront_size: 32"});
  mutant.code = code.str();
  return mutant;
}

/// MC-05, -15, -17, -20. What the assembler refuses is written as words.
static std::vector<Mutant> instructionMutants() {
  return {
      codeMutant(
          "MC-05",
          "	v_readfirstlane_b32 s4, v0\n	buffer_load_dword v1, v0, s[4:7], 0 offen\n",
          Severity::Warning, "gfx900"),
      codeMutant("MC-05",
                 "	v_readfirstlane_b32 s4, v0\n	s_cbranch_scc1 .La\n	s_nop 4\n.La:\n"
                 "	s_nop 0\n	v_readlane_b32 s5, v1, s4\n",
                 Severity::Warning, "gfx900"),
      codeMutant(
          "MC-05", // Another write in between on one way.
          "	v_readfirstlane_b32 s4, v0\n	s_cbranch_scc1 .La\n	s_mov_b32 s4, 0\n.La:\n"
          "	v_readlane_b32 s5, v1, s4\n",
          Severity::Warning, "gfx900"),
      codeMutant(
          "MC-05",
          "	v_cmp_eq_u32 vcc, v0, v1\n	s_nop 2\n	v_div_fmas_f32 v0, v1, v2, v3\n",
          Severity::Warning, "gfx900"),
      codeMutant("MC-05",
                 "	v_cmpx_eq_u32 vcc, v0, v1\n	s_nop 3\n"
                 "	v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf\n",
                 Severity::Warning, "gfx900"),
      codeMutant("MC-05",
                 "	v_mov_b32 v1, v0\n	s_nop 0\n"
                 "	v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xf bank_mask:0xf\n",
                 Severity::Warning, "gfx900"),
      codeMutant("MC-05", "	s_mov_b32 m0, 0\n	s_movrels_b32 s4, s5\n", Severity::Warning,
                 "gfx900"),
      codeMutant("MC-05",
                 "	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n	s_nop 0\n"
                 "	s_getreg_b32 s4, hwreg(HW_REG_MODE)\n",
                 Severity::Warning, "gfx900"),
      codeMutant("MC-05", "	global_store_dwordx4 v[0:1], v[2:5], off\n	v_mov_b32 v2, 0\n",
                 Severity::Warning, "gfx900"),
      // Atomics of as much: with a register for what they find, and with none.
      codeMutant("MC-05",
                 "	global_atomic_cmpswap_x2 v[6:7], v[0:1], v[2:5], off glc\n"
                 "	v_mov_b32 v2, 0\n",
                 Severity::Warning, "gfx900"),
      codeMutant("MC-05",
                 "	buffer_atomic_cmpswap_x2 v[2:5], off, s[4:7], 0\n	v_mov_b32 v5, 0\n",
                 Severity::Warning, "gfx900"),
      codeMutant("MC-05", "	global_load_dword v1, v0, s[2:3]\n	s_mov_b32 s2, 0\n",
                 Severity::Warning, "gfx1010"),
      codeMutant("MC-05", "	s_load_dword s8, s[2:3], 0x0\n	v_readfirstlane_b32 s2, v0\n",
                 Severity::Warning, "gfx1010"),
      codeMutant("MC-05", "	.long 0xbf85003f\n	.fill 63, 4, 0xbf800000\n",
                 Severity::Warning, "gfx1010"),
      // v_add3_u32 v0, s2, s3, s4; v_lshlrev_b64 v[0:1], s2, s[4:5]; v_cndmask_b32 v0, s2, v2, vcc.
      codeMutant("MC-15", "	.long 0xd6550000, 0x00100602\n"),
      codeMutant("MC-15", "	.long 0xd73c0000, 0x00000802\n"),
      codeMutant("MC-15", "	.long 0x00000402\n", Severity::Error, "gfx900"),
      // v_dual_mov_b32 v1, v2 :: v_dual_mov_b32 v4, v2.
      wave32Mutant("MC-15", "	.long 0xca100102, 0x01040102\n"),
      // v_lshlrev_b64 v[0:1], s2, v[2:3] with a third source.
      codeMutant("MC-15", "	.long 0xd73c0000, 0x00120402\n", Severity::Note),
      codeMutant("MC-17",
                 "	s_cbranch_scc1 .La\n	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 15\n"
                 ".La:\n	v_add_f32 v1, v0, v0\n",
                 Severity::Warning),
      codeMutant("MC-17", "	s_round_mode 0xf\n	s_swappc_b64 s[4:5], s[2:3]\n",
                 Severity::Note),
      // image_gather4, image_atomic_add, image_load: dmask 3, 5, 0.
      codeMutant("MC-20", "	.long 0xf0bc0304, 0x08000105\n"),
      codeMutant("MC-20", "	.long 0xf0300504, 0x00000105\n"),
      codeMutant("MC-20", "	.long 0xf0000004, 0x00000105\n", Severity::Warning),
      codeMutant("MC-20",
                 "	image_load v[1:2], v[5:6], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D tfe\n",
                 Severity::Warning),
  };
}

/// MC-01 to MC-13, -18 and -19: control, registers, memory, messages.
static std::vector<Mutant> controlMutants() {
  using R = Replacement;
  return {
      textMutant("MC-01", R{computeEntry, "_amdgpu_cs_main:\n	.long 0xffffffff\n"}),
      textMutant("MC-02", R{"	s_endpgm\n.Lend:", ".Lloop:\n	s_branch .Lloop\n.Lend:"}),
      textMutant("MC-03", R{"	s_endpgm\n.Lend:",
                            "	s_cbranch_scc0 .Lpast\n	s_endpgm\n.Lend:\n.Lpast:"}),
      textMutant("MC-03", {R{"	s_endpgm\n.Lend:\n", "	s_nop 0\n.Lend:\n"},
                           R{"	.globl _amdgpu_pipelineLink0\n",
                             "	s_nop 0\n	.globl _amdgpu_pipelineLink0\n"}}),
      textMutant("MC-03", R{"	s_endpgm\n.Lend:\n", "	s_nop 0\n.Lend:\n"}, Severity::Note),
      textMutant("MC-03",
                 R{computeEntry,
                   "_amdgpu_cs_main:\n	s_cbranch_scc1 1\n	s_mov_b32 s2, 0x12345678\n"}),
      textMutant("MC-04", R{"	.fill 64, 4, 0xbf9f0000\n", "	.fill 40, 4, 0xbf9f0000\n"},
                 Severity::Note),
      textMutant("MC-06", R{computeEntry, "_amdgpu_cs_main:\n	v_mov_b32 v8, 0\n"}),
      textMutant("MC-06",
                 {R{computeEntry, "_amdgpu_cs_main:\n	v_mov_b32 v7, 0\n"},
                  R{".vgpr_count: 8", ".vgpr_count: 7"}},
                 Severity::Note),
      textMutant("MC-07", R{computeEntry, "_amdgpu_cs_main:\n	s_mov_b64 s[16:17], 0\n"},
                 Severity::Error, "gfx900"),
      textMutant("MC-07", R{computeEntry, "_amdgpu_cs_main:\n	s_mov_b64 s[16:17], 0\n"},
                 Severity::Note),
      textMutant("MC-08", R{computeEntry, "_amdgpu_cs_main:\n	scratch_store_b32 off, v0, off\n"}),
      textMutant("MC-09", {R{computeEntry, "_amdgpu_cs_main:\n	ds_store_b32 v0, v0\n"},
                           R{".lds_size: 512", ".lds_size: 0"}}),
      textMutant("MC-09",
                 {R{computeEntry, "_amdgpu_cs_main:\n	buffer_load_dword off, s[4:7], 0 lds\n"},
                  R{".lds_size: 512", ".lds_size: 0"}},
                 Severity::Error, "gfx900"),
      graphicsMutant("MC-11", R{pixelExport, "	exp mrt0 v0, v1, v2, v2 vm\n"}),
      graphicsMutant(
          "MC-11", R{"	exp pos0 v1, v1, v1, v1 done\n", "	exp pos0 v1, v1, v1, v1\n"}),
      graphicsMutant("MC-12", R{"	s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)\n", ""}),
      baseMutant("MC-13", geometryBase(), {R{"	s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)\n", ""}}),
      graphicsMutant("MC-18",
                     R{pixelExport, "	s_barrier\n	exp mrt0 v0, v1, v2, v2 done vm\n"},
                     Severity::Warning),
      textMutant("MC-19",
                 R{computeEntry, "_amdgpu_cs_main:\n	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\n"},
                 Severity::Warning),
      textMutant("MC-10", R{computeEntry, "_amdgpu_cs_main:\n	s_load_b32 s2, s[12:13], 0x0\n"},
                 Severity::Warning),
  };
}

/// MC-14.
static std::vector<Mutant> waitMutants() {
  using R = Replacement;
  return {
      textMutant("MC-14", R{computeEntry, "_amdgpu_cs_main:\n	s_load_b32 s8, s[2:3], 0x0\n"
                                          "	s_mov_b32 s9, s8\n"}),
      textMutant("MC-14", R{computeEntry, "_amdgpu_cs_main:\n	global_load_b32 v1, v0, s[2:3]\n"
                                          "	global_load_b32 v2, v0, s[2:3] offset:4\n"
                                          "	s_waitcnt vmcnt(1)\n	v_mov_b32 v3, v2\n"}),
      textMutant("MC-14",
                 R{computeEntry, "_amdgpu_cs_main:\n	global_load_b32 v1, v0, s[2:3]\n"
                                 "	s_cbranch_scc1 .Lnext\n	v_mov_b32 v1, 0\n.Lnext:\n"}),
      // Ways that meet: each brings a result, none waits.
      codeMutant(
          "MC-14",
          "	s_cbranch_scc1 .La\n	global_load_b32 v1, v0, s[2:3]\n	s_branch .Lb\n"
          ".La:\n	global_load_b32 v1, v0, s[2:3] offset:4\n"
          ".Lb:\n	v_mov_b32 v2, v1\n"),
      // One of two ways, and the way back of a loop.
      codeMutant("MC-14",
                 "	s_cbranch_scc1 .La\n	global_load_b32 v1, v0, s[2:3]\n"
                 ".La:\n	v_mov_b32 v2, v1\n",
                 Severity::Warning),
      codeMutant("MC-14",
                 "	v_mov_b32 v1, 0\n.La:\n	v_add_nc_u32 v2, v1, v1\n"
                 "	global_load_b32 v1, v0, s[2:3]\n	s_cbranch_scc1 .La\n",
                 Severity::Warning),
      // Fewer lanes, then as many again; another counter; VCC.
      codeMutant("MC-14",
                 "	global_load_b32 v1, v0, s[2:3]\n	s_and_saveexec_b64 s[4:5], vcc\n"
                 "	v_mov_b32 v2, v1\n"),
      codeMutant("MC-14",
                 "	s_and_saveexec_b64 s[4:5], vcc\n	global_load_b32 v1, v0, s[2:3]\n"
                 "	s_or_b64 exec, exec, s[4:5]\n	v_mov_b32 v2, v1\n"),
      codeMutant("MC-14", "	global_load_b32 v1, v0, s[2:3]\n	ds_load_b32 v1, v0\n"),
      // An atomic that takes what a load brings, as data and, of a buffer, in the same operand; a
      // sampler, which does not wait for loads.
      codeMutant("MC-14", "	global_load_b32 v1, v0, s[2:3]\n"
                          "	global_atomic_xor_b32 v2, v0, v1, s[2:3] glc\n"),
      codeMutant("MC-14", "	global_load_b32 v1, v0, s[2:3]\n"
                          "	buffer_atomic_xor_b32 v1, v0, s[4:7], 0 offen glc\n"),
      codeMutant("MC-14",
                 "	global_load_b32 v1, v0, s[2:3]\n"
                 "	image_sample v1, v0, s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_1D\n"),
      codeMutant("MC-14",
                 "	flat_load_dword v4, v[0:1]\n	flat_load_dword v5, v[2:3]\n"
                 "	s_waitcnt vmcnt(1) lgkmcnt(1)\n	v_mov_b32 v6, v4\n",
                 Severity::Error, "gfx900"),
      codeMutant("MC-14", "	s_load_b64 vcc, s[2:3], 0x0\n	s_mov_b64 s[4:5], vcc\n"),
      codeMutant("MC-14",
                 "	s_load_b64 s[4:5], s[2:3], 0x0\n	s_load_b64 s[4:5], s[2:3], 0x8\n"),
      // Messages: the second of two, and one next to LDS or scalar loads, in no order with either.
      codeMutant("MC-14", "	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                          "	s_sendmsg_rtn_b32 s5, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                          "	s_waitcnt lgkmcnt(1)\n	s_mov_b32 s6, s5\n"),
      codeMutant("MC-14", "	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                          "	ds_load_b32 v1, v0\n	s_waitcnt lgkmcnt(1)\n"
                          "	s_mov_b32 s6, s4\n"),
      codeMutant("MC-14",
                 "	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)\n"
                 "	s_load_b32 s5, s[2:3], 0x0\n	s_wait_kmcnt 0x1\n	s_mov_b32 s6, s4\n",
                 Severity::Error, "gfx1201"),
      gfx12Mutant("MC-14",
                  {R{"	v_mov_b32 v2, 0\n", "	v_mov_b32 v2, 0\n	s_mov_b32 m0, s0\n"
                                            "	ds_param_load v1, attr0.x wait_va_vdst:0 "
                                            "wait_vm_vsrc:0\n"
                                            "	v_interp_p10_f32 v3, v1, v0, v1 wait_exp:1\n"}}),
  };
}

/// MC-16, and MC-21 to MC-24: whose code it is.
static std::vector<Mutant> identityMutants() {
  using R = Replacement;
  return {
      textMutant("MC-16", R{computeEntry, "_amdgpu_cs_main:\n	s_and_saveexec_b32 s2, s3\n"}),
      textMutant("MC-21",
                 R{computeEntry, "_amdgpu_cs_main:\n	s_clause 0x1\n"
                                 "	global_load_b32 v1, v0, s[2:3]\n	v_mov_b32 v2, 0\n"},
                 Severity::Warning),
      textMutant("MC-22", {R{".vgpr_count: 8", ".vgpr_count: 9"},
                           R{"0x2e13: 0x788", "0x2e12: 0x400c0000\n      0x2e13: 0x788"}}),
      otherChipMutant(),
      textMutant("MC-24",
                 R{"	.amdgpu_pal_metadata\n",
                   "	.section .note,\"\",@note\n	.long 4, 26, 11\n	.asciz \"AMD\"\n"
                   "	.ascii \"amdgcn-amd-amdpal--gfx1030\"\n	.short 0\n"
                   "	.amdgpu_pal_metadata\n"},
                 Severity::Note),
      textMutant("MC-23",
                 {R{"        .lds_size: 512\n",
                    "        .lds_size: 512\n        .checksum_value: 0x1234\n"},
                  R{"    .type: Cs\n", "    .type: Cs\n    .xgl_cache_info:\n"
                                       "      .128_bit_cache_hash: [1, 2]\n"
                                       "      .llpc_version: \"75.7\"\n"}},
                 Severity::Note),
  };
}

/// Functions that are called, and places in scratch and LDS.
static std::vector<Mutant> placeMutants() {
  using R = Replacement;
  return {
      calleeMutant("MC-06", "	v_mov_b32 v4, 0\n"),
      calleeMutant("MC-07", "	s_mov_b32 s4, 0\n", Severity::Note),
      calleeMutant("MC-01", "	.long 0xffffffff\n"),
      calleeMutant("MC-14", "	global_load_b32 v1, v0, s[2:3]\n	v_mov_b32 v2, v1\n"),
      codeMutant("MC-07", "	.long 0xbeec0080\n"), // s_mov_b32 ttmp0, 0
      textMutant(
          "MC-08",
          {R{computeEntry, "_amdgpu_cs_main:\n	scratch_store_b64 off, v[0:1], off offset:12\n"},
           R{".scratch_memory_size: 0", ".scratch_memory_size: 16"},
           R{"0x2e13: 0x788", "0x2e13: 0x789"}}),
      codeMutant("MC-09", "	v_mov_b32 v1, 0x1fc\n	ds_store_b32 v1, v0 offset:4\n"),
      codeMutant("MC-09",
                 "	v_mov_b32 v1, 0\n	ds_load_2addr_b32 v[2:3], v1 offset1:128\n"),
      baseMutant("MC-09", geometryBase(),
                 {R{"_amdgpu_gs_main:\n", "_amdgpu_gs_main:\n	ds_write_b32 v0, v0\n"},
                  R{"        .wavefront_size: 64\n",
                    "        .wavefront_size: 64\n        .lds_size: 0\n"}}),
      textMutant("MC-22", {R{"        .vgpr_count: 8\n", ""},
                           R{computeEntry, "_amdgpu_cs_main:\n	v_mov_b32 v8, 0\n"},
                           R{"0x2e13: 0x788", "0x2e12: 0x400c0000\n      0x2e13: 0x788"}}),
      textMutant("MC-22", {R{computeEntry, "_amdgpu_cs_main:\n	scratch_store_b32 off, v0, off\n"},
                           R{"        .scratch_memory_size: 0\n", ""}}),
      textMutant("MC-22", {R{computeEntry, "_amdgpu_cs_main:\n	ds_store_b32 v0, v0\n"},
                           R{"        .lds_size: 512\n", ""}}),
  };
}

/// Exports, discards, and inputs.
static std::vector<Mutant> exportMutants() {
  using R = Replacement;
  return {
      // Pixels switched off, on all ways and with EXEC saved before.
      killMutant("	v_cmpx_gt_f32 0.5, v0\n"),
      killMutant("	s_mov_b64 s[4:5], exec\n	s_and_b64 exec, exec, vcc\n"),
      killMutant("	s_and_saveexec_b64 s[4:5], vcc\n	s_mov_b64 s[4:5], 0\n"),
      graphicsMutant("PS-09",
                     R{".z_export_enable: false", ".z_export_enable: false, .kill_enable: true"},
                     Severity::Note),
      graphicsMutant(
          "PS-14",
          R{pixelExport, "	s_cbranch_scc1 .Lx\n	exp mrt0 v0, v1, v2, v2 done vm\n.Lx:\n"},
          Severity::Warning),
      graphicsMutant("PS-14", {R{pixelExport, ""}}),
      graphicsMutant(
          "PS-14", R{pixelExport,
                     "	exp mrt0 v0, v1, v2, v2 done vm\n	exp mrt0 v0, v1, v2, v2 vm\n"}),
      graphicsMutant("GEO-23",
                     {R{".max_verts_per_subgroup: 64",
                        ".max_verts_per_subgroup: 64\n      .es_vgpr_comp_cnt: 0"},
                      R{"	v_mov_b32 v1, 0\n", "	v_mov_b32 v1, v6\n"}},
                     Severity::Note),
      // An atomic that leaves what it finds where its data came from.
      graphicsMutant(
          "GEO-23",
          {R{".max_verts_per_subgroup: 64",
             ".max_verts_per_subgroup: 64\n      .es_vgpr_comp_cnt: 0"},
           R{"	v_mov_b32 v1, 0\n", "	v_mov_b32 v1, 0\n"
                                    "	buffer_atomic_add v6, v1, s[4:7], 0 offen glc\n"
                                    "	s_waitcnt vmcnt(0)\n"}},
          Severity::Note),
      baseMutant("GEO-23", legacyBase(),
                 {R{".max_verts_per_subgroup: 64",
                    ".max_verts_per_subgroup: 64\n      .vs_vgpr_comp_cnt: 2"},
                  R{"	v_mov_b32 v1, 0\n", "	v_mov_b32 v1, v3\n"}},
                 Severity::Note),
      // Pairs of 16 bits where registers are expected, and the other way round.
      graphicsMutant("PS-06", R{pixelExport, "	exp mrt0 v0, v0, v1, v1 done compr vm\n"}),
      graphicsMutant("PS-06", R{".col_0_export_format: 9", ".col_0_export_format: 4"}),
      gfx12Mutant("PS-06", {R{".col_0_export_format: 9", ".col_0_export_format: 4"}}),
      graphicsMutant(
          "PS-08", R{pixelExport,
                     "	exp mrtz v0, off, off, off\n	exp mrt0 v0, v1, v2, v2 done vm\n"}),
      graphicsMutant("GEO-01",
                     R{"	exp pos0 v1, v1, v1, v1 done\n",
                       "	exp pos0 v1, v1, v1, v1\n	exp pos1 v1, v1, v1, v1 done\n"}),
      graphicsMutant("PS-05",
                     R{pixelExport, "	s_mov_b32 m0, 0\n	v_interp_mov_f32 v1, p0, attr1.x\n"
                                    "	exp mrt0 v0, v1, v2, v2 done vm\n"}),
      graphicsMutant(
          "PS-06",
          R{pixelExport, "	exp mrt1 v0, v1, v2, v2\n	exp mrt0 v0, v1, v2, v2 done vm\n"},
          Severity::Error),
      graphicsMutant("PS-06", R{".col_0_export_format: 9",
                                ".col_0_export_format: 9, .col_1_export_format: 9"}),
      graphicsMutant("GEO-07",
                     R{"	exp param0 v1, v1, v1, v1\n",
                       "	exp param0 v1, v1, v1, v1\n	exp param1 v1, v1, v1, v1\n"}),
  };
}

std::vector<Mutant> mutation::codeMutants() {
  std::vector<Mutant> mutants;
  for (auto *table : {controlMutants, waitMutants, identityMutants, placeMutants, exportMutants,
                      instructionMutants})
    append_range(mutants, table());
  return mutants;
}
