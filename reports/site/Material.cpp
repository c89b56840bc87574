// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/site/Material.h"

#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

/// Of each file; larger ones are an error of readFileText().
static constexpr uint64_t maxBytes = 1 << 20;

/// Where a text may be, the best place first.
static const struct TextPlaces {
  std::string Material::*text;
  std::vector<StringRef> files;
} places[] = {
    {&Material::script,
     {"minimal/minimal.amber", "minimal.amber", "bundle/case.amber", "case.amber"}},
    {&Material::spirv, {"bundle/case.spvasm", "case.spvasm"}},
    {&Material::isa, {"bundle/isa.txt", "isa.txt"}},
    {&Material::neighbour, {"minimal/difference.txt", "difference.txt"}},
    {&Material::commands, {"bundle/cmd.sh", "cmd.sh"}},
    {&Material::provenance, {"bundle/provenance.json", "provenance.json"}},
};

/// The first of \p files that is in \p folder; empty where none is.
static Expected<std::string> readFirst(const std::string &folder, ArrayRef<StringRef> files,
                                       StringRef &found) {
  for (StringRef file : files)
    if (std::string path = folder + "/" + file.str(); sys::fs::exists(path)) {
      found = file;
      return readFileText(path, maxBytes);
    }
  return std::string();
}

/// Reads the buffers of a run from the bundle or the folder; a missing file is no error.
static Error readBufferFile(const std::string &folder, StringRef name,
                            std::vector<BufferListing> &buffers) {
  StringRef found;
  std::string inBundle = "bundle/" + name.str();
  Expected<std::string> text = readFirst(folder, {inBundle, name}, found);
  if (!text || text->empty())
    return text.takeError();
  Expected<json::Value> value = parseJson(*text, folder + "/" + found);
  if (!value)
    return value.takeError();
  Expected<std::vector<BufferListing>> read = readBuffers(*value);
  if (!read)
    return addContext(read.takeError(), folder + "/" + found.str());
  buffers = std::move(*read);
  return Error::success();
}

/// Reads localize.json if it exists. "slice" is optional.
static Error readLocalised(const std::string &file, Localised &localised) {
  if (!sys::fs::exists(file))
    return Error::success();
  Expected<json::Value> value = readJsonFile(file, maxBytes);
  if (!value)
    return value.takeError();
  JsonFields fields(*value, "a localisation");
  fields.read("phase", localised.phase);
  fields.read("pass", localised.pass);
  fields.read("function", localised.function);
  fields.read("instruction", localised.instruction);
  fields.read("evidence", localised.evidence);
  fields.read("difference", localised.difference);
  if (fields.find("slice"))
    fields.read("slice", localised.slice);
  return addContext(fields.takeError(), file);
}

/// A folder that does not exist has no material. Of each kind of text the first existing file of
/// its list is read; no file at all is no error.
Expected<Material> assay::readMaterial(const std::string &folder) {
  Material material;
  if (folder.empty() || !sys::fs::is_directory(folder))
    return material;
  material.folder = folder;
  for (const TextPlaces &place : places) {
    StringRef found;
    Expected<std::string> text = readFirst(folder, place.files, found);
    if (!text)
      return text.takeError();
    material.*place.text = std::move(*text);
    if (place.text == &Material::script)
      material.isMinimal = found.ends_with("minimal.amber");
  }
  if (Error error = readLocalised(folder + "/localize.json", material.localised))
    return std::move(error);
  if (Error error = readBufferFile(folder, "expected.json", material.expected))
    return std::move(error);
  if (Error error = readBufferFile(folder, "actual.json", material.actual))
    return std::move(error);
  return std::move(material);
}

/// Compares texts, not numbers. Buffers that only one run has, and undefined elements, are left
/// out.
std::vector<ElementDifference> assay::compareBuffers(ArrayRef<BufferListing> expected,
                                                     ArrayRef<BufferListing> actual, size_t limit,
                                                     uint64_t &count) {
  std::vector<ElementDifference> differences;
  count = 0;
  for (const BufferListing &want : expected) {
    auto got = find_if(actual, [&](const BufferListing &each) { return each.name == want.name; });
    if (got == actual.end())
      continue;
    size_t size = std::max(want.values.size(), got->values.size());
    auto valueAt = [](const BufferListing &buffer, size_t i) {
      return i < buffer.values.size() ? buffer.values[i] : std::string("nothing");
    };
    for (size_t i = 0; i < size; ++i) {
      std::string a = valueAt(want, i), b = valueAt(*got, i);
      if (a == b || a == "undefined")
        continue;
      if (++count <= limit)
        differences.push_back({want.name, i, std::move(a), std::move(b)});
    }
  }
  return differences;
}
