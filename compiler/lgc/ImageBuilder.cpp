// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The image methods of Builder: they put operands into the one form that the ops have, and results
// into the type that was asked for. Both Builders record the ops; the pass LowerImage knows
// targets.
#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/ImageTexels.h"

using namespace llvm;
using namespace assay;

static constexpr unsigned texelComponents = 4;
static constexpr unsigned gradientComponents = 3;

/// \p value, a scalar or vector, as a vector of \p count: cut off, or filled up with elements of
/// \p rest.
static Value *resize(Builder &builder, Value *value, unsigned count, Constant *rest) {
  auto *vector = dyn_cast<FixedVectorType>(value->getType());
  if (!vector)
    return builder.CreateInsertElement(
        ConstantVector::getSplat(ElementCount::getFixed(count), rest), value, uint64_t(0));
  unsigned known = vector->getNumElements();
  if (known == count)
    return value;
  SmallVector<int, 4> mask;
  for (unsigned i = 0; i < count; ++i)
    mask.push_back(static_cast<int>(std::min(i, known)));
  Constant *filling = ConstantVector::getSplat(ElementCount::getFixed(known), rest);
  return builder.CreateShuffleVector(value, filling, mask);
}

/// Fills a vector up to \p count components with poison, or cuts it.
static Value *pad(Builder &builder, Value *value, unsigned count) {
  return resize(builder, value, count, PoisonValue::get(value->getType()->getScalarType()));
}

/// Operands that are left out are poison; flags say which there are.
static Value *orPoison(Value *value, Type *type) {
  return value ? value : PoisonValue::get(type);
}

/// Accepts scalars and vectors.
static Value *firstOf(Builder &builder, Value *value) {
  return value->getType()->isVectorTy() ? builder.CreateExtractElement(value, uint64_t(0)) : value;
}

/// \p vector cut down to \p type, a scalar or a vector of no more elements.
static Value *shrink(Builder &builder, Value *vector, Type *type) {
  auto *wanted = dyn_cast<FixedVectorType>(type);
  if (!wanted)
    return firstOf(builder, vector);
  return pad(builder, vector, wanted->getNumElements());
}

/// The result of an op that gives four components, {texel, residency} with ImageSparse in \p flags:
/// the texel cut down to \p type.
static Value *shrinkRead(Builder &builder, Value *read, Type *type, unsigned flags) {
  if (!(flags & ImageSparse))
    return shrink(builder, read, type);
  Value *texel = shrink(builder, builder.CreateExtractValue(read, 0), type);
  Value *result = PoisonValue::get(StructType::get(type, builder.getInt32Ty()));
  result = builder.CreateInsertValue(result, texel, 0);
  return builder.CreateInsertValue(result, builder.CreateExtractValue(read, 1), 1);
}

/// What an op gives that reads a \p texel.
static Type *readType(Type *texel, unsigned flags) {
  return flags & ImageSparse ? StructType::get(texel, Type::getInt32Ty(texel->getContext()))
                             : texel;
}

/// \p texel as the bits that the hardware takes: a 64-bit component is two of them.
static Value *toTexelBits(Builder &builder, Value *texel) {
  Type *i32 = builder.getInt32Ty();
  Type *type = texel->getType();
  if (type->getScalarSizeInBits() == 64) {
    texel = builder.CreateBitCast(firstOf(builder, texel), FixedVectorType::get(i32, 2));
  } else {
    texel = builder.CreateBitCast(texel, type->getWithNewType(i32));
  }
  return resize(builder, texel, texelComponents, builder.getInt32(0));
}

/// The offsets as the hardware takes them: six bits each, in bytes of one dword.
static Value *packOffset(Builder &builder, Value *offset) {
  constexpr unsigned FieldMask = 0x3f, FieldBits = 8;
  auto *vector = dyn_cast<FixedVectorType>(offset->getType());
  if (!vector)
    return builder.CreateAnd(offset, FieldMask);
  Value *packed = builder.getInt32(0);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    Value *field = builder.CreateAnd(builder.CreateExtractElement(offset, uint64_t(i)), FieldMask);
    packed = builder.CreateOr(packed, builder.CreateShl(field, uint64_t(i) * FieldBits));
  }
  return packed;
}

/// Adds a flag for each optional operand that there is.
static unsigned sampleFlags(const ImageAccess &access, const SampleOperands &operands) {
  unsigned flags = access.flags;
  flags |= operands.lod ? ImageHasLod : 0;
  flags |= operands.gradientX ? ImageHasGradients : 0;
  flags |= operands.offset ? ImageHasOffset : 0;
  flags |= operands.compare ? ImageHasCompare : 0;
  flags |= operands.bias ? ImageHasBias : 0;
  flags |= operands.minLod ? ImageHasMinLod : 0;
  flags |= operands.isImplicit ? ImageImplicitLod : 0;
  return flags;
}

/// Derivatives are those of the invocations that are active together.
static Value *convergentIfImplicit(Value *call, const SampleOperands &operands) {
  if (operands.isImplicit)
    cast<CallInst>(call)->setConvergent();
  return call;
}

Value *Builder::createDescriptorPtr(uint32_t set, uint32_t binding, DescriptorPart part,
                                    Value *arrayIndex) {
  return DescriptorPtrOp::create(*this, set, binding, static_cast<unsigned>(part), arrayIndex);
}

/// Texel buffers become another op than images. \p type may have fewer components than a texel.
Value *Builder::createImageLoad(Type *type, const ImageAccess &access, Value *lod) {
  Type *texel =
      readType(FixedVectorType::get(type->getScalarType(), texelComponents), access.flags);
  if (access.dim == ImageDim::Buffer) {
    Value *index = firstOf(*this, access.coordinate);
    return shrinkRead(*this, TexelLoadOp::create(*this, texel, access.flags, access.image, index),
                      type, access.flags);
  }
  Value *coordinate = pad(*this, access.coordinate, texelComponents);
  unsigned flags = access.flags | (lod ? unsigned(ImageHasLod) : 0);
  Value *loaded = ImageLoadOp::create(*this, texel, static_cast<unsigned>(access.dim), flags,
                                      access.image, coordinate, orPoison(lod, getInt32Ty()));
  return shrinkRead(*this, loaded, type, flags);
}

/// Texels are stored as integers; a flag says that they are floats.
void Builder::createImageStore(const ImageAccess &access, Value *texel) {
  bool isFloat = texel->getType()->isFPOrFPVectorTy();
  unsigned flags = access.flags | (isFloat ? unsigned(ImageIsFloat) : 0);
  Value *bits = toTexelBits(*this, texel);
  if (access.dim == ImageDim::Buffer) {
    Value *index = firstOf(*this, access.coordinate);
    TexelStoreOp::create(*this, flags, access.image, index, bits);
    return;
  }
  ImageStoreOp::create(*this, static_cast<unsigned>(access.dim), flags, access.image,
                       pad(*this, access.coordinate, texelComponents), bits);
}

/// With a comparison the result is one number, not a texel.
Value *Builder::createImageSample(Type *type, const ImageAccess &access,
                                  const SampleOperands &operands) {
  Type *f32 = getFloatTy();
  Type *texel = operands.compare ? type : FixedVectorType::get(type->getScalarType(), 4);
  Type *gradient = FixedVectorType::get(f32, gradientComponents);
  auto padGradient = [&](Value *value) -> Value * {
    return value ? pad(*this, value, gradientComponents) : PoisonValue::get(gradient);
  };
  Value *offset = operands.offset ? packOffset(*this, operands.offset) : nullptr;
  Value *level = operands.bias ? operands.bias : operands.lod;
  Value *sampled =
      ImageSampleOp::create(*this, readType(texel, access.flags), static_cast<unsigned>(access.dim),
                            sampleFlags(access, operands), access.image, operands.sampler,
                            pad(*this, access.coordinate, texelComponents), orPoison(level, f32),
                            padGradient(operands.gradientX), padGradient(operands.gradientY),
                            orPoison(offset, getInt32Ty()), orPoison(operands.compare, f32),
                            orPoison(operands.minLod, f32));
  convergentIfImplicit(sampled, operands);
  return operands.compare ? sampled : shrinkRead(*this, sampled, type, access.flags);
}

/// \p component counts from 0.
Value *Builder::createImageGather(Type *type, const ImageAccess &access,
                                  const SampleOperands &operands, unsigned component) {
  Type *texel = FixedVectorType::get(type->getScalarType(), texelComponents);
  Value *offset = operands.offset ? packOffset(*this, operands.offset) : nullptr;
  Value *level = operands.bias ? operands.bias : operands.lod;
  Value *gathered = ImageGatherOp::create(
      *this, readType(texel, access.flags), static_cast<unsigned>(access.dim),
      sampleFlags(access, operands), component, access.image, operands.sampler,
      pad(*this, access.coordinate, texelComponents), orPoison(offset, getInt32Ty()),
      orPoison(operands.compare, getFloatTy()), orPoison(level, getFloatTy()));
  convergentIfImplicit(gathered, operands);
  return shrinkRead(*this, gathered, type, access.flags);
}

Value *Builder::createImageQueryLod(const ImageAccess &access, Value *sampler) {
  return ImageQueryLodOp::create(*this, static_cast<unsigned>(access.dim), access.image, sampler,
                                 pad(*this, access.coordinate, texelComponents));
}

/// \p comparator may be null for all operations but CompareSwap.
Value *Builder::createImageAtomic(ImageAtomic operation, const ImageAccess &access, Value *value,
                                  Value *comparator) {
  auto number = static_cast<unsigned>(operation);
  comparator = orPoison(comparator, value->getType());
  if (access.dim == ImageDim::Buffer) {
    Value *index = firstOf(*this, access.coordinate);
    return TexelAtomicOp::create(*this, access.flags, number, access.image, index, value,
                                 comparator);
  }
  return ImageAtomicOp::create(*this, static_cast<unsigned>(access.dim), access.flags, number,
                               access.image, pad(*this, access.coordinate, texelComponents), value,
                               comparator);
}

/// Of texel buffers the number of texels; the level does not matter there.
Value *Builder::createImageQuerySize(Type *type, const ImageAccess &access, Value *lod) {
  if (access.dim == ImageDim::Buffer)
    return TexelCountOp::create(*this, access.image);
  Value *size = ImageQuerySizeOp::create(*this, static_cast<unsigned>(access.dim), access.flags,
                                         access.image, lod ? lod : getInt32(0));
  return shrink(*this, size, type);
}

/// The fourth component of the size is the number of levels.
Value *Builder::createImageQueryLevels(const ImageAccess &access) {
  Value *size = ImageQuerySizeOp::create(*this, static_cast<unsigned>(access.dim), access.flags,
                                         access.image, getInt32(0));
  return CreateExtractElement(size, uint64_t(3));
}

Value *Builder::createImageQuerySamples(const ImageAccess &access) {
  return ImageQuerySamplesOp::create(*this, access.image);
}
