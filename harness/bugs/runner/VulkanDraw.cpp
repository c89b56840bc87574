// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vulkan-draw: a vertex shader, a fragment shader and one draw, for reports of driver bugs. It uses
// Vulkan 1.3 alone, so that a driver's developers can build it by itself:
//   c++ -std=c++20 VulkanDraw.cpp -lvulkan -o vulkan-draw
//
//   vulkan-draw VERTEX.spv FRAGMENT.spv [OPTION...]
//
// The vertex shader has no inputs but VertexIndex; there are no descriptors. The target begins with
// zeros, and is printed row by row, a hexadecimal number for each 32 bits of a texel.
// Options:
//   --device TEXT     the first device whose name contains TEXT
//   --format N        VkFormat of the target, of 4, 8 or 16 bytes a texel (default 98: R32_UINT)
//   --size N          width and height (default 8)
//   --samples N       the target is resolved to one sample before it is printed (default 1)
//   --topology N      VkPrimitiveTopology (default 3: triangle list)
//   --vertices N      default 3
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include <vulkan/vulkan.h>

namespace {

/// The command line, with the defaults that the head of this file lists. Numbers are not checked
/// here; the Vulkan calls that receive them fail.
struct Options {
  std::string vertex, fragment, device; ///< Paths of SPIR-V; part of the device's name, or empty.
  uint32_t format = VK_FORMAT_R32_UINT, size = 8, samples = 1, vertices = 3;
  uint32_t topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
};

/// Exit status 2.
[[noreturn]] void die(const std::string &message) {
  std::fprintf(stderr, "vulkan-draw: %s\n", message.c_str());
  std::exit(2);
}

/// Ends the program for anything but VK_SUCCESS.
void check(VkResult result, const char *what) {
  if (result != VK_SUCCESS)
    die(std::string(what) + " gives " + std::to_string(result));
}

/// Ends the program for an unknown word and for missing shaders. The first two words that are no
/// option are the paths of the vertex and the fragment shader. A number that std::stoul() can't
/// read throws.
Options parseOptions(int count, char **arguments) {
  Options options;
  const std::pair<const char *, uint32_t *> numbers[] = {{"--format", &options.format},
                                                         {"--size", &options.size},
                                                         {"--samples", &options.samples},
                                                         {"--topology", &options.topology},
                                                         {"--vertices", &options.vertices}};
  for (int i = 1; i < count; ++i) {
    std::string word = arguments[i];
    bool isNumber = false;
    for (const auto &[name, value] : numbers)
      if (word == name && i + 1 < count) {
        *value = static_cast<uint32_t>(std::stoul(arguments[++i]));
        isNumber = true;
        break;
      }
    if (isNumber)
      continue;
    if (word.starts_with("--")) {
      if (word != "--device" || i + 1 == count)
        die(word + " is not known, or its value is missing");
      options.device = arguments[++i];
    } else if (options.vertex.empty())
      options.vertex = word;
    else if (options.fragment.empty())
      options.fragment = word;
    else
      die("'" + word + "' is not known");
  }
  if (options.fragment.empty())
    die("usage: vulkan-draw VERTEX.spv FRAGMENT.spv [--device TEXT] [--format N] [--size N] "
        "[--samples N] [--topology N] [--vertices N]");
  return options;
}

/// Returns the 32-bit words of a texel: 4 for the formats with four channels of 32 bits, 2 for
/// those with two, 1 for all others. A format with another size is printed wrongly.
uint32_t texelWords(uint32_t format) {
  return format >= VK_FORMAT_R32G32B32A32_UINT && format <= VK_FORMAT_R32G32B32A32_SFLOAT ? 4
         : format >= VK_FORMAT_R32G32_UINT && format <= VK_FORMAT_R32G32_SFLOAT           ? 2
                                                                                          : 1;
}

/// Whether texels of one of these formats are integers, whose samples have no average.
bool isIntegerFormat(uint32_t format) {
  constexpr VkFormat integers[] = {VK_FORMAT_R8G8B8A8_UINT,     VK_FORMAT_R8G8B8A8_SINT,
                                   VK_FORMAT_R16G16_UINT,       VK_FORMAT_R16G16_SINT,
                                   VK_FORMAT_R32_UINT,          VK_FORMAT_R32_SINT,
                                   VK_FORMAT_R32G32_UINT,       VK_FORMAT_R32G32_SINT,
                                   VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_SINT};
  return std::find(std::begin(integers), std::end(integers), static_cast<VkFormat>(format)) !=
         std::end(integers);
}

/// The Vulkan handles of one draw. Nothing is destroyed: everything lives until the process ends.
/// Call createDevice(), createPipeline() and draw(), in this order.
class Drawer {
public:
  /// \p options must outlive the value.
  explicit Drawer(const Options &options) : m_options(options) {}

  /// Enables all core features of the device except robust buffer access. Creates one queue of
  /// family 0, which must support graphics.
  void createDevice() {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
    chooseDevice();
    VkPhysicalDeviceVulkan13Features features13 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          &features13};
    vkGetPhysicalDeviceFeatures2(m_physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo device = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    check(vkCreateDevice(m_physical, &device, nullptr, &m_device), "vkCreateDevice");
  }

  /// Creates the pipeline for dynamic rendering: one colour target, no vertex input, no blending,
  /// no culling, a viewport of the whole target.
  void createPipeline() {
    VkPipelineLayoutCreateInfo layoutInfo = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout;
    check(vkCreatePipelineLayout(m_device, &layoutInfo, nullptr, &layout),
          "vkCreatePipelineLayout");
    VkPipelineShaderStageCreateInfo stages[] = {
        describeStage(m_options.vertex, VK_SHADER_STAGE_VERTEX_BIT),
        describeStage(m_options.fragment, VK_SHADER_STAGE_FRAGMENT_BIT)};
    VkPipelineVertexInputStateCreateInfo input = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = static_cast<VkPrimitiveTopology>(m_options.topology);
    auto extent = static_cast<float>(m_options.size);
    VkViewport viewport = {0, 0, extent, extent, 0, 1};
    VkRect2D scissor = {{0, 0}, {m_options.size, m_options.size}};
    VkPipelineViewportStateCreateInfo viewports = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo rasterization = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    rasterization.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo multisample = {
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    multisample.rasterizationSamples = static_cast<VkSampleCountFlagBits>(m_options.samples);
    VkPipelineColorBlendAttachmentState target = {};
    target.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend = {
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &target;
    auto format = static_cast<VkFormat>(m_options.format);
    VkPipelineRenderingCreateInfo rendering = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &rasterization;
    info.pMultisampleState = &multisample;
    info.pColorBlendState = &blend;
    info.layout = layout;
    check(vkCreateGraphicsPipelines(m_device, nullptr, 1, &info, nullptr, &m_pipeline),
          "vkCreateGraphicsPipelines");
  }

  /// Clears the target, draws, resolves where there are several samples, and prints the texels.
  void draw() {
    Image target = createImage(m_options.samples), resolved = createImage(1);
    createBuffer();
    VkCommandBuffer commands = beginCommands();
    for (const Image &image : {target, resolved})
      prepare(commands, image);
    VkRenderingAttachmentInfo color = {VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    color.imageView = target.view;
    color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    if (m_options.samples > 1) {
      color.resolveMode = isIntegerFormat(m_options.format) ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT
                                                            : VK_RESOLVE_MODE_AVERAGE_BIT;
      color.resolveImageView = resolved.view;
      color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    VkRenderingInfo rendering = {VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea.extent = {m_options.size, m_options.size};
    rendering.layerCount = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &color;
    vkCmdBeginRendering(commands, &rendering);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, m_pipeline);
    vkCmdDraw(commands, m_options.vertices, 1, 0, 0);
    vkCmdEndRendering(commands);
    waitForAll(commands);
    VkBufferImageCopy region = {};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {m_options.size, m_options.size, 1};
    VkImage source = m_options.samples > 1 ? resolved.image : target.image;
    vkCmdCopyImageToBuffer(commands, source, VK_IMAGE_LAYOUT_GENERAL, m_buffer, 1, &region);
    waitForAll(commands);
    submit(commands);
    print();
  }

private:
  /// An image of the target's size and format. Its memory is never freed.
  struct Image {
    VkImage image;
    VkImageView view;
  };

  /// Prints the name of the device, and by which planes it clips points. Keeps the first device
  /// with Options::device in its name, and ends the program where there is none.
  void chooseDevice() {
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, devices.data()),
          "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice device : devices) {
      VkPhysicalDevicePointClippingProperties clipping = {
          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_POINT_CLIPPING_PROPERTIES};
      VkPhysicalDeviceProperties2 properties = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                &clipping};
      vkGetPhysicalDeviceProperties2(device, &properties);
      std::string name = properties.properties.deviceName;
      if (name.find(m_options.device) == std::string::npos)
        continue;
      std::printf("device: %s\npoints are clipped by: %s\n", name.c_str(),
                  clipping.pointClippingBehavior ? "user clip planes" : "all clip planes");
      m_physical = device;
      return;
    }
    die("no device has a name with '" + m_options.device + "' in it");
  }

  /// Creates a shader module from the file at \p path; the entry point must be "main". Ends the
  /// program where the file is empty, is missing or is not a sequence of 32-bit words.
  VkPipelineShaderStageCreateInfo describeStage(const std::string &path,
                                                VkShaderStageFlagBits stage) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> code((std::istreambuf_iterator<char>(file)), {});
    if (code.empty() || code.size() % 4)
      die(path + " is no SPIR-V module");
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size();
    info.pCode = reinterpret_cast<const uint32_t *>(code.data());
    VkPipelineShaderStageCreateInfo result = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    check(vkCreateShaderModule(m_device, &info, nullptr, &result.module), "vkCreateShaderModule");
    result.stage = stage;
    result.pName = "main";
    return result;
  }

  /// Allocates memory for \p needs from the first type that has all \p wanted flags. Ends the
  /// program where no type has them.
  VkDeviceMemory allocate(const VkMemoryRequirements &needs, VkMemoryPropertyFlags wanted) {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(m_physical, &properties);
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = needs.size;
    for (uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if (needs.memoryTypeBits >> i & 1 &&
          (properties.memoryTypes[i].propertyFlags & wanted) == wanted) {
        info.memoryTypeIndex = i;
        VkDeviceMemory memory;
        check(vkAllocateMemory(m_device, &info, nullptr, &memory), "vkAllocateMemory");
        return memory;
      }
    die("the device has no memory of the kind that is needed");
  }

  /// Returns a 2D image of Options::size squared, with its memory and a view of its only mip level.
  /// It is a colour attachment and the source of copies.
  Image createImage(uint32_t samples) {
    Image result;
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = static_cast<VkFormat>(m_options.format);
    info.extent = {m_options.size, m_options.size, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = static_cast<VkSampleCountFlagBits>(samples);
    info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    check(vkCreateImage(m_device, &info, nullptr, &result.image), "vkCreateImage");
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(m_device, result.image, &needs);
    check(vkBindImageMemory(m_device, result.image, allocate(needs, 0), 0), "vkBindImageMemory");
    VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = result.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    check(vkCreateImageView(m_device, &view, nullptr, &result.view), "vkCreateImageView");
    return result;
  }

  /// Creates the buffer that the target is copied to, and maps it for the rest of the process. Sets
  /// m_words and m_mapped.
  void createBuffer() {
    m_words = m_options.size * m_options.size * texelWords(m_options.format);
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = VkDeviceSize(m_words) * 4;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    check(vkCreateBuffer(m_device, &info, nullptr, &m_buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(m_device, m_buffer, &needs);
    VkDeviceMemory memory =
        allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    check(vkBindBufferMemory(m_device, m_buffer, memory, 0), "vkBindBufferMemory");
    void *bytes = nullptr;
    check(vkMapMemory(m_device, memory, 0, VK_WHOLE_SIZE, 0, &bytes), "vkMapMemory");
    m_mapped = static_cast<const uint32_t *>(bytes);
  }

  /// Returns a primary command buffer from a new pool of queue family 0, already in the recording
  /// state.
  VkCommandBuffer beginCommands() {
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
    return commands;
  }

  /// Records the transition of \p image from undefined contents to layout GENERAL.
  static void prepare(VkCommandBuffer commands, const Image &image) {
    VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.image = image.image;
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
  }

  /// Records a barrier between all earlier writes and all later reads, the host's too.
  static void waitForAll(VkCommandBuffer commands) {
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
  }

  /// Ends \p commands, submits them to the only queue and waits until the queue is idle.
  void submit(VkCommandBuffer commands) {
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkQueue queue;
    vkGetDeviceQueue(m_device, 0, 0, &queue);
    VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, 1, &info, nullptr), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
  }

  /// Prints each row of the target in a line: its 32-bit words in hexadecimal, separated by blanks.
  void print() const {
    uint32_t perRow = m_words / m_options.size;
    for (uint32_t i = 0; i < m_words; ++i)
      std::printf("%08x%c", m_mapped[i], i % perRow + 1 == perRow ? '\n' : ' ');
  }

  const Options &m_options;
  VkInstance m_instance = nullptr;
  VkPhysicalDevice m_physical = nullptr;
  VkDevice m_device = nullptr;
  VkPipeline m_pipeline = nullptr;
  VkBuffer m_buffer = nullptr;
  uint32_t m_words = 0;               ///< 32-bit words of the whole target.
  const uint32_t *m_mapped = nullptr; ///< Contents of m_buffer.
};

} // namespace

/// Exit status 2 for all errors; the image is on stdout otherwise.
int main(int count, char **arguments) {
  Options options = parseOptions(count, arguments);
  Drawer drawer(options);
  drawer.createDevice();
  drawer.createPipeline();
  drawer.draw();
  return 0;
}
