// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From instructions to micro-ops: each family of operations says which it knows and how their
// operands stand.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/Program.h"
#include "llvm/ADT/ArrayRef.h"

namespace assay::gcn {

/// An operation with a handler of its own: \p destinations operands first, then sources of \p kind.
/// \p names are separated by '|'.
struct OpRow {
  const char *names;
  Handler run;
  uint8_t destinations = 0;
  OperandKind kind = OperandKind::U32;
  MaskFunction mask = nullptr;
};

llvm::ArrayRef<OpRow> controlRows();
llvm::ArrayRef<OpRow> execMaskRows();
llvm::ArrayRef<OpRow> crossLaneRows();
llvm::ArrayRef<OpRow> messageRows();
llvm::ArrayRef<OpRow> scalarStateRows();
llvm::ArrayRef<OpRow> hardwareRegisterRows();

/// What a family makes of an instruction: it is none of the family's, it is bound, or it belongs to
/// the family in a form that is not implemented.
enum class BindResult { NotMine, Bound, Unsupported };

BindResult bindRow(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindAlu(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindScalarMemory(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindBufferMemory(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindImage(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindRay(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindFlatMemory(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindExport(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindInterpolation(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindLaneExchange(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindGlobalShare(const Inst &inst, const ProgramOptions &options, MicroOp &op);
BindResult bindLds(const Inst &inst, const ProgramOptions &options, MicroOp &op);

/// Binds \p inst, whatever it is: what no family knows becomes an op that says so when it runs.
/// pc, size, next and target are the caller's.
MicroOp bindInst(const Inst &inst, const ProgramOptions &options);

/// Makes \p op one that ends the run as unsupported where its encoding has bits set that the
/// instruction is not known to use (IgnoredBits.h): nobody can say what it would do.
void refuseIgnoredBits(MicroOp &op, const ProgramOptions &options);

/// Takes operand \p index of \p inst as source number op.sourceCount.
void addSource(MicroOp &op, const Operand &operand, OperandKind kind);

/// True when \p operand, if it is a register, has at least \p dwords: handlers count on it.
bool hasDwords(const Operand &operand, unsigned dwords);

/// The two halves of the workgroup's barrier (GFX12's -1); the second tells by SCC whether the wave
/// is the first to signal.
void runWorkgroupSignal(Wave &wave, const MicroOp &op);
void runWorkgroupSignalIsFirst(Wave &wave, const MicroOp &op);
void runWorkgroupWait(Wave &wave, const MicroOp &op);

/// Handlers that end the run, with the reason.
void runUnsupported(Wave &wave, const MicroOp &op);
void runIllegal(Wave &wave, const MicroOp &op);
void runOutOfRange(Wave &wave, const MicroOp &op);
void runPastEnd(Wave &wave, const MicroOp &op);

} // namespace assay::gcn
