// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutations of PAL ELFs reach every layer of validate-elf, and what must hold of it can fail.
#include "fuzz/elf/ElfMutation.h"

#include "fuzz/elf/CheckValidation.h"
#include "fuzz/elf/MetadataMutation.h"
#include "fuzz/elf/NoteParts.h"
#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "support/File.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// A seed that the build has made.
static Bytes seedFile(StringRef name) {
  return cantFail(readFileBytes((ASSAY_BINARY_DIR "/fuzz/targets/seeds/pal-elf/" + name).str()));
}

static constexpr StringRef names[] = {
    "compute-gfx1100.elf",      "registers-gfx900.elf", "library-gfx1030.elf", "stages-gfx1201.elf",
    "legacy-gfx1010.elf",       "geometry-gfx1030.elf", "ngg-gfx1150.elf",     "mesh-gfx1100.elf",
    "tessellation-gfx1201.elf", "ngg-gfx1030.elf"};

static std::vector<Finding> validate(const Bytes &bytes) {
  return cantFail(validateElf(bytes, {}));
}

TEST(ElfParts, PutTogetherAgainJudgeTheSame) {
  for (StringRef name : names) {
    Bytes bytes = seedFile(name);
    std::optional<ElfParts> parts = tryReadParts(bytes);
    ASSERT_TRUE(parts) << name.str();
    EXPECT_EQ(validate(writeParts(*parts)).size(), validate(bytes).size()) << name.str();
    EXPECT_TRUE(writeParts(*tryReadParts(writeParts(*parts))) == writeParts(*parts));
  }
  EXPECT_FALSE(tryReadParts({}));
  EXPECT_FALSE(tryReadParts(ArrayRef(seedFile(names[0])).take_front(200)));
}

TEST(NoteParts, ReadAndWriteToTheSameBytes) {
  Bytes bytes = seedFile(names[0]);
  std::optional<ElfParts> parts = tryReadParts(bytes);
  const Bytes &section = parts->find(elf::ShtNote)->contents;
  EXPECT_EQ(readNoteParts(section).size(), 1u);
  EXPECT_EQ(writeNoteParts(readNoteParts(section)), section);
}

TEST(MsgPackWriter, WritesWhatTheReaderReads) {
  for (StringRef name : names) {
    Bytes bytes = seedFile(name);
    ElfView elf = cantFail(ElfView::read(bytes));
    ArrayRef<uint8_t> metadata = cantFail(findMetadataNote(elf));
    EXPECT_EQ(ArrayRef(writeMsgPack(cantFail(readMsgPack(metadata)))), metadata) << name.str();
  }
  // Every kind of value, lengths on both sides of every border.
  for (uint64_t length : {0, 1, 15, 16, 31, 32, 255, 256, 65535, 65536}) {
    std::string text(length, 'x');
    MsgValue root;
    root.kind = MsgKind::Array;
    for (MsgKind kind : {MsgKind::Nil, MsgKind::Bool, MsgKind::Uint, MsgKind::Int, MsgKind::Float,
                         MsgKind::String, MsgKind::Binary, MsgKind::Array}) {
      MsgValue item;
      item.kind = kind;
      item.bits = kind == MsgKind::Int ? ~length : kind == MsgKind::Bool ? 1 : length;
      if (kind == MsgKind::String || kind == MsgKind::Binary)
        item.text = text;
      if (kind == MsgKind::Array)
        item.items.resize(length);
      root.items.push_back(std::move(item));
    }
    Bytes bytes = writeMsgPack(root);
    MsgValue again = cantFail(readMsgPack(bytes));
    ASSERT_EQ(again.items.size(), root.items.size());
    for (size_t i = 0; i < root.items.size(); ++i) {
      EXPECT_EQ(again.items[i].kind, root.items[i].kind) << length;
      EXPECT_EQ(again.items[i].text, root.items[i].text) << length;
      EXPECT_EQ(again.items[i].items.size(), root.items[i].items.size()) << length;
    }
    EXPECT_EQ(again.items[2].bits, length);
    EXPECT_EQ(again.items[3].bits, ~length);
  }
}

TEST(ElfMutation, ChangesAndRepeats) {
  Bytes bytes = seedFile(names[0]);
  unsigned changed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Bytes mutant = mutateElf(bytes, seed);
    EXPECT_EQ(mutant, mutateElf(bytes, seed));
    changed += mutant != bytes;
  }
  EXPECT_GE(changed, 95u);
  EXPECT_NE(mutateElf({}, 1), Bytes());
}

/// The point of it all: what random bytes do not reach.
TEST(ElfMutation, ReachesTheRulesOnEveryLayer) {
  std::set<std::string> rules, families;
  unsigned deep = 0, count = 0;
  for (StringRef name : names) {
    Bytes bytes = seedFile(name);
    for (uint64_t seed = 0; seed < 200; ++seed, ++count) {
      std::vector<Finding> findings = validate(mutateElf(bytes, seed));
      bool isDeep = true;
      for (const Finding &finding : findings) {
        rules.insert(finding.rule);
        families.insert(finding.rule.substr(0, finding.rule.find('-')));
        isDeep &= StringRef(finding.rule).starts_with("ELF") == false;
      }
      deep += isDeep;
    }
  }
  EXPECT_EQ(families, (std::set<std::string>{"ELF", "MD", "TOP", "RES", "UD", "GEO", "PS", "MC"}));
  EXPECT_GE(rules.size(), 80u);
  RecordProperty("rules", int(rules.size()));
  EXPECT_GE(deep * 2, count) << "most mutants are sound ELFs";
}

TEST(ElfMutation, MixesElfsAndArchives) {
  Bytes first = seedFile("ngg-gfx1100.elf"), second = seedFile("compute-gfx1100.elf");
  Bytes archive = seedFile("archive-gfx1100.a");
  unsigned changed = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    changed += mixElfs(first, second, seed) != first;
    Bytes mixed = mixElfs(archive, first, seed);
    EXPECT_EQ(cantFail(readArchive(mixed)).size(), 3u);
    EXPECT_TRUE(isArchive(mutateElf(archive, seed)) || seed);
  }
  EXPECT_GE(changed, 90u);
}

TEST(CheckValidation, HoldsForMutantsOfMutants) {
  for (StringRef name : names) {
    Bytes bytes = seedFile(name);
    EXPECT_EQ(checkValidation(bytes), "") << name.str();
    for (uint64_t seed = 0; seed < 60; ++seed) {
      bytes = mutateElf(bytes, seed);
      ASSERT_EQ(checkValidation(bytes), "") << name.str() << " " << seed;
    }
  }
}
