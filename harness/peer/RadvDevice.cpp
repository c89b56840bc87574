// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/RadvState.h"

#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdlib>

using namespace llvm;
using namespace assay;

void RadvDevice::State::reset() {
  vkDestroyPipelineLayout(device, std::exchange(layout, VK_NULL_HANDLE), nullptr);
  for (VkDescriptorSetLayout setLayout : setLayouts)
    vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
  setLayouts.clear();
  for (VkShaderModule module : modules)
    vkDestroyShaderModule(device, module, nullptr);
  modules.clear();
}

RadvDevice::State::~State() {
  if (device) {
    reset();
    vkDestroyDevice(device, nullptr);
  }
  if (instance)
    vkDestroyInstance(instance, nullptr);
}

RadvDevice::RadvDevice(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RadvDevice::~RadvDevice() = default;

const std::string &RadvDevice::description() const {
  return m_state->description;
}

Error assay::checkRadv(VkResult result, const char *call) {
  if (result == VK_SUCCESS)
    return Error::success();
  return environmentError(Twine(call) + " gives VkResult " + Twine(int(result)));
}

/// Sets the loader's and the driver's variables in this process. All caches are off, so that each
/// pipeline is compiled.
static void setRadvEnvironment(StringRef icd, StringRef family, const RadvSettings &settings) {
  setenv("VK_DRIVER_FILES", icd.str().c_str(), 1);
  setenv("VK_ICD_FILENAMES", icd.str().c_str(), 1);
  setenv("RADV_FORCE_FAMILY", family.str().c_str(), 1);
  std::string debug = "nocache";
  if (settings.compiler == RadvCompiler::Llvm)
    debug += ",llvm";
  if (!settings.usesNgg)
    debug += ",nongg";
  setenv("RADV_DEBUG", debug.c_str(), 1);
  setenv("RADV_PERFTEST", settings.graphicsWaveSize == 32 ? "gewave32,pswave32" : "", 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

/// Unsupported if the loader finds no driver that it can use; other failures are Environment.
static Error createInstance(VkInstance &instance) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkResult result = vkCreateInstance(&info, nullptr, &instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return unsupported("RADV: the Vulkan loader cannot use its driver file or library");
  return checkRadv(result, "vkCreateInstance");
}

/// Returns the only one: the environment names one driver and one family.
static Error choosePhysicalDevice(VkInstance instance, VkPhysicalDevice &physical) {
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (!count || !physical)
    return unsupported("RADV offers no null device for this family");
  return Error::success();
}

/// A device with all features that the driver has, as machine vulkan makes it.
static Error createDevice(VkPhysicalDevice physical, vulkan::DeviceFeatures &features,
                          bool &hasBinaries, bool &hasDescriptorBuffer, VkDevice &device) {
  hasBinaries = features.extensions.contains(vk::pipelineBinaryExtension) &&
                features.extensions.contains(vk::maintenance5Extension);
  hasDescriptorBuffer = features.extensions.contains(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
  vk::OneFeature maintenance5{vk::maintenance5FeaturesType, nullptr, VK_TRUE};
  vk::OneFeature binaries{vk::pipelineBinaryFeaturesType, &maintenance5, VK_TRUE};
  VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptorBuffer = {};
  descriptorBuffer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT;
  descriptorBuffer.descriptorBuffer = VK_TRUE;
  std::vector<const char *> extensions = features.enabledExtensions;
  VkPhysicalDeviceFeatures2 chain = features.chain.core;
  auto add = [&](void *first, void **last) { *last = std::exchange(chain.pNext, first); };
  if (hasBinaries) {
    extensions.insert(extensions.end(), {vk::maintenance5Extension, vk::pipelineBinaryExtension});
    add(&binaries, &maintenance5.pNext);
  }
  if (hasDescriptorBuffer) {
    extensions.push_back(VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME);
    add(&descriptorBuffer, &descriptorBuffer.pNext);
  }
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &chain;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  return checkRadv(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
}

Expected<std::unique_ptr<RadvDevice>>
RadvDevice::createHere(const std::string &icd, StringRef family, const RadvSettings &settings) {
  setRadvEnvironment(icd, family, settings);
  auto state = std::make_unique<State>();
  if (Error error = createInstance(state->instance))
    return std::move(error);
  if (Error error = choosePhysicalDevice(state->instance, state->physical))
    return std::move(error);

  VkPhysicalDeviceVulkan12Properties driver = {};
  driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &driver;
  vkGetPhysicalDeviceProperties2(state->physical, &properties);
  state->description = std::string(driver.driverName) + " " + driver.driverInfo;
  if (VK_VERSION_MAJOR(properties.properties.driverVersion) < 25)
    return unsupported(state->description + ": Mesa 25 or newer is needed (ci/deps --peers)");
  state->features = vulkan::queryFeatures(state->physical);
  if (Error error = createDevice(state->physical, *state->features, state->hasBinaries,
                                 state->hasDescriptorBuffer, state->device))
    return std::move(error);
  return std::unique_ptr<RadvDevice>(new RadvDevice(std::move(state)));
}

Expected<vulkan::Trial> RadvDevice::tryFamily(const std::string &icd, StringRef family,
                                              const RadvSettings &settings, Use use) {
  std::string name = family.str() + (settings.compiler == RadvCompiler::Llvm ? " llvm" : " aco") +
                     (settings.usesNgg ? "" : " nongg") +
                     (settings.graphicsWaveSize == 32 ? " wave32" : "");
  return vulkan::tryOnce(icd, name, [&]() -> Expected<std::string> {
    Expected<std::unique_ptr<RadvDevice>> device = createHere(icd, family, settings);
    if (!device)
      return device.takeError();
    std::string description = (*device)->description();
    if (use)
      if (Error error = use(std::move(*device)))
        return std::move(error);
    return description;
  });
}

/// The driver died: says which driver it is, by means of a chip that every version knows.
Error RadvDevice::explainDeath(const std::string &icd, StringRef family, StringRef death) {
  Expected<vulkan::Trial> oldest = tryFamily(icd, "vega10", {}, nullptr);
  if (!oldest)
    return oldest.takeError();
  std::string driver =
      oldest->end == vulkan::Trial::End::Died ? "RADV (" + icd + ")" : oldest->text;
  return unsupported(driver + "; for " + family + " it ends with " + death);
}

Error RadvDevice::tryOut(StringRef family, const RadvSettings &settings, Use use) {
  std::string icd = findVulkanIcd("radeon");
  if (icd.empty())
    return unsupported("RADV: " + missingVulkanIcd("radeon"));
  Expected<vulkan::Trial> trial = tryFamily(icd, family, settings, use);
  if (!trial)
    return trial.takeError();
  switch (trial->end) {
  case vulkan::Trial::End::Returned:
    return Error::success();
  case vulkan::Trial::End::Failed:
    return trial->isUnsupported ? unsupported(trial->text) : environmentError(trial->text);
  case vulkan::Trial::End::Died:
    return explainDeath(icd, family, trial->text);
  }
  llvm_unreachable("unknown end of a trial");
}

Expected<std::unique_ptr<RadvDevice>> RadvDevice::create(StringRef family,
                                                         const RadvSettings &settings) {
  if (Error error = tryOut(family, settings, nullptr))
    return std::move(error);
  return createHere(findVulkanIcd("radeon"), family, settings);
}

Expected<std::string> RadvDevice::findMissingFeature(const Case &input) const {
  return vulkan::findMissingFeature(input, *m_state->features);
}

Error RadvDevice::checkFormats(const Case &input) const {
  for (const CasePipeline &pipeline : input.pipelines)
    if (pipeline.description.isGraphics())
      if (Error error = vulkan::checkGraphicsFormats(pipeline, m_state->physical))
        return addContext(std::move(error), "pipeline '" + pipeline.name + "'");
  return Error::success();
}

bool RadvDevice::offersSubgroupSize(uint32_t size) const {
  const vulkan::DeviceFeatures &features = *m_state->features;
  return features.names.contains("subgroupSizeControl") && size >= features.minSubgroupSize &&
         size <= features.maxSubgroupSize;
}

Expected<VkShaderModule> RadvDevice::State::createModule(const RadvModule &source) const {
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = source.spirv.size() * 4;
  info.pCode = source.spirv.data();
  VkShaderModule result = VK_NULL_HANDLE;
  if (Error error =
          checkRadv(vkCreateShaderModule(device, &info, nullptr, &result), "vkCreateShaderModule"))
    return std::move(error);
  return result;
}

// In the order of radv::DescriptorType.
static constexpr VkDescriptorType descriptorTypes[] = {VK_DESCRIPTOR_TYPE_SAMPLER,
                                                       VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                       VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                                       VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                                       VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                                       VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};

Error RadvDevice::State::createLayouts(ArrayRef<radv::SetBinding> bindings,
                                       uint32_t pushConstantBytes, VkShaderStageFlags stages) {
  uint32_t sets = bindings.empty() ? 0 : bindings.back().set + 1;
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> own;
    for (const radv::SetBinding &binding : bindings)
      if (binding.set == set)
        own.push_back({binding.binding, descriptorTypes[size_t(binding.type)], binding.count,
                       stages, nullptr});
    VkDescriptorSetLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<uint32_t>(own.size());
    info.pBindings = own.data();
    setLayouts.emplace_back();
    if (Error error =
            checkRadv(vkCreateDescriptorSetLayout(device, &info, nullptr, &setLayouts.back()),
                      "vkCreateDescriptorSetLayout"))
      return error;
  }
  VkPushConstantRange range = {stages, 0, pushConstantBytes};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(setLayouts.size());
  info.pSetLayouts = setLayouts.data();
  info.pushConstantRangeCount = range.size ? 1 : 0;
  info.pPushConstantRanges = &range;
  return checkRadv(vkCreatePipelineLayout(device, &info, nullptr, &layout),
                   "vkCreatePipelineLayout");
}

Error RadvDevice::prepare(const RadvPipeline &pipeline) {
  State &state = *m_state;
  state.reset();
  state.pipeline = pipeline;
  VkShaderStageFlags stages = 0;
  for (const RadvModule &source : pipeline.stages) {
    Expected<VkShaderModule> module = state.createModule(source);
    if (!module)
      return module.takeError();
    state.modules.push_back(*module);
    stages |= getStageInfo(source.stage).vulkanBit;
  }
  return state.createLayouts(pipeline.bindings, pipeline.pushConstantBytes, stages);
}

Error RadvDevice::compilePipeline() {
  VkPipeline pipeline = VK_NULL_HANDLE;
  Error error = m_state->createPipeline(0, pipeline);
  vkDestroyPipeline(m_state->device, pipeline, nullptr);
  return error;
}

Expected<std::vector<std::vector<uint8_t>>> RadvDevice::captureBinaries() {
  State &state = *m_state;
  if (!state.hasBinaries)
    return unsupported(state.description + ": it has no " + vk::pipelineBinaryExtension);
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (Error error = state.createPipeline(vk::captureDataBit, pipeline))
    return std::move(error);
  Expected<std::vector<std::vector<uint8_t>>> binaries = state.readBinaries(pipeline);
  vkDestroyPipeline(state.device, pipeline, nullptr);
  return binaries;
}

template <typename Function>
static Expected<Function> findFunction(VkDevice device, const char *name) {
  if (auto function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name)))
    return function;
  return unsupported(Twine("RADV has no ") + name);
}

Expected<uint64_t> RadvDevice::bindingOffset(uint32_t set, uint32_t binding) const {
  auto get = findFunction<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>(
      m_state->device, "vkGetDescriptorSetLayoutBindingOffsetEXT");
  if (!get)
    return get.takeError();
  VkDeviceSize offset = 0;
  (*get)(m_state->device, m_state->setLayouts.at(set), binding, &offset);
  return offset;
}

Expected<uint64_t> RadvDevice::setBytes(uint32_t set) const {
  auto get = findFunction<PFN_vkGetDescriptorSetLayoutSizeEXT>(m_state->device,
                                                               "vkGetDescriptorSetLayoutSizeEXT");
  if (!get)
    return get.takeError();
  VkDeviceSize size = 0;
  (*get)(m_state->device, m_state->setLayouts.at(set), &size);
  return size;
}
