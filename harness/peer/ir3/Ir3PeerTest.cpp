// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: what the ir3 tables print of random words is what Mesa prints, and
// what they print assembles to the same word there.
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;

namespace {

/// A word, what Mesa prints without what it notes of it, and that note.
struct MesaLine {
  StringRef text, note;
  bool isRaw() const {
    return text.starts_with("raw ") || note.contains("no match") || note.contains("no field") ||
           note.contains("no display");
  }
};

} // namespace

static MesaLine splitLine(StringRef line) {
  auto [text, note] = line.split("\t;");
  return {text.rtrim(), note};
}

/// brax, for which Mesa's disassembler has no text at all: not even a line.
static bool isSilent(uint64_t word) {
  return word >> 61 == 0 && (word >> 55 & 15) == 1 && !(word >> 49 & 1) && (word >> 37 & 7) >= 6;
}

/// Half of them have the fixed bits of a row and no ignored ones.
static std::vector<uint64_t> makeWords(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  ArrayRef<adreno::Form> forms = adreno::allForms();
  std::vector<uint64_t> words;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = random();
    const adreno::Form &form = forms[random() % forms.size()];
    word = i % 2 ? word : ((word & form.fields & ~form.mask) | form.value);
    words.push_back(isSilent(word) ? 0 : word);
  }
  return words;
}

/// Whether a source of category 2 or 4 is a float of the table without a name.
static bool hasUnnamedFloat(uint64_t word) {
  auto isUnnamed = [](uint64_t bits) { return (bits >> 11 & 7) == 5 && (bits & 0x3ff) >= 12; };
  uint64_t category = word >> 61;
  return (category == 2 || category == 4) &&
         (isUnnamed(word) || (category == 2 && isUnnamed(word >> 16)));
}

/// Why the two may differ (docs/ir3-machine.md); "" when they may not.
static StringRef excuse(uint64_t word, const adreno::Inst &inst, const MesaLine &mesa) {
  if (hasUnnamedFloat(word))
    return "an index of the table of floats above 11";
  if (!inst.isValid())
    return mesa.note.contains("unexpected bits") ? "bits that must be zero" : "";
  if (inst.name() == "dp2acc" || inst.name() == "dp4acc")
    return "Mesa's template of dp2acc and dp4acc";
  if (mesa.note.contains("no field"))
    return "an error of Mesa's template: wmm with an immediate";
  if (inst.name().starts_with("quad_shuffle") && word >> 52 & 1)
    return "a second source of quad_shuffle";
  if (mesa.text.contains("mova"))
    return "mova with a relative result";
  return "";
}

static size_t wordCount() {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 100'000 : 1'500;
}

class Ir3Peer : public testing::TestWithParam<const char *> {};

TEST_P(Ir3Peer, PrintsWhatMesaPrints) {
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(GetParam());
  if (!peer)
    GTEST_SKIP() << takeError(peer.takeError()).message;
  adreno::Chip chip = *adreno::findChip(GetParam());
  std::vector<uint64_t> words = makeWords(wordCount(), 7);
  std::vector<std::string> lines;
  // The driver has room for so many at once.
  constexpr size_t Batch = 1'500;
  for (size_t at = 0; at < words.size(); at += Batch) {
    ArrayRef<uint64_t> rest = ArrayRef(words).drop_front(at);
    Expected<std::vector<std::string>> more =
        peer->disassemble(rest.take_front(std::min(Batch, rest.size())));
    ASSERT_TRUE(bool(more)) << takeError(more.takeError()).message;
    lines.insert(lines.end(), more->begin(), more->end());
  }
  size_t agreed = 0, refused = 0, excused = 0, differing = 0;
  for (auto [word, line] : zip_equal(words, lines)) {
    MesaLine mesa = splitLine(line);
    adreno::Inst inst = adreno::decode(word, chip);
    if (!inst.isValid() && mesa.isRaw())
      ++refused;
    else if (inst.isValid() && adreno::print(inst) == mesa.text)
      ++agreed;
    else if (!excuse(word, inst, mesa).empty())
      ++excused;
    else if (++differing <= 20)
      ADD_FAILURE() << utohexstr(word) << ": '" << adreno::printWord(word, chip) << "', Mesa: '"
                    << line << "'";
  }
  EXPECT_EQ(differing, 0u);
  EXPECT_GT(agreed, words.size() / 3);
  EXPECT_LT(excused, words.size() / 8);
  RecordProperty("agreed", int(agreed));
  RecordProperty("refused", int(refused));
  RecordProperty("excused", int(excused));
}

INSTANTIATE_TEST_SUITE_P(Chips, Ir3Peer, testing::Values("a630", "a660", "a740"),
                         [](const auto &info) { return std::string(info.param); });
