// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/RadvDevice.h"

#include "oracles/machine/vulkan/Features.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "support/Error.h"

#include <cstdlib>
#include <utility>
#include <vulkan/vulkan.h>

using namespace llvm;
using namespace assay;

struct RadvDevice::State {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkShaderModule module = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayout> setLayouts;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::string entryPoint;
  std::string description;

  /// Forgets the shader that was prepared.
  void reset() {
    vkDestroyPipelineLayout(device, std::exchange(layout, VK_NULL_HANDLE), nullptr);
    for (VkDescriptorSetLayout setLayout : setLayouts)
      vkDestroyDescriptorSetLayout(device, setLayout, nullptr);
    setLayouts.clear();
    vkDestroyShaderModule(device, std::exchange(module, VK_NULL_HANDLE), nullptr);
  }

  ~State() {
    if (device) {
      reset();
      vkDestroyDevice(device, nullptr);
    }
    if (instance)
      vkDestroyInstance(instance, nullptr);
  }
};

RadvDevice::RadvDevice(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RadvDevice::~RadvDevice() = default;

const std::string &RadvDevice::description() const {
  return m_state->description;
}

static Error check(VkResult result, const char *call) {
  if (result == VK_SUCCESS)
    return Error::success();
  return environmentError(Twine(call) + " gives VkResult " + Twine(int(result)));
}

static void setRadvEnvironment(StringRef icd, StringRef family, RadvCompiler compiler) {
  setenv("VK_DRIVER_FILES", icd.str().c_str(), 1);
  setenv("VK_ICD_FILENAMES", icd.str().c_str(), 1);
  setenv("RADV_FORCE_FAMILY", family.str().c_str(), 1);
  setenv("RADV_DEBUG", compiler == RadvCompiler::Llvm ? "nocache,llvm" : "nocache", 1);
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
}

static Error createInstance(VkInstance &instance) {
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  return check(vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
}

static Error createDevice(VkInstance instance, VkPhysicalDevice &physical, VkDevice &device) {
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  if (!count || !physical)
    return unsupported("RADV offers no null device for this family");
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  return check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
}

Expected<std::unique_ptr<RadvDevice>> RadvDevice::create(StringRef family, RadvCompiler compiler) {
  std::string icd = findVulkanIcd("radeon");
  if (icd.empty())
    return unsupported("RADV is not installed (ci/deps --peers)");
  setRadvEnvironment(icd, family, compiler);
  auto state = std::make_unique<State>();
  if (Error error = createInstance(state->instance))
    return std::move(error);
  if (Error error = createDevice(state->instance, state->physical, state->device))
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
  return std::unique_ptr<RadvDevice>(new RadvDevice(std::move(state)));
}

// In the order of DescriptorKind. Uniform and storage buffers have one descriptor on AMD's GPUs.
static constexpr VkDescriptorType descriptorTypes[] = {
    VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
    VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER,
    VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER};

static Error createSetLayouts(VkDevice device, const ResourceLayout &layout,
                              std::vector<VkDescriptorSetLayout> &setLayouts) {
  uint32_t sets = layout.tables.empty() ? 0 : layout.tables.back().set + 1;
  for (uint32_t set = 0; set < sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const DescriptorTable &table : layout.tables)
      for (const DescriptorNode &node : table.nodes)
        if (table.set == set)
          bindings.push_back({node.binding, descriptorTypes[size_t(node.kind)], node.count,
                              VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    setLayouts.emplace_back();
    if (Error error = check(vkCreateDescriptorSetLayout(device, &info, nullptr, &setLayouts.back()),
                            "vkCreateDescriptorSetLayout"))
      return error;
  }
  return Error::success();
}

Expected<std::string> RadvDevice::findMissingFeature(const Case &input) const {
  return vulkan::findMissingFeature(input, *vulkan::queryFeatures(m_state->physical));
}

Error RadvDevice::prepare(ArrayRef<uint32_t> spirv, const std::string &entryPoint,
                          const ResourceLayout &layout) {
  State &state = *m_state;
  state.reset();
  state.entryPoint = entryPoint;
  VkShaderModuleCreateInfo module = {};
  module.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  module.codeSize = spirv.size() * 4;
  module.pCode = spirv.data();
  if (Error error = check(vkCreateShaderModule(state.device, &module, nullptr, &state.module),
                          "vkCreateShaderModule"))
    return error;
  if (Error error = createSetLayouts(state.device, layout, state.setLayouts))
    return error;
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, layout.pushConstantDwords * 4};
  VkPipelineLayoutCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = static_cast<uint32_t>(state.setLayouts.size());
  info.pSetLayouts = state.setLayouts.data();
  info.pushConstantRangeCount = range.size ? 1 : 0;
  info.pPushConstantRanges = &range;
  return check(vkCreatePipelineLayout(state.device, &info, nullptr, &state.layout),
               "vkCreatePipelineLayout");
}

Error RadvDevice::compilePipeline() {
  State &state = *m_state;
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = state.module;
  info.stage.pName = state.entryPoint.c_str();
  info.layout = state.layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  Error error =
      check(vkCreateComputePipelines(state.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
            "vkCreateComputePipelines");
  vkDestroyPipeline(state.device, pipeline, nullptr);
  return error;
}
