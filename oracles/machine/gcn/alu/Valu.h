// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector ALU execution: sources per lane, the operation's pure function, and the write-back.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"

namespace assay::gcn {

/// One source of a vector operation, ready to be read per lane.
class LaneReader {
public:
  LaneReader(const Wave &wave, const MicroOp &op, unsigned index, const Operand &operand);
  uint64_t read(unsigned lane) const;

private:
  uint64_t transform(uint64_t bits) const;

  const uint32_t *m_low = nullptr;
  const uint32_t *m_high = nullptr;
  uint64_t m_uniform = 0;
  uint64_t m_mask = ~uint64_t(0);
  uint8_t m_shift = 0;
  bool m_transform = false;
  uint8_t m_index;
  const MicroOp *m_op;
  const Operand *m_operand;
  const AluMode *m_mode;
};

/// The handler of every vector ALU operation, VOPD pairs among them.
void runValu(Wave &wave, const MicroOp &op);

/// True when runFastValu() may run \p op.
bool isFastValu(const MicroOp &op);
void runFastValu(Wave &wave, const MicroOp &op);

/// Where \p op, which is bound to one of the handlers above, has kernels for what it does: binds it
/// to a handler that runs them.
void bindKernels(MicroOp &op);

/// The handler for the scalar ALU operation \p op, if its operands are plain ones; else null.
Handler findFastSalu(MicroOp &op);
/// The handler of all scalar ALU operations.
void runSalu(Wave &wave, const MicroOp &op);

} // namespace assay::gcn
