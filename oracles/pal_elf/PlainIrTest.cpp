// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM's llc makes of plain IR (plain/*.ll), in every calling convention that the hardware of
// a generation has: no error, no warning. Rules on the pipeline, which nobody has made yet, are
// notes.
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

namespace {

struct PlainChip {
  StringLiteral name;
  unsigned major;
};
constexpr PlainChip chips[] = {{"gfx900", 9},   {"gfx1010", 10}, {"gfx1030", 10}, {"gfx1100", 11},
                               {"gfx1150", 11}, {"gfx1200", 12}, {"gfx1201", 12}};

/// A file of plain/, its calling convention, and the generations that it is for.
struct PlainShader {
  StringLiteral file;
  StringLiteral convention;
  unsigned firstMajor, lastMajor;
  unsigned waveSize = 0; ///< The only one that it is for; 0: any.
};
constexpr PlainShader shaders[] = {
    {"compute", "amdgpu_cs", 9, 12},
    {"call", "amdgpu_cs", 9, 12},
    {"callee", "amdgpu_gfx", 9, 12},
    {"arithmetic", "amdgpu_cs", 9, 12},
    {"chain", "amdgpu_cs_chain", 10, 12, 32},
    {"chain-wave64", "amdgpu_cs_chain", 10, 12, 64},
    {"kernel", "amdgpu_kernel", 9, 12},
    {"pixel-parameters", "amdgpu_ps", 9, 10},
    {"pixel-registers", "amdgpu_ps", 11, 12},
    {"pixel-part", "amdgpu_ps", 9, 12},
    {"geometry-ring", "amdgpu_gs", 9, 10},
    {"geometry-primitives", "amdgpu_gs", 10, 12},
    {"hull", "amdgpu_hs", 9, 12},
    {"vertex", "amdgpu_vs", 9, 10},
    // GFX9 merged these two into .gs and .hs, but LLVM compiles them for whoever merges.
    {"export", "amdgpu_es", 9, 12},
    {"local", "amdgpu_ls", 9, 12},
};

/// The stages of the hardware, by the calling convention of their code.
struct HardwareStage {
  StringLiteral convention;
  unsigned firstMajor, lastMajor;
};
constexpr HardwareStage hardware[] = {
    {"amdgpu_cs", 9, 12}, {"amdgpu_cs_chain", 10, 12}, {"amdgpu_kernel", 9, 12},
    {"amdgpu_ps", 9, 12}, {"amdgpu_vs", 9, 10},        {"amdgpu_gs", 9, 12},
    {"amdgpu_hs", 9, 12}, {"amdgpu_gfx", 9, 12},
};

} // namespace

static bool isFor(const PlainShader &shader, unsigned major) {
  return shader.firstMajor <= major && major <= shader.lastMajor;
}

static std::string readShader(const PlainShader &shader) {
  return cantFail(readFileText(
      (ASSAY_SOURCE_DIR "/oracles/pal_elf/plain/" + Twine(shader.file) + ".ll").str()));
}

static void expectNotes(const PlainShader &shader, const PlainChip &chip, StringRef text,
                        std::vector<std::string> options) {
  SCOPED_TRACE((shader.file + " " + chip.name + " " + join(options, " ")).str());
  options.insert(options.begin(), {"-mtriple=amdgcn-amd-amdpal", ("-mcpu=" + chip.name).str()});
  std::vector<Finding> findings =
      cantFail(validateElf(runTool("llc-22", std::move(options), text), {}));
  for (const Finding &finding : findings)
    EXPECT_EQ(finding.severity, Severity::Note) << finding.rule << ": " << finding.message;
  EXPECT_TRUE(any_of(findings, [](const Finding &finding) { return finding.rule == "MD-02"; }))
      << "plain output has no version, and is told so";
  EXPECT_TRUE(none_of(findings, [](const Finding &finding) { return finding.rule == "MC-01"; }))
      << "all code is looked at";
}

TEST(PlainIr, CoversEveryStageOfEveryGeneration) {
  for (const HardwareStage &stage : hardware)
    for (unsigned major = stage.firstMajor; major <= stage.lastMajor; ++major)
      EXPECT_TRUE(any_of(shaders,
                         [&](const PlainShader &shader) {
                           return shader.convention == stage.convention && isFor(shader, major);
                         }))
          << stage.convention.str() << " of GFX" << major;
  std::set<unsigned> majors;
  for (const PlainChip &chip : chips)
    majors.insert(chip.major);
  EXPECT_EQ(majors, (std::set<unsigned>{9, 10, 11, 12}));
  for (const PlainShader &shader : shaders)
    EXPECT_NE(readShader(shader).find((" " + shader.convention + " ").str()), std::string::npos)
        << shader.file.str();
}

TEST(PlainIr, IsNotObjectedTo) {
  for (const PlainShader &shader : shaders) {
    std::string text = readShader(shader);
    for (const PlainChip &chip : chips) {
      if (!isFor(shader, chip.major))
        continue;
      if (shader.waveSize != 64) { // GFX9's is 64 unasked.
        expectNotes(shader, chip, text, {"-O0"});
        expectNotes(shader, chip, text, {"-O2"});
      }
      if (chip.major >= 10 && shader.waveSize != 32)
        expectNotes(shader, chip, text, {"-O2", "-mattr=+wavefrontsize64"});
    }
  }
}

/// Where the last function of '.text' ends; padding follows.
static uint64_t endOfCode(const Bytes &bytes) {
  ElfView elf = cantFail(ElfView::read(bytes));
  uint64_t end = 0;
  for (const ElfSymbol &symbol : elf.symbols())
    if (symbol.section == elf.findSection(".text")->index)
      end = std::max(end, symbol.value + symbol.size);
  return end;
}

/// Code that is nearly what a compiler made: the rules follow it wherever it leads, and end.
TEST(PlainIr, SurvivesDamageToItsCode) {
  std::mt19937_64 random(11); // NOLINT(bugprone-random-generator-seed): the same each time.
  constexpr unsigned rounds = 60;
  for (const PlainShader &shader : shaders)
    for (const PlainChip &chip : chips) {
      if (!isFor(shader, chip.major) || shader.waveSize == 64)
        continue;
      SCOPED_TRACE((shader.file + " " + chip.name).str());
      Bytes clean = runTool("llc-22", {"-mtriple=amdgcn-amd-amdpal", ("-mcpu=" + chip.name).str()},
                            readShader(shader));
      size_t begin = sectionOffset(clean, ".text");
      size_t size = endOfCode(clean);
      unsigned found = 0;
      for (unsigned round = 0; round < rounds; ++round) {
        Bytes bytes = clean;
        for (unsigned i = 0; i <= random() % 8; ++i)
          bytes[begin + random() % size] ^= static_cast<uint8_t>(1u << random() % 8);
        found += any_of(cantFail(validateElf(bytes, {})),
                        [](const Finding &finding) { return finding.severity == Severity::Error; });
      }
      EXPECT_GT(found, 0u);
    }
}
