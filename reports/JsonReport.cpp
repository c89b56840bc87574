// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON and JSON lines.
#include "reports/Report.h"

#include "reports/VerdictJson.h"
#include "support/Json.h"

using namespace llvm;
using namespace assay;

/// Writes "options", an object of texts; readers get them in the order of their names.
static void writeOptions(json::OStream &json, const Report &report) {
  json.attributeObject("options", [&] {
    for (const auto &[name, value] : report.options)
      json.attribute(json::fixUTF8(name), json::fixUTF8(value));
  });
}

/// Writes "run": the command, the duration, and pairs of a component and its version.
static void writeRun(json::OStream &json, const RunFacts &run) {
  json.attributeObject("run", [&] {
    writeTextAttribute(json, "command", run.command);
    json.attribute("milliseconds", run.milliseconds);
    json.attributeArray("versions", [&] {
      for (const auto &[name, version] : run.versions)
        json.array([&, &name = name, &version = version] {
          json.value(json::fixUTF8(name));
          json.value(json::fixUTF8(version));
        });
    });
  });
}

/// Writes the options and verdicts always, run facts where the report keeps them, sources and
/// buffers where there are any.
void assay::writeJsonReport(raw_ostream &os, const Report &report) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    writeHeader(json, report.verb, report.count());
    writeOptions(json, report);
    if (report.run && report.run->isKept)
      writeRun(json, *report.run);
    json.attributeArray("verdicts", [&] {
      for (const Verdict &verdict : report.verdicts)
        writeVerdict(json, verdict, report.knownAs(verdict));
    });
    if (!report.sources.empty())
      json.attributeArray("sources", [&] {
        for (const auto &[id, source] : report.sources)
          json.object([&, &id = id, &source = source] {
            writeTextAttribute(json, "case", id);
            writeTextAttribute(json, "path", source.path);
          });
      });
    if (!report.buffers.empty())
      json.attributeArray("buffers", [&] {
        for (const auto &[id, buffers] : report.buffers)
          json.object([&, &id = id, &buffers = buffers] {
            writeTextAttribute(json, "case", id);
            json.attributeBegin("buffers");
            writeBuffers(json, buffers);
            json.attributeEnd();
          });
      });
  });
  os << "\n";
}

/// The first line has the counts and options; each further line is a verdict. Sources and buffers
/// are left out.
void assay::writeJsonLinesReport(raw_ostream &os, const Report &report) {
  json::OStream header(os);
  header.object([&] {
    writeHeader(header, report.verb, report.count());
    writeOptions(header, report);
  });
  os << "\n";
  for (const Verdict &verdict : report.verdicts) {
    json::OStream json(os);
    writeVerdict(json, verdict, report.knownAs(verdict));
    json.flush();
    os << "\n";
  }
}
