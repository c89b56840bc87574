// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay print-ir: LLVM IR of the compiler, verified, with specialized metadata as named fields or
// as the tuples that stock LLVM reads.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/link/LinkStages.h"
#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "harness/cli/OutputFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

namespace {
/// Options of the verb. "-" is standard input or output.
struct IrOptions {
  std::string input = "-", output = "-";
  std::string link; ///< File of the other stage; empty: none.
  bool plain = false;
};
} // namespace

/// Reads bitcode or text, which may have named fields of the dialect. InvalidInput where it can't
/// be parsed. The module belongs to \p context.
static Expected<std::unique_ptr<Module>> readModule(StringRef text, LLVMContext &context) {
  MemoryBufferRef buffer(text, "IR");
  if (!isBitcode(buffer.getBuffer().bytes_begin(), buffer.getBuffer().bytes_end()))
    return parseModule(text, context);
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(buffer, context);
  if (!module) // LLVM's errors are of no class of ours.
    return invalidInput(toString(module.takeError()));
  return module;
}

/// In front of each module where `assay compile` prints those of several stages.
static constexpr StringLiteral stageMark = "; stage ";

/// Splits \p text before each line that begins with stageMark. Text without such a line at its
/// beginning is one part.
static std::vector<StringRef> splitStages(StringRef text) {
  std::vector<StringRef> parts;
  if (text.starts_with(stageMark))
    for (size_t next; (next = text.find(("\n" + stageMark).str())) != StringRef::npos;
         text = text.drop_front(next + 1))
      parts.push_back(text.take_front(next + 1));
  parts.push_back(text);
  return parts;
}

/// Reads the module in \p text and verifies it and its ops. InvalidInput names \p file, and the
/// stage where the text says one.
static Expected<std::unique_ptr<Module>> readVerified(StringRef text, std::string file,
                                                      LLVMContext &context) {
  if (StringRef line = text.split('\n').first; line.consume_front(stageMark))
    file += (": stage " + line).str();
  Expected<std::unique_ptr<Module>> module = readModule(text, context);
  if (!module)
    return addContext(module.takeError(), file);
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(**module, &os))
    return invalidInput(file + ": " + problem);
  if (Error error = verifyDialect(**module, "lgc.", getLgcOps()))
    return addContext(std::move(error), file);
  return module;
}

/// Prints metadata with named fields, or with --plain as tuples.
static std::string printModule(const Module &module, const IrOptions &options) {
  std::string printed;
  raw_string_ostream out(printed);
  if (options.plain)
    out << module;
  else
    printModule(module, out);
  return printed;
}

/// Reads, verifies and prints the module, or that of each stage after the line that names it.
static Expected<std::string> printInput(const IrOptions &options) {
  Expected<std::string> text = readFileText(options.input);
  if (!text)
    return text.takeError();
  std::string printed;
  for (StringRef part : splitStages(*text)) {
    LLVMContext context;
    DialectRegistration dialect(context, getLgcDialect());
    Expected<std::unique_ptr<Module>> module = readVerified(part, options.input, context);
    if (!module)
      return module.takeError();
    if (part.starts_with(stageMark))
      printed += (part.split('\n').first + "\n").str();
    printed += printModule(**module, options);
  }
  return printed;
}

/// Reads and verifies both stages, links them and prints them one after the other. Each stage has a
/// context of its own, as in the compiler.
static Expected<std::string> printLinked(const IrOptions &options) {
  LLVMContext context, otherContext;
  DialectRegistration dialect(context, getLgcDialect());
  DialectRegistration otherDialect(otherContext, getLgcDialect());
  Expected<std::string> text = readFileText(options.input);
  if (!text)
    return text.takeError();
  Expected<std::string> otherText = readFileText(options.link);
  if (!otherText)
    return otherText.takeError();
  Expected<std::unique_ptr<Module>> first = readVerified(*text, options.input, context);
  if (!first)
    return first.takeError();
  Expected<std::unique_ptr<Module>> second = readVerified(*otherText, options.link, otherContext);
  if (!second)
    return second.takeError();
  if (Error error = linkStages({first->get(), second->get()}))
    return addContext(std::move(error), options.input + " and " + options.link);
  return printModule(**first, options) + printModule(**second, options);
}

/// Errors of the input and of the output file are printed with their exit codes.
void assay::addPrintIr(CLI::App &app, Invocation &invocation) {
  CLI::App *verb = app.add_subcommand("print-ir", "Verify LLVM IR of the compiler and print it");
  auto options = std::make_shared<IrOptions>();
  verb->add_option(
          "input", options->input,
          "LLVM IR as text, its metadata in either form, or bitcode; - for the standard input")
      ->capture_default_str();
  verb->add_flag("--plain", options->plain,
                 "Print metadata as tuples, which every LLVM tool reads, not as named fields");
  verb->add_option("--link", options->link,
                   "IR of another stage of the pipeline: link both, each having one function and "
                   "its inputs and outputs as values, and print one after the other");
  addOutputFile(*verb, "-o,--output", options->output,
                "File to write, or - for the standard output");
  verb->callback([options, &invocation] {
    invocation.action = [options] {
      for (StringRef file : {StringRef(options->input), StringRef(options->link)})
        if (Error error = file.empty() ? Error::success() : verifyInputFile(file))
          return failUsage(std::move(error));
      Expected<std::string> text =
          options->link.empty() ? printInput(*options) : printLinked(*options);
      if (!text)
        return fail(text.takeError());
      Error error = writeFile(options->output, *text);
      return error ? fail(std::move(error)) : ExitGood;
    };
  });
}
