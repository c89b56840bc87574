// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Image Instructions", the part without filtering: descriptors as values, texels read and
// written by integer coordinates, and queries.

#include "compiler/frontend/Images.h"
#include "compiler/lgc/Aliasing.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;
using spirv::TypeKind;

/// Arrays of descriptors do not count.
bool Translator::isDescriptor(const spirv::Type &type) {
  return type.kind == TypeKind::Image || type.kind == TypeKind::Sampler ||
         type.kind == TypeKind::SampledImage;
}

/// Images are 8 dwords (T#), samplers and texel buffers 4 (S#, V#), combined images a structure of
/// both. In memory they are the same.
Expected<TypeRecord> Translator::makeDescriptor(const spirv::Type &type) {
  constexpr unsigned ResourceDwords = 8, SamplerDwords = 4;
  Type *i32 = m_builder.getInt32Ty();
  Type *small = FixedVectorType::get(i32, SamplerDwords); // S#, or V# of a texel buffer.
  Type *large = FixedVectorType::get(i32, ResourceDwords);
  const spirv::Type &image =
      type.kind == TypeKind::SampledImage ? m_spirv.type(type.element) : type;
  TypeRecord record;
  if (type.kind == TypeKind::Sampler) {
    record.value = record.memory = small;
    return record;
  }
  Expected<ImageDim> dim = imageDim(image.image);
  if (!dim)
    return dim.takeError();
  if (*dim == ImageDim::Buffer)
    record.value = small;
  else if (type.kind == TypeKind::SampledImage)
    record.value = StructType::get(m_context, {large, small});
  else
    record.value = large;
  record.memory = record.value;
  return record;
}

/// Emits the address of the descriptor, or of the block, that \p reference names. The descriptor of
/// a block that is not decorated Aliased is marked as unaliased.
Value *Translator::descriptorAddress(const BufferReference &reference) {
  if (reference.part)
    return m_builder.createDescriptorPtr(reference.set, reference.binding, *reference.part,
                                         reference.index);
  Value *descriptor =
      m_builder.createLoadBufferDesc(reference.set, reference.binding, reference.index);
  if (!reference.isAliased)
    markUnaliased(*cast<Instruction>(descriptor));
  return descriptor;
}

/// Emits an invariant load of a descriptor, which nothing changes. \p pointer is its address in the
/// descriptor table. A combined image is loaded as two parts. InvalidInput for another storage
/// class.
Expected<Value *> Translator::loadDescriptor(const Pointer &pointer) {
  Expected<TypeRecord> record = type(pointer.pointee);
  if (!record)
    return record.takeError();
  if (!pointer.value || pointer.storage != spv::StorageClass::UniformConstant)
    return invalidInput("a descriptor that is not in UniformConstant memory");
  auto loadPart = [&](Type *part, unsigned offset) {
    Value *address =
        m_builder.CreateConstInBoundsGEP1_32(m_builder.getInt8Ty(), pointer.value, offset);
    LoadInst *load = m_builder.CreateAlignedLoad(part, address, Align(4));
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(m_context, {}));
    return load;
  };
  auto *both = dyn_cast<StructType>(record->value);
  if (!both)
    return loadPart(record->value, 0);
  Value *result = PoisonValue::get(both);
  result = m_builder.CreateInsertValue(result, loadPart(both->getElementType(0), 0), 0);
  unsigned samplerOffset = faultPlanted(Fault::SamplerOffset) ? 0 : combinedSamplerOffset;
  return m_builder.CreateInsertValue(result, loadPart(both->getElementType(1), samplerOffset), 1);
}

/// Loads of a Volatile or Coherent variable make every access to the image volatile.
void Translator::noteImageLoad(const Inst &inst, const Pointer &pointer) {
  m_imageFlags[inst.resultId] = pointer.info.isVolatile ? unsigned(ImageVolatile) : 0;
}

/// Returns ImageVolatile or 0. An id that no load has noted is a parameter, of which nothing is
/// known.
unsigned Translator::imageFlags(Id id) const {
  if (auto known = m_imageFlags.find(id); known != m_imageFlags.end())
    return known->second;
  return unknownPointer().isVolatile ? unsigned(ImageVolatile) : 0; // A parameter.
}

const TexelPointer *Translator::findTexel(Id id) const {
  auto texel = m_texels.find(id);
  return texel == m_texels.end() ? nullptr : &texel->second;
}

/// Combines an image and a sampler to the structure {image, sampler}; the flags of the image are
/// kept.
static Expected<Value *> sampledImage(Translator &t, const Inst &inst, ArrayRef<Value *> args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  auto *both = dyn_cast<StructType>(*type);
  if (!both || args[0]->getType() != both->getElementType(0) ||
      args[1]->getType() != both->getElementType(1))
    return invalidInput("its operands are no image and no sampler");
  t.setImageFlags(inst.resultId, t.imageFlags(inst.operand(0)));
  Value *result = t.builder().CreateInsertValue(PoisonValue::get(both), args[0], 0);
  return t.builder().CreateInsertValue(result, args[1], 1);
}

/// Returns the image of a combined one. The descriptor of a texel buffer has no sampler and is
/// returned as it is.
static Expected<Value *> image(Translator &t, const Inst &inst, ArrayRef<Value *> args) {
  t.setImageFlags(inst.resultId, t.imageFlags(inst.operand(0)));
  return args[0]->getType()->isStructTy() ? t.builder().CreateExtractValue(args[0], 0) : args[0];
}

/// Returns \p coordinate of an input attachment, counted from the pixel of the fragment, as a
/// coordinate of the image. Unsupported in stages other than fragment shaders.
static Expected<Value *> atFragment(Translator &t, Value *coordinate) {
  if (t.stage() != ShaderStage::Fragment)
    return unsupported("an input attachment in a " + getStageName(t.stage()) + " shader");
  Builder &builder = t.builder();
  const StageBuiltIn *place = findStageBuiltIn(static_cast<uint32_t>(spv::BuiltIn::FragCoord));
  Value *result = coordinate;
  for (uint32_t i = 0; i < 2; ++i) {
    Value *pixel =
        builder.CreateFPToUI(builder.createReadStageBuiltIn(*place, i), builder.getInt32Ty());
    Value *moved = builder.CreateAdd(pixel, builder.CreateExtractElement(coordinate, uint64_t(i)));
    result = builder.CreateInsertElement(result, moved, uint64_t(i));
  }
  return result;
}

/// Returns the image at operand 0 with the place of the texel at operand \p coordinate.
/// InvalidInput where a multisampled image has no sample among \p operands, and where another has
/// one.
static Expected<ImageSource> texelAccess(Translator &t, const Inst &inst, size_t coordinate,
                                         const ImageOperands &operands) {
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source;
  if (source->type.multisampled != (operands.sample != nullptr))
    return invalidInput("Sample is for multisampled images, and these need it");
  Expected<Value *> place =
      texelCoordinate(t, inst.operand(coordinate), texelCoordinates(source->type), operands.offset,
                      operands.sample);
  if (place && source->type.dim == spv::Dim::SubpassData)
    place = atFragment(t, *place);
  if (!place)
    return place.takeError();
  source->access.coordinate = *place;
  source->access.flags |= operands.flags;
  return source;
}

/// OpImageFetch and OpImageRead, and their sparse forms.
template <bool IsSparse>
static Expected<Value *> readTexel(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  constexpr size_t Coordinate = 1, FirstOperand = 2;
  Expected<ImageOperands> operands = imageOperands(t, inst, FirstOperand);
  if (!operands)
    return operands.takeError();
  Expected<ImageSource> source = texelAccess(t, inst, Coordinate, *operands);
  if (!source)
    return source.takeError();
  Expected<TexelResult> result = texelResult(t, inst, IsSparse);
  if (!result)
    return result.takeError();
  if (operands->lod && !operands->lod->getType()->isIntegerTy(32))
    return invalidInput("a level that is no 32-bit integer");
  bool hasLevels = !source->type.multisampled && !source->isBuffer();
  source->access.flags |= result->getFlags();
  Value *read = t.builder().createImageLoad(result->read, source->access,
                                            hasLevels ? operands->lod : nullptr);
  return finishTexel(t.builder(), *result, read);
}

/// Operands: image, coordinate, texel, Image Operands. A level (Lod) among these is Unsupported.
static Error writeTexel(Translator &t, const Inst &inst) {
  constexpr size_t Coordinate = 1, Texel = 2, FirstOperand = 3;
  Expected<ImageOperands> operands = imageOperands(t, inst, FirstOperand);
  if (!operands)
    return operands.takeError();
  if (operands->lod)
    return unsupported("a write to a level");
  Expected<ImageSource> source = texelAccess(t, inst, Coordinate, *operands);
  if (!source)
    return source.takeError();
  Expected<Value *> texel = texelToWrite(t, inst.operand(Texel));
  if (!texel)
    return texel.takeError();
  t.builder().createImageStore(source->access, *texel);
  return Error::success();
}

/// The result has no address: atomics find the texel by the id of the pointer.
static Error texelPointer(Translator &t, const Inst &inst) {
  constexpr size_t Coordinate = 1, Sample = 2;
  const spirv::Type *pointer = t.spirv().findType(t.typeOf(inst.operand(0)));
  const spirv::Type *result = t.spirv().findType(inst.typeId);
  if (!pointer || pointer->kind != TypeKind::Pointer || !result ||
      result->kind != TypeKind::Pointer)
    return invalidInput("its image is not given by a pointer, or its result is none");
  const spirv::Type &imageType = t.spirv().type(pointer->element);
  if (imageType.kind != TypeKind::Image)
    return invalidInput("its pointer is not to an image");
  Expected<ImageDim> dim = imageDim(imageType.image);
  if (!dim)
    return dim.takeError();
  Expected<Pointer> variable = t.pointer(inst.operand(0));
  if (!variable)
    return variable.takeError();
  Expected<Value *> descriptor = t.loadDescriptor(*variable);
  if (!descriptor)
    return descriptor.takeError();
  Expected<Value *> sample = t.value(inst.operand(Sample));
  if (!sample)
    return sample.takeError();
  Expected<Value *> coordinate =
      texelCoordinate(t, inst.operand(Coordinate), texelCoordinates(imageType.image), nullptr,
                      imageType.image.multisampled ? *sample : nullptr);
  if (!coordinate)
    return coordinate.takeError();
  unsigned flags = ImageIsStorage | (variable->info.isVolatile ? unsigned(ImageVolatile) : 0);
  t.defineTexel(inst, {{*dim, flags, *descriptor, *coordinate}, result->element});
  return Error::success();
}

/// Returns the size in texels, and in layers where the type has a component for them, at the level
/// in the last operand if there is one. Other types than i32 are Unsupported.
static Expected<Value *> querySize(Translator &t, const Inst &inst, ArrayRef<Value *> args) {
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source.takeError();
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  Value *lod = args.size() > 1 ? args[1] : nullptr;
  if (!(*type)->getScalarType()->isIntegerTy(32) || (lod && !lod->getType()->isIntegerTy(32)))
    return unsupported("a size or level that is no 32-bit integer");
  return t.builder().createImageQuerySize(*type, source->access, lod);
}

/// Returns the number of mip levels.
static Expected<Value *> queryLevels(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source.takeError();
  return t.builder().createImageQueryLevels(source->access);
}

/// Returns the number of samples per pixel; InvalidInput for an image without multisampling.
static Expected<Value *> querySamples(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  Expected<ImageSource> source = imageSource(t, inst.operand(0));
  if (!source)
    return source.takeError();
  if (!source->type.multisampled)
    return invalidInput("an image that is not multisampled");
  return t.builder().createImageQuerySamples(source->access);
}

/// Returns the fragment of each sample, four bits each. Images have no compressed samples: fragment
/// i of a pixel is its sample i.
static Expected<Value *> fragmentMask(Translator &t, const Inst &, ArrayRef<Value *>) {
  constexpr uint32_t SampleIsFragment = 0x76543210;
  return t.builder().getInt32(SampleIsFragment);
}

/// Reads one sample: fragment i of a pixel is its sample i (see fragmentMask).
static Expected<Value *> fetchFragment(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  constexpr size_t Coordinate = 1, Fragment = 2;
  Expected<Value *> fragment = t.value(inst.operand(Fragment));
  if (!fragment)
    return fragment.takeError();
  ImageOperands operands;
  operands.sample = *fragment;
  Expected<ImageSource> source = texelAccess(t, inst, Coordinate, operands);
  if (!source)
    return source.takeError();
  Expected<TexelResult> result = texelResult(t, inst, /*isSparse=*/false);
  if (!result)
    return result.takeError();
  return finishTexel(t.builder(), *result,
                     t.builder().createImageLoad(result->read, source->access));
}

/// Returns whether the residency code is 0, which means that all texels were resident.
static Expected<Value *> texelsResident(Translator &t, const Inst &, ArrayRef<Value *> args) {
  if (!args[0]->getType()->isIntegerTy(32))
    return invalidInput("a residency code that is no 32-bit integer");
  return t.builder().CreateICmpEQ(args[0], t.builder().getInt32(0));
}

/// The first value is the image; coordinates and Image Operands are read by the handlers.
static constexpr OpcodeRow ImageRows[] = {
    {.opcode = spv::Op::OpSampledImage, .values = 2, .value = sampledImage},
    {.opcode = spv::Op::OpImage, .values = 1, .value = image},
    {.opcode = spv::Op::OpImageFetch, .values = 1, .value = readTexel<false>},
    {.opcode = spv::Op::OpImageRead, .values = 1, .value = readTexel<false>},
    {.opcode = spv::Op::OpImageWrite, .effect = writeTexel},
    {.opcode = spv::Op::OpImageTexelPointer, .effect = texelPointer},
    {.opcode = spv::Op::OpImageQuerySize, .values = 1, .value = querySize},
    {.opcode = spv::Op::OpImageQuerySizeLod, .values = 2, .value = querySize},
    {.opcode = spv::Op::OpImageQueryLevels, .values = 1, .value = queryLevels},
    {.opcode = spv::Op::OpImageQuerySamples, .values = 1, .value = querySamples},
};

ArrayRef<OpcodeRow> assay::imageOpcodes() {
  return ImageRows;
}

/// Sparse reads, and the instructions of SPV_AMD_shader_fragment_mask.
static constexpr OpcodeRow SparseRows[] = {
    {.opcode = spv::Op::OpImageSparseFetch, .values = 1, .value = readTexel<true>},
    {.opcode = spv::Op::OpImageSparseRead, .values = 1, .value = readTexel<true>},
    {.opcode = spv::Op::OpImageSparseTexelsResident, .values = 1, .value = texelsResident},
    {.opcode = spv::Op::OpFragmentMaskFetchAMD, .values = 1, .value = fragmentMask},
    {.opcode = spv::Op::OpFragmentFetchAMD, .values = 1, .value = fetchFragment},
};

ArrayRef<OpcodeRow> assay::imageSparseOpcodes() {
  return SparseRows;
}
