// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir3_isa/Defect.h"

using namespace llvm;
using namespace assay::adreno;

ArrayRef<StringLiteral> assay::adreno::defectNames() {
  static constexpr StringLiteral Names[] = {
#define DEFECT(ENUMERATOR, NAME, HELP) NAME,
#include "oracles/machine/ir3_isa/Defects.def"
  };
  return Names;
}
