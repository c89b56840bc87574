// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Backends.h"

#include "compiler/amdgpu/Backend.h"
#include "compiler/ir3/Backend.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

namespace {
/// The back-end of one architecture.
struct BackendRow {
  Architecture architecture;
  Expected<std::unique_ptr<Backend>> (*create)(const CompileOptions &options);
};
} // namespace

/// One for each row of compiler/api/Target.cpp's architectures.
static constexpr BackendRow backends[] = {
    {.architecture = Architecture::AmdGpu, .create = amdgpu::createBackend},
    {.architecture = Architecture::Adreno, .create = ir3::createBackend},
};

/// Unsupported for an architecture without a row.
Expected<std::unique_ptr<Backend>> assay::createBackend(const CompileOptions &options) {
  for (const BackendRow &row : backends)
    if (row.architecture == options.target->architecture)
      return row.create(options);
  return unsupported("target '" + options.target->name + "': there is no back-end for it");
}
