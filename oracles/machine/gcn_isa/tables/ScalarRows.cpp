// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the scalar ALU. Columns as in VectorRows.cpp; a signature is the list of slots.
#include "oracles/machine/gcn_isa/tables/AluRows.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

#define ROW(NAME, FORMAT, A, B, C, D, E, F, SIGNATURE)                                             \
  {NAME, Format::FORMAT, {A, B, C, D, E, F}, SIGNATURE, 0},
/// The opcodes, one for each chip; -1: the chip lacks the instruction.
static const IsaRow ScalarRows[] = {
#include "oracles/machine/gcn_isa/tables/Sop.def"
#include "oracles/machine/gcn_isa/tables/Sopp.def"
};
#undef ROW

ArrayRef<IsaRow> gcn::scalarRows() {
  return ScalarRows;
}
