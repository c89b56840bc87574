// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/corpus/Manifest.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

Expected<Manifest> assay::readManifest(StringRef path) {
  Manifest manifest;
  if (!sys::fs::exists(path))
    return manifest;
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  SmallVector<StringRef, 0> lines;
  StringRef(*text).split(lines, '\n');
  std::string comments;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("#"))
      comments += lines[i].str() + "\n";
    if (lines[i].starts_with("#") || lines[i].trim().empty())
      continue;
    if (manifest.entries.empty())
      std::swap(manifest.comments, comments);
    SmallVector<StringRef> fields;
    lines[i].split(fields, " | ", 3);
    if (fields.size() != 4)
      return invalidInput(path + ", line " + Twine(i + 1) + ": not 'file | origin | licence | " +
                          "what it is for'");
    ManifestEntry entry = {fields[1].str(), fields[2].str(), fields[3].str(),
                           std::exchange(comments, "")};
    if (!manifest.entries.try_emplace(fields[0].str(), std::move(entry)).second)
      return invalidInput(path + ", line " + Twine(i + 1) + ": '" + fields[0] + "' again");
  }
  (manifest.entries.empty() ? manifest.comments : manifest.closing) = std::move(comments);
  return std::move(manifest);
}

Error assay::verifyEntry(StringRef file, const ManifestEntry &entry) {
  for (StringRef field :
       {file, StringRef(entry.origin), StringRef(entry.licence), StringRef(entry.purpose)})
    if (field.trim().empty() || field.contains('\n') || field.contains('|'))
      return invalidInput("the entry of '" + file + "' has an empty field, or '|' in it");
  return Error::success();
}

Error assay::writeManifest(StringRef path, const Manifest &manifest) {
  std::string text = manifest.comments;
  for (const auto &[file, entry] : manifest.entries) {
    if (Error error = verifyEntry(file, entry))
      return error;
    text += entry.comments + file + " | " + entry.origin + " | " + entry.licence + " | " +
            entry.purpose + "\n";
  }
  return writeFile(path, StringRef(text + manifest.closing));
}
