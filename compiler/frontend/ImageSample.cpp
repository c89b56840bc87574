// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Image Instructions", the part with a sampler: sampling at an explicit level, and
// gathering. Implicit levels need derivatives, which compute shaders do not have.

#include "compiler/frontend/Images.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

namespace {
/// What the opcode says of a sampling instruction.
struct SampleKind {
  bool hasCompare = false;
  bool isProjected = false;
};

/// A sampling instruction's place and operands.
struct Sampling {
  ImageSource source;
  SampleOperands operands;
};
} // namespace

static Value *extract(Builder &builder, Value *value, unsigned index) {
  return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, uint64_t(index))
                                        : value;
}

static Expected<Value *> floatValue(Translator &t, spirv::Id id, unsigned components) {
  Expected<Value *> value = t.value(id);
  if (!value)
    return value.takeError();
  auto *vector = dyn_cast<FixedVectorType>((*value)->getType());
  if (!(*value)->getType()->getScalarType()->isFloatTy() ||
      (vector ? vector->getNumElements() : 1) < components)
    return invalidInput("a coordinate or depth that is no 32-bit float, or of too few components");
  return *value;
}

/// Divides coordinate and depth reference by the component behind the coordinate (Vulkan,
/// "Projection Operation").
static void project(Builder &builder, unsigned count, Value *&coordinate, Value *&compare) {
  Value *divisor = builder.CreateExtractElement(coordinate, uint64_t(count));
  Value *projected = PoisonValue::get(FixedVectorType::get(builder.getFloatTy(), count));
  for (unsigned i = 0; i < count; ++i) {
    Value *part = builder.createFDiv(extract(builder, coordinate, i), divisor);
    projected = builder.CreateInsertElement(projected, part, uint64_t(i));
  }
  coordinate = projected;
  if (compare)
    compare = builder.createFDiv(compare, divisor);
}

static Error checkGradients(const ImageSource &source, const ImageOperands &operands) {
  unsigned count = sampleCoordinates(source.type) - (source.type.arrayed ? 1 : 0);
  for (Value *gradient : {operands.gradientX, operands.gradientY}) {
    if (!gradient)
      continue;
    auto *vector = dyn_cast<FixedVectorType>(gradient->getType());
    if (!gradient->getType()->getScalarType()->isFloatTy() ||
        (vector ? vector->getNumElements() : 1) != count)
      return invalidInput("derivatives that do not fit the image");
  }
  return Error::success();
}

/// Image Operands start at \p first; the operand before, if the opcode has one, is the depth
/// reference.
static Expected<Sampling> readSampling(Translator &t, const Inst &inst, SampleKind kind,
                                       const ImageOperands &operands) {
  constexpr size_t Coordinate = 1, Compare = 2;
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source.takeError();
  if (!source->sampler)
    return invalidInput("an image without a sampler");
  unsigned count = sampleCoordinates(source->type);
  if (count == 0)
    return invalidInput("a multisampled image can't be sampled");
  if (kind.isProjected && source->type.arrayed)
    return invalidInput("a projection on an array");
  if (Error error = checkGradients(*source, operands))
    return std::move(error);
  Expected<Value *> coordinate =
      floatValue(t, inst.operand(Coordinate), count + (kind.isProjected ? 1 : 0));
  if (!coordinate)
    return coordinate.takeError();
  Value *compare = nullptr;
  if (kind.hasCompare) {
    Expected<Value *> reference = floatValue(t, inst.operand(Compare), 1);
    if (!reference)
      return reference.takeError();
    compare = *reference;
  }
  if (kind.isProjected)
    project(t.builder(), count, *coordinate, compare);
  source->access.coordinate = *coordinate;
  source->access.flags |= operands.flags;
  return Sampling{*source,
                  {source->sampler, operands.lod, operands.gradientX, operands.gradientY,
                   operands.offset, compare}};
}

static Error checkSampledType(Type *type) {
  if (type->getScalarType()->isFloatTy() || type->getScalarType()->isIntegerTy(32))
    return Error::success();
  return unsupported("a filtered texel that is no 32-bit number");
}

static Expected<Value *> sample(Translator &t, const Inst &inst, SampleKind kind) {
  Expected<ImageOperands> operands = imageOperands(t, inst, kind.hasCompare ? 3 : 2);
  if (!operands)
    return operands.takeError();
  if (operands->lod && !operands->lod->getType()->isFloatTy())
    return invalidInput("a level that is no 32-bit float");
  if (!operands->lod == !operands->gradientX)
    return invalidInput("either a level or derivatives must be given");
  Expected<Sampling> sampling = readSampling(t, inst, kind, *operands);
  if (!sampling)
    return sampling.takeError();
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (Error error = checkSampledType(*type))
    return std::move(error);
  if (kind.hasCompare && !(*type)->isFloatTy())
    return invalidInput("a depth comparison gives one 32-bit float");
  return t.builder().createImageSample(*type, sampling->source.access, sampling->operands);
}

template <bool HasCompare, bool IsProjected>
static Expected<Value *> sampleOp(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  return sample(t, inst, {HasCompare, IsProjected});
}

/// One texel for each of four offsets: of the four that a gather at each offset gives, the one at
/// the place itself, which comes last.
static Value *gatherAtOffsets(Builder &builder, FixedVectorType *type, const Sampling &sampling,
                              Value *offsets, unsigned component) {
  constexpr unsigned Count = 4;
  constexpr uint64_t PlaceItself = 3;
  Value *result = PoisonValue::get(type);
  for (unsigned i = 0; i < Count; ++i) {
    SampleOperands operands = sampling.operands;
    operands.offset = builder.CreateExtractValue(offsets, i);
    Value *texels = builder.createImageGather(type, sampling.source.access, operands, component);
    result = builder.CreateInsertElement(result, builder.CreateExtractElement(texels, PlaceItself),
                                         uint64_t(i));
  }
  return result;
}

template <bool HasCompare>
static Expected<Value *> gather(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  constexpr size_t Component = 2, FirstOperand = 3;
  Expected<ImageOperands> operands = imageOperands(t, inst, FirstOperand);
  if (!operands)
    return operands.takeError();
  if (operands->lod || operands->gradientX)
    return unsupported("a gather with a level");
  Expected<Sampling> sampling = readSampling(t, inst, {HasCompare, false}, *operands);
  if (!sampling)
    return sampling.takeError();
  uint32_t component = 0;
  if (!HasCompare) {
    Expected<uint32_t> number = t.constantInt(inst.operand(Component));
    if (!number)
      return number.takeError();
    if (*number > 3)
      return invalidInput("component " + Twine(*number));
    component = *number;
  }
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (Error error = checkSampledType(*type))
    return std::move(error);
  auto *vector = dyn_cast<FixedVectorType>(*type);
  if (!vector || vector->getNumElements() != 4)
    return invalidInput("a gather gives four components");
  if (!operands->offsets)
    return t.builder().createImageGather(vector, sampling->source.access, sampling->operands,
                                         component);
  if (!operands->offsets->getType()->isArrayTy() ||
      operands->offsets->getType()->getArrayNumElements() != 4)
    return invalidInput("ConstOffsets that are no four offsets");
  return gatherAtOffsets(t.builder(), vector, *sampling, operands->offsets, component);
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpImageSampleExplicitLod, .values = 1, .value = sampleOp<false, false>},
    {.opcode = spv::Op::OpImageSampleDrefExplicitLod, .values = 1, .value = sampleOp<true, false>},
    {.opcode = spv::Op::OpImageSampleProjExplicitLod, .values = 1, .value = sampleOp<false, true>},
    {.opcode = spv::Op::OpImageSampleProjDrefExplicitLod,
     .values = 1,
     .value = sampleOp<true, true>},
    {.opcode = spv::Op::OpImageGather, .values = 1, .value = gather<false>},
    {.opcode = spv::Op::OpImageDrefGather, .values = 1, .value = gather<true>},
};

ArrayRef<OpcodeRow> assay::imageSampleOpcodes() {
  return Rows;
}
