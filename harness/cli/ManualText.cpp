// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/ManualText.h"

#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// \p text as roff prints it literally (groff_char(7)): a dash that stays a dash, and no line that
/// begins with a request.
static std::string escapeRoff(StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c == '\n' ? ' ' : c;
  }
  return StringRef(result).starts_with(".") || StringRef(result).starts_with("'") ? "\\&" + result
                                                                                  : result;
}

/// Escapes \p text and sets it in bold.
static std::string bold(StringRef text) {
  return "\\fB" + escapeRoff(text) + "\\fR";
}

/// Escapes \p text and sets it in italics.
static std::string italic(StringRef text) {
  return "\\fI" + escapeRoff(text) + "\\fR";
}

/// The choices, separated by bars, or a placeholder where any value is accepted.
static std::string describeValue(const OptionHelp &option) {
  return option.choices.empty() ? italic("VALUE") : escapeRoff(join(option.choices, "|"));
}

/// All names of the option, with a placeholder for its value. "..." follows a positional argument
/// that repeats.
static std::string describeNames(const OptionHelp &option) {
  if (option.isPositional)
    return italic(option.names.front()) + (option.repeats ? "..." : "");
  std::vector<std::string> names;
  for (const std::string &name : option.names)
    names.push_back(bold(name));
  return join(names, ", ") + (option.takesValue ? " " + describeValue(option) : "");
}

/// Prints a tagged paragraph: the names, the help text, and whether it is required or has a
/// default.
static void printOption(raw_ostream &os, const OptionHelp &option) {
  os << ".TP\n" << describeNames(option) << "\n" << escapeRoff(option.text);
  if (option.isRequired)
    os << " (required)";
  if (!option.defaultValue.empty())
    os << " (default: " << escapeRoff(option.defaultValue) << ")";
  os << "\n";
}

/// Prints a subsection for \p verb and, after it, one for each verb below it.
static void printVerb(raw_ostream &os, const VerbHelp &verb) {
  os << ".SS assay " << escapeRoff(verb.path);
  for (const OptionHelp &option : verb.options)
    if (option.isPositional)
      os << " " << option.names.front() << (option.repeats ? "..." : "");
  os << "\n" << escapeRoff(verb.text) << ".\n";
  for (const OptionHelp &option : verb.options)
    printOption(os, option);
  for (const VerbHelp &child : verb.verbs)
    printVerb(os, child);
}

std::string assay::printManualPage(const VerbHelp &program, const std::string &version) {
  std::string text;
  raw_string_ostream os(text);
  os << ".TH ASSAY 1 \"\" \"assay " << version << "\" \"User Commands\"\n"
     << ".SH NAME\nassay \\- compile shaders, run the machine code on models of GPUs, and judge "
        "it\n"
     << ".SH SYNOPSIS\n"
     << bold("assay") << " " << italic("VERB") << " [" << italic("OPTION") << "...] ["
     << italic("INPUT") << "...] [" << bold("--") << " " << italic("COMMAND")
     << " {in} {out}]\n.SH DESCRIPTION\n"
     << escapeRoff(program.text) << "\n"
     << "Results go to the standard output, progress and errors to the standard error. A command "
        "after "
     << bold("--") << " is a compiler: {in} is its input file and {out} the file that it writes.\n"
     << ".SH VERBS\n";
  for (const VerbHelp &verb : program.verbs)
    printVerb(os, verb);
  os << ".SH EXIT STATUS\nThe first that applies.\n";
  constexpr std::pair<const char *, const char *> codes[] = {
      {"2", "The command line is wrong, or an input does not exist."},
      {"3", "The tool itself failed."},
      {"1", "Something failed, or an input is invalid."},
      {"4", "Only known or flaky findings."},
      {"77", "Nothing passed, and something was unsupported."},
      {"0", "Everything passed."}};
  for (auto [code, meaning] : codes)
    os << ".TP\n" << bold(code) << "\n" << meaning << "\n";
  os << ".SH FILES\n.TP\n/usr/share/assay\nCases to run (corpora), and bugs of other projects "
        "(bugs).\n.TP\n/usr/share/doc/assay\nThe documents; README.md is the first to read.\n";
  return text;
}

/// Prints branches of a bash `case` by path of the verb, which set "verbs" and "options".
static void printWords(raw_ostream &os, const VerbHelp &verb) {
  std::vector<std::string> options, verbs;
  for (const OptionHelp &option : verb.options)
    if (!option.isPositional)
      append_range(options, option.names);
  for (const VerbHelp &child : verb.verbs)
    verbs.push_back(child.path.substr(child.path.rfind(' ') + 1));
  os << "    " << quoteForShell(verb.path) << ") verbs=" << quoteForShell(join(verbs, " "))
     << " options=" << quoteForShell(join(options, " ")) << " ;;\n";
  for (const VerbHelp &child : verb.verbs)
    printWords(os, child);
}

/// Prints branches of a bash `case` by "verb:option", which set "values". Only options with a fixed
/// list have one.
static void printChoices(raw_ostream &os, const VerbHelp &verb) {
  for (const OptionHelp &option : verb.options) {
    if (option.isPositional || option.choices.empty())
      continue;
    std::vector<std::string> patterns;
    for (const std::string &name : option.names)
      patterns.push_back(quoteForShell(verb.path + ":" + name));
    os << "    " << join(patterns, "|") << ") values=" << quoteForShell(join(option.choices, " "))
       << " ;;\n";
  }
  for (const VerbHelp &child : verb.verbs)
    printChoices(os, child);
}

std::string assay::printBashCompletion(const VerbHelp &program) {
  std::string text;
  raw_string_ostream os(text);
  os << "# Completion of assay for bash; printed by `assay manual bash`.\n"
        "_assay() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  local verb= verbs= options= values= i candidate\n"
        "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "    [ \"${COMP_WORDS[i]}\" != -- ] || return 0 # A compiler's command line follows.\n"
        "    candidate=\"${verb:+$verb }${COMP_WORDS[i]}\"\n"
        "    case \" ${_assay_verbs[*]} \" in *\" ${candidate// /:} \"*) verb=$candidate ;; esac\n"
        "  done\n"
        "  case $verb in\n";
  printWords(os, program);
  os << "  esac\n  case $verb:$previous in\n";
  printChoices(os, program);
  os << "  esac\n"
        "  if [ -n \"$values\" ]; then\n"
        "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
        "  elif [[ $word == -* ]]; then\n"
        "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "  elif [ -n \"$verbs\" ]; then\n"
        "    COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n"
        "  else\n"
        "    COMPREPLY=() # Names of files, by -o default.\n"
        "  fi\n"
        "}\n"
        "_assay_verbs=(";
  std::vector<std::string> paths;
  std::function<void(const VerbHelp &)> collect = [&](const VerbHelp &verb) {
    for (const VerbHelp &child : verb.verbs) {
      std::string path = child.path;
      llvm::replace(path, ' ', ':');
      paths.push_back(path);
      collect(child);
    }
  };
  collect(program);
  os << join(paths, " ") << ")\ncomplete -o bashdefault -o default -F _assay assay\n";
  return text;
}
