// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JUnit XML as CI systems read it: fail is a failure; crash, timeout, oom, invalid and tool-error
// are errors; unsupported, flaky and what is known
// are skipped, with the reason.
#include "reports/Report.h"

#include "reports/Escape.h"

using namespace llvm;
using namespace assay;

namespace {
/// The verdicts of one configuration, counted as JUnit does.
struct Suite {
  std::string name;
  std::vector<const Verdict *> verdicts;
  uint64_t failures = 0, errors = 0, skipped = 0;
};
} // namespace

/// Returns the XML element for a verdict, or null for a pass. Known verdicts are skipped, whatever
/// their state.
static const char *elementFor(const Report &report, const Verdict &verdict) {
  static const char *const names[stateCount] = {nullptr,   "failure", "error",   "error", "error",
                                                "skipped", "error",   "skipped", "error"};
  return report.knownAs(verdict).empty() ? names[static_cast<size_t>(verdict.state)] : "skipped";
}

/// Groups verdicts by configuration, in the order of their first verdict.
static std::vector<Suite> makeSuites(const Report &report) {
  std::vector<Suite> suites;
  std::map<std::string, size_t> index;
  for (const Verdict &verdict : report.verdicts) {
    std::string name = configurationName(verdict);
    auto [it, isNew] = index.try_emplace(name, suites.size());
    if (isNew)
      suites.push_back({name.empty() ? report.verb : name, {}});
    Suite &suite = suites[it->second];
    suite.verdicts.push_back(&verdict);
    const char *element = elementFor(report, verdict);
    StringRef kind = element ? element : "";
    suite.failures += kind == "failure";
    suite.errors += kind == "error";
    suite.skipped += kind == "skipped";
  }
  return suites;
}

/// Returns all findings and the first difference as lines of text; may be empty.
static std::string describe(const Verdict &verdict) {
  std::string text;
  for (const Finding &finding : verdict.findings)
    text += finding.rule + " " + finding.location + ": " + finding.message + "\n";
  if (verdict.firstDifference)
    text += "first difference: " + describeDifference(*verdict.firstDifference) + "\n";
  return text;
}

/// Writes one verdict. Findings of verdicts that pass are written as output, not as failures.
static void writeTestCase(raw_ostream &os, const Report &report, const Suite &suite,
                          const Verdict &verdict) {
  os << "  <testcase classname=\"" << escapeMarkup(suite.name) << "\" name=\""
     << escapeMarkup(verdict.caseId) << "\">\n";
  if (const char *element = elementFor(report, verdict)) {
    StringRef known = report.knownAs(verdict);
    os << "   <" << element << " type=\"" << stateName(verdict.state) << "\" message=\""
       << (known.empty() ? "" : "known (" + escapeMarkup(known) + "): ")
       << escapeMarkup(verdict.reason) << "\">" << escapeMarkup(describe(verdict)) << "</"
       << element << ">\n";
    if (!verdict.rerun.empty())
      os << "   <system-out>" << escapeMarkup(verdict.rerun) << "</system-out>\n";
  } else if (std::string notes = describe(verdict); !notes.empty()) {
    // Warnings of what passes.
    os << "   <system-out>" << escapeMarkup(notes) << "</system-out>\n";
  }
  os << "  </testcase>\n";
}

/// Writes the counts of all suites first, as readers expect them in the root element.
void assay::writeJunitReport(raw_ostream &os, const Report &report) {
  std::vector<Suite> suites = makeSuites(report);
  Suite sum;
  for (const Suite &suite : suites) {
    sum.failures += suite.failures;
    sum.errors += suite.errors;
    sum.skipped += suite.skipped;
  }
  os << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay "
     << escapeMarkup(report.verb) << "\" tests=\"" << report.verdicts.size() << "\" failures=\""
     << sum.failures << "\" errors=\"" << sum.errors << "\" skipped=\"" << sum.skipped << "\">\n";
  for (const Suite &suite : suites) {
    os << " <testsuite name=\"" << escapeMarkup(suite.name) << "\" tests=\""
       << suite.verdicts.size() << "\" failures=\"" << suite.failures << "\" errors=\""
       << suite.errors << "\" skipped=\"" << suite.skipped << "\">\n";
    for (const Verdict *verdict : suite.verdicts)
      writeTestCase(os, report, suite, *verdict);
    os << " </testsuite>\n";
  }
  os << "</testsuites>\n";
}
