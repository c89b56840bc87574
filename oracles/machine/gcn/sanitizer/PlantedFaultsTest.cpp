// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults planted in small kernels, over all rules of the sanitizers and traps: each is caught by
// its rule, and its twin without the fault is reported by none.
#include "oracles/machine/gcn/KernelTesting.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct PlantedFault {
  const char *name;
  const char *rule;
  const char *target;
  unsigned waveSize;
  const char *faulty; ///< After the prologue (KernelTesting.h); ends the program.
  const char *clean;
  unsigned lds = 0;
  unsigned waves = 1;
  bool isOnTwoUnits = false;
};

/// Of GFX9: wait states.
constexpr PlantedFault WaitStateFaults[] = {
    {"SgprOfValuToVmem", "HAZ-VALU-SGPR-VMEM", "gfx900", 64,
     "v_readfirstlane_b32 s12, v0\ns_nop 3\nbuffer_load_dword v2, v1, s[4:7], s12 offen\n"
     "s_endpgm\n",
     "v_readfirstlane_b32 s12, v0\ns_nop 4\nbuffer_load_dword v2, v1, s[4:7], s12 offen\n"
     "s_endpgm\n"},
    {"SgprOfValuToLaneSelect", "HAZ-VALU-SGPR-LANE", "gfx900", 64,
     "v_readfirstlane_b32 s12, v0\ns_nop 2\nv_readlane_b32 s13, v1, s12\ns_endpgm\n",
     "v_readfirstlane_b32 s12, v0\ns_nop 3\nv_readlane_b32 s13, v1, s12\ns_endpgm\n"},
    {"VccToDivFmas", "HAZ-VALU-VCC-DIVFMAS", "gfx900", 64,
     "v_cmp_eq_u32 vcc, v0, v1\ns_nop 2\nv_div_fmas_f32 v2, v1, v1, v1\ns_endpgm\n",
     "v_cmp_eq_u32 vcc, v0, v1\ns_nop 3\nv_div_fmas_f32 v2, v1, v1, v1\ns_endpgm\n"},
    {"ExecOfValuToDpp", "HAZ-VALU-EXEC-DPP", "gfx900", 64,
     "v_cmpx_eq_u32 vcc, v0, v0\ns_nop 3\n"
     "v_mov_b32_dpp v2, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\ns_endpgm\n",
     "v_cmpx_eq_u32 vcc, v0, v0\ns_nop 4\n"
     "v_mov_b32_dpp v2, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\ns_endpgm\n"},
    {"VgprToDpp", "HAZ-VALU-VGPR-DPP", "gfx900", 64,
     "v_mov_b32 v3, v1\ns_nop 0\n"
     "v_mov_b32_dpp v2, v3 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\ns_endpgm\n",
     "v_mov_b32 v3, v1\ns_nop 1\n"
     "v_mov_b32_dpp v2, v3 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\ns_endpgm\n"},
    {"M0ToMovRel", "HAZ-SALU-M0", "gfx900", 64,
     "s_mov_b32 m0, 0\ns_movrels_b32 s12, s4\ns_endpgm\n",
     "s_mov_b32 m0, 0\ns_nop 0\ns_movrels_b32 s12, s4\ns_endpgm\n"},
    {"SetregToGetreg", "HAZ-SETREG", "gfx900", 64,
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\ns_nop 0\n"
     "s_getreg_b32 s12, hwreg(HW_REG_MODE)\ns_endpgm\n",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\ns_nop 1\n"
     "s_getreg_b32 s12, hwreg(HW_REG_MODE)\ns_endpgm\n"},
    {"SetregToSetreg", "HAZ-SETREG", "gfx900", 64,
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\ns_endpgm\n",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\ns_nop 1\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\ns_endpgm\n"},
    {"VskipToVector", "HAZ-VSKIP", "gfx900", 64,
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\nv_mov_b32 v2, 0\ns_endpgm\n",
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\ns_nop 1\nv_mov_b32 v2, 0\ns_endpgm\n"},
    {"DataOfWideStore", "HAZ-STORE-DATA", "gfx900", 64,
     "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
     "buffer_store_dwordx4 v[4:7], v1, s[4:7], 0 offen\nv_mov_b32 v6, 1\ns_endpgm\n",
     "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
     "buffer_store_dwordx4 v[4:7], v1, s[4:7], 0 offen\ns_nop 0\nv_mov_b32 v6, 1\ns_endpgm\n"},
    {"DataOfWideAtomic", "HAZ-STORE-DATA", "gfx900", 64,
     "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
     "buffer_atomic_cmpswap_x2 v[4:7], v1, s[4:7], 0 offen\nv_mov_b32 v6, 1\ns_endpgm\n",
     "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0\n"
     "buffer_atomic_cmpswap_x2 v[4:7], v1, s[4:7], 0 offen\ns_nop 0\nv_mov_b32 v6, 1\n"
     "s_endpgm\n"},
};

/// Of GFX10.
constexpr PlantedFault Gfx10Faults[] = {
    {"SgprOfLoadBySalu", "HAZ-VMEM-SCALAR-WRITE", "gfx1010", 32,
     "s_mov_b32 s12, 0\nbuffer_load_dword v2, v1, s[4:7], s12 offen\ns_mov_b32 s12, 1\n"
     "s_endpgm\n",
     "s_mov_b32 s12, 0\nbuffer_load_dword v2, v1, s[4:7], s12 offen\nv_mov_b32 v3, 0\n"
     "s_mov_b32 s12, 1\ns_endpgm\n"},
    {"SgprOfStoreBySalu", "HAZ-VMEM-SCALAR-WRITE", "gfx1010", 32,
     "s_mov_b32 s12, 0\nbuffer_store_dword v0, v1, s[4:7], s12 offen\ns_waitcnt vmcnt(0)\n"
     "s_mov_b32 s12, 1\ns_endpgm\n",
     "s_mov_b32 s12, 0\nbuffer_store_dword v0, v1, s[4:7], s12 offen\n"
     "s_waitcnt_vscnt null, 0x0\ns_mov_b32 s12, 1\ns_endpgm\n"},
    {"ExecOfLdsBySalu", "HAZ-VMEM-SCALAR-WRITE", "gfx1010", 32,
     "v_mov_b32 v2, 0\nds_read_b32 v3, v2\ns_mov_b32 exec_lo, -1\ns_endpgm\n",
     "v_mov_b32 v2, 0\nds_read_b32 v3, v2\ns_waitcnt_depctr 0xffe3\ns_mov_b32 exec_lo, -1\n"
     "s_endpgm\n",
     16},
    {"SgprOfSmemByValu", "HAZ-SMEM-VECTOR-WRITE", "gfx1010", 32,
     "s_load_dword s12, s[14:15], 0x0\nv_readfirstlane_b32 s14, v0\ns_endpgm\n",
     "s_load_dword s12, s[14:15], 0x0\ns_mov_b32 s13, 0\nv_readfirstlane_b32 s14, v0\n"
     "s_endpgm\n"},
    {"ExecOfSaluByValu", "HAZ-VCMPX-EXEC", "gfx1010", 32,
     "s_mov_b32 s12, exec_lo\nv_cmpx_eq_u32 v0, v0\ns_endpgm\n",
     "s_mov_b32 s12, exec_lo\ns_waitcnt_depctr 0xfffe\nv_cmpx_eq_u32 v0, v0\ns_endpgm\n"},
    {"ExecOfSaveexecByValu", "HAZ-VCMPX-EXEC", "gfx1010", 32,
     "v_mov_b32 v2, 0\ns_and_saveexec_b32 s12, s4\nv_cmpx_eq_u32 v0, v0\ns_endpgm\n",
     "v_mov_b32 v2, 0\nds_read_b32 v3, v2\nv_cmpx_eq_u32 v0, v0\ns_endpgm\n", 16},
    {"VcmpxThenPermlane", "HAZ-VCMPX-PERMLANE", "gfx1010", 32,
     "v_cmpx_eq_u32 v0, v0\nv_nop\nv_permlane16_b32 v2, v1, s4, s4\ns_endpgm\n",
     "v_cmpx_eq_u32 v0, v0\nv_mov_b32 v3, v1\nv_permlane16_b32 v2, v1, s4, s4\ns_endpgm\n"},
    {"LdsBranchVmem", "HAZ-LDS-BRANCH-VMEM", "gfx1010", 32,
     "v_mov_b32 v2, 0\nds_read_b32 v3, v2\ns_branch .Lnext\n.Lnext:\n"
     "buffer_load_dword v4, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 0\nds_read_b32 v3, v2\ns_branch .Lnext\n.Lnext:\n"
     "s_waitcnt_vscnt null, 0x0\nbuffer_load_dword v4, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"VmemBranchLds", "HAZ-LDS-BRANCH-VMEM", "gfx1010", 32,
     "v_mov_b32 v2, 0\nbuffer_load_dword v4, v1, s[4:7], 0 offen\ns_cbranch_execz .Lnext\n"
     "ds_read_b32 v3, v2\n.Lnext:\ns_endpgm\n",
     "v_mov_b32 v2, 0\nbuffer_load_dword v4, v1, s[4:7], 0 offen\ns_cbranch_execz .Lnext\n"
     "s_waitcnt_vscnt null, 0x0\nds_read_b32 v3, v2\n.Lnext:\ns_endpgm\n",
     16},
    {"BranchOfDistance3f", "HAZ-OFFSET-3F", "gfx1010", 32,
     ".long 0xbf82003f\n.rept 63\ns_nop 0\n.endr\ns_endpgm\n",
     ".long 0xbf82003e\n.rept 62\ns_nop 0\n.endr\ns_endpgm\n"},
    {"FloatAtomicThenMode", "HAZ-ATOMIC-DENORM", "gfx1030", 32,
     "buffer_atomic_fmin v0, v1, s[4:7], 0 offen\ns_nop 1\ns_denorm_mode 15\ns_endpgm\n",
     "buffer_atomic_fmin v0, v1, s[4:7], 0 offen\ns_nop 2\ns_denorm_mode 15\ns_endpgm\n"},
};

/// Of GFX11 and GFX12.
constexpr PlantedFault NewFaults[] = {
    {"TransToValu", "HAZ-TRANS-USE", "gfx1100", 32,
     "v_rcp_f32 v2, v1\nv_mov_b32 v4, 0\nv_add_f32 v3, v2, v2\ns_endpgm\n",
     "v_rcp_f32 v2, v1\nv_mov_b32 v4, 0\ns_waitcnt_depctr 0xfff\nv_add_f32 v3, v2, v2\n"
     "s_endpgm\n"},
    {"TransSixValusLater", "HAZ-TRANS-USE", "gfx1100", 32,
     "v_rcp_f32 v2, v1\n.rept 5\nv_mov_b32 v4, 0\n.endr\nv_add_f32 v3, v2, v2\ns_endpgm\n",
     "v_rcp_f32 v2, v1\n.rept 6\nv_mov_b32 v4, 0\n.endr\nv_add_f32 v3, v2, v2\ns_endpgm\n"},
    {"VcmpxThenPermlane11", "HAZ-VCMPX-PERMLANE", "gfx1100", 32,
     "v_cmpx_eq_u32 v0, v0\nv_permlane16_b32 v2, v1, s4, s4\ns_endpgm\n",
     "v_cmpx_eq_u32 v0, v0\nv_nop\nv_permlane16_b32 v2, v1, s4, s4\ns_endpgm\n"},
    {"AroundExec", "HAZ-PARTIAL-FORWARD", "gfx1100", 64,
     "v_mov_b32 v2, v1\ns_mov_b64 exec, -1\nv_mov_b32 v3, v1\nv_add_f32 v4, v2, v3\ns_endpgm\n",
     "v_mov_b32 v2, v1\ns_mov_b64 exec, -1\nv_mov_b32 v3, v1\ns_waitcnt_depctr 0xfff\n"
     "v_add_f32 v4, v2, v3\ns_endpgm\n"},
    {"MaskBySalu", "HAZ-MASK-WRITE", "gfx1100", 64,
     "s_mov_b64 s[12:13], 0\nv_cndmask_b32 v2, v0, v1, s[12:13]\ns_mov_b64 s[12:13], -1\n"
     "s_mov_b32 s16, s12\ns_endpgm\n",
     "s_mov_b64 s[12:13], 0\nv_cndmask_b32 v2, v0, v1, s[12:13]\ns_mov_b64 s[12:13], -1\n"
     "s_waitcnt_depctr 0xfffe\ns_mov_b32 s16, s12\ns_endpgm\n"},
    {"MaskByValu", "HAZ-MASK-WRITE", "gfx1100", 64,
     "v_cmp_eq_u32 vcc, v0, v1\nv_cndmask_b32 v2, v0, v1, vcc\nv_cmp_lt_u32 vcc, v0, v1\n"
     "v_cndmask_b32 v3, v0, v1, vcc\ns_endpgm\n",
     "v_cmp_eq_u32 vcc, v0, v1\nv_cndmask_b32 v2, v0, v1, vcc\nv_cmp_lt_u32 vcc, v0, v1\n"
     "s_waitcnt_depctr 0xfffd\nv_cndmask_b32 v3, v0, v1, vcc\ns_endpgm\n"},
    {"DeallocWithoutNop", "HAZ-DEALLOC", "gfx1100", 32,
     "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\ns_endpgm\n",
     "s_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)\ns_endpgm\n"},
    {"LdsDirectOverValu", "HAZ-LDSDIR-VALU", "gfx1100", 32,
     "s_mov_b32 m0, 0\nv_mov_b32 v2, v1\nlds_direct_load v2 wait_vdst:15\ns_endpgm\n",
     "s_mov_b32 m0, 0\nv_mov_b32 v2, v1\nlds_direct_load v2 wait_vdst:0\ns_endpgm\n", 16},
    {"LdsDirectOverStore", "HAZ-LDSDIR-VMEM", "gfx1100", 32,
     "s_mov_b32 m0, 0\nbuffer_store_b32 v0, v1, s[4:7], 0 offen\n"
     "lds_direct_load v0 wait_vdst:0\ns_endpgm\n",
     "s_mov_b32 m0, 0\nbuffer_store_b32 v0, v1, s[4:7], 0 offen\ns_waitcnt_depctr 0xffe3\n"
     "lds_direct_load v0 wait_vdst:0\ns_endpgm\n",
     16},
    {"ReadSgprBySalu", "HAZ-READ-SGPR", "gfx1201", 32,
     "s_mov_b32 s12, 0\nv_mov_b32 v2, s12\ns_mov_b32 s12, 1\nv_mov_b32 v3, s12\ns_endpgm\n",
     "s_mov_b32 s12, 0\nv_mov_b32 v2, s12\ns_mov_b32 s12, 1\ns_wait_alu 0xfffe\n"
     "v_mov_b32 v3, s12\ns_endpgm\n"},
    {"ReadSgprByValu", "HAZ-READ-SGPR", "gfx1201", 32,
     "s_mov_b32 s12, 0\nv_mov_b32 v2, s12\nv_readfirstlane_b32 s12, v0\nv_mov_b32 v3, s12\n"
     "s_endpgm\n",
     "s_mov_b32 s12, 0\nv_mov_b32 v2, s12\nv_readfirstlane_b32 s12, v0\ns_wait_alu 0xf1ff\n"
     "v_mov_b32 v3, s12\ns_endpgm\n"},
};

/// Uninitialized values.
constexpr PlantedFault UndefinedFaults[] = {
    {"BranchOnScc", "UNDEF-BRANCH", "gfx1100", 32,
     "s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lnext\n.Lnext:\ns_endpgm\n",
     "s_mov_b32 s20, 1\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lnext\n.Lnext:\ns_endpgm\n"},
    {"BranchOnVcc", "UNDEF-BRANCH", "gfx1030", 32,
     "v_cmp_gt_u32 vcc_lo, v9, v0\ns_cbranch_vccz .Lnext\n.Lnext:\ns_endpgm\n",
     "v_mov_b32 v9, 0\nv_cmp_gt_u32 vcc_lo, v9, v0\ns_cbranch_vccz .Lnext\n.Lnext:\ns_endpgm\n"},
    {"JumpToNowhere", "UNDEF-BRANCH", "gfx900", 64,
     "s_getpc_b64 s[20:21]\ns_and_b32 s22, s28, 4\ns_add_u32 s20, s20, s22\n"
     "s_add_u32 s20, s20, 16\ns_setpc_b64 s[20:21]\ns_nop 0\ns_endpgm\n",
     "s_getpc_b64 s[20:21]\ns_and_b32 s22, s28, 0\ns_add_u32 s20, s20, s22\n"
     "s_add_u32 s20, s20, 16\ns_setpc_b64 s[20:21]\ns_nop 0\ns_endpgm\n"},
    {"AddressInVgpr", "UNDEF-ADDRESS", "gfx1100", 32,
     "buffer_load_b32 v2, v9, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v9, 0\nbuffer_load_b32 v2, v9, s[4:7], 0 offen\ns_endpgm\n"},
    {"OffsetInSgpr", "UNDEF-ADDRESS", "gfx1201", 32,
     "buffer_load_b32 v2, v1, s[4:7], s20 offen\ns_endpgm\n",
     "s_mov_b32 s20, 0\nbuffer_load_b32 v2, v1, s[4:7], s20 offen\ns_endpgm\n"},
    {"OffsetOfScalarLoad", "UNDEF-ADDRESS", "gfx900", 64,
     "s_buffer_load_dword s20, s[4:7], s21\ns_endpgm\n",
     "s_mov_b32 s21, 0\ns_buffer_load_dword s20, s[4:7], s21\ns_endpgm\n"},
    {"LdsAddress", "UNDEF-ADDRESS", "gfx1100", 32,
     "v_and_b32 v9, 4, v9\nds_load_b32 v2, v9\ns_endpgm\n",
     "v_and_b32 v9, 0, v9\nds_load_b32 v2, v9\ns_endpgm\n", 16},
    {"LaneNumber", "UNDEF-ADDRESS", "gfx1030", 64, "v_readlane_b32 s12, v0, s20\ns_endpgm\n",
     "s_mov_b32 s20, 0\nv_readlane_b32 s12, v0, s20\ns_endpgm\n"},
    {"RegisterIndex", "UNDEF-ADDRESS", "gfx1030", 32,
     "s_and_b32 m0, s20, 1\nv_movrels_b32 v2, v0\ns_endpgm\n",
     "s_mov_b32 m0, 1\nv_movrels_b32 v2, v0\ns_endpgm\n"},
    {"ExecFromNowhere", "UNDEF-EXEC", "gfx1100", 32, "s_mov_b32 exec_lo, s20\ns_endpgm\n",
     "s_mov_b32 s20, 1\ns_mov_b32 exec_lo, s20\ns_endpgm\n"},
    {"ExecByCompare", "UNDEF-EXEC", "gfx1201", 32, "v_cmpx_eq_u32 v9, v0\ns_endpgm\n",
     "v_mov_b32 v9, 0\nv_cmpx_eq_u32 v9, v0\ns_endpgm\n"},
    {"ExecMask", "UNDEF-EXEC", "gfx900", 64, "s_and_saveexec_b64 s[20:21], s[22:23]\ns_endpgm\n",
     "s_mov_b64 s[22:23], 1\ns_and_saveexec_b64 s[20:21], s[22:23]\ns_endpgm\n"},
    {"Store", "UNDEF-STORE", "gfx1100", 32, "buffer_store_b32 v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v9, v0\nbuffer_store_b32 v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreOfSomeBits", "UNDEF-STORE", "gfx1201", 32,
     "v_and_b32 v9, 0x100, v9\nbuffer_store_b32 v9, v1, s[4:7], null offen\ns_endpgm\n",
     "v_and_b32 v9, 0x100, v9\nbuffer_store_b8 v9, v1, s[4:7], null offen\ns_endpgm\n"},
    {"StoreOfHalfAComponent", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v8, 0\nv_and_b32 v9, 1, v9\nbuffer_store_b64 v[8:9], v1, s[4:7], 0 offen\n"
     "s_endpgm\n",
     "v_mov_b32 v8, 0\nbuffer_store_b64 v[8:9], v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreOfLowHalf", "UNDEF-STORE", "gfx1100", 32,
     "v_lshrrev_b32 v9, 16, v9\nbuffer_store_d16_format_x v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_lshlrev_b32 v9, 16, v9\nbuffer_store_d16_format_x v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreOfHighHalf", "UNDEF-STORE", "gfx1100", 32,
     "v_lshlrev_b32 v9, 16, v9\nbuffer_store_d16_hi_format_x v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_lshrrev_b32 v9, 16, v9\nbuffer_store_d16_hi_format_x v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreOfHalves", "UNDEF-STORE", "gfx1201", 32,
     "v_and_b32 v9, 0x100, v9\nbuffer_store_d16_format_xy v9, v1, s[4:7], null offen\ns_endpgm\n",
     "v_lshlrev_b32 v9, 16, v9\nbuffer_store_d16_format_xy v9, v1, s[4:7], null offen\n"
     "s_endpgm\n"},
    {"StoreOfNoComponent", "UNDEF-STORE", "gfx900", 64,
     "buffer_store_dwordx2 v[8:9], v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v9, 0\nbuffer_store_dwordx2 v[8:9], v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreOfSum", "UNDEF-STORE", "gfx1030", 32,
     "v_lshlrev_b32 v9, 16, v9\nv_add_nc_u32 v9, v9, v0\n"
     "buffer_store_dword v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_lshlrev_b32 v9, 16, v9\nv_add_nc_u32 v9, v9, v0\nv_and_b32 v9, 0xffff, v9\n"
     "buffer_store_dword v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreThroughLds", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v2, 8\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nds_store_b32 v2, v0\nds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    // The registers of new data and of what is compared need not be neighbours.
    {"StoreThroughComparedLds", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 1\nds_store_b32 v2, v0\nds_cmpstore_b32 v2, v7, v9\n"
     "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 1\nds_store_b32 v2, v0\nds_cmpstore_b32 v2, v7, v0\n"
     "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    // An exchange defines what it writes, and brings what was there: the second brings a value.
    {"StoreOfExchangedLds", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v2, 8\nds_storexchg_rtn_b32 v3, v2, v0\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nds_storexchg_rtn_b32 v3, v2, v0\nds_storexchg_rtn_b32 v3, v2, v0\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"StoreOfExchangedUndefined", "UNDEF-STORE", "gfx1030", 32,
     "ds_wrxchg_rtn_b32 v3, v1, v9\nds_wrxchg_rtn_b32 v3, v1, v0\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_dword v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "ds_wrxchg_rtn_b32 v3, v1, v0\nds_wrxchg_rtn_b32 v3, v1, v9\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_dword v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     128},
    {"StoreOfLdsAfterMax", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v2, 8\nv_mov_b32 v7, -2\nds_max_u32 v2, v7\nds_load_b32 v3, v2\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nv_mov_b32 v7, -1\nds_max_u32 v2, v7\nds_load_b32 v3, v2\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"StoreOfLdsAfterDecrement", "UNDEF-STORE", "gfx1100", 32,
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 5\nds_dec_u32 v2, v7\nds_load_b32 v3, v2\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 0\nds_dec_u32 v2, v7\nds_load_b32 v3, v2\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_b32 v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"StoreOfLdsAfterAnd", "UNDEF-STORE", "gfx1201", 32,
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 1\nds_and_b32 v2, v7\nds_load_b32 v3, v2\n"
     "s_wait_dscnt 0x0\nbuffer_store_b32 v3, v1, s[4:7], null offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nv_mov_b32 v7, 0\nds_and_b32 v2, v7\nds_load_b32 v3, v2\n"
     "s_wait_dscnt 0x0\nbuffer_store_b32 v3, v1, s[4:7], null offen\ns_endpgm\n",
     16},
    {"StoreOfLdsAfterOr", "UNDEF-STORE", "gfx900", 64,
     "s_mov_b32 m0, -1\nv_mov_b32 v2, 8\nv_mov_b32 v7, 0xffff\nds_or_b32 v2, v7\n"
     "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_dword v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "s_mov_b32 m0, -1\nv_mov_b32 v2, 8\nv_mov_b32 v7, 0xffff\nds_or_b32 v2, v7\n"
     "ds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_short v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"StoreOfLdsAfterXor", "UNDEF-STORE", "gfx1030", 32,
     "v_mov_b32 v2, 8\nds_xor_b32 v2, v0\nds_read_b32 v3, v2\ns_waitcnt lgkmcnt(0)\n"
     "buffer_store_dword v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 8\nds_write_b32 v2, v0\nds_xor_b32 v2, v0\nds_read_b32 v3, v2\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_dword v3, v1, s[4:7], 0 offen\ns_endpgm\n",
     16},
    {"StoreThroughLanes", "UNDEF-STORE", "gfx1030", 32,
     "v_mov_b32 v9, 1\ns_mov_b32 exec_lo, 1\nv_mov_b32 v8, v9\ns_mov_b32 exec_lo, 3\n"
     "v_mov_b32_dpp v9, v8 quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf\n"
     "buffer_store_dword v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v9, 1\ns_mov_b32 exec_lo, 1\nv_mov_b32 v8, v9\ns_mov_b32 exec_lo, 3\n"
     "v_mov_b32_dpp v9, v8 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf\n"
     "buffer_store_dword v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    // The lanes that an exchange leaves alone keep what they have, though the selector is the
    // destination; v9 has a value in lane 0 only.
    {"StoreBesideLaneExchange", "UNDEF-STORE", "gfx1030", 32,
     "s_mov_b32 exec_lo, 1\nv_mov_b32 v9, 1\nv_mov_b32 v8, 0\nds_bpermute_b32 v8, v8, v9\n"
     "s_waitcnt lgkmcnt(0)\ns_mov_b32 exec_lo, 3\n"
     "buffer_store_dword v8, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v8, 4\ns_mov_b32 exec_lo, 1\nv_mov_b32 v9, 1\nv_mov_b32 v8, 0\n"
     "ds_bpermute_b32 v8, v8, v9\ns_waitcnt lgkmcnt(0)\ns_mov_b32 exec_lo, 3\n"
     "buffer_store_dword v8, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreBesideRowExchange", "UNDEF-STORE", "gfx1201", 32,
     "v_mov_b32 v8, 1\ns_mov_b32 exec_lo, 1\nv_mov_b32 v9, 1\n"
     "v_permlane16_var_b32 v8, v9, v8 op_sel:[1,0]\ns_mov_b32 exec_lo, 3\n"
     "buffer_store_b32 v8, v1, s[4:7], null offen\ns_endpgm\n",
     "v_mov_b32 v8, 1\ns_mov_b32 exec_lo, 1\nv_mov_b32 v9, 1\n"
     "v_permlane16_var_b32 v8, v9, v8\ns_mov_b32 exec_lo, 3\n"
     "buffer_store_b32 v8, v1, s[4:7], null offen\ns_endpgm\n"},
    // M0 and EXEC choose lanes and registers elsewhere; here they are what is moved.
    {"StoreOfLaneFromM0", "UNDEF-STORE", "gfx1030", 32,
     "v_mov_b32 v9, 1\nv_writelane_b32 v9, m0, 0\nbuffer_store_dword v9, v1, s[4:7], 0 offen\n"
     "s_endpgm\n",
     "v_mov_b32 v9, 1\ns_mov_b32 m0, -1\nv_writelane_b32 v9, m0, 0\n"
     "v_writelane_b32 v9, exec_lo, 1\nbuffer_store_dword v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"StoreThroughScalar", "UNDEF-STORE", "gfx1100", 32,
     "v_readfirstlane_b32 s20, v9\ns_or_b32 s20, s20, 1\nv_mov_b32 v2, s20\n"
     "buffer_store_b32 v2, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_readfirstlane_b32 s20, v9\ns_or_b32 s20, s20, -1\nv_mov_b32 v2, s20\n"
     "buffer_store_b32 v2, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"AtomicOperand", "UNDEF-STORE", "gfx900", 64,
     "buffer_atomic_add v9, v1, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v9, 1\nbuffer_atomic_add v9, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"Export", "UNDEF-EXPORT", "gfx1100", 32, "exp mrt0 v9, off, off, off done\ns_endpgm\n",
     "exp mrt0 v0, off, off, off done\ns_endpgm\n"},
    {"Message", "UNDEF-MESSAGE", "gfx1100", 32, "s_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm\n",
     "s_mov_b32 m0, 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm\n"},
    {"Mode", "UNDEF-MODE", "gfx1030", 32, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s20\ns_endpgm\n",
     "s_mov_b32 s20, 0\ns_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s20\ns_endpgm\n"},
};

/// Operands in flight, waits, ranges, barriers, control flow.
constexpr PlantedFault OtherFaults[] = {
    {"SourceOfExport", "WAR-EXPORT", "gfx1030", 32,
     "exp mrt0 v0, off, off, off done\nv_mov_b32 v0, 0\ns_endpgm\n",
     "exp mrt0 v0, off, off, off done\ns_waitcnt expcnt(0)\nv_mov_b32 v0, 0\ns_endpgm\n"},
    {"ResultOverSourceOfExport", "WAR-EXPORT", "gfx1100", 32,
     "exp mrt0 v0, off, off, off done\nbuffer_load_b32 v0, v1, s[4:7], 0 offen\ns_endpgm\n",
     "exp mrt0 v0, off, off, off done\ns_waitcnt expcnt(0)\n"
     "buffer_load_b32 v0, v1, s[4:7], 0 offen\ns_endpgm\n"},
    {"SourceOfSecondExport", "WAR-EXPORT", "gfx1010", 32,
     "exp mrt0 v0, off, off, off\nexp mrt1 v1, off, off, off done\ns_waitcnt expcnt(1)\n"
     "v_mov_b32 v1, 0\ns_endpgm\n",
     "exp mrt0 v0, off, off, off\nexp mrt1 v1, off, off, off done\ns_waitcnt expcnt(1)\n"
     "v_mov_b32 v0, 0\ns_endpgm\n"},
    {"SourceOfExportOfOtherType", "WAR-EXPORT", "gfx1010", 32,
     "exp pos0 v0, v0, v0, v0 done\nexp param0 v1, v1, v1, v1\ns_waitcnt expcnt(1)\n"
     "v_mov_b32 v0, 0\ns_endpgm\n",
     "exp pos0 v0, v0, v0, v0 done\nexp param0 v1, v1, v1, v1\ns_waitcnt expcnt(0)\n"
     "v_mov_b32 v0, 0\ns_endpgm\n"},
    {"OperandOfGds", "WAR-GDS", "gfx900", 64,
     "s_mov_b32 m0, -1\nv_mov_b32 v2, 0\nds_add_u32 v2, v0 gds\nv_mov_b32 v0, 0\ns_endpgm\n",
     "s_mov_b32 m0, -1\nv_mov_b32 v2, 0\nds_add_u32 v2, v0 gds\ns_waitcnt expcnt(0)\n"
     "v_mov_b32 v0, 0\ns_endpgm\n"},
    {"LoadNotWaitedFor", "WAIT-RAW", "gfx1100", 32,
     "buffer_load_b32 v2, v1, s[4:7], 0 offen\nv_mov_b32 v3, v2\ns_endpgm\n",
     "buffer_load_b32 v2, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\nv_mov_b32 v3, v2\n"
     "s_endpgm\n"},
    {"LoadOverwritten", "WAIT-WAW", "gfx1201", 32,
     "buffer_load_b32 v2, v1, s[4:7], null offen\nv_mov_b32 v2, 0\ns_endpgm\n",
     "buffer_load_b32 v2, v1, s[4:7], null offen\ns_wait_loadcnt 0x0\nv_mov_b32 v2, 0\n"
     "s_endpgm\n"},
    {"ScalarLoadNotWaitedFor", "WAIT-RAW", "gfx900", 64,
     "s_load_dword s20, s[14:15], 0x0\ns_mov_b32 s21, s20\ns_endpgm\n",
     "s_load_dword s20, s[14:15], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s21, s20\ns_endpgm\n"},
    // Messages count down in the order of issue, but in no order with anything else.
    {"SecondOfTwoMessages", "WAIT-RAW", "gfx1100", 32,
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(1)\n"
     "s_mov_b32 s24, s22\ns_endpgm\n",
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(1)\n"
     "s_mov_b32 s24, s20\ns_endpgm\n"},
    {"SecondOfTwoMessagesOverwritten", "WAIT-WAW", "gfx1201", 32,
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)\ns_wait_kmcnt 0x1\n"
     "s_load_b32 s22, s[14:15], 0x0\ns_endpgm\n",
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b64 s[22:23], sendmsg(MSG_RTN_GET_REALTIME)\ns_wait_kmcnt 0x1\n"
     "s_load_b32 s20, s[14:15], 0x0\ns_endpgm\n"},
    {"MessageOverwrittenByAMessage", "WAIT-WAW", "gfx1100", 32,
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_endpgm\n",
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_sendmsg_rtn_b32 s21, sendmsg(MSG_RTN_GET_DOORBELL)\ns_waitcnt lgkmcnt(1)\n"
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_endpgm\n"},
    {"MessageBeforeLds", "WAIT-RAW", "gfx1100", 32,
     "v_mov_b32 v2, 0\ns_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s21, s20\ns_endpgm\n",
     "v_mov_b32 v2, 0\ns_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "ds_load_b32 v3, v2\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s21, s20\ns_endpgm\n",
     16},
    {"LdsBeforeMessage", "WAIT-RAW", "gfx1150", 32,
     "v_mov_b32 v2, 0\nds_load_b32 v3, v2\n"
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_waitcnt lgkmcnt(1)\n"
     "v_mov_b32 v4, v3\ns_endpgm\n",
     "v_mov_b32 v2, 0\nds_load_b32 v3, v2\n"
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_waitcnt lgkmcnt(0)\n"
     "v_mov_b32 v4, v3\ns_endpgm\n",
     16},
    {"MessageBeforeScalarLoad", "WAIT-RAW", "gfx1201", 32,
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_load_b32 s22, s[14:15], 0x0\n"
     "s_wait_kmcnt 0x1\ns_mov_b32 s24, s20\ns_endpgm\n",
     "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\ns_load_b32 s22, s[14:15], 0x0\n"
     "s_wait_kmcnt 0x0\ns_mov_b32 s24, s20\ns_endpgm\n"},
    {"ScalarLoadBeforeMessage", "WAIT-RAW", "gfx1201", 32,
     "s_load_b32 s22, s[14:15], 0x0\ns_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_wait_kmcnt 0x1\ns_mov_b32 s24, s22\ns_endpgm\n",
     "s_load_b32 s22, s[14:15], 0x0\ns_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)\n"
     "s_wait_kmcnt 0x0\ns_mov_b32 s24, s22\ns_endpgm\n"},
    {"LdsNotWaitedFor", "WAIT-LDS", "gfx1100", 32,
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_barrier\nv_xor_b32 v3, 0x80, v2\n"
     "ds_load_b32 v4, v3\ns_endpgm\n",
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
     "v_xor_b32 v3, 0x80, v2\nds_load_b32 v4, v3\ns_endpgm\n",
     256, 2},
    // The writer is at its next barrier, and has waited, before the other wave reads.
    {"LdsNotWaitedForBeforeTheFirstOfTwoBarriers", "WAIT-LDS", "gfx1100", 32,
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_barrier\nv_and_b32 v3, 0x7f, v2\n"
     "ds_load_b32 v4, v3\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_endpgm\n",
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
     "v_and_b32 v3, 0x7f, v2\nds_load_b32 v4, v3\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
     "s_endpgm\n",
     256, 2},
    {"StoreNotWaitedFor", "WAIT-STORE", "gfx1030", 32,
     "buffer_store_dword v0, v1, s[4:7], 0 offen\ns_barrier\nv_xor_b32 v3, 0x80, v1\n"
     "buffer_load_dword v4, v3, s[4:7], 0 offen\ns_endpgm\n",
     "buffer_store_dword v0, v1, s[4:7], 0 offen\ns_waitcnt_vscnt null, 0x0\ns_barrier\n"
     "v_xor_b32 v3, 0x80, v1\nbuffer_load_dword v4, v3, s[4:7], 0 offen\ns_endpgm\n",
     0, 2},
    {"RaceInLds", "RACE-LDS", "gfx1201", 32,
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_wait_dscnt 0x0\nv_xor_b32 v3, 0x80, v2\n"
     "ds_load_b32 v4, v3\ns_endpgm\n",
     "v_lshlrev_b32 v2, 2, v0\nds_store_b32 v2, v0\ns_wait_dscnt 0x0\ns_barrier_signal -1\n"
     "s_barrier_wait -1\nv_xor_b32 v3, 0x80, v2\nds_load_b32 v4, v3\ns_endpgm\n",
     256, 2},
    {"RaceInMemory", "RACE-GLOBAL", "gfx1100", 32,
     "v_mov_b32 v2, 0\nbuffer_store_b32 v0, v2, s[4:7], 0 offen\ns_endpgm\n",
     "v_mov_b32 v2, 0\nbuffer_atomic_add_u32 v0, v2, s[4:7], 0 offen\ns_endpgm\n", 0, 2},
    {"NoInvalidation", "RACE-STALE", "gfx1100", 32,
     "buffer_store_b32 v0, v1, s[4:7], 0 offen\ns_waitcnt_vscnt null, 0x0\ns_barrier\n"
     "v_xor_b32 v3, 0x80, v1\nbuffer_load_b32 v4, v3, s[4:7], 0 offen\ns_endpgm\n",
     "buffer_store_b32 v0, v1, s[4:7], 0 offen\ns_waitcnt_vscnt null, 0x0\ns_barrier\n"
     "buffer_gl0_inv\nv_xor_b32 v3, 0x80, v1\nbuffer_load_b32 v4, v3, s[4:7], 0 offen\ns_endpgm\n",
     0, 2, true},
    {"VgprBeyondCount", "REG-RANGE", "gfx1100", 32, "v_mov_b32 v16, 0\ns_endpgm\n",
     "v_mov_b32 v15, 0\ns_endpgm\n"},
    {"SgprBeyondCount", "REG-RANGE", "gfx900", 64, "s_mov_b32 s32, 0\ns_endpgm\n",
     "s_mov_b32 s31, 0\ns_endpgm\n"},
    {"IndexBeyondVgprs", "REG-RANGE", "gfx1030", 32,
     "s_mov_b32 m0, 12\nv_movreld_b32 v4, v0\ns_endpgm\n",
     "s_mov_b32 m0, 11\nv_movreld_b32 v4, v0\ns_endpgm\n"},
    {"SelectorBeyondVgprs", "REG-RANGE", "gfx1201", 32,
     "v_permlane16_var_b32 v2, v1, v200\ns_endpgm\n",
     "v_permlane16_var_b32 v2, v1, v0\ns_endpgm\n"},
    {"IndexBelowSgprs", "REG-RANGE", "gfx1030", 32,
     "s_mov_b32 m0, -5\ns_movrels_b32 s12, s4\ns_endpgm\n",
     "s_mov_b32 m0, 1\ns_movrels_b32 s12, s4\ns_endpgm\n"},
    {"IndexBelowSgprsWritten", "REG-RANGE", "gfx1030", 64,
     "s_mov_b32 m0, -6\ns_movreld_b64 s[4:5], s[8:9]\ns_endpgm\n",
     "s_mov_b32 m0, 0\ns_movreld_b64 s[4:5], s[8:9]\ns_endpgm\n"},
    {"IndexBeyondVgprs9", "REG-RANGE", "gfx900", 64,
     "s_mov_b32 s20, 12\ns_set_gpr_idx_on s20, gpr_idx(DST)\nv_mov_b32 v4, v0\n"
     "s_set_gpr_idx_off\ns_endpgm\n",
     "s_mov_b32 s20, 11\ns_set_gpr_idx_on s20, gpr_idx(DST)\nv_mov_b32 v4, v0\n"
     "s_set_gpr_idx_off\ns_endpgm\n"},
    {"BeyondLds", "LDS-RANGE", "gfx1201", 32, "v_mov_b32 v2, 16\nds_store_b32 v2, v0\ns_endpgm\n",
     "v_mov_b32 v2, 12\nds_store_b32 v2, v2\ns_endpgm\n", 16},
    {"BeyondScratch", "SCRATCH-RANGE", "gfx1100", 32,
     "scratch_store_b32 off, v0, off offset:4\ns_endpgm\n", "v_mov_b32 v2, 0\ns_endpgm\n"},
    {"NoBuffer", "MEM-FAULT", "gfx1030", 32,
     "s_mov_b64 s[20:21], 0\ns_load_dword s22, s[20:21], 0x0\ns_endpgm\n",
     "s_load_dword s22, s[14:15], 0x0\ns_endpgm\n"},
    {"BesideBuffer", "MEM-FAULT", "gfx1100", 32,
     "s_mov_b32 s6, -1\nv_mov_b32 v2, 0x1000\nbuffer_load_b32 v3, v2, s[4:7], 0 offen\n"
     "s_endpgm\n",
     "v_mov_b32 v2, 0x1000\nbuffer_load_b32 v3, v2, s[4:7], 0 offen\ns_endpgm\n"},
    {"NoDescriptor", "BAD-DESCRIPTOR", "gfx1201", 32,
     "s_mov_b32 s7, -1\nbuffer_load_b32 v3, v1, s[4:7], null offen\ns_endpgm\n",
     "buffer_load_b32 v3, v1, s[4:7], null offen\ns_endpgm\n"},
    {"DivergentBarrier", "BARRIER", "gfx1100", 32,
     "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lnext\ns_barrier\n"
     ".Lnext:\ns_endpgm\n",
     "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lnext\ns_nop 0\n"
     ".Lnext:\ns_barrier\ns_endpgm\n",
     0, 2},
    {"WaitWithoutSignal", "BARRIER", "gfx1201", 32, "s_barrier_wait -1\ns_endpgm\n",
     "s_barrier_signal -1\ns_barrier_wait -1\ns_endpgm\n"},
    {"OffTheEnd", "PAST-END", "gfx900", 64, "s_nop 0\n", "s_nop 0\ns_endpgm\n"},
    {"WildBranch", "BAD-BRANCH", "gfx1030", 32, "s_branch 0x4000\ns_endpgm\n",
     "s_branch .Lnext\n.Lnext:\ns_endpgm\n"},
    {"NoInstruction", "ILLEGAL", "gfx1100", 32, ".long 0xfffffff0\ns_endpgm\n",
     "s_nop 0\ns_endpgm\n"},
    {"HaltsForEver", "HALT", "gfx1100", 32, "s_sethalt 1\ns_endpgm\n", "s_sethalt 0\ns_endpgm\n"},
    {"TooManyExports", "EXPORT", "gfx1100", 32,
     ".rept 1025\nexp mrt0 v0, off, off, off\n.endr\ns_endpgm\n",
     ".rept 1024\nexp mrt0 v0, off, off, off\n.endr\ns_endpgm\n"},
    {"NoMessage", "MESSAGE", "gfx1100", 32, "s_mov_b32 m0, 0\ns_sendmsg 0x7f\ns_endpgm\n",
     "s_mov_b32 m0, 0\ns_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm\n"},
    {"NoHardwareRegister", "HWREG", "gfx1100", 32, "s_getreg_b32 s12, hwreg(62)\ns_endpgm\n",
     "s_getreg_b32 s12, hwreg(HW_REG_MODE)\ns_endpgm\n"},
    {"GivesUp", "S-TRAP", "gfx1201", 32, "s_trap 2\ns_endpgm\n", "s_nop 0\ns_endpgm\n"},
};

std::vector<PlantedFault> allFaults() {
  std::vector<PlantedFault> faults;
  for (ArrayRef<PlantedFault> part :
       {ArrayRef(WaitStateFaults), ArrayRef(Gfx10Faults), ArrayRef(NewFaults),
        ArrayRef(UndefinedFaults), ArrayRef(OtherFaults)})
    faults.insert(faults.end(), part.begin(), part.end());
  return faults;
}

class PlantedFaults : public testing::TestWithParam<PlantedFault> {};

Outcome runPlanted(const PlantedFault &fault, const char *body) {
  KernelOptions options;
  options.target = fault.target;
  options.waveSize = fault.waveSize;
  options.threads = fault.waveSize * fault.waves;
  options.lds = fault.lds;
  options.isOnTwoUnits = fault.isOnTwoUnits;
  Case input = makeCase({makeBuffer(iota(512, 0)), makeBuffer(iota(64, 0))}, 1);
  return runOrFail(options, prologue(fault.target) + body, input);
}

std::string describe(const Outcome &outcome) {
  std::string text = outcome.reason;
  for (const Finding &finding : outcome.findings)
    text += "\n" + finding.rule + ": " + finding.message;
  return text;
}

} // namespace

TEST_P(PlantedFaults, AreCaught) {
  const PlantedFault &fault = GetParam();
  Outcome outcome = runPlanted(fault, fault.faulty);
  EXPECT_TRUE(any_of(outcome.findings, [&](const Finding &finding) {
    return finding.rule == fault.rule;
  })) << describe(outcome);
  EXPECT_EQ(outcome.findings.size(), 1u) << "the planted one, and no other:" << describe(outcome);
}

TEST_P(PlantedFaults, TwinsAreClean) {
  const PlantedFault &fault = GetParam();
  Outcome outcome = runPlanted(fault, fault.clean);
  EXPECT_EQ(outcome.kind, OutcomeKind::Completed) << describe(outcome);
  EXPECT_TRUE(outcome.findings.empty()) << describe(outcome);
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedFaults, testing::ValuesIn(allFaults()),
                         [](const testing::TestParamInfo<PlantedFault> &info) {
                           return std::string(info.param.name);
                         });

/// Every rule of the machine has a planted fault - but those whose kernels the assembler refuses or
/// that need an image, which HazardTest.cpp has; those of several runs (ScheduleTest.cpp), of more
/// memory than a kernel here uses (RaceTest.cpp), and of graphics (graphics/ExportRulesTest.cpp).
TEST(PlantedFaultList, HasEveryRule) {
  static const std::set<StringRef> elsewhere = {
      "HAZ-NSA-VMEM",  "HAZ-WRITELANE-NSA", "HAZ-NSA-CLAUSE", "HAZ-FLAT-OFFSET",
      "SCHEDULE-DIFF", "RACE-LIMIT",        "EXPORT-DONE",    "EXPORT-RANGE",
      "EXPORT-LANES",  "EXPORT-PRIMITIVE",  "HELPER-STORE",   "PARAM-EARLY"};
  std::set<StringRef> planted;
  for (const PlantedFault &fault : allFaults())
    planted.insert(fault.rule);
  for (const SanitizerRuleText &rule : sanitizerRules())
    EXPECT_NE(planted.count(rule.id), elsewhere.count(rule.id)) << rule.id;
  for (StringRef rule : planted)
    EXPECT_TRUE(isSanitizerRule(rule)) << rule.str() << " is not listed";
  EXPECT_GE(allFaults().size(), 40u);
}
