// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many instructions of given ELFs the project's decoder decodes and prints in a second on one
// core, next to LLVM's disassembler through its C interface, which prints, too.
#include "harness/tools/bench/calibration/Calibration.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm-c/Disassembler.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace {

/// The code of one ELF.
struct Code {
  std::string cpu; ///< As LLVM names it; empty where the ELF has none.
  std::vector<uint8_t> bytes;
};

} // namespace

/// Returns 64 for gfx9 and 32 for later chips. The encodings are the same for both sizes; only the
/// widths of printed masks differ.
static unsigned waveSizeOf(const Code &code) {
  return StringRef(code.cpu).starts_with("gfx9") ? 64 : 32;
}

/// The contents of all text sections, one after the other. Errors are LLVM's or those of reading
/// the file.
static Expected<Code> readCode(StringRef path) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  MemoryBufferRef buffer(toStringRef(*bytes), path);
  auto file = object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  Code code;
  code.cpu = (*file)->tryGetCPUName().value_or("").str();
  for (const object::SectionRef &section : (*file)->sections()) {
    if (!section.isText())
      continue;
    Expected<StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    code.bytes.insert(code.bytes.end(), contents->bytes_begin(), contents->bytes_end());
  }
  return code;
}

/// Decodes all \p codes by the project's decoder and counts the instructions as items. The creation
/// of the decoder is part of the time.
static void decodeOwn(benchmark::State &state, const std::vector<Code> &codes) {
  int64_t count = 0;
  for (auto _ : state) {
    for (const Code &code : codes) {
      auto decoder = gcn::Decoder::create(code.cpu, waveSizeOf(code));
      if (!decoder)
        return state.SkipWithError(takeError(decoder.takeError()).message.c_str());
      auto insts = (*decoder)->decodeRange(code.bytes, 0, code.bytes.size());
      count += static_cast<int64_t>(insts.size());
      benchmark::DoNotOptimize(insts);
    }
  }
  state.SetItemsProcessed(count);
}

/// Returns LLVM's disassembler for the chip of \p code, or null if LLVM does not know the chip. The
/// caller disposes of the result.
static LLVMDisasmContextRef createLlvm(const Code &code) {
  const char *features = waveSizeOf(code) == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  return LLVMCreateDisasmCPUFeatures("amdgcn--amdpal", code.cpu.c_str(), features, nullptr, 0,
                                     nullptr, nullptr);
}

/// Disassembles all of \p bytes and returns the number of instructions. Four bytes that are not an
/// instruction count as one.
static int64_t decodeWithLlvm(LLVMDisasmContextRef context, std::vector<uint8_t> &bytes) {
  constexpr size_t MaxText = 256;
  char text[MaxText];
  int64_t count = 0;
  for (size_t offset = 0; offset < bytes.size(); ++count) {
    size_t size = LLVMDisasmInstruction(context, bytes.data() + offset, bytes.size() - offset,
                                        offset, text, MaxText);
    offset += size ? size : 4;
  }
  return count;
}

/// Does the same as decodeOwn() by LLVM's disassembler. The contexts are created outside the
/// measured time. A chip without a context ends the benchmark with an error.
static void decodeLlvm(benchmark::State &state, std::vector<Code> &codes) {
  std::vector<LLVMDisasmContextRef> contexts;
  for (const Code &code : codes)
    contexts.push_back(createLlvm(code));
  int64_t count = 0;
  for (auto _ : state)
    for (size_t i = 0; i < codes.size() && contexts[i]; ++i)
      count += decodeWithLlvm(contexts[i], codes[i].bytes);
  for (LLVMDisasmContextRef context : contexts)
    if (context)
      LLVMDisasmDispose(context);
  if (is_contained(contexts, nullptr))
    return state.SkipWithError("LLVM does not know a chip");
  state.SetItemsProcessed(count);
}

/// Exit status 2 for a usage error and 3 for a file that is no ELF.
int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    errs() << "usage: assay-bench-decode [--benchmark_...] ELF...\n";
    return 2;
  }
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  std::vector<Code> codes;
  for (int i = 1; i < argc; ++i) {
    Expected<Code> code = readCode(argv[i]);
    if (!code) {
      errs() << "assay-bench-decode: " << toString(code.takeError()) << "\n";
      return 3;
    }
    codes.push_back(std::move(*code));
  }
  benchmark::RegisterBenchmark("calibration", calibrate);
  benchmark::RegisterBenchmark("decode/own",
                               [&codes](benchmark::State &state) { decodeOwn(state, codes); });
  benchmark::RegisterBenchmark("decode/llvm",
                               [&codes](benchmark::State &state) { decodeLlvm(state, codes); });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
