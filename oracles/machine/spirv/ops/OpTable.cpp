// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the row of an opcode among all families.
#include "oracles/machine/spirv/Decoder.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Rows by opcode, or by number of an extended set.
using Table = DenseMap<uint32_t, const OpRow *>;

/// Opcodes are unique over all families: a later row would replace an earlier one.
static Table makeTable(ArrayRef<ArrayRef<OpRow>> families) {
  Table table;
  for (ArrayRef<OpRow> family : families)
    for (const OpRow &row : family)
      table[row.opcode] = &row;
  return table;
}

const OpRow *reference::findOp(spv::Op opcode) {
  static const Table table =
      makeTable({arithmeticOps(), integerDotOps(), floatOps(), matrixOps(), bitOps(),
                 conversionOps(), relationalOps(), compositeOps(), memoryOps(), pointerOps(),
                 hintOps(), imageOps(), sampleOps(), atomicOps(), controlFlowOps(), subgroupOps(),
                 subgroupArithmeticOps(), fragmentOps()});
  return table.lookup(uint32_t(opcode));
}

const OpRow *reference::findGlslOp(uint32_t number) {
  static const Table table =
      makeTable({glslScalarOps(), glslVectorOps(), glslPackOps(), glslFragmentOps()});
  return table.lookup(number);
}
