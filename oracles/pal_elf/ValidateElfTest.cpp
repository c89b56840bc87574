// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// validate-elf on ELFs that LLVM's assembler and compiler make: clean ones are clean, one mutant
// per rule fires exactly that rule, and no damage crashes it.
#include "oracles/pal_elf/ValidateElf.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/Rules.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;

using Bytes = std::vector<uint8_t>;
using Replacement = std::pair<StringRef, StringRef>;

static constexpr StringRef baseText = R"(
	.text
	.globl _amdgpu_cs_main
	.p2align 8
	.type _amdgpu_cs_main,@function
_amdgpu_cs_main:
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, _amdgpu_cs_shdr_intrl_tbl@rel32@lo+4
	s_addc_u32 s1, s1, _amdgpu_cs_shdr_intrl_tbl@rel32@hi+12
	s_endpgm
.Lend:
	.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main
	.globl _amdgpu_pipelineLink0
	.type _amdgpu_pipelineLink0,@function
_amdgpu_pipelineLink0:
	s_endpgm
.Lend0:
	.size _amdgpu_pipelineLink0, .Lend0-_amdgpu_pipelineLink0
	.globl _amdgpu_pipelineLink1
	.type _amdgpu_pipelineLink1,@function
_amdgpu_pipelineLink1:
	s_endpgm
.Lend1:
	.size _amdgpu_pipelineLink1, .Lend1-_amdgpu_pipelineLink1
	.section .rodata,"a",@progbits
	.p2align 5
	.globl _amdgpu_cs_shdr_intrl_tbl
	.type _amdgpu_cs_shdr_intrl_tbl,@object
_amdgpu_cs_shdr_intrl_tbl:
	.long 1, 2, 3, 4
	.size _amdgpu_cs_shdr_intrl_tbl, 16
	.section .AMDGPU.disasm,"",@progbits
	.globl _amdgpu_cs_disasm
	.type _amdgpu_cs_disasm,@object
_amdgpu_cs_disasm:
	.ascii "s_endpgm\n"
	.size _amdgpu_cs_disasm, 9
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Cs
    .internal_pipeline_hash: [0x1234, 0x5678]
    .user_data_limit: 2
    .spill_threshold: 65535
    .shaders:
      .compute:
        .api_shader_hash: [0x9abc, 0xdef0]
        .hardware_mapping: [.cs]
    .hardware_stages:
      .cs:
        .entry_point_symbol: _amdgpu_cs_main
        .wavefront_size: 64
        .threadgroup_dimensions: [64, 1, 1]
        .user_sgprs: 4
        .user_data_reg_map: [0x10000000, 0, 0x10000006, 0xffffffff]
        .float_mode: 192
        .scratch_memory_size: 0
        .lds_size: 512
        .vgpr_count: 8
        .sgpr_count: 16
        .mem_ordered: true
    .compute_registers:
      .tgid_x_en: true
      .tgid_y_en: true
      .tgid_z_en: true
      .tg_size_en: true
      .tidig_comp_cnt: 0
    .registers:
      0x2e13: 0x788
...
	.end_amdgpu_pal_metadata
)";

static constexpr StringRef graphicsText = R"(
	.text
	.globl _amdgpu_gs_main
	.p2align 8
	.type _amdgpu_gs_main,@function
_amdgpu_gs_main:
	s_endpgm
.Lgs:
	.size _amdgpu_gs_main, .Lgs-_amdgpu_gs_main
	.globl _amdgpu_ps_main
	.p2align 8
	.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
	s_endpgm
.Lps:
	.size _amdgpu_ps_main, .Lps-_amdgpu_ps_main
	.amdgpu_pal_metadata
---
amdpal.version: [3, 0]
amdpal.pipelines:
  - .api: Vulkan
    .type: Ngg
    .user_data_limit: 8
    .spill_threshold: 4
    .shaders:
      .vertex:
        .hardware_mapping: [.gs]
      .pixel:
        .hardware_mapping: [.ps]
    .hardware_stages:
      .gs:
        .entry_point: _amdgpu_gs_main
        .wavefront_size: 64
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 0x10000003, 0x10000004, 0, 1, 0x1000000f]
        .vgpr_count: 8
        .shared_vgpr_cnt: 8
      .ps:
        .entry_point: _amdgpu_ps_main
        .user_sgprs: 8
        .user_data_reg_map: [0x10000000, 0x10000002, 3, 2, 0x10000018]
        .perf_data_buffer_size: 0
    .graphics_registers:
      .vgt_shader_stages_en:
        .hs_stage_en: false
        .gs_stage_en: false
        .primgen_en: true
...
	.end_amdgpu_pal_metadata
)";

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

/// Runs an LLVM tool over \p text and gives what it writes. Fails the test when it can't.
static Bytes runTool(StringRef tool, std::vector<std::string> arguments, StringRef text) {
  ErrorOr<std::string> program = sys::findProgramByName(tool);
  if (!program) {
    ADD_FAILURE() << tool.str() << " is not installed";
    return {};
  }
  SmallString<128> input, output;
  EXPECT_FALSE(sys::fs::createTemporaryFile("assay-pal-elf", "in", input));
  EXPECT_FALSE(sys::fs::createTemporaryFile("assay-pal-elf", "o", output));
  cantFail(writeFile(input, text));
  arguments.insert(arguments.begin(), tool.str());
  for (const char *more : {"-filetype=obj", "-o", output.c_str(), input.c_str()})
    arguments.push_back(more);
  std::vector<StringRef> argv(arguments.begin(), arguments.end());
  std::string message;
  EXPECT_EQ(sys::ExecuteAndWait(*program, argv, std::nullopt, {}, 60, 0, &message), 0) << message;
  Bytes bytes = cantFail(readFileBytes(output));
  EXPECT_FALSE(sys::fs::remove(input));
  EXPECT_FALSE(sys::fs::remove(output));
  return bytes;
}

/// \p base with \p replacements, assembled for \p chip.
static Bytes assemble(ArrayRef<Replacement> replacements = {}, StringRef chip = "gfx1100",
                      StringRef base = baseText) {
  std::string text = base.str();
  for (const auto &[from, to] : replacements) {
    size_t at = text.find(from.str());
    EXPECT_NE(at, std::string::npos) << from.str();
    if (at != std::string::npos)
      text.replace(at, from.size(), to.str());
  }
  return runTool("llvm-mc-22", {"-triple=amdgcn--amdpal", ("-mcpu=" + chip).str()}, text);
}

static const Bytes &baseElf() {
  static const Bytes elf = assemble();
  return elf;
}

/// Replaces the first occurrence of \p from after \p begin; the lengths must be equal.
static void patch(Bytes &bytes, StringRef from, StringRef to, size_t begin = 0) {
  ASSERT_EQ(from.size(), to.size());
  auto at = std::search(bytes.begin() + static_cast<ptrdiff_t>(begin), bytes.end(),
                        from.bytes_begin(), from.bytes_end());
  ASSERT_NE(at, bytes.end()) << from.str();
  std::copy(to.begin(), to.end(), at);
}

/// Sets a field of a section header: \p offset bytes into it.
static void patchSection(Bytes &bytes, StringRef name, unsigned offset, uint64_t value,
                         unsigned size) {
  ElfView elf = cantFail(ElfView::read(bytes));
  const ElfSection *section = elf.findSection(name);
  ASSERT_NE(section, nullptr) << name.str();
  size_t at = elf.header().sectionTableOffset + section->index * size_t(64) + offset;
  for (unsigned i = 0; i < size; ++i)
    bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

static size_t sectionOffset(const Bytes &bytes, StringRef name) {
  ElfView elf = cantFail(ElfView::read(bytes));
  return elf.findSection(name)->offset;
}

static std::vector<Finding> validate(const Bytes &bytes, const ValidateOptions &options = {}) {
  return cantFail(validateElf(bytes, options));
}

static std::string show(ArrayRef<Finding> findings) {
  std::string text;
  for (const Finding &finding : findings)
    text += finding.rule + " " + finding.location + ": " + finding.message + "\n";
  return text;
}

/// The findings on \p bytes must be of \p rule alone, and there must be one.
static void expectOnly(StringRef rule, const Bytes &bytes, Severity severity) {
  std::vector<Finding> findings = validate(bytes);
  ASSERT_FALSE(findings.empty()) << rule.str();
  for (const Finding &finding : findings) {
    EXPECT_EQ(finding.rule, rule.str()) << show(findings);
    EXPECT_EQ(finding.severity, severity) << show(findings);
    EXPECT_TRUE(StringRef(finding.signature).starts_with(rule)) << finding.signature;
  }
}

static void expectTextMutant(StringRef rule, ArrayRef<Replacement> replacements,
                             Severity severity = Severity::Error, StringRef chip = "gfx1100") {
  expectOnly(rule, assemble(replacements, chip), severity);
}

static void expectGraphicsMutant(StringRef rule, ArrayRef<Replacement> replacements,
                                 Severity severity = Severity::Error, StringRef chip = "gfx1030") {
  expectOnly(rule, assemble(replacements, chip, graphicsText), severity);
}

static void expectByteMutant(StringRef rule, function_ref<void(Bytes &)> edit,
                             Severity severity = Severity::Error) {
  Bytes bytes = baseElf();
  edit(bytes);
  expectOnly(rule, bytes, severity);
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
  Bytes bytes = assemble({{"[3, 0]", "[2, 6]"},
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

TEST(Metadata, RefusesWhatPalRefuses) {
  for (const Replacement &edit :
       {Replacement{"amdpal.version: [3, 0]\n", ""}, Replacement{"[3, 0]", "[1, 0]"},
        Replacement{".user_sgprs: 4", ".user_sgprs: four"},
        Replacement{".mem_ordered: true", ".mem_ordered: 1"}}) {
    Bytes bytes = assemble(edit);
    Expected<PalMetadata> metadata = readPalMetadata(cantFail(ElfView::read(bytes)));
    EXPECT_FALSE(static_cast<bool>(metadata)) << edit.first.str();
    if (!metadata)
      EXPECT_EQ(takeError(metadata.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(Schema, HasAllKeysOfPalAndNoneTwice) {
  std::set<std::pair<SchemaName, StringRef>> seen;
  unsigned palKeys = 0;
  for (const SchemaKey &row : getSchemaKeys()) {
    EXPECT_TRUE(seen.insert({row.owner, row.name}).second) << row.name.str();
    palKeys += row.dialect == SchemaDialect::Pal;
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
    std::vector<Finding> findings = validate(assemble({}, chip), options);
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
  Bytes plain = assemble({{"      0x2e13: 0x788", "      0x2e40: 0x10000000"},
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

TEST(ValidateElf, EachContainerRuleCatchesItsByteMutant) {
  expectByteMutant("ELF-01", [](Bytes &b) { b[52] = 65; });
  expectByteMutant("ELF-01", [](Bytes &b) { b[0] = 0; });
  expectByteMutant("ELF-01", [](Bytes &b) { b.resize(40); });
  expectByteMutant("ELF-02", [](Bytes &b) { b[7] = 64; });
  expectByteMutant("ELF-02", [](Bytes &b) { b[8] = 1; });
  expectByteMutant("ELF-03", [](Bytes &b) { b[18] = 62; });
  expectByteMutant("ELF-04", [](Bytes &b) { b[48] = 0xfe; });
  expectByteMutant("ELF-05", [](Bytes &b) { b[50] = 1; });
  expectByteMutant("ELF-05", [](Bytes &b) { b[49] = 1; }, Severity::Note);
  expectByteMutant("ELF-06", [](Bytes &b) {
    b[16] = 3;
    patchSection(b, ".text", 16, 0x1000, 8);
  });
  expectByteMutant("ELF-07", [](Bytes &b) { patchSection(b, ".rodata", 48, 33, 8); });
  expectByteMutant("ELF-07", [](Bytes &b) { patchSection(b, ".AMDGPU.disasm", 24, 1 << 20, 8); });
  expectByteMutant("ELF-08", [](Bytes &b) { patchSection(b, ".text", 48, 128, 8); });
  expectByteMutant("ELF-08", [](Bytes &b) { patchSection(b, ".text", 8, 2, 8); });
  expectByteMutant("ELF-09", [](Bytes &b) { b[sectionOffset(b, ".note") + 8] = 33; });
  expectByteMutant(
      "ELF-10", [](Bytes &b) { b[sectionOffset(b, ".note") + 12] = 'B'; }, Severity::Warning);
  expectByteMutant("ELF-11", [](Bytes &b) { b[sectionOffset(b, ".note") + 19] = 1; });
  expectByteMutant("ELF-11", [](Bytes &b) { b[sectionOffset(b, ".note") + 5] = 0xff; });
  expectByteMutant("ELF-12", [](Bytes &b) { patchSection(b, ".symtab", 44, 1000, 4); });
  expectByteMutant("ELF-13", [](Bytes &b) {
    patch(b, StringRef("_amdgpu_pipelineLink1\0", 22), StringRef("_amdgpu_pipelineLink0\0", 22));
  });
  expectByteMutant("ELF-14",
                   [](Bytes &b) { b[sectionOffset(b, ".symtab") + size_t(2) * 24 + 16] = 17; });
  expectByteMutant("ELF-19", [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 8] = 7; });
  expectByteMutant("ELF-20", [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 2] = 1; });
  expectByteMutant("ELF-20", [](Bytes &b) { b[sectionOffset(b, ".rel.text")] = 9; });
  expectByteMutant("ELF-20", [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 12] = 200; });
}

TEST(ValidateElf, EachContainerRuleCatchesItsTextMutant) {
  expectTextMutant("ELF-15", Replacement{"\t.globl _amdgpu_cs_main\n", ""});
  expectTextMutant("ELF-15", Replacement{"\t.type _amdgpu_cs_main,@function\n", ""});
  expectTextMutant("ELF-16", Replacement{"_amdgpu_cs_main:\n", "\ts_nop 0\n_amdgpu_cs_main:\n"});
  expectTextMutant("ELF-17", Replacement{".Lend-_amdgpu_cs_main", ".Lend0-_amdgpu_cs_main"});
  expectTextMutant("ELF-18", Replacement{"_amdgpu_cs_shdr_intrl_tbl:\n",
                                         "\t.long 0\n_amdgpu_cs_shdr_intrl_tbl:\n"});
  expectTextMutant(
      "ELF-21", {Replacement{"tbl@rel32@lo", "tbl@rel32@lo"},
                 Replacement{"_amdgpu_cs_shdr_intrl_tbl@rel32@hi", "_amdgpu_cs_disasm@rel32@hi"}});
  expectTextMutant("ELF-22",
                   Replacement{"_amdgpu_cs_shdr_intrl_tbl@rel32@hi", "unknown_function@rel32@hi"},
                   Severity::Warning);
  expectTextMutant("ELF-23", Replacement{"\t.p2align 5\n", "\t.p2align 2\n"}, Severity::Warning);
  expectTextMutant("ELF-24", Replacement{"s_endpgm\\n", "s_endpgm\\001"}, Severity::Note);
  expectTextMutant("ELF-25", Replacement{".rodata,\"a\"", ".table,\"aw\""});
}

TEST(ValidateElf, EachMetadataRuleCatchesItsMutant) {
  auto note = [](const Bytes &b) { return sectionOffset(b, ".note"); };
  expectByteMutant("MD-01", [&](Bytes &b) { b[note(b) + 20] = 0x83; });
  expectByteMutant("MD-01", [&](Bytes &b) { b[note(b) + 20] = 0x81; });
  expectTextMutant("MD-02", Replacement{"amdpal.version: [3, 0]\n", ""});
  expectTextMutant("MD-02", Replacement{"[3, 0]", "[4, 0]"});
  expectTextMutant("MD-03", Replacement{"[3, 0]", "[3, 7]"}, Severity::Warning);
  expectTextMutant("MD-04", Replacement{"amdpal.pipelines:\n", "amdpal.pipelines:\n  - .api: A\n"});
  expectByteMutant("MD-05", [&](Bytes &b) { patch(b, ".sgpr_count", ".vgpr_count", note(b)); });
  expectTextMutant("MD-06", Replacement{".mem_ordered: true", ".mem_ordered: 1"});
  expectByteMutant("MD-06",
                   [&](Bytes &b) { patch(b, "\xa4.api", "\xce\x01\x02\x03\x04", note(b)); });
  expectTextMutant("MD-07", Replacement{".float_mode: 192", ".float_mode: 256"});
  expectTextMutant("MD-07", Replacement{".tgid_x_en: true", ".x_interleave: -1"});
  expectTextMutant("MD-07", {Replacement{"0x2e13: 0x788", "0x2e41: 0"},
                             Replacement{".tidig_comp_cnt: 0", ".tidig_comp_cnt: 3"}});
  expectTextMutant("MD-08", Replacement{".lds_size:", ".lds_siez:"});
  expectTextMutant("MD-08", Replacement{".lds_size:", ".something_else:"}, Severity::Warning);
  expectTextMutant("MD-08", Replacement{".lds_size:", ".shader_spill_threshold:"}, Severity::Note);
  expectTextMutant("MD-08", Replacement{".lds_size:", ".dynamic_vgpr_saved_count:"},
                   Severity::Note);
  expectTextMutant("MD-09", Replacement{".type: Cs", ".type: Banana"});
  expectTextMutant("MD-09", Replacement{"[.cs]", "[.xs]"});
  expectTextMutant("MD-10", Replacement{"[64, 1, 1]", "[64, 1]"});
  expectTextMutant("MD-10", Replacement{"[3, 0]", "[3, 0, 0]"});
  expectTextMutant("MD-11", Replacement{"0x2e13: 0x788", "0x2e13: 0x708"});
  expectTextMutant("MD-11", Replacement{"0x2e13: 0x788", "0x2e41: 1"});
  expectTextMutant("MD-12", Replacement{"0x2e13: 0x788", "16: 3"});
  expectTextMutant("MD-12", Replacement{"0x2e13: 0x788", "0x10000001: 3"});
  expectTextMutant("MD-12", Replacement{"0x2e13: 0x788", "0x2c0c: 0x12345678"});
  expectTextMutant("MD-13", Replacement{".api: Vulkan", ".api: VulkanAndMoreText"},
                   Severity::Warning);
  expectTextMutant("MD-14", Replacement{"[0x1234, 0x5678]", "[0, 0]"}, Severity::Warning);
  expectTextMutant("MD-14", Replacement{"[0x9abc, 0xdef0]", "[0, 0]"}, Severity::Warning);
}

TEST(ValidateElf, EachStageRuleCatchesItsMutant) {
  EXPECT_EQ(show(validate(assemble({}, "gfx1030", graphicsText))), "");
  expectTextMutant("TOP-01", Replacement{".entry_point_symbol: _amdgpu_cs_main",
                                         ".entry_point_symbol: another"});
  expectTextMutant("TOP-02", {Replacement{"\t.globl _amdgpu_pipelineLink1\n"
                                          "\t.type _amdgpu_pipelineLink1,@function\n"
                                          "_amdgpu_pipelineLink1:\n",
                                          "\t.globl _amdgpu_gs_main\n\t.p2align 8\n"
                                          "\t.type _amdgpu_gs_main,@function\n"
                                          "_amdgpu_gs_main:\n"},
                              Replacement{"\t.size _amdgpu_pipelineLink1, .Lend1-"
                                          "_amdgpu_pipelineLink1\n",
                                          "\t.size _amdgpu_gs_main, 4\n"}});
  expectTextMutant("TOP-03", Replacement{"        .entry_point_symbol:",
                                         "        .entry_point: _amdgpu_gs_main\n"
                                         "        .entry_point_symbol:"});
  expectTextMutant("TOP-05", Replacement{".type: Cs", ".type: Mesh"});
  expectTextMutant("TOP-06", Replacement{"[.cs]", "[.cs, .ps]"});
  expectTextMutant("TOP-07", Replacement{".compute:\n", ".task:\n"});
  expectGraphicsMutant("TOP-07", Replacement{".pixel:\n", ".hull:\n"});
  expectGraphicsMutant("TOP-08", Replacement{".hs_stage_en: false", ".hs_stage_en: true"});
  expectGraphicsMutant("TOP-08", Replacement{".primgen_en: true", ".primgen_en: false"});
}

TEST(ValidateElf, KnowsWhichStagesAChipHas) {
  std::string text = graphicsText.str();
  for (const auto &[from, to] :
       {Replacement{"_gs_", "_vs_"}, Replacement{".gs:", ".vs:"}, Replacement{"[.gs]", "[.vs]"},
        Replacement{".type: Ngg", ".type: VsPs"},
        Replacement{".primgen_en: true", ".primgen_en: false"}})
    for (size_t at = text.find(from.str()); at != std::string::npos;
         at = text.find(from.str(), at + 1))
      text.replace(at, from.size(), to.str());
  EXPECT_EQ(show(validate(assemble({}, "gfx1030", text))), "");
  expectOnly("TOP-04", assemble({}, "gfx1100", text), Severity::Error);
}

TEST(ValidateElf, EachResourceRuleCatchesItsMutant) {
  using R = Replacement;
  expectTextMutant("RES-01", R{".wavefront_size: 64", ".wavefront_size: 48"});
  expectTextMutant("RES-01", R{".wavefront_size: 64", ".wavefront_size: 32"}, Severity::Error,
                   "gfx900");
  expectTextMutant("RES-02", R{".vgpr_count: 8", ".vgpr_count: 257"});
  expectTextMutant("RES-02", R{".vgpr_count: 8", ".vgpr_count: 8\n        .vgpr_limit: 7"});
  expectTextMutant("RES-03", R{".sgpr_count: 16", ".sgpr_count: 109"});
  expectTextMutant("RES-04", R{".vgpr_count: 8", ".vgpr_limit: 300"}, Severity::Warning);
  expectTextMutant("RES-05", R{".lds_size: 512", ".lds_size: 66048"});
  expectTextMutant("RES-06", R{".lds_size: 512", ".lds_size: 700"});
  expectTextMutant("RES-08", R{"[64, 1, 1]", "[64, 32, 1]"}, Severity::Error);
  expectTextMutant("RES-08", R{"[64, 1, 1]", "[64, 0, 1]"});
  expectTextMutant("RES-11", R{"[64, 1, 1]", "[8, 8, 1]"}, Severity::Warning, "gfx1030");
  expectTextMutant("RES-12", R{".scratch_memory_size: 0",
                               ".scratch_memory_size: 64\n        .scratch_en: false"});
  expectTextMutant(
      "RES-12",
      {R{".scratch_memory_size: 0", ".scratch_en: true"}, R{"0x2e13: 0x788", "0x2e13: 0x789"}},
      Severity::Warning);
  expectTextMutant("RES-13", R{".scratch_memory_size: 0", ".scratch_memory_size: 63"});
  expectTextMutant("RES-13", R{".scratch_memory_size: 0", ".scratch_memory_size: 1000000"});
  expectGraphicsMutant("RES-15", R{".wavefront_size: 64", ".wavefront_size: 32"});
  expectGraphicsMutant("RES-15", R{".shared_vgpr_cnt: 8", ".shared_vgpr_cnt: 9"});
  expectTextMutant("RES-16",
                   {R{".user_sgprs: 4", ".user_sgprs: 17"}, R{"0x2e13: 0x788", "0x2e13: 0x7a2"}});
  expectTextMutant("RES-17",
                   {R{".user_sgprs: 4", ".user_sgprs: 16"}, R{"0x2e13: 0x788", "0x2e13: 0x7a0"}},
                   Severity::Warning, "gfx900");
  expectTextMutant("RES-20",
                   {R{".tgid_x_en: true", ".tgid_x_en: true\n      .dynamic_vgpr_en: true"},
                    R{"[3, 0]", "[3, 6]"}});
  expectTextMutant("RES-21", R{".mem_ordered: true", ".debug_mode: true"}, Severity::Warning);
  expectTextMutant("RES-22", R{".mem_ordered: true", ".mem_ordered: false"}, Severity::Note);
  expectTextMutant("RES-23", R{".mem_ordered: true", ".ieee_mode: true"}, Severity::Warning);
}

TEST(ValidateElf, EachUserDataRuleCatchesItsMutant) {
  using R = Replacement;
  expectTextMutant("UD-01",
                   {R{".user_sgprs: 4", ".user_sgprs: 2"}, R{"0x2e13: 0x788", "0x2e13: 0x784"}});
  expectGraphicsMutant("UD-02", R{"0x1000000f]", "0x100000ff]"});
  expectTextMutant("UD-03", R{"[0x10000000, 0,", "[0, 0x10000000,"});
  expectGraphicsMutant("UD-04", R{"3, 2,", "3, 3,"});
  expectGraphicsMutant("UD-05", R{"0x10000003, 0x10000004, 0, 1", "0x10000003, 0, 0x10000004, 1"});
  expectGraphicsMutant("UD-07", R{"3, 2, 0x10000018", "3, 2, 0x10000018, 0x10000018"});
  expectGraphicsMutant("UD-08", R{"0x1000000f]", "0x10000020]"});
  expectTextMutant("UD-09", R{"0x10000006, 0xffffffff]", "0x10000006, 1]"});
  expectTextMutant("UD-10", R{"0x10000006, 0xffffffff]", "0x1000000f, 0xffffffff]"});
  expectGraphicsMutant("UD-10", R{"0x1000000f]", "0x10000006]"});
  expectGraphicsMutant("UD-11", R{"0x10000018]", "0x10000010]"});
  expectGraphicsMutant("UD-12", R{"0x10000018]", "0x10001002]"});
  expectTextMutant("UD-13", R{".spill_threshold: 65535", ".spill_threshold: 1"});
  expectGraphicsMutant("UD-13", R{".spill_threshold: 4", ".spill_threshold: 8"});
  expectTextMutant("UD-14", R{".user_data_limit: 2", ".user_data_limit: 0"});
  expectTextMutant("UD-14", R{".user_data_limit: 2", ".user_data_limit: 161"});
  expectGraphicsMutant("UD-19", R{".perf_data_buffer_size: 0", ".perf_data_buffer_size: 64"});
}

TEST(ValidateElf, RefusesTooLongArraysOfStructs) {
  std::string semantics = "    .ps_input_semantic:\n";
  for (int i = 0; i < 33; ++i)
    semantics += "      - .semantic: 1\n";
  expectTextMutant("MD-10", Replacement{"    .compute_registers:\n",
                                        StringRef(semantics += "    .compute_registers:\n")});
}

/// An archive of \p members in the System V form.
static Bytes makeArchive(ArrayRef<std::pair<StringRef, Bytes>> members) {
  std::string text = "!<arch>\n";
  for (const auto &[name, bytes] : members) {
    char header[61];
    snprintf(header, sizeof(header), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", (name + "/").str().c_str(),
             "0", "0", "0", "644", bytes.size());
    text += header;
    text.append(bytes.begin(), bytes.end());
    if (bytes.size() % 2)
      text += '\n';
  }
  return Bytes(text.begin(), text.end());
}

TEST(ValidateElf, ArchiveRuleCatchesMembersThatDoNotFit) {
  auto rulesOf = [](const Bytes &archive) {
    std::set<std::string> rules;
    for (const Finding &finding : validate(archive))
      rules.insert(finding.rule);
    return rules;
  };
  Bytes other = assemble({}, "gfx1030");
  std::set<std::string> only = {"ELF-26"};
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", baseElf()}})), std::set<std::string>());
  EXPECT_EQ(rulesOf(makeArchive({{"a.elf", baseElf()}, {"b.elf", baseElf()}})), only);
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
  Bytes gfx1201 = assemble({}, "gfx1201");
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

TEST(ValidateElf, EveryRuleIsExplained) {
  std::string list;
  raw_string_ostream os(list);
  printRules(os);
  EXPECT_EQ(StringRef(list).count('\n'), 79u);
  for (int i = 1; i <= 26; ++i) {
    std::string id = i < 10 ? "ELF-0" + std::to_string(i) : "ELF-" + std::to_string(i);
    EXPECT_NE(cantFail(explainRule(id)).find("Source: "), std::string::npos);
  }
  EXPECT_NE(cantFail(explainRule("MD-14")).find("warning"), std::string::npos);
  EXPECT_TRUE(errorToBool(explainRule("XX-01").takeError()));
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
