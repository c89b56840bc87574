// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Describe.h"

#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// Maps set and binding to the image type, also for arrays and combined image samplers. Variables
/// without set or binding are left out.
ImageVariables assay::vulkan::findImages(const spirv::Module &module) {
  ImageVariables images;
  for (const spirv::Instruction &instruction : module.globals) {
    if (instruction.opcode != spv::Op::OpVariable)
      continue;
    const spirv::Type *type = &module.type(module.type(instruction.typeId).element);
    while (type->kind == spirv::TypeKind::Array || type->kind == spirv::TypeKind::RuntimeArray ||
           type->kind == spirv::TypeKind::SampledImage)
      type = &module.type(type->element);
    auto set = module.decorationValue(instruction.resultId, spv::Decoration::DescriptorSet);
    auto binding = module.decorationValue(instruction.resultId, spv::Decoration::Binding);
    if (type->kind == spirv::TypeKind::Image && set && binding)
      images[{*set, *binding}] = type->image;
  }
  return images;
}

/// Maps set and binding to the input attachment index.
InputAttachments assay::vulkan::findInputAttachments(const spirv::Module &module) {
  InputAttachments inputs;
  for (const spirv::Instruction &instruction : module.globals) {
    spirv::Id variable = instruction.resultId;
    auto index = module.decorationValue(variable, spv::Decoration::InputAttachmentIndex);
    auto set = module.decorationValue(variable, spv::Decoration::DescriptorSet);
    auto binding = module.decorationValue(variable, spv::Decoration::Binding);
    if (index && set && binding)
      inputs[{*set, *binding}] = *index;
  }
  return inputs;
}

/// Depth where the format has depth and stencil: a view shows one aspect.
VkImageAspectFlags assay::vulkan::getAspect(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  if (info.find('D'))
    return VK_IMAGE_ASPECT_DEPTH_BIT;
  return info.find('S') ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
}

/// Cubes are 2D images that describeImage() marks as cube-compatible.
static VkImageType imageType(ImageDimension dimension) {
  switch (dimension) {
  case ImageDimension::Dim1D:
    return VK_IMAGE_TYPE_1D;
  case ImageDimension::Dim2D:
    return VK_IMAGE_TYPE_2D;
  case ImageDimension::Dim3D:
    return VK_IMAGE_TYPE_3D;
  }
  llvm_unreachable("an image without a dimension");
}

/// Square 2D images with at least six layers can be seen as cubes.
VkImageCreateInfo assay::vulkan::describeImage(const Buffer &source) {
  const ImageShape &shape = *source.image;
  VkImageCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = imageType(shape.dimension);
  info.format = VkFormat(*source.texelFormat);
  info.extent = {shape.width, shape.height, shape.depth};
  info.mipLevels = shape.mipLevels;
  info.arrayLayers = shape.layers;
  info.samples = VkSampleCountFlagBits(shape.samples);
  if (shape.dimension == ImageDimension::Dim2D && shape.layers >= 6 && shape.width == shape.height)
    info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
  return info;
}

/// Indexed by the filter of a Sampler.
static constexpr VkFilter filters[] = {VK_FILTER_NEAREST, VK_FILTER_LINEAR};
/// Indexed by the mip filter of a Sampler.
static constexpr VkSamplerMipmapMode mipModes[] = {VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                                   VK_SAMPLER_MIPMAP_MODE_LINEAR};
/// Indexed by the address mode of a Sampler.
static constexpr VkSamplerAddressMode addressModes[] = {
    VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
    VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
    VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE};
/// Indexed by the border of a Sampler.
static constexpr VkBorderColor borderColors[] = {
    VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BORDER_COLOR_INT_TRANSPARENT_BLACK,
    VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK,      VK_BORDER_COLOR_INT_OPAQUE_BLACK,
    VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE,      VK_BORDER_COLOR_INT_OPAQUE_WHITE};

VkSamplerCreateInfo assay::vulkan::describeSampler(const Sampler &source) {
  VkSamplerCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = filters[size_t(source.magFilter)];
  info.minFilter = filters[size_t(source.minFilter)];
  info.mipmapMode = mipModes[size_t(source.mipFilter)];
  info.addressModeU = addressModes[size_t(source.address[0])];
  info.addressModeV = addressModes[size_t(source.address[1])];
  info.addressModeW = addressModes[size_t(source.address[2])];
  info.borderColor = borderColors[size_t(source.border)];
  info.mipLodBias = source.lodBias;
  info.minLod = source.minLod;
  info.maxLod = source.maxLod;
  info.unnormalizedCoordinates = !source.normalized;
  info.compareEnable = source.compare.has_value();
  if (source.compare)
    info.compareOp = VkCompareOp(*source.compare);
  return info;
}

/// Input attachments and rectangles are viewed as 2D.
VkImageViewType assay::vulkan::viewType(const spirv::ImageType &image) {
  switch (image.dim) {
  case spv::Dim::Dim1D:
    return image.arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
  case spv::Dim::Dim3D:
    return VK_IMAGE_VIEW_TYPE_3D;
  case spv::Dim::Cube:
    return image.arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
  default:
    return image.arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
  }
}

/// Storage images and input attachments show one level. A type that is not arrayed shows the first
/// layer or the first cube.
VkImageSubresourceRange assay::vulkan::viewedRange(const BufferBinding &binding,
                                                   const spirv::ImageType &image,
                                                   TexelFormat format) {
  bool hasOneLevel =
      binding.kind == BindingKind::StorageImage || image.dim == spv::Dim::SubpassData;
  uint32_t levels = hasOneLevel ? 1 : VK_REMAINING_MIP_LEVELS;
  uint32_t layers = image.arrayed ? VK_REMAINING_ARRAY_LAYERS : image.dim == spv::Dim::Cube ? 6 : 1;
  return {getAspect(format), binding.baseMipLevel, levels, 0, layers};
}

/// Returns whole texels only: what is left of the buffer after the offset, cut to the range.
uint64_t assay::vulkan::viewedBytes(const BufferBinding &binding, const Buffer &buffer) {
  uint64_t rest = buffer.bytes.size() - std::min<uint64_t>(binding.offset, buffer.bytes.size());
  uint64_t texel = getTexelFormatInfo(*buffer.texelFormat).bytes;
  return std::min(binding.range, rest) / texel * texel;
}
