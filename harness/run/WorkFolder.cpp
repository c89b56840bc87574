// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WorkFolder.h"

#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace assay;

Expected<std::unique_ptr<WorkFolder>> WorkFolder::create(StringRef path) {
  std::unique_ptr<WorkFolder> folder(new WorkFolder);
  if (path.empty()) {
    folder->m_temporary = true;
    if (std::error_code code = sys::fs::createUniqueDirectory("assay", folder->m_path)) {
      folder->m_temporary = false;
      return environmentError("temporary folder: " + code.message());
    }
    return std::move(folder);
  }
  folder->m_path = path;
  if (std::error_code code = sys::fs::make_absolute(folder->m_path))
    return environmentError(path + ": " + code.message());
  if (std::error_code code = sys::fs::create_directories(folder->m_path))
    return environmentError(path + ": " + code.message());
  return std::move(folder);
}

WorkFolder::~WorkFolder() {
  // What can't be removed stays in the temporary folder: no reason to spoil a result.
  if (m_temporary)
    (void)sys::fs::remove_directories(m_path);
}

std::string WorkFolder::jobFolder(StringRef stage, size_t index) const {
  return (m_path + "/" + stage + "-" + Twine(index)).str();
}
