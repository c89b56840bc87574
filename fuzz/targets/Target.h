// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fuzz targets share: how they end, and how they hand bytes back to the engine.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

/// The engine's own mutations, of bytes and by dictionary. Null in the replay program.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize)
    __attribute__((weak));

namespace assay::fuzz {

/// What a target returns for an input that belongs into no corpus.
constexpr int Rejected = -1;

/// Ends an execution: returns 0 where \p wrong is empty, else says it in the form of a sanitizer's
/// report, which tools that sort crashes understand, and ends the process.
inline int settle(llvm::StringRef wrong) {
  if (wrong.empty())
    return 0;
  llvm::StringRef kind = wrong.take_until([](char c) { return c == ':' || c == '\n'; });
  llvm::errs() << "==" << llvm::sys::Process::getProcessId() << "==ERROR: Assay: " << wrong
               << "\nSUMMARY: Assay: " << kind << "\n";
  std::abort();
}

/// \p bytes to \p out. Returns how many, or 0, which engines take for "nothing", when there are
/// none or more than \p maxSize.
inline size_t give(llvm::ArrayRef<uint8_t> bytes, uint8_t *out, size_t maxSize) {
  if (bytes.empty() || bytes.size() > maxSize)
    return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

/// The same for a mutator: where there is nothing to give, \p out stays as it is.
inline size_t giveOrKeep(llvm::ArrayRef<uint8_t> bytes, uint8_t *out, size_t size, size_t maxSize) {
  size_t given = give(bytes, out, maxSize);
  return given ? given : std::min(size, maxSize);
}

} // namespace assay::fuzz
