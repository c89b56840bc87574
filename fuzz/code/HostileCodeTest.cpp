// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that only somebody who means harm writes: each ends in bounded time, with its reason.
// And what keeps fuzzing honest: that inputs read as they were written, and that a fault would
// show.
#include "fuzz/code/CodeMutation.h"
#include "fuzz/code/RoundTrip.h"
#include "oracles/machine/gcn_isa/Assembler.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "support/Error.h"
#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;
using gcn::Chip;

static std::vector<uint32_t> assembleWords(Chip chip, unsigned waveSize, StringRef text) {
  auto elf = gcn::assembleElf((".text\n" + text + "\n").str(), gcn::chipName(chip), waveSize);
  if (!elf) {
    ADD_FAILURE() << text.str() << ": " << takeError(elf.takeError()).message;
    return {};
  }
  Expected<ElfView> view = ElfView::read(*elf);
  const ElfSection *section = view ? view->findSection(".text") : nullptr;
  if (!section) {
    ADD_FAILURE() << "no .text";
    return {};
  }
  std::vector<uint32_t> words;
  for (size_t at = 0; at + 4 <= section->bytes.size(); at += 4)
    words.push_back(support::endian::read32le(section->bytes.data() + at));
  return words;
}

static HostileCode makeCode(Chip chip, StringRef text) {
  HostileCode code;
  code.chip = chip;
  code.waveSize = chip == Chip::Gfx900 ? 64 : 32;
  code.words = assembleWords(chip, code.waveSize, text);
  return code;
}

/// How it ends, after all that checkHostileCode checks.
static std::string endOf(const HostileCode &code) {
  EXPECT_EQ(checkHostileCode(code), "");
  Expected<Outcome> outcome = runHostileCode(code, {});
  if (!outcome)
    return takeError(outcome.takeError()).message;
  static constexpr StringLiteral Kinds[] = {"completed", "trap",    "hazard",
                                            "undefined", "timeout", "unsupported"};
  return (Kinds[unsigned(outcome->kind)] + ": " + outcome->reason).str();
}

static constexpr Chip AllChips[] = {Chip::Gfx900,  Chip::Gfx1010, Chip::Gfx1030,
                                    Chip::Gfx1100, Chip::Gfx1150, Chip::Gfx1201};

namespace {
struct HostileProgram {
  const char *text;
  const char *end; ///< How the message begins, on every chip.
};
} // namespace

static constexpr HostileProgram Programs[] = {
    {"s_branch .", "timeout: "},
    {"s_branch 32767", "trap: BAD-BRANCH"},
    {"s_branch 0x8000", "trap: BAD-BRANCH"},
    {"s_setpc_b64 s[0:1]", "trap: BAD-BRANCH"},
    {"s_swappc_b64 s[0:1], s[2:3]", "trap: BAD-BRANCH"},
    {"s_nop 0", "trap: PAST-END"},
    {"s_mov_b64 s[4:5], exec\n s_mov_b64 exec, 0\n s_endpgm", "completed: "},
    {"v_mov_b32 v0, 0x7fffffff\n s_mov_b32 m0, -1\n ds_read_b32 v1, v0\n s_endpgm",
     "trap: LDS-RANGE"},
    {".long 0xffffffff", "trap: ILLEGAL"},
};

TEST(HostileCode, EndsWithItsReasonOnEveryChip) {
  for (Chip chip : AllChips)
    for (const HostileProgram &program : Programs) {
      std::string end = endOf(makeCode(chip, program.text));
      EXPECT_TRUE(StringRef(end).starts_with(program.end))
          << gcn::chipName(chip).str() << ": " << program.text << ": " << end;
    }
}

TEST(HostileCode, GroupsThatNeverEndShareOneBudget) {
  HostileCode code = makeCode(Chip::Gfx1100, "s_branch .");
  code.groups = 8;
  code.groupThreads = 256;
  Expected<Outcome> outcome = runHostileCode(code, {.maxInstructions = 1000});
  ASSERT_TRUE(static_cast<bool>(outcome)) << takeError(outcome.takeError()).message;
  EXPECT_EQ(outcome->kind, OutcomeKind::Timeout);
  EXPECT_LE(outcome->instructions, 1000u);
}

TEST(HostileCode, HugeDispatchesAreRefused) {
  HostileCode code = makeCode(Chip::Gfx1100, "s_endpgm");
  // The last two have 0 workgroups in 64 bits.
  const std::array<uint32_t, 3> Huge[] = {{~0u, ~0u, ~0u},
                                          {1u << 16, 1u << 16, 1},
                                          {1u << 31, 1u << 31, 4},
                                          {1u << 31, 1u << 31, 1u << 30}};
  for (const std::array<uint32_t, 3> &groups : Huge) {
    Expected<Outcome> outcome = runHostileCode(code, {.groups = groups});
    ASSERT_TRUE(static_cast<bool>(outcome)) << takeError(outcome.takeError()).message;
    EXPECT_EQ(outcome->kind, OutcomeKind::Unsupported);
    EXPECT_TRUE(StringRef(outcome->reason).starts_with("a dispatch of ")) << outcome->reason;
  }
}

/// Loads, samples and asks for the size of what is in s[0:7] and s[8:11].
static std::string imageText(Chip chip, StringRef type) {
  StringRef address = chip == Chip::Gfx1201 ? "[v0, v1, v2]" : "v[0:2]";
  std::string dimension;
  if (chip != Chip::Gfx900)
    dimension = (" dim:SQ_RSRC_IMG_" + type).str();
  return ("v_mov_b32 v1, 7\n v_mov_b32 v2, 1.0\n s_nop 7\n image_get_resinfo v[4:7], v1, s[0:7] "
          "dmask:0xf" +
          dimension + "\n image_load v[8:11], " + address + ", s[0:7] dmask:0xf" + dimension +
          "\n image_sample v[12:15], " + address + ", s[0:7], s[8:11] dmask:0xf" + dimension +
          "\n s_endpgm")
      .str();
}

TEST(HostileCode, DescriptorsOfGarbageAreBoundedAndNamed) {
  std::mt19937 random(1);
  for (Chip chip : AllChips) {
    HostileCode code = makeCode(chip, imageText(chip, "3D"));
    std::set<std::string> ends;
    for (unsigned i = 0; i < 150; ++i) {
      for (uint32_t &word : code.sgprs)
        word = random();
      code.sgprs[0] = 0x45000000; // Address bits 39 to 8, then 47 to 40: those of the data.
      code.sgprs[1] = (random() & 0xffffff00) | 0x23;
      code.sgprs[3] = (random() & 0x0ff00fff) | 10u << 28; // 3D, from level 0 to level 0.
      ends.insert(endOf(code).substr(0, 60));
    }
    EXPECT_GT(ends.size(), 1u) << gcn::chipName(chip).str() << ": " << *ends.begin();
  }
}

TEST(HostileCode, BytesReadAsTheyWereWritten) {
  HostileCode code;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::vector<uint8_t> bytes = writeHostileCode(code);
    EXPECT_EQ(writeHostileCode(readHostileCode(bytes)), bytes) << seed;
    mutateCode(code, seed);
    if (code.words.size() > 200)
      code = HostileCode();
  }
  EXPECT_EQ(readHostileCode({}).words.size(), 0u);
}

TEST(HostileCode, MutationsDecodeAndRun) {
  for (Chip chip : AllChips) {
    HostileCode code;
    code.chip = chip;
    unsigned valid = 0;
    for (uint32_t seed = 0; seed < 60; ++seed) {
      mutateCode(code, seed);
      EXPECT_EQ(checkHostileCode(code), "") << gcn::chipName(chip).str() << " " << seed;
      std::vector<uint8_t> bytes = writeHostileCode(code);
      ArrayRef<uint8_t> text = ArrayRef(bytes).drop_front(HeaderBytes);
      EXPECT_EQ(checkRoundTrip(code.chip, code.waveSize, text), "");
      for (const gcn::Inst &inst :
           gcn::TableDecoder(code.chip, code.waveSize).decodeRange(text, 0, text.size()))
        valid += inst.valid;
    }
    EXPECT_GT(valid, 100u) << "mutations hardly ever decode";
  }
}

TEST(HostileCode, MixesCutNoInstruction) {
  HostileCode one = makeCode(Chip::Gfx1100, "s_mov_b32 s0, 0x12345678\nv_mov_b32 v0, 1\ns_endpgm");
  HostileCode other = makeCode(Chip::Gfx1100, "v_add_f32 v1, 0x42280000, v1\ns_endpgm");
  std::set<std::vector<uint32_t>> seen;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    HostileCode mixed = mixCode(one, other, seed);
    EXPECT_EQ(mixed.words, mixCode(one, other, seed).words);
    seen.insert(mixed.words);
    std::vector<uint8_t> bytes = writeHostileCode(mixed);
    ArrayRef<uint8_t> text = ArrayRef(bytes).drop_front(HeaderBytes);
    for (const gcn::Inst &inst :
         gcn::TableDecoder(mixed.chip, mixed.waveSize).decodeRange(text, 0, text.size()))
      EXPECT_TRUE(inst.valid) << seed << ": a literal without its instruction, or the reverse";
  }
  EXPECT_GT(seen.size(), 20u);
  HostileCode elsewhere = makeCode(Chip::Gfx1201, "s_endpgm");
  EXPECT_EQ(mixCode(one, elsewhere, 1).chip, Chip::Gfx1201);
  one.words.resize(MaxWords);
  EXPECT_LE(mixCode(one, other, 3).words.size(), MaxWords);
}

TEST(RoundTrip, EndsWithCutInstructions) {
  // v_mov_b32 v0, literal, without its literal.
  const uint8_t cut[] = {0xff, 0x02, 0x00, 0x7e};
  EXPECT_EQ(checkRoundTrip(Chip::Gfx1100, 32, cut), "");
}
