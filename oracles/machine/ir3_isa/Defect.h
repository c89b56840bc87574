// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults that a test plants in machine adreno and its decoder (Defects.def), in builds that have
// planted faults (support/Fault.h).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::adreno {

enum class Defect : uint8_t {
#define DEFECT(ENUMERATOR, NAME, HELP) ENUMERATOR,
#include "oracles/machine/ir3_isa/Defects.def"
  Count
};

/// All names, in the order of Defect.
llvm::ArrayRef<llvm::StringLiteral> defectNames();

#ifdef ASSAY_FAULTS
inline Defect plantedDefect = Defect::Count; ///< Of this process; set by tests alone.
inline bool hasDefect(Defect defect) {
  return plantedDefect == defect;
}
#else
constexpr bool hasDefect(Defect) {
  return false;
}
#endif

} // namespace assay::adreno
