// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/FolderLock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

using namespace assay;

/// Returns the lock, which ends with the descriptor. Nothing if another process holds it; an
/// invalid descriptor if the folder cannot be opened or locked.
std::optional<Descriptor> assay::lockFolder(const std::string &folder) {
  Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (opened.get() < 0 || flock(opened.get(), LOCK_EX | LOCK_NB) == 0)
    return opened;
  if (errno == EWOULDBLOCK)
    return std::nullopt;
  return Descriptor();
}
