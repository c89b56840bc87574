// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as machine code and its launch: machine gcn ends within its budget, and neither threads
// nor sanitizers change what comes out.
#include "fuzz/code/CodeMutation.h"
#include "fuzz/targets/Target.h"

using namespace assay::fuzz;

/// Every input is a launch: nothing is rejected.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return settle(checkHostileCode(readHostileCode({data, size})));
}

/// One seed in four is left to the engine's byte mutations.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 4 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  HostileCode code = readHostileCode({data, size});
  mutateCode(code, seed);
  return giveOrKeep(writeHostileCode(code), data, size, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize,
                                            const uint8_t *second, size_t secondSize, uint8_t *out,
                                            size_t maxSize, unsigned seed) {
  HostileCode mixed =
      mixCode(readHostileCode({first, firstSize}), readHostileCode({second, secondSize}), seed);
  return give(writeHostileCode(mixed), out, maxSize);
}
