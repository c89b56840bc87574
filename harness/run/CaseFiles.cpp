// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CaseFiles.h"

#include "harness/run/FileNames.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>
#include <set>

using namespace llvm;
using namespace assay;

// What a folder is searched for. Stages and dialects that are not read yet are here too: they are
// then unsupported, with a reason, rather than passed over.
static constexpr StringRef caseExtensions[] = {
    ".amber", ".vkscript", ".shader_test", ".comp", ".spv",  ".spvasm", ".pipe", ".vert",
    ".frag",  ".geom",     ".tesc",        ".tese", ".mesh", ".task",   ".glsl",
};

/// Appends the cases below \p folder, sorted by path. InvalidInput if there is none; Environment if
/// a folder can't be read.
static Error searchFolder(StringRef folder, std::vector<CaseFile> &cases) {
  std::error_code code;
  std::vector<std::string> paths;
  for (sys::fs::recursive_directory_iterator it(folder, code), end; it != end && !code;
       it.increment(code))
    if (is_contained(caseExtensions, sys::path::extension(it->path())) &&
        !sys::fs::is_directory(it->path()))
      paths.push_back(it->path());
  if (code)
    return environmentError(folder + ": " + code.message());
  if (paths.empty())
    return invalidInput(folder + ": holds no case (.amber, .comp, .spv, .spvasm, ...)");
  std::sort(paths.begin(), paths.end());
  for (std::string &path : paths) {
    StringRef id = StringRef(path).drop_front(folder.size()).ltrim('/');
    cases.push_back({path, id.str()});
  }
  return Error::success();
}

Error assay::verifyFileName(StringRef path) {
  return json::isUTF8(path) ? Error::success()
                            : invalidInput(path + ": the name is not UTF-8; rename the file");
}

/// Copies at most 1 GiB to a temporary file, which is removed with the last copy of the result.
Expected<CaseFile> assay::copyStandardInput() {
  constexpr uint64_t mostBytes = uint64_t(1) << 30;
  Expected<std::string> text = readFileText("-", mostBytes);
  if (!text)
    return text.takeError();
  SmallString<128> path;
  if (std::error_code code = sys::fs::createTemporaryFile("assay-stdin", "", path))
    return environmentError("temporary file: " + code.message());
  auto copy = std::make_shared<FileRemover>(path);
  if (Error error = writeFile(path, *text))
    return std::move(error);
  return CaseFile{path.str().str(), standardInputId.str(), std::move(copy)};
}

/// Appends the cases that \p input names. A file called "-" keeps its path as id, so that it is not
/// taken for standard input.
static Error addInput(StringRef input, std::vector<CaseFile> &cases) {
  if (input == standardInputId) {
    Expected<CaseFile> copy = copyStandardInput();
    if (!copy)
      return copy.takeError();
    cases.push_back(std::move(*copy));
    return Error::success();
  }
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(input, status))
    return invalidInput((input.empty() ? "''" : input) + ": " + code.message());
  if (sys::fs::is_directory(status))
    return searchFolder(input, cases);
  StringRef name = sys::path::filename(input);
  cases.push_back({input.str(), (name == standardInputId ? input : name).str()});
  return Error::success();
}

// The first of each file stays.
static void dropRepeated(std::vector<CaseFile> &cases) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  auto isRepeated = [&seen](const CaseFile &file) {
    sys::fs::UniqueID id;
    return !sys::fs::getUniqueID(file.path, id) &&
           !seen.insert({id.getDevice(), id.getFile()}).second;
  };
  llvm::erase_if(cases, isRepeated);
}

// Paths differ, but one may be the id of another case: so until nobody shares an id.
static void makeIdsUnique(std::vector<CaseFile> &cases) {
  bool changed = true;
  while (changed) {
    changed = false;
    std::map<std::string, unsigned> uses;
    for (const CaseFile &file : cases)
      ++uses[file.id];
    for (CaseFile &file : cases)
      if (uses[file.id] > 1 && file.id != file.path) {
        file.id = file.path;
        changed = true;
      }
  }
}

/// Expands folders and patterns in the order of the inputs, drops repeated files and makes the ids
/// unique. InvalidInput where the standard input is named twice.
Expected<std::vector<CaseFile>> assay::findCases(ArrayRef<std::string> inputs, StringRef spirvEnv) {
  if (llvm::count(inputs, standardInputId) > 1)
    return invalidInput("the standard input is named twice");
  std::vector<CaseFile> cases;
  for (StringRef input : inputs)
    if (Error error = addInput(input, cases))
      return std::move(error);
  for (const CaseFile &file : cases)
    if (Error error = verifyFileName(file.path))
      return std::move(error);
  dropRepeated(cases);
  makeIdsUnique(cases);
  for (CaseFile &file : cases)
    file.spirvEnv = spirvEnv.str();
  return std::move(cases);
}

/// Keeps the folder.
static StringRef withoutExtension(StringRef path) {
  return path.drop_back(sys::path::extension(path).size());
}

/// Accepts the id with or without extension, and the file name alone.
bool assay::matchesCase(StringRef id, StringRef name) {
  return id == name || withoutExtension(id) == name || sys::path::stem(id) == name;
}
