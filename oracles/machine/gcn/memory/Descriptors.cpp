// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the shader's OpTypeImage decides the type of a T#: docs/gcn-machine.md.
#include "oracles/machine/gcn/memory/Descriptors.h"

#include "compiler/spirv/Module.h"
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using spirv::TypeKind;

namespace {
using ImageTypes = std::map<std::pair<uint32_t, uint32_t>, spirv::ImageType>;

/// What the descriptors of one pipeline are made of.
struct Builder {
  const Case &input;
  ArrayRef<uint64_t> addresses; ///< Of the case's buffers.
  unsigned gfxMajor;
  bool hasPlanarLines; ///< 1D images are described as 2D ones.
  ImageTypes types;    ///< By set and binding.

  Expected<DescriptorWords> makeBuffer(const BufferBinding &binding) const;
  Expected<DescriptorWords> makeTexelBuffer(const BufferBinding &binding) const;
  Expected<DescriptorWords> makeImage(const BufferBinding &binding) const;
  Expected<DescriptorWords> makeSampler(const BufferBinding &binding) const;
  Expected<DescriptorWords> makeCombined(const BufferBinding &binding) const;
  Expected<DescriptorWords> make(const BufferBinding &binding) const;

  /// Bytes from the binding's offset on.
  uint64_t range(const BufferBinding &binding) const {
    uint64_t size = input.buffers[binding.buffer].bytes.size();
    return std::min(binding.range, size - std::min(binding.offset, size));
  }
  /// Where the binding begins; an offset beyond the buffer means its end.
  uint64_t address(const BufferBinding &binding) const {
    uint64_t size = input.buffers[binding.buffer].bytes.size();
    return addresses[binding.buffer] + std::min(binding.offset, size);
  }
};
} // namespace

/// The image types of the variables of \p module.
static void collectImageTypes(const spirv::Module &module, ImageTypes &types) {
  for (const spirv::Instruction &global : module.globals) {
    if (global.opcode != spv::Op::OpVariable)
      continue;
    auto set = module.decorationValue(global.resultId, spv::Decoration::DescriptorSet);
    auto binding = module.decorationValue(global.resultId, spv::Decoration::Binding);
    const spirv::Type *type = module.findType(module.type(global.typeId).element);
    while (type && (type->kind == TypeKind::Array || type->kind == TypeKind::RuntimeArray ||
                    type->kind == TypeKind::SampledImage))
      type = module.findType(type->element);
    if (set && binding && type && type->kind == TypeKind::Image)
      types[{*set, *binding}] = type->image;
  }
}

/// A raw buffer.
Expected<DescriptorWords> Builder::makeBuffer(const BufferBinding &binding) const {
  auto descriptor =
      makeRawBuffer(address(binding), static_cast<uint32_t>(range(binding)), gfxMajor);
  auto words = encodeBufferDescriptor(descriptor, gfxMajor);
  return DescriptorWords(words.begin(), words.end());
}

/// Elements of a texel, checked by their index.
Expected<DescriptorWords> Builder::makeTexelBuffer(const BufferBinding &binding) const {
  const Buffer &buffer = input.buffers[binding.buffer];
  if (!buffer.texelFormat)
    return invalidInput("buffer '" + buffer.name + "' has no texel format");
  Expected<TexelView> texel = describeTexel(*buffer.texelFormat);
  if (!texel)
    return texel.takeError();
  std::optional<uint32_t> format = encodeBufferFormat(texel->format, gfxMajor);
  if (!format)
    return unsupported("gcn: texel format " + getTexelFormatInfo(*buffer.texelFormat).name +
                       " in a buffer");
  BufferDescriptor descriptor;
  descriptor.base = address(binding);
  descriptor.stride = texel->format.bytes();
  descriptor.records = static_cast<uint32_t>(range(binding) / descriptor.stride);
  descriptor.format = *format;
  for (unsigned i = 0; i < 4; ++i)
    descriptor.dstSelect |= uint32_t(texel->select[i]) << (3 * i);
  auto words = encodeBufferDescriptor(descriptor, gfxMajor);
  return DescriptorWords(words.begin(), words.end());
}

/// The T# type for a variable of the shader. Cubes that are stored to are arrays of 2D images.
static Expected<ImageType> kindOf(const spirv::ImageType &type) {
  bool isStorage = type.sampled == 2;
  switch (type.dim) {
  case spv::Dim::Dim1D:
    return type.arrayed ? ImageType::Dim1DArray : ImageType::Dim1D;
  case spv::Dim::Dim2D:
  case spv::Dim::Rect:
  case spv::Dim::SubpassData: // An input attachment: the shader adds the pixel.
    if (type.multisampled)
      return type.arrayed ? ImageType::Dim2DArrayMsaa : ImageType::Dim2DMsaa;
    return type.arrayed ? ImageType::Dim2DArray : ImageType::Dim2D;
  case spv::Dim::Dim3D:
    return ImageType::Dim3D;
  case spv::Dim::Cube:
    return isStorage ? ImageType::Dim2DArray : ImageType::Cube;
  default:
    return unsupported("gcn: an image of dimension " + Twine(unsigned(type.dim)));
  }
}

/// A T#, or zeros when no shader has a variable for the binding.
Expected<DescriptorWords> Builder::makeImage(const BufferBinding &binding) const {
  const Buffer &buffer = input.buffers[binding.buffer];
  auto type = types.find({binding.set, binding.binding});
  if (type == types.end())
    return DescriptorWords(getDescriptorDwords(DescriptorKind::Image)); // The shader has no such.
  if (!buffer.image || !buffer.texelFormat)
    return invalidInput("'" + buffer.name + "' is no image");
  Expected<ImageType> kind = kindOf(type->second);
  if (!kind)
    return kind.takeError();
  if (hasPlanarLines && *kind == ImageType::Dim1D)
    kind = ImageType::Dim2D;
  else if (hasPlanarLines && *kind == ImageType::Dim1DArray)
    kind = ImageType::Dim2DArray;
  Expected<TexelView> texel = describeTexel(*buffer.texelFormat);
  if (!texel)
    return texel.takeError();
  const ImageShape &shape = *buffer.image;
  ImageDescriptor image;
  image.base = addresses[binding.buffer];
  image.width = shape.width;
  image.height = shape.height;
  image.depth = *kind == ImageType::Dim3D ? shape.depth : shape.layers;
  image.levels = shape.mipLevels;
  image.baseLevel = binding.baseMipLevel;
  image.lastLevel = shape.mipLevels - 1;
  image.samples = shape.samples;
  image.kind = *kind;
  image.texel = *texel;
  Expected<ImageWords> words = encodeImage(image, gfxMajor);
  if (!words)
    return addContext(words.takeError(), getTexelFormatInfo(*buffer.texelFormat).name);
  return DescriptorWords(words->begin(), words->end());
}

/// In the order of AddressMode.
static AddressClamp clampOf(AddressMode mode) {
  constexpr AddressClamp clamps[] = {AddressClamp::Wrap, AddressClamp::Mirror,
                                     AddressClamp::LastTexel, AddressClamp::Border,
                                     AddressClamp::MirrorOnce};
  return clamps[unsigned(mode)];
}

/// An S#. Invalid input for a sampler that the case does not have.
Expected<DescriptorWords> Builder::makeSampler(const BufferBinding &binding) const {
  if (binding.sampler >= input.samplers.size())
    return invalidInput("a binding names sampler " + Twine(binding.sampler));
  const Sampler &sampler = input.samplers[binding.sampler];
  SamplerDescriptor descriptor;
  for (unsigned i = 0; i < 3; ++i)
    descriptor.clamp[i] = clampOf(sampler.address[i]);
  descriptor.compare = static_cast<uint8_t>(sampler.compare.value_or(CompareOp::Never));
  descriptor.isUnnormalized = !sampler.normalized;
  descriptor.minLod = double(sampler.minLod);
  descriptor.maxLod = double(sampler.maxLod);
  descriptor.lodBias = double(sampler.lodBias);
  descriptor.isMagLinear = sampler.magFilter == Filter::Linear;
  descriptor.isMinLinear = sampler.minFilter == Filter::Linear;
  descriptor.mipFilter = sampler.mipFilter == Filter::Linear ? 2 : 1;
  if (is_contained(descriptor.clamp, AddressClamp::Border))
    descriptor.border = static_cast<uint8_t>(unsigned(sampler.border) / 2);
  auto words = encodeSampler(descriptor, gfxMajor);
  return DescriptorWords(words.begin(), words.end());
}

/// The T#, then the S#.
Expected<DescriptorWords> Builder::makeCombined(const BufferBinding &binding) const {
  Expected<DescriptorWords> image = makeImage(binding);
  if (!image)
    return image.takeError();
  Expected<DescriptorWords> sampler = makeSampler(binding);
  if (!sampler)
    return sampler.takeError();
  image->append(sampler->begin(), sampler->end());
  return image;
}

/// The words of one binding; none for push constants.
Expected<DescriptorWords> Builder::make(const BufferBinding &binding) const {
  switch (binding.kind) {
  case BindingKind::Storage:
  case BindingKind::Uniform:
    return makeBuffer(binding);
  case BindingKind::PushConstant:
    return DescriptorWords();
  case BindingKind::UniformTexelBuffer:
  case BindingKind::StorageTexelBuffer:
    return makeTexelBuffer(binding);
  case BindingKind::SampledImage:
  case BindingKind::StorageImage:
    return makeImage(binding);
  case BindingKind::Sampler:
    return makeSampler(binding);
  case BindingKind::CombinedImageSampler:
    return makeCombined(binding);
  }
  llvm_unreachable("a number that is no BindingKind");
}

/// Bindings whose descriptor depends on the shader's variable.
static bool needsTypes(const BufferBinding &binding) {
  return binding.kind == BindingKind::SampledImage || binding.kind == BindingKind::StorageImage ||
         binding.kind == BindingKind::CombinedImageSampler;
}

Expected<std::vector<DescriptorWords>>
gcn::makeDescriptors(const Case &input, const CasePipeline &pipeline, ArrayRef<uint64_t> addresses,
                     unsigned gfxMajor, bool hasPlanarLines) {
  Builder builder{input, addresses, gfxMajor, hasPlanarLines, {}};
  if (any_of(pipeline.bindings, needsTypes))
    for (const ShaderDescription &shader : pipeline.description.stages) {
      Expected<spirv::Module> module = spirv::decode(shader.spirv);
      if (!module)
        return module.takeError();
      collectImageTypes(*module, builder.types);
    }
  std::vector<DescriptorWords> descriptors;
  for (const BufferBinding &binding : pipeline.bindings) {
    Expected<DescriptorWords> words = builder.make(binding);
    if (!words)
      return words.takeError();
    descriptors.push_back(std::move(*words));
  }
  return descriptors;
}
