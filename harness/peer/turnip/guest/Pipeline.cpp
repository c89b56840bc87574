// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/guest/Pipeline.h"

#include "harness/peer/turnip/guest/FakeMsm.h"
#include <deque>
#include <functional>
#include <map>

using namespace assay::turnip;

namespace {

/// The Vulkan objects of one pipeline, destroyed in reverse order of their creation. Failed calls
/// throw DriverFailure. Call the public functions in the order in which they are declared.
class Capture {
public:
  Capture(Driver &driver, const PipelineRequest &request, const GuestResources &resources)
      : m_driver(driver), m_request(request), m_resources(resources) {}
  /// Destroys what was created, the last first.
  ~Capture() {
    for (auto destroy = m_owned.rbegin(); destroy != m_owned.rend(); ++destroy)
      (*destroy)();
  }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  /// Creates the layout and the pipeline.
  void compile();
  /// Adds the driver's statistics and its disassembly.
  void describe(PipelineAnswer &answer) const;
  /// Allocates and writes the descriptor sets. Throws NotOffered for a format that the driver can't
  /// use there.
  void createSets();
  /// Submits the dispatch with the numbers of \p dispatch, and returns what the device got.
  Submission submit(uint32_t dispatch);

private:
  /// Creates a set layout for each set up to the highest one. Bindings may be left empty.
  void createLayout();
  /// Throws NotOffered if the driver can't use the view's format for the descriptor's type.
  void requireFormat(const DescriptorRequest &request) const;
  /// Writes one descriptor, with a view that it creates where one is needed.
  void writeDescriptor(const DescriptorRequest &request);
  /// The view lives until this is destroyed.
  VkImageView createView(const DescriptorRequest &request);
  /// The view lives until this is destroyed.
  VkBufferView createTexelView(const DescriptorRequest &request);
  /// Records one dispatch with base workgroup, workgroup counts and push constants of \p dispatch.
  void record(VkCommandBuffer commands, uint32_t dispatch) const;

  Driver &m_driver;
  const PipelineRequest &m_request;
  const GuestResources &m_resources;
  std::vector<VkDescriptorSetLayout> m_setLayouts; ///< Index: the set.
  VkPipelineLayout m_layout = VK_NULL_HANDLE;
  VkPipeline m_pipeline = VK_NULL_HANDLE;
  std::vector<VkDescriptorSet> m_sets; ///< Index: the set.
  /// What destroys each handle.
  std::vector<std::function<void()>> m_owned;
};

} // namespace

/// Makes a layout for each set up to the highest one; sets without bindings are empty. Bindings may
/// be partially bound, since the case need not fill them.
void Capture::createLayout() {
  VkDevice device = m_driver.device();
  std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
  for (const BindingRequest &binding : m_request.bindings)
    sets[binding.set].push_back({binding.binding, VkDescriptorType(binding.type), binding.count,
                                 VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
  uint32_t count = sets.empty() ? 0 : sets.rbegin()->first + 1;
  for (uint32_t set = 0; set < count; ++set) {
    const std::vector<VkDescriptorSetLayoutBinding> &bindings = sets[set];
    std::vector<VkDescriptorBindingFlags> flags(bindings.size(),
                                                VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    VkDescriptorSetLayoutBindingFlagsCreateInfo flagsInfo = {};
    flagsInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
    flagsInfo.bindingCount = static_cast<uint32_t>(flags.size());
    flagsInfo.pBindingFlags = flags.data();
    VkDescriptorSetLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.pNext = &flagsInfo;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    check(m_driver.CreateDescriptorSetLayout(device, &info, nullptr, &layout),
          "vkCreateDescriptorSetLayout");
    m_owned.emplace_back(
        [=, this] { m_driver.DestroyDescriptorSetLayout(device, layout, nullptr); });
    m_setLayouts.push_back(layout);
  }
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, m_request.pushConstantBytes};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = count;
  info.pSetLayouts = m_setLayouts.data();
  info.pushConstantRangeCount = range.size ? 1 : 0;
  info.pPushConstantRanges = &range;
  check(m_driver.CreatePipelineLayout(device, &info, nullptr, &m_layout), "vkCreatePipelineLayout");
  m_owned.emplace_back([=, this] { m_driver.DestroyPipelineLayout(device, m_layout, nullptr); });
}

/// Keeps the pipeline's internal texts and statistics for describe(). Every specialization value
/// takes 8 bytes of the data.
void Capture::compile() {
  createLayout();
  VkDevice device = m_driver.device();
  VkShaderModuleCreateInfo moduleInfo = {};
  moduleInfo.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  moduleInfo.codeSize = m_request.spirv.size() * 4;
  moduleInfo.pCode = m_request.spirv.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(m_driver.CreateShaderModule(device, &moduleInfo, nullptr, &module), "vkCreateShaderModule");
  m_owned.emplace_back([=, this] { m_driver.DestroyShaderModule(device, module, nullptr); });

  std::vector<VkSpecializationMapEntry> entries;
  std::vector<uint64_t> values;
  for (const SpecializationRequest &each : m_request.specialization) {
    entries.push_back({each.id, static_cast<uint32_t>(values.size() * 8), each.bytes});
    values.push_back(each.bits);
  }
  VkSpecializationInfo specialization = {static_cast<uint32_t>(entries.size()), entries.data(),
                                         values.size() * 8, values.data()};
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {};
  subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  subgroup.requiredSubgroupSize = m_request.requiredSubgroupSize;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT |
               VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |
               VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  info.layout = m_layout;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = m_request.requiredSubgroupSize ? &subgroup : nullptr;
  info.stage.flags = m_request.stageFlags;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = m_request.entryPoint.c_str();
  info.stage.pSpecializationInfo = entries.empty() ? nullptr : &specialization;
  check(m_driver.CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
        "vkCreateComputePipelines");
  m_owned.emplace_back([=, this] { m_driver.DestroyPipeline(device, m_pipeline, nullptr); });
}

/// Takes over all statistics as whole numbers, and the text of the assembly.
void Capture::describe(PipelineAnswer &answer) const {
  VkPipelineExecutableInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
  info.pipeline = m_pipeline;
  uint32_t count = 0;
  m_driver.GetPipelineExecutableStatisticsKHR(m_driver.device(), &info, &count, nullptr);
  VkPipelineExecutableStatisticKHR empty = {};
  empty.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::vector<VkPipelineExecutableStatisticKHR> statistics(count, empty);
  check(m_driver.GetPipelineExecutableStatisticsKHR(m_driver.device(), &info, &count,
                                                    statistics.data()),
        "vkGetPipelineExecutableStatisticsKHR");
  for (const VkPipelineExecutableStatisticKHR &each : statistics)
    answer.statistics.push_back(
        {each.name, each.format == VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR
                        ? static_cast<uint64_t>(each.value.f64)
                        : each.value.u64});

  auto get = m_driver.GetPipelineExecutableInternalRepresentationsKHR;
  get(m_driver.device(), &info, &count, nullptr);
  VkPipelineExecutableInternalRepresentationKHR none = {};
  none.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR;
  std::vector<VkPipelineExecutableInternalRepresentationKHR> texts(count, none);
  get(m_driver.device(), &info, &count, texts.data());
  std::deque<std::string> data;
  for (VkPipelineExecutableInternalRepresentationKHR &text : texts)
    text.pData = data.emplace_back(text.dataSize, '\0').data();
  get(m_driver.device(), &info, &count, texts.data());
  for (size_t i = 0; i < texts.size(); ++i)
    if (std::string(texts[i].name).find("Assembly") != std::string::npos)
      answer.assembly = data[i].c_str(); // Up to its NUL.
}

/// Throws NotOffered where the device does not have the format for this kind of descriptor.
void Capture::requireFormat(const DescriptorRequest &request) const {
  VkFormatProperties offered = m_driver.formatProperties(VkFormat(request.viewFormat));
  bool isGood = false;
  switch (VkDescriptorType(request.type)) {
  case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    isGood = offered.bufferFeatures & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
    break;
  case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    isGood = offered.bufferFeatures & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT;
    break;
  case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    isGood = offered.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT;
    break;
  default:
    isGood = offered.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
  }
  if (!isGood)
    throw NotOffered("format " + std::to_string(request.viewFormat) + " of descriptor type " +
                     std::to_string(request.type));
}

/// The view covers the requested levels and layers, from layer 0 on.
VkImageView Capture::createView(const DescriptorRequest &request) {
  requireFormat(request);
  VkImageViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = m_resources.resources.at(request.resource).image;
  info.viewType = VkImageViewType(request.viewType);
  info.format = VkFormat(request.viewFormat);
  info.subresourceRange = {request.aspect, request.firstLevel, request.levels, 0, request.layers};
  VkImageView view = VK_NULL_HANDLE;
  check(m_driver.CreateImageView(m_driver.device(), &info, nullptr, &view), "vkCreateImageView");
  m_owned.emplace_back([=, this] { m_driver.DestroyImageView(m_driver.device(), view, nullptr); });
  return view;
}

/// Offset and range are in bytes.
VkBufferView Capture::createTexelView(const DescriptorRequest &request) {
  requireFormat(request);
  VkBufferViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = m_resources.resources.at(request.resource).buffer;
  info.format = VkFormat(request.viewFormat);
  info.offset = request.offset;
  info.range = request.range;
  VkBufferView view = VK_NULL_HANDLE;
  check(m_driver.CreateBufferView(m_driver.device(), &info, nullptr, &view), "vkCreateBufferView");
  m_owned.emplace_back([=, this] { m_driver.DestroyBufferView(m_driver.device(), view, nullptr); });
  return view;
}

/// Writes one element of a binding. The number ~0 means no sampler. All images are in the general
/// layout.
void Capture::writeDescriptor(const DescriptorRequest &request) {
  VkDescriptorImageInfo image = {};
  VkDescriptorBufferInfo buffer = {};
  VkBufferView texels = VK_NULL_HANDLE;
  image.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  if (request.sampler != ~0u)
    image.sampler = m_resources.samplers.at(request.sampler);
  VkWriteDescriptorSet write = {};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = m_sets.at(request.set);
  write.dstBinding = request.binding;
  write.dstArrayElement = request.element;
  write.descriptorCount = 1;
  write.descriptorType = VkDescriptorType(request.type);
  write.pImageInfo = &image;
  write.pBufferInfo = &buffer;
  write.pTexelBufferView = &texels;
  switch (write.descriptorType) {
  case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
  case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    buffer = {m_resources.resources.at(request.resource).buffer, request.offset, request.range};
    break;
  case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
  case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
    texels = createTexelView(request);
    break;
  case VK_DESCRIPTOR_TYPE_SAMPLER:
    break;
  default:
    image.imageView = createView(request);
  }
  m_driver.UpdateDescriptorSets(m_driver.device(), 1, &write, 0, nullptr);
}

/// Does nothing without sets. The pool has room for all bindings at once.
void Capture::createSets() {
  if (m_setLayouts.empty())
    return;
  VkDevice device = m_driver.device();
  std::vector<VkDescriptorPoolSize> sizes = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
  for (const BindingRequest &binding : m_request.bindings)
    sizes.push_back({VkDescriptorType(binding.type), binding.count});
  VkDescriptorPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  poolInfo.maxSets = static_cast<uint32_t>(m_setLayouts.size());
  poolInfo.poolSizeCount = static_cast<uint32_t>(sizes.size());
  poolInfo.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  check(m_driver.CreateDescriptorPool(device, &poolInfo, nullptr, &pool), "vkCreateDescriptorPool");
  m_owned.emplace_back([=, this] { m_driver.DestroyDescriptorPool(device, pool, nullptr); });
  m_sets.resize(m_setLayouts.size());
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool;
  info.descriptorSetCount = poolInfo.maxSets;
  info.pSetLayouts = m_setLayouts.data();
  check(m_driver.AllocateDescriptorSets(device, &info, m_sets.data()), "vkAllocateDescriptorSets");
  for (const DescriptorRequest &descriptor : m_request.descriptors)
    writeDescriptor(descriptor);
}

/// Base, group counts and push constants are numbers of this dispatch: what differs between
/// dispatches in the command streams comes from them.
void Capture::record(VkCommandBuffer commands, uint32_t dispatch) const {
  VkCommandBufferBeginInfo begin = {};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(m_driver.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  m_driver.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
  if (!m_sets.empty())
    m_driver.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0,
                                   static_cast<uint32_t>(m_sets.size()), m_sets.data(), 0, nullptr);
  std::vector<uint32_t> constants;
  for (uint32_t dword = 0; dword < m_request.pushConstantBytes / 4; ++dword)
    constants.push_back(dispatchedPushConstant(dispatch, dword));
  if (!constants.empty())
    m_driver.CmdPushConstants(commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              m_request.pushConstantBytes, constants.data());
  m_driver.CmdDispatchBase(commands, dispatchedBase(dispatch, 0), dispatchedBase(dispatch, 1),
                           dispatchedBase(dispatch, 2), dispatchedGroups(dispatch, 0),
                           dispatchedGroups(dispatch, 1), dispatchedGroups(dispatch, 2));
  check(m_driver.EndCommandBuffer(commands), "vkEndCommandBuffer");
}

/// Returns the streams of this submission and the memory of the device after it. The fake device
/// executes nothing.
Submission Capture::submit(uint32_t dispatch) {
  VkDevice device = m_driver.device();
  VkCommandPoolCreateInfo poolInfo = {};
  poolInfo.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  VkCommandPool pool = VK_NULL_HANDLE;
  check(m_driver.CreateCommandPool(device, &poolInfo, nullptr, &pool), "vkCreateCommandPool");
  m_owned.emplace_back([=, this] { m_driver.DestroyCommandPool(device, pool, nullptr); });
  VkCommandBufferAllocateInfo allocate = {};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  check(m_driver.AllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
  record(commands, dispatch);
  takeSubmission();
  VkSubmitInfo submit = {};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  check(m_driver.QueueSubmit(m_driver.queue(), 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
  check(m_driver.QueueWaitIdle(m_driver.queue()), "vkQueueWaitIdle");
  Submission submission;
  submission.streams = takeSubmission();
  submission.memory = readDeviceMemory();
  return submission;
}

/// Failures become part of the answer. What the device does not offer is marked as unsupported.
PipelineAnswer assay::turnip::capturePipeline(Driver &driver, const PipelineRequest &request,
                                              const GuestResources &resources) {
  PipelineAnswer answer;
  try {
    Capture capture(driver, request, resources);
    capture.compile();
    capture.describe(answer);
    capture.createSets();
    for (uint32_t dispatch = 0; dispatch < dispatchCount; ++dispatch)
      answer.submissions.push_back(capture.submit(dispatch));
  } catch (const NotOffered &failure) {
    answer.failure = failure.what();
    answer.isUnsupported = true;
  } catch (const std::exception &failure) {
    answer.failure = failure.what();
  }
  return answer;
}
