// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as msgpack: read within limits, written and printed to the same tree again.
#include "fuzz/elf/CheckMsgPack.h"
#include "fuzz/elf/MetadataMutation.h"
#include "fuzz/targets/Target.h"

using namespace assay::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return settle(checkMsgPack({data, size}));
}

/// Alternates between byte mutations and mutations of metadata, which keep the bytes readable.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 2 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  assay::Random random(seed);
  return giveOrKeep(mutateMetadata({data, size}, random), data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  assay::Random random(seed);
  return give(mixMetadata({first, firstSize}, {second, secondSize}, random), out, maxSize);
}
