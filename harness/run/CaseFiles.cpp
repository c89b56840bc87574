// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/CaseFiles.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace assay;

// What a folder is searched for. Stages and dialects that are not read yet are here too: they are
// then unsupported, with a reason, rather than passed over.
static constexpr StringRef caseExtensions[] = {
    ".amber", ".vkscript", ".shader_test", ".comp", ".spv",  ".spvasm", ".pipe", ".vert",
    ".frag",  ".geom",     ".tesc",        ".tese", ".mesh", ".task",   ".glsl",
};

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

Expected<std::vector<CaseFile>> assay::findCases(ArrayRef<std::string> inputs) {
  std::vector<CaseFile> cases;
  for (StringRef input : inputs) {
    sys::fs::file_status status;
    if (std::error_code code = sys::fs::status(input, status))
      return invalidInput(input + ": " + code.message());
    if (sys::fs::is_directory(status)) {
      if (Error error = searchFolder(input, cases))
        return std::move(error);
      continue;
    }
    cases.push_back({input.str(), sys::path::filename(input).str()});
  }
  std::map<std::string, unsigned> uses;
  for (const CaseFile &file : cases)
    ++uses[file.id];
  for (CaseFile &file : cases)
    if (uses[file.id] > 1)
      file.id = file.path;
  return std::move(cases);
}

static StringRef withoutExtension(StringRef path) {
  return path.drop_back(sys::path::extension(path).size());
}

bool assay::matchesCase(StringRef id, StringRef name) {
  return id == name || withoutExtension(id) == name || sys::path::stem(id) == name;
}
