// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/JobSchedule.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// The value of an option; nothing for the default.
using Text = std::optional<std::string>;

constexpr StringLiteral Flag = "yes";

/// What an option is written for.
enum class Purpose {
  Rerun, ///< Any rerun of the verdict needs it.
  Trace, ///< Only `assay run` has it.
  Job,   ///< No option as it stands: the file of a log is the parent's business.
};

/// One option with a value, "yes" where it is a flag. print gives nothing for the default.
struct OptionRow {
  StringLiteral name;
  Purpose purpose;
  Text (*print)(const JobSchedule &);
  bool (*parse)(StringRef, JobSchedule &);
};

} // namespace

template <typename T> static Text printNumber(const std::optional<T> &number) {
  return number ? Text(std::to_string(*number)) : std::nullopt;
}

/// False, with \p number unchanged, for anything that is no decimal number.
template <typename T> static bool parseNumber(StringRef text, std::optional<T> &number) {
  T value;
  if (text.getAsInteger(10, value))
    return false;
  number = value;
  return true;
}

/// Nothing where the option is not set.
template <auto Member> static Text printOptional(const JobSchedule &schedule) {
  return printNumber(schedule.*Member);
}
template <auto Member> static bool parseOptional(StringRef text, JobSchedule &schedule) {
  return parseNumber(text, schedule.*Member);
}

/// A number that is 1 where it is not given.
template <auto Member> static Text printCount(const JobSchedule &schedule) {
  return schedule.*Member == 1 ? std::nullopt : Text(std::to_string(schedule.*Member));
}
/// Returns false for what is not a decimal number that fits.
template <auto Member> static bool parseCount(StringRef text, JobSchedule &schedule) {
  return !text.getAsInteger(10, schedule.*Member);
}

/// The value of an option that is a flag.
template <auto Member> static bool parseFlag(StringRef text, JobSchedule &schedule) {
  schedule.*Member = true;
  return text == Flag;
}

/// Program counters are hexadecimal.
static Text printPc(const JobSchedule &schedule) {
  return schedule.breakPc ? Text("0x" + utohexstr(*schedule.breakPc, /*LowerCase=*/true))
                          : std::nullopt;
}
/// Requires "0x".
static bool parsePc(StringRef text, JobSchedule &schedule) {
  uint64_t pc;
  bool good = text.consume_front("0x") && !text.getAsInteger(16, pc);
  if (good)
    schedule.breakPc = pc;
  return good;
}

/// In the order in which options are printed.
static ArrayRef<OptionRow> rows() {
  using S = JobSchedule;
  static constexpr OptionRow Rows[] = {
      {"--sanitize", Purpose::Rerun,
       [](const S &s) { return s.sanitizes ? std::nullopt : Text("off"); },
       [](StringRef text, S &s) {
         s.sanitizes = false;
         return text == "off";
       }},
      {"--schedule", Purpose::Rerun,
       [](const S &s) { return s.late ? Text("late") : std::nullopt; },
       [](StringRef text, S &s) {
         s.late = true;
         return text == "late";
       }},
      {"--schedule-seed", Purpose::Rerun, printOptional<&S::seed>, parseOptional<&S::seed>},
      {"--schedules", Purpose::Rerun, printCount<&S::count>, parseCount<&S::count>},
      {"--threads", Purpose::Rerun, printCount<&S::threads>, parseCount<&S::threads>},
      {"--check-threads", Purpose::Rerun,
       [](const S &s) { return s.checksThreads ? Text("1") : std::nullopt; },
       [](StringRef text, S &s) {
         s.checksThreads = true;
         return text == "1";
       }},
      {"--replay", Purpose::Rerun,
       [](const S &s) { return s.replayFile.empty() ? std::nullopt : Text(s.replayFile); },
       [](StringRef text, S &s) {
         s.replayFile = text.str();
         return true;
       }},
      {"--skip-rule", Purpose::Rerun,
       [](const S &s) {
         return s.skippedRules.empty() ? std::nullopt : Text(join(s.skippedRules, ","));
       },
       [](StringRef text, S &s) {
         SmallVector<StringRef> ids;
         text.split(ids, ',');
         for (StringRef id : ids)
           s.skippedRules.push_back(id.str());
         return !is_contained(ids, "");
       }},
      {"log", Purpose::Job, [](const S &s) { return s.keepsLog ? Text(Flag.str()) : std::nullopt; },
       parseFlag<&S::keepsLog>},
      {"--trace", Purpose::Trace,
       [](const S &s) { return s.traces ? Text(Flag.str()) : std::nullopt; },
       parseFlag<&S::traces>},
      {"--break", Purpose::Trace, printPc, parsePc},
      {"--trace-group", Purpose::Trace, printOptional<&S::traceGroup>,
       parseOptional<&S::traceGroup>},
      {"--trace-wave", Purpose::Trace, printOptional<&S::traceWave>, parseOptional<&S::traceWave>},
      {"--lane", Purpose::Trace, printOptional<&S::lane>, parseOptional<&S::lane>},
  };
  return Rows;
}

/// The options given whose purpose \p wants; of a flag also its value, where \p withFlags.
static std::vector<std::string> printRows(const JobSchedule &schedule, bool withFlags,
                                          function_ref<bool(Purpose)> wants) {
  std::vector<std::string> words;
  for (const OptionRow &row : rows()) {
    Text value = row.print(schedule);
    if (!value || !wants(row.purpose))
      continue;
    words.push_back(row.name.str());
    if (withFlags || *value != Flag)
      words.push_back(*value);
  }
  return words;
}

/// Prints all options, or only those that a rerun needs. Each one is two words, flags too.
std::vector<std::string> assay::printSchedule(const JobSchedule &schedule, bool all) {
  return printRows(schedule, /*withFlags=*/true,
                   [&](Purpose purpose) { return all || purpose == Purpose::Rerun; });
}

/// Prints the options of a trace as a command line has them.
std::vector<std::string> assay::printTraceOptions(const JobSchedule &schedule) {
  return printRows(schedule, /*withFlags=*/false,
                   [](Purpose purpose) { return purpose == Purpose::Trace; });
}

/// Reads the words of printSchedule(). InvalidInput for unknown options and bad values.
Expected<JobSchedule> assay::parseSchedule(ArrayRef<std::string> words) {
  JobSchedule schedule;
  if (words.size() % 2)
    return invalidInput("schedule: an option without its value");
  for (; !words.empty(); words = words.drop_front(2)) {
    const auto *row = find_if(rows(), [&](const OptionRow &each) { return each.name == words[0]; });
    if (row == rows().end() || !row->parse(words[1], schedule))
      return invalidInput("schedule: '" + words[0] + " " + words[1] + "'");
  }
  return schedule;
}
