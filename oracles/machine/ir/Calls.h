// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What calls mean in a dispatch: intrinsics that ask where a wave is, and the ops of the compiler's
// dialect ("lgc.*"). Their meaning is written here a second time, from compiler/dialect/Lgc.td and
// the contracts of compiler/lgc/Builder.h alone.
#pragma once

#include "oracles/ir/Handlers.h"

namespace assay::irm {

struct OpRow {
  llvm::StringLiteral name; ///< Without "lgc." and what is after it for types.
  ir::Handler run;
};

/// An operand that is always a constant.
inline uint64_t immediate(const ir::Inst &inst, unsigned operand) {
  return inst.operands[operand].constant->bits.getZExtValue();
}
/// Such an operand of 32 bits or less.
inline uint32_t number(const ir::Inst &inst, unsigned operand) {
  return static_cast<uint32_t>(immediate(inst, operand));
}

/// The op, of fragment stages, that ends invocations.
constexpr llvm::StringLiteral terminateOp = "terminate.invocation";

/// One table a family, each next to its handlers.
llvm::ArrayRef<OpRow> resourceOps();
llvm::ArrayRef<OpRow> arithmeticOps();
llvm::ArrayRef<OpRow> subgroupOps();
llvm::ArrayRef<OpRow> imageOps();
llvm::ArrayRef<OpRow> stageOps();
llvm::ArrayRef<OpRow> loweredStageOps();
/// struct.buffer.store of a stage of a draw: of the attribute ring.
void runRingStore(ir::Machine &machine, const ir::Inst &inst);
/// Null for an intrinsic that is of no image and no typed buffer.
ir::Handler findImageIntrinsic(llvm::StringRef baseName);

llvm::ArrayRef<ir::IntrinsicRow> cubeIntrinsics();
llvm::ArrayRef<ir::IntrinsicRow> stageIntrinsics();

/// strict.wwm: what leads to its operand, up to set.inactive, is done by all lanes of the wave,
/// those too that are not active or not there; in WholeWave.cpp.
void runWholeWave(ir::Machine &machine, const ir::Inst &inst);

/// Null for what means here what it means everywhere.
ir::Handler findCallHandler(const llvm::Function &callee);

} // namespace assay::irm
