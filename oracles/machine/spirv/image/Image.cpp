// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of images: sizes, places of texels, and whether what a case binds fits the shader.
#include "oracles/machine/spirv/image/Image.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Returns the size of a level of the view in texels. Dimension 0 is the width. Texel buffers have
/// one row.
uint32_t ImageView::extent(unsigned dimension, uint32_t level) const {
  if (isBuffer)
    return dimension == 0 ? shape.width : 1;
  const uint32_t sizes[] = {shape.width, shape.height, shape.depth};
  return std::max(1u, sizes[dimension] >> (baseLevel + level));
}

/// Whether 0 <= \p value < \p bound.
static bool isBelow(int64_t value, uint32_t bound) {
  return value >= 0 && value < bound;
}

/// Layer and sample are checked too. Negative coordinates are outside.
bool ImageView::contains(const TexelPlace &place) const {
  if (!isBelow(place.level, levels()))
    return false;
  auto level = static_cast<uint32_t>(place.level);
  return isBelow(place.x, extent(0, level)) && isBelow(place.y, extent(1, level)) &&
         isBelow(place.z, extent(2, level)) && isBelow(place.layer, layers) &&
         isBelow(place.sample, shape.samples);
}

/// Levels follow each other. In a level, layers are outermost and samples innermost.
uint64_t ImageView::offsetOf(const TexelPlace &place) const {
  uint64_t offset = firstByte;
  auto level = static_cast<uint32_t>(place.level);
  for (uint32_t i = 0; i < baseLevel + level; ++i)
    offset += getLevelBytes(shape, format->format, i);
  uint64_t index = uint64_t(place.layer);
  index = index * extent(2, level) + uint64_t(place.z);
  index = index * extent(1, level) + uint64_t(place.y);
  index = index * extent(0, level) + uint64_t(place.x);
  index = index * shape.samples + uint64_t(place.sample);
  return offset + index * format->bytes;
}

/// Returns the number of coordinates without the layer of an array. A cube has three, its
/// direction.
unsigned ImageOp::dimensions() const {
  switch (type.dim) {
  case spv::Dim::Dim2D:
  case spv::Dim::Rect:
  case spv::Dim::SubpassData:
    return 2;
  case spv::Dim::Dim3D:
  case spv::Dim::Cube:
    return 3;
  default:
    return 1;
  }
}

uint32_t reference::texelGranule(const Buffer &buffer) {
  if (!buffer.texelFormat || !findTexelFormat(uint32_t(*buffer.texelFormat)))
    return 4;
  unsigned bytes = getTexelFormatInfo(*buffer.texelFormat).bytes;
  return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

/// Whether a binding's kind is one that \p type takes (Vulkan 1.3, "Shader Resource and Descriptor
/// Type Correspondence").
static bool isRightKind(const spirv::Module &module, const spirv::Type &type, BindingKind kind) {
  if (type.kind == TypeKind::Sampler)
    return kind == BindingKind::Sampler || kind == BindingKind::CombinedImageSampler;
  if (type.kind == TypeKind::SampledImage)
    return kind == BindingKind::CombinedImageSampler;
  // Cases have no kind of their own for input attachments.
  if (type.image.dim == spv::Dim::SubpassData)
    return kind == BindingKind::SampledImage;
  bool isStorage = type.image.sampled == 2;
  if (type.image.dim == spv::Dim::Buffer)
    return kind == (isStorage ? BindingKind::StorageTexelBuffer : BindingKind::UniformTexelBuffer);
  if (isStorage)
    return kind == BindingKind::StorageImage;
  return kind == BindingKind::SampledImage || kind == BindingKind::CombinedImageSampler;
}

/// Bytes of all levels, or ~0 where the numbers are no image's.
static uint64_t checkedImageBytes(const ImageShape &shape, const TexelFormatInfo &format) {
  constexpr uint32_t most = 1u << 20;
  uint64_t extents = std::max({shape.width, shape.height, shape.depth});
  bool isSane = std::min({shape.width, shape.height, shape.depth, shape.layers, shape.mipLevels,
                          shape.samples}) > 0 &&
                extents <= most && shape.layers <= most && shape.samples <= 64 &&
                shape.mipLevels <= Log2_64(extents) + 1;
  if (!isSane)
    return ~0ull;
  uint64_t level0 = SaturatingMultiply<uint64_t>(uint64_t(shape.width) * shape.height, shape.depth);
  level0 = SaturatingMultiply<uint64_t>(level0, uint64_t(shape.layers) * shape.samples);
  level0 = SaturatingMultiply<uint64_t>(level0, format.bytes);
  // All levels together are less than twice (of 1D images) the first, except for one texel each.
  if (level0 > 1ull << 40)
    return ~0ull;
  return getImageBytes(shape, format.format);
}

/// Why \p shape can't be seen as \p type; empty if it can.
static std::string whyNotView(const ImageShape &shape, const spirv::ImageType &type) {
  ImageDimension needed = type.dim == spv::Dim::Dim1D   ? ImageDimension::Dim1D
                          : type.dim == spv::Dim::Dim3D ? ImageDimension::Dim3D
                                                        : ImageDimension::Dim2D;
  if (shape.dimension != needed)
    return "the image has other dimensions than the shader's type";
  if (type.dim == spv::Dim::Cube && shape.layers % 6)
    return "an image of " + std::to_string(shape.layers) + " layers is no cube";
  if (type.dim == spv::Dim::Cube && shape.width != shape.height)
    return "the faces of a cube are not square";
  if (type.multisampled != (shape.samples > 1))
    return type.multisampled ? "the image has one sample, the shader's type several"
                             : "the image has several samples, the shader's type one";
  return "";
}

/// Why texels of \p format can't be what \p type says; empty if they can (Vulkan 1.3, "Image Format
/// and Type Matching").
static std::string whyNotFormat(const spirv::Module &module, const spirv::ImageType &type,
                                const TexelFormatInfo &format) {
  std::optional<TexelFormat> declared = findTexelFormat(type.format);
  if (declared && *declared != format.format)
    return "the shader's type has format " + getTexelFormatInfo(*declared).name.str() +
           ", the image " + format.name.str();
  const spirv::Type &sampled = module.type(type.sampledType);
  bool isInteger = sampled.kind == TypeKind::Int;
  if (isInteger != format.isInteger())
    return "the shader reads " + std::string(isInteger ? "integers" : "floats") +
           ", the image has " + format.name.str();
  bool isWide = format.components[0].bits == 64;
  if (isInteger && isWide != (sampled.width == 64))
    return "the shader reads " + std::to_string(sampled.width) + " bits, the image has " +
           format.name.str();
  return "";
}

/// Fills \p view from the buffer and its binding. Returns why the view does not fit the shader's
/// type; empty if it fits.
static std::string viewImage(const spirv::Module &module, const spirv::ImageType &type,
                             const Buffer &buffer, const BufferBinding &binding, ImageView &view) {
  if (!buffer.texelFormat || !findTexelFormat(uint32_t(*buffer.texelFormat)))
    return "buffer '" + buffer.name + "' has no texel format";
  view.format = &getTexelFormatInfo(*buffer.texelFormat);
  view.isBuffer = type.dim == spv::Dim::Buffer;
  view.isCube = type.dim == spv::Dim::Cube;
  uint64_t size = view.memory->size();
  if (view.isBuffer) {
    view.shape.dimension = ImageDimension::Dim1D;
    view.firstByte = std::min(binding.offset, size);
    uint64_t texels = std::min(binding.range, size - view.firstByte) / view.format->bytes;
    view.shape.width = static_cast<uint32_t>(std::min<uint64_t>(texels, ~0u));
    return whyNotFormat(module, type, *view.format);
  }
  if (!buffer.image)
    return "buffer '" + buffer.name + "' is no image";
  view.shape = *buffer.image;
  if (uint64_t bytes = checkedImageBytes(view.shape, *view.format); bytes > size)
    return "the texels of image '" + buffer.name + "' are not all there";
  view.baseLevel = binding.baseMipLevel;
  if (view.baseLevel >= view.shape.mipLevels)
    return "the view begins at level " + std::to_string(view.baseLevel) + " of " +
           std::to_string(view.shape.mipLevels);
  std::string problem = whyNotView(view.shape, type);
  // A view of a type that is not arrayed has the first layer, or the first cube.
  view.layers = type.arrayed ? view.shape.layers : view.isCube ? 6 : 1;
  return problem.empty() ? whyNotFormat(module, type, *view.format) : problem;
}

/// The problem is reported only when a shader uses the descriptor.
ImageBinding reference::bindImage(const spirv::Module &module, const spirv::Type &type,
                                  const Case &input, const BufferBinding &binding,
                                  BufferMemory *memory, Robustness robustness) {
  ImageBinding result;
  if (!isRightKind(module, type, binding.kind)) {
    result.problem = "a descriptor of another kind is bound";
    return result;
  }
  bool hasSampler = type.kind != TypeKind::Image, hasImage = type.kind != TypeKind::Sampler;
  if (hasSampler) {
    if (binding.sampler >= input.samplers.size())
      result.problem = "no such sampler";
    else
      result.sampler = &input.samplers[binding.sampler];
  }
  if (!hasImage || !result.problem.empty())
    return result;
  if (!memory) {
    result.problem = "no such image";
    return result;
  }
  const spirv::Type &image = type.kind == TypeKind::SampledImage ? module.type(type.element) : type;
  ImageView view;
  view.memory = memory;
  view.robustness = robustness;
  result.problem = viewImage(module, image.image, input.buffers[binding.buffer], binding, view);
  result.image = view;
  return result;
}
