// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver of EffectTesting.h, and that it fails where it should.
#include "oracles/machine/gcn/EffectTesting.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest-spi.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// One text, and what became of it.
struct Trial {
  std::string name;
  const Effect *effect = nullptr;
  EffectForm form;
  std::vector<uint64_t> wanted, got; ///< A digest for each world.
};

/// All trials of one chip and wave size.
class Course {
public:
  Course(const EffectFamily &family, Chip chip, unsigned waveSize)
      : m_family(family), m_chip(chip), m_waveSize(waveSize) {}

  void prepare();
  void run();
  void exchange() const;

private:
  std::string place(const Trial &trial) const {
    return trial.name + " " + trial.form.operands + " on " + chipName(m_chip).str() + " wave" +
           std::to_string(m_waveSize);
  }
  void addRow(StringRef name);
  void runTrial(WorldBench &bench, const MicroOp &op, Trial &trial);
  const std::vector<World> &worlds(unsigned set);

  const EffectFamily &m_family;
  Chip m_chip;
  unsigned m_waveSize;
  std::map<std::string, Effect> m_effects;
  std::vector<Trial> m_trials;
  std::map<unsigned, std::vector<World>> m_worlds;
};

} // namespace

const std::vector<World> &Course::worlds(unsigned set) {
  auto [place, isNew] = m_worlds.try_emplace(set);
  if (isNew)
    place->second = m_family.worlds(m_chip, m_waveSize, set);
  return place->second;
}

void Course::addRow(StringRef name) {
  if (!m_family.takes(name, m_chip))
    return;
  auto [place, isNew] = m_effects.try_emplace(name.str());
  if (!isNew)
    return;
  std::optional<Effect> effect = m_family.find(name);
  if (!effect) {
    ADD_FAILURE() << name.str() << " has no definition";
    return;
  }
  place->second = *effect;
  std::vector<EffectForm> forms = m_family.forms(name, place->second, m_chip);
  EXPECT_FALSE(forms.empty()) << name.str() << " has no form";
  for (EffectForm &form : forms)
    m_trials.push_back({name.str(), &place->second, std::move(form), {}, {}});
}

void Course::prepare() {
  for (const InstForm *form : IsaTable::get(m_chip).forms())
    if (is_contained(m_family.formats, form->layout->format))
      addRow(form->name);
}

void Course::runTrial(WorldBench &bench, const MicroOp &op, Trial &trial) {
  bool isReported = false;
  for (World world : worlds(trial.form.worlds)) {
    world.pc = op.pc;
    world.next = world.following = op.pc + op.size;
    World wanted = world;
    trial.effect->run(trial.form.request, wanted);
    World got = bench.run(op, world);
    for (unsigned index : wanted.anyScalars)
      wanted.s[index] = got.s[index];
    trial.wanted.push_back(digest(wanted));
    trial.got.push_back(digest(got));
    if (trial.wanted.back() == trial.got.back() || isReported)
      continue;
    isReported = true;
    ADD_FAILURE() << place(trial) << ", world " << trial.got.size() - 1 << ": "
                  << firstDifference(got, wanted) << " " << bench.failure();
  }
}

void Course::run() {
  std::string text;
  for (const Trial &trial : m_trials)
    text += trial.name + " " + trial.form.operands + "\n";
  WorldBench bench(m_chip, m_waveSize, text);
  ASSERT_TRUE(bench.isReady());
  ASSERT_EQ(bench.ops().size(), m_trials.size() + 1) << "a text was not assembled";
  for (auto [trial, op] : zip_first(m_trials, bench.ops()))
    runTrial(bench, op, trial);
}

/// Trials of the same operands in the same worlds may represent each other, were it not for what
/// they do.
void Course::exchange() const {
  std::map<std::pair<std::string, unsigned>, std::vector<const Trial *>> groups;
  for (const Trial &trial : m_trials)
    groups[{trial.form.operands, trial.form.worlds}].push_back(&trial);
  std::map<std::pair<std::string, std::string>, bool> noticed;
  for (const auto &[key, group] : groups)
    for (const Trial *own : group)
      for (const Trial *other : group)
        if (own->name != other->name)
          noticed[{own->name, other->name}] |= own->wanted != other->got;
  for (const auto &[names, isNoticed] : noticed) {
    const char *reason = m_family.sameness ? m_family.sameness(names.first, names.second) : nullptr;
    bool areInert = m_effects.at(names.first).isInert && m_effects.at(names.second).isInert;
    EXPECT_NE(isNoticed, reason || areInert)
        << names.first << " as " << names.second << " on " << chipName(m_chip).str()
        << (isNoticed ? " was noticed, in spite of: " + std::string(reason ? reason : "inert")
                      : " was not noticed");
  }
}

void gcn::checkEffects(const EffectFamily &family) {
  for (unsigned chip = 0; chip < ChipCount; ++chip)
    for (unsigned waveSize : {64u, 32u}) {
      if (waveSize == 32 && static_cast<Chip>(chip) == Chip::Gfx900)
        continue;
      Course course(family, static_cast<Chip>(chip), waveSize);
      course.prepare();
      course.run();
      course.exchange();
    }
}

/// Values at which memory operations change their ways, as dwords; a pair of one makes a qword.
static constexpr uint32_t Edges[] = {
    0,          1,          2,          5,          0x7f,       0x80,       0xff,       0x7fff,
    0x8000,     0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x00000001, 0x807fffff,
    0x00800000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00010400,
    0x7c013c00, 0x7e003c01, 0x80007f80, 0x3ff00000, 0x7ff00000, 0x000fffff, 0x80100000, 0x7ff80000};

static uint32_t someWord(std::mt19937 &random, bool withEdges) {
  uint32_t word = random();
  return withEdges && random() % 8 < 5 ? Edges[word % std::size(Edges)] : word;
}

World gcn::randomWorld(Chip chip, unsigned waveSize, unsigned seed, bool withEdges) {
  std::mt19937 random(seed);
  World world;
  world.gfx = gfxMajorOf(chip);
  world.isGfx10_3 = chip == Chip::Gfx1030;
  world.lanes = waveSize;
  for (definitions::Lanes &lanes : world.v)
    for (uint32_t &word : lanes)
      word = someWord(random, withEdges);
  for (unsigned i = 0; i < 100; ++i)
    world.s[i] = someWord(random, withEdges);
  auto fill = [&](Region &region, uint64_t base, size_t bytes) {
    region.base = base;
    region.bytes.resize(bytes);
    for (size_t i = 0; i + 4 <= bytes; i += 4)
      region.put(i, 4, someWord(random, withEdges));
  };
  fill(world.memory, 0x123450000000, 4096);
  fill(world.lds, 0, 4096);
  world.scratchBytes = 256;
  fill(world.scratch, 0x345670000000, size_t(world.scratchBytes) * waveSize);
  world.vgprBlocks = definitions::WorldVgprs / 4;
  world.sgprBlocks = 13; // 102 registers.
  world.s[sreg::ExecLo] = 0xffffffff;
  world.s[sreg::ExecLo + 1] = waveSize == 64 ? 0xffffffff : 0;
  return world;
}

/// Two operations on one dword of LDS; ds_or_b32 may be defined as another one.
static EffectFamily smallFamily(StringRef meaningOfOr) {
  EffectFamily family;
  family.formats = {Format::Ds};
  family.takes = [](StringRef name, Chip) { return name == "ds_xor_b32" || name == "ds_or_b32"; };
  family.find = [=](StringRef name) {
    return definitions::shareEffect(name == "ds_or_b32" ? meaningOfOr : name);
  };
  family.forms = [](StringRef, const Effect &, Chip) -> std::vector<EffectForm> {
    Request request;
    request.data0 = 4;
    return {{"v0, v4", request}};
  };
  family.worlds = [](Chip chip, unsigned waveSize, unsigned) {
    World world = randomWorld(chip, waveSize, 1, false);
    for (unsigned lane = 0; lane < 64; ++lane)
      world.v[0][lane] = 4 * lane;
    return std::vector<World>{world};
  };
  return family;
}

/// Failures of \p check, which are not this test's.
static int countFailures(function_ref<void()> check) {
  ::testing::TestPartResultArray results;
  ::testing::ScopedFakeTestPartResultReporter reporter(
      ::testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
  check();
  return results.size();
}

/// There are 11 courses of chip and wave size.
TEST(EffectDriver, FailsWhereAHandlerDoesAnotherThing) {
  EXPECT_EQ(countFailures([] { checkEffects(smallFamily("ds_or_b32")); }), 0);
  EXPECT_EQ(countFailures([] { checkEffects(smallFamily("ds_and_b32")); }), 11);
}

TEST(EffectDriver, FailsWhereNobodyNoticesAnExchange) {
  // ds_or_b32 said to be ds_xor_b32: wrong by itself, and taken for the other.
  EXPECT_EQ(countFailures([] { checkEffects(smallFamily("ds_xor_b32")); }), 22);
  EffectFamily family = smallFamily("ds_or_b32");
  family.sameness = [](StringRef, StringRef) { return "no reason"; };
  EXPECT_EQ(countFailures([&] { checkEffects(family); }), 22);
}

TEST(EffectDriver, FailsWhereARowHasNoDefinition) {
  EffectFamily family = smallFamily("ds_or_b32");
  family.find = [](StringRef) { return std::optional<Effect>(); };
  family.takes = [](StringRef name, Chip) { return name == "ds_or_b32"; };
  EXPECT_GT(countFailures([&] { checkEffects(family); }), 0);
}
