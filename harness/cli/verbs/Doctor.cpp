// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay doctor: what is installed, and what each missing part costs; what shaders may use; which
// opcodes of given code the gcn machine lacks.
#include "harness/cli/CapabilityList.h"
#include "harness/cli/Cli.h"
#include "harness/cli/Installed.h"
#include "harness/cli/IsaList.h"
#include "harness/cli/SanitizerList.h"
#include "support/Json.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// Prints a line for each part with what was found, or else with what its absence costs. A required
/// part that is missing is in capitals.
static void printAsText(raw_ostream &os, const std::vector<InstalledPart> &parts) {
  for (const InstalledPart &part : parts) {
    bool found = !part.found.empty();
    os << (found           ? "ok       "
           : part.required ? "MISSING  "
                           : "missing  ")
       << part.name << ": " << (found ? part.found : part.costs) << "\n";
  }
}

/// Prints the parts as JSON of schema assay.doctor/1. "costs" is empty for a part that was found.
static void printAsJson(raw_ostream &os, const std::vector<InstalledPart> &parts) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.doctor/1");
    json.attributeArray("parts", [&] {
      for (const InstalledPart &part : parts)
        json.object([&] {
          writeTextAttribute(json, "name", part.name);
          json.attribute("required", part.required);
          writeTextAttribute(json, "found", part.found);
          writeTextAttribute(json, "costs", part.found.empty() ? part.costs : "");
        });
    });
  });
  json.flush();
  os << "\n";
}

/// Prints the table of capabilities, as text unless the format is json.
static int listCapabilities(const std::string &format) {
  return printText(format == "json" ? printCapabilitiesAsJson() : printCapabilitiesAsText(), "");
}

/// Prints the rules of the sanitizers, as text unless the format is json.
static int listSanitizers(const std::string &format) {
  return printText(format == "json" ? printSanitizersAsJson() : printSanitizersAsText(), "");
}

/// Tool failure if a required part is missing; missing optional parts are no failure.
static int listParts(const std::string &format) {
  std::vector<InstalledPart> parts = findInstalledParts();
  std::string text;
  raw_string_ostream os(text);
  if (format == "json")
    printAsJson(os, parts);
  else
    printAsText(os, parts);
  if (int code = printText(text, ""))
    return code;
  for (const InstalledPart &part : parts)
    if (part.required && part.found.empty())
      return ExitToolFailure;
  return ExitGood;
}

/// --isa, --sanitizers and --capabilities exclude each other.
void assay::addDoctor(CLI::App &app, Invocation &invocation) {
  struct DoctorVerb {
    std::string format = "text";
    bool capabilities = false;
    bool sanitizers = false;
    std::vector<std::string> isa;
  };
  auto options = std::make_shared<DoctorVerb>();
  CLI::App *verb =
      app.add_subcommand("doctor", "Say what is installed, and what each missing part costs");
  verb->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  CLI::Option *capabilities =
      verb->add_flag("--capabilities", options->capabilities,
                     "List instead what shaders may use, and which part of Assay has it");
  CLI::Option *sanitizers = verb->add_flag("--sanitizers", options->sanitizers,
                                           "List instead the rules of the gcn machine's sanitizers")
                                ->excludes(capabilities);
  verb->add_option(
          "--isa", options->isa,
          "List instead the opcodes in these ELFs, files of peers, or folders of them that "
          "the gcn machine can't execute")
      ->excludes(capabilities)
      ->excludes(sanitizers);
  verb->callback([options, &invocation] {
    invocation.action = [options] {
      if (!options->isa.empty())
        return listMissingOpcodes(options->isa, options->format);
      if (options->sanitizers)
        return listSanitizers(options->format);
      return options->capabilities ? listCapabilities(options->format) : listParts(options->format);
    };
  });
}
