// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of what instructions and intrinsics do: one table a family, each next to its handlers.
#pragma once

#include "oracles/ir/Program.h"
#include "llvm/IR/Intrinsics.h"

namespace assay::ir {

struct OpcodeRow {
  unsigned opcode; ///< llvm::Instruction's.
  Handler run;
};

struct IntrinsicRow {
  llvm::Intrinsic::ID id;
  Handler run;
};

llvm::ArrayRef<OpcodeRow> integerOpcodes();
llvm::ArrayRef<OpcodeRow> floatOpcodes();
llvm::ArrayRef<OpcodeRow> castOpcodes();
llvm::ArrayRef<OpcodeRow> vectorOpcodes();
llvm::ArrayRef<OpcodeRow> controlOpcodes();
llvm::ArrayRef<OpcodeRow> accessOpcodes();

/// In Addresses.cpp; rows of accessOpcodes.
void runAlloca(Machine &machine, const Inst &inst);
void runGetElementPtr(Machine &machine, const Inst &inst);

llvm::ArrayRef<IntrinsicRow> copyIntrinsics();
llvm::ArrayRef<IntrinsicRow> bufferIntrinsics();
llvm::ArrayRef<IntrinsicRow> ldsLoadIntrinsics();
llvm::ArrayRef<IntrinsicRow> waveIntrinsics();
llvm::ArrayRef<IntrinsicRow> hintIntrinsics();
llvm::ArrayRef<IntrinsicRow> integerIntrinsics();
llvm::ArrayRef<IntrinsicRow> floatIntrinsics();
llvm::ArrayRef<IntrinsicRow> maskedIntrinsics();
llvm::ArrayRef<IntrinsicRow> vectorIntrinsics();
llvm::ArrayRef<IntrinsicRow> exchangeIntrinsics();

} // namespace assay::ir
