// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a PAL ELF or an archive of them: all of validate-elf, and its reports.
#include "fuzz/elf/CheckValidation.h"
#include "fuzz/elf/ElfMutation.h"
#include "fuzz/targets/Target.h"

using namespace assay::fuzz;

/// With an engine only a part of the checks, for speed; a replay runs all.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  bool hasEngine = LLVMFuzzerMutate != nullptr;
  return settle(checkValidation({data, size}, hasEngine ? Checks::Chosen : Checks::All));
}

/// One seed in eight is left to the engine's byte mutations.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  return giveOrKeep(mutateElf({data, size}, seed), data, size, maxSize);
}

/// Returns 0 where the result does not fit into \p maxSize bytes.
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  return give(mixElfs({first, firstSize}, {second, secondSize}, seed), out, maxSize);
}
