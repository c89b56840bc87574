// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/CheckValidation.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/DumpMetadata.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "reports/Report.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// In the order in which the validator reports them.
using Findings = std::vector<Finding>;

/// Returns what is wrong with one finding: an unknown rule, no message, or a signature that does
/// not begin with the rule's id or is not one printable line.
static std::string checkFinding(const Finding &finding) {
  const RuleInfo *rule = findRule(finding.rule);
  if (!rule)
    return "there is no rule '" + finding.rule + "'";
  if (finding.message.empty() || !StringRef(finding.signature).starts_with((rule->id + ":").str()))
    return finding.rule + " has no message or the signature '" + finding.signature + "'";
  if (!all_of(StringRef(finding.signature), isPrint))
    return finding.rule + ": the signature is no line of text";
  return "";
}

/// Compares the members that a report prints.
static bool areEqual(const Finding &a, const Finding &b) {
  return a.rule == b.rule && a.severity == b.severity && a.location == b.location &&
         a.message == b.message && a.signature == b.signature;
}

/// True when \p part is \p whole with some left out.
static bool isPart(ArrayRef<Finding> part, ArrayRef<Finding> whole) {
  for (const Finding &finding : whole)
    if (!part.empty() && areEqual(part.front(), finding))
      part = part.drop_front();
  return part.empty();
}

/// Validates with a single rule, chosen among those with findings if there are any. Returns what is
/// wrong when the result differs from this rule's findings of the run with all rules.
static std::string checkOnly(ArrayRef<uint8_t> file, const Findings &all, uint64_t choice) {
  ArrayRef<const RuleInfo *> rules = listRules();
  StringRef rule =
      all.empty() ? rules[choice % rules.size()]->id : StringRef(all[choice % all.size()].rule);
  ValidateOptions options;
  options.only = {rule.str()};
  Findings wanted;
  copy_if(all, std::back_inserter(wanted),
          [&](const Finding &finding) { return finding.rule == rule; });
  Expected<Findings> alone = validateElf(file, options);
  if (!alone)
    return takeError(alone.takeError()).message;
  if (alone->size() != wanted.size() || !isPart(*alone, wanted))
    return rule.str() + " finds " + std::to_string(alone->size()) + " alone and " +
           std::to_string(wanted.size()) + " with all rules";
  return "";
}

/// Validates without the rules on code; the findings must be a subsequence of \p all.
static std::string checkWithoutCode(ArrayRef<uint8_t> file, const Findings &all) {
  ValidateOptions options;
  options.code = false;
  Expected<Findings> fewer = validateElf(file, options);
  if (!fewer)
    return takeError(fewer.takeError()).message;
  return isPart(*fewer, all) ? "" : "more is found without the rules on code";
}

/// Validates with strict rules; each rule with findings in \p all must have some again.
static std::string checkStrict(ArrayRef<uint8_t> file, const Findings &all) {
  ValidateOptions options;
  options.strict = true;
  Expected<Findings> more = validateElf(file, options);
  if (!more)
    return takeError(more.takeError()).message;
  std::set<StringRef> rules;
  for (const Finding &finding : *more)
    rules.insert(finding.rule);
  for (const Finding &finding : all)
    if (!rules.count(finding.rule))
      return finding.rule + " finds nothing with --strict";
  return "";
}

/// Validates with another dialect and perhaps another chip. Only an error of the validator is
/// wrong; findings may differ.
static std::string checkDialect(ArrayRef<uint8_t> file, uint64_t choice) {
  static constexpr ElfDialect Dialects[] = {ElfDialect::Llvm, ElfDialect::Lgc, ElfDialect::Sc};
  ValidateOptions options;
  options.dialect = Dialects[choice % std::size(Dialects)];
  options.gfxip = choice & 8 ? "gfx1100" : "";
  options.failOn = Severity::Warning;
  Expected<Findings> findings = validateElf(file, options);
  return findings ? "" : takeError(findings.takeError()).message;
}

/// Runs the check that \p choice selects modulo 4; the remaining bits are that check's parameter.
static std::string checkOptions(ArrayRef<uint8_t> file, const Findings &all, uint64_t choice) {
  switch (choice % 4) {
  case 0:
    return checkOnly(file, all, choice / 4);
  case 1:
    return checkWithoutCode(file, all);
  case 2:
    return checkStrict(file, all);
  default:
    return checkDialect(file, choice / 4);
  }
}

/// Prints the metadata. An empty text is wrong except for archives; a refusal is wrong if the
/// validator reported no error.
static std::string checkDump(ArrayRef<uint8_t> file, const Findings &all) {
  std::string text;
  raw_string_ostream os(text);
  Error error = dumpMetadata(file, os);
  if (!error)
    return text.empty() && !isArchive(file) ? "the metadata prints as nothing" : "";
  std::string message = takeError(std::move(error)).message;
  bool isClean =
      none_of(all, [](const Finding &finding) { return finding.severity == Severity::Error; });
  return isClean ? "no error is found, but the metadata don't print: " + message : "";
}

/// Writes a report of the findings in all formats and reads the JSON again. Other formats only must
/// not crash.
static std::string checkReports(Findings all) {
  Report report;
  report.verb = "validate-elf";
  Verdict &verdict = report.verdicts.emplace_back();
  verdict.caseId = "input";
  verdict.state = all.empty() ? State::Pass : State::Fail;
  verdict.reason = all.empty() ? "" : "findings";
  verdict.findings = std::move(all);
  std::string json;
  for (ReportFormat format : {ReportFormat::Text, ReportFormat::Junit, ReportFormat::Html,
                              ReportFormat::Sarif, ReportFormat::Markdown, ReportFormat::Json}) {
    json.clear();
    raw_string_ostream os(json);
    writeReport(os, report, format, {});
  }
  Expected<Report> again = readJsonReport(json);
  if (!again)
    return takeError(again.takeError()).message;
  if (again->verdicts.size() != 1 || again->verdicts[0].findings.size() != verdict.findings.size())
    return "the report reads back as another one";
  return "";
}

/// The choice of checks is a hash of the file: the same file is always checked in the same way.
std::string fuzz::checkValidation(ArrayRef<uint8_t> file, Checks checks) {
  Expected<Findings> findings = validateElf(file, {});
  if (!findings)
    return takeError(findings.takeError()).message;
  for (const Finding &finding : *findings)
    if (std::string wrong = checkFinding(finding); !wrong.empty())
      return wrong;
  uint64_t choice = xxh3_64bits(file);
  bool isAll = checks == Checks::All;
  for (uint64_t option = 0; option < (isAll ? 4 : 0); ++option)
    if (std::string wrong = checkOptions(file, *findings, (choice & ~uint64_t(3)) | option);
        !wrong.empty())
      return wrong;
  if (!isAll && choice % 4 == 0)
    return checkOptions(file, *findings, choice >> 8);
  if (isAll || choice % 4 == 1)
    if (std::string wrong = checkDump(file, *findings); !wrong.empty())
      return wrong;
  return isAll || choice % 16 == 2 ? checkReports(std::move(*findings)) : "";
}
