// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/InputFiles.h"

#include "harness/run/FileNames.h"
#include "oracles/pal_elf/Archive.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include <glob.h>

using namespace llvm;
using namespace assay;

// Links to files are followed, links to folders are not: they may lead round and round. LLVM's
// recursive iterator would pass over a folder that it can't enter without a word.
static Error searchBelow(const std::string &folder, function_ref<bool(StringRef)> belongs,
                         std::vector<std::string> &found) {
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code, /*follow_symlinks=*/false), end;
       it != end && !code; it.increment(code)) {
    if (it->type() == sys::fs::file_type::directory_file) {
      if (Error error = searchBelow(it->path(), belongs, found))
        return error;
    } else if (sys::fs::is_regular_file(it->path()) && belongs(it->path())) {
      found.push_back(it->path());
    }
  }
  return code ? invalidInput(folder + ": " + code.message()) : Error::success();
}

/// Returns the files below \p folder that \p belongs accepts, sorted by path; possibly none.
static Expected<std::vector<std::string>> searchFolder(const std::string &folder,
                                                       function_ref<bool(StringRef)> belongs) {
  std::vector<std::string> found;
  if (Error error = searchBelow(folder, belongs, found))
    return std::move(error);
  llvm::sort(found);
  return std::move(found);
}

/// As searchFolder(), but no file is InvalidInput: a folder that was named must have something to
/// do.
static Expected<std::vector<std::string>> findInFolder(const std::string &folder, StringRef kind,
                                                       function_ref<bool(StringRef)> belongs) {
  Expected<std::vector<std::string>> found = searchFolder(folder, belongs);
  if (found && found->empty())
    return invalidInput(folder + ": holds no " + kind);
  return found;
}

// What a pattern that no shell has expanded represents, as the shell would have it.
static Expected<std::vector<std::string>> expandPattern(const std::string &pattern, StringRef kind,
                                                        function_ref<bool(StringRef)> belongs) {
  glob_t matches = {};
  int result = glob(pattern.c_str(), GLOB_ERR, nullptr, &matches);
  std::vector<std::string> matched(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  globfree(&matches);
  if (result != 0)
    return invalidInput(
        pattern + (result == GLOB_NOMATCH ? ": nothing is called so" : ": can't be searched for"));
  std::vector<std::string> files;
  for (const std::string &path : matched) {
    if (!sys::fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    Expected<std::vector<std::string>> found = searchFolder(path, belongs);
    if (!found)
      return found.takeError();
    append_range(files, *found);
  }
  if (files.empty())
    return invalidInput(pattern + ": matches folders that have no " + kind);
  return std::move(files);
}

// A file that is named twice, perhaps once by its folder, counts once.
static void addNew(std::vector<std::string> &files, StringSet<> &seen, ArrayRef<std::string> more) {
  for (const std::string &path : more) {
    StringRef plain = path;
    while (plain.consume_front("./"))
      ;
    if (seen.insert(plain).second)
      files.push_back(path);
  }
}

/// Expands folders and patterns in order; each file is listed once. \p belongs filters only what
/// was found that way. \p kind names the files in errors. InvalidInput for paths that do not exist.
Expected<std::vector<std::string>> assay::findInputFiles(ArrayRef<std::string> inputs,
                                                         StringRef kind,
                                                         function_ref<bool(StringRef)> belongs) {
  std::vector<std::string> files;
  StringSet<> seen;
  for (const std::string &input : inputs) {
    if (input == "-" || (sys::fs::exists(input) && !sys::fs::is_directory(input))) {
      addNew(files, seen, {input});
      continue;
    }
    Expected<std::vector<std::string>> found = std::vector<std::string>();
    if (sys::fs::is_directory(input))
      found = findInFolder(input, kind, belongs);
    else if (StringRef(input).find_first_of("*?[") != StringRef::npos)
      found = expandPattern(input, kind, belongs);
    else
      found = invalidInput(input + ": No such file or directory");
    if (!found)
      return found.takeError();
    addNew(files, seen, *found);
  }
  for (const std::string &file : files)
    if (Error error = verifyFileName(file))
      return std::move(error);
  return std::move(files);
}

Error assay::verifyInputFile(StringRef path) {
  if (path == "-")
    return Error::success();
  if (sys::fs::is_directory(path))
    return invalidInput(path + ": is a directory, a file is expected");
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return invalidInput((path.empty() ? "''" : path) + ": " + code.message());
  return Error::success();
}

/// Passes at most 16 bytes. True for files that cannot be read: their error is reported when they
/// are.
bool assay::beginsLike(StringRef path, function_ref<bool(ArrayRef<uint8_t>)> isMeant) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file) {
    consumeError(file.takeError());
    return true;
  }
  char start[16] = {};
  Expected<size_t> count = sys::fs::readNativeFile(*file, start);
  sys::fs::closeFile(*file);
  if (!count) {
    consumeError(count.takeError());
    return true;
  }
  return isMeant(arrayRefFromStringRef(StringRef(start, *count)));
}

bool assay::isElfOrArchive(ArrayRef<uint8_t> bytes) {
  return toStringRef(bytes).starts_with("\x7f"
                                        "ELF") ||
         isArchive(bytes);
}

/// Writes the standard input to the file \p copy if it is among the files, and replaces "-" by its
/// name.
Expected<std::vector<std::string>> assay::keepStandardInput(ArrayRef<std::string> files,
                                                            const std::string &copy) {
  std::vector<std::string> kept = files.vec();
  if (!is_contained(kept, "-"))
    return std::move(kept);
  Expected<std::vector<uint8_t>> bytes = readFileBytes("-");
  if (!bytes)
    return bytes.takeError();
  if (Error error = writeFile(copy, *bytes))
    return std::move(error);
  std::replace(kept.begin(), kept.end(), std::string("-"), copy);
  return std::move(kept);
}
