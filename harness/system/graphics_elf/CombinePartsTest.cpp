// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a pipeline, compiled apart and combined, are the pipeline compiled as a whole.
#include "compiler/pal/CombineParts.h"
#include "compiler/pal/RegisterMetadata.h"
#include "harness/system/graphics_elf/ExamplePipeline.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

static constexpr Hash128 wholeHash = {0x1111111111111111, 0x2222222222222222};

static std::vector<uint8_t> compile(const ExamplePipeline &example, const TargetInfo &target) {
  return cantFail(compileExample(example, target));
}

/// The two parts of \p example, combined.
static Expected<std::vector<uint8_t>> combine(ExamplePipeline example, const TargetInfo &target) {
  example.shaders = ExampleShaders::Vertex;
  std::vector<uint8_t> vertex = compile(example, target);
  example.shaders = ExampleShaders::Fragment;
  return combineParts(vertex, compile(example, target), wholeHash);
}

static std::string messageOf(Expected<std::vector<uint8_t>> elf) {
  return elf ? "combined" : assay::takeError(elf.takeError()).message;
}

static std::vector<ExamplePipeline> examplesFor(const TargetInfo &target) {
  std::vector<ExamplePipeline> all;
  if (target.major < 11)
    all.push_back({});
  if (target.major >= 10)
    all.push_back({GraphicsPipelineType::Ngg, ExampleShaders::Both, 32});
  return all;
}

/// The code of \p symbol with its relocations' places zeroed.
static std::string codeOf(ArrayRef<uint8_t> bytes, StringRef symbol) {
  ElfView elf = cantFail(ElfView::read(bytes));
  for (const ElfSymbol &each : elf.symbols()) {
    if (each.name != symbol)
      continue;
    const ElfSection &section = elf.sections()[each.section];
    std::string code(toStringRef(section.bytes.slice(each.value, each.size)));
    for (const ElfRelocation &relocation : elf.relocations())
      if (relocation.target == each.section && relocation.offset >= each.value &&
          relocation.offset < each.value + each.size)
        support::endian::write32le(&code[relocation.offset - each.value], 0);
    return code;
  }
  ADD_FAILURE() << symbol.str() << " is missing";
  return "";
}

TEST(CombineParts, MakesTheWholePipeline) {
  for (const TargetInfo &target : getTargets())
    for (const ExamplePipeline &example : examplesFor(target)) {
      std::vector<uint8_t> whole = compile(example, target);
      Expected<std::vector<uint8_t>> combined = combine(example, target);
      ASSERT_TRUE(static_cast<bool>(combined)) << assay::takeError(combined.takeError()).message;
      EXPECT_EQ(cantFail(printElfMetadata(*combined)), cantFail(printElfMetadata(whole)))
          << target.name.str();
      for (const Finding &finding : cantFail(validateElf(*combined, {})))
        EXPECT_EQ(finding.severity, Severity::Note)
            << target.name.str() << ": " << finding.rule << ": " << finding.message;
      StringRef vertex =
          example.type == GraphicsPipelineType::Ngg ? "_amdgpu_gs_main" : "_amdgpu_vs_main";
      EXPECT_EQ(codeOf(*combined, vertex), codeOf(whole, vertex)) << target.name.str();
      EXPECT_EQ(codeOf(*combined, "_amdgpu_ps_main"), codeOf(whole, "_amdgpu_ps_main"));
    }
}

TEST(CombineParts, MakesTheWholePipelineOfVersion2) {
  for (StringRef name : {"gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1150"}) {
    const TargetInfo &target = *cantFail(findAmdTarget(name));
    for (ExamplePipeline example : examplesFor(target)) {
      example.palVersion = PalVersion::V2_6;
      std::vector<uint8_t> whole = compile(example, target);
      example.isPart = true;
      Expected<std::vector<uint8_t>> combined = combine(example, target);
      ASSERT_TRUE(static_cast<bool>(combined)) << assay::takeError(combined.takeError()).message;
      std::vector<uint8_t> registers = cantFail(useRegisterMetadata(*combined, target));
      EXPECT_EQ(cantFail(printElfMetadata(registers)), cantFail(printElfMetadata(whole)))
          << target.name.str();
      for (const Finding &finding : cantFail(validateElf(registers, {})))
        EXPECT_EQ(finding.severity, Severity::Note)
            << target.name.str() << ": " << finding.rule << ": " << finding.message;
    }
  }
}

TEST(CombineParts, LeavesAPartAlone) {
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1030"));
  ExamplePipeline example{GraphicsPipelineType::VsPs, ExampleShaders::Fragment};
  std::vector<uint8_t> part = compile(example, target);
  std::vector<uint8_t> finished = cantFail(combineParts({}, part, wholeHash));
  EXPECT_EQ(cantFail(printElfMetadata(finished)), cantFail(printElfMetadata(part)));
  EXPECT_EQ(codeOf(finished, "_amdgpu_ps_main"), codeOf(part, "_amdgpu_ps_main"));
}

/// The float that each address in the code of \p bytes refers to.
static std::vector<float> tablesOf(ArrayRef<uint8_t> bytes) {
  constexpr uint32_t Abs32Lo = 1; // R_AMDGPU_ABS32_LO
  ElfView elf = cantFail(ElfView::read(bytes));
  std::vector<float> values;
  for (const ElfRelocation &relocation : elf.relocations()) {
    if (relocation.type != Abs32Lo)
      continue;
    const ElfSymbol &symbol = elf.symbols()[relocation.symbol];
    ArrayRef<uint8_t> code = elf.sections()[relocation.target].bytes;
    ArrayRef<uint8_t> data = elf.sections()[symbol.section].bytes;
    uint64_t addend = support::endian::read32le(code.data() + relocation.offset);
    values.push_back(
        bit_cast<float>(support::endian::read32le(data.data() + symbol.value + addend)));
  }
  return values;
}

TEST(CombineParts, RelocationsFollowTheirData) {
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1030"));
  std::vector<float> whole = tablesOf(compile({}, target));
  EXPECT_EQ(whole, (std::vector<float>{1, 5}));
  EXPECT_EQ(tablesOf(cantFail(combine({}, target))), whole);
}

TEST(CombineParts, LinksInterpolantsBySemantic) {
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1100"));
  ExamplePipeline example{GraphicsPipelineType::Ngg, ExampleShaders::Vertex};
  GraphicsMetadata vertex = makeExampleMetadata(example, target);
  vertex.semantics.preraster = {{.semantic = 9, .index = 3}, {.semantic = 4, .index = 7}};
  example.shaders = ExampleShaders::Fragment;
  GraphicsMetadata fragment = makeExampleMetadata(example, target);
  fragment.registers.spiPsInputCntl.resize(3);
  fragment.registers.spiPsInputCntl[2].flatShade = true;
  fragment.semantics.psInputs = {4, 9, 5};
  std::string linked = cantFail(
      combineMetadata(writeMetadata(vertex, target), writeMetadata(fragment, target), wholeHash));
  vertex.semantics = {};
  vertex.shaders.insert(vertex.shaders.end(), fragment.shaders.begin(), fragment.shaders.end());
  vertex.stages.insert(vertex.stages.end(), fragment.stages.begin(), fragment.stages.end());
  vertex.registers.spiPsInputCntl = {{.offset = 7}, {.offset = 3}, {.offset = 32}};
  vertex.registers.spiPsInControl = fragment.registers.spiPsInControl;
  vertex.registers.spiBarycCntl = fragment.registers.spiBarycCntl;
  vertex.registers.dbShaderControl = fragment.registers.dbShaderControl;
  vertex.registers.spiShaderColFormat = fragment.registers.spiShaderColFormat;
  vertex.registers.cbShaderMask = fragment.registers.cbShaderMask;
  EXPECT_EQ(linked, writeMetadata(vertex, target));
}

TEST(CombineParts, RefusesMetadataWithoutVersion) {
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1100"));
  ExamplePipeline example{GraphicsPipelineType::Ngg, ExampleShaders::Vertex};
  std::string vertex = writeMetadata(makeExampleMetadata(example, target), target);
  example.shaders = ExampleShaders::Fragment;
  std::string fragment = writeMetadata(makeExampleMetadata(example, target), target);
  // msgpack: an array of the two numbers, an empty one, and one of a text and a number.
  const StringRef key = "amdpal.version";
  const std::string known("\x92\x03\x00", 3);
  size_t place = vertex.find(key.str() + known);
  ASSERT_NE(place, std::string::npos);
  for (const std::string &other : {std::string("\x90"), std::string("\x92\xa1x\x00", 4)}) {
    std::string changed = vertex;
    changed.replace(place + key.size(), known.size(), other);
    Expected<std::string> combined = combineMetadata(changed, fragment, wholeHash);
    ASSERT_FALSE(static_cast<bool>(combined));
    EXPECT_EQ(assay::takeError(combined.takeError()).kind, ErrorKind::InvalidInput);
  }
}

TEST(CombineParts, RefusesWhatDoesNotGoTogether) {
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1030"));
  const TargetInfo &other = *cantFail(findAmdTarget("gfx1010"));
  ExamplePipeline vertex{GraphicsPipelineType::VsPs, ExampleShaders::Vertex};
  ExamplePipeline fragment{GraphicsPipelineType::VsPs, ExampleShaders::Fragment};
  std::vector<uint8_t> part = compile(vertex, target);
  EXPECT_EQ(messageOf(combineParts(part, part, wholeHash)),
            "fragment part: both parts define '_amdgpu_vs_main'");
  EXPECT_EQ(messageOf(combineParts(part, compile(fragment, other), wholeHash)),
            "fragment part: the parts are for different GPUs");
  EXPECT_EQ(messageOf(combineParts(part, {}, wholeHash)).substr(0, 15), "fragment part: ");
  fragment.palVersion = PalVersion::V2_6;
  EXPECT_EQ(messageOf(combineParts(part, compile(fragment, target), wholeHash)),
            "fragment part: parts with metadata of version 2");
  fragment.isPart = true;
  EXPECT_EQ(messageOf(combineParts(part, compile(fragment, target), wholeHash)),
            "the parts have metadata of different versions");
  for (size_t size = 1; size < part.size(); size += 7)
    EXPECT_NE(messageOf(combineParts(ArrayRef(part).take_front(size), part, wholeHash)),
              "combined");
}
