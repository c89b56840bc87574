// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata of graphics pipelines in finished ELFs: validate-elf reports nothing, and LLVM's own
// printer shows what was written.
#include "harness/system/graphics_elf/ExamplePipeline.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

static std::vector<ExamplePipeline> examplesFor(const TargetInfo &target) {
  std::vector<ExamplePipeline> all;
  for (GraphicsPipelineType type : {GraphicsPipelineType::VsPs, GraphicsPipelineType::Ngg}) {
    bool isNgg = type == GraphicsPipelineType::Ngg;
    if (isNgg ? target.major < 10 : target.major >= 11)
      continue;
    for (unsigned wave : {32u, 64u})
      for (PalVersion version : {PalVersion::V3_0, PalVersion::V2_6})
        if ((wave == 64 || target.supportsWave32) &&
            (version == PalVersion::V3_0 || target.major < 12))
          all.push_back({type, ExampleShaders::Both, wave, version});
  }
  return all;
}

static std::string nameOf(const ExamplePipeline &example, const TargetInfo &target) {
  return (target.name + (example.type == GraphicsPipelineType::Ngg ? " Ngg " : " VsPs ") +
          Twine(example.waveSize) + " " + getPalVersionName(example.palVersion))
      .str();
}

static std::string findingsOf(ArrayRef<uint8_t> elf) {
  std::string text;
  for (const Finding &finding : cantFail(validateElf(elf, {})))
    if (finding.severity != Severity::Note)
      text += finding.rule + " " + finding.location + ": " + finding.message + "\n";
  return text;
}

TEST(GraphicsElf, HasNoFindings) {
  for (const TargetInfo &target : getTargets())
    for (const ExamplePipeline &example : examplesFor(target)) {
      Expected<std::vector<uint8_t>> elf = compileExample(example, target);
      ASSERT_TRUE(static_cast<bool>(elf)) << assay::takeError(elf.takeError()).message;
      EXPECT_EQ(findingsOf(*elf), "") << nameOf(example, target);
    }
}

/// A number as decimal, any other word as it is.
static std::string normalize(StringRef word) {
  uint64_t number = 0;
  return word.getAsInteger(0, number) ? word.str() : utostr(number);
}

/// The lines of a YAML document, keys and values: the printers differ in spaces and in the base of
/// numbers.
static std::vector<std::string> linesOf(StringRef yaml) {
  std::vector<std::string> lines;
  SmallVector<StringRef, 0> all;
  yaml.split(all, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : all) {
    std::string text;
    SmallVector<StringRef, 4> words;
    line.split(words, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      bool isKey = word.consume_back(":");
      text += normalize(word) + (isKey ? ": " : " ");
    }
    if (text.find_first_not_of("-. ") != std::string::npos)
      lines.push_back(text);
  }
  return lines;
}

/// What llvm-readelf prints of the metadata note.
static std::string printWithReadelf(ArrayRef<uint8_t> elf) {
  SmallString<128> input, output;
  cantFail(errorCodeToError(sys::fs::createTemporaryFile("graphics", "elf", input)));
  cantFail(errorCodeToError(sys::fs::createTemporaryFile("graphics", "txt", output)));
  FileRemover removeInput(input), removeOutput(output);
  cantFail(writeFile(input, toStringRef(elf)));
  std::string program = cantFail(errorOrToExpected(sys::findProgramByName("llvm-readelf-22")));
  EXPECT_EQ(sys::ExecuteAndWait(program, {program, "--notes", input}, std::nullopt,
                                {std::nullopt, StringRef(output), std::nullopt}),
            0);
  std::string text = cantFail(readFileText(output));
  StringRef yaml = StringRef(text).split("---\n").second.split("\n...").first;
  return yaml.str();
}

TEST(GraphicsElf, PrintsLikeLlvm) {
  for (StringRef name : {"gfx900", "gfx1030", "gfx1201"})
    for (const ExamplePipeline &example : examplesFor(*cantFail(findAmdTarget(name)))) {
      const TargetInfo &target = *cantFail(findAmdTarget(name));
      std::vector<uint8_t> elf = cantFail(compileExample(example, target));
      std::vector<std::string> ours = linesOf(cantFail(printElfMetadata(elf)));
      EXPECT_GT(ours.size(), 60u) << nameOf(example, target);
      EXPECT_EQ(ours, linesOf(printWithReadelf(elf))) << nameOf(example, target);
    }
}
