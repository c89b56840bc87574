// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Backend.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;

Error Backend::setDebugModes(const DebugModes &modes) {
  return modes.any() ? unsupported("debug modes of ir3 for another architecture")
                     : Error::success();
}
