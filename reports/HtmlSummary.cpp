// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/HtmlSummary.h"

#include "reports/Escape.h"
#include "reports/HtmlMarkup.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace assay;

/// Pairs of a name and a value, in the order to show them.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// "2 fail, 1 crash", of the states that \p isMeant has.
static std::string listStates(const Counts &counts, function_ref<bool(State)> isMeant) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i < stateCount; ++i)
    if (State state = static_cast<State>(i); counts[state] && isMeant(state))
      parts.push_back(std::to_string(counts[state]) + " " + stateName(state).str());
  return join(parts, ", ");
}

/// Returns the result as one sentence without its full stop. It names bad states if there are any,
/// else all states.
std::string assay::describeResult(const Counts &counts) {
  uint64_t total = counts.total();
  std::string all = std::to_string(total) + (total == 1 ? " verdict" : " verdicts");
  if (!total)
    return "There are no verdicts";
  if (counts.bad())
    return std::to_string(counts.bad()) + " of " + all + (counts.bad() == 1 ? " is" : " are") +
           " wrong: " + listStates(counts, isBad);
  if (counts[State::Pass] == total)
    return total == 1 ? "The only verdict is pass" : "All " + all + " pass";
  return "Nothing is wrong in " + all + ": " + listStates(counts, [](State) { return true; });
}

/// Rounds to tenths of a second below a minute. Longer times are cut to whole seconds, and from an
/// hour on to minutes.
std::string assay::printDuration(uint64_t milliseconds) {
  constexpr uint64_t perMinute = 60'000, perHour = 60 * perMinute;
  if (milliseconds < perMinute - 50) // From here on the seconds would be rounded to 60.0.
    return formatv("{0:f1} s", static_cast<double>(milliseconds) / 1000).str();
  milliseconds = std::max(milliseconds, perMinute);
  if (milliseconds < perHour)
    return formatv("{0} min {1} s", milliseconds / perMinute, milliseconds % perMinute / 1000)
        .str();
  return formatv("{0} h {1} min", milliseconds / perHour, milliseconds % perHour / perMinute).str();
}

/// Writes one coloured part for each state that occurs. Screen readers skip the bar, because
/// numbers are next to it.
void assay::writeTotalsBar(raw_ostream &os, const Counts &counts) {
  os << "<div class=\"totals\" aria-hidden=\"true\">";
  for (unsigned i = 0; i < stateCount; ++i)
    if (uint64_t count = counts.byState[i])
      os << "<span class=\"" << stateName(static_cast<State>(i))
         << "\" style=\"flex-grow: " << count << "\"></span>";
  os << "</div>";
}

// The states of the bar with their numbers.
static void writeKey(raw_ostream &os, const Counts &counts) {
  os << "<ul class=\"key\">\n";
  for (unsigned i = 0; i < stateCount; ++i) {
    StringRef name = stateName(static_cast<State>(i));
    uint64_t count = counts.byState[i];
    if (!count)
      continue;
    double share = 100.0 * static_cast<double>(count) / static_cast<double>(counts.total());
    os << "<li><i class=\"" << name << "\"></i>" << name << " <strong>" << count << "</strong>";
    if (count < counts.total())
      os << formatv(" <span class=\"quiet\">{0:f1} %</span>", share);
    os << "</li>\n";
  }
  os << "</ul>\n";
}

/// Returns the state that colours the result: the first bad one in the order of State, else flaky,
/// else pass if any passed.
static State worstState(const Counts &counts) {
  for (unsigned i = 0; i < stateCount; ++i)
    if (State state = static_cast<State>(i); counts[state] && isBad(state))
      return state;
  return counts[State::Flaky]                     ? State::Flaky
         : counts[State::Pass] || !counts.total() ? State::Pass
                                                  : State::Unsupported;
}

/// Counts cases by their id, and configurations by their name. The duration is left out where
/// it was not measured.
void assay::writeResult(raw_ostream &os, const Report &report) {
  Counts counts = report.count();
  std::set<StringRef> cases;
  std::set<std::string> configurations;
  for (const Verdict &verdict : report.verdicts) {
    cases.insert(verdict.caseId);
    configurations.insert(configurationName(verdict));
  }
  os << "<p class=\"verdict " << stateName(worstState(counts)) << "\">"
     << escapeMarkup(describeResult(counts)) << ".</p>\n";
  writeTotalsBar(os, counts);
  os << "\n";
  writeKey(os, counts);
  os << "<dl class=\"figures\">\n";
  auto write = [&](const char *name, const std::string &value) {
    os << "<div><dt>" << name << "</dt><dd>" << value << "</dd></div>\n";
  };
  write("cases", std::to_string(cases.size()));
  write("configurations", std::to_string(configurations.size()));
  write("verdicts", std::to_string(counts.total()));
  if (report.run && report.run->milliseconds)
    write("duration", printDuration(report.run->milliseconds));
  os << "</dl>\n";
}

/// The choices of a diff as people call them.
static StringRef optionTitle(StringRef name) {
  static constexpr std::pair<StringRef, StringRef> titles[] = {
      {"compilers", "Compilers"},
      {"machines", "Machines"},
      {"targets", "Targets"},
      {"levels", "Optimization levels"},
      {"waves", "Wave sizes"},
      {"lowerings", "Fat-pointer lowering"},
      {"seed", "Seed of the schedules"},
  };
  for (const auto &[known, title] : titles)
    if (known == name)
      return title;
  return name;
}

/// What the verdicts are of, where no options say it.
static NamedValues collectChoices(ArrayRef<Verdict> verdicts) {
  SetVector<StringRef> compilers, machines, targets;
  for (const Verdict &verdict : verdicts) {
    compilers.insert(verdict.compiler);
    machines.insert(verdict.machine);
    targets.insert(verdict.target);
  }
  NamedValues choices;
  auto add = [&](const char *name, SetVector<StringRef> &values) {
    values.remove("");
    if (!values.empty())
      choices.emplace_back(name, join(values, ","));
  };
  add("compilers", compilers);
  add("machines", machines);
  add("targets", targets);
  return choices;
}

/// Writes a titled list of values; nothing if it is empty.
static void writePanel(raw_ostream &os, StringRef title, const NamedValues &values) {
  if (values.empty())
    return;
  os << "<section class=\"panel\">\n<h2>" << title << "</h2>\n";
  writeValues(os, values);
  os << "</section>\n";
}

/// Options of the report take precedence; without them the choices are read from the verdicts.
void assay::writeWhatRan(raw_ostream &os, const Report &report) {
  NamedValues rows;
  if (report.run && !report.run->command.empty())
    rows.emplace_back("Command", report.run->command);
  for (const auto &[name, value] :
       report.options.empty() ? collectChoices(report.verdicts) : report.options) {
    std::string text = value;
    if (name != "seed") // Lists have room to break.
      text = join(split(text, ","), ", ");
    rows.emplace_back(optionTitle(name).str(), text);
  }
  NamedValues versions = report.run ? report.run->versions : NamedValues();
  if (rows.empty() && versions.empty())
    return;
  os << "<div class=\"panels\">\n";
  writePanel(os, "What ran", rows);
  writePanel(os, "Versions", versions);
  os << "</div>\n";
}

/// Writes nothing for fewer than two configurations. Only states that occur in the report are
/// columns.
void assay::writeConfigurationTable(raw_ostream &os, const Report &report) {
  MapVector<std::string, Counts, std::map<std::string, unsigned>> rows;
  for (const Verdict &verdict : report.verdicts)
    rows[configurationName(verdict)].add(verdict.state);
  if (rows.size() < 2)
    return;
  Counts all = report.count();
  std::vector<TableColumn> columns = {{"Configuration"}, {"Share"}};
  for (unsigned i = 0; i < stateCount; ++i)
    if (all.byState[i])
      columns.push_back({stateName(static_cast<State>(i)), true});
  beginTable(os, "Verdicts of each configuration", columns);
  for (const auto &[name, counts] : rows) {
    os << "<tr><th scope=\"row\">" << escapeMarkup(name) << "</th><td>";
    writeTotalsBar(os, counts);
    os << "</td>";
    for (unsigned i = 0; i < stateCount; ++i)
      if (all.byState[i])
        os << "<td class=\"number\">" << counts.byState[i] << "</td>";
    os << "</tr>\n";
  }
  endTable(os);
}
