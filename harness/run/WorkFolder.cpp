// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/WorkFolder.h"

#include "harness/run/FolderLock.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cstdlib>
#include <linux/magic.h>
#include <mutex>
#include <sys/vfs.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// Linux' own folder in memory (tmpfs), where it has room to spare; nothing where it has not, or
/// where TMPDIR says what folder is wanted.
static std::optional<StringRef> memoryFolder() {
  static constexpr StringLiteral path = "/dev/shm";
  constexpr uint64_t enough = uint64_t(1) << 30;
  struct statfs info = {};
  if (std::getenv("TMPDIR") || statfs(path.data(), &info) != 0 || info.f_type != TMPFS_MAGIC ||
      uint64_t(info.f_bavail) * static_cast<uint64_t>(info.f_bsize) < enough ||
      access(path.data(), W_OK) != 0)
    return std::nullopt;
  return path;
}

/// Of the names of temporary folders in memory. removeAbandoned() looks for it.
static constexpr StringLiteral memoryPrefix = "assay-jobs";

/// Removes folders in memory that no process has locked: their processes died. Folders of other
/// users and those younger than a minute stay.
void WorkFolder::removeAbandoned(StringRef parent) {
  // Who makes a folder locks it at once, but not in one step.
  constexpr auto youngest = std::chrono::minutes(1);
  std::vector<std::string> abandoned;
  std::error_code code;
  for (sys::fs::directory_iterator each(parent, code), end; each != end && !code;
       each.increment(code)) {
    ErrorOr<sys::fs::basic_file_status> status = each->status();
    if (!sys::path::filename(each->path()).starts_with(memoryPrefix) || !status ||
        status->getUser() != getuid() ||
        std::chrono::system_clock::now() - status->getLastModificationTime() < youngest)
      continue;
    std::optional<Descriptor> lock = lockFolder(each->path());
    if (lock && lock->get() >= 0)
      abandoned.push_back(each->path());
  }
  for (const std::string &path : abandoned)
    (void)sys::fs::remove_directories(path); // What stays is tried again by the next process.
}

/// An empty path makes a temporary folder, in memory if the files are few and small. A named folder
/// is created if it is missing, and stays.
Expected<std::unique_ptr<WorkFolder>> WorkFolder::create(StringRef path, Files files) {
  std::unique_ptr<WorkFolder> folder(new WorkFolder);
  if (path.empty()) {
    folder->m_temporary = true;
    std::optional<StringRef> memory = files == Files::FewAndSmall ? memoryFolder() : std::nullopt;
    static std::once_flag swept;
    if (memory)
      std::call_once(swept, removeAbandoned, *memory);
    std::string prefix = memory ? (*memory + "/" + memoryPrefix).str() : "assay";
    if (std::error_code code = sys::fs::createUniqueDirectory(prefix, folder->m_path)) {
      folder->m_temporary = false;
      return environmentError("temporary folder: " + code.message());
    }
    if (memory)
      if (std::optional<Descriptor> lock = lockFolder(folder->m_path.str().str()))
        folder->m_lock = std::move(*lock);
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

/// The folder is not created.
std::string WorkFolder::jobFolder(StringRef stage, size_t index) const {
  return (m_path + "/" + stage + "-" + Twine(index)).str();
}
