// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EXP and VEXPORT of every chip against their definition. An export has one mnemonic, so what is
// exchanged here are targets, enabled components and flags of one encoding: each such word must be
// told from every other one. Words are LLVM's where a text says them, else the manuals'.
#include "oracles/machine/gcn/EffectTesting.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::exportEffect;
using definitions::ExportFields;
using definitions::exportTarget;

namespace {

constexpr unsigned TargetCount = 64;
/// The first and the last register of the bench, and two that are no neighbours.
constexpr unsigned SourceRegisters[] = {4, 127, 0, 9};

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned) {
  static constexpr uint32_t Masks[] = {~0u, 0, 1, 0x80000000, 0xf0f0f0f3};
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 5; ++seed) {
    World world = randomWorld(chip, waveSize, seed, seed % 2);
    world.s[sreg::ExecLo] = Masks[seed];
    world.s[sreg::ExecLo + 1] = waveSize == 64 ? Masks[seed * 3 % 5] : 0;
    world.s[sreg::M0] = seed ? 0x12345678u * seed : 0;
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// Bits of \p flags: done, and what follows; GFX11 has no COMPR and no VM, but ROW_EN.
ExportFields makeFields(unsigned target, unsigned enabled, unsigned flags, unsigned gfx) {
  ExportFields fields;
  fields.target = target;
  for (unsigned i = 0; i < 4; ++i)
    fields.isEnabled[i] = enabled >> i & 1;
  fields.isDone = flags & 1;
  fields.hasRow = gfx >= 11 && flags & 2;
  fields.isCompressed = gfx <= 10 && flags & 2;
  fields.isValidMask = gfx <= 10 && flags & 4;
  copy(SourceRegisters, fields.sources.begin());
  return fields;
}

unsigned countFlags(unsigned gfx) {
  return gfx >= 11 ? 4 : 8;
}

/// Both halves of a register are enabled, or neither is (Vega, "Export", EN).
bool isValidEnable(const ExportFields &fields) {
  return !fields.isCompressed ||
         (fields.isEnabled[0] == fields.isEnabled[1] && fields.isEnabled[2] == fields.isEnabled[3]);
}

/// "mrt0 v4, off, v0, v9 done vm"; compressed, each register is named twice.
std::string textOf(const ExportFields &fields, StringRef target) {
  std::string text = target.str();
  for (unsigned i = 0; i < 4; ++i) {
    unsigned source = fields.sources[fields.isCompressed ? i / 2 : i];
    text += i ? ", " : " ";
    text += fields.isEnabled[i] ? "v" + std::to_string(source) : "off";
  }
  text += fields.isDone ? " done" : "";
  text += fields.isCompressed ? " compr" : "";
  text += fields.isValidMask ? " vm" : "";
  text += fields.hasRow ? " row_en" : "";
  return text;
}

std::vector<EffectForm> makeForms(StringRef, const Effect &, Chip chip) {
  unsigned gfx = gfxMajorOf(chip);
  std::vector<EffectForm> forms;
  for (unsigned target = 0; target < TargetCount; ++target) {
    std::string name = exportTarget(target, gfx);
    if (name.empty())
      continue;
    // All components for each target, and each set of components for one.
    for (unsigned enabled = target ? 15 : 0; enabled < 16; ++enabled)
      for (unsigned flags = 0; flags < countFlags(gfx); ++flags) {
        Request request;
        request.exported = makeFields(target, enabled, flags, gfx);
        if (isValidEnable(request.exported))
          forms.push_back({textOf(request.exported, name), request});
      }
  }
  return forms;
}

EffectFamily exportFamily() {
  EffectFamily family;
  family.formats = {Format::Exp};
  family.find = exportEffect;
  family.forms = makeForms;
  family.worlds = makeWorlds;
  return family;
}

// --- By number, with those that a generation has not

/// The fields of EXP by the manuals: EN 3:0, TARGET 9:4, COMPR 10, DONE 11, VM 12, ROW_EN 13; GFX9
/// has another number for the encoding than its successors.
std::string wordsOf(const ExportFields &fields, unsigned gfx) {
  uint32_t low = (gfx == 9 ? 0x31u : 0x3eu) << 26, high = 0;
  low |= fields.target << 4 | fields.isCompressed << 10 | fields.isDone << 11;
  low |= fields.isValidMask << 12 | fields.hasRow << 13;
  for (unsigned i = 0; i < 4; ++i) {
    low |= fields.isEnabled[i] << i;
    high |= fields.sources[i] << (8 * i);
  }
  return ".long 0x" + utohexstr(low) + ", 0x" + utohexstr(high) + "\n";
}

struct WordTrial {
  ExportFields fields;
  std::string text;
  bool exists = true;
  std::vector<uint64_t> wanted, got; ///< A digest for each world.
};

std::vector<WordTrial> makeWordTrials(unsigned gfx) {
  std::vector<WordTrial> trials;
  for (unsigned target = 0; target < TargetCount; ++target)
    for (unsigned enabled = target ? 15 : 0; enabled < 16; ++enabled)
      for (unsigned flags = 0; flags < countFlags(gfx); ++flags) {
        ExportFields fields = makeFields(target, enabled, flags, gfx);
        if (isValidEnable(fields))
          trials.push_back(
              {fields, wordsOf(fields, gfx), !exportTarget(target, gfx).empty(), {}, {}});
      }
  return trials;
}

void runWords(Chip chip, unsigned waveSize, std::vector<WordTrial> &trials) {
  std::string text;
  for (const WordTrial &trial : trials)
    text += trial.text;
  WorldBench bench(chip, waveSize, text);
  ASSERT_TRUE(bench.isReady());
  ASSERT_EQ(bench.ops().size(), trials.size() + 1) << "a word is not an export of two dwords";
  std::vector<World> worlds = makeWorlds(chip, waveSize, 0);
  std::optional<Effect> effect = exportEffect("exp");
  ASSERT_TRUE(effect);
  for (auto [trial, op] : zip_first(trials, bench.ops()))
    for (World world : worlds) {
      Request request;
      request.exported = trial.fields;
      world.pc = op.pc;
      world.next = world.following = op.pc + op.size;
      World wanted = world;
      effect->run(request, wanted);
      World got = bench.run(op, world);
      EXPECT_EQ(wanted.faults, !trial.exists);
      trial.wanted.push_back(digest(wanted));
      trial.got.push_back(digest(got));
      EXPECT_EQ(trial.wanted.back(), trial.got.back())
          << trial.text << " on " << chipName(chip).str() << " wave" << waveSize << ": "
          << firstDifference(got, wanted);
    }
}

/// All words name the same registers. Those without a target all end the run.
void exchangeWords(Chip chip, ArrayRef<WordTrial> trials) {
  unsigned count = 0;
  for (const WordTrial &own : trials)
    for (const WordTrial &other : trials) {
      if (&own == &other || (!own.exists && !other.exists))
        continue;
      ++count;
      EXPECT_NE(own.wanted, other.got) << own.text << " as " << other.text << " on "
                                       << chipName(chip).str() << " was not noticed";
    }
  EXPECT_GT(count, 10000u);
}

} // namespace

TEST(ExportEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(exportFamily());
}

TEST(ExportEffects, EveryTargetAndFlagIsToldFromEveryOther) {
  for (unsigned index = 0; index < ChipCount; ++index)
    for (unsigned waveSize : {64u, 32u}) {
      auto chip = static_cast<Chip>(index);
      if (waveSize == 32 && chip == Chip::Gfx900)
        continue;
      std::vector<WordTrial> trials = makeWordTrials(gfxMajorOf(chip));
      runWords(chip, waveSize, trials);
      exchangeWords(chip, trials);
    }
}
