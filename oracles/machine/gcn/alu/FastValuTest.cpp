// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever handler a vector operation is bound to must leave the wave as runValu() does, which
// knows every modifier: random encodings of every opcode of every chip, random registers and modes.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "oracles/machine/gcn/memory/LdsDirect.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
class FastValu : public testing::TestWithParam<Chip> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Chips, FastValu,
                         testing::Values(Chip::Gfx900, Chip::Gfx1010, Chip::Gfx1030, Chip::Gfx1100,
                                         Chip::Gfx1150, Chip::Gfx1201),
                         [](const auto &info) { return chipName(info.param).str(); });

static unsigned gfxMajorOf(Chip chip) {
  unsigned gfxMajor = 0;
  chipName(chip).drop_front(3).drop_back(2).getAsInteger(10, gfxMajor);
  return gfxMajor;
}

/// An instruction of \p form; most modifiers are 0 half of the time, since plain ones are fast.
static Words randomWords(const InstForm &form, std::mt19937 &random) {
  Words words;
  for (uint32_t &dword : words.dwords)
    dword = random();
  const FormatLayout &layout = *form.layout;
  for (const FieldPlace &place : layout.fields) {
    bool isRegister = place.width >= 7;
    if (place.field == Field::Op)
      words.set(place.lsb, place.width, form.opcode);
    else if (!isRegister && random() % 2)
      words.set(place.lsb, place.width, 0);
    else if (place.width == 9 && random() % 2)
      words.set(place.lsb, place.width, 256 | random() % 256); // a vector register
  }
  words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
  words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
  return words;
}

/// Values at which operations differ, and others.
static uint32_t randomValue(std::mt19937 &random) {
  static constexpr uint32_t Edges[] = {0,          1,          0x80000000, 0x7fffffff, 0xffffffff,
                                       0x3f800000, 0xbf800000, 0x7f800000, 0x7fc00000, 0x00400000,
                                       0x3c003c00, 0x7c00fc00, 0x00010001, 0x80018001, 31};
  return random() % 4 ? random() : Edges[random() % std::size(Edges)];
}

static void randomize(Wave &wave, std::mt19937 &random) {
  for (LaneArray &lanes : wave.v)
    for (uint32_t &word : lanes)
      word = randomValue(random);
  for (unsigned index = 0; index < 126; ++index)
    if (index != sreg::Null)
      wave.s[index] = randomValue(random);
  wave.setExec((uint64_t(random()) << 32 | random()) & wave.laneMask());
  wave.setMode(random() & 0x3ff);
}

static uint64_t statusOf(const Wave &wave) {
  return wave.exec() ^ (uint64_t(wave.scc) << 63) ^ uint64_t(wave.status);
}

/// True when \p op was bound to something else than runValu(), and did the same.
static bool compare(const MicroOp &op, Wave &wave, Wave &other, std::mt19937 &random) {
  bool isVector = op.alu && StringRef(op.inst->mnemonic).starts_with("v_");
  bool isScalar = op.destination.type == OperandType::Sgpr && isVector &&
                  !(op.alu->flags & Compare); // v_s_*: one lane
  if (!isVector || isScalar || op.run == runValu || op.run == runValuOnLds ||
      op.run == runUnsupported || op.run == runOutOfRange)
    return false;
  randomize(wave, random);
  other.v = wave.v;
  other.s = wave.s;
  other.setMode(wave.getMode());
  op.run(wave, op);
  runValu(other, op);
  EXPECT_EQ(wave.v, other.v) << op.inst->text;
  EXPECT_EQ(wave.s, other.s) << op.inst->text;
  EXPECT_EQ(statusOf(wave), statusOf(other)) << op.inst->text;
  return true;
}

TEST_P(FastValu, MeansTheSame) {
  Chip chip = GetParam();
  unsigned compared = 0;
  std::mt19937 random(unsigned(chip) + 1);
  for (unsigned waveSize : {32u, 64u}) {
    if (waveSize == 32 && chip == Chip::Gfx900)
      continue;
    ProgramOptions options{gfxMajorOf(chip), waveSize, 256, 102, chipName(chip).str()};
    TableDecoder decoder(chip, waveSize);
    Workgroup group;
    Wave wave(group, waveSize, 256, options.gfxMajor),
        other(group, waveSize, 256, options.gfxMajor);
    for (const InstForm *form : IsaTable::get(chip).forms())
      for (unsigned count = 0; count < 6 && isAluFormat(form->layout->format); ++count) {
        Words words = randomWords(*form, random);
        uint8_t bytes[4 * MaxWords];
        std::memcpy(bytes, words.dwords.data(), sizeof(bytes));
        Inst inst = decoder.decode(bytes, 0);
        if (inst.valid)
          compared += compare(bindInst(inst, options), wave, other, random);
      }
  }
  EXPECT_GT(compared, 400u);
  std::printf("%u instructions by fast handlers\n", compared);
}
