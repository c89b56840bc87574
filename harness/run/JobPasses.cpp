// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/JobPasses.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace assay;

/// In the order of PassEvent::Kind.
static constexpr StringLiteral kindNames[] = {"optional", "begin", "end", "stage"};

namespace {
/// A word for a member that is true.
struct FlagRow {
  StringLiteral word;
  bool JobPasses::*member;
};
/// A word, followed by a number, for a member that has a value.
struct NumberRow {
  StringLiteral word;
  std::optional<uint64_t> JobPasses::*member;
};
} // namespace

/// In the order of writing.
static constexpr NumberRow numberRows[] = {
    {"limit", &JobPasses::limit},
    {"snapshot", &JobPasses::snapshot},
    {"watch", &JobPasses::watch},
    {"pipeline", &JobPasses::pipeline},
};

/// Followed by the name of a pass.
static constexpr StringLiteral repeatWord = "repeat";

static constexpr FlagRow flagRows[] = {
    {"races", &JobPasses::findsRaces},
    {"list", &JobPasses::lists},
    {"explain", &JobPasses::explains},
};

/// Leaves out what is not asked for.
std::vector<std::string> assay::printPasses(const JobPasses &passes) {
  std::vector<std::string> words;
  for (const NumberRow &row : numberRows)
    if (const std::optional<uint64_t> &number = passes.*row.member)
      words.insert(words.end(), {row.word.str(), std::to_string(*number)});
  if (!passes.repeats.empty())
    words.insert(words.end(), {repeatWord.str(), passes.repeats});
  for (const FlagRow &row : flagRows)
    if (passes.*row.member)
      words.push_back(row.word.str());
  return words;
}

/// InvalidInput for unknown words and missing or malformed numbers.
Expected<JobPasses> assay::parsePasses(ArrayRef<std::string> words) {
  JobPasses passes;
  while (!words.empty()) {
    StringRef word = words.consume_front();
    if (const auto *flag =
            find_if(flagRows, [&](const FlagRow &each) { return each.word == word; });
        flag != std::end(flagRows)) {
      passes.*flag->member = true;
      continue;
    }
    if (word == repeatWord && !words.empty()) {
      passes.repeats = words.consume_front();
      continue;
    }
    const auto *row = find_if(numberRows, [&](const NumberRow &each) { return each.word == word; });
    uint64_t number;
    if (row == std::end(numberRows) || words.empty() ||
        StringRef(words.consume_front()).getAsInteger(10, number))
      return invalidInput("passes: '" + word + "'");
    passes.*row->member = number;
  }
  return passes;
}

/// One line with three fields between tabs.
std::string assay::printPassEvent(const PassEvent &event) {
  return (kindNames[static_cast<size_t>(event.kind)] + "\t" + event.pass + "\t" + event.unit + "\n")
      .str();
}

/// Ignores a last line that is cut off. InvalidInput for other malformed lines.
Expected<std::vector<PassEvent>> assay::parsePassEvents(StringRef text) {
  std::vector<PassEvent> events;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (line.size() == text.size())
      break; // The process died while it wrote.
    text = rest;
    SmallVector<StringRef, 3> fields;
    line.split(fields, '\t');
    const auto *kind = find(kindNames, fields.front());
    if (fields.size() != 3 || kind == std::end(kindNames))
      return invalidInput("passes: '" + line + "'");
    events.push_back({static_cast<PassEvent::Kind>(kind - std::begin(kindNames)), fields[1].str(),
                      fields[2].str()});
  }
  return std::move(events);
}
