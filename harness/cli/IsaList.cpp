// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/IsaList.h"

#include "harness/cli/Cli.h"
#include "oracles/machine/gcn/Coverage.h"
#include "oracles/radv/RadvShader.h"
#include "reports/Escape.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

namespace {

struct OpcodeRow {
  gcn::MissingOpcode opcode;
  uint64_t files = 0;
  std::string firstFile;
};

/// What was seen of one chip.
struct ChipRow {
  uint64_t files = 0;
  uint64_t instructions = 0;
  std::map<std::string, OpcodeRow> missing;
};

struct IsaReport {
  std::map<std::string, ChipRow> chips;
  std::vector<std::string> unreadable; ///< "path: why".

  bool isGood() const {
    return !chips.empty() && unreadable.empty() &&
           std::all_of(chips.begin(), chips.end(),
                       [](const auto &chip) { return chip.second.missing.empty(); });
  }
};

} // namespace

static bool looksLikeCode(ArrayRef<uint8_t> bytes) {
  static constexpr uint8_t ElfMagic[] = {0x7f, 'E', 'L', 'F'};
  return bytes.take_front(4) == ArrayRef(ElfMagic) || radv::isRadvFile(bytes);
}

static void lookAt(const std::string &path, bool isNamed, IsaReport &report) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  Error error = bytes ? Error::success() : bytes.takeError();
  if (!error && !isNamed && !looksLikeCode(*bytes))
    return; // Something else that lies in a folder.
  if (!error) {
    Expected<gcn::StaticCode> code = gcn::decodeStatically(*bytes);
    if (code) {
      ChipRow &chip = report.chips[code->target->name.str()];
      ++chip.files;
      chip.instructions += code->program->ops().size();
      for (auto &[name, opcode] : gcn::findMissingOpcodes(*code)) {
        OpcodeRow &row = chip.missing[name];
        if (row.files++ == 0) {
          row.opcode.example = opcode.example;
          row.opcode.isIllegal = opcode.isIllegal;
          row.firstFile = path;
        }
        row.opcode.count += opcode.count;
      }
      return;
    }
    error = code.takeError();
  }
  report.unreadable.push_back(path + ": " + takeError(std::move(error)).message);
}

static Error lookAtAll(ArrayRef<std::string> inputs, IsaReport &report) {
  for (const std::string &input : inputs) {
    if (!sys::fs::is_directory(input)) {
      lookAt(input, /*isNamed=*/true, report);
      continue;
    }
    std::error_code code;
    std::vector<std::string> paths;
    for (sys::fs::recursive_directory_iterator it(input, code), end; it != end && !code;
         it.increment(code))
      if (sys::fs::is_regular_file(it->path()))
        paths.push_back(it->path());
    if (code)
      return environmentError(input + ": " + code.message());
    std::sort(paths.begin(), paths.end());
    for (const std::string &path : paths)
      lookAt(path, /*isNamed=*/false, report);
  }
  return Error::success();
}

static std::string printAsText(const IsaReport &report) {
  std::string text;
  raw_string_ostream os(text);
  for (const auto &[name, chip] : report.chips) {
    os << name << ": " << chip.files << " files, " << chip.instructions << " instructions, "
       << chip.missing.size() << " opcodes without semantics\n";
    for (const auto &[mnemonic, row] : chip.missing)
      os << "  " << left_justify(mnemonic, 32) << " "
         << format("%6llu", static_cast<unsigned long long>(row.opcode.count)) << "  "
         << (row.opcode.isIllegal ? "no instruction of the chip" : escapeLine(row.opcode.example))
         << "  (" << row.files << " files; " << escapeLine(row.firstFile) << ")\n";
  }
  for (const std::string &line : report.unreadable)
    os << "not looked at: " << escapeLine(line) << "\n";
  return text;
}

static void writeChip(json::OStream &json, const std::string &name, const ChipRow &chip) {
  writeTextAttribute(json, "target", name);
  json.attribute("files", chip.files);
  json.attribute("instructions", chip.instructions);
  json.attributeArray("missing", [&] {
    for (const auto &[mnemonic, row] : chip.missing)
      json.object([&] {
        writeTextAttribute(json, "opcode", mnemonic);
        json.attribute("illegal", row.opcode.isIllegal);
        json.attribute("count", row.opcode.count);
        json.attribute("files", row.files);
        writeTextAttribute(json, "example", row.opcode.example);
        writeTextAttribute(json, "first_file", row.firstFile);
      });
  });
}

static std::string printAsJson(const IsaReport &report) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.isa/1");
    json.attributeArray("chips", [&] {
      for (const auto &[name, chip] : report.chips)
        json.object([&] { writeChip(json, name, chip); });
    });
    json.attributeArray("unreadable", [&] {
      for (const std::string &line : report.unreadable)
        json.value(json::fixUTF8(line));
    });
  });
  json.flush();
  os << "\n";
  return text;
}

int assay::listMissingOpcodes(ArrayRef<std::string> inputs, const std::string &format) {
  IsaReport report;
  if (Error error = lookAtAll(inputs, report))
    return fail(std::move(error));
  if (int code = printText(format == "json" ? printAsJson(report) : printAsText(report), ""))
    return code;
  if (report.chips.empty() && report.unreadable.empty())
    return fail(ExitFindings, "there is no ELF and no file of a peer in what was named");
  return report.isGood() ? ExitGood : ExitFindings;
}
