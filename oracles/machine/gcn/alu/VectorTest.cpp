// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector instructions with all that surrounds the arithmetic: modifiers, lane crossing, LDS,
// scratch and the widths of memory. Each test says what every lane must get.
#include "oracles/machine/gcn/KernelTesting.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// What lane \p lane must have in v4, for a[lane] in v2 and b[lane] in v3.
using Expected4 = function_ref<uint32_t(unsigned lane, uint32_t a, uint32_t b)>;

static uint32_t valueA(unsigned i) {
  return 0x01020304u * (i + 1) + 0x80u;
}
static uint32_t valueB(unsigned i) {
  return 1000u + 3 * i;
}

/// Runs \p snippet with lane numbers in v0, a in v2, b in v3, and 0xdddddddd in v4, which is
/// stored.
static void checkLanes(const TestChip &chip, StringRef snippet, Expected4 expected,
                       KernelOptions options = {}) {
  options.target = chip.target;
  options.waveSize = chip.waveSize;
  AsmText none = offset(chip.target);
  AsmText load = loadWord(chip.target);
  AsmText body = prologue(chip.target) + load + " v2, v1, s[4:7], " + none + " offen\n" + load +
                 " v3, v1, s[8:11], " + none + " offen\n" + waitLoads(chip.target) +
                 "v_mov_b32 v4, 0xdddddddd\n" + snippet.str() + "\n" + storeWord(chip.target) +
                 " v4, v1, s[8:11], " + none + " offen\ns_endpgm\n";
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  for (unsigned i = 0; i < 64; ++i) {
    a.push_back(valueA(i));
    b.push_back(valueB(i));
  }
  Outcome outcome = runOrFail(options, body, makeCase({makeBuffer(a), makeBuffer(b)}, 1));
  ASSERT_EQ(outcome.kind, OutcomeKind::Completed) << chip.target << " " << outcome.reason << "\n"
                                                  << snippet.str();
  std::vector<uint32_t> result = words(outcome, 1);
  ASSERT_EQ(result.size(), 64u);
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(result[i], expected(i, a[i], b[i]))
        << chip.target << " wave" << chip.waveSize << " lane " << i << "\n"
        << snippet.str();
}

static constexpr TestChip Wave64[] = {
    {"gfx900", 64}, {"gfx1030", 64}, {"gfx1100", 64}, {"gfx1201", 64}};
static constexpr TestChip New[] = {
    {"gfx1030", 32}, {"gfx1100", 32}, {"gfx1201", 32}, {"gfx1100", 64}};

TEST(Dpp, QuadPermutationReadsTheNamedLane) {
  for (const TestChip &chip : TestChips)
    checkLanes(chip, "v_mov_b32_dpp v4, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 1); });
}

TEST(Dpp, RowShiftKeepsOrZeroesLanesWithoutSource) {
  for (const TestChip &chip : TestChips) {
    checkLanes(chip, "v_mov_b32_dpp v4, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t) {
                 return lane % 16 ? valueA(lane - 1) : 0xddddddddu;
               });
    checkLanes(
        chip, "v_mov_b32_dpp v4, v2 row_shl:2 row_mask:0xf bank_mask:0xf bound_ctrl:1",
        [](unsigned lane, uint32_t, uint32_t) { return lane % 16 < 14 ? valueA(lane + 2) : 0u; });
  }
}

TEST(Dpp, RowMaskKeepsRows) {
  for (const TestChip &chip : Wave64)
    checkLanes(chip, "v_mov_b32_dpp v4, v2 row_ror:4 row_mask:0x5 bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t) {
                 unsigned from = (lane & ~15u) | ((lane - 4) & 15);
                 return (lane / 16) % 2 == 0 ? valueA(from) : 0xddddddddu;
               });
}

TEST(Dpp, RowBroadcastOfGfx9) {
  checkLanes(TestChips[0], "v_mov_b32_dpp v4, v2 row_bcast:15 row_mask:0xa bank_mask:0xf",
             [](unsigned lane, uint32_t, uint32_t) {
               return (lane / 16) % 2 ? valueA((lane & ~15u) - 1) : 0xddddddddu;
             });
}

TEST(Dpp, EightLaneSelectAndShare) {
  for (const TestChip &chip : New) {
    checkLanes(chip, "v_mov_b32_dpp v4, v2 dpp8:[7,6,5,4,3,2,1,0]",
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 7); });
    checkLanes(chip, "v_mov_b32_dpp v4, v2 row_share:3 row_mask:0xf bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t) { return valueA((lane & ~15u) | 3); });
    checkLanes(chip, "v_mov_b32_dpp v4, v2 row_xmask:5 row_mask:0xf bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 5); });
  }
}

TEST(Dpp, OperationWithTwoSourcesMovesOnlyTheFirst) {
  for (const TestChip &chip : New)
    checkLanes(chip, "v_xor_b32_dpp v4, v2, v3 row_mirror row_mask:0xf bank_mask:0xf",
               [](unsigned lane, uint32_t, uint32_t b) {
                 return valueA((lane & ~15u) | (15 - lane % 16)) ^ b;
               });
}

TEST(Sdwa, SelectsAndInserts) {
  for (const TestChip &chip : {TestChips[0], TestChips[1]}) {
    checkLanes(chip,
               "v_and_b32_sdwa v4, v2, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE "
               "src0_sel:WORD_0 src1_sel:WORD_0",
               [](unsigned, uint32_t a, uint32_t) { return (a << 16) | 0xdddd; });
    checkLanes(chip,
               "v_or_b32_sdwa v4, sext(v2), v2 dst_sel:DWORD dst_unused:UNUSED_PAD "
               "src0_sel:BYTE_0 src1_sel:BYTE_0",
               [](unsigned, uint32_t a, uint32_t) { return uint32_t(int8_t(a)) | (a & 0xff); });
    checkLanes(chip,
               "v_or_b32_sdwa v4, v2, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD "
               "src0_sel:BYTE_3 src1_sel:BYTE_3",
               [](unsigned, uint32_t a, uint32_t) { return (a >> 24) << 8; });
  }
}

TEST(Modifiers, SignsScaleAndClamp) {
  for (const TestChip &chip : New) {
    checkLanes(chip, "v_cvt_f32_u32 v5, v3\nv_fma_f32 v4, -v5, 1.0, |v5| mul:2",
               [](unsigned, uint32_t, uint32_t) { return 0u; });
    checkLanes(chip, "v_cvt_f32_u32 v5, v3\nv_mul_f32 v4, v5, 1.0 clamp",
               [](unsigned, uint32_t, uint32_t) { return bits(1.0f); });
    checkLanes(chip, "v_cvt_f32_u32 v5, v3\nv_mul_f32 v4, -|v5|, 1.0 mul:4",
               [](unsigned, uint32_t, uint32_t b) { return bits(-4.0f * float(b)); });
  }
}

TEST(Modifiers, IntegerClampSaturates) {
  for (const TestChip &chip : New)
    checkLanes(chip, "v_mov_b32 v5, -5\nv_add_nc_u32 v4, v5, v3 clamp",
               [](unsigned, uint32_t, uint32_t) { return 0xffffffffu; });
  checkLanes(TestChips[0], "v_mov_b32 v5, -5\nv_add_u32 v4, v5, v3 clamp",
             [](unsigned, uint32_t, uint32_t) { return 0xffffffffu; });
}

TEST(Modifiers, PackedHalvesAreChosenByOpSel) {
  for (const TestChip &chip : TestChips) {
    checkLanes(chip, "v_pk_add_u16 v4, v2, v3 op_sel:[1,0] op_sel_hi:[0,0]",
               [](unsigned, uint32_t a, uint32_t b) {
                 return ((a >> 16) + b & 0xffff) | ((a + b) & 0xffff) << 16;
               });
    checkLanes(chip, "v_pk_add_u16 v4, 3, v3 op_sel_hi:[0,1]", [](unsigned, uint32_t, uint32_t b) {
      return ((b + 3) & 0xffff) | ((b >> 16) + 3) << 16;
    });
  }
}

TEST(Modifiers, HalfRegisters) {
  for (const TestChip &chip : {TestChip{"gfx1100", 32}, TestChip{"gfx1100", 64}})
    checkLanes(chip, "v_add_f16 v4.h, v2.h, 0\nv_mov_b16 v4.l, v3.l",
               [](unsigned lane, uint32_t a, uint32_t b) {
                 (void)lane;
                 return (a & 0xffff0000) | (b & 0xffff);
               });
}

TEST(Vopd, BothHalvesReadBeforeEitherWrites) {
  for (const TestChip &chip : {TestChip{"gfx1100", 32}, TestChip{"gfx1201", 32}})
    checkLanes(chip,
               "v_mov_b32 v4, v2\nv_mov_b32 v5, v3\n"
               "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4\n"
               "v_sub_nc_u32 v4, v4, v5",
               [](unsigned, uint32_t a, uint32_t b) { return b - a; });
}

TEST(CrossLane, ReadAndWriteLane) {
  for (const TestChip &chip : TestChips)
    checkLanes(chip, "v_readlane_b32 s20, v2, 5\nv_mov_b32 v4, s20\nv_writelane_b32 v4, 7, 9",
               [&](unsigned lane, uint32_t, uint32_t) {
                 unsigned inWave = lane % chip.waveSize;
                 return inWave == 9 ? 7 : valueA(lane - inWave + 5);
               });
}

TEST(CrossLane, ReadFirstLaneTakesTheFirstActive) {
  for (const TestChip &chip : Wave64)
    checkLanes(chip,
               "s_mov_b64 exec, 0xfff0\nv_readfirstlane_b32 s20, v2\ns_mov_b64 exec, -1\n"
               "v_mov_b32 v4, s20",
               [](unsigned, uint32_t, uint32_t) { return valueA(4); });
}

TEST(CrossLane, PermLanes) {
  for (const TestChip &chip : New) {
    checkLanes(chip,
               "s_mov_b32 s20, 0x01234567\ns_mov_b32 s21, 0x89abcdef\n"
               "v_permlane16_b32 v4, v2, s20, s21",
               [](unsigned lane, uint32_t, uint32_t) {
                 uint64_t select = 0x89abcdef01234567ull;
                 return valueA((lane & ~15u) | ((select >> (4 * (lane % 16))) & 15));
               });
    checkLanes(chip, "s_mov_b32 s20, 0\ns_mov_b32 s21, 0\nv_permlanex16_b32 v4, v2, s20, s21",
               [](unsigned lane, uint32_t, uint32_t) { return valueA((lane & ~15u) ^ 16); });
  }
  checkLanes({"gfx1100", 64}, "v_permlane64_b32 v4, v2",
             [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 32); });
}

TEST(CrossLane, CountsBelow) {
  for (const TestChip &chip : TestChips)
    checkLanes(chip,
               chip.waveSize == 64 ? "v_mbcnt_lo_u32_b32 v4, -1, 0\nv_mbcnt_hi_u32_b32 v4, -1, v4"
                                   : "v_mbcnt_lo_u32_b32 v4, -1, 0",
               [&](unsigned lane, uint32_t, uint32_t) { return lane % chip.waveSize; });
}

TEST(CrossLane, LdsPermutations) {
  for (const TestChip &chip : TestChips) {
    AsmText wait = waitLds(chip.target);
    checkLanes(chip,
               "v_xor_b32 v5, 3, v0\nv_lshlrev_b32 v5, 2, v5\nds_bpermute_b32 v4, v5, v2\n" + wait,
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 3); });
    checkLanes(chip,
               "v_xor_b32 v5, 6, v0\nv_lshlrev_b32 v5, 2, v5\nds_permute_b32 v4, v5, v2\n" + wait,
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 6); });
    checkLanes(chip, "ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,4)\n" + wait,
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 4); });
    checkLanes(chip, "ds_swizzle_b32 v4, v2 offset:swizzle(QUAD_PERM,3,2,1,0)\n" + wait,
               [](unsigned lane, uint32_t, uint32_t) { return valueA(lane ^ 3); });
    checkLanes(chip, "ds_swizzle_b32 v4, v2 offset:swizzle(BROADCAST,8,2)\n" + wait,
               [](unsigned lane, uint32_t, uint32_t) { return valueA((lane & ~7u) | 2); });
  }
}

TEST(CrossLane, RegistersByIndex) {
  checkLanes(TestChips[0],
             "s_mov_b32 s20, 1\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32 v4, v2\n"
             "s_set_gpr_idx_off",
             [](unsigned, uint32_t, uint32_t b) { return b; });
  for (const TestChip &chip : New)
    checkLanes(chip, "s_mov_b32 m0, 1\nv_movrels_b32 v4, v2\ns_mov_b32 m0, 2\nv_movreld_b32 v2, v4",
               [](unsigned, uint32_t, uint32_t b) { return b; });
}

TEST(Lds, WidthsAndPairs) {
  KernelOptions options;
  options.lds = 2048;
  for (const TestChip &chip : TestChips) {
    bool old = isOld(chip.target);
    AsmText wait = waitLds(chip.target);
    AsmText write2 = old ? "ds_write2_b32" : "ds_store_2addr_b32";
    AsmText read64 = old ? "ds_read_b64" : "ds_load_b64";
    AsmText read2 = old ? "ds_read2st64_b32" : "ds_load_2addr_stride64_b32";
    AsmText readByte = old ? "ds_read_i8" : "ds_load_i8";
    AsmText writeWord = old ? "ds_write_b32" : "ds_store_b32";
    AsmText readWord = old ? "ds_read_b32" : "ds_load_b32";
    checkLanes(
        chip,
        "v_lshlrev_b32 v5, 3, v0\n" + write2 + " v5, v2, v3 offset0:0 offset1:1\n" + wait + read64 +
            " v[6:7], v5\n" + wait + "v_sub_co_u32 v4, vcc" + (chip.waveSize == 32 ? "_lo" : "") +
            ", v7, v6",
        [](unsigned, uint32_t a, uint32_t b) { return b - a; }, options);
    checkLanes(
        chip,
        "v_lshlrev_b32 v5, 2, v0\n" + writeWord + " v5, v2 offset:256\n" + writeWord +
            " v5, v3 offset:768\n" + wait + read2 + " v[6:7], v5 offset0:1 offset1:3\n" + wait +
            "v_xor_b32 v4, v6, v7",
        [](unsigned, uint32_t a, uint32_t b) { return a ^ b; }, options);
    checkLanes(
        chip,
        "v_lshlrev_b32 v5, 2, v0\n" + writeWord + " v5, v2\n" + wait + readByte + " v4, v5\n" +
            wait,
        [](unsigned, uint32_t a, uint32_t) { return uint32_t(int8_t(a)); }, options);
    // An address below zero is brought back by its offset: the sum wraps at 32 bits.
    checkLanes(
        chip,
        "v_lshlrev_b32 v5, 2, v0\nv_or_b32 v5, 0xffffff00, v5\n" + writeWord +
            " v5, v2 offset:256\n" + wait + "v_lshlrev_b32 v5, 2, v0\n" + readWord + " v4, v5\n" +
            wait,
        [](unsigned, uint32_t a, uint32_t) { return a; }, options);
  }
}

TEST(Lds, AtomicsReturnAndSwap) {
  KernelOptions options;
  options.lds = 256;
  for (const TestChip &chip : TestChips) {
    bool old = isOld(chip.target);
    AsmText wait = waitLds(chip.target);
    AsmText store = old ? "ds_write_b32 v5, v2\n" : "ds_store_b32 v5, v2\n";
    AsmText address = "v_lshlrev_b32 v5, 2, v0\n";
    checkLanes(
        chip,
        address + store + wait + "ds_max_rtn_u32 v6, v5, v3\n" + wait +
            AsmText(old ? "ds_read_b32" : "ds_load_b32") + " v7, v5\n" + wait +
            "v_xor_b32 v4, v6, v7",
        [](unsigned, uint32_t a, uint32_t b) { return a ^ std::max(a, b); }, options);
    // Old spelling: compare value first; new spelling: new value first.
    AsmText swap =
        old ? "ds_cmpst_rtn_b32 v6, v5, v2, v3\n" : "ds_cmpstore_rtn_b32 v6, v5, v3, v2\n";
    checkLanes(
        chip,
        address + store + wait + swap + wait + AsmText(old ? "ds_read_b32" : "ds_load_b32") +
            " v4, v5\n" + wait,
        [](unsigned, uint32_t, uint32_t b) { return b; }, options);
  }
}

TEST(BufferMemory, NarrowAndHalfAccesses) {
  for (const TestChip &chip : TestChips) {
    bool old = isOld(chip.target);
    AsmText none = offset(chip.target);
    AsmText wait = waitLoads(chip.target);
    checkLanes(chip,
               AsmText(old ? "buffer_load_sbyte" : "buffer_load_i8") +
                   (" v4, v1, s[4:7], " + none) + " offen\n" + wait,
               [](unsigned, uint32_t a, uint32_t) { return uint32_t(int8_t(a)); });
    checkLanes(chip,
               AsmText(old ? "buffer_load_short_d16_hi" : "buffer_load_d16_hi_b16") +
                   (" v4, v1, s[4:7], " + none) + " offen offset:2\n" + wait,
               [](unsigned, uint32_t a, uint32_t) { return (a & 0xffff0000) | 0xdddd; });
    checkLanes(chip,
               AsmText(old ? "buffer_load_ubyte_d16" : "buffer_load_d16_u8") +
                   (" v4, v1, s[4:7], " + none) + " offen offset:3\n" + wait,
               [](unsigned, uint32_t a, uint32_t) { return (a >> 24) | 0xdddd0000; });
  }
}

TEST(BufferMemory, IndexedAddress) {
  for (const TestChip &chip : TestChips) {
    AsmText wait = waitLoads(chip.target);
    // A raw buffer has stride 0: the index adds nothing.
    checkLanes(chip,
               "v_mov_b32 v6, 0\nv_mov_b32 v7, v1\n" + loadWord(chip.target) +
                   " v4, v[6:7], s[4:7], " + offset(chip.target) + " idxen offen\n" + wait,
               [](unsigned, uint32_t a, uint32_t) { return a; });
  }
}

TEST(FlatMemory, GlobalAddressFromTheDescriptor) {
  for (const TestChip &chip : TestChips) {
    bool old = isOld(chip.target);
    AsmText load = old ? "global_load_dword" : "global_load_b32";
    // The low 48 bits of the descriptor are the address.
    checkLanes(chip,
               "s_and_b32 s5, s5, 0xffff\n" + load + " v4, v1, s[4:5]\n" + waitLoads(chip.target),
               [](unsigned, uint32_t a, uint32_t) { return a; });
  }
}

TEST(ScalarFlow, CallsReturn) {
  for (const TestChip &chip : TestChips)
    checkLanes(chip, R"(
  s_getpc_b64 s[20:21]
.Lhere:
  s_add_u32 s20, s20, .Lfunction-.Lhere
  s_addc_u32 s21, s21, 0
  s_swappc_b64 s[22:23], s[20:21]
  s_branch .Lafter
.Lfunction:
  v_mov_b32 v4, v3
  s_setpc_b64 s[22:23]
.Lafter:
)",
               [](unsigned, uint32_t, uint32_t b) { return b; });
}

TEST(ScalarFlow, RoundingModeComesFromSetreg) {
  // 1 + 2^-32 is inexact; mode 1 rounds it up.
  for (const TestChip &chip : TestChips)
    checkLanes(chip,
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n"
               "v_mov_b32 v5, 0x2f800000\n"
               "v_add_f32 v4, 1.0, v5\n"
               "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
               [](unsigned, uint32_t, uint32_t) { return 0x3f800001u; });
}

TEST(TypedBuffers, ConvertByTheFormatOfTheInstruction) {
  for (const TestChip &chip : TestChips) {
    bool isOld = StringRef(chip.target) == "gfx900";
    AsmText uint =
        isOld ? "format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT]" : "format:[BUF_FMT_8_UINT]";
    AsmText load = "tbuffer_load_format_x v4, v1, s[4:7], " + offset(chip.target) + " " +
                   uint.str().c_str() + " offen\n" + waitLoads(chip.target);
    checkLanes(chip, load, [](unsigned, uint32_t a, uint32_t) { return a & 0xff; });
    AsmText sint =
        isOld ? "format:[BUF_DATA_FORMAT_16,BUF_NUM_FORMAT_SINT]" : "format:[BUF_FMT_16_SINT]";
    load = "tbuffer_load_format_x v4, v1, s[4:7], " + offset(chip.target) + " " +
           sint.str().c_str() + " offen\n" + waitLoads(chip.target);
    checkLanes(chip, load,
               [](unsigned, uint32_t a, uint32_t) { return uint32_t(int32_t(int16_t(a))); });
  }
}
