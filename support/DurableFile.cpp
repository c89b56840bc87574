// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/DurableFile.h"

#include "support/Error.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

static Error problemWith(StringRef path) {
  return environmentError(path + ": " + sys::StrError());
}

// A name is durable when its folder is.
static Error syncFolderOf(StringRef path) {
  StringRef parent = sys::path::parent_path(path);
  std::string folder = parent.empty() ? "." : parent.str();
  int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return problemWith(folder);
  Error error = fsync(descriptor) == 0 ? Error::success() : problemWith(folder);
  close(descriptor);
  return error;
}

Error assay::createDurably(StringRef path) {
  int descriptor = ::open(path.str().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return problemWith(path);
  close(descriptor);
  return syncFolderOf(path);
}

Error assay::appendDurably(StringRef path, StringRef text) {
  bool isNew = !sys::fs::exists(path);
  int descriptor = ::open(path.str().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return problemWith(path);
  Error error = Error::success();
  ssize_t written = ::write(descriptor, text.data(), text.size());
  if (written < 0 || fdatasync(descriptor) != 0)
    error = joinErrors(std::move(error), problemWith(path));
  else if (static_cast<size_t>(written) != text.size())
    error =
        joinErrors(std::move(error), environmentError(path + ": the disk took " + Twine(written) +
                                                      " of " + Twine(text.size()) + " bytes"));
  close(descriptor);
  if (!error && isNew)
    return syncFolderOf(path);
  return error;
}
