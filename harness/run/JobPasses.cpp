// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/JobPasses.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace assay;

/// In the order of PassEvent::Kind.
static constexpr StringLiteral kindNames[] = {"optional", "begin", "end"};

static constexpr StringLiteral limitWord = "limit", snapshotWord = "snapshot", listWord = "list";

std::vector<std::string> assay::printPasses(const JobPasses &passes) {
  std::vector<std::string> words;
  if (passes.limit)
    words.insert(words.end(), {limitWord.str(), std::to_string(*passes.limit)});
  if (passes.snapshot)
    words.insert(words.end(), {snapshotWord.str(), std::to_string(*passes.snapshot)});
  if (passes.lists)
    words.push_back(listWord.str());
  return words;
}

Expected<JobPasses> assay::parsePasses(ArrayRef<std::string> words) {
  JobPasses passes;
  while (!words.empty()) {
    StringRef word = words.consume_front();
    if (word == listWord) {
      passes.lists = true;
      continue;
    }
    uint64_t number;
    bool isKnown = word == limitWord || word == snapshotWord;
    if (!isKnown || words.empty() || StringRef(words.consume_front()).getAsInteger(10, number))
      return invalidInput("passes: '" + word + "'");
    (word == limitWord ? passes.limit : passes.snapshot) = number;
  }
  return passes;
}

std::string assay::printPassEvent(const PassEvent &event) {
  return (kindNames[static_cast<size_t>(event.kind)] + "\t" + event.pass + "\t" + event.unit + "\n")
      .str();
}

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
