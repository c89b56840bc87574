// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The project's decoder against LLVM's: every row of every chip with random fields, and random
// words. ASSAY_SCALE=full takes ten million of the latter for each chip, ASSAY_WORDS as many as it
// says.
#include "oracles/machine/gcn_isa/reference/InstCompare.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>
#include <set>

using namespace assay;
using namespace assay::gcn;

namespace {

struct Target {
  Chip chip;
  unsigned waveSize;
};

constexpr Target Targets[] = {
    {Chip::Gfx900, 64},  {Chip::Gfx1010, 32}, {Chip::Gfx1010, 64},
    {Chip::Gfx1030, 32}, {Chip::Gfx1100, 32}, {Chip::Gfx1100, 64},
    {Chip::Gfx1150, 32}, {Chip::Gfx1201, 32}, {Chip::Gfx1201, 64},
};

constexpr size_t BatchSize = 4096;
constexpr size_t DifferencesShown = 20;

class DecoderDifference : public testing::TestWithParam<Target> {};

} // namespace

static InstCompare makeCompare(const Target &target) {
  auto compare = InstCompare::create(target.chip, target.waveSize);
  EXPECT_TRUE(bool(compare));
  return std::move(*compare);
}

static bool isFullScale() {
  const char *scale = std::getenv("ASSAY_SCALE");
  return scale && llvm::StringRef(scale) == "full";
}

static unsigned valuesPerRow() {
  return isFullScale() ? 1000 : 100;
}

static uint64_t wordCount() {
  if (const char *words = std::getenv("ASSAY_WORDS"))
    return std::strtoull(words, nullptr, 0);
  return isFullScale() ? 10'000'000 : 50'000;
}

static Words randomWords(std::mt19937_64 &random) {
  Words words;
  for (uint32_t &dword : words.dwords)
    dword = static_cast<uint32_t>(random());
  return words;
}

/// Of a layout without opcodes, nothing.
static void setOpcode(Words &words, const FormatLayout &layout, uint64_t opcode) {
  const FieldPlace *place = layout.find(Field::Op);
  if (!place)
    return;
  words.set(place->lsb, place->width, opcode);
  words.set(place->highLsb, place->highWidth, opcode >> place->width);
}

/// Random fields, or, \p isExtreme, many of all zeros or all ones, with the bits that make it \p
/// form.
static Words randomForm(const InstForm &form, std::mt19937_64 &random, bool isExtreme = false) {
  Words words = randomWords(random);
  const FormatLayout &layout = *form.layout;
  for (const FieldPlace &place : layout.fields)
    if (unsigned choice = random() % 3; isExtreme && choice < 2)
      for (auto [lsb, width] :
           {std::pair(place.lsb, place.width), std::pair(place.highLsb, place.highWidth)})
        words.set(lsb, width, choice ? ~uint64_t(0) : 0);
  words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
  words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
  setOpcode(words, layout, form.opcode);
  // Fields that must be 0, else few words of the row would be valid.
  for (const Slot &slot : form.slots)
    if (const FieldPlace *place = layout.find(static_cast<Field>(slot.number)))
      if (slot.kind->name == "unused")
        words.set(place->lsb, place->width, 0);
  return words;
}

/// The same, drawn again until it is a valid instruction of \p form: few fields of some formats
/// take any value. Reserved bits, of which random ones are seldom clear, are cleared.
static Words validForm(const InstForm &form, const InstCompare &compare, std::mt19937_64 &random) {
  constexpr unsigned MaxDraws = 8000;
  Words words;
  for (unsigned i = 0; i < MaxDraws; ++i) {
    words = compare.clearReserved(randomForm(form, random, i % 2));
    Inst own = compare.decode(words);
    if (own.valid && own.form == &form)
      break;
  }
  return words;
}

static void report(const std::vector<std::string> &differences) {
  for (const std::string &difference : differences)
    ADD_FAILURE() << difference;
}

/// Rows of which LLVM decodes no word on \p target; docs/errata-amdgpu.md says why.
static bool isUnknownToLlvm(const InstForm &form, const Target &target) {
  static constexpr llvm::StringLiteral Halves[] = {"v_mov_b16", "v_swap_b16"};
  switch (form.layout->format) {
  case Format::VopcDpp16:
  case Format::VopcDpp8:
    return target.chip < Chip::Gfx1100; // "Comparisons with DPP before GFX11"
  case Format::VopdX:
  case Format::VopdY:
    return target.waveSize == 64; // Pairs are for waves of 32.
  default:
    return target.chip == Chip::Gfx1201 && // "Halves of registers on GFX12"
           llvm::is_contained(Halves, llvm::StringRef(form.row->name));
  }
}

/// Each row has words on which both decoders agree, or is known to have none.
static void checkEveryRow(const Target &target, const CompareCounts &counts, unsigned values) {
  for (const InstForm *form : IsaTable::get(target.chip).forms()) {
    auto found = counts.validByForm.find(form);
    uint64_t valid = found == counts.validByForm.end() ? 0 : found->second;
    std::string name =
        form->row->name.str() + " of format " + std::to_string(unsigned(form->layout->format));
    if (isUnknownToLlvm(*form, target))
      EXPECT_EQ(valid, 0u) << name << " is known after all";
    else
      EXPECT_GE(valid, values / 50) << name;
  }
}

TEST_P(DecoderDifference, EveryRowWithRandomFields) {
  InstCompare compare = makeCompare(GetParam());
  std::mt19937_64 random(7);
  std::vector<Words> batch;
  const unsigned values = valuesPerRow();
  for (const InstForm *form : IsaTable::get(GetParam().chip).forms()) {
    for (unsigned i = 0; i < values / 2 && form->layout->format != Format::VopdY; ++i) {
      batch.push_back(randomForm(*form, random));
      batch.push_back(validForm(*form, compare, random));
    }
    if (batch.size() + values < BatchSize)
      continue;
    report(compare.compare(batch, DifferencesShown));
    batch.clear();
  }
  report(compare.compare(batch, DifferencesShown));
  EXPECT_GT(compare.counts().valid, compare.counts().words / 4);
  EXPECT_GT(compare.counts().encoded, compare.counts().words / 4);
  checkEveryRow(GetParam(), compare.counts(), values);
}

/// Opcodes that LLVM knows and no row has: every number in every encoding, with operands that are
/// good for some of its rows.
TEST_P(DecoderDifference, EveryOpcodeOfEveryEncoding) {
  constexpr unsigned RowsPerLayout = 6;
  InstCompare compare = makeCompare(GetParam());
  std::mt19937_64 random(13);
  std::map<const FormatLayout *, std::vector<const InstForm *>> rows;
  for (const InstForm *form : IsaTable::get(GetParam().chip).forms())
    if (form->layout->find(Field::Op) && form->layout->format != Format::VopdY)
      rows[form->layout].push_back(form);
  for (const auto &[layout, forms] : rows) {
    const FieldPlace *place = layout->find(Field::Op);
    std::vector<Words> batch;
    for (unsigned i = 0; i < RowsPerLayout; ++i) {
      Words words = validForm(*forms[i * forms.size() / RowsPerLayout], compare, random);
      for (uint64_t opcode = 0; opcode >> (place->width + place->highWidth) == 0; ++opcode) {
        setOpcode(words, *layout, opcode);
        batch.push_back(words);
      }
    }
    report(compare.compare(batch, DifferencesShown));
  }
  EXPECT_GT(compare.counts().valid, 1000u);
}

/// Slots whose text depends on every bit of a 16-bit immediate.
static bool hasOwnText(const InstForm &form) {
  static constexpr llvm::StringLiteral Names[] = {"waitcnt", "depctr",  "delay",    "message",
                                                  "hwreg",   "version", "indexmode"};
  return llvm::any_of(form.slots,
                      [](const Slot &slot) { return llvm::is_contained(Names, slot.kind->name); });
}

TEST_P(DecoderDifference, EveryImmediateOfScalarControl) {
  InstCompare compare = makeCompare(GetParam());
  for (const InstForm *form : IsaTable::get(GetParam().chip).forms()) {
    if (!hasOwnText(*form))
      continue;
    std::vector<Words> batch;
    for (unsigned value = 0; value < 65536; ++value) {
      Words words{{form->layout->value}};
      const FieldPlace *place = form->layout->find(Field::Op);
      words.set(place->lsb, place->width, form->opcode);
      words.set(0, 16, value);
      batch.push_back(words);
    }
    report(compare.compare(batch, DifferencesShown));
  }
  EXPECT_GT(compare.counts().valid, 65536u);
}

TEST_P(DecoderDifference, RandomWords) {
  InstCompare compare = makeCompare(GetParam());
  std::mt19937_64 random(11);
  uint64_t count = wordCount();
  for (uint64_t done = 0; done < count; done += BatchSize) {
    std::vector<Words> batch;
    for (size_t i = 0; i < BatchSize; ++i)
      batch.push_back(randomWords(random));
    report(compare.compare(batch, DifferencesShown));
    if (HasFailure())
      break;
  }
  EXPECT_GT(compare.counts().valid, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Chips, DecoderDifference, testing::ValuesIn(Targets),
    [](const testing::TestParamInfo<Target> &info) {
      return (chipName(info.param.chip) + "w" + llvm::Twine(info.param.waveSize)).str();
    });

/// The anchor of a heading, as readers of Markdown make it.
static std::string anchorOf(llvm::StringRef heading) {
  std::string anchor;
  for (char c : heading.lower())
    if (llvm::isAlnum(c) || c == '_' || c == '-')
      anchor += c;
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

TEST(KnownDifferences, HaveHeadingsInErrata) {
  auto file = llvm::MemoryBuffer::getFile(ASSAY_SOURCE_DIR "/docs/errata-amdgpu.md");
  ASSERT_TRUE(bool(file));
  std::set<std::string> anchors;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.consume_front("## "))
      anchors.insert(anchorOf(line));
  for (const auto &rows : {knownDifferences(), knownMemoryDifferences()})
    for (const KnownDifference &row : rows)
      EXPECT_TRUE(anchors.count(row.id.str())) << row.id.str();
}
