// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a PAL ELF or an archive of them: all of validate-elf, and its reports.
#include "fuzz/elf/CheckValidation.h"
#include "fuzz/elf/ElfMutation.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;
using namespace assay::fuzz;

// libFuzzer's; the replay program has no mutations.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize)
    __attribute__((weak));

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool hasEngine = LLVMFuzzerMutate != nullptr;
  std::string wrong = checkValidation({data, size}, hasEngine ? Checks::Chosen : Checks::All);
  if (wrong.empty())
    return 0;
  errs() << wrong << "\n";
  abort();
}

/// \p bytes to \p out; 0, which libFuzzer takes for "nothing", when they are too many.
static size_t give(const Bytes &bytes, uint8_t *out, size_t maxSize) {
  if (bytes.size() > maxSize || bytes.empty())
    return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  size_t result = give(mutateElf({data, size}, seed), data, maxSize);
  return result ? result : std::min(size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return give(mixElfs({first, firstSize}, {second, secondSize}, seed), out, maxSize);
}
