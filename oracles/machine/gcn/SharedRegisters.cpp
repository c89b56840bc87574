// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/SharedRegisters.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Wave.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

static constexpr unsigned HalfLanes = 32; ///< Lanes i and i + 32 share registers.

/// What lanes of one half wrote is there for their partners.
static void mirror(Wave &wave, const MicroOp &op, unsigned first, uint64_t lanes) {
  unsigned shared = wave.group->program->options().privateVgprs;
  for (const PendingRegisters &written : op.writes)
    for (unsigned i = 0; written.vector && i < written.count; ++i) {
      if (written.first + i < shared)
        continue;
      LaneArray &values = wave.v[written.first + i];
      for (unsigned lane = first; lane < first + HalfLanes; ++lane)
        if (lanes >> lane & 1)
          values[lane ^ HalfLanes] = values[lane];
    }
}

/// Runs the operation for the lower lanes, then for the upper ones, with EXEC cut to each half.
static void runHalves(Wave &wave, const MicroOp &op) {
  uint64_t exec = wave.exec();
  for (unsigned first : {0u, HalfLanes}) {
    uint64_t lanes = exec & uint64_t(0xffffffff) << first;
    wave.setExec(lanes);
    op.whole(wave, op);
    mirror(wave, op, first, lanes);
  }
  wave.setExec(exec);
}

void gcn::bindSharedRegisters(MicroOp &op, const ProgramOptions &options) {
  auto isShared = [&](const PendingRegisters &registers) {
    return registers.vector && registers.first + registers.count > options.privateVgprs;
  };
  auto isScalar = [](const PendingRegisters &registers) { return !registers.vector; };
  if (!any_of(op.reads, isShared) && !any_of(op.writes, isShared))
    return;
  if (op.run == runUnsupported || op.run == runIllegal || op.run == runOutOfRange)
    return;
  // Masks would be made of two halves.
  bool writesMasks = any_of(op.writes, isScalar) || op.inst->mnemonic.starts_with("v_cmp");
  op.whole = op.run;
  op.run = writesMasks ? runUnsupported : runHalves;
}
