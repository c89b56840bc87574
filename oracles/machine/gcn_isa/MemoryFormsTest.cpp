// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, image and export instructions, written out: words, as LLVM's assembler makes them, and
// text. Each row is decoded, printed and encoded again. The differential test covers the rest of
// the tables.
#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "support/Error.h"
#include "gtest/gtest.h"
#include <random>

using namespace assay;
using namespace assay::gcn;

namespace {

struct FormRow {
  Chip chip;
  std::vector<uint32_t> words;
  const char *text;
};

} // namespace

static const std::vector<FormRow> &formRows() {
  // clang-format off
  static const std::vector<FormRow> rows = {
    {Chip::Gfx900, {0xc00b0101, 0x00000040},
     "s_load_dwordx4 s[4:7], s[2:3], 0x40 glc"},
    {Chip::Gfx900, {0xc0000141, 0x00000065},
     "s_load_dword s5, s[2:3], s101"},
    {Chip::Gfx900, {0xc0064181, 0x08000010},
     "s_load_dwordx2 s[6:7], s[2:3], s4 offset:0x10"},
    {Chip::Gfx900, {0xc1070202, 0x00000020},
     "s_buffer_atomic_cmpswap s[8:9], s[4:7], 0x20 glc"},
    {Chip::Gfx900, {0xc0901a80, 0x00000000},
     "s_memtime vcc"},
    {Chip::Gfx900, {0xc0840000, 0x00000000},
     "s_dcache_wb"},
    {Chip::Gfx900, {0xc09a01c1, 0x00000008},
     "s_atc_probe 7, s[2:3], 0x8"},
    {Chip::Gfx900, {0xd8f0ff01, 0x00000004},
     "ds_read2st64_b64 v[0:3], v4 offset0:1 offset1:255"},
    {Chip::Gfx900, {0xd9bdffff, 0x00000201},
     "ds_write_b96 v1, v[2:4] offset:65535 gds"},
    {Chip::Gfx900, {0xd87a801b, 0x01000002},
     "ds_swizzle_b32 v1, v2 offset:swizzle(QUAD_PERM,3,2,1,0)"},
    {Chip::Gfx900, {0xd93b0004, 0x00000003},
     "ds_gws_barrier v3 offset:4 gds"},
    {Chip::Gfx900, {0xd96c0008, 0x07000000},
     "ds_read_addtid_b32 v7 offset:8"},
    {Chip::Gfx900, {0xdd870fff, 0x02000604},
     "flat_atomic_cmpswap_x2 v[2:3], v[4:5], v[6:9] offset:4095 glc slc"},
    {Chip::Gfx900, {0xdc589000, 0x01060004},
     "global_load_dwordx3 v[1:3], v4, s[6:7] offset:-4096"},
    {Chip::Gfx900, {0xdc50a000, 0x007f0002},
     "global_load_dword v[2:3], off lds"},
    {Chip::Gfx900, {0xdc68400c, 0x007f0201},
     "scratch_store_short v1, v2, off offset:12"},
    {Chip::Gfx900, {0xdc504000, 0x01030000},
     "scratch_load_dword v1, off, s3"},
    {Chip::Gfx900, {0xe05e7fff, 0xf0020402},
     "buffer_load_dwordx4 v[4:7], v[2:3], s[8:11], 0.5 idxen offen offset:4095 glc slc"},
    {Chip::Gfx900, {0xe0410004, 0x03020000},
     "buffer_load_ubyte off, s[8:11], s3 offset:4 lds"},
    {Chip::Gfx900, {0xe0282000, 0x7c820105},
     "buffer_load_format_d16_xyz v[1:3], v5, s[8:11], m0 idxen tfe"},
    {Chip::Gfx900, {0xe0f50008, 0x01010000},
     "buffer_store_lds_dword s[4:7], s1 offset:8 lds"},
    {Chip::Gfx900, {0xe0f80000, 0x00000000},
     "buffer_wbinvl1"},
    {Chip::Gfx900, {0xebe90004, 0x01010100},
     "tbuffer_load_format_xyz v[1:3], off, s[4:7], s1 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offset:4"},
    {Chip::Gfx900, {0xf203ff00, 0x00020005},
     "image_load v[0:4], v5, s[8:15] dmask:0xf unorm glc slc a16 tfe lwe da"},
    {Chip::Gfx900, {0xf0a80800, 0x80220102},
     "image_sample_c_d v1, v[2:4], s[8:15], s[4:7] dmask:0x8 d16"},
    {Chip::Gfx900, {0xc4000233, 0x00000201},
     "exp param3 v1, v2, off, off"},
    {Chip::Gfx900, {0xc4001c0f, 0x00000201},
     "exp mrt0 v1, v1, v2, v2 done compr vm"},
    {Chip::Gfx1010, {0xf4114401, 0xd207ffff},
     "s_load_dwordx16 s[16:31], s[2:3], s105 offset:0x7ffff glc dlc"},
    {Chip::Gfx1010, {0xf4a800c0, 0x00000000},
     "s_get_waveid_in_workgroup s3"},
    {Chip::Gfx1010, {0xf4480101, 0xfa000008},
     "s_store_dwordx4 s[4:7], s[2:3], 0x8"},
    {Chip::Gfx1010, {0xdc305800, 0x01030000},
     "scratch_load_dword v1, off, s3 offset:-2048 dlc"},
    {Chip::Gfx1010, {0xe1785000, 0xd0020004},
     "buffer_atomic_fcmpswap_x2 v[0:3], v4, s[8:11], -16 offen glc"},
    {Chip::Gfx1010, {0xe9bda000, 0x80210102},
     "tbuffer_store_format_d16_xy v1, v2, s[4:7], 0 format:[BUF_FMT_2_10_10_10_SINT] idxen dlc"},
    {Chip::Gfx1010, {0xf0880f08, 0x00220004},
     "image_sample_d v[0:3], v[4:9], s[8:15], s[4:7] dmask:0xf dim:SQ_RSRC_IMG_2D"},
    {Chip::Gfx1030, {0xdc304004, 0x017f0000},
     "scratch_load_dword v1, off, off offset:4"},
    {Chip::Gfx1030, {0xdc5c8010, 0x007d0500},
     "global_store_dword_addtid v5, off offset:16"},
    {Chip::Gfx1030, {0xdcd18000, 0x01040302},
     "global_atomic_csub v1, v2, v3, s[4:5] glc"},
    {Chip::Gfx1030, {0xf0ec0317, 0x00220004, 0x0b090805, 0x0f0d140c, 0x00000010},
     "image_sample_c_d_cl_o_g16 v[0:1], [v4, v5, v8, v9, v11, v12, v20, v13, v15, v16], s[8:15], s[4:7] dmask:0x3 dim:SQ_RSRC_IMG_3D"},
    {Chip::Gfx1030, {0xf006830a, 0x80020004, 0x00000209},
     "image_load_mip v0, [v4, v9, v2], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_2D r128 lwe d16"},
    {Chip::Gfx1030, {0xf19c9f01, 0x40010004},
     "image_bvh64_intersect_ray v[0:3], v[4:12], s[4:7] a16"},
    {Chip::Gfx1030, {0xf1800308, 0x00220002},
     "image_get_lod v[0:1], v[2:3], s[8:15], s[4:7] dmask:0x3 dim:SQ_RSRC_IMG_2D"},
    {Chip::Gfx1030, {0xf180010a, 0x00390d00, 0x00000002},
     "image_get_lod v13, [v0, v2], s[100:107], s[4:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"},
    {Chip::Gfx1030, {0xf800090f, 0x03020100},
     "exp pos4 v0, v1, v2, v3 done"},
    {Chip::Gfx1100, {0xf4106401, 0xfa07fffc},
     "s_load_b512 s[16:31], s[2:3], m0 offset:0x7fffc glc dlc"},
    {Chip::Gfx1100, {0xf4200142, 0xf8000000},
     "s_buffer_load_b32 s5, s[4:7], null"},
    {Chip::Gfx1100, {0xd93c0302, 0x00040201},
     "ds_store_2addr_stride64_b64 v1, v[2:3], v[4:5] offset0:2 offset1:3"},
    {Chip::Gfx1100, {0xdab40006, 0x01040302},
     "ds_bvh_stack_rtn_b32 v1, v2, v3, v[4:7] offset:6"},
    {Chip::Gfx1100, {0xdc5df000, 0x00850004},
     "scratch_load_b128 v[0:3], v4, s5 offset:-4096 glc slc dlc"},
    {Chip::Gfx1100, {0xdc690004, 0x007c0100},
     "scratch_store_b32 off, v1, off offset:4"},
    {Chip::Gfx1100, {0xdc8e0000, 0x01040002},
     "global_load_d16_hi_b16 v1, v2, s[4:5]"},
    {Chip::Gfx1100, {0xe0ac0000, 0x00000000},
     "buffer_gl0_inv"},
    {Chip::Gfx1100, {0xe02c3010, 0x7ce10004},
     "buffer_load_d16_format_xyzw v[0:2], v[4:5], s[4:7], null idxen offen offset:16 slc dlc tfe"},
    {Chip::Gfx1100, {0xe9f9ffff, 0x035c0004},
     "tbuffer_load_format_xyzw v[0:3], v4, ttmp[4:7], s3 format:[BUF_FMT_32_32_32_32_FLOAT] offen offset:4095 glc slc dlc"},
    {Chip::Gfx1100, {0xf0700f09, 0x04020004, 0x0b090805},
     "image_sample_d v[0:3], [v4, v5, v8, v9, v[11:15]], s[8:15], s[4:7] dmask:0xf dim:SQ_RSRC_IMG_3D"},
    {Chip::Gfx1100, {0xf0de020c, 0x04020004},
     "image_gather4_c_lz_o v[0:1], v[4:8], s[8:15], s[4:7] dmask:0x2 dim:SQ_RSRC_IMG_CUBE d16"},
    {Chip::Gfx1100, {0xf0688f81, 0x00010004, 0x0d0a0706},
     "image_bvh64_intersect_ray v[0:3], [v[4:5], v6, v[7:9], v[10:12], v[13:15]], s[4:7]"},
    {Chip::Gfx1100, {0xf0600118, 0x00020004},
     "image_msaa_load v[0:3], v[4:6], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D_MSAA"},
    {Chip::Gfx1100, {0xf02c4300, 0x00020004},
     "image_atomic_cmpswap v[0:1], v4, s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_1D glc"},
    {Chip::Gfx1100, {0xf8002169, 0x04000001},
     "exp dual_src_blend1 v1, off, off, v4 row_en"},
    {Chip::Gfx1201, {0xf400a101, 0x0e800000},
     "s_load_b96 s[4:6], s[2:3], s7 offset:-0x800000"},
    {Chip::Gfx1201, {0xf5e36102, 0xf87fffff},
     "s_buffer_load_u16 s4, s[4:7], 0x7fffff th:TH_LOAD_BYPASS scope:SCOPE_SYS"},
    {Chip::Gfx1201, {0xf404c7c1, 0xfa000010},
     "s_prefetch_data s[2:3], 0x10, m0, 31"},
    {Chip::Gfx1201, {0xd8dc0100, 0x00000002},
     "ds_load_2addr_b32 v[0:1], v2 offset1:1"},
    {Chip::Gfx1201, {0xec05c07c, 0x00680000, 0x80000004},
     "flat_load_b128 v[0:3], v[4:5] offset:-8388608 th:TH_LOAD_NT_HT scope:SCOPE_DEV"},
    {Chip::Gfx1201, {0xee0d4004, 0x01b80001, 0x7fffff02},
     "global_atomic_add_u32 v1, v2, v3, s[4:5] offset:8388607 th:TH_ATOMIC_NT_RETURN scope:SCOPE_DEV"},
    {Chip::Gfx1201, {0xee104004, 0x02100000, 0x00000002},
     "global_atomic_swap_b64 v[0:1], v2, v[4:5], s[4:5] th:TH_ATOMIC_RETURN"},
    {Chip::Gfx1201, {0xee0ac07c, 0x000c0000, 0x00000000},
     "global_inv scope:SCOPE_SYS"},
    {Chip::Gfx1201, {0xed070005, 0x01500000, 0x00000400},
     "scratch_store_b96 off, v[2:4], s5 offset:4 th:TH_STORE_RT_NT"},
    {Chip::Gfx1201, {0xc4060003, 0x40f40801, 0x7fffff02},
     "buffer_store_b8 v1, v2, s[4:7], s3 offen offset:8388607 th:TH_STORE_NT_WB scope:SCOPE_SE"},
    {Chip::Gfx1201, {0xc423c07c, 0xdb800800, 0x00000002},
     "tbuffer_store_d16_format_xyzw v[0:1], v[2:3], s[4:7], null format:[BUF_FMT_16_16_16_16_UINT] idxen offen"},
    {Chip::Gfx1201, {0xd3c00002, 0x00201000, 0x00020904},
     "image_load v[0:3], [v4, v9, v2], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_3D th:TH_LOAD_HT"},
    {Chip::Gfx1201, {0xe7c72009, 0x02001100, 0x07060504},
     "image_sample_d v[0:4], [v4, v5, v6, v[7:9]], s[8:15], s[4:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm tfe lwe"},
    {Chip::Gfx1201, {0xd3e04010, 0x14000800, 0x110e0c0a},
     "image_bvh8_intersect_ray v[0:9], [v[10:11], v[12:13], v[14:16], v[17:19], v20], s[4:7]"},
    {Chip::Gfx1201, {0xd045c000, 0x00001000, 0x00000001},
     "image_get_resinfo v0, v1, s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_1D"},
    {Chip::Gfx1201, {0xf8000889, 0x03000000},
     "export mrtz v0, off, off, v3 done"},
  };
  // clang-format on
  return rows;
}

static std::vector<uint8_t> bytesOf(llvm::ArrayRef<uint32_t> words) {
  std::vector<uint8_t> bytes;
  for (uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  return bytes;
}

static Inst decodeWords(Chip chip, llvm::ArrayRef<uint32_t> words) {
  TableDecoder decoder(chip, contains(chips::Gfx9, chip) ? 64 : 32);
  return decoder.decode(bytesOf(words), 0);
}

TEST(MemoryForms, DecodeToTheirText) {
  for (const FormRow &row : formRows()) {
    Inst inst = decodeWords(row.chip, row.words);
    EXPECT_TRUE(inst.valid) << row.text;
    EXPECT_EQ(inst.text, row.text);
    EXPECT_EQ(inst.size, 4 * row.words.size()) << row.text;
  }
}

TEST(MemoryForms, EncodeToTheirWords) {
  for (const FormRow &row : formRows()) {
    Inst inst = decodeWords(row.chip, row.words);
    auto words = encodeInst(inst, row.chip, 32);
    if (!words) {
      ADD_FAILURE() << row.text << ": " << takeError(words.takeError()).message;
      continue;
    }
    EXPECT_EQ(*words, row.words) << row.text;
  }
}

TEST(MemoryForms, CutOffIsInvalid) {
  for (const FormRow &row : formRows()) {
    Inst inst = decodeWords(row.chip, llvm::ArrayRef(row.words).drop_back());
    EXPECT_FALSE(inst.valid && inst.text == row.text) << row.text;
    EXPECT_LE(inst.size, 4 * row.words.size() - 4) << row.text;
  }
}

/// Bytes of all lengths, most of them with the first bits of a memory format.
TEST(MemoryForms, AnyBytesDecodeWithinThem) {
  std::mt19937_64 random(3);
  for (unsigned chip = 0; chip < ChipCount; ++chip) {
    TableDecoder decoder(static_cast<Chip>(chip), 32);
    for (unsigned i = 0; i < 20'000; ++i) {
      std::vector<uint8_t> bytes(4 + random() % 20);
      for (uint8_t &byte : bytes)
        byte = static_cast<uint8_t>(random());
      if (i % 4)
        bytes[3] |= 0xc0;
      uint64_t offset = random() % (bytes.size() / 4) * 4;
      Inst inst = decoder.decode(bytes, offset);
      ASSERT_TRUE(inst.size >= 4 && inst.size % 4 == 0);
      ASSERT_TRUE(inst.size == 4 || offset + inst.size <= bytes.size());
    }
  }
}

TEST(MemoryForms, EncoderRefusesOperandsThatDoNotFit) {
  Inst inst = decodeWords(Chip::Gfx1100, {0xdc520000, 0x007c0000});
  ASSERT_EQ(inst.text, "global_load_b32 v0, v[0:1], off");
  Inst wide = inst;
  wide.operands[0].dwords = 2;
  EXPECT_TRUE(errorToBool(encodeInst(wide, Chip::Gfx1100, 32).takeError()));
  Inst far = inst;
  far.mods.offset = 4096;
  EXPECT_TRUE(errorToBool(encodeInst(far, Chip::Gfx1100, 32).takeError()));
  far.mods.offset = -4096;
  auto words = encodeInst(far, Chip::Gfx1100, 32);
  ASSERT_TRUE(bool(words));
  EXPECT_EQ((*words)[0], 0xdc521000u);
  Inst more = inst;
  more.operands.push_back(inst.operands[0]);
  EXPECT_TRUE(errorToBool(encodeInst(more, Chip::Gfx1100, 32).takeError()));
}

/// An address has two registers, or one next to a scalar base.
TEST(MemoryForms, EncoderRefusesAddressesOfAnotherWidth) {
  Inst alone = decodeWords(Chip::Gfx1100, {0xdc520000, 0x007c0000});
  ASSERT_EQ(alone.text, "global_load_b32 v0, v[0:1], off");
  alone.operands[1].dwords = 1;
  EXPECT_TRUE(errorToBool(encodeInst(alone, Chip::Gfx1100, 32).takeError()));
  Inst based = decodeWords(Chip::Gfx1100, {0xdc520000, 0x00020000});
  ASSERT_EQ(based.text, "global_load_b32 v0, v0, s[2:3]");
  based.operands[1].dwords = 2;
  EXPECT_TRUE(errorToBool(encodeInst(based, Chip::Gfx1100, 32).takeError()));
}

/// The second destination of a pair is a vector register, too.
TEST(MemoryForms, EncoderRefusesScalarDestinationsOfPairs) {
  Inst pair = decodeWords(Chip::Gfx1100, {0xca100101, 0x00000102});
  ASSERT_EQ(pair.text, "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v2");
  EXPECT_FALSE(errorToBool(encodeInst(pair, Chip::Gfx1100, 32).takeError()));
  ASSERT_EQ(pair.dual.size(), 1u);
  pair.dual[0].operands[0].type = OperandType::Sgpr;
  EXPECT_TRUE(errorToBool(encodeInst(pair, Chip::Gfx1100, 32).takeError()));
}

/// GFX12's prefetches have a number of five bits in a field of more.
TEST(MemoryForms, EncoderRefusesNumbersOfMoreBits) {
  Inst inst = decodeWords(Chip::Gfx1201, {0xf4048102, 0xf8000020});
  ASSERT_TRUE(inst.valid);
  ASSERT_EQ(inst.mnemonic, "s_prefetch_inst");
  EXPECT_FALSE(errorToBool(encodeInst(inst, Chip::Gfx1201, 32).takeError()));
  for (int64_t number : {int64_t(-1), int64_t(32)}) {
    inst.operands.back().value = number;
    EXPECT_TRUE(errorToBool(encodeInst(inst, Chip::Gfx1201, 32).takeError())) << number;
  }
}

/// GFX11 image_get_lod of 1D arrays: the address is x alone (docs/errata-amdgpu.md).
TEST(MemoryForms, LevelOfDetailNeedsNoLayer) {
  Inst inst = decodeWords(Chip::Gfx1100, {0xf0e00110, 0x04010000});
  ASSERT_TRUE(inst.valid);
  EXPECT_EQ(inst.mods.dimension, "SQ_RSRC_IMG_1D_ARRAY");
  ASSERT_EQ(inst.operands.size(), 4u);
  EXPECT_EQ(inst.operands[1].dwords, 1u);
}

/// Streamout registers 0 to 7 have 32 bits, the others 64.
TEST(MemoryForms, StreamoutRegistersHaveTwoWidths) {
  EXPECT_EQ(decodeWords(Chip::Gfx1100, {0xd9ea0004, 0x04000300}).text,
            "ds_add_gs_reg_rtn v4, v3 offset:4 gds");
  EXPECT_EQ(decodeWords(Chip::Gfx1100, {0xd9ea0024, 0x04000300}).text,
            "ds_add_gs_reg_rtn v[4:5], v3 offset:36 gds");
}

TEST(MemoryForms, TuplesEndInTheRegisterFile) {
  EXPECT_TRUE(decodeWords(Chip::Gfx1100, {0xd9d80000, 0xfe000000}).valid);  // v[254:255]
  EXPECT_FALSE(decodeWords(Chip::Gfx1100, {0xd9d80000, 0xff000000}).valid); // v[255:256]
}

TEST(ImageAddress, CountsWhatEachPartNeeds) {
  using namespace image;
  constexpr unsigned Cube = 3;
  constexpr unsigned ThreeD = 2;
  uint32_t sample = uint32_t(ImageKind::Sample);
  EXPECT_EQ(imageAddressDwords(sample, Cube, false), 3u);
  EXPECT_EQ(imageAddressDwords(sample, Cube, true), 2u);
  EXPECT_EQ(imageAddressDwords(sample | Lod | Extra2 | Gradients, ThreeD, false), 12u);
  EXPECT_EQ(imageAddressDwords(sample | Gradients | Gradients16, ThreeD, false), 7u);
  EXPECT_EQ(imageAddressDwords(sample | Gradients | Gradients16, ThreeD, true), 6u);
}

TEST(ImageAddress, CountsWhatComesBack) {
  Modifiers mods;
  mods.dmask = 7;
  uint32_t load = uint32_t(ImageKind::Load);
  EXPECT_EQ(imageDataDwords(load, Chip::Gfx1100, mods), 3u);
  mods.d16 = true;
  EXPECT_EQ(imageDataDwords(load, Chip::Gfx1100, mods), 2u);
  mods.tfe = true;
  EXPECT_EQ(imageDataDwords(load, Chip::Gfx1100, mods), 3u);
  EXPECT_EQ(imageDataDwords(uint32_t(ImageKind::Gather), Chip::Gfx1100, mods), 3u);
}
