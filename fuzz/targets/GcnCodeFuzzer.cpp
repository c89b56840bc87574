// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as machine code and its launch: machine gcn ends within its budget, and neither threads
// nor sanitizers change what comes out.
#include "fuzz/code/CodeMutation.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace llvm;
using namespace assay::fuzz;

// libFuzzer's; the replay program has no mutations.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize)
    __attribute__((weak));

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string wrong = checkHostileCode(readHostileCode({data, size}));
  if (wrong.empty())
    return 0;
  errs() << wrong << "\n";
  abort();
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
