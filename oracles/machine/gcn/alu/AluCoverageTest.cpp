// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every scalar and vector ALU format of every chip in random encodings: whatever decodes must bind
// to an operation, with all its modifiers (SemanticsTest.cpp asks for one encoding an opcode). What
// does not is in a list, with its reason, and the list has no more than that.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Regex.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
struct Exception {
  const char *pattern;
  const char *reason;
};

/// What was seen of one opcode.
struct Seen {
  unsigned bound = 0;
  std::string unsupported; ///< One such instruction, as text.
};

/// Its parameter is a chip.
class AluCoverage : public testing::TestWithParam<Chip> {};
} // namespace

/// Of the scalar and vector ALU, what has no semantics.
static constexpr Exception Exceptions[] = {
    {"v_screen_partition_4se_b32", "no public document says what it does"},
};

INSTANTIATE_TEST_SUITE_P(Chips, AluCoverage,
                         testing::Values(Chip::Gfx900, Chip::Gfx1010, Chip::Gfx1030, Chip::Gfx1100,
                                         Chip::Gfx1150, Chip::Gfx1201),
                         [](const auto &info) { return chipName(info.param).str(); });

static bool isException(StringRef name) {
  return any_of(Exceptions, [&](const Exception &each) {
    return Regex(("^(" + StringRef(each.pattern) + ")$").str()).match(name);
  });
}

static void setField(const FormatLayout &layout, Field field, uint64_t value, Words &words) {
  if (const FieldPlace *place = layout.find(field)) {
    words.set(place->lsb, place->width, value);
    if (place->highWidth)
      words.set(place->highLsb, place->highWidth, value >> place->width);
  }
}

/// An instruction of \p form with random fields.
static Words randomWords(const InstForm &form, std::mt19937 &random) {
  Words words;
  for (uint32_t &dword : words.dwords)
    dword = random();
  const FormatLayout &layout = *form.layout;
  setField(layout, Field::Op, form.opcode, words);
  words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
  words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
  return words;
}

static std::array<uint8_t, 4 * MaxWords> bytesOf(const Words &words) {
  std::array<uint8_t, 4 * MaxWords> bytes;
  for (unsigned index = 0; index < bytes.size(); ++index)
    bytes[index] = static_cast<uint8_t>(words.dwords[index / 4] >> (index % 4 * 8));
  return bytes;
}

/// Sources without semantics: of pixel shaders in order and LDS from GFX11 on, where LLVM's tables
/// still have the numbers, and LDS of operations that only move.
static bool hasForeignSource(const Inst &inst, unsigned gfxMajor) {
  StringRef text = inst.text;
  if (text.contains("src_pops_exiting_wave_id"))
    return gfxMajor >= 11;
  bool isMove = Regex("^v_(movrel|readfirstlane|readlane|writelane|mqsad_u32)").match(text);
  return text.contains("src_lds_direct") && (gfxMajor >= 11 || isMove);
}

using Survey = std::map<std::string, Seen>;

static void note(const MicroOp &op, Survey &survey) {
  Seen &seen = survey[op.inst->mnemonic];
  if (op.run != runUnsupported)
    ++seen.bound;
  else if (op.dual.empty())
    seen.unsupported = op.inst->text;
  for (const MicroOp &half : op.dual)
    note(half, survey);
}

static void addWaveSize(Chip chip, unsigned waveSize, Survey &survey) {
  TableDecoder decoder(chip, waveSize);
  unsigned gfxMajor = 0;
  chipName(chip).drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
  ProgramOptions options{gfxMajor, waveSize, 256, 128, chipName(chip).str()};
  std::mt19937 random(waveSize);
  for (const InstForm *form : IsaTable::get(chip).forms()) {
    if (!isAluFormat(form->layout->format))
      continue;
    survey[form->name.str()];
    for (unsigned count = 0; count < 60; ++count) {
      Inst inst = decoder.decode(bytesOf(randomWords(*form, random)), 0);
      if (inst.valid && isAluFormat(inst.form->layout->format) && !hasForeignSource(inst, gfxMajor))
        note(bindInst(inst, options), survey);
    }
  }
}

/// What \p chip's opcodes come to, in all wave sizes.
static Survey surveyOf(Chip chip) {
  Survey survey;
  if (chip != Chip::Gfx900)
    addWaveSize(chip, 32, survey);
  addWaveSize(chip, 64, survey);
  return survey;
}

TEST_P(AluCoverage, WhateverDecodesHasSemantics) {
  Survey survey = surveyOf(GetParam());
  EXPECT_GT(survey.size(), 600u);
  for (const auto &[name, seen] : survey) {
    EXPECT_TRUE(seen.unsupported.empty() || isException(name)) << seen.unsupported;
    EXPECT_TRUE(seen.bound > 0 || isException(name)) << name << " was never seen";
  }
}

TEST(AluCoverage, ExceptionsAreNeeded) {
  for (const Exception &exception : Exceptions) {
    bool isNeeded = false;
    for (unsigned chip = 0; chip < ChipCount && !isNeeded; ++chip)
      for (const auto &[name, seen] : surveyOf(Chip(chip)))
        isNeeded |= Regex(("^(" + StringRef(exception.pattern) + ")$").str()).match(name) &&
                    seen.bound == 0;
    EXPECT_TRUE(isNeeded) << exception.pattern;
  }
}
