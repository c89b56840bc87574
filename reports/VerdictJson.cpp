// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/VerdictJson.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// In the order of Severity.
static constexpr StringRef severityNames[] = {"note", "warning", "error"};

static void writeFinding(json::OStream &json, const Finding &finding) {
  json.object([&] {
    writeTextAttribute(json, "rule", finding.rule);
    writeTextAttribute(json, "severity", severityNames[static_cast<int>(finding.severity)]);
    writeTextAttribute(json, "message", finding.message);
    writeTextAttribute(json, "location", finding.location);
    writeTextAttribute(json, "signature", finding.signature);
    // Pairs, not an object: names may repeat, and the order says something.
    json.attributeArray("evidence", [&] {
      for (const auto &[name, value] : finding.evidence)
        json.array([&, &name = name, &value = value] {
          json.value(json::fixUTF8(name));
          json.value(json::fixUTF8(value));
        });
    });
  });
}

/// Writes the attribute "first_difference" into the open object.
static void writeDifference(json::OStream &json, const Difference &difference) {
  json.attributeObject("first_difference", [&] {
    writeTextAttribute(json, "buffer", difference.buffer);
    json.attribute("byte_offset", difference.byteOffset);
    json.attribute("element", difference.element);
    json.attribute("component", difference.component);
    writeTextAttribute(json, "expected", difference.expected);
    writeTextAttribute(json, "actual", difference.actual);
  });
}

/// Optional attributes are left out where they are empty: lowering, known, first_difference.
/// readVerdict() reads all but "known".
void assay::writeVerdict(json::OStream &json, const Verdict &verdict, StringRef known) {
  json.object([&] {
    writeTextAttribute(json, "case", verdict.caseId);
    writeTextAttribute(json, "compiler", verdict.compiler);
    writeTextAttribute(json, "machine", verdict.machine);
    writeTextAttribute(json, "target", verdict.target);
    json.attribute("opt_level", verdict.optLevel);
    json.attribute("wave_size", verdict.waveSize);
    if (!verdict.lowering.empty())
      writeTextAttribute(json, "lowering", verdict.lowering);
    writeTextAttribute(json, "state", stateName(verdict.state));
    if (!known.empty())
      writeTextAttribute(json, "known", known);
    writeTextAttribute(json, "reason", verdict.reason);
    json.attributeArray("findings", [&] {
      for (const Finding &finding : verdict.findings)
        writeFinding(json, finding);
    });
    if (verdict.firstDifference)
      writeDifference(json, *verdict.firstDifference);
    writeTextAttribute(json, "rerun", verdict.rerun);
    json.attributeArray("statistics", [&] {
      for (const auto &[name, value] : listStatistics(verdict))
        json.array([&, &name = name, &value = value] {
          json.value(json::fixUTF8(name));
          json.value(value);
        });
    });
  });
}

void assay::writeBuffers(json::OStream &json, ArrayRef<BufferListing> buffers) {
  json.array([&] {
    for (const BufferListing &buffer : buffers)
      json.object([&] {
        writeTextAttribute(json, "name", buffer.name);
        writeTextAttribute(json, "type", buffer.type);
        json.attribute("components", buffer.components);
        json.attributeArray("values", [&] {
          for (const std::string &value : buffer.values)
            json.value(value);
        });
      });
  });
}

/// InvalidInput where the value is no list, or a row lacks a field.
Expected<std::vector<BufferListing>> assay::readBuffers(const json::Value &value) {
  const json::Array *rows = value.getAsArray();
  if (!rows)
    return invalidInput("buffers: no list");
  std::vector<BufferListing> buffers;
  for (const json::Value &row : *rows) {
    JsonFields fields(row, "buffer");
    BufferListing buffer;
    fields.read("name", buffer.name);
    fields.read("type", buffer.type);
    fields.readNumber("components", buffer.components);
    fields.read("values", buffer.values);
    if (Error error = fields.takeError())
      return std::move(error);
    buffers.push_back(std::move(buffer));
  }
  return std::move(buffers);
}

/// Returns the state's key in "counts", where "-" is replaced.
static StringRef countName(State state) {
  return state == State::ToolError ? StringRef("tool_error") : stateName(state);
}

/// Writes all states, also those with a count of 0.
void assay::writeCounts(json::OStream &json, const Counts &counts) {
  json.attributeObject("counts", [&] {
    for (unsigned i = 0; i < stateCount; ++i)
      json.attribute(countName(static_cast<State>(i)), counts.byState[i]);
  });
}

/// Fails where one of the states is missing; additional members are ignored.
void assay::readCounts(JsonFields &fields, Counts &counts) {
  const json::Value *value = fields.find("counts");
  const json::Object *object = value ? value->getAsObject() : nullptr;
  for (unsigned i = 0; i < stateCount; ++i)
    if (const json::Value *count = object ? object->get(countName(static_cast<State>(i))) : nullptr;
        std::optional<uint64_t> number = count ? count->getAsUINT64() : std::nullopt)
      counts.byState[i] = *number;
    else
      fields.fail("lacks the counts of the states");
}

void assay::writeHeader(json::OStream &json, StringRef verb, const Counts &counts) {
  writeTextAttribute(json, "schema", ("assay." + verb + "/1").str());
  writeCounts(json, counts);
}

// A list of a name and something: both, or neither.
static std::pair<std::optional<StringRef>, const json::Value *> readPair(const json::Value &row) {
  const json::Array *pair = row.getAsArray();
  if (!pair || pair->size() != 2)
    return {std::nullopt, nullptr};
  return {(*pair)[0].getAsString(), &(*pair)[1]};
}

/// Reads what writeFinding() writes; InvalidInput for anything else.
static Expected<Finding> readFinding(const json::Value &value) {
  JsonFields reader(value, "finding");
  Finding finding;
  std::string severity;
  reader.read("rule", finding.rule);
  reader.read("severity", severity);
  reader.read("message", finding.message);
  reader.read("location", finding.location);
  reader.read("signature", finding.signature);
  const StringRef *known = find(severityNames, severity);
  if (known == std::end(severityNames))
    reader.fail("has the unknown severity '" + severity + "'");
  else
    finding.severity = static_cast<Severity>(known - std::begin(severityNames));
  if (const json::Array *evidence = reader.readArray("evidence"))
    for (const json::Value &row : *evidence) {
      auto [name, content] = readPair(row);
      std::optional<StringRef> text = content ? content->getAsString() : std::nullopt;
      if (name && text)
        finding.evidence.emplace_back(name->str(), text->str());
      else
        reader.fail("has evidence that is no pair of texts");
    }
  if (Error error = reader.takeError())
    return std::move(error);
  return std::move(finding);
}

/// Reads what writeDifference() writes; InvalidInput for anything else.
static Expected<Difference> readDifference(const json::Value &value) {
  JsonFields reader(value, "first_difference");
  Difference difference;
  reader.read("buffer", difference.buffer);
  reader.readNumber("byte_offset", difference.byteOffset);
  reader.readNumber("element", difference.element);
  reader.readNumber("component", difference.component);
  reader.read("expected", difference.expected);
  reader.read("actual", difference.actual);
  if (Error error = reader.takeError())
    return std::move(error);
  return std::move(difference);
}

/// Adds the statistics to \p verdict; a malformed row is an error of \p reader.
static void readStatistics(JsonFields &reader, Verdict &verdict) {
  const json::Array *rows = reader.readArray("statistics");
  if (!rows)
    return;
  for (const json::Value &row : *rows) {
    auto [name, content] = readPair(row);
    std::optional<uint64_t> number = content ? content->getAsUINT64() : std::nullopt;
    if (name && number)
      addStatistic(verdict, *name, *number);
    else
      reader.fail("has a statistic that is no pair of a name and a number");
  }
}

/// InvalidInput for missing fields and unknown states. A missing "lowering" or "first_difference"
/// is no error.
Expected<Verdict> assay::readVerdict(const json::Value &value) {
  JsonFields reader(value, "verdict");
  Verdict verdict;
  std::string state;
  reader.read("case", verdict.caseId);
  reader.read("compiler", verdict.compiler);
  reader.read("machine", verdict.machine);
  reader.read("target", verdict.target);
  reader.readNumber("opt_level", verdict.optLevel);
  reader.readNumber("wave_size", verdict.waveSize);
  reader.readIfThere("lowering", verdict.lowering);
  reader.read("state", state);
  reader.read("reason", verdict.reason);
  reader.read("rerun", verdict.rerun);
  readStatistics(reader, verdict);
  if (std::optional<State> known = parseState(state))
    verdict.state = *known;
  else
    reader.fail("has the unknown state '" + state + "'");
  if (const json::Array *findings = reader.readArray("findings"))
    for (const json::Value &row : *findings) {
      Expected<Finding> finding = readFinding(row);
      if (!finding)
        return finding.takeError();
      verdict.findings.push_back(std::move(*finding));
    }
  if (const json::Value *difference = reader.find("first_difference")) {
    Expected<Difference> read = readDifference(*difference);
    if (!read)
      return read.takeError();
    verdict.firstDifference = std::move(*read);
  }
  if (Error error = reader.takeError())
    return std::move(error);
  return std::move(verdict);
}

/// Returns the verb of "assay.VERB/1"; InvalidInput for other texts and versions.
static Expected<std::string> readSchema(StringRef schema) {
  auto [name, version] = schema.rsplit('/');
  unsigned number = 0;
  if (!name.consume_front("assay.") || version.getAsInteger(10, number))
    return invalidInput("'" + schema + "' is no schema of an Assay report");
  if (number != 1)
    return invalidInput("schema " + schema + " is newer than what this build reads (1)");
  return name.str();
}

// In the order of their names: an object has no other.
static void readOptions(JsonFields &reader, Report &report) {
  const json::Value *value = reader.find("options");
  const json::Object *options = value ? value->getAsObject() : nullptr;
  if (!options)
    return;
  for (const auto &[name, text] : *options)
    if (std::optional<StringRef> known = text.getAsString())
      report.options.emplace_back(name.str(), known->str());
  llvm::sort(report.options);
}

/// Reads case ids and paths; the texts are not in JSON.
static Error readSources(JsonFields &reader, Report &report) {
  const json::Value *value = reader.find("sources");
  const json::Array *rows = value ? value->getAsArray() : nullptr;
  if (!rows)
    return Error::success();
  for (const json::Value &row : *rows) {
    JsonFields fields(row, "source");
    std::string id;
    CaseSource source;
    fields.read("case", id);
    fields.read("path", source.path);
    if (Error error = fields.takeError())
      return error;
    report.sources[id] = std::move(source);
  }
  return Error::success();
}

/// Reads "run" if the report has it, and marks it as a part of the result.
static Error readRun(JsonFields &reader, Report &report) {
  const json::Value *value = reader.find("run");
  if (!value)
    return Error::success();
  JsonFields fields(*value, "run");
  RunFacts &run = report.run.emplace();
  run.isKept = true;
  fields.read("command", run.command);
  fields.readNumber("milliseconds", run.milliseconds);
  if (const json::Array *rows = fields.readArray("versions"))
    for (const json::Value &row : *rows) {
      auto [name, content] = readPair(row);
      std::optional<StringRef> version = content ? content->getAsString() : std::nullopt;
      if (name && version)
        run.versions.emplace_back(name->str(), version->str());
      else
        fields.fail("has a version that is no pair of texts");
    }
  return fields.takeError();
}

/// Buffers and machine code are not read.
Expected<Report> assay::readJsonReport(StringRef text) {
  Expected<json::Value> value = parseJson(text, "report");
  if (!value)
    return value.takeError();
  JsonFields reader(*value, "report");
  std::string schema;
  reader.read("schema", schema);
  const json::Array *rows = reader.readArray("verdicts");
  if (Error error = reader.takeError())
    return std::move(error);
  Expected<std::string> verb = readSchema(schema);
  if (!verb)
    return verb.takeError();
  Report report;
  report.verb = std::move(*verb);
  readOptions(reader, report);
  if (Error error = readSources(reader, report))
    return std::move(error);
  if (Error error = readRun(reader, report))
    return std::move(error);
  for (const json::Value &row : *rows) {
    Expected<Verdict> verdict = readVerdict(row);
    if (!verdict)
      return verdict.takeError();
    JsonFields fields(row, "verdict");
    std::string known;
    fields.readIfThere("known", known);
    if (Error error = fields.takeError())
      return std::move(error);
    if (!known.empty())
      report.known[report.verdicts.size()] = std::move(known);
    report.verdicts.push_back(std::move(*verdict));
  }
  return std::move(report);
}
