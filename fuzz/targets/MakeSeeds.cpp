// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeds from inputs that are there already: the modules and the scripts of the corpus, the metadata
// of ELFs. Run by the build:
//   fuzz-make-seeds spirv|script|msgpack FOLDER INPUT...
#include "oracles/api/Case.h"
#include "oracles/input/CaseReader.h"
#include "oracles/input/amber/AmberWriter.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// Larger ones would slow down what is made of them; the targets' max_len is twice as much.
static constexpr size_t MostBytes = 16384;

/// The contents of the files to write.
using Seeds = std::vector<std::vector<uint8_t>>;

static std::vector<uint8_t> toVector(ArrayRef<uint8_t> bytes) {
  return bytes.vec();
}

/// Returns the SPIR-V modules of all stages of a case, as bytes in host order.
static Expected<Seeds> seedsOfShaders(StringRef path) {
  Expected<Case> input = readCase(path, "seed");
  if (!input)
    return input.takeError();
  Seeds seeds;
  for (const CasePipeline &pipeline : input->pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages) {
      ArrayRef<uint32_t> words = shader.spirv;
      seeds.push_back(toVector(
          {reinterpret_cast<const uint8_t *>(words.data()), words.size() * sizeof(uint32_t)}));
    }
  return seeds;
}

/// As our own writer has it: without GLSL.
static Expected<Seeds> seedsOfScript(StringRef path) {
  Expected<Case> input = readCase(path, "seed");
  if (!input)
    return input.takeError();
  Expected<std::string> text = writeAmber(*input);
  if (text)
    return Seeds{toVector(arrayRefFromStringRef(*text))};
  ErrorParts parts = takeError(text.takeError());
  if (parts.kind == ErrorKind::Unsupported)
    return Seeds();
  return invalidInput(parts.message);
}

/// Returns the MessagePack contents of an ELF's metadata note; an error where it has none.
static Expected<Seeds> seedsOfMetadata(StringRef path) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes)
    return bytes.takeError();
  Expected<ElfView> elf = ElfView::read(*bytes);
  if (!elf)
    return elf.takeError();
  Expected<ArrayRef<uint8_t>> note = findMetadataNote(*elf);
  if (!note)
    return note.takeError();
  return Seeds{toVector(*note)};
}

/// Writes the seeds as STEM.EXTENSION, STEM-1.EXTENSION and so on; skips those above MostBytes.
/// Returns Environment where a file cannot be written.
static Error writeSeeds(StringRef folder, StringRef input, const Seeds &seeds,
                        StringRef extension) {
  for (const auto &[index, seed] : enumerate(seeds)) {
    if (seed.size() > MostBytes)
      continue;
    SmallString<128> path(folder);
    sys::path::append(path,
                      sys::path::stem(input) + (index ? "-" + Twine(index) : Twine()) + extension);
    std::error_code code;
    raw_fd_ostream os(path, code);
    os << toStringRef(ArrayRef(seed));
    os.close();
    if (code || os.has_error())
      return environmentError(Twine(path) + ": can't be written");
  }
  return Error::success();
}

namespace {
/// A kind of seed: its name on the command line, the extension of its files, and what reads an
/// input.
struct Kind {
  StringLiteral name;
  StringLiteral extension;
  Expected<Seeds> (*make)(StringRef path); ///< Reads one input.
};
/// Kinds by the first argument.
constexpr Kind Kinds[] = {{"spirv", ".spv", seedsOfShaders},
                          {"script", ".amber", seedsOfScript},
                          {"msgpack", ".msgpack", seedsOfMetadata}};
} // namespace

/// Creates the folder and writes the seeds of all inputs; ends at the first error.
static Error makeSeeds(const Kind &kind, StringRef folder, ArrayRef<char *> inputs) {
  if (std::error_code code = sys::fs::create_directories(folder))
    return environmentError(folder + ": " + code.message());
  for (StringRef input : inputs) {
    Expected<Seeds> seeds = kind.make(input);
    if (!seeds)
      return addContext(seeds.takeError(), input);
    if (Error error = writeSeeds(folder, input, *seeds, kind.extension))
      return error;
  }
  return Error::success();
}

/// Returns 2 for a usage error and 1 where a seed cannot be made or written.
int main(int argc, char **argv) {
  ArrayRef<char *> arguments(argv, static_cast<size_t>(argc));
  const auto *kind =
      argc < 3 ? std::end(Kinds)
               : find_if(Kinds, [&](const Kind &each) { return each.name == StringRef(argv[1]); });
  if (kind == std::end(Kinds)) {
    errs() << "usage: fuzz-make-seeds spirv|script|msgpack FOLDER INPUT...\n";
    return 2;
  }
  if (Error error = makeSeeds(*kind, argv[2], arguments.drop_front(3))) {
    errs() << takeError(std::move(error)).message << "\n";
    return 1;
  }
  return 0;
}
