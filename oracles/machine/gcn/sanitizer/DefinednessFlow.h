// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bits of a result are undefined when bits of the sources are: one pure function for each
// kind of operation, MemorySanitizer's rules. Where a rule is not exact it errs to "undefined".
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"

namespace assay::gcn {

/// A source: its bits, and which of them are uninitialized (their values mean nothing).
struct MaybeBits {
  uint64_t value = 0;
  uint64_t undefined = 0;
};

struct FlowInput {
  MaybeBits sources[3];
  bool carry = false; ///< VALU: the lane's bit of the mask source; SALU: SCC.
  bool carryUndefined = false;
  bool clamp = false;
  uint8_t lane = 0;
  const AluOp *alu = nullptr;
  AluMode mode;
};

struct FlowOutput {
  uint64_t undefined = 0;
  bool carryUndefined = false; ///< VALU: the bit of the mask result; SALU: SCC.
};

using FlowFunction = FlowOutput (*)(const FlowInput &input);

/// How undefined bits go through \p alu. Never null: what no table names is undefined altogether
/// as soon as one bit of a source is.
FlowFunction findFlow(const AluOp &alu);

} // namespace assay::gcn
