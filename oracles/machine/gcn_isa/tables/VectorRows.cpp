// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the vector ALU.
//
// Columns: name, format, opcode on gfx900, gfx1010, gfx1030, gfx1100, gfx1150 and gfx1201 (-1: not
// there), signature, flags (AluRows.h). A signature is "results=sources": results are bits of a
// vector register, s32 a scalar one, m a lane mask; types of sources: AluOperands.cpp.
#include "oracles/machine/gcn_isa/tables/AluRows.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::rowflags;

#define ROW(NAME, FORMAT, A, B, C, D, E, F, SIGNATURE, FLAGS)                                      \
  {NAME, Format::FORMAT, {A, B, C, D, E, F}, SIGNATURE, FLAGS},
static const IsaRow VectorRows[] = {
#include "oracles/machine/gcn_isa/tables/Interp.def"
#include "oracles/machine/gcn_isa/tables/Vop1.def"
#include "oracles/machine/gcn_isa/tables/Vop2.def"
#include "oracles/machine/gcn_isa/tables/Vop3.def"
#include "oracles/machine/gcn_isa/tables/Vop3p.def"
#include "oracles/machine/gcn_isa/tables/Vopc.def"
#include "oracles/machine/gcn_isa/tables/Vopd.def"
};
#undef ROW

ArrayRef<IsaRow> gcn::vectorRows() {
  return VectorRows;
}
