// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vulkan-runner: a compute shader, its bindings and one dispatch, for reports of driver bugs. It
// uses Vulkan alone, so that a driver's developers can build it by itself:
//   c++ -std=c++20 VulkanRunner.cpp -lvulkan -o vulkan-runner
//
//   vulkan-runner SHADER.spv [OPTION...] [BINDING...]
//
// Bindings of descriptor set 0, numbered from 0:
//   buffer=WORD,WORD,...   a storage buffer of these 32-bit words (WORD*N: N times)
//   uniform=WORD,...       a uniform buffer
//   image[:N], texture[:N], texels[:N]
//                          N storage images, combined image samplers, storage texel buffers; such a
//                          pipeline can be created, but not run
//   levels:N               a 2D sampled image, R32_UINT, with N levels, the last of one texel; its
//                          texels are uninitialized, so that only queries have meaningful results
// Options:
//   --device TEXT          the first device whose name contains TEXT
//   --push BYTES           a push constant range
//   --wave N               the required subgroup size
//   --robust2              robustBufferAccess2
//   --run                  dispatch one workgroup, and print the buffers
// Where a driver compiles for a chip that is not there (RADV_FORCE_FAMILY), leave out --run and let
// it print its code (RADV_DEBUG=shaders).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include <vulkan/vulkan.h>

namespace {

/// One binding of descriptor set 0. Only buffers have words, and only sampled images have levels;
/// all other kinds can't be dispatched.
struct Binding {
  VkDescriptorType type;
  uint32_t count = 1; ///< Descriptors of the array.
  std::vector<uint32_t> words;
  uint32_t levels = 0;
};

/// The command line. A binding's position in \p bindings is its number in the set.
struct Options {
  std::string shader, device;  ///< Path of SPIR-V; part of the device's name, or empty.
  uint32_t push = 0, wave = 0; ///< Bytes of push constants; required subgroup size, or 0.
  bool robust2 = false, run = false;
  std::vector<Binding> bindings;
};

/// Exit status 2.
[[noreturn]] void die(const std::string &message) {
  std::fprintf(stderr, "vulkan-runner: %s\n", message.c_str());
  std::exit(2);
}

/// Ends the program for anything but VK_SUCCESS.
void check(VkResult result, const char *what) {
  if (result != VK_SUCCESS)
    die(std::string(what) + " gives " + std::to_string(result));
}

/// Splits \p text at commas into 32-bit words: decimal, hexadecimal (0x) or negative numbers, each
/// with an optional repeat count (WORD*N). Larger numbers lose their high bits.
std::vector<uint32_t> parseWords(const std::string &text) {
  std::vector<uint32_t> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(',', at), text.size());
    std::string part = text.substr(at, end - at);
    size_t star = part.find('*');
    auto word = static_cast<uint32_t>(std::stoll(part.substr(0, star), nullptr, 0));
    size_t times = star == std::string::npos ? 1 : std::stoul(part.substr(star + 1));
    words.insert(words.end(), times, word);
    at = end + 1;
  }
  return words;
}

/// Parses "KIND=WORDS" or "KIND[:N]", for the kinds in the head of this file. Ends the program for
/// an unknown kind.
Binding parseBinding(const std::string &text) {
  static constexpr std::pair<const char *, VkDescriptorType> kinds[] = {
      {"buffer", VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
      {"uniform", VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
      {"image", VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
      {"texture", VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
      {"texels", VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
      {"levels", VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
  };
  std::string kind = text.substr(0, text.find_first_of("=:"));
  std::string rest = kind.size() < text.size() ? text.substr(kind.size() + 1) : "";
  for (const auto &[name, type] : kinds)
    if (kind == name) {
      bool isBuffer = text[kind.size()] == '=';
      if (type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE) {
        unsigned long levels = std::strtoul(rest.c_str(), nullptr, 10);
        if (levels < 1 || levels > 14)
          die("binding '" + text + "': expected levels:N, with N from 1 to 14");
        return {type, 1, {}, static_cast<uint32_t>(levels)};
      }
      return {type, isBuffer || rest.empty() ? 1 : static_cast<uint32_t>(std::stoul(rest)),
              isBuffer ? parseWords(rest) : std::vector<uint32_t>(), 0};
    }
  die("binding '" + text + "' is not known");
}

/// The first word without a leading "--" is the shader; all others are bindings. Ends the program
/// where there is no shader and where the number of an option is missing.
Options parseOptions(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    std::string word = arguments[i];
    auto number = [&] {
      if (i + 1 == count)
        die(word + " needs a number");
      return static_cast<uint32_t>(std::stoul(arguments[++i]));
    };
    if (word == "--run")
      options.run = true;
    else if (word == "--robust2")
      options.robust2 = true;
    else if (word == "--push")
      options.push = number();
    else if (word == "--wave")
      options.wave = number();
    else if (word == "--device") {
      if (i + 1 == count)
        die("--device needs a name");
      options.device = arguments[++i];
    } else if (options.shader.empty())
      options.shader = word;
    else
      options.bindings.push_back(parseBinding(word));
  }
  if (options.push % 4)
    die("--push needs a multiple of four bytes");
  if (options.shader.empty())
    die("usage: vulkan-runner SHADER.spv [--device TEXT] [--push BYTES] [--wave N] [--robust2] "
        "[--run] [buffer=WORDS|uniform=WORDS|image[:N]|texture[:N]|texels[:N]|levels:N...]");
  return options;
}

/// The Vulkan handles of one dispatch. Nothing is destroyed: everything lives until the process
/// ends. Call createDevice() and createPipeline(), then run() at most once.
class Runner {
public:
  /// \p options must outlive the value.
  explicit Runner(const Options &options) : m_options(options) {}

  /// Enables all core features. Robust buffer access is on only with --robust2. Creates one queue
  /// of family 0, which must support compute.
  void createDevice() {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
    chooseDevice();
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT};
    VkPhysicalDeviceVulkan13Features features13 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &robustness};
    VkPhysicalDeviceVulkan12Features features12 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
    VkPhysicalDeviceVulkan11Features features11 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          &features11};
    vkGetPhysicalDeviceFeatures2(m_physical, &features);
    features.features.robustBufferAccess &= m_options.robust2 ? VK_TRUE : VK_FALSE;
    features13.robustImageAccess = VK_FALSE;
    robustness.robustImageAccess2 = VK_FALSE;
    if (!m_options.robust2)
      features13.pNext = nullptr;
    const char *extension = VK_EXT_ROBUSTNESS_2_EXTENSION_NAME;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    device.enabledExtensionCount = m_options.robust2;
    device.ppEnabledExtensionNames = &extension;
    check(vkCreateDevice(m_physical, &device, nullptr, &m_device), "vkCreateDevice");
  }

  /// Creates the compute pipeline of the shader. The entry point must be "main". Says so at once,
  /// because a driver may die later. Ends the program where the file is no sequence of 32-bit
  /// words.
  void createPipeline() {
    std::ifstream file(m_options.shader, std::ios::binary);
    std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
    if (code.empty() || code.size() % 4)
      die(m_options.shader + " is no SPIR-V module");
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size();
    info.pCode = reinterpret_cast<const uint32_t *>(code.data());
    VkShaderModule module;
    check(vkCreateShaderModule(m_device, &info, nullptr, &module), "vkCreateShaderModule");
    createLayout();
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    size.requiredSubgroupSize = m_options.wave;
    VkComputePipelineCreateInfo pipeline = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline.stage.pNext = m_options.wave ? &size : nullptr;
    pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline.stage.module = module;
    pipeline.stage.pName = "main";
    pipeline.layout = m_layout;
    check(vkCreateComputePipelines(m_device, nullptr, 1, &pipeline, nullptr, &m_pipeline),
          "vkCreateComputePipelines");
    std::printf("pipeline created\n");
    std::fflush(stdout);
  }

  /// Dispatches one workgroup and prints the buffers. Push constants are zeros. Waits for the queue
  /// before the buffers are printed.
  void run() {
    createResources();
    VkCommandPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    check(vkCreateCommandPool(m_device, &poolInfo, nullptr, &pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.commandBufferCount = 1;
    VkCommandBuffer commands;
    check(vkAllocateCommandBuffers(m_device, &info, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    for (VkImage image : m_images)
      makeReadable(commands, image);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, 1, &m_set, 0,
                            nullptr);
    std::vector<uint32_t> zeros(m_options.push / 4);
    if (m_options.push)
      vkCmdPushConstants(commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, m_options.push,
                         zeros.data());
    vkCmdDispatch(commands, 1, 1, 1);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkQueue queue;
    vkGetDeviceQueue(m_device, 0, 0, &queue);
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, 1, &submit, nullptr), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
    print();
  }

private:
  /// Prints the name of the device. Keeps the first device with Options::device in its name, and
  /// ends the program where there is none.
  void chooseDevice() {
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, devices.data()),
          "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice device : devices) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(device, &properties);
      if (std::string(properties.deviceName).find(m_options.device) == std::string::npos)
        continue;
      std::printf("device: %s\n", properties.deviceName);
      m_physical = device;
      return;
    }
    die("no device has a name with '" + m_options.device + "' in it");
  }

  /// Creates the set layout and the pipeline layout. Bindings are numbered in the order of the
  /// command line; the push constants, if any, begin at byte 0.
  void createLayout() {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const Binding &binding : m_options.bindings)
      bindings.push_back({static_cast<uint32_t>(bindings.size()), binding.type, binding.count,
                          VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    check(vkCreateDescriptorSetLayout(m_device, &info, nullptr, &m_setLayout),
          "vkCreateDescriptorSetLayout");
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, m_options.push};
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &m_setLayout;
    layout.pushConstantRangeCount = m_options.push ? 1 : 0;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(m_device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
  }

  /// Returns the index of the first memory type that the host can map coherently and that is one of
  /// the \p allowed ones (a bit each). Ends the program where there is none.
  uint32_t findMemory(uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(m_physical, &properties);
    constexpr VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if (allowed >> i & 1 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
        return i;
    die("the device has no memory that the host sees");
  }

  /// Allocates the descriptor set, and creates and writes what each binding needs.
  void createResources() {
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, static_cast<uint32_t>(m_options.bindings.size() + 1)},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, static_cast<uint32_t>(m_options.bindings.size() + 1)},
        {VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, static_cast<uint32_t>(m_options.bindings.size() + 1)}};
    VkDescriptorPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 3;
    poolInfo.pPoolSizes = sizes;
    VkDescriptorPool pool;
    check(vkCreateDescriptorPool(m_device, &poolInfo, nullptr, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pool;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &m_setLayout;
    check(vkAllocateDescriptorSets(m_device, &info, &m_set), "vkAllocateDescriptorSets");
    for (uint32_t i = 0; i < m_options.bindings.size(); ++i) {
      const Binding &binding = m_options.bindings[i];
      if (binding.levels)
        createImage(i, binding);
      else
        createBuffer(i, binding);
    }
  }

  /// From an undefined content to the layout that its descriptor names.
  static void makeReadable(VkCommandBuffer commands, VkImage image) {
    VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  }

  /// Returns memory of any kind that \p needs allows.
  VkDeviceMemory allocate(const VkMemoryRequirements &needs) const {
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = needs.size;
    while (!(needs.memoryTypeBits >> info.memoryTypeIndex & 1))
      ++info.memoryTypeIndex;
    VkDeviceMemory memory;
    check(vkAllocateMemory(m_device, &info, nullptr, &memory), "vkAllocateMemory");
    return memory;
  }

  /// One of \p image and \p buffer is null.
  void writeDescriptor(uint32_t number, const Binding &binding, const VkDescriptorImageInfo *image,
                       const VkDescriptorBufferInfo *buffer) const {
    VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_set;
    write.dstBinding = number;
    write.descriptorCount = 1;
    write.descriptorType = binding.type;
    write.pImageInfo = image;
    write.pBufferInfo = buffer;
    vkUpdateDescriptorSets(m_device, 1, &write, 0, nullptr);
  }

  /// Creates the image of binding \p number and writes its descriptor.
  void createImage(uint32_t number, const Binding &binding) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R32_UINT;
    info.extent = {1U << (binding.levels - 1), 1U << (binding.levels - 1), 1};
    info.mipLevels = binding.levels;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
    VkImage image;
    check(vkCreateImage(m_device, &info, nullptr, &image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device, image, &needs);
    check(vkBindImageMemory(m_device, image, allocate(needs), 0), "vkBindImageMemory");
    VkImageViewCreateInfo viewInfo = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    viewInfo.image = image;
    viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D;
    viewInfo.format = info.format;
    viewInfo.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, binding.levels, 0, 1};
    VkImageView view;
    check(vkCreateImageView(m_device, &viewInfo, nullptr, &view), "vkCreateImageView");
    VkDescriptorImageInfo place = {nullptr, view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    writeDescriptor(number, binding, &place, nullptr);
    m_images.push_back(image);
    m_mapped.push_back(nullptr);
  }

  /// Creates and maps the buffer of binding \p number, fills it with its words and writes its
  /// descriptor. Ends the program for a binding without words.
  void createBuffer(uint32_t number, const Binding &binding) {
    if (binding.words.empty())
      die("only buffers and images with levels can be run");
    VkDeviceSize size = binding.words.size() * 4;
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
    VkBuffer buffer;
    check(vkCreateBuffer(m_device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, buffer, &needs);
    VkMemoryAllocateInfo memoryInfo = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    memoryInfo.allocationSize = needs.size;
    memoryInfo.memoryTypeIndex = findMemory(needs.memoryTypeBits);
    VkDeviceMemory memory;
    check(vkAllocateMemory(m_device, &memoryInfo, nullptr, &memory), "vkAllocateMemory");
    check(vkBindBufferMemory(m_device, buffer, memory, 0), "vkBindBufferMemory");
    void *bytes = nullptr;
    check(vkMapMemory(m_device, memory, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
    std::memcpy(bytes, binding.words.data(), size);
    m_mapped.push_back(static_cast<const uint32_t *>(bytes));
    VkDescriptorBufferInfo range = {buffer, 0, size};
    writeDescriptor(number, binding, nullptr, &range);
  }

  /// Prints a line for each buffer, uniform ones included: "binding N:" and its words in
  /// hexadecimal.
  void print() const {
    for (size_t i = 0; i < m_mapped.size(); ++i) {
      if (!m_mapped[i])
        continue;
      std::printf("binding %zu:", i);
      for (size_t word = 0; word < m_options.bindings[i].words.size(); ++word)
        std::printf(" %08x", m_mapped[i][word]);
      std::printf("\n");
    }
  }

  const Options &m_options;
  VkInstance m_instance = nullptr;
  VkPhysicalDevice m_physical = nullptr;
  VkDevice m_device = nullptr;
  VkDescriptorSetLayout m_setLayout = nullptr;
  VkPipelineLayout m_layout = nullptr;
  VkPipeline m_pipeline = nullptr;
  VkDescriptorSet m_set = nullptr;
  std::vector<VkImage> m_images;
  /// Contents of the buffers, in the order of bindings; null for images.
  std::vector<const uint32_t *> m_mapped;
};

} // namespace

/// Exit status 2 for all errors. Without --run it ends after the pipeline is created.
int main(int count, char **arguments) {
  Options options = parseOptions(count, arguments);
  Runner runner(options);
  runner.createDevice();
  runner.createPipeline();
  if (options.run)
    runner.run();
  return 0;
}
