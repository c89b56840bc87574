// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay print-ir: LLVM IR of the compiler, verified, with specialized metadata as named fields or
// as the tuples that stock LLVM reads.
#include "compiler/dialect/Lgc.h"
#include "harness/cli/Cli.h"
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
struct IrOptions {
  std::string input = "-", output = "-";
  bool plain = false;
};
} // namespace

static Expected<std::unique_ptr<Module>> readModule(StringRef text, LLVMContext &context) {
  MemoryBufferRef buffer(text, "IR");
  if (!isBitcode(buffer.getBuffer().bytes_begin(), buffer.getBuffer().bytes_end()))
    return parseModule(text, context);
  Expected<std::unique_ptr<Module>> module = parseBitcodeFile(buffer, context);
  if (!module) // LLVM's errors are of no class of ours.
    return invalidInput(toString(module.takeError()));
  return module;
}

static Expected<std::string> printInput(const IrOptions &options) {
  Expected<std::string> text = readFileText(options.input);
  if (!text)
    return text.takeError();
  LLVMContext context;
  DialectRegistration dialect(context, getLgcDialect());
  Expected<std::unique_ptr<Module>> module = readModule(*text, context);
  if (!module)
    return addContext(module.takeError(), options.input);
  std::string problem;
  raw_string_ostream os(problem);
  if (verifyModule(**module, &os))
    return invalidInput(options.input + ": " + problem);
  if (Error error = verifyDialect(**module, "lgc.", getLgcOps()))
    return addContext(std::move(error), options.input);
  std::string printed;
  raw_string_ostream out(printed);
  if (options.plain)
    out << **module;
  else
    printModule(**module, out);
  return printed;
}

void assay::addPrintIr(CLI::App &app, Invocation &invocation) {
  CLI::App *verb = app.add_subcommand("print-ir", "Verify LLVM IR of the compiler and print it");
  auto options = std::make_shared<IrOptions>();
  verb->add_option(
          "input", options->input,
          "LLVM IR as text, its metadata in either form, or bitcode; - for the standard input")
      ->check(CLI::ExistingFile | CLI::IsMember({"-"}))
      ->capture_default_str();
  verb->add_flag("--plain", options->plain,
                 "Print metadata as tuples, which every LLVM tool reads, not as named fields");
  addOutputFile(*verb, "-o,--output", options->output,
                "File to write, or - for the standard output");
  verb->callback([options, &invocation] {
    invocation.action = [options] {
      Expected<std::string> text = printInput(*options);
      if (!text)
        return fail(text.takeError());
      Error error = writeFile(options->output, *text);
      return error ? fail(std::move(error)) : ExitGood;
    };
  });
}
