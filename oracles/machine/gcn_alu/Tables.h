// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table files of this folder, each with the function that hands its rows to the lookup.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::gcn {

using RowSink = llvm::function_ref<void(llvm::ArrayRef<AluOp> rows)>;

void addSaluIntegerRows(RowSink sink);
void addSaluFloatRows(RowSink sink);
void addValuIntegerRows(RowSink sink);
void addValuShortRows(RowSink sink);
void addValuByteRows(RowSink sink);
void addValuFloatRows(RowSink sink);
void addValuMinMaxRows(RowSink sink);
void addValuUnaryFloatRows(RowSink sink);
void addValuDivisionRows(RowSink sink);
void addValuConvertRows(RowSink sink);
void addValuCompareRows(RowSink sink);
void addValuPackedRows(RowSink sink);
void addValuDotRows(RowSink sink);
void addValuDotFloatRows(RowSink sink);
void addValuByteFloatRows(RowSink sink);

} // namespace assay::gcn
