// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the command line accepts, as a manual page and as completion for a shell. It knows nothing
// of the library that parses the command line: Manual.cpp collects the facts from the same options
// that are parsed.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// An option, a flag or a positional argument of a verb.
struct OptionHelp {
  std::vector<std::string> names;   ///< "-o", "--output"; one name without dashes if positional.
  bool isPositional = false;        ///< Given by its place on the command line.
  bool isRequired = false;          ///< The verb is a usage error without it.
  bool takesValue = false;          ///< False for a flag. Positional arguments are values.
  bool repeats = false;             ///< More than one value is accepted.
  std::vector<std::string> choices; ///< All accepted values, if they are a fixed list.
  std::string text;                 ///< Help text, one line.
  std::string defaultValue;         ///< Empty if there is none to show.
};

/// A verb with its options, and the verbs below it ("bugs" has "list").
struct VerbHelp {
  std::string path; ///< "bugs list"; empty for the program itself.
  std::string text;
  std::vector<OptionHelp> options;
  std::vector<VerbHelp> verbs;
};

/// The manual page of section 1 in the language of man(7). \p version: "0.1".
std::string printManualPage(const VerbHelp &program, const std::string &version);

/// Completion for bash: verbs, options, and values of options with a fixed list of them; file names
/// elsewhere.
std::string printBashCompletion(const VerbHelp &program);

} // namespace assay
