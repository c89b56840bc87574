// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/File.h"

#include "support/Error.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

static Expected<std::unique_ptr<MemoryBuffer>> openBuffer(StringRef path, uint64_t maxBytes) {
  if (path != "-" && sys::fs::is_directory(path))
    return environmentError(path + ": is a directory, a file was expected");
  uint64_t size = 0;
  if (path != "-" && !sys::fs::file_size(path, size) && size > maxBytes)
    return limitExceeded(path + ": has " + Twine(size) + " bytes, at most " + Twine(maxBytes) +
                         " are read");
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                             /*RequiresNullTerminator=*/false);
  if (!buffer)
    return environmentError(path + ": " + buffer.getError().message());
  if ((*buffer)->getBufferSize() > maxBytes)
    return limitExceeded(path + ": has more than " + Twine(maxBytes) + " bytes");
  return std::move(*buffer);
}

Expected<std::vector<uint8_t>> assay::readFileBytes(StringRef path, uint64_t maxBytes) {
  auto buffer = openBuffer(path, maxBytes);
  if (!buffer)
    return buffer.takeError();
  return std::vector<uint8_t>((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
}

Expected<std::string> assay::readFileText(StringRef path, uint64_t maxBytes) {
  auto buffer = openBuffer(path, maxBytes);
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

// Devices and pipes are written into: the rename below would put a plain file in their place.
static Error writeInto(StringRef path, StringRef text) {
  std::error_code code;
  raw_fd_ostream os(path, code, sys::fs::CD_OpenExisting);
  if (code)
    return environmentError(path + ": " + code.message());
  os << text;
  os.close();
  if (!os.has_error())
    return Error::success();
  std::string message = os.error().message();
  os.clear_error();
  return environmentError(path + ": " + message);
}

static std::error_code writeAndClose(int descriptor, StringRef text) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << text;
  os.close();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

Error assay::writeFile(StringRef path, StringRef text) {
  if (path == "-") {
    outs() << text;
    outs().flush();
    if (outs().has_error()) {
      std::string message = outs().error().message();
      outs().clear_error(); // Else the stream ends the process later on.
      return environmentError("standard output: " + message);
    }
    return Error::success();
  }
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) && !sys::fs::is_regular_file(status))
    return writeInto(path, text);
  StringRef folder = sys::path::parent_path(path);
  if (!folder.empty())
    if (std::error_code code = sys::fs::create_directories(folder))
      return environmentError(folder + ": " + code.message());
  // No sys::fs::TempFile: it notes each file in a list that LLVM walks for each and never cuts.
  int descriptor = -1;
  SmallString<128> temporary;
  const auto mode = static_cast<unsigned>(sys::fs::all_read | sys::fs::owner_write);
  if (std::error_code code = sys::fs::createUniqueFile(path + ".%%%%%%", descriptor, temporary,
                                                       sys::fs::OF_None, mode))
    return environmentError(path + ": " + code.message());
  std::error_code code = writeAndClose(descriptor, text);
  if (!code)
    code = sys::fs::rename(temporary, path);
  if (!code)
    return Error::success();
  sys::fs::remove(temporary);
  return environmentError(path + ": " + code.message());
}

Error assay::writeFile(StringRef path, ArrayRef<uint8_t> bytes) {
  return writeFile(path, StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}
