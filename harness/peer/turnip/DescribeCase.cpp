// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/DescribeCase.h"

#include "harness/peer/RadvDevice.h"
#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/Features.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// A buffer has at least 4 bytes, as Vulkan allows no empty one. Images get all usages that any
/// binding needs.
static Expected<ResourceRequest> describeResource(const Buffer &source) {
  ResourceRequest request;
  request.bytes = std::max<uint64_t>(source.bytes.size(), 4);
  if (!source.image)
    return request;
  if (source.image->samples > 1)
    return unsupported("turnip: multisample image '" + source.name + "'");
  VkImageCreateInfo info = vulkan::describeImage(source);
  ImageRequest &image = request.image.emplace();
  image.type = info.imageType;
  image.format = info.format;
  image.flags = info.flags;
  image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  image.width = info.extent.width;
  image.height = info.extent.height;
  image.depth = info.extent.depth;
  image.levels = info.mipLevels;
  image.layers = info.arrayLayers;
  image.samples = info.samples;
  return request;
}

/// Copies the members of VkSamplerCreateInfo that can differ from 0.
static SamplerRequest describeSampler(const Sampler &source) {
  VkSamplerCreateInfo info = vulkan::describeSampler(source);
  SamplerRequest request;
  request.magFilter = info.magFilter;
  request.minFilter = info.minFilter;
  request.mipFilter = info.mipmapMode;
  request.address[0] = info.addressModeU;
  request.address[1] = info.addressModeV;
  request.address[2] = info.addressModeW;
  request.border = info.borderColor;
  request.minLod = info.minLod;
  request.maxLod = info.maxLod;
  request.lodBias = info.mipLodBias;
  request.unnormalized = info.unnormalizedCoordinates;
  request.comparisonOn = info.compareEnable;
  request.comparison = info.compareOp;
  return request;
}

/// Whether a descriptor of \p kind has an image view.
static bool isImage(BindingKind kind) {
  return kind == BindingKind::SampledImage || kind == BindingKind::StorageImage ||
         kind == BindingKind::CombinedImageSampler;
}

/// Whether a descriptor of \p kind has a buffer view.
static bool isTexelBuffer(BindingKind kind) {
  return kind == BindingKind::UniformTexelBuffer || kind == BindingKind::StorageTexelBuffer;
}

/// Sets the view of \p request by the type of the shader's variable. InvalidInput where the shader
/// or the script does not have an image there.
static Error describeView(const BufferBinding &binding, const Buffer &buffer,
                          const vulkan::ImageVariables &images, DescriptorRequest &request) {
  auto image = images.find({binding.set, binding.binding});
  if (!buffer.image || image == images.end())
    return invalidInput("binding " + Twine(binding.binding) + " of set " + Twine(binding.set) +
                        ": shader and script differ on whether it is an image");
  VkImageSubresourceRange range = vulkan::viewedRange(binding, image->second, *buffer.texelFormat);
  request.viewType = vulkan::viewType(image->second);
  request.viewFormat = static_cast<uint32_t>(*buffer.texelFormat);
  request.aspect = range.aspectMask;
  request.firstLevel = range.baseMipLevel;
  request.levels = range.levelCount;
  request.layers = range.layerCount;
  return Error::success();
}

/// \p type is a VkDescriptorType.
static Expected<DescriptorRequest> describeDescriptor(const Case &input,
                                                      const BufferBinding &binding, uint32_t type,
                                                      const vulkan::ImageVariables &images) {
  DescriptorRequest request;
  request.set = binding.set;
  request.binding = binding.binding;
  request.element = binding.arrayElement;
  request.type = type;
  if (binding.kind == BindingKind::Sampler || binding.kind == BindingKind::CombinedImageSampler)
    request.sampler = binding.sampler;
  if (binding.kind == BindingKind::Sampler)
    return request;
  const Buffer &buffer = input.buffers[binding.buffer];
  request.resource = binding.buffer;
  if (isImage(binding.kind)) {
    if (Error error = describeView(binding, buffer, images, request))
      return std::move(error);
    return request;
  }
  uint64_t size = std::max<uint64_t>(buffer.bytes.size(), 4);
  request.offset = binding.offset;
  request.range = std::min(binding.range, size - std::min(binding.offset, size));
  if (!isTexelBuffer(binding.kind))
    return request;
  if (!buffer.texelFormat)
    return invalidInput("buffer '" + buffer.name + "' is bound as texel buffer, but has no format");
  request.viewFormat = static_cast<uint32_t>(*buffer.texelFormat);
  request.range = vulkan::viewedBytes(binding, buffer);
  return request;
}

/// Unsupported for a graphics pipeline. Bindings that the shader does not declare are left out.
static Expected<PipelineRequest> describePipeline(const Case &input, const CasePipeline &source,
                                                  uint32_t subgroupSize) {
  if (Error error = requireCompute(source.description).takeError())
    return std::move(error);
  // RADV's description is that of any Vulkan driver; its descriptor types are Vulkan's.
  Expected<RadvPipeline> known = describeForRadv(source, subgroupSize);
  if (!known)
    return known.takeError();
  const RadvModule &shader = known->stages.front();
  Expected<spirv::Module> module = spirv::decode(shader.spirv);
  if (!module)
    return module.takeError();
  vulkan::ImageVariables images = vulkan::findImages(*module);
  PipelineRequest request;
  request.spirv = shader.spirv;
  request.entryPoint = shader.entryPoint;
  for (auto [value, bytes] : zip_equal(shader.specialization, shader.specializationBytes))
    request.specialization.push_back({value.id, bytes, value.bits});
  request.requiredSubgroupSize = shader.requiredSubgroupSize;
  if (shader.fullSubgroups)
    request.stageFlags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  request.pushConstantBytes = known->pushConstantBytes;
  for (const radv::SetBinding &binding : known->bindings)
    request.bindings.push_back(
        {binding.set, binding.binding, static_cast<uint32_t>(binding.type), binding.count});
  for (const BufferBinding &binding : source.bindings) {
    auto place = find_if(request.bindings, [&](const BindingRequest &each) {
      return each.set == binding.set && each.binding == binding.binding;
    });
    // What the shader does not declare has no place in a set.
    if (binding.kind == BindingKind::PushConstant || place == request.bindings.end())
      continue;
    Expected<DescriptorRequest> descriptor =
        describeDescriptor(input, binding, place->type, images);
    if (!descriptor)
      return descriptor.takeError();
    request.descriptors.push_back(*descriptor);
  }
  return request;
}

/// Asks for the features, properties and extensions that a case may require.
void turnip::addQueries(Request &request) {
  for (const vulkan::StructureSize &structure : vulkan::featureStructures())
    request.features.push_back({static_cast<uint32_t>(structure.type), structure.bytes});
  for (const vulkan::StructureSize &structure : vulkan::propertyStructures())
    request.properties.push_back({static_cast<uint32_t>(structure.type), structure.bytes});
  request.extensions = vulkan::featureExtensions();
}

/// Describes all resources and pipelines of the case. Indices in the request are those of the case.
/// Errors name the pipeline.
Expected<Request> turnip::describeCase(const Case &input, uint32_t subgroupSize) {
  Request request;
  addQueries(request);
  for (const Buffer &buffer : input.buffers) {
    Expected<ResourceRequest> resource = describeResource(buffer);
    if (!resource)
      return resource.takeError();
    request.resources.push_back(*resource);
  }
  for (const Sampler &sampler : input.samplers)
    request.samplers.push_back(describeSampler(sampler));
  for (const CasePipeline &source : input.pipelines) {
    Expected<PipelineRequest> pipeline = describePipeline(input, source, subgroupSize);
    if (!pipeline)
      return addContext(pipeline.takeError(), "pipeline '" + source.name + "'");
    request.pipelines.push_back(std::move(*pipeline));
  }
  return request;
}

/// A combined image sampler is two descriptors of 64 bytes; a storage buffer may be three, one for
/// each width of its elements (tu_descriptor_set.cc).
std::vector<uint64_t> turnip::descriptorRoom(const PipelineRequest &pipeline) {
  std::vector<uint64_t> room;
  for (const BindingRequest &binding : pipeline.bindings) {
    if (room.size() <= binding.set)
      room.resize(binding.set + 1);
    room[binding.set] += uint64_t(binding.count) * 3 * 64;
  }
  return room;
}
