// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program `assay`: one verb per file; this one chooses.
#include "harness/cli/Cli.h"

#include "harness/cli/Manual.h"
#include "reports/Escape.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <CLI/CLI.hpp>
#include <csignal>

using namespace llvm;
using namespace assay;

#ifdef ASSAY_SANITIZED
// A worker that a sanitizer stops must look like one that crashed.
extern "C" const char *__asan_default_options() {
  return "abort_on_error=1:detect_leaks=0:handle_segv=0";
}
extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1:abort_on_error=1";
}
#endif

/// In the order of `assay --help`.
static constexpr AddVerb verbs[] = {
    addAssemble,    addDisassemble, addPrintIr,     addCompile,
    addRun,         addDiff,        addValidateElf, addCheckFatPointers,
    addCheckHashes, addFuzz,        addCampaign,    addCorpus,
    addBugs,        addScore,       addMerge,       addReport,
    addTriage,      addMinimize,    addLocalize,    addReplay,
    addDoctor,      addVersion,     addManual,      addWorker,
    addCache};

// CLI11 would read options of the compiler command as its own.
static std::vector<std::string> cutCommand(int argc, char **argv, Invocation &invocation) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  invocation.commandLine = "assay";
  for (const std::string &argument : arguments)
    invocation.commandLine += " " + quoteForShell(argument);
  auto cut = llvm::find(arguments, "--");
  if (cut != arguments.end()) {
    invocation.hasCommand = true;
    invocation.command.assign(cut + 1, arguments.end());
    arguments.erase(cut, arguments.end());
  }
  std::reverse(arguments.begin(), arguments.end()); // As CLI11 wants a vector.
  return arguments;
}

/// Returns the exit code. A request for help is no error: the help of the innermost verb is
/// printed. \p reversed are the arguments without the program and without the command, the first
/// one last.
static int explainParseError(const CLI::App &app, const CLI::ParseError &error,
                             const std::vector<std::string> &reversed) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const CLI::App *chosen = &app;
    for (const CLI::App *verb : app.get_subcommands())
      chosen = verb;
    return printText(chosen->help(), "");
  }
  if (reversed.empty())
    return fail(ExitUsage, "a verb is missing; see assay --help");
  if (app.get_subcommands().empty() && reversed.back().front() != '-')
    return fail(ExitUsage, "'" + escapeLine(reversed.back()) + "' is not a verb; see assay --help");
  // CLI11 names neither the verb nor what it would accept.
  StringRef message = error.what();
  if (!app.get_subcommands().empty() && message == "A subcommand is required") {
    const CLI::App *verb = app.get_subcommands().front();
    std::vector<std::string> names;
    for (const CLI::App *each : verb->get_subcommands([](const CLI::App *) { return true; }))
      names.push_back(each->get_name());
    return fail(ExitUsage, verb->get_name() + " needs one of " + join(names, ", "));
  }
  if (message == "A subcommand is required")
    return fail(ExitUsage, "'" + escapeLine(reversed.back()) +
                               "' is not an option of assay; a verb is first: see assay --help");
  return fail(ExitUsage, escapeLine(message));
}

/// Parses the command line, then runs the action of the chosen verb. Exceptions of libraries,
/// except CLI11's own, pass to the caller.
static int runProgram(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN); // A reader that went away is a write error, with a message.
  Invocation invocation;
  static int anchor;
  invocation.program = sys::fs::getMainExecutable(argv[0], &anchor);
  std::vector<std::string> arguments = cutCommand(argc, argv, invocation);
  CLI::App app("Assay: compiles shaders, runs the machine code on models of GPUs, and judges it.",
               "assay");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " ASSAY_VERSION);
  for (AddVerb add : verbs)
    add(app, invocation);
  std::vector<std::string> reversed = arguments;
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion &version) {
    return printText(std::string(version.what()) + "\n", "");
  } catch (const CLI::ParseError &error) {
    return explainParseError(app, error, reversed);
  }
  if (const CLI::Option *option = findEmptyOption(app))
    return fail(ExitUsage, option->get_name() + ": the name is empty");
  if (invocation.hasCommand && !invocation.takesCommand)
    return fail(ExitUsage, app.get_subcommands().front()->get_name() +
                               " takes no command after --; a file whose name begins with '-' "
                               "is ./-NAME");
  return invocation.action();
}

int main(int argc, char **argv) {
  try {
    return runProgram(argc, argv);
  } catch (const std::exception &exception) {
    return fail(ExitToolFailure, exception.what());
  }
}
