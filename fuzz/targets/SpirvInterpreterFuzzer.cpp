// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any module that spirv-val accepts in the reference interpreter, with a buffer of every
// descriptor and a small budget: it ends, and ends the same way again.
#include "fuzz/shader/CheckShader.h"
#include "fuzz/targets/ShaderTarget.h"

using namespace assay::fuzz;

/// Rejects invalid modules and those without a compute shader, so that the corpus has none.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<ShaderInput> input = tryReadShader({data, size});
  return input ? settle(checkInterpreter(*input)) : Rejected;
}
