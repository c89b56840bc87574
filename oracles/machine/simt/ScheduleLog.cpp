// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/ScheduleLog.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

static constexpr StringLiteral Schema = "assay.schedule/1";

/// Without a schedule seed, the seed of the run serves.
ScheduleHeader simt::scheduleHeaderOf(const RunOptions &options) {
  return {options.seed, options.scheduleSeed.value_or(options.seed), options.schedule, {}};
}

void simt::applyHeader(const ScheduleHeader &header, RunOptions &options) {
  options.seed = header.seed;
  options.scheduleSeed = header.scheduleSeed;
  options.schedule = header.schedule;
}

static constexpr StringLiteral logName = "schedule log";

static Error notALog(const Twine &what) {
  return invalidInput(logName + ": " + what);
}

/// InvalidInput for text that is not a JSON object.
static Expected<json::Object> parseLine(StringRef text) {
  Expected<json::Value> value = parseJson(text, logName);
  if (!value)
    return value.takeError();
  if (json::Object *object = value->getAsObject())
    return std::move(*object);
  return notALog("a line is no object");
}

/// Numbers of 64 bits stand as text: JSON readers do not keep them otherwise.
static Expected<uint64_t> readNumber(const json::Object &object, StringRef name) {
  uint64_t number;
  std::optional<StringRef> text = object.getString(name);
  if (!text || text->getAsInteger(10, number))
    return notALog("'" + name + "' is missing or no number in quotes");
  return number;
}

Expected<ScheduleHeader> simt::readScheduleHeader(StringRef text) {
  Expected<json::Object> object = parseLine(text.split('\n').first);
  if (!object)
    return object.takeError();
  if (object->getString("schema").value_or("") != Schema)
    return notALog("its schema is not " + Schema);
  Expected<uint64_t> seed = readNumber(*object, "seed");
  if (!seed)
    return seed.takeError();
  Expected<uint64_t> scheduleSeed = readNumber(*object, "schedule_seed");
  if (!scheduleSeed)
    return scheduleSeed.takeError();
  StringRef kind = object->getString("schedule").value_or("");
  if (kind != "eager" && kind != "late")
    return notALog("there is no schedule '" + kind + "'");
  return ScheduleHeader{*seed, *scheduleSeed,
                        kind == "late" ? ScheduleKind::Late : ScheduleKind::Eager,
                        object->getString("digest").value_or("").str()};
}

/// Writes the first line of a log.
static void writeHeader(raw_ostream &os, const ScheduleHeader &header) {
  json::OStream json(os);
  json.object([&] {
    json.attribute("schema", Schema);
    json.attribute("seed", utostr(header.seed));
    json.attribute("schedule_seed", utostr(header.scheduleSeed));
    json.attribute("schedule", header.schedule == ScheduleKind::Late ? "late" : "eager");
    json.attribute("digest", header.digest);
  });
  json.flush();
  os << "\n";
}

Expected<ScheduleLog> ScheduleLog::create(const RunOptions &options, std::string digest) {
  ScheduleLog log;
  log.m_out = options.log;
  ScheduleHeader header = scheduleHeaderOf(options);
  header.digest = std::move(digest);
  if (options.replay) {
    log.m_replays = true;
    if (Error error = log.read(*options.replay, header))
      return std::move(error);
  }
  if (options.log)
    writeHeader(*options.log, header);
  return std::move(log);
}

Error ScheduleLog::read(StringRef text, const ScheduleHeader &expected) {
  Expected<ScheduleHeader> header = readScheduleHeader(text);
  if (!header)
    return header.takeError();
  if (*header != expected)
    return notALog(header->digest != expected.digest ? "it is of other code or another input"
                                                     : "it is of a run with other options");
  SmallVector<StringRef, 0> lines;
  text.split('\n').second.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    if (Error error = readLine(line))
      return error;
  return Error::success();
}

/// "wave:4:2" is choice 2 out of 4.
static Expected<Choice> readChoice(StringRef text) {
  SmallVector<StringRef, 3> parts;
  text.split(parts, ':');
  Choice choice;
  for (unsigned kind = 0; kind < ChoiceKindCount; ++kind)
    if (parts.size() == 3 && parts[0] == choiceName(ChoiceKind(kind)) &&
        !parts[1].getAsInteger(10, choice.count) && !parts[2].getAsInteger(10, choice.chosen)) {
      choice.kind = ChoiceKind(kind);
      return choice;
    }
  return notALog("'" + text + "' is no choice");
}

Error ScheduleLog::readLine(StringRef text) {
  Expected<json::Object> object = parseLine(text);
  if (!object)
    return object.takeError();
  std::optional<int64_t> dispatch = object->getInteger("dispatch");
  std::optional<int64_t> cohort = object->getInteger("cohort");
  std::optional<StringRef> choices = object->getString("choices");
  const json::Array *groups = object->getArray("groups");
  if (!dispatch || !cohort || !choices || !groups)
    return notALog("a line has not dispatch, cohort, groups and choices");
  Line &line = m_lines[{uint64_t(*dispatch), uint64_t(*cohort)}];
  for (const json::Value &group : *groups)
    line.groups.push_back(uint64_t(group.getAsInteger().value_or(-1)));
  SmallVector<StringRef, 0> words;
  choices->split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    Expected<Choice> choice = readChoice(word);
    if (!choice)
      return choice.takeError();
    line.choices.push_back(*choice);
  }
  return Error::success();
}

Choices ScheduleLog::choicesFor(uint64_t cohort, ArrayRef<uint64_t> groups, uint64_t seed) const {
  if (m_replays) {
    auto found = m_lines.find({m_dispatch, cohort});
    static constexpr Choice None{};
    if (found == m_lines.end() || ArrayRef(found->second.groups) != groups)
      return Choices(ArrayRef(None)); // Fits nothing: the run will be told to be off.
    return Choices(ArrayRef(found->second.choices));
  }
  Choices choices(seed);
  if (m_out)
    choices.keep();
  return choices;
}

void ScheduleLog::note(uint64_t cohort, ArrayRef<uint64_t> groups, ArrayRef<Choice> choices) {
  if (!m_out)
    return;
  json::OStream json(*m_out);
  json.object([&] {
    json.attribute("dispatch", uint64_t(m_dispatch));
    json.attribute("cohort", cohort);
    json.attributeArray("groups", [&] {
      for (uint64_t group : groups)
        json.value(group);
    });
    std::string text;
    for (const Choice &choice : choices)
      text += (text.empty() ? "" : " ") + choiceName(choice.kind).str() + ":" +
              utostr(choice.count) + ":" + utostr(choice.chosen);
    json.attribute("choices", text);
  });
  json.flush();
  *m_out << "\n";
}
