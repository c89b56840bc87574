// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Pipeline.h"

#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "support/Error.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

/// In the order of BindingKind; push constants have none.
static constexpr VkDescriptorType descriptorTypes[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_MAX_ENUM,
                                                       VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                                       VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                                       VK_DESCRIPTOR_TYPE_SAMPLER,
                                                       VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};

/// For descriptors that the case leaves empty; in the order of DescriptorKind.
static constexpr VkDescriptorType emptyTypes[] = {
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};

/// Bytes of the specialization constant that \p instruction defines (Vulkan: a bool is a VkBool32).
static uint32_t specWidth(const spirv::Module &module, const spirv::Instruction &instruction) {
  const spirv::Type &type = module.type(instruction.typeId);
  return type.kind == spirv::TypeKind::Bool ? 4 : type.width / 8;
}

/// Collects from each stage the widths of specialization constants, images and input attachments.
Error Pipeline::readModules() {
  for (const ShaderDescription &shader : m_source.description.stages) {
    Expected<spirv::Module> module = spirv::decode(shader.spirv);
    if (!module)
      return module.takeError();
    Stage stage;
    for (const spirv::Instruction &instruction : module->globals)
      if (auto specId = module->decorationValue(instruction.resultId, spv::Decoration::SpecId))
        stage.specWidths[*specId] = specWidth(*module, instruction);
    for (const auto &image : findImages(*module))
      m_images.insert(image);
    for (const auto &input : findInputAttachments(*module))
      m_inputs.insert(input);
    m_stages.push_back(std::move(stage));
    m_stageFlags |= getStageInfo(shader.stage).vulkanBit;
  }
  return Error::success();
}

/// Unsupported for offsets that the device cannot align.
Error Pipeline::checkOffsets() const {
  const VkPhysicalDeviceLimits &limits = m_device.features().limits;
  for (const BufferBinding &binding : m_source.bindings) {
    uint64_t alignment = 1;
    if (binding.kind == BindingKind::Storage)
      alignment = limits.minStorageBufferOffsetAlignment;
    else if (binding.kind == BindingKind::Uniform)
      alignment = limits.minUniformBufferOffsetAlignment;
    else if (binding.kind == BindingKind::UniformTexelBuffer ||
             binding.kind == BindingKind::StorageTexelBuffer)
      alignment = limits.minTexelBufferOffsetAlignment;
    if (binding.offset % alignment)
      return unsupported("binding " + Twine(binding.binding) + ": offset " + Twine(binding.offset) +
                         " (the device needs multiples of " + Twine(alignment) + ")");
  }
  return Error::success();
}

/// A sampled image is an input attachment where a shader declares it so.
VkDescriptorType Pipeline::typeOf(const BufferBinding &binding) const {
  // Cases have no kind of their own for input attachments.
  if (binding.kind == BindingKind::SampledImage &&
      m_inputs.contains({binding.set, binding.binding}))
    return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
  return descriptorTypes[size_t(binding.kind)];
}

/// Returns the type of what is bound there, or, where nothing is, one that suits the declaration.
VkDescriptorType Pipeline::typeAt(const DescriptorTable &table, const DescriptorNode &node) const {
  for (const BufferBinding &binding : m_source.bindings)
    if (binding.kind != BindingKind::PushConstant && binding.set == table.set &&
        binding.binding == node.binding)
      return typeOf(binding);
  return emptyTypes[size_t(node.kind)];
}

/// Makes a layout for each set up to the highest one, and counts the descriptors of each type for
/// the pool. Bindings may be partially bound where the device permits it.
Error Pipeline::createSetLayouts() {
  VkDevice device = m_device.handle();
  const ResourceLayout &layout = m_source.description.layout;
  bool partlyBound = m_device.features().names.contains("descriptorBindingPartiallyBound");
  uint32_t sets = layout.tables.empty() ? 0 : layout.tables.back().set + 1;
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const DescriptorTable &table : layout.tables)
      for (const DescriptorNode &node : table.nodes) {
        if (table.set != set)
          continue;
        VkDescriptorType type = typeAt(table, node);
        VkShaderStageFlags stages = type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT
                                        ? VkShaderStageFlags(VK_SHADER_STAGE_FRAGMENT_BIT)
                                        : m_stageFlags;
        bindings.push_back({node.binding, type, node.count, stages, nullptr});
        m_descriptorCounts[type] += node.count;
      }
    std::vector<VkDescriptorBindingFlags> flags(bindings.size(),
                                                VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    VkDescriptorSetLayoutBindingFlagsCreateInfo flagsInfo = {};
    flagsInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
    flagsInfo.bindingCount = static_cast<uint32_t>(flags.size());
    flagsInfo.pBindingFlags = flags.data();
    VkDescriptorSetLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.pNext = partlyBound ? &flagsInfo : nullptr;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    if (Error error = check(vkCreateDescriptorSetLayout(device, &info, nullptr, &setLayout),
                            "vkCreateDescriptorSetLayout"))
      return error;
    own([device, setLayout] { vkDestroyDescriptorSetLayout(device, setLayout, nullptr); });
    m_setLayouts.push_back(setLayout);
  }
  return Error::success();
}

/// Unsupported where the push constants exceed the device's limit. One range serves all stages.
Error Pipeline::createLayout() {
  VkDevice device = m_device.handle();
  uint32_t pushBytes = m_source.description.layout.pushConstantDwords * 4;
  if (pushBytes > m_device.features().limits.maxPushConstantsSize)
    return unsupported("push constants of " + Twine(pushBytes) + " bytes");
  VkPushConstantRange range = {m_stageFlags, 0, pushBytes};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(m_setLayouts.size());
  info.pSetLayouts = m_setLayouts.data();
  info.pushConstantRangeCount = pushBytes ? 1 : 0;
  info.pPushConstantRanges = &range;
  if (Error error = check(vkCreatePipelineLayout(device, &info, nullptr, &m_layout),
                          "vkCreatePipelineLayout"))
    return error;
  own([device, layout = m_layout] { vkDestroyPipelineLayout(device, layout, nullptr); });
  return Error::success();
}

/// Makes the shader modules and fills their stage structures, which point into m_stages. Every
/// specialization value takes 8 bytes of the data.
Error Pipeline::describeStages() {
  VkDevice device = m_device.handle();
  for (auto [shader, stage] : zip_equal(m_source.description.stages, m_stages)) {
    VkShaderModuleCreateInfo moduleInfo = {};
    moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    moduleInfo.codeSize = shader.spirv.size() * 4;
    moduleInfo.pCode = shader.spirv.data();
    VkShaderModule module = VK_NULL_HANDLE;
    if (Error error = check(vkCreateShaderModule(device, &moduleInfo, nullptr, &module),
                            "vkCreateShaderModule"))
      return error;
    own([device, module] { vkDestroyShaderModule(device, module, nullptr); });
    for (const SpecializationValue &value : shader.specialization) {
      auto width = stage.specWidths.find(value.id);
      stage.entries.push_back({value.id, static_cast<uint32_t>(stage.values.size() * 8),
                               width == stage.specWidths.end() ? 4 : width->second});
      stage.values.push_back(value.bits);
    }
    stage.specialization = {static_cast<uint32_t>(stage.entries.size()), stage.entries.data(),
                            stage.values.size() * 8, stage.values.data()};
    stage.subgroup.sType =
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
    stage.subgroup.requiredSubgroupSize = shader.requiredSubgroupSize;
    VkPipelineShaderStageCreateInfo info =
        {}; // NOLINT(bugprone-invalid-enum-default-initialization)
    info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.pNext = shader.requiredSubgroupSize ? &stage.subgroup : nullptr;
    info.stage = VkShaderStageFlagBits(getStageInfo(shader.stage).vulkanBit);
    info.module = module;
    info.pName = shader.entryPoint.c_str();
    info.pSpecializationInfo = stage.entries.empty() ? nullptr : &stage.specialization;
    m_stageInfos.push_back(info);
  }
  return Error::success();
}

/// Flags on subgroup sizes are set only where the device has the feature.
Error Pipeline::createComputePipeline() {
  VkDevice device = m_device.handle();
  const DeviceFeatures &features = m_device.features();
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.layout = m_layout;
  info.stage = m_stageInfos.front();
  if (m_source.fullSubgroups && features.names.contains("computeFullSubgroups"))
    info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  if (m_source.varyingSubgroupSize && features.names.contains("subgroupSizeControl"))
    info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
  return check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
               "vkCreateComputePipelines");
}

/// Unsupported where the queue cannot draw or a format is missing.
Error Pipeline::createGraphicsPipeline() {
  if (!m_device.canDraw())
    return unsupported("a queue that draws");
  if (Error error = checkGraphicsFormats(m_source, m_device.physical()))
    return error;
  Expected<std::unique_ptr<Rendering>> rendering =
      Rendering::create(m_device, m_resources, m_input, m_source, m_inputs);
  if (!rendering)
    return rendering.takeError();
  m_rendering = std::move(*rendering);
  GraphicsInfo graphics(m_source.description.graphics, m_source.draw);
  graphics.info.layout = m_layout;
  graphics.info.renderPass = m_rendering->pass();
  graphics.info.stageCount = static_cast<uint32_t>(m_stageInfos.size());
  graphics.info.pStages = m_stageInfos.data();
  return check(vkCreateGraphicsPipelines(m_device.handle(), VK_NULL_HANDLE, 1, &graphics.info,
                                         nullptr, &m_pipeline),
               "vkCreateGraphicsPipelines");
}

/// Makes the one or the other kind, and owns it.
Error Pipeline::createPipeline() {
  if (Error error =
          m_source.description.isGraphics() ? createGraphicsPipeline() : createComputePipeline())
    return error;
  own([device = m_device.handle(), pipeline = m_pipeline] {
    vkDestroyPipeline(device, pipeline, nullptr);
  });
  return Error::success();
}

/// Allocates a set for each layout and writes the bindings that a shader declares.
Error Pipeline::allocateSets() {
  if (m_setLayouts.empty())
    return Error::success();
  VkDevice device = m_device.handle();
  std::vector<VkDescriptorPoolSize> sizes;
  for (const auto &[type, count] : m_descriptorCounts)
    sizes.push_back({type, count});
  if (sizes.empty())
    sizes.push_back({VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
  VkDescriptorPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  poolInfo.maxSets = static_cast<uint32_t>(m_setLayouts.size());
  poolInfo.poolSizeCount = static_cast<uint32_t>(sizes.size());
  poolInfo.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  if (Error error = check(vkCreateDescriptorPool(device, &poolInfo, nullptr, &pool),
                          "vkCreateDescriptorPool"))
    return error;
  own([device, pool] { vkDestroyDescriptorPool(device, pool, nullptr); });

  m_sets.resize(m_setLayouts.size());
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = static_cast<uint32_t>(m_setLayouts.size());
  info.pSetLayouts = m_setLayouts.data();
  if (Error error =
          check(vkAllocateDescriptorSets(device, &info, m_sets.data()), "vkAllocateDescriptorSets"))
    return error;
  for (const BufferBinding &binding : m_source.bindings)
    // What the shader does not declare has no place in a set.
    if (binding.kind != BindingKind::PushConstant &&
        m_source.description.layout.find(binding.set, binding.binding))
      if (Error error = writeDescriptor(binding))
        return error;
  return Error::success();
}

namespace {
/// Format features that a use of an image needs, and the use's name for messages.
struct UseOfImage {
  VkFormatFeatureFlags needed; ///< One of them.
  const char *name;
};
} // namespace

/// Types other than storage image and input attachment are sampled.
static UseOfImage describeUse(VkDescriptorType type) {
  switch (type) {
  case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    return {VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, "a storage image"};
  case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    return {VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT,
            "an input attachment"};
  default:
    return {VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, "a sampled image"};
  }
}

/// InvalidInput where shader and case differ on whether it is an image, Unsupported where the
/// device lacks the format for this use.
Expected<VkImageView> Pipeline::createImageView(const BufferBinding &binding) {
  const Buffer &buffer = m_input.buffers[binding.buffer];
  auto image = m_images.find({binding.set, binding.binding});
  if (!buffer.image || image == m_images.end())
    return invalidInput("binding " + Twine(binding.binding) + " of set " + Twine(binding.set) +
                        ": shader and script differ on whether it is an image");
  TexelFormat format = m_viewFormat.value_or(*buffer.texelFormat);
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(m_device.physical(), VkFormat(format), &properties);
  UseOfImage use = describeUse(typeOf(binding));
  if (!(properties.optimalTilingFeatures & use.needed))
    return unsupported("format " + getTexelFormatInfo(format).name + " of " + use.name);
  VkImageViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = m_resources.buffer(binding.buffer).image;
  info.viewType = viewType(image->second);
  info.format = VkFormat(format);
  info.subresourceRange = viewedRange(binding, image->second, *buffer.texelFormat);
  VkDevice device = m_device.handle();
  VkImageView view = VK_NULL_HANDLE;
  if (Error error = check(vkCreateImageView(device, &info, nullptr, &view), "vkCreateImageView"))
    return std::move(error);
  own([device, view] { vkDestroyImageView(device, view, nullptr); });
  return view;
}

/// InvalidInput for buffers without a texel format, Unsupported where the device lacks the format
/// for this use.
Expected<VkBufferView> Pipeline::createBufferView(const BufferBinding &binding) {
  const Buffer &buffer = m_input.buffers[binding.buffer];
  if (!buffer.texelFormat)
    return invalidInput("buffer '" + buffer.name + "' is bound as texel buffer, but has no format");
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(m_device.physical(), VkFormat(*buffer.texelFormat),
                                      &properties);
  VkFormatFeatureFlags needed = binding.kind == BindingKind::StorageTexelBuffer
                                    ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
                                    : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
  if (!(properties.bufferFeatures & needed))
    return unsupported("format " + getTexelFormatInfo(*buffer.texelFormat).name +
                       " of a texel buffer");
  VkBufferViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = m_resources.buffer(binding.buffer).buffer;
  info.format = VkFormat(*buffer.texelFormat);
  info.offset = binding.offset;
  info.range = viewedBytes(binding, buffer);
  VkDevice device = m_device.handle();
  VkBufferView view = VK_NULL_HANDLE;
  if (Error error = check(vkCreateBufferView(device, &info, nullptr, &view), "vkCreateBufferView"))
    return std::move(error);
  own([device, view] { vkDestroyBufferView(device, view, nullptr); });
  return view;
}

/// Writes one array element. Ranges of buffers are cut at the end of the buffer. The binding must
/// not be a push constant.
Error Pipeline::writeDescriptor(const BufferBinding &binding) {
  VkDescriptorBufferInfo buffer = {};
  VkDescriptorImageInfo image = {};
  VkBufferView texels = VK_NULL_HANDLE;
  switch (binding.kind) {
  case BindingKind::Storage:
  case BindingKind::Uniform: {
    const DeviceBuffer &source = m_resources.buffer(binding.buffer);
    if (binding.offset >= source.size || !binding.range)
      return unsupported("binding " + Twine(binding.binding) + ": no byte of buffer '" +
                         m_input.buffers[binding.buffer].name + "' (Vulkan has no empty ranges)");
    uint64_t rest = source.size - binding.offset;
    buffer = {source.buffer, binding.offset, std::min(binding.range, rest)};
    break;
  }
  case BindingKind::UniformTexelBuffer:
  case BindingKind::StorageTexelBuffer: {
    Expected<VkBufferView> view = createBufferView(binding);
    if (!view)
      return view.takeError();
    texels = *view;
    break;
  }
  case BindingKind::Sampler:
    image.sampler = m_resources.sampler(binding.sampler);
    break;
  case BindingKind::CombinedImageSampler:
  case BindingKind::SampledImage:
  case BindingKind::StorageImage: {
    Expected<VkImageView> view = createImageView(binding);
    if (!view)
      return view.takeError();
    image.imageView = *view;
    image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    if (binding.kind == BindingKind::CombinedImageSampler)
      image.sampler = m_resources.sampler(binding.sampler);
    break;
  }
  case BindingKind::PushConstant:
    llvm_unreachable("push constants have no descriptor");
  }
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = m_sets[binding.set];
  write.dstBinding = binding.binding;
  write.dstArrayElement = binding.arrayElement;
  write.descriptorCount = 1;
  write.descriptorType = typeOf(binding);
  write.pBufferInfo = &buffer;
  write.pImageInfo = &image;
  write.pTexelBufferView = &texels;
  vkUpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
  return Error::success();
}

/// Offsets are checked first, because they need no device objects.
Expected<std::unique_ptr<Pipeline>> Pipeline::create(Device &device, const Resources &resources,
                                                     const Case &input, const CasePipeline &source,
                                                     std::optional<TexelFormat> viewFormat) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline(device, resources, input, source, viewFormat));
  using Step = Error (Pipeline::*)();
  if (Error error = pipeline->checkOffsets())
    return std::move(error);
  for (Step step : {&Pipeline::readModules, &Pipeline::createSetLayouts, &Pipeline::createLayout,
                    &Pipeline::describeStages, &Pipeline::createPipeline, &Pipeline::allocateSets})
    if (Error error = (pipeline.get()->*step)())
      return std::move(error);
  return pipeline;
}

/// Binds pipeline and sets, and takes the push constants from the current contents of their
/// buffers. Bytes that no buffer provides are 0.
void Pipeline::recordBinding(VkCommandBuffer commands,
                             const std::vector<BufferState> &buffers) const {
  VkPipelineBindPoint point =
      m_rendering ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
  vkCmdBindPipeline(commands, point, m_pipeline);
  if (!m_sets.empty())
    vkCmdBindDescriptorSets(commands, point, m_layout, 0, static_cast<uint32_t>(m_sets.size()),
                            m_sets.data(), 0, nullptr);
  std::vector<uint8_t> push(m_source.description.layout.pushConstantDwords * size_t(4));
  for (const BufferBinding &binding : m_source.bindings) {
    if (binding.kind != BindingKind::PushConstant)
      continue;
    const std::vector<uint8_t> &bytes = buffers[binding.buffer].bytes;
    if (binding.offset < bytes.size())
      std::memcpy(push.data(), bytes.data() + binding.offset,
                  std::min(push.size(), bytes.size() - size_t(binding.offset)));
  }
  if (!push.empty())
    vkCmdPushConstants(commands, m_layout, m_stageFlags, 0, static_cast<uint32_t>(push.size()),
                       push.data());
}

/// Barriers are the caller's matter.
void Pipeline::recordDispatch(VkCommandBuffer commands, const uint32_t groups[3],
                              const std::vector<BufferState> &buffers) const {
  recordBinding(commands, buffers);
  vkCmdDispatch(commands, groups[0], groups[1], groups[2]);
}

/// The render pass is begun after the pipeline and its sets are bound.
void Pipeline::recordDraw(VkCommandBuffer commands, const Draw &draw,
                          const std::vector<BufferState> &buffers) const {
  recordBinding(commands, buffers);
  m_rendering->recordDraw(commands, draw);
}

/// The pipeline must be a graphics pipeline.
void Pipeline::recordClear(VkCommandBuffer commands, const Clear &clear) const {
  m_rendering->recordClear(commands, clear);
}
