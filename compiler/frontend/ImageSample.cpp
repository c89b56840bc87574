// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Image Instructions", the part with a sampler: sampling, gathering, and the query of the
// level. Implicit levels need derivatives, which only fragment shaders have.

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
  bool isImplicit = false; ///< The level follows from derivatives.
  bool isSparse = false;
};

/// A sampling instruction's place and operands.
struct Sampling {
  ImageSource source;
  SampleOperands operands;
};
} // namespace

/// Returns component \p index of a vector, or the scalar itself.
static Value *extract(Builder &builder, Value *value, unsigned index) {
  return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, uint64_t(index))
                                        : value;
}

/// Returns value \p id as f32, widened from f16 if need be. It may have more than \p components
/// components, as SPIR-V allows for coordinates, but not fewer.
static Expected<Value *> floatValue(Translator &t, spirv::Id id, unsigned components) {
  Expected<Value *> value = t.value(id);
  if (!value)
    return value.takeError();
  auto *vector = dyn_cast<FixedVectorType>((*value)->getType());
  Value *wide = widenHalf(t.builder(), *value);
  if (!wide->getType()->getScalarType()->isFloatTy() ||
      (vector ? vector->getNumElements() : 1) < components)
    return invalidInput("a coordinate or depth that is no 16-bit or 32-bit float, or of too few "
                        "components");
  return wide;
}

/// Divides coordinate and depth reference by the component after the coordinate (Vulkan,
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

/// Returns InvalidInput where a derivative has another number of components than the coordinate
/// without its layer.
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

/// Reads image, coordinate and depth reference of \p inst and combines them with \p operands. The
/// depth reference, if \p kind has one, follows the coordinate. InvalidInput for an image without a
/// sampler and for one that can't be sampled.
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
                   operands.offset, compare, operands.bias, operands.minLod}};
}

/// Returns InvalidInput unless the level is given as \p kind requires it: implicitly, explicitly,
/// or by derivatives. Unsupported for an implicit level in stages other than fragment shaders.
static Error checkLevel(const Translator &t, SampleKind kind, const ImageOperands &operands) {
  for (Value *level : {operands.lod, operands.bias, operands.minLod})
    if (level && !level->getType()->isFloatTy())
      return invalidInput("a level, bias or least level that is no 32-bit float");
  if (operands.minLod && operands.lod)
    return invalidInput("a level with a least level");
  if (!kind.isImplicit && (operands.bias || !operands.lod == !operands.gradientX))
    return invalidInput("either a level or derivatives must be given");
  if (kind.isImplicit && (operands.lod || operands.gradientX))
    return invalidInput("a level that is implicit and given");
  if (kind.isImplicit && t.stage() != ShaderStage::Fragment)
    return unsupported("an implicit level of detail in a " + getStageName(t.stage()) + " shader");
  return Error::success();
}

/// Returns Unsupported for 64-bit texels, which hardware does not filter.
static Error checkFilteredType(Type *type) {
  if (type->getScalarType()->isFloatTy() || type->getScalarType()->isIntegerTy(32))
    return Error::success();
  return unsupported("a filtered texel that is no 16-bit or 32-bit number");
}

/// Emits one sampling instruction of \p kind. Image Operands follow the coordinate, or the depth
/// reference if there is one.
static Expected<Value *> sample(Translator &t, const Inst &inst, SampleKind kind) {
  Expected<ImageOperands> operands = imageOperands(t, inst, kind.hasCompare ? 3 : 2);
  if (!operands)
    return operands.takeError();
  if (Error error = checkLevel(t, kind, *operands))
    return std::move(error);
  Expected<Sampling> sampling = readSampling(t, inst, kind, *operands);
  if (!sampling)
    return sampling.takeError();
  Expected<TexelResult> result = texelResult(t, inst, kind.isSparse);
  if (!result)
    return result.takeError();
  if (Error error = checkFilteredType(result->read))
    return std::move(error);
  if (kind.hasCompare && !result->read->isFloatTy())
    return invalidInput("a depth comparison gives one float");
  sampling->operands.isImplicit = kind.isImplicit;
  sampling->source.access.flags |= result->getFlags();
  Value *read =
      t.builder().createImageSample(result->read, sampling->source.access, sampling->operands);
  return finishTexel(t.builder(), *result, read);
}

/// The ValueHandler of \p Kind.
template <SampleKind Kind>
static Expected<Value *> sampleOp(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  return sample(t, inst, Kind);
}

/// Returns one texel for each of four offsets. Each comes from a gather at that offset, which
/// returns the texel at the place itself last. Residency codes are combined by or.
static Value *gatherAtOffsets(Builder &builder, const TexelResult &result, const Sampling &sampling,
                              Value *offsets, unsigned component) {
  constexpr unsigned Count = 4;
  constexpr uint64_t PlaceItself = 3;
  Value *texel = PoisonValue::get(result.read);
  Value *residency = builder.getInt32(0);
  for (unsigned i = 0; i < Count; ++i) {
    SampleOperands operands = sampling.operands;
    operands.offset = builder.CreateExtractValue(offsets, i);
    Value *four =
        builder.createImageGather(result.read, sampling.source.access, operands, component);
    if (result.sparse) {
      residency = builder.CreateOr(residency, builder.CreateExtractValue(four, 1));
      four = builder.CreateExtractValue(four, 0);
    }
    texel = builder.CreateInsertElement(texel, builder.CreateExtractElement(four, PlaceItself),
                                        uint64_t(i));
  }
  if (!result.sparse)
    return texel;
  Value *both = PoisonValue::get(StructType::get(result.read, builder.getInt32Ty()));
  return builder.CreateInsertValue(builder.CreateInsertValue(both, texel, 0), residency, 1);
}

/// Returns the component, 0 to 3, that a gather without a depth reference names.
static Expected<uint32_t> gatheredComponent(Translator &t, const Inst &inst) {
  constexpr size_t Component = 2;
  Expected<uint32_t> number = t.constantInt(inst.operand(Component));
  if (number && *number > 3)
    return invalidInput("component " + Twine(*number));
  return number;
}

/// Returns whether a gather has an implicit level. It reads level 0 unless
/// SPV_AMD_texture_gather_bias_lod is used.
static bool gathersImplicitly(const Translator &t, const ImageOperands &operands) {
  return t.stage() == ShaderStage::Fragment && !operands.lod &&
         is_contained(t.spirv().capabilities, spv::Capability::ImageGatherBiasLodAMD);
}

/// Emits a gather of one component, or of depth comparisons, from the four texels at a place. With
/// ConstOffsets it becomes four gathers (gatherAtOffsets).
template <bool HasCompare, bool IsSparse>
static Expected<Value *> gather(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  constexpr size_t FirstOperand = 3;
  Expected<ImageOperands> operands = imageOperands(t, inst, FirstOperand);
  if (!operands)
    return operands.takeError();
  if (operands->gradientX || operands->minLod)
    return invalidInput("a gather with derivatives or a least level");
  if (operands->bias && !gathersImplicitly(t, *operands))
    return invalidInput("a gather with a bias, but without an implicit level");
  Expected<Sampling> sampling =
      readSampling(t, inst, {.hasCompare = HasCompare, .isSparse = IsSparse}, *operands);
  if (!sampling)
    return sampling.takeError();
  Expected<uint32_t> component = HasCompare ? Expected<uint32_t>(0) : gatheredComponent(t, inst);
  if (!component)
    return component.takeError();
  Expected<TexelResult> result = texelResult(t, inst, IsSparse);
  if (!result)
    return result.takeError();
  if (Error error = checkFilteredType(result->read))
    return std::move(error);
  auto *vector = dyn_cast<FixedVectorType>(result->read);
  if (!vector || vector->getNumElements() != 4)
    return invalidInput("a gather gives four components");
  sampling->operands.isImplicit = gathersImplicitly(t, *operands);
  sampling->source.access.flags |= result->getFlags();
  Builder &builder = t.builder();
  if (!operands->offsets)
    return finishTexel(
        builder, *result,
        builder.createImageGather(vector, sampling->source.access, sampling->operands, *component));
  if (!operands->offsets->getType()->isArrayTy() ||
      operands->offsets->getType()->getArrayNumElements() != 4)
    return invalidInput("ConstOffsets that are no four offsets");
  return finishTexel(builder, *result,
                     gatherAtOffsets(builder, *result, *sampling, operands->offsets, *component));
}

/// Returns the dimension of one layer of \p dim.
static ImageDim withoutLayers(ImageDim dim) {
  switch (dim) {
  case ImageDim::Dim1DArray:
    return ImageDim::Dim1D;
  case ImageDim::Dim2DArray:
    return ImageDim::Dim2D;
  case ImageDim::CubeArray:
    return ImageDim::Cube;
  default:
    return dim;
  }
}

/// Returns {level that is accessed, level before clamping}, as the Builder computes them. The
/// coordinate is without layer.
static Expected<Value *> queryLod(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  constexpr size_t Coordinate = 1;
  if (t.stage() != ShaderStage::Fragment)
    return unsupported("an implicit level of detail in a " + getStageName(t.stage()) + " shader");
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source.takeError();
  unsigned count = sampleCoordinates(source->type);
  if (!source->sampler || count == 0)
    return invalidInput("an image without a sampler, or one that can't be sampled");
  count -= source->type.arrayed ? 1 : 0;
  Expected<Value *> coordinate = floatValue(t, inst.operand(Coordinate), count);
  if (!coordinate)
    return coordinate.takeError();
  source->access.coordinate = *coordinate;
  source->access.dim = withoutLayers(source->access.dim);
  return t.builder().createImageQueryLod(source->access, source->sampler);
}

/// Returns the row of a sampling opcode. The image is the one operand that is resolved for the
/// handler.
template <SampleKind Kind> static constexpr OpcodeRow row(spv::Op opcode) {
  return {.opcode = opcode, .values = 1, .value = sampleOp<Kind>};
}

/// Returns the row of a gathering opcode.
template <bool HasCompare, bool IsSparse> static constexpr OpcodeRow gatherRow(spv::Op opcode) {
  return {.opcode = opcode, .values = 1, .value = gather<HasCompare, IsSparse>};
}

/// Explicit levels and gathers, which every stage has.
static constexpr OpcodeRow ImageSampleRows[] = {
    row<SampleKind{}>(spv::Op::OpImageSampleExplicitLod),
    row<SampleKind{.hasCompare = true}>(spv::Op::OpImageSampleDrefExplicitLod),
    row<SampleKind{.isProjected = true}>(spv::Op::OpImageSampleProjExplicitLod),
    row<SampleKind{.hasCompare = true, .isProjected = true}>(
        spv::Op::OpImageSampleProjDrefExplicitLod),
    gatherRow<false, false>(spv::Op::OpImageGather),
    gatherRow<true, false>(spv::Op::OpImageDrefGather),
};

/// Implicit levels, and residency.
static constexpr OpcodeRow ImplicitRows[] = {
    row<SampleKind{.isImplicit = true}>(spv::Op::OpImageSampleImplicitLod),
    row<SampleKind{.hasCompare = true, .isImplicit = true}>(spv::Op::OpImageSampleDrefImplicitLod),
    row<SampleKind{.isProjected = true, .isImplicit = true}>(spv::Op::OpImageSampleProjImplicitLod),
    row<SampleKind{.hasCompare = true, .isProjected = true, .isImplicit = true}>(
        spv::Op::OpImageSampleProjDrefImplicitLod),
    row<SampleKind{.isSparse = true}>(spv::Op::OpImageSparseSampleExplicitLod),
    row<SampleKind{.hasCompare = true, .isSparse = true}>(
        spv::Op::OpImageSparseSampleDrefExplicitLod),
    row<SampleKind{.isImplicit = true, .isSparse = true}>(spv::Op::OpImageSparseSampleImplicitLod),
    row<SampleKind{.hasCompare = true, .isImplicit = true, .isSparse = true}>(
        spv::Op::OpImageSparseSampleDrefImplicitLod),
    gatherRow<false, true>(spv::Op::OpImageSparseGather),
    gatherRow<true, true>(spv::Op::OpImageSparseDrefGather),
    {.opcode = spv::Op::OpImageQueryLod, .values = 1, .value = queryLod},
};

ArrayRef<OpcodeRow> assay::imageSampleOpcodes() {
  return ImageSampleRows;
}

ArrayRef<OpcodeRow> assay::imageImplicitOpcodes() {
  return ImplicitRows;
}
