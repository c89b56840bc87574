// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as machine code and its launch: machine gcn ends within its budget, and neither threads
// nor sanitizers change what comes out.
#include "fuzz/code/CodeMutation.h"
#include "fuzz/targets/Target.h"

using namespace assay::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return settle(checkHostileCode(readHostileCode({data, size})));
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 4 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  HostileCode code = readHostileCode({data, size});
  mutateCode(code, seed);
  std::vector<uint8_t> bytes = writeHostileCode(code);
  size_t count = std::min(bytes.size(), maxSize);
  std::memcpy(data, bytes.data(), count);
  return count;
}
