// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of definedness against their definition: a bit of a result is defined when it comes out
// the same whatever the undefined bits are. No rule may call a bit defined that is not.
#include "oracles/machine/gcn/sanitizer/DefinednessFlow.h"

#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

uint64_t widthOf(OperandKind kind) {
  unsigned bits = kind == OperandKind::None ? 1 : kindBits(kind);
  return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

AluOutput run(const FlowInput &input, const MaybeBits (&sources)[3], uint64_t choice) {
  AluInput alu;
  for (unsigned i = 0; i < 3; ++i) {
    // Spreads the choice over the undefined bits.
    uint64_t noise = choice * 0x9e3779b97f4a7c15ull * (i + 1);
    noise ^= noise >> 29;
    if (choice == 1)
      noise = ~uint64_t(0);
    alu.src[i] = (sources[i].value & ~sources[i].undefined) | (noise & sources[i].undefined);
  }
  alu.carry = input.carry;
  alu.lane = input.lane;
  return input.alu->function(alu, input.mode);
}

MaybeBits randomBits(std::mt19937_64 &random, OperandKind kind) {
  MaybeBits bits;
  uint64_t mask = kind == OperandKind::None ? 0 : widthOf(kind);
  bits.value = random() & mask;
  if (random() % 2) // Sparse, and often none: so that rules other than "all" have work.
    bits.undefined = random() & random() & random() & mask;
  if (random() % 4 == 0)
    bits.value &= 0x1f; // An amount.
  return bits;
}

/// Bits that were seen to differ, though the rule called them defined.
uint64_t findMissed(const FlowInput &input) {
  FlowOutput output = findFlow(*input.alu)(input);
  AluOutput first = run(input, input.sources, 0);
  uint64_t differing = 0;
  bool carryDiffers = false;
  for (uint64_t choice = 1; choice < 24; ++choice) {
    AluOutput other = run(input, input.sources, choice);
    differing |= first.value ^ other.value;
    carryDiffers |= first.carry != other.carry;
  }
  uint64_t mask = input.alu->flags & Compare ? 1 : widthOf(input.alu->dst);
  bool usesCarry = input.alu->flags & (CarryOut | WritesScc);
  if (usesCarry && carryDiffers && !output.carryUndefined)
    return ~uint64_t(0);
  return input.alu->flags & NoDst ? 0 : differing & mask & ~output.undefined;
}

void checkRows(ArrayRef<const AluOp *> rows) {
  std::mt19937_64 random(7);
  for (const AluOp *row : rows) {
    for (unsigned round = 0; round < 200; ++round) {
      FlowInput input;
      input.alu = row;
      input.carry = random() % 2;
      input.lane = static_cast<uint8_t>(random() % 64);
      for (unsigned i = 0; i < 3; ++i)
        input.sources[i] =
            randomBits(random, i < row->sourceCount() ? row->src[i] : OperandKind::None);
      uint64_t missed = findMissed(input);
      ASSERT_EQ(missed, 0u) << row->name << " " << std::hex << input.sources[0].value << "/"
                            << input.sources[0].undefined << " " << input.sources[1].value << "/"
                            << input.sources[1].undefined << " " << input.sources[2].value << "/"
                            << input.sources[2].undefined;
    }
  }
}

class DefinednessFlows : public testing::TestWithParam<unsigned> {};

/// The undefined bits of the result of \p name for the given sources.
FlowOutput flow(const char *name, MaybeBits a, MaybeBits b = {}, MaybeBits c = {}) {
  FlowInput input;
  input.alu = name[0] == 's' ? findSaluOp(name, 11) : findValuOp(name, 11);
  EXPECT_NE(input.alu, nullptr) << name;
  input.sources[0] = a;
  input.sources[1] = b;
  input.sources[2] = c;
  return input.alu ? findFlow(*input.alu)(input) : FlowOutput();
}

} // namespace

TEST_P(DefinednessFlows, VectorOperationsMissNothing) {
  checkRows(listValuOps(GetParam()));
}

TEST_P(DefinednessFlows, ScalarOperationsMissNothing) {
  checkRows(listSaluOps(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Generations, DefinednessFlows, testing::Values(9u, 10u, 11u, 12u));

TEST(DefinednessFlow, KnownBitsDecide) {
  EXPECT_EQ(flow("v_and_b32", {0, ~0u}, {0xff, 0}).undefined, 0xffu);
  EXPECT_EQ(flow("v_or_b32", {0, ~0u}, {0xff, 0}).undefined, 0xffffff00u);
  EXPECT_EQ(flow("v_xor_b32", {0, 0xf0}, {0xff, 0x0f}).undefined, 0xffu);
  EXPECT_EQ(flow("v_lshlrev_b32", {8, 0}, {0, 0xff}).undefined, 0xff00u);
  EXPECT_EQ(flow("v_ashrrev_i32", {4, 0}, {0, 0x80000000}).undefined, 0xf8000000u);
  EXPECT_EQ(flow("v_bfe_u32", {0, 0xffff0000}, {0, 0}, {16, 0}).undefined, 0u);
  EXPECT_EQ(flow("v_bfi_b32", {0xff, 0}, {0, 0xffff}, {0, 0}).undefined, 0xffu);
  EXPECT_EQ(flow("v_perm_b32", {0, ~0u}, {0, 0}, {0x0c0c0100, 0}).undefined, 0u);
  EXPECT_EQ(flow("v_lshl_or_b32", {0, 1}, {4, 0}, {0, 0}).undefined, 0x10u);
  EXPECT_EQ(flow("v_pack_b32_f16", {0, 0x8000}, {0, 1}).undefined, 0x18000u);
  EXPECT_EQ(flow("v_cvt_pk_u8_f32", {0, 1}, {2, 0}, {0, ~0u}).undefined, 0xffffffffu);
  EXPECT_EQ(flow("v_cvt_pk_u8_f32", {0, 0}, {2, 0}, {0, ~0u}).undefined, 0xff00ffffu);
}

TEST(DefinednessFlow, SumsSpoilWhatIsAbove) {
  EXPECT_EQ(flow("v_add_nc_u32", {0, 0x100}, {1, 0}).undefined, 0xffffff00u);
  EXPECT_EQ(flow("v_mul_u32_u24", {1, 0xff000000}, {1, 0}).undefined, 0u);
  EXPECT_EQ(flow("s_mul_i32", {1, 0x10000}, {3, 0}).undefined, 0xffff0000u);
  EXPECT_EQ(flow("v_mul_f32", {0, 1}, {0, 0}).undefined, 0xffffffffu);
}

TEST(DefinednessFlow, ComparisonsAreDecidedByDefinedBits) {
  EXPECT_FALSE(flow("s_cmp_eq_u32", {0x100, 1}, {0, 0}).carryUndefined);
  EXPECT_TRUE(flow("s_cmp_eq_u32", {0, 1}, {0, 0}).carryUndefined);
  EXPECT_FALSE(flow("s_cmp_lt_u32", {0, 0xf}, {0x10, 0}).carryUndefined);
  EXPECT_TRUE(flow("s_cmp_lt_u32", {0, 0x1f}, {0x10, 0}).carryUndefined);
  EXPECT_FALSE(flow("s_cmp_lt_i32", {0x80000000, 0xff}, {0, 0}).carryUndefined);
  EXPECT_FALSE(flow("s_and_b32", {1, 0xf0}, {0xf1, 0}).carryUndefined) << "bit 0 is set";
  EXPECT_TRUE(flow("s_and_b32", {0, 0xf0}, {0xf1, 0}).carryUndefined);
}
