// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Precision: the hardware's rcp and rsq have 1 ULP ("RDNA3 Instruction Set Architecture", VOP1
// instructions).
#include "compiler/amdgpu/passes/LowerArithmetic.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;

namespace {
/// Replaces one op after the other in place; no block is split.
class Lowering : public LgcVisitor<Lowering> {
public:
  explicit Lowering(LLVMContext &context) : m_builder(createBuilderImpl(context)) {}

  void visitFDivOp(FDivOp &op) {
    at(op);
    replace(op, makeQuotient(op.getDividend(), op.getDivisor()));
  }
  void visitInverseSqrtOp(InverseSqrtOp &op) {
    at(op);
    replace(op, makeInverseSqrt(op.getX()));
  }
  void visitFractOp(FractOp &op) {
    at(op);
    replace(op, perElement(Intrinsic::amdgcn_fract, op.getX()));
  }
  void visitExtractBitFieldOp(ExtractBitFieldOp &op);
  void visitFPTruncOp(FPTruncOp &op);
  void visitBufferPtrDifferenceOp(BufferPtrDifferenceOp &op) {
    at(op);
    replace(op, makeDifference(op.getX(), op.getY()));
  }

  bool hasChanged() const { return m_hasChanged; }

private:
  void at(CallInst &op);
  void replace(CallInst &op, Value *value);
  Value *forEachElement(Value *x, Type *type, function_ref<Value *(Value *)> make);
  Value *perElement(Intrinsic::ID intrinsic, Value *x);
  Value *makeQuotient(Value *dividend, Value *divisor);
  Value *makeInverseSqrt(Value *x);
  Value *makeDifference(Value *x, Value *y); ///< i32, 0 where both are equal.
  Value *truncateByMode(Value *x, Type *type, bool towardZero);

  std::unique_ptr<Builder> m_builder;
  bool m_hasChanged = false;
};
} // namespace

/// Moves the builder to \p op, with its fast-math flags and the float mode of its function.
void Lowering::at(CallInst &op) {
  m_builder->SetInsertPoint(&op);
  FastMathFlags flags;
  if (auto *operation = dyn_cast<FPMathOperator>(&op))
    flags = operation->getFastMathFlags();
  m_builder->setFastMathFlags(flags);
  m_builder->setFloatMode(getFloatMode(*op.getFunction()));
}

/// Replaces \p op by \p value, which gets its name, and erases it.
void Lowering::replace(CallInst &op, Value *value) {
  if (auto *instruction = dyn_cast<Instruction>(value); instruction && op.hasName())
    instruction->takeName(&op);
  op.replaceAllUsesWith(value);
  op.eraseFromParent();
  m_hasChanged = true;
}

/// Applies \p make to each element of \p x, a scalar or vector; the result is of \p type.
Value *Lowering::forEachElement(Value *x, Type *type, function_ref<Value *(Value *)> make) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector)
    return make(x);
  Value *result = PoisonValue::get(vector);
  for (uint64_t i = 0; i < vector->getNumElements(); ++i)
    result = m_builder->CreateInsertElement(result, make(m_builder->CreateExtractElement(x, i)), i);
  return result;
}

/// Applies an intrinsic that takes scalars only to each element of \p x.
Value *Lowering::perElement(Intrinsic::ID intrinsic, Value *x) {
  return forEachElement(x, x->getType(), [&](Value *element) -> Value * {
    return m_builder->CreateUnaryIntrinsic(intrinsic, element);
  });
}

/// The reciprocal's error and the product's are within the 2.5 ULP that Vulkan allows for divisors
/// from 2^-126 to 2^126 (f16: 2^-14 to 2^14); it promises nothing for others, so that the
/// reciprocal needs no scaling. ("Precision of core SPIR-V Instructions"; RADV's compilers do the
/// same.)
Value *Lowering::makeQuotient(Value *dividend, Value *divisor) {
  Type *type = dividend->getType()->getScalarType();
  if (type->isDoubleTy() || m_builder->getFloatMode().of(type).towardZero)
    return m_builder->CreateFDiv(dividend, divisor);
  return m_builder->CreateFMul(dividend, perElement(Intrinsic::amdgcn_rcp, divisor));
}

/// The hardware's rsq of f64 is good for about 26 bits only, so f64 takes the long way.
Value *Lowering::makeInverseSqrt(Value *x) {
  Builder &builder = *m_builder;
  Type *type = x->getType();
  bool keepsDenormals = builder.getFloatMode().single.denormals == Denormals::Preserve;
  if (type->getScalarType()->isFloatTy() && keepsDenormals) {
    // That of f32 takes a denormal for zero: scaled by 2^32 first, by its inverse root after.
    Value *isSmall = builder.CreateFCmpOLT(
        builder.CreateUnaryIntrinsic(Intrinsic::fabs, x),
        ConstantFP::get(type, APFloat::getSmallestNormalized(APFloat::IEEEsingle())));
    Value *one = ConstantFP::get(type, 1.0);
    Value *before = builder.CreateSelect(isSmall, ConstantFP::get(type, 0x1p32), one);
    Value *after = builder.CreateSelect(isSmall, ConstantFP::get(type, 0x1p16), one);
    return builder.CreateFMul(perElement(Intrinsic::amdgcn_rsq, builder.CreateFMul(x, before)),
                              after);
  }
  if (!type->getScalarType()->isDoubleTy())
    return perElement(Intrinsic::amdgcn_rsq, x);
  return builder.CreateFDiv(ConstantFP::get(type, 1.0),
                            builder.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
}

/// The hardware's bfe masks offset and count to five bits, so that it takes a count of 32 for 0.
/// Other widths are not left by BuilderImpl.
void Lowering::visitExtractBitFieldOp(ExtractBitFieldOp &op) {
  Type *type = op.getType();
  if (!type->getScalarType()->isIntegerTy(32))
    return;
  at(op);
  Intrinsic::ID extract = op.getIsSigned() ? Intrinsic::amdgcn_sbfe : Intrinsic::amdgcn_ubfe;
  Value *field = forEachElement(op.getBase(), type, [&](Value *element) -> Value * {
    return m_builder->CreateIntrinsic(extract, {m_builder->getInt32Ty()},
                                      {element, op.getOffset(), op.getCount()});
  });
  Value *isWhole = m_builder->CreateICmpUGT(op.getCount(), m_builder->getInt32(31));
  replace(op, m_builder->CreateSelect(isWhole, op.getBase(), field));
}

/// fptrunc by the hardware's mode, of which bits 2 and 3 say how results of 16 bits are rounded
/// and, as LLVM has it, f32 results made of 64 bits. They are changed for the time being where that
/// is not \p towardZero. (By docs/errata-amdgpu.md, bits 0 and 1 round the latter; these say the
/// same.)
Value *Lowering::truncateByMode(Value *x, Type *type, bool towardZero) {
  Builder &builder = *m_builder;
  constexpr unsigned Field = 1 | 2 << 6 | (2 - 1) << 11, ToNearest = 0, TowardZero = 3;
  auto set = [&](bool toZero) {
    builder.CreateIntrinsic(
        builder.getVoidTy(), Intrinsic::amdgcn_s_setreg,
        {builder.getInt32(Field), builder.getInt32(toZero ? TowardZero : ToNearest)});
  };
  bool isOther = towardZero != builder.getFloatMode().others.towardZero;
  if (isOther)
    set(towardZero);
  RoundingMode rounding = towardZero ? RoundingMode::TowardZero : RoundingMode::NearestTiesToEven;
  Value *result = builder.CreateConstrainedFPCast(Intrinsic::experimental_constrained_fptrunc, x,
                                                  type, {}, "", nullptr, rounding, fp::ebIgnore);
  if (isOther)
    set(!towardZero);
  return result;
}

/// LLVM 22 selects few of the constrained conversions for AMD GPUs; one instruction makes halves
/// toward zero in every mode.
void Lowering::visitFPTruncOp(FPTruncOp &op) {
  at(op);
  bool towardZero = op.getTowardZero() != 0;
  if (!towardZero || !op.getType()->getScalarType()->isHalfTy()) {
    replace(op, truncateByMode(op.getX(), op.getType(), towardZero));
    return;
  }
  Value *zero = ConstantFP::get(m_builder->getFloatTy(), 0.0);
  replace(op, forEachElement(op.getX(), op.getType(), [&](Value *element) {
            Value *pair =
                m_builder->CreateIntrinsic(Intrinsic::amdgcn_cvt_pkrtz, {}, {element, zero});
            return m_builder->CreateExtractElement(pair, uint64_t(0));
          }));
}

/// Descriptor and offset, bit by bit. LLVM compares the offsets alone, also where integers made of
/// the pointers are compared (bugs/README.md), so what they differ in goes through an instruction
/// that it does not look into.
Value *Lowering::makeDifference(Value *x, Value *y) {
  constexpr unsigned words = 5; // A descriptor and an offset.
  constexpr uint32_t sameBytes = 0x03020100;
  Builder &builder = *m_builder;
  Type *type = builder.getIntNTy(32 * words);
  Value *difference =
      builder.CreateXor(builder.CreatePtrToInt(x, type), builder.CreatePtrToInt(y, type));
  Value *any = builder.CreateOrReduce(
      builder.CreateBitCast(difference, FixedVectorType::get(builder.getInt32Ty(), words)));
  return builder.CreateIntrinsic(builder.getInt32Ty(), Intrinsic::amdgcn_perm,
                                 {any, any, builder.getInt32(sameBytes)});
}

PreservedAnalyses amdgpu::LowerArithmetic::run(Module &module, ModuleAnalysisManager &) {
  Lowering lowering(module.getContext());
  lowering.visit(module);
  return lowering.hasChanged() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
