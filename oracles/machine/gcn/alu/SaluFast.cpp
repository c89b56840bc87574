// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common case of scalar operations: registers and constants of 32 or 64 bits. runSalu() in
// Valu.cpp does everything else, and means the same.
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/alu/Valu.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Neither a mask nor a half, and in a register or the instruction.
static bool isPlainSource(const Source &source) {
  return source.kind != OperandKind::Mask && kindBits(source.kind) >= 32 &&
         (source.operand.type == OperandType::Sgpr || isConstant(source.operand));
}

/// Runs an operation with \p Count sources. MicroOp::wideScalars says which are pairs of registers.
template <unsigned Count> static void runPlain(Wave &wave, const MicroOp &op) {
  AluInput input;
  for (unsigned i = 0; i < Count; ++i) {
    const Source &source = op.sources[i];
    if (source.operand.type != OperandType::Sgpr)
      input.src[i] = source.constant;
    else if (op.wideScalars >> i & 1)
      input.src[i] = wave.readScalar64(source.operand.index);
    else
      input.src[i] = wave.s[source.operand.index];
  }
  input.carry = wave.scc;
  AluOutput output = op.alu->function(input, wave.mode);
  if (op.alu->flags & WritesScc)
    wave.scc = output.carry;
  if (op.alu->flags & NoDst)
    return;
  if (op.wideScalars & WideResult)
    wave.writeScalar64(op.destination.index, output.value);
  else
    wave.writeScalar(op.destination.index, static_cast<uint32_t>(output.value));
}

/// Null when runSalu() is needed; otherwise sets MicroOp::wideScalars.
Handler gcn::findFastSalu(MicroOp &op) {
  if (op.sourceCount > 3 || (op.destinationCount && op.destination.type != OperandType::Sgpr) ||
      !all_of(ArrayRef(op.sources).take_front(op.sourceCount), isPlainSource))
    return nullptr;
  for (unsigned i = 0; i < op.sourceCount; ++i)
    if (kindBits(op.sources[i].kind) == 64)
      op.wideScalars |= static_cast<uint8_t>(1u << i);
  if (op.destinationCount && kindBits(op.alu->dst) == 64)
    op.wideScalars |= WideResult;
  static constexpr Handler BySourceCount[] = {runPlain<0>, runPlain<1>, runPlain<2>, runPlain<3>};
  return BySourceCount[op.sourceCount];
}
