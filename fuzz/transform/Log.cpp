// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logs of transformations as JSON lines.
#include "fuzz/transform/Transform.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace assay::fuzz {

/// First line of each log; readers refuse other schemas.
static constexpr StringRef schema = "assay.transformations/1";

std::string printLog(const TransformationLog &log) {
  std::string text;
  raw_string_ostream os(text);
  os << json::Value(
            json::Object{{"schema", schema}, {"seed", log.seed}, {"original", log.original}})
     << "\n";
  for (const Step &step : log.steps) {
    json::Object line{{"apply", step.name}, {"fresh", step.fresh}, {"numbers", step.numbers}};
    if (!step.text.empty())
      line["text"] = step.text;
    os << json::Value(std::move(line)) << "\n";
  }
  return text;
}

/// Reads one line; unknown transformation names are not reported here.
static Error parseStep(const json::Value &value, Step &step) {
  JsonFields fields(value, "a step");
  fields.read("apply", step.name);
  fields.readNumber("fresh", step.fresh);
  if (fields.find("text"))
    fields.read("text", step.text);
  if (const json::Array *numbers = fields.readArray("numbers"))
    for (const json::Value &number : *numbers) {
      std::optional<uint64_t> word = number.getAsUINT64();
      if (!word)
        fields.fail("has a number that is none");
      step.numbers.push_back(word.value_or(0));
    }
  return fields.takeError();
}

/// Reads the first line: schema, seed and original.
static Error parseHeader(const json::Value &value, TransformationLog &log) {
  JsonFields fields(value, "the header");
  std::string found;
  fields.read("schema", found);
  if (found != schema)
    fields.fail("is not of schema " + schema);
  fields.readNumber("seed", log.seed);
  fields.read("original", log.original);
  return fields.takeError();
}

/// Empty lines are ignored, but counted.
Expected<TransformationLog> parseLog(StringRef text) {
  TransformationLog log;
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n');
  bool hasHeader = false;
  for (auto [index, line] : enumerate(lines)) {
    if (line.empty())
      continue;
    std::string where = "line " + std::to_string(index + 1);
    Expected<json::Value> value = parseJson(line, where);
    if (!value)
      return value.takeError();
    Error error =
        hasHeader ? parseStep(*value, log.steps.emplace_back()) : parseHeader(*value, log);
    if (error)
      return addContext(std::move(error), where);
    hasHeader = true;
  }
  if (!hasHeader)
    return invalidInput("a log of transformations begins with a header");
  return log;
}

} // namespace assay::fuzz
