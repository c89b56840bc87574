// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The methods of Builder for graphics stages, and the tables of their numbers.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

using namespace llvm;
using namespace assay;

namespace {
constexpr StageMask None = 0;
constexpr StageMask Vertex = stageBit(ShaderStage::Vertex);
constexpr StageMask Fragment = stageBit(ShaderStage::Fragment);
constexpr StageMask Both = Vertex | Fragment;
} // namespace

static constexpr StageBuiltIn Rows[] = {
#define BUILT_IN(NAME, NUMBER, TYPE, ELEMENTS, INPUTS, OUTPUTS)                                    \
  {#NAME, NUMBER, StageBuiltInType::TYPE, ELEMENTS, INPUTS, OUTPUTS},
#include "compiler/lgc/StageBuiltIns.def"
#undef BUILT_IN
};

/// Returns null for numbers without a row.
const StageBuiltIn *assay::findStageBuiltIn(uint64_t number) {
  const auto *row = find_if(Rows, [&](const StageBuiltIn &each) { return each.number == number; });
  return row == std::end(Rows) ? nullptr : row;
}

/// For numbers that come from IR, which may be any.
bool assay::isInterpolation(uint64_t number) {
  constexpr Interpolation All[] = {Interpolation::Smooth,         Interpolation::Flat,
                                   Interpolation::Linear,         Interpolation::SmoothCentroid,
                                   Interpolation::LinearCentroid, Interpolation::SmoothSample,
                                   Interpolation::LinearSample};
  return any_of(All, [&](Interpolation each) { return static_cast<uint64_t>(each) == number; });
}

Type *assay::getInOutType(LLVMContext &context, InOutType type) {
  switch (type) {
  case InOutType::F32:
    return Type::getFloatTy(context);
  case InOutType::I32:
    return Type::getInt32Ty(context);
  case InOutType::F16:
    return Type::getHalfTy(context);
  case InOutType::I16:
    return Type::getInt16Ty(context);
  }
  llvm_unreachable("a number that is no InOutType");
}

/// \p bits, an i32, as \p type: f32, i32, f16, i16 or i1. What is too wide is cut off.
static Value *fromBits(IRBuilderBase &builder, Value *bits, Type *type) {
  if (type->isIntegerTy(1))
    return builder.CreateICmpNE(bits, builder.getInt32(0));
  Type *integer = builder.getIntNTy(type->getScalarSizeInBits());
  return builder.CreateBitCast(builder.CreateTrunc(bits, integer), type);
}

/// The inverse of fromBits: values narrower than 32 bits get zeros above.
static Value *toBits(IRBuilderBase &builder, Value *value) {
  Type *integer = builder.getIntNTy(value->getType()->getScalarSizeInBits());
  return builder.CreateZExt(builder.CreateBitCast(value, integer), builder.getInt32Ty());
}

/// Returns the LLVM type of a scalar of \p type.
static Type *getElementType(LLVMContext &context, StageBuiltInType type) {
  switch (type) {
  case StageBuiltInType::F32:
    return Type::getFloatTy(context);
  case StageBuiltInType::I32:
    return Type::getInt32Ty(context);
  case StageBuiltInType::Bool:
    return Type::getInt1Ty(context);
  }
  llvm_unreachable("a built-in of no type");
}

/// Ops carry bits; the builder converts to and from the type.
Value *Builder::createReadInput(const InOutPlace &place, InOutType type,
                                Interpolation interpolation) {
  Value *bits =
      ReadInputOp::create(*this, place.location, place.component, static_cast<uint64_t>(type),
                          static_cast<uint64_t>(interpolation));
  return fromBits(*this, bits, getInOutType(getContext(), type));
}

Value *Builder::createInterpolateInput(const InOutPlace &place, InOutType type, Value *i,
                                       Value *j) {
  Value *bits = InterpolateInputOp::create(*this, place.location, place.component,
                                           static_cast<uint64_t>(type), i, j);
  return fromBits(*this, bits, getInOutType(getContext(), type));
}

Value *Builder::createReadVertexInput(const InOutPlace &place, InOutType type, uint32_t vertex) {
  Value *bits = ReadVertexInputOp::create(*this, place.location, place.component,
                                          static_cast<uint64_t>(type), vertex);
  return fromBits(*this, bits, getInOutType(getContext(), type));
}

Value *Builder::createSampleOffset(Value *sample) {
  return SampleOffsetOp::create(*this, sample);
}

void Builder::createWriteOutput(const InOutPlace &place, InOutType type, Value *value) {
  WriteOutputOp::create(*this, place.location, place.component, place.index,
                        static_cast<uint64_t>(type), toBits(*this, value));
}

Value *Builder::createReadStageBuiltIn(const StageBuiltIn &builtIn, uint32_t element) {
  Value *bits = ReadStageBuiltInOp::create(*this, builtIn.number, element);
  return fromBits(*this, bits, getElementType(getContext(), builtIn.type));
}

void Builder::createWriteStageBuiltIn(const StageBuiltIn &builtIn, uint32_t element, Value *value) {
  WriteStageBuiltInOp::create(*this, builtIn.number, element, toBits(*this, value));
}

Value *Builder::createDerivative(Value *x, Derivative kind) {
  return DerivativeOp::create(*this, x, static_cast<uint64_t>(kind));
}

void Builder::createTerminateInvocation() {
  TerminateInvocationOp::create(*this);
}

void Builder::createDemote() {
  DemoteOp::create(*this);
}

Value *Builder::createIsHelper() {
  return IsHelperOp::create(*this);
}
