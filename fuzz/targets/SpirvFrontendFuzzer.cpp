// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any module that spirv-val accepts through the front-end: sound IR, or a diagnostic.
#include "fuzz/shader/CheckShader.h"
#include "fuzz/targets/ShaderTarget.h"

using namespace assay::fuzz;

/// Rejects invalid modules and those without a compute shader, so that the corpus has none.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<ShaderInput> input = tryReadShader({data, size});
  return input ? settle(checkFrontend(std::move(*input))) : Rejected;
}
