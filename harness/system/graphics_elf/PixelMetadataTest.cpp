// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ELF of a pixel shader by a code generator that was used before has the bytes of one that LLVM
// made with a new code generator and metadata 3.0.
#include "compiler/pal/PixelMetadata.h"
#include "compiler/amdgpu/Backend.h"
#include "harness/system/graphics_elf/ExamplePipeline.h"
#include "support/Error.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {
struct ExampleModule {
  DiagnosticCollector diagnostics;
  LLVMContext context;
  std::unique_ptr<Module> module;

  ExampleModule(StringRef text, const ExamplePipeline &example, const TargetInfo &target) {
    diagnostics.attach(context);
    SMDiagnostic diagnostic;
    module = parseAssemblyString(text, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    initializeModule(*module);
    setModuleMetadata(*module, makeExampleMetadata(example, target), target);
  }
};
} // namespace

static std::string replaceIn(std::string text, StringRef word, StringRef by) {
  size_t place = text.rfind(word);
  EXPECT_NE(place, std::string::npos);
  return text.replace(place, word.size(), by);
}

/// Shaders with other bits in the registers: plain, with scratch memory, with IEEE mode.
static std::vector<std::string> makeTexts(const ExamplePipeline &example,
                                          const TargetInfo &target) {
  std::string plain = makeExampleIr(example, target);
  std::string scratch = replaceIn(plain, "  ret void\n",
                                  "  %memory = alloca [64 x i32], addrspace(5)\n"
                                  "  %far = getelementptr i32, ptr addrspace(5) %memory, i32 9\n"
                                  "  store volatile i32 1, ptr addrspace(5) %far\n"
                                  "  ret void\n");
  std::string ieee = replaceIn(plain, "\"InitialPSInputAddr\"=\"2\"",
                               "\"InitialPSInputAddr\"=\"771\" \"amdgpu-ieee\"=\"true\"");
  return {plain, scratch, ieee};
}

static std::vector<uint8_t> emitByLlvm(Module &module, TargetMachine &machine) {
  SmallVector<char, 0> buffer;
  raw_svector_ostream os(buffer);
  legacy::PassManager passes;
  EXPECT_FALSE(machine.addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::ObjectFile));
  passes.run(module);
  return {buffer.begin(), buffer.end()};
}

/// A vertex shader, whose metadata say 3.0.
static void emitVertex(Backend &backend, ExamplePipeline example, const TargetInfo &target) {
  example.shaders = ExampleShaders::Vertex;
  example.type = target.major < 10 ? GraphicsPipelineType::VsPs : GraphicsPipelineType::Ngg;
  ExampleModule vertex(makeExampleIr(example, target), example, target);
  auto elf = backend.emit(*vertex.module, EmitPhase::Elf, vertex.diagnostics);
  EXPECT_TRUE(static_cast<bool>(elf)) << assay::takeError(elf.takeError()).message;
}

static void compare(const ExamplePipeline &example, const TargetInfo &target) {
  CompileOptions options;
  options.target = &target;
  options.waveSize = example.waveSize;
  std::unique_ptr<Backend> backend = cantFail(amdgpu::createBackend(options));
  for (const std::string &text : makeTexts(example, target)) {
    ExampleModule fresh(text, example, target), warm(text, example, target);
    emitVertex(*backend, example, target);
    auto elf = backend->emit(*warm.module, EmitPhase::Elf, warm.diagnostics);
    ASSERT_TRUE(static_cast<bool>(elf)) << assay::takeError(elf.takeError()).message;
    EXPECT_EQ(*elf, emitByLlvm(*fresh.module, *backend->getTargetMachine()))
        << target.name.str() << " wave " << example.waveSize << "\n"
        << text;
  }
}

TEST(PixelMetadata, HasTheBytesOfANewCodeGenerator) {
  for (const TargetInfo &target : getTargets())
    for (unsigned wave : {32u, 64u})
      if (wave == 64 || target.supportsWave32)
        compare({.type = GraphicsPipelineType::Ngg,
                 .shaders = ExampleShaders::Fragment,
                 .waveSize = wave},
                target);
}

TEST(PixelMetadata, RefusesWhatLlvmDidNotWrite) {
  LLVMContext context;
  Module empty("empty", context);
  EXPECT_EQ(assay::takeError(hideVersion(empty)).kind, ErrorKind::InvalidInput);
  const TargetInfo &target = getTargets().front();
  std::vector<uint8_t> zeros(200);
  EXPECT_EQ(assay::takeError(restoreVersion(zeros, target).takeError()).kind,
            ErrorKind::InvalidInput);
  ExamplePipeline example{.shaders = ExampleShaders::Fragment};
  std::vector<uint8_t> elf = cantFail(compileExample(example, target));
  for (size_t length : {size_t(40), elf.size() / 2})
    EXPECT_EQ(
        assay::takeError(restoreVersion(ArrayRef(elf).take_front(length), target).takeError()).kind,
        ErrorKind::InvalidInput)
        << length;
}

/// A section without contents in the file may have any size.
TEST(PixelMetadata, KeepsSectionsWithoutContents) {
  constexpr uint64_t Size = uint64_t(1) << 40;
  const TargetInfo &target = *cantFail(findAmdTarget("gfx1030"));
  std::vector<uint8_t> elf = cantFail(compileExample(
      {.shaders = ExampleShaders::Fragment, .palVersion = PalVersion::V2_6}, target));
  ELF::Elf64_Ehdr file;
  std::memcpy(&file, elf.data(), sizeof(file));
  // The table of the sections is the last thing in the file: one more fits after it.
  ASSERT_EQ(file.e_shoff + file.e_shnum * sizeof(ELF::Elf64_Shdr), elf.size());
  ELF::Elf64_Shdr added = {};
  added.sh_type = ELF::SHT_NOBITS;
  added.sh_offset = elf.size();
  added.sh_size = Size;
  ++file.e_shnum;
  std::memcpy(elf.data(), &file, sizeof(file));
  const auto *bytes = reinterpret_cast<const uint8_t *>(&added);
  elf.insert(elf.end(), bytes, bytes + sizeof(added));
  Expected<std::vector<uint8_t>> restored = restoreVersion(elf, target);
  ASSERT_TRUE(static_cast<bool>(restored)) << assay::takeError(restored.takeError()).message;
  std::memcpy(&added, restored->data() + restored->size() - sizeof(added), sizeof(added));
  EXPECT_EQ(added.sh_type, static_cast<uint32_t>(ELF::SHT_NOBITS));
  EXPECT_EQ(added.sh_size, Size);
}
