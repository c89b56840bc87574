// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted faults of the compiler for Adreno GPUs (Ir3Faults.def); planted by their names like all.
#pragma once

#include "support/Fault.h"

namespace assay {

enum class Ir3Fault {
#define FAULT(ENUMERATOR, NAME, LAYER, PLACE, HELP) ENUMERATOR,
#include "support/Ir3Faults.def"
};

#ifdef ASSAY_FAULTS
/// As faultPlanted(Fault).
bool faultPlanted(Ir3Fault fault);
#else
constexpr bool faultPlanted(Ir3Fault) {
  return false;
}
#endif

} // namespace assay
