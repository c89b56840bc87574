// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any module that spirv-val accepts through the whole compiler, for a target that its header
// chooses: an ELF in which validate-elf finds no error, or a diagnostic.
#include "fuzz/shader/CheckShader.h"
#include "fuzz/targets/ShaderTarget.h"

using namespace assay;
using namespace assay::fuzz;

/// Rejects invalid modules and those without a compute shader, so that the corpus has none.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Compiler compiler; // Warm: a back-end takes longer than a shader.
  std::optional<ShaderInput> input = tryReadShader({data, size});
  return input ? settle(checkCompile(std::move(*input), compiler)) : Rejected;
}
