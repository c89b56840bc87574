// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay manual: the manual page and the completion for bash, made from the options that the program
// parses.
#include "harness/cli/Manual.h"

#include "harness/cli/Cli.h"
#include "harness/cli/ManualText.h"
#include "harness/cli/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Returns the values of an option with a fixed choice, or none. CLI11 appends them to the name of
/// the option's type: "TEXT:{elf,asm}".
static std::vector<std::string> collectChoices(StringRef type) {
  StringRef list = type.rsplit('{').second;
  if (!type.contains('{') || !list.consume_back("}"))
    return {};
  std::vector<std::string> choices;
  for (StringRef choice : split(list, ','))
    choices.push_back(choice.str());
  return choices;
}

/// Translates CLI11's description. An option takes a value if it can have one, though the value may
/// be optional.
static OptionHelp describeOption(const CLI::Option &option) {
  OptionHelp help;
  help.isPositional = option.get_positional();
  if (help.isPositional) {
    help.names = {option.get_single_name()};
  } else {
    for (const std::string &name : option.get_snames())
      help.names.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
      help.names.push_back("--" + name);
  }
  help.isRequired = option.get_required();
  help.takesValue = option.get_expected_max() > 0 && option.get_type_size_max() > 0;
  help.repeats = option.get_expected_max() > 1;
  help.choices = collectChoices(option.get_type_name());
  help.text = option.get_description();
  help.defaultValue = help.takesValue ? option.get_default_str() : "";
  return help;
}

/// Hidden verbs and options belong to the group with the empty name. The verbs below are described
/// in the same way. \p path has the names of all verbs down to this one, separated by blanks; it is
/// empty for the program.
static VerbHelp describeVerb(const CLI::App &app, const std::string &path) {
  VerbHelp help;
  help.path = path;
  help.text = app.get_description();
  for (const CLI::Option *option : app.get_options(nullptr))
    if (!option->get_group().empty())
      help.options.push_back(describeOption(*option));
  for (const CLI::App *verb : app.get_subcommands(nullptr))
    if (!verb->get_group().empty())
      help.verbs.push_back(
          describeVerb(*verb, path.empty() ? verb->get_name() : path + " " + verb->get_name()));
  return help;
}

/// Adds the verb. Its text is made when it runs, because verbs that are added later belong to it;
/// \p app must outlive \p invocation.
void assay::addManual(CLI::App &app, Invocation &invocation) {
  struct ManualVerb {
    std::string kind;
    std::string output;
  };
  auto options = std::make_shared<ManualVerb>();
  CLI::App *verb = app.add_subcommand(
      "manual", "Print the manual page, or completion for a shell, from the options of all verbs");
  verb->add_option("kind", options->kind, "man: for man(1); bash: to be sourced by bash")
      ->required()
      ->check(CLI::IsMember({"man", "bash"}));
  addOutputFile(*verb, "-o,--output", options->output, "Write to this file, not to stdout");
  verb->callback([options, &app, &invocation] {
    invocation.action = [options, &app] {
      VerbHelp program = describeVerb(app, "");
      return printText(options->kind == "man" ? printManualPage(program, ASSAY_VERSION)
                                              : printBashCompletion(program),
                       options->output);
    };
  });
}
