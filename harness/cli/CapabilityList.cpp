// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/CapabilityList.h"

#include "compiler/spirv/Capabilities.h"
#include "support/Json.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace assay;
using spirv::CapabilityKind;
using spirv::CapabilityRow;

/// Returns the word for a row of \p kind that both formats print.
static StringRef kindName(CapabilityKind kind) {
  switch (kind) {
  case CapabilityKind::Capability:
    return "capability";
  case CapabilityKind::Mode:
    return "execution mode";
  case CapabilityKind::ExtInst:
    return "instruction set";
  case CapabilityKind::Device:
    return "device feature";
  case CapabilityKind::OtherStage:
    return "other stage";
  }
  llvm_unreachable("a row of no kind");
}

/// One row a line, in columns. Capabilities that stages ignore say so.
std::string assay::printCapabilitiesAsText() {
  std::string text;
  raw_string_ostream os(text);
  auto line = [&](StringRef kind, StringRef name, StringRef feature, StringRef compiler,
                  StringRef reference) {
    std::string row;
    raw_string_ostream(row) << left_justify(kind, 16) << left_justify(name, 48)
                            << left_justify(feature, 52) << left_justify(compiler, 10) << reference;
    os << StringRef(row).rtrim() << "\n";
  };
  line("kind", "name", "needs of the device", "compiler", "reference");
  for (const CapabilityRow &row : spirv::capabilityTable()) {
    bool ignored = row.kind == CapabilityKind::OtherStage && row.stages == 0;
    auto say = [&](bool has) -> StringRef { return ignored ? "ignored" : has ? "yes" : "no"; };
    line(kindName(row.kind), row.name, row.feature, say(row.inCompiler), say(row.inReference));
  }
  return text;
}

/// Schema assay.capabilities/1, rows in the order of the table.
std::string assay::printCapabilitiesAsJson() {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.capabilities/1");
    json.attributeArray("rows", [&] {
      for (const CapabilityRow &row : spirv::capabilityTable())
        json.object([&] {
          writeTextAttribute(json, "kind", kindName(row.kind).str());
          writeTextAttribute(json, "name", row.name.str());
          writeTextAttribute(json, "feature", row.feature.str());
          json.attribute("compiler", row.inCompiler);
          json.attribute("reference", row.inReference);
        });
    });
  });
  json.flush();
  os << "\n";
  return text;
}
