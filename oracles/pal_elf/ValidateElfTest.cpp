// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// validate-elf on ELFs that LLVM's assembler and compiler make: clean ones are clean, one mutant
// per rule fires exactly that rule, and no damage crashes it.
#include "oracles/pal_elf/ValidateElf.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static constexpr StringRef baseIr = R"(
define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %table, i32 inreg %set, i32 inreg %groups,
                                       <3 x i32> inreg %id, i32 inreg %info, i32 %lane) #0 {
  %pc = call i64 @llvm.amdgcn.s.getpc()
  %high = and i64 %pc, -4294967296
  %low = zext i32 %set to i64
  %address = or i64 %high, %low
  %pointer = inttoptr i64 %address to ptr addrspace(4)
  %buffer = load ptr addrspace(8), ptr addrspace(4) %pointer, align 16
  %offset = shl i32 %lane, 2
  %x = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %buffer, i32 %offset, i32 0, i32 0)
  %y = add i32 %x, 7
  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %y, ptr addrspace(8) %buffer, i32 %offset, i32 0, i32 0)
  ret void
}
attributes #0 = { nounwind "amdgpu-flat-work-group-size"="64,64" }
!amdgpu.pal.metadata.msgpack = !{!0}
)";

static constexpr StringRef chips[] = {"gfx900", "gfx1030", "gfx1100", "gfx1201"};

static const Bytes &baseElf() {
  static const Bytes elf = assemble(computeBase);
  return elf;
}

static std::vector<Finding> validate(const Bytes &bytes, const ValidateOptions &options = {}) {
  return cantFail(validateElf(bytes, options));
}

TEST(ElfView, ReadsSectionsSymbolsRelocationsAndNotes) {
  ElfView elf = cantFail(ElfView::read(baseElf()));
  EXPECT_FALSE(errorToBool(elf.verify()));
  ASSERT_NE(elf.findSymbol("_amdgpu_cs_main"), nullptr);
  EXPECT_EQ(cantFail(elf.symbolBytes(*elf.findSymbol("_amdgpu_cs_main"))).size(), 24u);
  ASSERT_EQ(elf.relocations().size(), 2u);
  EXPECT_EQ(elf.relocations()[0].type, 10u);
  EXPECT_EQ(elf.symbols()[elf.relocations()[0].symbol].name, "_amdgpu_cs_shdr_intrl_tbl");
  ASSERT_EQ(elf.notes().size(), 1u);
  EXPECT_EQ(elf.notes()[0].owner, "AMDGPU");
  EXPECT_EQ(elf.findSymbol("nothing"), nullptr);
}

TEST(Metadata, ReadsTheLaunchStateOfVersion3) {
  PalMetadata metadata = cantFail(readPalMetadata(cantFail(ElfView::read(baseElf()))));
  EXPECT_EQ(metadata.major, 3u);
  EXPECT_EQ(metadata.api, "Vulkan");
  EXPECT_EQ(metadata.userDataLimit, 2u);
  EXPECT_EQ(metadata.spillThreshold, 65535u);
  EXPECT_TRUE(metadata.compute.tgidZEn);
  const HardwareStageMetadata *cs = metadata.find(".cs");
  ASSERT_NE(cs, nullptr);
  EXPECT_EQ(cs->entryPoint, "_amdgpu_cs_main");
  EXPECT_EQ(cs->wavefrontSize, 64u);
  EXPECT_EQ(cs->threadgroupDimensions, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(cs->ldsSize, 512u);
  EXPECT_EQ(cs->userDataRegMap[2], user_data::Workgroup);
  EXPECT_EQ(cs->userDataRegMap[31], user_data::NotMapped);
  EXPECT_EQ(cs->floatMode, 192);
}

TEST(Metadata, ReadsTheLaunchStateOfVersion2FromRegisters) {
  Bytes bytes =
      assemble(computeBase, {{"[3, 0]", "[2, 6]"},
                             {"        .wavefront_size: 64\n", ""},
                             {"      0x2e13: 0x788", "      0x2e00: 0x8000\n      0x2e07: 32\n"
                                                     "      0x2e12: 0xc0000\n      0x2e13: 0x1388\n"
                                                     "      0x2e41: 7"}});
  PalMetadata metadata = cantFail(readPalMetadata(cantFail(ElfView::read(bytes))));
  const HardwareStageMetadata *cs = metadata.find(".cs");
  ASSERT_NE(cs, nullptr);
  EXPECT_EQ(cs->wavefrontSize, 32u);
  EXPECT_EQ(cs->threadgroupDimensions[0], 32u);
  EXPECT_EQ(cs->floatMode, 0xc0);
  EXPECT_EQ(cs->userSgprs, 4u);
  EXPECT_EQ(cs->userDataRegMap[1], 7u);
  EXPECT_EQ(metadata.compute.tidigCompCnt, 2u);
  EXPECT_TRUE(metadata.compute.tgidXEn);
  EXPECT_FALSE(metadata.compute.tgSizeEn);
}

TEST(Metadata, ReadsTheLdsSizeOfVersion2FromRegisters) {
  for (StringRef size : {"", "        .lds_size: 512\n"}) {
    Bytes bytes = assemble(computeBase, {{"[3, 0]", "[2, 6]"},
                                         {"        .lds_size: 512\n", size},
                                         {"      0x2e13: 0x788", "      0x2e13: 0x10788"}});
    PalMetadata metadata = cantFail(readPalMetadata(cantFail(ElfView::read(bytes))));
    EXPECT_EQ(metadata.find(".cs")->ldsSize, size.empty() ? 1024u : 512u);
  }
}

TEST(Metadata, RefusesWhatPalRefuses) {
  for (const Replacement &edit :
       {Replacement{"amdpal.version: [3, 0]\n", ""}, Replacement{"[3, 0]", "[1, 0]"},
        Replacement{".user_sgprs: 4", ".user_sgprs: four"},
        Replacement{".mem_ordered: true", ".mem_ordered: one"},
        Replacement{"[64, 1, 1]", "[64, 1, 1, 1]"}}) {
    Bytes bytes = assemble(computeBase, edit);
    Expected<PalMetadata> metadata = readPalMetadata(cantFail(ElfView::read(bytes)));
    EXPECT_FALSE(static_cast<bool>(metadata)) << edit.first.str();
    if (!metadata)
      EXPECT_EQ(takeError(metadata.takeError()).kind, ErrorKind::InvalidInput);
  }
}

/// LGC's habits: numbers for bools, and one for an array.
TEST(Metadata, TakesWhatPalConverts) {
  Bytes bytes = assemble(computeBase, {{".mem_ordered: true", ".mem_ordered: 1"},
                                       {".tgid_x_en: true", ".tgid_x_en: 0"},
                                       {".user_sgprs: 4", ".user_sgprs: 4.0"},
                                       {"[64, 1, 1]", "[64, true, [1]]"},
                                       {"[0x10000000, 0, 0x10000006, 0xffffffff]", "7"}});
  PalMetadata metadata = cantFail(readPalMetadata(cantFail(ElfView::read(bytes))));
  const HardwareStageMetadata *cs = metadata.find(".cs");
  ASSERT_NE(cs, nullptr);
  EXPECT_TRUE(cs->memOrdered);
  EXPECT_FALSE(metadata.compute.tgidXEn);
  EXPECT_EQ(cs->userSgprs, 4u);
  EXPECT_EQ(cs->threadgroupDimensions, (std::array<uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(cs->userDataRegMap[0], 7u);
  EXPECT_EQ(cs->userDataRegMap[1], user_data::NotMapped);
}

TEST(Schema, HasAllKeysOfPalAndNoneTwice) {
  std::set<std::pair<SchemaName, StringRef>> seen;
  unsigned palKeys = 0;
  for (const SchemaKey &row : getSchemaKeys()) {
    EXPECT_TRUE(seen.insert({row.owner, row.name}).second) << row.name.str();
    palKeys += row.dialect == SchemaDialect::Pal && !row.until;
    bool isEnum = row.type == SchemaType::Enum || row.type == SchemaType::EnumArray;
    EXPECT_EQ(isEnum, !getSchemaEnum(row.child).empty()) << row.name.str();
    EXPECT_EQ(row.type == SchemaType::Uint || row.type == SchemaType::UintArray || row.max == 15,
              row.max != 0)
        << row.name.str();
  }
  EXPECT_EQ(palKeys, 366u) << "PAL 3.6 has 366 keys";
}

TEST(ValidateElf, FindsNothingInCleanAssembly) {
  for (StringRef chip : chips) {
    ValidateOptions options;
    options.gfxip = chip.str();
    std::vector<Finding> findings = validate(assemble(computeBase, {}, chip), options);
    for (const Finding &finding : findings)
      EXPECT_EQ(finding.severity, Severity::Note) << chip.str() << "\n" << show(findings);
  }
  EXPECT_EQ(show(validate(baseElf())), "");
}

/// \p bytes as an escaped LLVM string.
static std::string escaped(ArrayRef<uint8_t> bytes) {
  std::string text;
  raw_string_ostream os(text);
  printEscapedString(StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()), os);
  return text;
}

TEST(ValidateElf, FindsNothingInWhatLlvmCompiles) {
  Bytes plain = assemble(computeBase, {{"      0x2e13: 0x788", "      0x2e40: 0x10000000"},
                                       {".entry_point_symbol", ".entry_point"}});
  Bytes blob = cantFail(findMetadataNote(cantFail(ElfView::read(plain)))).vec();
  std::string text = baseIr.str() + "!0 = !{!\"" + escaped(blob) + "\"}\n";
  for (StringRef chip : chips)
    for (const char *level : {"-O0", "-O2"}) {
      Bytes elf =
          runTool("llc-22", {"-mtriple=amdgcn--amdpal", ("-mcpu=" + chip).str(), level}, text);
      for (const Finding &finding : validate(elf))
        EXPECT_NE(finding.severity, Severity::Error)
            << chip.str() << " " << finding.rule << ": " << finding.message;
    }
}

/// Without code, the rules that need it are silent, and every other sees at least one mutant.
TEST(ValidateElf, EachMutantIsCaughtByItsRuleAlone) {
  ValidateOptions withoutCode;
  withoutCode.code = false;
  std::set<std::string> seenWithoutCode;
  for (const Mutant &mutant : listMutants()) {
    SCOPED_TRACE(mutant.rule.str() + ": " + describe(mutant));
    Bytes bytes = build(mutant);
    expectOnly(mutant.rule, bytes, mutant.severity);
    for (const Finding &finding : validate(bytes, withoutCode))
      seenWithoutCode.insert(finding.rule);
  }
  for (const RuleInfo *rule : listRules())
    EXPECT_EQ(seenWithoutCode.count(rule->id.str()) != 0, rule->scope != RuleScope::Code)
        << rule->id.str();
}

TEST(ValidateElf, FindsNothingInTheBasesOfMutants) {
  for (const Base *base : {&computeBase, &graphicsBase, &legacyBase(), &geometryBase(),
                           &tessellationBase(), &meshBase()})
    EXPECT_EQ(show(validate(assemble(*base))), "");
}

TEST(ValidateElf, ArchiveRuleCatchesMembersThatDoNotFit) {
  auto rulesOf = [](const Bytes &archive) {
    std::set<std::string> rules;
    for (const Finding &finding : validate(archive))
      rules.insert(finding.rule);
    return rules;
  };
  Bytes other = assemble(computeBase, {}, "gfx1030");
  std::set<std::string> only = {"ELF-26"};
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", baseElf()}})), std::set<std::string>());
  Bytes graphics = assemble(graphicsBase);
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", graphics}, {"b.elf", graphics}})), only);
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", baseElf()}, {"b.elf", graphics}})), only);
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", baseElf()}, {"b.elf", other}})), only);
  EXPECT_EQ(rulesOf(makeArchive({})), only);
  EXPECT_EQ(rulesOf(makeArchive({{"a.txt", Bytes{'h', 'i'}}})),
            (std::set<std::string>{"ELF-01", "ELF-26"}));
  Bytes cut = makeArchive({{"a.elf", baseElf()}});
  cut.resize(cut.size() - 100);
  EXPECT_EQ(rulesOf(cut), only);
}

TEST(ValidateElf, OptionsChooseRulesChipAndStrictness) {
  Bytes broken = baseElf();
  broken[7] = 64;
  broken[18] = 62;
  ValidateOptions options;
  options.only = {"ELF-03", "MD-"};
  EXPECT_EQ(validate(broken, options).size(), 1u);
  options.skip = {"ELF-"};
  EXPECT_EQ(validate(broken, options).size(), 0u);
  options = {};
  options.gfxip = "gfx1030";
  ASSERT_EQ(validate(baseElf(), options).size(), 1u);
  EXPECT_EQ(validate(baseElf(), options)[0].rule, "ELF-04");
  Bytes gfx1201 = assemble(computeBase, {}, "gfx1201");
  options.gfxip = "gfx1200";
  EXPECT_EQ(validate(gfx1201, options).size(), 0u);
  options.strict = true;
  options.only = {"ELF-04"};
  EXPECT_EQ(validate(gfx1201, options).size(), 1u);
  options.only = {"ELF-99"};
  EXPECT_TRUE(errorToBool(validateElf(gfx1201, options).takeError()));
  options = {};
  options.gfxip = "gfx7";
  EXPECT_TRUE(errorToBool(validateElf(gfx1201, options).takeError()));
}

TEST(ValidateElf, RefusesOptionsThatLeaveNoRule) {
  auto isRefused = [](std::vector<std::string> only, std::vector<std::string> skip, bool code) {
    ValidateOptions options;
    options.only = std::move(only);
    options.skip = std::move(skip);
    options.code = code;
    return errorToBool(checkValidateOptions(options));
  };
  EXPECT_TRUE(isRefused({"ELF-01"}, {"ELF-"}, true));
  EXPECT_TRUE(isRefused({"MC-0", "MC-1"}, {}, false));
  EXPECT_FALSE(isRefused({"MC-0"}, {}, true));
  EXPECT_FALSE(isRefused({"MC-"}, {}, false)) << "MC-22 and MC-23 read metadata";
}

/// Neither is looked into: what an AMD driver demands of its files means nothing there.
TEST(ValidateElf, SaysOnlyThatAnElfIsForeign) {
  Bytes other = assemble(computeBase, {{".type: Cs", ".type: Banana"}});
  other[18] = 62;
  std::string findings = show(validate(other));
  EXPECT_EQ(findings, "ELF-03 offset 0x12: e_machine is 62, expected 224 (AMDGPU)\n");
  other[7] = 0;
  EXPECT_NE(show(validate(other)).find("EI_OSABI is 0, expected 65"), std::string::npos);
  auto said = [](StringRef start) {
    Bytes bytes(start.bytes_begin(), start.bytes_end());
    bytes.resize(100);
    return show(validate(bytes));
  };
  EXPECT_NE(said("!<thin>\n").find("a thin archive"), std::string::npos);
  EXPECT_NE(said("ASSAYRDV").find("a shader of RADV"), std::string::npos);
  EXPECT_NE(said("nothing").find("the first bytes are not 7f"), std::string::npos);
}

TEST(ValidateElf, SurvivesTruncationAtEveryLength) {
  Bytes bytes = baseElf();
  for (size_t length = 0; length < bytes.size(); ++length) {
    Bytes cut(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_FALSE(validate(cut).empty()) << "cut to " << length << " bytes";
  }
}

TEST(ValidateElf, SurvivesRandomDamage) {
  std::mt19937_64 random(7); // NOLINT(bugprone-random-generator-seed): the same each time.
  unsigned found = 0;
  constexpr unsigned rounds = 20000;
  for (unsigned round = 0; round < rounds; ++round) {
    Bytes bytes = baseElf();
    for (unsigned i = 0; i <= random() % 4; ++i) {
      size_t at = random() % bytes.size();
      if (random() % 2)
        bytes[at] ^= static_cast<uint8_t>(1u << (random() % 8));
      else
        bytes[at] = static_cast<uint8_t>(random());
    }
    found += !validate(bytes).empty();
    Expected<ElfView> elf = ElfView::read(bytes);
    if (!elf) {
      consumeError(elf.takeError());
      continue;
    }
    if (Expected<PalMetadata> metadata = readPalMetadata(*elf); !metadata)
      consumeError(metadata.takeError());
  }
  EXPECT_GT(found, rounds / 3) << "most damage outside code and data is seen";
}

TEST(ValidateElf, TellsWhatIsWrongWithEachMalformedFile) {
  StringRef folder = ASSAY_SOURCE_DIR "/corpora/regress/malformed/";
  std::string manifest = cantFail(readFileText((folder + "MANIFEST").str()));
  SmallVector<StringRef, 64> lines;
  StringRef(manifest).split(lines, '\n', -1, false);
  unsigned files = 0;
  for (StringRef line : lines) {
    SmallVector<StringRef, 4> columns;
    line.split(columns, '|');
    if (columns.size() != 4 || columns[1].trim() != "validate-elf")
      continue;
    ++files;
    Bytes bytes = cantFail(readFileBytes((folder + columns[0].trim()).str()));
    std::string findings = show(validate(bytes));
    EXPECT_NE(findings.find(columns[3].trim().str()), std::string::npos)
        << columns[0].str() << ":\n"
        << findings;
  }
  EXPECT_GE(files, 11u);
}
