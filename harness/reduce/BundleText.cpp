// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/BundleText.h"

#include "harness/run/CrashStack.h"
#include "harness/run/Rerun.h"
#include "harness/run/SameBytes.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// The plain command for the case as it lies in the bundle.
static std::string commandFor(const Predicate &predicate) {
  Job job = predicate.job;
  job.casePath = job.caseId = "case.amber";
  return job.machine == compileAgainMachine ? describeCompileAgain(job) : describeRerun(job);
}

/// \p text of a verdict of \p state. What a process says as it dies has addresses of its own, which
/// differ from run to run; other numbers in hexadecimal are of the finding.
static std::string withoutAddresses(StringRef text, State state) {
  if (state != State::Crash)
    return text.str();
  std::string result;
  while (!text.empty()) {
    if (text.consume_front("0x")) {
      text = text.drop_while([](char c) { return isHexDigit(c); });
      result += "0x?";
      continue;
    }
    result += text.front();
    text = text.drop_front();
  }
  return result;
}

/// "gcn gfx1100, compiler assay -O2".
static std::string describePlace(const Job &job) {
  std::string text = job.machine;
  if (!job.target.empty())
    text += " " + job.target;
  if (!job.compiler.empty())
    text += ", compiler " + job.compiler;
  if (job.optLevel >= 0)
    text += " -O" + std::to_string(job.optLevel);
  return text;
}

/// Prints a Markdown table of what the predicate says; rows without a value are left out.
static void printOptions(raw_ostream &os, const Predicate &predicate) {
  const Job &job = predicate.job;
  const std::pair<StringRef, std::string> rows[] = {
      {"state", stateName(predicate.state).str()},
      {"rule", predicate.rule},
      {"signature", predicate.signature},
      {"machine", job.machine},
      {"target", job.target},
      {"compiler", job.compiler},
      {"level", job.optLevel >= 0 ? "-O" + std::to_string(job.optLevel) : ""},
      {"wave size", job.waveSize ? std::to_string(job.waveSize) : "the target's"},
      {"buffer fat pointers", job.useLlvmLowering ? "lowered by LLVM" : ""},
      {"schedule", join(printSchedule(job.schedule, /*all=*/false), " ")},
      {"seed", std::to_string(job.seed)},
      {"planted faults", join(job.plants, ", ")}};
  os << "| | |\n| --- | --- |\n";
  for (const auto &[name, value] : rows)
    if (!value.empty())
      os << "| " << name << " | " << value << " |\n";
}

/// Prints the first differing value, or the reason of a verdict without one.
static void printDifference(raw_ostream &os, const Verdict &verdict) {
  os << "\n## Expected and actual\n\n";
  if (!verdict.firstDifference) {
    os << withoutAddresses(verdict.reason, verdict.state) << "\n";
    return;
  }
  const Difference &difference = *verdict.firstDifference;
  os << "Buffer `" << difference.buffer << "`, element " << difference.element << ", component "
     << difference.component << " (byte " << difference.byteOffset
     << "); all of them in expected.json and actual.json.\n\n| expected | actual |\n| --- | --- "
        "|\n| "
     << difference.expected << " | " << difference.actual << " |\n";
}

/// Prints each module, or the number of its lines where it is long.
static void printShaders(raw_ostream &os, ArrayRef<std::string> assembly) {
  constexpr size_t MostLines = 80;
  os << "\n## Shader\n\n";
  for (const std::string &text : assembly) {
    // What the disassembler says of the header is in the files.
    SmallVector<StringRef, 0> lines;
    StringRef(text).rtrim().split(lines, '\n');
    erase_if(lines, [](StringRef line) { return line.starts_with(";"); });
    if (lines.size() > MostLines) {
      os << lines.size() << " lines, in the files *.spvasm.\n";
      continue;
    }
    os << "```\n";
    for (StringRef line : lines)
      os << line << "\n";
    os << "```\n";
  }
}

/// What the finding that the predicate is about says; a verdict may have others before it.
static std::string describeFinding(const BundleFacts &facts) {
  const Predicate &predicate = facts.input->predicate;
  for (const Finding &finding : facts.verdict.findings)
    if (finding.rule == predicate.rule && finding.signature == predicate.signature)
      return withoutAddresses(finding.message, facts.verdict.state);
  return withoutAddresses(facts.verdict.reason, facts.verdict.state);
}

/// Markdown. Files are named only if the bundle has them.
std::string assay::printReadme(const BundleFacts &facts) {
  const BundleInput &input = *facts.input;
  const Predicate &predicate = input.predicate;
  std::string text;
  raw_string_ostream os(text);
  os << "# " << (predicate.rule.empty() ? stateName(predicate.state) : StringRef(predicate.rule))
     << " on " << describePlace(predicate.job) << "\n\n"
     << describeFinding(facts) << "\n\n";
  printOptions(os, predicate);
  os << "\n## See it\n\n    assay replay .\n    " << commandFor(predicate) << "\n";
  printDifference(os, facts.verdict);
  printShaders(os, facts.assembly);
  constexpr size_t MostLines = 40;
  if (!input.difference.empty() && StringRef(input.difference).count('\n') <= MostLines)
    os << "\n## What makes it pass\n\n```\n" << input.difference << "```\n";
  os << "\n## Files\n\n"
     << "`case.amber` is the whole case; "
     << (facts.hasCode ? "`out.elf` and `isa.txt` the code; " : "")
     << "`log.txt` the verdict; `provenance.json` what it was made with.\n\nFound by";
  for (const auto &[index, part] : enumerate(input.provenance))
    os << (index ? ", " : " ") << part.first << " " << part.second;
  os << ".\n";
  return text;
}

/// Addresses are left out, so that two runs have the same text.
std::string assay::printLog(const Verdict &verdict) {
  std::string text;
  raw_string_ostream os(text);
  os << stateName(verdict.state) << ": " << verdict.reason << "\n";
  for (const Finding &finding : verdict.findings) {
    os << "\n"
       << finding.rule << " " << finding.location << ": " << finding.message << "\n"
       << "  signature: " << finding.signature << "\n";
    for (const auto &[name, value] : finding.evidence)
      if (name != memoryEvidence)
        os << "  " << name << ": " << value << "\n";
  }
  for (const auto &[name, value] : listStatistics(verdict))
    os << "\n" << name << ": " << value;
  os << "\n";
  return withoutAddresses(text, verdict.state);
}

std::string assay::printProvenance(const BundleInput &input) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.provenance/1");
    for (const auto &[name, value] : input.provenance)
      writeTextAttribute(json, name, value);
    writeTextAttribute(json, "command", commandFor(input.predicate));
  });
  json.flush();
  os << "\n";
  return text;
}

/// A shell script that works from any folder.
std::string assay::printCommands(const Predicate &predicate) {
  return "#!/bin/sh\n# Ends with 1 while the bug shows.\ncd \"$(dirname \"$0\")\" || exit "
         "3\nexec " +
         commandFor(predicate) + "\n";
}
