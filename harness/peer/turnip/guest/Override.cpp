// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/guest/Override.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

/// What files in the folder consist of. fmemopen() refers to these bytes while such a file is open.
static std::string overrideText;

/// Applies to all pipelines that are compiled later.
void assay::turnip::setOverride(const std::string &text) {
  overrideText = text;
}

/// Opens the text for a path in the folder, or fails with ENOENT if there is none. Other paths go
/// to glibc's \p function.
static FILE *openFile(const char *function, const char *path, const char *mode) {
  const char *folder = assay::turnip::overrideFolder;
  if (std::strncmp(path, folder, std::strlen(folder)) == 0) {
    if (!overrideText.empty())
      return fmemopen(overrideText.data(), overrideText.size(), "r");
    errno = ENOENT;
    return nullptr;
  }
  auto real = reinterpret_cast<FILE *(*)(const char *, const char *)>(dlsym(RTLD_NEXT, function));
  return real(path, mode);
}

// The names are glibc's; both are the same function for programs of 64 bits.
extern "C" {
/// Serves paths in the override folder from the text, and all others by glibc.
FILE *fopen(const char *path, const char *mode) {
  return openFile("fopen", path, mode);
}
/// The name of fopen() with 64-bit file offsets; which of the two Mesa calls depends on how it was
/// built.
FILE *fopen64(const char *path, const char *mode) {
  return openFile("fopen64", path, mode);
}
}
