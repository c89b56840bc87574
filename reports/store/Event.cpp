// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/Event.h"

#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef schema = "assay.event/1";

CaseKey assay::caseKeyOf(const Verdict &verdict) {
  return {verdict.caseId, verdict.compiler, verdict.machine};
}

CaseKey assay::caseKeyOf(const Symptom &symptom) {
  return {symptom.caseId, symptom.compiler, symptom.machine};
}

/// Unique in a store, since a writer counts its events.
std::string Event::id() const {
  return writer + ":" + std::to_string(sequence);
}

/// Writes the three attributes of the key into the open object.
static void writeCaseKey(json::OStream &json, const CaseKey &key) {
  writeTextAttribute(json, "case", key.caseId);
  writeTextAttribute(json, "compiler", key.compiler);
  writeTextAttribute(json, "machine", key.machine);
}

/// Reads them; missing ones are an error of \p fields.
static CaseKey readCaseKey(JsonFields &fields) {
  CaseKey key;
  fields.read("case", key.caseId);
  fields.read("compiler", key.compiler);
  fields.read("machine", key.machine);
  return key;
}

/// Writes the attributes of the body into the event's object. Each writeBody() has a readBody()
/// that reads the same names.
static void writeBody(json::OStream &json, const FindingEvent &event) {
  writeTextAttribute(json, "night", event.night);
  json.attributeArray("verdicts", [&] {
    for (const Verdict &verdict : event.verdicts)
      writeVerdict(json, verdict);
  });
}

/// Writes the attribute "metrics" into the open object. The order is kept.
void assay::writeMetrics(json::OStream &json, ArrayRef<std::pair<std::string, double>> metrics) {
  json.attributeArray("metrics", [&] {
    for (const auto &[name, value] : metrics)
      json.object([&, &name = name, &value = value] {
        writeTextAttribute(json, "name", name);
        json.attribute("value", value);
      });
  });
}

static void writeBody(json::OStream &json, const NightEvent &event) {
  writeTextAttribute(json, "night", event.night);
  writeTextAttribute(json, "revision", event.revision);
  writeCounts(json, event.counts);
  json.attributeArray("clean", [&] {
    for (const CaseKey &key : event.clean)
      json.object([&] { writeCaseKey(json, key); });
  });
  writeMetrics(json, event.metrics);
}

static void writeBody(json::OStream &json, const FactsEvent &event) {
  writeCaseKey(json, event.about);
  writeTextAttribute(json, "pass", event.facts.pass);
  writeTextAttribute(json, "operation", event.facts.operation);
  writeTextsAttribute(json, "features", event.facts.features);
  writeTextsAttribute(json, "transformations", event.facts.transformations);
  writeTextsAttribute(json, "shown_by", event.facts.shownBy);
  writeTextAttribute(json, "bug", event.facts.bug);
  writeTextAttribute(json, "bundle", event.bundle);
}

static void writeBody(json::OStream &json, const TransitionEvent &event) {
  writeTextAttribute(json, "bucket", event.bucket);
  json.attribute("from", lifeName(event.from));
  json.attribute("to", lifeName(event.to));
  writeTextAttribute(json, "actor", event.actor);
  writeTextAttribute(json, "reason", event.reason);
  writeTextAttribute(json, "link", event.link);
}

/// Reads the fields of a finding; an event without verdicts is an error.
static Error readBody(JsonFields &fields, FindingEvent &event) {
  fields.read("night", event.night);
  if (const json::Array *rows = fields.readArray("verdicts"))
    for (const json::Value &row : *rows) {
      Expected<Verdict> verdict = readVerdict(row);
      if (!verdict)
        return verdict.takeError();
      event.verdicts.push_back(std::move(*verdict));
    }
  if (event.verdicts.empty())
    fields.fail("has no verdicts");
  return Error::success();
}

/// Errors of elements are returned at once; those of the event's own fields stay in \p fields for
/// the caller.
static Error readBody(JsonFields &fields, NightEvent &event) {
  fields.read("night", event.night);
  fields.read("revision", event.revision);
  readCounts(fields, event.counts);
  if (const json::Array *rows = fields.readArray("clean"))
    for (const json::Value &row : *rows) {
      JsonFields key(row, "clean case");
      event.clean.push_back(readCaseKey(key));
      if (Error error = key.takeError())
        return error;
    }
  if (const json::Array *rows = fields.readArray("metrics"))
    for (const json::Value &row : *rows) {
      JsonFields metric(row, "metric");
      std::string name;
      metric.read("name", name);
      const json::Value *value = metric.find("value");
      std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
      if (!number)
        metric.fail("lacks the number 'value'");
      if (Error error = metric.takeError())
        return error;
      event.metrics.emplace_back(std::move(name), *number);
    }
  return Error::success();
}

/// Operation, other producers and bug may be missing.
static Error readBody(JsonFields &fields, FactsEvent &event) {
  event.about = readCaseKey(fields);
  fields.read("pass", event.facts.pass);
  fields.readIfThere("operation", event.facts.operation);
  fields.read("features", event.facts.features);
  fields.read("transformations", event.facts.transformations);
  if (fields.find("shown_by"))
    fields.read("shown_by", event.facts.shownBy);
  fields.readIfThere("bug", event.facts.bug);
  fields.read("bundle", event.bundle);
  return Error::success();
}

/// Reads the name of a state; an unknown one is an error of \p fields.
static void readLife(JsonFields &fields, StringRef name, Life &life) {
  std::string text;
  fields.read(name, text);
  if (std::optional<Life> known = parseLife(text))
    life = *known;
  else
    fields.fail("has the unknown state '" + text + "'");
}

static Error readBody(JsonFields &fields, TransitionEvent &event) {
  fields.read("bucket", event.bucket);
  readLife(fields, "from", event.from);
  readLife(fields, "to", event.to);
  fields.read("actor", event.actor);
  fields.read("reason", event.reason);
  fields.read("link", event.link);
  return Error::success();
}

/// The variant of all kinds of events.
using Body = decltype(Event::body);

/// Reads a body of kind T into the variant.
template <typename T> static Error readInto(JsonFields &fields, Body &body) {
  return readBody(fields, body.emplace<T>());
}

/// In the order of the alternatives of Event::body.
static constexpr struct {
  StringRef name;
  Error (*read)(JsonFields &, Body &);
} kinds[] = {
    {"finding", readInto<FindingEvent>},
    {"night", readInto<NightEvent>},
    {"facts", readInto<FactsEvent>},
    {"transition", readInto<TransitionEvent>},
};
static_assert(std::size(kinds) == std::variant_size_v<Body>);

/// Returns one line with its line end.
std::string assay::printEvent(const Event &event) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  json.object([&] {
    json.attribute("schema", schema);
    writeTextAttribute(json, "writer", event.writer);
    json.attribute("sequence", event.sequence);
    json.attribute("time_ms", event.timeMs);
    json.attribute("kind", kinds[event.body.index()].name);
    std::visit([&](const auto &body) { writeBody(json, body); }, event.body);
  });
  os << "\n";
  return text;
}

/// InvalidInput for another schema, an unknown kind, and a missing or malformed field.
Expected<Event> assay::parseEvent(StringRef line) {
  Expected<json::Value> value = parseJson(line, "event");
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "event");
  Event event;
  std::string kind;
  std::string version;
  fields.read("schema", version);
  fields.read("writer", event.writer);
  fields.readNumber("sequence", event.sequence);
  fields.readNumber("time_ms", event.timeMs);
  fields.read("kind", kind);
  if (Error error = fields.takeError())
    return std::move(error);
  if (version != schema)
    return invalidInput("event of schema '" + version + "', this build reads " + schema);
  const auto *known = find_if(kinds, [&](const auto &row) { return row.name == kind; });
  if (known == std::end(kinds))
    return invalidInput("event of the unknown kind '" + kind + "'");
  if (Error error = known->read(fields, event.body))
    return std::move(error);
  if (Error error = fields.takeError())
    return std::move(error);
  return event;
}
