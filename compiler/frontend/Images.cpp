// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/Images.h"

#include "compiler/lgc/ImageTexels.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;
using spirv::TypeKind;
using Mask = spv::ImageOperandsMask;

namespace {
/// One shape of OpTypeImage: dimension, arrayed, multisampled, and what it is in ops.
struct DimRow {
  spv::Dim dim;
  bool arrayed;
  bool multisampled;
  ImageDim result;
  unsigned texelCoordinates;
  unsigned sampleCoordinates;
};
} // namespace

/// The last two columns are the components of a texel coordinate, without sample, and of a float
/// coordinate; 0 where the image can't be sampled. A layer counts.
static constexpr DimRow Dims[] = {
    {spv::Dim::Dim1D, false, false, ImageDim::Dim1D, 1, 1},
    {spv::Dim::Dim2D, false, false, ImageDim::Dim2D, 2, 2},
    {spv::Dim::Rect, false, false, ImageDim::Dim2D, 2, 2}, // The S# must say "not normalized".
    {spv::Dim::Dim3D, false, false, ImageDim::Dim3D, 3, 3},
    {spv::Dim::Cube, false, false, ImageDim::Cube, 3, 3},
    {spv::Dim::Dim1D, true, false, ImageDim::Dim1DArray, 2, 2},
    {spv::Dim::Dim2D, true, false, ImageDim::Dim2DArray, 3, 3},
    {spv::Dim::Cube, true, false, ImageDim::CubeArray, 3, 4},
    {spv::Dim::Dim2D, false, true, ImageDim::Dim2DMsaa, 2, 0},
    {spv::Dim::Dim2D, true, true, ImageDim::Dim2DArrayMsaa, 3, 0},
    {spv::Dim::Buffer, false, false, ImageDim::Buffer, 1, 0},
    // Input attachments. A framebuffer has one layer.
    {spv::Dim::SubpassData, false, false, ImageDim::Dim2D, 2, 0},
    {spv::Dim::SubpassData, false, true, ImageDim::Dim2DMsaa, 2, 0},
};

/// Returns the row of \p type, or null for a combination that does not exist.
static const DimRow *findRow(const spirv::ImageType &type) {
  const auto *row = find_if(Dims, [&](const DimRow &candidate) {
    return candidate.dim == type.dim && candidate.arrayed == type.arrayed &&
           candidate.multisampled == type.multisampled;
  });
  return row == std::end(Dims) ? nullptr : row;
}

/// Unsupported for a combination that has no row.
Expected<ImageDim> assay::imageDim(const spirv::ImageType &type) {
  if (const DimRow *row = findRow(type))
    return row->result;
  return unsupported("an image of dimension " + Twine(static_cast<unsigned>(type.dim)) +
                     (type.arrayed ? ", arrayed" : "") +
                     (type.multisampled ? ", multisampled" : ""));
}

/// The image must have a row, as imageDim() checks.
unsigned assay::texelCoordinates(const spirv::ImageType &type) {
  return findRow(type)->texelCoordinates;
}

/// Returns 0 where the image can't be sampled. The image must have a row, as imageDim() checks.
unsigned assay::sampleCoordinates(const spirv::ImageType &type) {
  return findRow(type)->sampleCoordinates;
}

/// Returns image, sampler and flags of the value \p id. A combined image is taken apart, except for
/// a texel buffer, which has a descriptor without a sampler. InvalidInput where \p id is no image.
Expected<ImageSource> assay::imageSource(Translator &t, Id id) {
  const spirv::Type *type = t.spirv().findType(t.typeOf(id));
  bool isCombined = type && type->kind == TypeKind::SampledImage;
  const spirv::Type *image = isCombined ? t.spirv().findType(type->element) : type;
  if (!image || image->kind != TypeKind::Image)
    return invalidInput("%" + Twine(id) + " is no image");
  Expected<Value *> value = t.value(id);
  if (!value)
    return value.takeError();
  Expected<ImageDim> dim = imageDim(image->image);
  if (!dim)
    return dim.takeError();
  ImageSource source;
  source.type = image->image;
  source.access.dim = *dim;
  constexpr uint32_t Storage = 2;
  source.access.flags =
      t.imageFlags(id) | (source.type.sampled == Storage ? unsigned(ImageIsStorage) : 0);
  const spirv::Type *texel = t.spirv().findType(source.type.sampledType);
  if (texel && texel->kind == TypeKind::Int && texel->isSigned)
    source.access.flags |= ImageIsSigned;
  source.access.image = *value;
  if (isCombined && *dim != ImageDim::Buffer) {
    source.access.image = t.builder().CreateExtractValue(*value, 0);
    source.sampler = t.builder().CreateExtractValue(*value, 1);
  }
  return source;
}

namespace {
/// One bit of the Image Operands, in the order in which their ids follow the mask.
struct OperandRow {
  Mask bit;
  unsigned ids;
  Value *ImageOperands::*first = nullptr;  ///< Where the value of the first id goes.
  Value *ImageOperands::*second = nullptr; ///< And of the second.
  unsigned flag = 0;
};
} // namespace

/// All known bits, lowest first. Extension of texels, non-private and non-temporal access need no
/// work here: the format says how a texel is extended, and fences order all accesses.
static constexpr OperandRow OperandRows[] = {
    {Mask::Bias, 1, &ImageOperands::bias},
    {Mask::Lod, 1, &ImageOperands::lod},
    {Mask::Grad, 2, &ImageOperands::gradientX, &ImageOperands::gradientY},
    {Mask::ConstOffset, 1, &ImageOperands::offset},
    {Mask::Offset, 1, &ImageOperands::offset},
    {Mask::ConstOffsets, 1, &ImageOperands::offsets},
    {Mask::Sample, 1, &ImageOperands::sample},
    {Mask::MinLod, 1, &ImageOperands::minLod},
    {Mask::MakeTexelAvailable, 1, nullptr, nullptr, ImageCoherent},
    {Mask::MakeTexelVisible, 1, nullptr, nullptr, ImageCoherent},
    {Mask::NonPrivateTexel, 0},
    {Mask::VolatileTexel, 0, nullptr, nullptr, ImageVolatile},
    {Mask::SignExtend, 0},
    {Mask::ZeroExtend, 0},
    {Mask::Nontemporal, 0},
};

/// Returns \p value unchanged if it is not f16.
Value *assay::widenHalf(Builder &builder, Value *value) {
  Type *type = value->getType();
  if (!type->getScalarType()->isHalfTy())
    return value;
  return builder.CreateFPExt(value, type->getWithNewType(builder.getFloatTy()));
}

/// Reads the id at operand \p index into \p place, with f16 widened; a null \p place skips it.
/// InvalidInput where the instruction ends sooner.
static Error readOperand(Translator &t, const Inst &inst, size_t index, ImageOperands &operands,
                         Value *ImageOperands::*place) {
  if (index >= inst.size())
    return invalidInput("it lacks Image Operands");
  if (!place)
    return Error::success();
  Expected<Value *> value = t.value(inst.operand(index));
  if (!value)
    return value.takeError();
  operands.*place = widenHalf(t.builder(), *value);
  return Error::success();
}

/// The ids follow the mask in the sequence of its bits, lowest first, which is that of OperandRows.
/// Unknown bits are Unsupported. \p first is the index of the mask; without a mask there are no
/// operands.
Expected<ImageOperands> assay::imageOperands(Translator &t, const Inst &inst, size_t first) {
  ImageOperands operands;
  if (inst.size() <= first)
    return operands;
  uint32_t mask = inst.operand(first);
  size_t next = first + 1;
  uint32_t known = 0;
  for (const OperandRow &row : OperandRows)
    known |= static_cast<uint32_t>(row.bit);
  if (mask & ~known)
    return unsupported("Image Operands 0x" + Twine::utohexstr(mask & ~known));
  for (const OperandRow &row : OperandRows) {
    if (!(mask & static_cast<uint32_t>(row.bit)))
      continue;
    operands.flags |= row.flag;
    for (unsigned i = 0; i < row.ids; ++i)
      if (Error error = readOperand(t, inst, next++, operands, i == 0 ? row.first : row.second))
        return std::move(error);
  }
  return operands;
}

/// Returns the coordinate as i32 or a vector of i32: the first \p count components of \p id with \p
/// offset added, followed by \p sample if it is not null. InvalidInput for coordinates that are no
/// integers or have fewer components.
Expected<Value *> assay::texelCoordinate(Translator &t, Id id, unsigned count, Value *offset,
                                         Value *sample) {
  Expected<Value *> value = t.value(id);
  if (!value)
    return value.takeError();
  Type *type = (*value)->getType();
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!type->isIntOrIntVectorTy() || (vector ? vector->getNumElements() : 1) < count)
    return invalidInput("a coordinate that is no integer, or of too few components");
  Builder &builder = t.builder();
  auto component = [&](Value *of, unsigned i) {
    Value *part = of->getType()->isVectorTy() ? builder.CreateExtractElement(of, uint64_t(i)) : of;
    return builder.CreateSExtOrTrunc(part, builder.getInt32Ty());
  };
  SmallVector<Value *, 4> parts;
  for (unsigned i = 0; i < count; ++i)
    parts.push_back(component(*value, i));
  // An offset has no component for a layer.
  auto *offsetVector = offset ? dyn_cast<FixedVectorType>(offset->getType()) : nullptr;
  unsigned offsets = offsetVector ? offsetVector->getNumElements() : offset ? 1 : 0;
  for (unsigned i = 0; i < std::min(offsets, count); ++i)
    parts[i] = builder.CreateAdd(parts[i], component(offset, i));
  if (sample)
    parts.push_back(component(sample, 0));
  if (parts.size() == 1)
    return parts[0];
  Value *result = PoisonValue::get(
      FixedVectorType::get(builder.getInt32Ty(), static_cast<unsigned>(parts.size())));
  for (auto [i, part] : enumerate(parts))
    result = builder.CreateInsertElement(result, part, uint64_t(i));
  return result;
}

/// Returns the type in which ops have texels of \p type: components of 16 bits are widened to 32.
/// Unsupported for types that no image has.
static Expected<Type *> opTexelType(Type *type) {
  Type *scalar = type->getScalarType();
  if (scalar->isFloatTy() || scalar->isIntegerTy(32) || scalar->isIntegerTy(64))
    return type;
  if (scalar->isHalfTy())
    return type->getWithNewType(Type::getFloatTy(type->getContext()));
  if (scalar->isIntegerTy(16))
    return type->getWithNewType(Type::getInt32Ty(type->getContext()));
  return unsupported("texels that are no 16-bit or 32-bit numbers and no 64-bit integers");
}

/// Returns Unsupported unless \p type is a type that ops have. For instructions that can't convert
/// texels.
Error assay::checkTexelType(Type *type) {
  Expected<Type *> opType = opTexelType(type);
  if (!opType)
    return opType.takeError();
  if (*opType == type)
    return Error::success();
  return unsupported("texels of 16 bits here");
}

/// InvalidInput for a sparse result that is no structure {i32, texel}.
Expected<TexelResult> assay::texelResult(Translator &t, const Inst &inst, bool isSparse) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  TexelResult result;
  result.texel = *type;
  if (isSparse) {
    result.sparse = dyn_cast<StructType>(*type);
    if (!result.sparse || result.sparse->getNumElements() != 2 ||
        !result.sparse->getElementType(0)->isIntegerTy(32))
      return invalidInput("its result is no structure of a residency code and a texel");
    result.texel = result.sparse->getElementType(1);
  }
  Expected<Type *> read = opTexelType(result.texel);
  if (!read)
    return read.takeError();
  result.read = *read;
  return result;
}

/// Narrows \p texel, read as f32 or i32, to the 16-bit \p type of the instruction, if that differs.
static Value *toResultType(Builder &builder, Value *texel, Type *type) {
  if (texel->getType() == type)
    return texel;
  return type->isFPOrFPVectorTy() ? builder.CreateFPTrunc(texel, type)
                                  : builder.CreateTrunc(texel, type);
}

/// Converts what an op has read to the result of the instruction. The op returns {texel,
/// residency}; SPIR-V's structure has the residency code first.
Value *assay::finishTexel(Builder &builder, const TexelResult &result, Value *read) {
  if (!result.sparse)
    return toResultType(builder, read, result.texel);
  Value *texel = toResultType(builder, builder.CreateExtractValue(read, 0), result.texel);
  Value *both = PoisonValue::get(result.sparse);
  both = builder.CreateInsertValue(both, builder.CreateExtractValue(read, 1), 0);
  return builder.CreateInsertValue(both, texel, 1);
}

/// Returns the texel \p id in the type that ops store. Halves become f32; 16-bit integers are
/// sign-extended, which the format undoes.
Expected<Value *> assay::texelToWrite(Translator &t, Id id) {
  Expected<Value *> texel = t.value(id);
  if (!texel)
    return texel.takeError();
  Expected<Type *> type = opTexelType((*texel)->getType());
  if (!type)
    return type.takeError();
  if ((*texel)->getType() == *type)
    return *texel;
  Builder &builder = t.builder();
  return (*type)->isFPOrFPVectorTy() ? builder.CreateFPExt(*texel, *type)
                                     : builder.CreateSExt(*texel, *type);
}
