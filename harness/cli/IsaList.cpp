// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/IsaList.h"

#include "harness/cli/Cli.h"
#include "harness/cli/InputFiles.h"
#include "oracles/machine/gcn/Coverage.h"
#include "oracles/pal_elf/Archive.h"
#include "oracles/radv/RadvGraphics.h"
#include "reports/Escape.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/Support/Format.h"
#include <algorithm>

using namespace llvm;
using namespace assay;

namespace {

/// An opcode that one chip's code has and the machine does not.
struct OpcodeRow {
  gcn::MissingOpcode opcode;
  uint64_t files = 0;
  std::string firstFile; ///< "ARCHIVE:MEMBER" for members of archives.
};

/// What was seen of one chip.
struct ChipRow {
  uint64_t files = 0;
  uint64_t instructions = 0;                ///< Of all its files.
  std::map<std::string, OpcodeRow> missing; ///< By the mnemonic.
};

/// What all files had, by the name of the chip.
struct IsaReport {
  std::map<std::string, ChipRow> chips;
  std::vector<std::string> unreadable; ///< "path: why".

  /// False also if no code was found at all.
  bool isGood() const {
    return !chips.empty() && unreadable.empty() &&
           std::all_of(chips.begin(), chips.end(),
                       [](const auto &chip) { return chip.second.missing.empty(); });
  }
};

} // namespace

/// By the first bytes of the file: ELFs, archives, and files of peer compilers.
static bool looksLikeCode(StringRef path) {
  return beginsLike(path, [](ArrayRef<uint8_t> bytes) {
    ArtifactType type = detectArtifactType(bytes);
    return isElfOrArchive(bytes) || type == ArtifactType::RadvShader ||
           type == ArtifactType::RadvGraphics;
  });
}

/// \p name is the file, with ":MEMBER" of an archive.
static Error lookAtCode(const std::string &name, ArrayRef<uint8_t> bytes, IsaReport &report) {
  Expected<gcn::StaticCode> code = gcn::decodeStatically(bytes);
  if (!code)
    return addContext(code.takeError(), name);
  ChipRow &chip = report.chips[code->target->name.str()];
  ++chip.files;
  chip.instructions += code->program->ops().size();
  for (auto &[mnemonic, opcode] : gcn::findMissingOpcodes(*code)) {
    OpcodeRow &row = chip.missing[mnemonic];
    if (row.files++ == 0) {
      row.opcode.example = opcode.example;
      row.opcode.isIllegal = opcode.isIllegal;
      row.firstFile = name;
    }
    row.opcode.count += opcode.count;
  }
  return Error::success();
}

/// Keeps \p error among the unreadable files; success changes nothing.
static void note(Error error, IsaReport &report) {
  if (error)
    report.unreadable.push_back(takeError(std::move(error)).message);
}

/// Adds the code in \p path, or in each member of an archive, to \p report. Errors end the file and
/// become a line of the report. An archive without members is unreadable, too.
static void lookAt(const std::string &path, IsaReport &report) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path);
  if (!bytes)
    return note(bytes.takeError(), report);
  if (!isArchive(*bytes))
    return note(lookAtCode(path, *bytes, report), report);
  Expected<std::vector<ArchiveEntry>> members = readArchive(*bytes);
  if (!members)
    return note(addContext(members.takeError(), path), report);
  if (members->empty())
    return note(invalidInput(path + ": the archive has no members"), report);
  for (const ArchiveEntry &member : *members)
    note(lookAtCode(path + ":" + member.name, member.bytes, report), report);
}

/// Prints a line a chip, below it a line for each opcode: mnemonic, number of instructions, an
/// example, and the first file with it.
static std::string printAsText(const IsaReport &report) {
  std::string text;
  raw_string_ostream os(text);
  for (const auto &[name, chip] : report.chips) {
    os << name << ": " << chip.files << " files, " << chip.instructions << " instructions, "
       << chip.missing.size() << " opcodes without semantics\n";
    for (const auto &[mnemonic, row] : chip.missing)
      os << "  " << left_justify(mnemonic, 32) << " "
         << format("%6llu", static_cast<unsigned long long>(row.opcode.count)) << "  "
         << escapeLine(row.opcode.example) << "  (" << row.files << " files; "
         << escapeLine(row.firstFile) << ")\n";
  }
  for (const std::string &line : report.unreadable)
    os << "not looked at: " << escapeLine(line) << "\n";
  return text;
}

/// Writes the attributes of one element of "chips"; the caller has opened the object.
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

/// Schema assay.isa/1.
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
  Expected<std::vector<std::string>> files =
      findInputFiles(inputs, "ELF and no file of a peer", looksLikeCode);
  if (!files)
    return failUsage(files.takeError());
  IsaReport report;
  for (const std::string &file : *files)
    lookAt(file, report);
  if (int code = printText(format == "json" ? printAsJson(report) : printAsText(report), ""))
    return code;
  return report.isGood() ? ExitGood : ExitFindings;
}
