// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options of validate-elf as texts, for the file that has a worker's orders.
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// A dialect and its name in options.
struct DialectRow {
  StringLiteral name;
  ElfDialect dialect;
};
constexpr DialectRow Dialects[] = {{"auto", ElfDialect::Auto},
                                   {"llvm", ElfDialect::Llvm},
                                   {"lgc", ElfDialect::Lgc},
                                   {"sc", ElfDialect::Sc}};

/// The least severity that makes a file unsound, and its name in options.
struct FailOnRow {
  StringLiteral name;
  Severity severity;
};
constexpr FailOnRow FailOn[] = {{"error", Severity::Error}, {"warning", Severity::Warning}};
} // namespace

Expected<ElfDialect> assay::parseElfDialect(StringRef name) {
  for (const DialectRow &row : Dialects)
    if (row.name == name)
      return row.dialect;
  return invalidInput("unknown dialect '" + name + "'; known are auto, llvm, lgc and sc");
}

/// InvalidInput for other names than "error" and "warning".
static Expected<Severity> parseFailOn(StringRef name) {
  for (const FailOnRow &row : FailOn)
    if (row.name == name)
      return row.severity;
  return invalidInput("fail-on is error or warning, not '" + name + "'");
}

std::vector<std::string> assay::printValidateOptions(const ValidateOptions &options) {
  std::vector<std::string> texts;
  if (!options.gfxip.empty())
    texts.push_back("gfxip=" + options.gfxip);
  for (const std::string &rule : options.only)
    texts.push_back("only=" + rule);
  for (const std::string &rule : options.skip)
    texts.push_back("skip=" + rule);
  for (const DialectRow &row : Dialects)
    if (row.dialect == options.dialect && options.dialect != ElfDialect::Auto)
      texts.push_back(("dialect=" + row.name).str());
  if (options.strict)
    texts.emplace_back("strict");
  if (!options.code)
    texts.emplace_back("no-code");
  if (options.failOn != Severity::Error)
    texts.emplace_back("fail-on=warning");
  return texts;
}

/// Applies one text of printValidateOptions, "NAME" or "NAME=VALUE", to \p options. InvalidInput
/// for unknown names. A flag with a value is accepted, and the value ignored.
static Error parseOption(StringRef text, ValidateOptions &options) {
  auto [name, value] = text.split('=');
  if (name == "gfxip") {
    options.gfxip = value.str();
  } else if (name == "only") {
    options.only.push_back(value.str());
  } else if (name == "skip") {
    options.skip.push_back(value.str());
  } else if (name == "strict") {
    options.strict = true;
  } else if (name == "no-code") {
    options.code = false;
  } else if (name == "dialect") {
    return parseElfDialect(value).moveInto(options.dialect);
  } else if (name == "fail-on") {
    return parseFailOn(value).moveInto(options.failOn);
  } else {
    return invalidInput("unknown option '" + text + "' of validate-elf");
  }
  return Error::success();
}

Expected<ValidateOptions> assay::parseValidateOptions(ArrayRef<std::string> texts) {
  ValidateOptions options;
  for (const std::string &text : texts)
    if (Error error = parseOption(text, options))
      return std::move(error);
  return options;
}

bool assay::isSound(ArrayRef<Finding> findings, const ValidateOptions &options) {
  return none_of(findings,
                 [&](const Finding &finding) { return finding.severity >= options.failOn; });
}
