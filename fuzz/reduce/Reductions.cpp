// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all reductions of a Program.
#include "fuzz/reduce/Rows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

ArrayRef<ProgramReduction> programReductions() {
  static const std::vector<ProgramReduction> rows = [] {
    std::vector<ProgramReduction> all;
    // Control flow before what it controls, statements before the values that feed them.
    for (ArrayRef<ProgramReduction> part :
         {flowReductions(), callReductions(), variableReductions(), codeReductions(),
          conditionReductions(), valueReductions(), constantReductions(), moduleReductions()})
      append_range(all, part);
    return all;
  }();
  return rows;
}

} // namespace assay::fuzz
