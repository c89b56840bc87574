// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of a case in Vulkan's structures, for whoever makes a device do it.
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/api/Case.h"
#include <map>
#include <vulkan/vulkan.h>

namespace assay::vulkan {

/// Types of a module's image variables, by set and binding.
using ImageVariables = std::map<std::pair<uint32_t, uint32_t>, spirv::ImageType>;
/// Looks through arrays and sampled images. Variables without set or binding are left out.
ImageVariables findImages(const spirv::Module &module);

/// The input attachment that each such variable of a module is, by set and binding.
using InputAttachments = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
/// Input attachment indices by set and binding, from the decoration InputAttachmentIndex.
InputAttachments findInputAttachments(const spirv::Module &module);

/// The aspect that texels of \p format are.
VkImageAspectFlags getAspect(TexelFormat format);
/// The image that \p source is; tiling and usage are the caller's.
VkImageCreateInfo describeImage(const Buffer &source);
/// Anisotropy stays off.
VkSamplerCreateInfo describeSampler(const Sampler &source);

/// The view type for variables of type \p image. Dimensions other than 1D, 3D and Cube are 2D.
VkImageViewType viewType(const spirv::ImageType &image);
/// What \p binding shows of an image with texels of \p format, to a variable of type \p image.
VkImageSubresourceRange viewedRange(const BufferBinding &binding, const spirv::ImageType &image,
                                    TexelFormat format);
/// Bytes of \p buffer that the texel buffer \p binding shows: whole texels.
uint64_t viewedBytes(const BufferBinding &binding, const Buffer &buffer);

} // namespace assay::vulkan
