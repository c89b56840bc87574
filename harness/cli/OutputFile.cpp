// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/OutputFile.h"

#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <CLI/CLI.hpp>

using namespace llvm;
using namespace assay;

/// What is wrong with \p file; "" when nothing is.
static std::string explainMissingFolder(const std::string &file) {
  StringRef folder = sys::path::parent_path(file);
  if (folder.empty() || sys::fs::is_directory(folder))
    return "";
  return file + ": cannot find the folder " + folder.str();
}

CLI::Option *assay::addOutputFile(CLI::App &verb, const std::string &names, std::string &file,
                                  const std::string &help) {
  return verb.add_option(names, file, help)->check(explainMissingFolder);
}

/// What is wrong with \p folder; "" when nothing is.
static std::string explainNoFolder(const std::string &folder) {
  return sys::fs::exists(folder) && !sys::fs::is_directory(folder) ? folder + ": is not a folder"
                                                                   : "";
}

CLI::Option *assay::addOutputFolder(CLI::App &verb, const std::string &names, std::string &folder,
                                    const std::string &help) {
  return verb.add_option(names, folder, help)->check(explainNoFolder);
}

Error assay::verifyOutputFile(StringRef option, const std::string &file) {
  std::string problem = explainMissingFolder(file);
  return problem.empty() ? Error::success() : invalidInput(option + ": " + problem);
}
