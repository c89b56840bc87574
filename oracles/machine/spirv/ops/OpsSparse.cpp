// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image instructions that also return a residency code: {code, result of the plain instruction}.
// All texels of a case are resident; the value of the code is implementation-defined ("Image
// Instructions", "Sparse Resources").
#include "oracles/machine/spirv/ops/Ops.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// The code is scalar 0 of the result; the plain instruction writes the scalars after it, so that
/// dst and n are adjusted.
template <spv::Op Plain>
static Error prepareSparse(Decoder &decoder, Operands operands, Inst &inst) {
  inst.dst += 1;
  if (Error error = findOp(Plain)->prepare(decoder, operands, inst))
    return error;
  inst.n -= 1;
  return Error::success();
}

template <spv::Op Plain> static Status runSparse(Invocation &invocation, const Inst &inst) {
  static const Handler run = findOp(Plain)->run;
  *invocation.at(inst.dst - 1) = Scalar::ambiguous();
  return run(invocation, inst);
}

template <spv::Op Plain> static constexpr OpRow rowOf(spv::Op opcode) {
  return {uint32_t(opcode), prepareSparse<Plain>, runSparse<Plain>};
}

/// True for every defined code.
static Status areResident(Invocation &invocation, const Inst &inst) {
  const Scalar &code = *invocation.at(inst.op[0]);
  *invocation.at(inst.dst) = code.flags & Undef ? inheritPoison(code, code) : Scalar::boolean(true);
  return Status::Next;
}

ArrayRef<OpRow> reference::sparseOps() {
  using spv::Op;
  static const OpRow rows[] = {
      rowOf<Op::OpImageFetch>(Op::OpImageSparseFetch),
      rowOf<Op::OpImageRead>(Op::OpImageSparseRead),
      rowOf<Op::OpImageSampleImplicitLod>(Op::OpImageSparseSampleImplicitLod),
      rowOf<Op::OpImageSampleDrefImplicitLod>(Op::OpImageSparseSampleDrefImplicitLod),
      rowOf<Op::OpImageSampleExplicitLod>(Op::OpImageSparseSampleExplicitLod),
      rowOf<Op::OpImageSampleDrefExplicitLod>(Op::OpImageSparseSampleDrefExplicitLod),
      rowOf<Op::OpImageGather>(Op::OpImageSparseGather),
      rowOf<Op::OpImageDrefGather>(Op::OpImageSparseDrefGather),
      {uint32_t(Op::OpImageSparseTexelsResident), prepareIds, areResident},
  };
  return rows;
}
