// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Builder that writes each call down as an op.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

using namespace llvm;
using namespace assay;

namespace {
class BuilderRecorder : public Builder {
public:
  using Builder::Builder;

  Value *createLoadBufferDesc(uint32_t set, uint32_t binding, Value *arrayIndex) override {
    return LoadBufferDescOp::create(*this, set, binding, arrayIndex);
  }
  Value *createBufferLength(uint32_t set, uint32_t binding, Value *arrayIndex) override {
    return BufferLengthOp::create(*this, set, binding, arrayIndex);
  }
  Value *createPushConstantsPtr() override { return PushConstantsPtrOp::create(*this); }
  Value *createReadBuiltIn(BuiltIn builtIn) override {
    return ReadBuiltInOp::create(*this, getBuiltInType(getContext(), builtIn),
                                 static_cast<uint64_t>(builtIn));
  }
  Value *createBarrier() override { return BarrierOp::create(*this); }
  Value *createFDiv(Value *dividend, Value *divisor) override {
    return FDivOp::create(*this, dividend, divisor);
  }
  Value *createInverseSqrt(Value *x) override { return InverseSqrtOp::create(*this, x); }
  Value *createFMod(Value *x, Value *y) override { return FModOp::create(*this, x, y); }
  Value *createFract(Value *x) override { return FractOp::create(*this, x); }
  Value *createFClamp(Value *x, Value *lo, Value *hi) override {
    return FClampOp::create(*this, x, lo, hi);
  }
  Value *createSin(Value *x) override { return SinOp::create(*this, x); }
  Value *createCos(Value *x) override { return CosOp::create(*this, x); }
  Value *createExp2(Value *x) override { return Exp2Op::create(*this, x); }
  Value *createLog2(Value *x) override { return Log2Op::create(*this, x); }
  Value *createSMod(Value *x, Value *y) override { return SModOp::create(*this, x, y); }
  Value *createExtractBitField(Value *base, Value *offset, Value *count, bool isSigned) override {
    return ExtractBitFieldOp::create(*this, base, offset, count, isSigned);
  }
  Value *createInsertBitField(Value *base, Value *insert, Value *offset, Value *count) override {
    return InsertBitFieldOp::create(*this, base, insert, offset, count);
  }
  Value *createFindMsb(Value *x, bool isSigned) override {
    return FindMsbOp::create(*this, x, isSigned);
  }
};
} // namespace

std::unique_ptr<Builder> assay::createBuilderRecorder(LLVMContext &context) {
  return std::make_unique<BuilderRecorder>(context);
}
