// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attachments, vertices and indices of a graphics pipeline on a Vulkan device, and the commands
// that draw and clear. Draws use dynamic rendering, which has no input attachments in Vulkan 1.3;
// pipelines with these have a render pass of one subpass.
#pragma once

#include "oracles/machine/vulkan/Describe.h"
#include "oracles/machine/vulkan/Resources.h"

namespace assay::vulkan {

/// Attachments are in layout GENERAL all the time. The references given to create(), apart from its
/// input attachments, must outlive it.
class Rendering : public Owner {
public:
  /// Views of what \p source draws into, and of what it reads as \p inputs. Unsupported for a shape
  /// that cannot be an attachment.
  static llvm::Expected<std::unique_ptr<Rendering>>
  create(Device &device, const Resources &resources, const Case &input, const CasePipeline &source,
         const InputAttachments &inputs);

  /// The render pass for the pipeline; null for dynamic rendering.
  VkRenderPass pass() const { return m_pass; }

  /// Records \p draw. The pipeline, its sets and push constants are bound.
  void recordDraw(VkCommandBuffer commands, const Draw &draw) const;
  /// Records the clears of \p clear: each attachment's level as a whole. A number for an integer
  /// format is the integer nearest to zero.
  void recordClear(VkCommandBuffer commands, const Clear &clear) const;

private:
  /// An attachment on the device.
  struct View {
    VkImage image = VK_NULL_HANDLE;
    VkImageView view = VK_NULL_HANDLE;    ///< Null where nothing is attached.
    VkImageView resolve = VK_NULL_HANDLE; ///< Null where nothing is resolved.
    VkImageSubresourceRange range = {};
    TexelFormat format = TexelFormat::Undefined;
    uint32_t samples = 1;
  };

  Rendering(Device &device, const Resources &resources, const Case &input,
            const CasePipeline &source)
      : m_device(device), m_resources(resources), m_input(input), m_source(source) {}
  /// A 2D view, or a 2D array view where the image has layers. This owns it.
  llvm::Expected<VkImageView> createView(const Buffer &buffer, VkImage image,
                                         const VkImageSubresourceRange &range);
  /// The view of one mip level with all its layers, and that of the resolve target. InvalidInput
  /// for a buffer that is not an image; Unsupported for other images than 2D.
  llvm::Expected<View> attach(const Attachment &attachment);
  /// Fills m_inputs from the bindings of input attachments. Unsupported for an index beyond the
  /// device's limit.
  llvm::Error attachInputs(const InputAttachments &inputs);
  /// Creates a render pass of one subpass, and its framebuffer.
  llvm::Error createPass();
  /// \p views: in the order of the pass's attachments.
  llvm::Error createFramebuffer(llvm::ArrayRef<VkImageView> views);
  /// Begins the render pass. Attachments are loaded, not cleared.
  void beginPass(VkCommandBuffer commands) const;
  /// Begins dynamic rendering. Integer formats resolve to sample 0, others to the average.
  void beginDynamic(VkCommandBuffer commands) const;
  /// Binds all vertex buffers and, if there is one, the index buffer.
  void bindVertices(VkCommandBuffer commands) const;

  Device &m_device;
  const Resources &m_resources;
  const Case &m_input;
  const CasePipeline &m_source;
  std::vector<View> m_color; ///< One for each colour target of the pipeline.
  View m_depthStencil;
  std::vector<View> m_inputs; ///< By their index.
  VkRenderPass m_pass = VK_NULL_HANDLE;
  VkFramebuffer m_framebuffer = VK_NULL_HANDLE;
  uint32_t m_layers = ~0u; ///< That every attachment has.
};

} // namespace assay::vulkan
