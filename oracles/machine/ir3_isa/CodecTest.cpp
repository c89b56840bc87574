// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

namespace {

struct CodeRow {
  uint64_t word;
  StringLiteral text;
  Chip chip = Chip::A630;
};

} // namespace

/// The bits of each are put together by hand from the layouts.
static constexpr CodeRow Rows[] = {
    // Category 0.
    {0x0000000000000000, "nop"},
    {0x1001100000000000, "(sy)(ss)(eq)nop"},
    {0x0800050000000000, "(jp)(rpt5)nop"},
    {0x0300000000000000, "end"},
    {0x02b0000000000000, "kill !p0.y"},
    {0x0100000000000007, "jump #7"},
    {0x00a00000fffffff0, "br p0.y, #-16"},
    {0x0090204000000003, "braa !p0.x, !p0.x, #3"},
    {0x008000650000000a, "brac.5 #10"},
    {0x00d000a000000002, "ball !p0.z, #2"},
    {0x0222000000000001, "getlast.w8 #1"},
    {0x0402000000000000, "shpe"},
    // Category 1.
    {0x2054400500000007, "cov.s32f32 r1.y, 7"},
    {0x200cc00400000005, "mov.u32u32 r1.x, r1.y"},
    {0x204cc0040000abcd, "mov.u32u32 r1.x, 0xabcd"},
    {0x2055000300000ffb, "cov.s32s16 hr0.w, 4091"},
    {0x201100f400000003, "mova a0.x, hr0.w"},
    {0x208440040000001f, "mov.f32f32 (even)r1.x, r7.w"},
    {0x240cc00400030201, "swz.u32u32 r1.x, r0.w, r0.y, r0.z"},
    {0x260cc1c000000000, "movmsk.w64 r48.x"},
    // Category 2.
    {0x4010000200010000, "add.f r0.z, r0.x, r0.y"},
    {0x4010000228030000, "add.f r0.z, r0.x, (2.0)"},
    {0x423000022004c001, "add.s r0.z, (absneg)r0.y, 4"},
    {0x4238080227fe0001, "(nop3) add.s r0.z, r0.y, -2"},
    {0x42b400f820ff0003, "cmps.s.eq p0.x, r0.w, 255"},
    {0x4730800200002003, "bary.f (ei)r0.z, 3, r0.x"},
    // Category 3.
    {0x63818005100a0004, "mad.f32 r1.y, r1.x, r0.w, c2.z"},
    {0x64818005000a0004, "sel.b32 r1.y, r1.x, r0.w, r2.z"},
    {0x65a8040500093004, "shlg r1.y, 4, r20.x, r2.y"},
    // Category 4.
    {0x8010000a00000003, "rcp r2.z, r0.w"},
    {0x9010100a00004003, "(sy)(ss)rcp r2.z, (neg)r0.w"},
    // Category 5.
    {0xa0c01f0404200005, "sam (f32)(xyzw)r1.x, r0.z, s#1, t#2"},
    {0xa0c89f04c4600005, "sam.base1 (f32)(xyzw)r1.x, r0.z, s#3, t#2"},
    {0xb7e0310400180001, "(sy)quad_shuffle.diag (u32)(x)r1.x, r0.x"},
    // Category 6.
    {0xc0060006018000ff, "ldg.u32 r1.z, g[r0.x+127], 1"},
    {0xc0c6050003800042, "stg.u32 g[r0.z], r8.y, 3"},
    {0xc046000101804001, "ldl.u32 r0.y, l[r0.y], 1"},
    {0xc10605ff01801e08, "stl.u32 l[r0.z+4095], r1.x, 1"},
    {0xc02600020063c100, "resinfo.b.untyped.1d.u32.1.imm.base0 r0.z, 0"},
    {0xc026000200630100, "resbase.untyped.1d.u32.1.imm.base0 r0.z, 0"},
    {0xc036000303640102, "atomic.b.add.untyped.1d.u32.1.imm.base1 r0.w, r0.w, 0"},
    {0xc6e6600405800000, "shfl.down.u32 r1.x, r0.x, 5"},
    // Category 7.
    {0xe0fa000000000000, "fence.g.l.r.w"},
    {0xf042000000000000, "(sy)bar.g"},
    {0xe2d2000000000000, "ccinv", Chip::A740},
    {0xc380280410020019, "ray_intersection r1.x, [r2.x], r3.x, r4.x, r5.x", Chip::A740},
    {0xc380280410022019, "ray_intersection r1.x, [c2.x], r3.x, r4.x, r5.x", Chip::A740},
};

TEST(Codec, PrintsRows) {
  for (const CodeRow &row : Rows)
    EXPECT_EQ(printWord(row.word, row.chip), row.text) << utohexstr(row.word);
}

TEST(Codec, ParsesRows) {
  for (const CodeRow &row : Rows) {
    Expected<Inst> inst = parse(row.text, row.chip);
    if (!inst)
      ADD_FAILURE() << takeError(inst.takeError()).message;
    else
      EXPECT_EQ(utohexstr(inst->word()), utohexstr(row.word)) << row.text.str();
  }
}

/// Words whose lower bits are random under each opcode, so that every row has its share.
static uint64_t randomWord(std::mt19937_64 &random, unsigned round) {
  uint64_t word = random();
  if (round % 2)
    return word;
  ArrayRef<Form> forms = allForms();
  const Form &form = forms[random() % forms.size()];
  uint64_t ignored = ~(form.mask | form.fields);
  return ((word & ~form.mask) | form.value) & (round % 4 ? ~ignored : ~0ull);
}

static uint64_t scaled(uint64_t sample, uint64_t full) {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? full : sample;
}

TEST(Codec, TakesAnyWord) {
  std::mt19937_64 random(1);
  uint64_t valid = 0;
  for (uint64_t i = 0, end = scaled(500'000, 10'000'000); i < end; ++i) {
    Chip chip = Chip(i % ChipCount);
    Inst inst = decode(randomWord(random, unsigned(i / ChipCount)), chip);
    if (!inst.isValid())
      continue;
    ++valid;
    EXPECT_FALSE(print(inst).empty());
  }
  EXPECT_GT(valid, 1000u);
}

/// A text can represent several words (of bits that it does not show, one is as good as the other),
/// but a word that is made from a text has that text.
TEST(Codec, ReadsWhatItPrints) {
  std::mt19937_64 random(2);
  StringSet<> seen;
  for (uint64_t i = 0, end = scaled(50'000, 10'000'000); i < end; ++i) {
    Chip chip = Chip(i % ChipCount);
    uint64_t word = randomWord(random, unsigned(i / ChipCount));
    Inst inst = decode(word, chip);
    if (!inst.isValid())
      continue;
    std::string text = print(inst);
    Expected<Inst> again = parse(text, chip);
    if (!again) {
      ADD_FAILURE() << utohexstr(word) << ": " << takeError(again.takeError()).message;
      continue;
    }
    EXPECT_EQ(print(*again), text) << utohexstr(word) << " and " << utohexstr(again->word());
    seen.insert(inst.name());
  }
  EXPECT_GT(seen.size(), 220u);
}

TEST(Codec, EncodesEveryRow) {
  for (unsigned i = 0; i < ChipCount; ++i) {
    for (const Form *form : IsaTable::of(Chip(i)).forms()) {
      Inst inst(*form, Chip(i));
      Inst again = decode(inst.word(), Chip(i));
      ASSERT_TRUE(again.isValid()) << form->row->name.str();
      EXPECT_EQ(&again.form(), form) << form->row->name.str();
      EXPECT_EQ(again.strayBits(), 0u);
    }
  }
}

TEST(Codec, RefusesWhatItCannotEncode) {
  for (StringRef text :
       {"add.f r0.x, r1.x", "add.f r0.x, hr1.x, r2.x", "add.f r0.x, r64.x, r2.x", "nopp", "add.f",
        "add.s r0.x, r0.y, 1024", "mad.f32 r0.x, r0.y, c0.x, r0.z", "shlg r0.x, 4096, r0.y, r0.z",
        "(nop3)mov.u32u32 r0.x, 1", "(rpt4)add.f r0.x, r0.y, r0.z",
        "sam (f32)(xyzw)r0.x, r0.y, s#16, t#0", "ldg.u32 hr0.x, g[r0.x], 1", "br p0.x, #nowhere",
        "(sat)rcp r0.x, r0.y, r0.z", "end end", ""}) {
    Expected<Inst> inst = parse(text, Chip::A630);
    if (inst)
      ADD_FAILURE() << text.str() << " is " << utohexstr(inst->word());
    else
      EXPECT_EQ(takeError(inst.takeError()).kind, ErrorKind::InvalidInput);
  }
  EXPECT_FALSE(decode(0xc0020411'04c08023, Chip::A420).isValid()) << "ldg.a came with a6xx";
}

TEST(Codec, AssemblesPrograms) {
  Expected<std::vector<uint64_t>> words = assemble("; a loop\n"
                                                   "start: add.s r0.x, r0.x, -1 // down\n"
                                                   "(nop3) cmps.s.gt p0.x, r0.x, 0\n"
                                                   "(rpt2)nop\n"
                                                   "br p0.x, #start\n"
                                                   "jump #done\n"
                                                   "raw 0xFFFFFFFFFFFFFFFF\n"
                                                   "done: end\n",
                                                   Chip::A630);
  ASSERT_TRUE(bool(words)) << takeError(words.takeError()).message;
  EXPECT_EQ(disassemble(*words, Chip::A630), "l0:\n"
                                             "add.s r0.x, r0.x, -1\n"
                                             "(nop3) cmps.s.gt p0.x, r0.x, 0\n"
                                             "(rpt2)nop\n"
                                             "br p0.x, #l0\n"
                                             "jump #l6\n"
                                             "raw 0xFFFFFFFFFFFFFFFF\n"
                                             "l6:\n"
                                             "end\n");
  Expected<std::vector<uint64_t>> wrong = assemble("nop\nadd.f r0.x\n", Chip::A630);
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(takeError(wrong.takeError()).message.substr(0, 7), "line 2:");
}
