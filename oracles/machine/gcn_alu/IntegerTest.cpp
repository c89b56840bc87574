// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer operations against arithmetic in 128 bits and against loops over bits.
#include "oracles/machine/gcn_alu/AluTesting.h"
#include <gtest/gtest.h>

using namespace assay::gcn;

using Wide = __int128;

/// \p bits of \p width bits as a number.
static Wide numberOf(uint64_t bits, unsigned width, bool isSigned) {
  Wide value = bits;
  if (isSigned && (bits >> (width - 1)) & 1)
    value -= Wide(1) << width;
  return value;
}

static uint64_t lowBits(Wide value, unsigned width) {
  return uint64_t(value) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

static uint64_t clampedTo(Wide value, unsigned width, bool isSigned) {
  Wide low = isSigned ? -(Wide(1) << (width - 1)) : Wide(0);
  Wide high = (Wide(1) << (width - (isSigned ? 1 : 0))) - 1;
  return lowBits(std::min(std::max(value, low), high), width);
}

using Formula = Wide (*)(Wide a, Wide b, Wide c);

namespace {
/// One operation: its formula over exact numbers, reduced to the result's width.
struct Exact {
  const char *name;
  unsigned gfxMajor;
  std::array<int, 3> sources; ///< Width of each source, negative when signed, 0 when absent.
  int64_t result;             ///< Width, negative when signed.
  Formula formula;
  bool clamps = false; ///< Saturates with the clamp bit.
};

} // namespace

static Wide low24Signed(Wide a) {
  return ((a & 0xffffff) ^ 0x800000) - 0x800000;
}

static Wide low24(Wide a) {
  return a & 0xffffff;
}

static Wide shiftDown(Wide a, unsigned count) {
  return a >> count;
}

static Wide middle(Wide a, Wide b, Wide c) {
  return a + b + c - std::max({a, b, c}) - std::min({a, b, c});
}

static Wide distance(Wide a, Wide b) {
  return a > b ? a - b : b - a;
}

static constexpr Formula add = [](Wide a, Wide b, Wide) { return a + b; };

static constexpr Formula subtract = [](Wide a, Wide b, Wide) { return a - b; };

static constexpr Formula subtractReversed = [](Wide a, Wide b, Wide) { return b - a; };

static constexpr Formula multiply = [](Wide a, Wide b, Wide) { return a * b; };

static constexpr Formula multiplyHigh = [](Wide a, Wide b, Wide) { return shiftDown(a * b, 32); };

static constexpr Formula multiplyAdd = [](Wide a, Wide b, Wide c) { return a * b + c; };

static constexpr Formula smaller = [](Wide a, Wide b, Wide) { return std::min(a, b); };

static constexpr Formula larger = [](Wide a, Wide b, Wide) { return std::max(a, b); };

static constexpr Formula smallest = [](Wide a, Wide b, Wide c) { return std::min({a, b, c}); };

static constexpr Formula largest = [](Wide a, Wide b, Wide c) { return std::max({a, b, c}); };

static constexpr Formula median = [](Wide a, Wide b, Wide c) { return middle(a, b, c); };

static constexpr Exact exactOps[] = {
    {"v_add_u32", 9, {32, 32, 0}, 32, add, true},
    {"v_add_nc_u32", 10, {32, 32, 0}, 32, add, true},
    {"v_sub_nc_u32", 11, {32, 32, 0}, 32, subtract, true},
    {"v_subrev_nc_u32", 12, {32, 32, 0}, 32, subtractReversed, true},
    {"v_subrev_u32", 9, {32, 32, 0}, 32, subtractReversed, true},
    {"v_add_i32", 9, {-32, -32, 0}, -32, add, true},
    {"v_add_nc_i32", 11, {-32, -32, 0}, -32, add, true},
    {"v_sub_nc_i32", 11, {-32, -32, 0}, -32, subtract, true},
    {"v_add_u16", 9, {16, 16, 0}, 16, add, true},
    {"v_sub_nc_u16", 10, {16, 16, 0}, 16, subtract, true},
    {"v_subrev_u16", 9, {16, 16, 0}, 16, subtractReversed, true},
    {"v_add_i16", 9, {-16, -16, 0}, -16, add, true},
    {"v_sub_nc_i16", 12, {-16, -16, 0}, -16, subtract, true},
    {"v_mul_lo_u16", 10, {16, 16, 0}, 16, multiply},
    {"v_mad_u16", 11, {16, 16, 16}, 16, multiplyAdd, true},
    {"v_mad_i16", 11, {-16, -16, -16}, -16, multiplyAdd, true},
    {"v_mad_u32_u16", 11, {16, 16, 32}, 32, multiplyAdd, true},
    {"v_mad_i32_i16", 11, {-16, -16, -32}, -32, multiplyAdd, true},
    {"v_mul_lo_u32", 9, {32, 32, 0}, 32, multiply},
    {"v_mul_hi_u32", 9, {32, 32, 0}, 32, multiplyHigh},
    {"v_mul_hi_i32", 9, {-32, -32, 0}, -32, multiplyHigh},
    {"v_mul_u32_u24", 9, {32, 32, 0}, 32, [](Wide a, Wide b, Wide) { return low24(a) * low24(b); }},
    {"v_mul_hi_u32_u24",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return shiftDown(low24(a) * low24(b), 32); }},
    {"v_mul_i32_i24",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return low24Signed(a) * low24Signed(b); }},
    {"v_mul_hi_i32_i24",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return shiftDown(low24Signed(a) * low24Signed(b), 32); }},
    {"v_mad_u32_u24",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return low24(a) * low24(b) + c; },
     true},
    {"v_mad_i32_i24",
     9,
     {32, 32, -32},
     -32,
     [](Wide a, Wide b, Wide c) { return low24Signed(a) * low24Signed(b) + c; },
     true},
    {"v_mad_u64_u32", 9, {32, 32, 64}, 64, multiplyAdd},
    {"v_mad_co_u64_u32", 12, {32, 32, 64}, 64, multiplyAdd},
    {"v_mad_i64_i32", 9, {-32, -32, -64}, 64, multiplyAdd},
    {"v_add3_u32", 9, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return a + b + c; }},
    {"v_lshl_add_u32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return (a << (b & 31)) + c; }},
    {"v_add_lshl_u32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return (a + b) << (c & 31); }},
    {"v_lshl_or_b32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return (a << (b & 31)) | c; }},
    {"v_and_or_b32", 9, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return (a & b) | c; }},
    {"v_or3_b32", 9, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return a | b | c; }},
    {"v_xor3_b32", 10, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return a ^ b ^ c; }},
    {"v_xad_u32", 9, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return (a ^ b) + c; }},
    {"v_bfi_b32", 9, {32, 32, 32}, 32, [](Wide a, Wide b, Wide c) { return (a & b) | (~a & c); }},
    {"v_xnor_b32", 11, {32, 32, 0}, 32, [](Wide a, Wide b, Wide) { return ~(a ^ b); }},
    {"v_lshlrev_b32", 9, {32, 32, 0}, 32, [](Wide a, Wide b, Wide) { return b << (a & 31); }},
    {"v_lshrrev_b32", 9, {32, 32, 0}, 32, [](Wide a, Wide b, Wide) { return b >> (a & 31); }},
    {"v_ashrrev_i32", 9, {32, -32, 0}, 32, [](Wide a, Wide b, Wide) { return b >> (a & 31); }},
    {"v_lshlrev_b64", 9, {32, 64, 0}, 64, [](Wide a, Wide b, Wide) { return b << (a & 63); }},
    {"v_lshrrev_b64", 9, {32, 64, 0}, 64, [](Wide a, Wide b, Wide) { return b >> (a & 63); }},
    {"v_ashrrev_i64", 9, {32, -64, 0}, 64, [](Wide a, Wide b, Wide) { return b >> (a & 63); }},
    {"v_lshlrev_b16", 9, {16, 16, 0}, 16, [](Wide a, Wide b, Wide) { return b << (a & 15); }},
    {"v_lshrrev_b16", 9, {16, 16, 0}, 16, [](Wide a, Wide b, Wide) { return b >> (a & 15); }},
    {"v_ashrrev_i16", 9, {16, -16, 0}, 16, [](Wide a, Wide b, Wide) { return b >> (a & 15); }},
    {"v_min_i32", 9, {-32, -32, 0}, 32, smaller},
    {"v_max_i32", 9, {-32, -32, 0}, 32, larger},
    {"v_min_u32", 9, {32, 32, 0}, 32, smaller},
    {"v_max_u32", 9, {32, 32, 0}, 32, larger},
    {"v_min_i16", 9, {-16, -16, 0}, 16, smaller},
    {"v_max_u16", 9, {16, 16, 0}, 16, larger},
    {"v_min3_i32", 9, {-32, -32, -32}, 32, smallest},
    {"v_max3_u32", 9, {32, 32, 32}, 32, largest},
    {"v_min3_u16", 9, {16, 16, 16}, 16, smallest},
    {"v_max3_i16", 9, {-16, -16, -16}, 16, largest},
    {"v_med3_i32", 9, {-32, -32, -32}, 32, median},
    {"v_med3_u32", 9, {32, 32, 32}, 32, median},
    {"v_med3_i16", 9, {-16, -16, -16}, 16, median},
    {"v_med3_u16", 9, {16, 16, 16}, 16, median},
    {"v_maxmin_i32",
     11,
     {-32, -32, -32},
     32,
     [](Wide a, Wide b, Wide c) { return std::min(std::max(a, b), c); }},
    {"v_minmax_u32",
     11,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return std::max(std::min(a, b), c); }},
    {"v_sad_u32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return distance(a, b) + c; },
     true},
    {"v_cvt_u32_u16", 11, {16, 0, 0}, 32, [](Wide a, Wide, Wide) { return a; }},
    {"v_cvt_i32_i16", 11, {-16, 0, 0}, 32, [](Wide a, Wide, Wide) { return a; }},
    {"s_mul_i32", 9, {32, 32, 0}, 32, multiply},
    {"s_mul_hi_u32", 9, {32, 32, 0}, 32, multiplyHigh},
    {"s_mul_hi_i32", 9, {-32, -32, 0}, 32, multiplyHigh},
    {"s_mul_u64", 12, {64, 64, 0}, 64, multiply},
    {"s_add_nc_u64", 12, {64, 64, 0}, 64, add},
    {"s_sub_nc_u64", 12, {64, 64, 0}, 64, subtract},
    {"s_movk_i32", 9, {-16, 0, 0}, 32, [](Wide a, Wide, Wide) { return a; }},
    {"s_mulk_i32", 9, {-16, 32, 0}, 32, multiply},
    {"s_sext_i32_i16",
     9,
     {32, 0, 0},
     32,
     [](Wide a, Wide, Wide) { return ((a & 0xffff) ^ 0x8000) - 0x8000; }},
    {"s_sext_i32_i8",
     9,
     {32, 0, 0},
     32,
     [](Wide a, Wide, Wide) { return ((a & 0xff) ^ 0x80) - 0x80; }},
    {"s_pack_ll_b32_b16",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return a % 65536 + b % 65536 * 65536; }},
    {"s_pack_lh_b32_b16",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return a % 65536 + b / 65536 * 65536; }},
    {"s_pack_hl_b32_b16",
     11,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return a / 65536 + b % 65536 * 65536; }},
    {"s_pack_hh_b32_b16",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return a / 65536 + b / 65536 * 65536; }},
    {"s_bfm_b32",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return ((Wide(1) << (a & 31)) - 1) << (b & 31); }},
    {"s_bfm_b64",
     9,
     {32, 32, 0},
     64,
     [](Wide a, Wide b, Wide) { return ((Wide(1) << (a & 63)) - 1) << (b & 63); }},
    {"v_bfm_b32",
     9,
     {32, 32, 0},
     32,
     [](Wide a, Wide b, Wide) { return ((Wide(1) << (a & 31)) - 1) << (b & 31); }},
    {"v_alignbit_b32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return (a * (Wide(1) << 32) + b) >> (c & 31); }},
    {"v_alignbyte_b32",
     9,
     {32, 32, 32},
     32,
     [](Wide a, Wide b, Wide c) { return (a * (Wide(1) << 32) + b) >> (8 * (c & 3)); }},
};

static unsigned widthOf(int64_t source) {
  return unsigned(source < 0 ? -source : source);
}

static Wide sourceNumber(const Exact &op, unsigned index, uint64_t bits) {
  return numberOf(bits, widthOf(op.sources[index]), op.sources[index] < 0);
}

static std::vector<uint64_t> sourceVectors(const Exact &op, unsigned index) {
  return op.sources[index] ? vectorsOf(widthOf(op.sources[index]), 3) : std::vector<uint64_t>{0};
}

static void checkExact(const Exact &op, const AluOp &row, const std::array<uint64_t, 3> &bits) {
  AluMode mode = testMode(op.gfxMajor);
  AluInput input;
  std::copy(bits.begin(), bits.end(), input.src);
  Wide value =
      op.formula(sourceNumber(op, 0, bits[0]), op.sources[1] ? sourceNumber(op, 1, bits[1]) : 0,
                 op.sources[2] ? sourceNumber(op, 2, bits[2]) : 0);
  ASSERT_EQ(row.function(input, mode).value, lowBits(value, widthOf(op.result)))
      << op.name << std::hex << " " << bits[0] << " " << bits[1] << " " << bits[2];
  if (!op.clamps)
    return;
  input.clamp = true;
  ASSERT_EQ(row.function(input, mode).value, clampedTo(value, widthOf(op.result), op.result < 0))
      << op.name << " clamp" << std::hex << " " << bits[0] << " " << bits[1] << " " << bits[2];
}

TEST(AluInteger, ExactArithmetic) {
  for (const Exact &op : exactOps) {
    const AluOp *row = anyOp(op.name, op.gfxMajor);
    ASSERT_NE(row, nullptr) << op.name;
    for (uint64_t a : sourceVectors(op, 0))
      for (uint64_t b : sourceVectors(op, 1))
        for (uint64_t c : sourceVectors(op, 2))
          ASSERT_NO_FATAL_FAILURE(checkExact(op, *row, {a, b, c}));
  }
}

TEST(AluInteger, ScalarFlagsFollowTheExactResult) {
  AluMode mode = testMode(11);
  for (uint64_t a : vectorsOf(32, 8))
    for (uint64_t b : vectorsOf(32, 8)) {
      Wide sa = numberOf(a, 32, true), sb = numberOf(b, 32, true);
      auto overflows = [](Wide value) { return numberOf(lowBits(value, 32), 32, true) != value; };
      ASSERT_EQ(runOp("s_add_i32", {a, b}, mode).carry, overflows(sa + sb)) << a << " " << b;
      ASSERT_EQ(runOp("s_sub_i32", {a, b}, mode).carry, overflows(sa - sb)) << a << " " << b;
      ASSERT_EQ(runOp("s_add_u32", {a, b}, mode).carry, a + b > 0xffffffff);
      ASSERT_EQ(runOp("s_sub_u32", {a, b}, mode).carry, a < b);
      ASSERT_EQ(runOp("s_lshl2_add_u32", {a, b}, mode).carry, a * 4 + b > 0xffffffff);
      ASSERT_EQ(runOp("s_and_b32", {a, b}, mode).carry, (a & b) != 0);
      ASSERT_EQ(runOp("s_min_i32", {a, b}, mode).carry, sa < sb);
      ASSERT_EQ(runOp("s_max_u32", {a, b}, mode).carry, a >= b);
      ASSERT_EQ(runOp("s_cmp_lt_i32", {a, b}, mode).carry, sa < sb);
      ASSERT_EQ(runOp("s_cmp_gt_u32", {a, b}, mode).carry, a > b);
      ASSERT_EQ(runOp("s_absdiff_i32", {a, b}, mode).carry, a != b);
      Wide difference = numberOf(lowBits(sa - sb, 32), 32, true);
      ASSERT_EQ(runOp("s_absdiff_i32", {a, b}, mode).value,
                lowBits(difference < 0 ? -difference : difference, 32));
    }
}

TEST(AluInteger, CarriesChain) {
  AluMode mode = testMode(11);
  for (bool carry : {false, true})
    for (uint64_t a : vectorsOf(32, 8))
      for (uint64_t b : vectorsOf(32, 8)) {
        AluInput input;
        input.carry = carry;
        uint64_t sum = a + b + carry;
        for (const char *name : {"s_addc_u32", "v_add_co_ci_u32"}) {
          AluOutput output = runOp(name, {a, b}, mode, input);
          ASSERT_EQ(output.value | uint64_t(output.carry) << 32, sum) << name;
        }
        AluOutput difference = runOp("v_sub_co_ci_u32", {a, b}, mode, input);
        ASSERT_EQ(difference.value, lowBits(Wide(a) - Wide(b) - carry, 32));
        ASSERT_EQ(difference.carry, Wide(a) - Wide(b) - carry < 0);
        ASSERT_EQ(runOp("s_subb_u32", {a, b}, mode, input).carry, difference.carry);
        ASSERT_EQ(runOp("v_subrev_co_ci_u32", {b, a}, mode, input).value, difference.value);
      }
  EXPECT_TRUE(runOp("v_mad_u64_u32", {~0u, ~0u, ~uint64_t(0)}, mode).carry);
  EXPECT_FALSE(runOp("v_mad_u64_u32", {~0u, ~0u, 0}, mode).carry);
}

TEST(AluInteger, ConditionalOperationsReadScc) {
  AluInput set;
  set.carry = true;
  AluMode mode = testMode(9);
  EXPECT_EQ(runOp("s_cselect_b32", {1, 2}, mode, set).value, 1u);
  EXPECT_EQ(runOp("s_cselect_b32", {1, 2}, mode).value, 2u);
  EXPECT_EQ(runOp("s_cmov_b64", {1, 2}, mode, set).value, 1u);
  EXPECT_EQ(runOp("s_cmov_b64", {1, 2}, mode).value, 2u);
  EXPECT_EQ(runOp("s_cmovk_i32", {0x8000, 2}, mode, set).value, 0xffff8000u);
  EXPECT_EQ(runOp("v_cndmask_b32", {1, 2}, mode, set).value, 2u);
  EXPECT_EQ(runOp("v_cndmask_b32", {1, 2}, mode).value, 1u);
  EXPECT_EQ(runOp("s_addk_i32", {0xffff, 0x80000000}, mode).value, 0x7fffffffu);
  EXPECT_TRUE(runOp("s_addk_i32", {0xffff, 0x80000000}, mode).carry);
  EXPECT_TRUE(runOp("s_cmpk_lt_i32", {0, 1}, mode).carry);
  EXPECT_TRUE(runOp("s_cmpk_gt_i32", {0, 0xffff}, mode).carry);
  EXPECT_FALSE(runOp("s_cmpk_gt_u32", {0, 0xffff}, mode).carry);
}

TEST(AluInteger, BitSearchesCountOneByOne) {
  AluMode mode = testMode(11);
  for (uint64_t a : vectorsOf(64, 50)) {
    int ones = 0, lowest = -1, highest = -1, signs = -1;
    uint64_t reversed = 0;
    for (int bit = 0; bit < 64; ++bit) {
      bool isSet = (a >> bit) & 1;
      ones += isSet;
      lowest = lowest < 0 && isSet ? bit : lowest;
      highest = isSet ? bit : highest;
      signs = isSet != bool(a >> 63) ? 63 - bit : signs;
      reversed |= uint64_t(isSet) << (63 - bit);
    }
    EXPECT_EQ(runOp("s_bcnt1_i32_b64", {a}, mode).value, uint64_t(ones));
    EXPECT_EQ(runOp("s_bcnt0_i32_b64", {a}, mode).value, uint64_t(64 - ones));
    EXPECT_EQ(runOp("s_ctz_i32_b64", {a}, mode).value, uint32_t(lowest));
    EXPECT_EQ(runOp("s_clz_i32_u64", {a}, mode).value, uint32_t(highest < 0 ? -1 : 63 - highest));
    EXPECT_EQ(runOp("s_cls_i32_i64", {a}, mode).value, uint32_t(signs)) << std::hex << a;
    EXPECT_EQ(runOp("s_brev_b64", {a}, mode).value, reversed);
  }
  EXPECT_EQ(resultOf("v_ffbh_u32", {0}, 9), 0xffffffffu);
  EXPECT_EQ(resultOf("v_ffbh_u32", {1}, 9), 31u);
  EXPECT_EQ(resultOf("v_cls_i32", {0xfffffffe}), 31u);
  EXPECT_EQ(resultOf("v_cls_i32", {0xffffffff}), 0xffffffffu);
  EXPECT_EQ(resultOf("v_ctz_i32_b32", {0x100}), 8u);
  EXPECT_EQ(resultOf("s_ff0_i32_b32", {0xff}, 9), 8u);
  EXPECT_EQ(resultOf("v_bcnt_u32_b32", {0xff, 10}), 18u);
  EXPECT_EQ(resultOf("v_bfrev_b32", {1}), 0x80000000u);
}

TEST(AluInteger, FieldExtraction) {
  AluMode mode = testMode(9);
  for (uint64_t a : vectorsOf(32, 10))
    for (unsigned offset = 0; offset < 32; ++offset)
      for (unsigned width = 0; width <= 32; ++width) {
        // 64 bits hold the source sign- or zero-extended: the field is then a plain slice.
        uint64_t mask = (uint64_t(1) << width) - 1;
        uint64_t slice = (a >> offset) & mask;
        int64_t extended = int64_t(int32_t(a)) >> offset & int64_t(mask);
        uint32_t asSigned =
            width ? uint32_t(int64_t(uint64_t(extended) << (64 - width)) >> (64 - width)) : 0;
        uint64_t field = offset | width << 16;
        ASSERT_EQ(runOp("s_bfe_u32", {a, field}, mode).value, slice);
        ASSERT_EQ(runOp("s_bfe_u32", {a, field}, mode).carry, slice != 0);
        ASSERT_EQ(runOp("s_bfe_i32", {a, field}, mode).value, asSigned);
        if (width < 32) {
          ASSERT_EQ(runOp("v_bfe_u32", {a, offset, width}, mode).value, slice);
          ASSERT_EQ(runOp("v_bfe_i32", {a, offset, width}, mode).value, asSigned);
        }
      }
  EXPECT_EQ(runOp("s_bfe_i64", {0x8000000000000000ull, 60 | 4 << 16}, mode).value,
            0xfffffffffffffff8ull);
  EXPECT_EQ(runOp("s_bfe_u64", {0x8000000000000000ull, 60 | 4 << 16}, mode).value, 8u);
}

TEST(AluInteger, QuadsAndSingleBits) {
  EXPECT_EQ(resultOf("s_wqm_b32", {0x10000402}), 0xf0000f0fu);
  EXPECT_EQ(resultOf("s_wqm_b64", {0x8000000000000001ull}), 0xf00000000000000full);
  EXPECT_EQ(resultOf("s_quadmask_b32", {0x10000402}), 0x85u);
  EXPECT_EQ(resultOf("s_quadmask_b64", {0x8000000000000001ull}), 0x8001u);
  EXPECT_EQ(resultOf("s_bitset1_b32", {33, 0}), 2u);
  EXPECT_EQ(resultOf("s_bitset0_b64", {63, ~0ull}), 0x7fffffffffffffffull);
  EXPECT_EQ(resultOf("s_bitreplicate_b64_b32", {0x80000005}), 0xc000000000000033ull);
  EXPECT_TRUE(runOp("s_bitcmp1_b32", {8, 35}, testMode(9)).carry);
  EXPECT_FALSE(runOp("s_bitcmp0_b64", {8, 3}, testMode(9)).carry);
}

TEST(AluInteger, PermuteSelectsBytesAndSigns) {
  uint64_t high = 0x87654321, low = 0xfedcba98;
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x03020100}), low);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x07060504}), high);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x0d0c0b0a}), 0xff00ff00u);
  EXPECT_EQ(resultOf("v_perm_b32", {high, low, 0x09080704}), 0xffff8721u);
}

TEST(AluInteger, LanesBelow) {
  AluInput input;
  AluMode mode = testMode(9);
  for (unsigned lane = 0; lane < 64; ++lane) {
    input.lane = uint8_t(lane);
    uint64_t below = runOp("v_mbcnt_lo_u32_b32", {~0u, 0}, mode, input).value;
    EXPECT_EQ(runOp("v_mbcnt_hi_u32_b32", {~0u, below}, mode, input).value, lane);
  }
}

TEST(AluInteger, SumsOfByteDifferences) {
  EXPECT_EQ(resultOf("v_sad_u8", {0x01ff0003, 0x02000005, 100}), 100u + 1 + 255 + 0 + 2);
  EXPECT_EQ(resultOf("v_msad_u8", {0x01ff0903, 0x02000005, 100}), 100u + 1 + 2);
  EXPECT_EQ(resultOf("v_sad_hi_u8", {3, 5, 7}), 0x20007u);
  EXPECT_EQ(resultOf("v_sad_u16", {0x00030009, 0x00050001, 1}), 11u);
  EXPECT_EQ(resultOf("v_lerp_u8", {0x01ff0204, 0x02ff0305, 0x01000001}), 0x02ff0205u);
  uint64_t window = 0x0807060504030201ull;
  EXPECT_EQ(resultOf("v_qsad_pk_u16_u8", {window, 0x04030201, 0x0001000200030000ull}),
            0x000d000a00070000ull);
  EXPECT_EQ(resultOf("v_mqsad_pk_u16_u8", {window, 0x04000000, 0}), 0x0003000200010000ull);
}
