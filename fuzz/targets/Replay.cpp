// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main of a fuzz target without a fuzz engine: gives it the empty input, every file named and
// every file in every folder named. A fault ends the program.
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Returns the entries of a folder in the order of their names, or the path itself if it is none.
static std::vector<std::string> filesOf(StringRef path) {
  if (!sys::fs::is_directory(path))
    return {path.str()};
  std::vector<std::string> files;
  std::error_code error;
  for (sys::fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    files.push_back(it->path());
  sort(files);
  return files;
}

/// Returns 1 for a file or folder that cannot be read. Findings end the process in the target.
int main(int argc, char **argv) {
  LLVMFuzzerTestOneInput(nullptr, 0);
  unsigned count = 0;
  for (StringRef path : ArrayRef(argv, size_t(argc)).drop_front()) {
    std::vector<std::string> files = filesOf(path);
    if (files.empty())
      errs() << path << ": no files\n";
    if (files.empty())
      return 1;
    for (const std::string &file : files) {
      Expected<std::vector<uint8_t>> bytes = readFileBytes(file);
      if (!bytes) {
        errs() << takeError(bytes.takeError()).message << "\n";
        return 1;
      }
      errs() << file << "\n"; // The last one is at fault.
      LLVMFuzzerTestOneInput(bytes->data(), bytes->size());
      ++count;
    }
  }
  outs() << count << " inputs, nothing found\n";
  return 0;
}
