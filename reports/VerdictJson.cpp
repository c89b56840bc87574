// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/VerdictJson.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef severityNames[] = {"note", "warning", "error"};

// JSON must be UTF-8; names out of inputs may be anything.
static void attribute(json::OStream &json, StringRef name, StringRef value) {
  json.attribute(name, json::fixUTF8(value));
}

static void writeFinding(json::OStream &json, const Finding &finding) {
  json.object([&] {
    attribute(json, "rule", finding.rule);
    attribute(json, "severity", severityNames[static_cast<int>(finding.severity)]);
    attribute(json, "message", finding.message);
    attribute(json, "location", finding.location);
    attribute(json, "signature", finding.signature);
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

static void writeDifference(json::OStream &json, const Difference &difference) {
  json.attributeObject("first_difference", [&] {
    attribute(json, "buffer", difference.buffer);
    json.attribute("byte_offset", difference.byteOffset);
    json.attribute("element", difference.element);
    json.attribute("component", difference.component);
    attribute(json, "expected", difference.expected);
    attribute(json, "actual", difference.actual);
  });
}

void assay::writeVerdict(json::OStream &json, const Verdict &verdict) {
  json.object([&] {
    attribute(json, "case", verdict.caseId);
    attribute(json, "compiler", verdict.compiler);
    attribute(json, "machine", verdict.machine);
    attribute(json, "target", verdict.target);
    json.attribute("opt_level", verdict.optLevel);
    json.attribute("wave_size", verdict.waveSize);
    attribute(json, "state", stateName(verdict.state));
    attribute(json, "reason", verdict.reason);
    json.attributeArray("findings", [&] {
      for (const Finding &finding : verdict.findings)
        writeFinding(json, finding);
    });
    if (verdict.firstDifference)
      writeDifference(json, *verdict.firstDifference);
    attribute(json, "rerun", verdict.rerun);
    json.attributeArray("statistics", [&] {
      for (const auto &[name, value] : verdict.statistics)
        json.array([&, &name = name, &value = value] {
          json.value(json::fixUTF8(name));
          json.value(value);
        });
    });
  });
}

void assay::writeHeader(json::OStream &json, StringRef verb, const Counts &counts) {
  attribute(json, "schema", ("assay." + verb + "/1").str());
  json.attributeObject("counts", [&] {
    for (unsigned i = 0; i < StateCount; ++i) {
      State state = static_cast<State>(i);
      json.attribute(state == State::ToolError ? StringRef("tool_error") : stateName(state),
                     counts[state]);
    }
  });
}

namespace {

/// Reads fields of one JSON object; the first that is missing or of another type is remembered.
class FieldReader {
public:
  FieldReader(const json::Value &value, StringRef what)
      : m_object(value.getAsObject()), m_what(what) {
    if (!m_object)
      fail("is no object");
  }

  void read(StringRef name, std::string &field) {
    if (std::optional<StringRef> value = m_object ? m_object->getString(name) : std::nullopt)
      field = value->str();
    else
      fail("lacks the text '" + name + "'");
  }
  template <typename T> void readNumber(StringRef name, T &field) {
    const json::Value *value = m_object ? m_object->get(name) : nullptr;
    if (std::optional<uint64_t> number = value ? value->getAsUINT64() : std::nullopt)
      field = static_cast<T>(*number);
    else if (std::optional<int64_t> negative = value ? value->getAsInteger() : std::nullopt)
      field = static_cast<T>(*negative);
    else
      fail("lacks the number '" + name + "'");
  }
  const json::Array *readArray(StringRef name) {
    const json::Array *array = m_object ? m_object->getArray(name) : nullptr;
    if (!array)
      fail("lacks the list '" + name + "'");
    return array;
  }
  const json::Value *find(StringRef name) const { return m_object ? m_object->get(name) : nullptr; }
  void fail(const Twine &message) {
    if (m_message.empty())
      m_message = (m_what + " " + message).str();
  }
  Error takeError() const { return m_message.empty() ? Error::success() : invalidInput(m_message); }

private:
  const json::Object *m_object;
  StringRef m_what;
  std::string m_message;
};

} // namespace

static Expected<Finding> readFinding(const json::Value &value) {
  FieldReader reader(value, "finding");
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
      const json::Array *pair = row.getAsArray();
      if (pair && pair->size() == 2 && (*pair)[0].getAsString() && (*pair)[1].getAsString())
        finding.evidence.emplace_back((*pair)[0].getAsString()->str(),
                                      (*pair)[1].getAsString()->str());
      else
        reader.fail("has evidence that is no pair of texts");
    }
  if (Error error = reader.takeError())
    return std::move(error);
  return std::move(finding);
}

static Expected<Difference> readDifference(const json::Value &value) {
  FieldReader reader(value, "first_difference");
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

static void readStatistics(FieldReader &reader, Verdict &verdict) {
  const json::Array *rows = reader.readArray("statistics");
  if (!rows)
    return;
  for (const json::Value &row : *rows) {
    const json::Array *pair = row.getAsArray();
    if (pair && pair->size() == 2 && (*pair)[0].getAsString() && (*pair)[1].getAsUINT64())
      verdict.statistics.emplace_back((*pair)[0].getAsString()->str(), *(*pair)[1].getAsUINT64());
    else
      reader.fail("has a statistic that is no pair of a name and a number");
  }
}

Expected<Verdict> assay::readVerdict(const json::Value &value) {
  FieldReader reader(value, "verdict");
  Verdict verdict;
  std::string state;
  reader.read("case", verdict.caseId);
  reader.read("compiler", verdict.compiler);
  reader.read("machine", verdict.machine);
  reader.read("target", verdict.target);
  reader.readNumber("opt_level", verdict.optLevel);
  reader.readNumber("wave_size", verdict.waveSize);
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

static Expected<std::string> readSchema(StringRef schema) {
  auto [name, version] = schema.rsplit('/');
  unsigned number = 0;
  if (!name.consume_front("assay.") || version.getAsInteger(10, number))
    return invalidInput("'" + schema + "' is no schema of an Assay report");
  if (number != 1)
    return invalidInput("schema " + schema + " is newer than what this build reads (1)");
  return name.str();
}

Expected<Report> assay::readJsonReport(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return invalidInput("report: " + toString(value.takeError()));
  FieldReader reader(*value, "report");
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
  for (const json::Value &row : *rows) {
    Expected<Verdict> verdict = readVerdict(row);
    if (!verdict)
      return verdict.takeError();
    report.verdicts.push_back(std::move(*verdict));
  }
  return std::move(report);
}
