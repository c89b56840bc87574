// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay assemble and assay disassemble: machine code of Adreno GPUs to text and back, in Mesa's
// syntax. Variant files, which assay compile writes, are disassembled, too.
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/OutputFile.h"
#include "oracles/ir3_variant/Ir3Variant.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/FileMagic.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {

/// Options of both verbs. Exactly one of input and output is text; "-" is standard input or output.
struct CodeOptions {
  std::string target; ///< Empty: that of a variant file, else a630.
  std::string input = "-";
  std::string output = "-";
  bool isHex = false; ///< Words of machine code are hexadecimal text.
};

} // namespace

/// Returns the chip called \p target, a630 if that is empty. Unsupported for a target that the
/// assembler does not know, those of AMD included.
static Expected<adreno::Chip> chipOf(StringRef target) {
  if (target.empty())
    target = "a630";
  if (std::optional<adreno::Chip> chip = adreno::findChip(target))
    return *chip;
  return unsupported("target '" + target +
                     "' has no assembler here; a420, a540, a630, a660 and a740 have one");
}

/// Reads hexadecimal words of 64 bits, separated by white space, with an optional 0x and with '_'
/// between digits. InvalidInput names the first word that is none.
static Expected<std::vector<uint64_t>> readHexWords(StringRef text) {
  std::vector<uint64_t> words;
  SmallVector<StringRef, 0> tokens;
  SplitString(text, tokens);
  for (StringRef token : tokens) {
    std::string digits = token.str();
    erase(digits, '_');
    StringRef rest = digits;
    rest.consume_front("0x");
    uint64_t word = 0;
    if (rest.getAsInteger(16, word))
      return invalidInput("'" + token + "' is no hexadecimal word of 64 bits");
    words.push_back(word);
  }
  return words;
}

/// Returns instructions of 64 bits each. Binary code is little-endian; InvalidInput if its size is
/// no multiple of 8.
static Expected<std::vector<uint64_t>> readWords(ArrayRef<uint8_t> bytes, bool isHex) {
  if (isHex)
    return readHexWords(toStringRef(bytes));
  if (bytes.size() % 8)
    return invalidInput("code has " + Twine(bytes.size()) + " bytes; instructions have 8 each");
  std::vector<uint64_t> words;
  for (size_t at = 0; at < bytes.size(); at += 8)
    words.push_back(support::endian::read64le(bytes.data() + at));
  return words;
}

/// Returns the assembly of the code in a variant file. InvalidInput where --target names another
/// chip than the file.
static Expected<std::string> disassembleVariant(ArrayRef<uint8_t> bytes,
                                                const CodeOptions &options) {
  Expected<Ir3Variant> variant = readIr3Variant(bytes);
  if (!variant)
    return variant.takeError();
  if (!options.target.empty() && options.target != variant->target)
    return invalidInput("the variant is for " + variant->target + ", not " + options.target);
  Expected<adreno::Chip> chip = chipOf(variant->target);
  if (!chip)
    return chip.takeError();
  return adreno::disassemble(variant->code, *chip);
}

/// Returns assembly, a line an instruction. Hexadecimal words are printed each by itself, so no
/// jump targets become labels.
static Expected<std::string> disassembleInput(const CodeOptions &options, ArrayRef<uint8_t> bytes) {
  Expected<adreno::Chip> chip = chipOf(options.target);
  if (!chip)
    return chip.takeError();
  if (!options.isHex && toStringRef(bytes).starts_with(Ir3VariantMagic)) {
    Expected<std::string> text = disassembleVariant(bytes, options);
    return text ? std::move(text) : addContext(text.takeError(), options.input);
  }
  Expected<std::vector<uint64_t>> words = readWords(bytes, options.isHex);
  if (!words)
    return addContext(words.takeError(), options.input);
  if (!options.isHex)
    return adreno::disassemble(*words, *chip);
  std::string text;
  for (uint64_t word : *words)
    text += adreno::printWord(word, *chip) + "\n";
  return text;
}

/// Returns binary code, or with --hex a line of 16 digits for each instruction.
static Expected<std::string> assembleInput(const CodeOptions &options, ArrayRef<uint8_t> bytes) {
  Expected<adreno::Chip> chip = chipOf(options.target);
  if (!chip)
    return chip.takeError();
  Expected<std::vector<uint64_t>> words = adreno::assemble(toStringRef(bytes), *chip);
  if (!words)
    return addContext(words.takeError(), options.input);
  std::string out;
  for (uint64_t word : *words) {
    if (options.isHex) {
      out += utohexstr(word, /*LowerCase=*/true, 16) + "\n";
      continue;
    }
    char bytes[8];
    support::endian::write64le(bytes, word);
    out.append(bytes, sizeof(bytes));
  }
  return out;
}

/// Converts the bytes of the input by \p convert and writes the result, or prints what is wrong.
/// Returns the exit code. Usage error for an ELF: its bytes would be printed as words that are no
/// code.
static int runCodeVerb(const CodeOptions &options,
                       Expected<std::string> convert(const CodeOptions &options,
                                                     ArrayRef<uint8_t> bytes)) {
  if (Error error = verifyInputFile(options.input))
    return failUsage(std::move(error));
  Expected<std::vector<uint8_t>> bytes = readFileBytes(options.input);
  if (!bytes)
    return fail(bytes.takeError());
  if (isElfOrArchive(*bytes))
    return fail(ExitUsage, options.input +
                               ": is an ELF or an archive, not code of an Adreno GPU; assay "
                               "compile CASE --emit asm prints the assembly of a case, and "
                               "llvm-objdump -d that of a PAL ELF");
  Expected<std::string> result = convert(options, *bytes);
  if (!result)
    return fail(result.takeError());
  if (Error error = writeFile(options.output, *result))
    return fail(std::move(error));
  return ExitGood;
}

/// Adds the options of both verbs. With --hex the machine code is text; \p hexHelp says on which
/// side.
static void addOptions(CLI::App &verb, CodeOptions &options, const std::string &hexHelp) {
  verb.add_option("input", options.input, "File, or - for the standard input")
      ->capture_default_str();
  verb.add_option("--target", options.target,
                  "a420, a540, a630, a660 or a740 (default: that of a variant file, else a630)");
  addOutputFile(verb, "-o,--output", options.output, "File to write, or - for the standard output");
  verb.add_flag("--hex", options.isHex, hexHelp);
}

void assay::addAssemble(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<CodeOptions>();
  CLI::App *verb =
      app.add_subcommand("assemble", "Turn ir3 assembly into machine code of Adreno GPUs");
  addOptions(*verb, *options, "Write hexadecimal words, one a line, not binary code");
  verb->callback([options, &invocation] {
    invocation.action = [options] { return runCodeVerb(*options, assembleInput); };
  });
}

void assay::addDisassemble(CLI::App &app, Invocation &invocation) {
  auto options = std::make_shared<CodeOptions>();
  CLI::App *verb = app.add_subcommand(
      "disassemble", "Print machine code of Adreno GPUs, or of a variant file, as ir3 "
                     "assembly");
  addOptions(*verb, *options, "Read hexadecimal words, each by itself, not binary code");
  verb->callback([options, &invocation] {
    invocation.action = [options] { return runCodeVerb(*options, disassembleInput); };
  });
}
