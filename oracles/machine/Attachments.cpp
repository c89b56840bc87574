// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/Attachments.h"

#include "oracles/raster/TargetState.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using raster::RenderTarget;

uint64_t Attachments::getOffset(const Attachment &attachment) const {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  uint64_t offset = 0;
  for (uint32_t level = 0; level < attachment.mipLevel; ++level)
    offset += getLevelBytes(*buffer.image, *buffer.texelFormat, level);
  return offset;
}

/// Loads one level of an image. InvalidInput for a buffer that is not an image or too small for the
/// level; Unsupported for a format that cannot be rendered to. A target that was open for the level
/// is replaced.
Expected<RenderTarget *> Attachments::openTarget(const Attachment &attachment,
                                                 ArrayRef<BufferState> states) {
  const Buffer &buffer = m_input.buffers[attachment.buffer];
  if (!buffer.image || !buffer.texelFormat)
    return invalidInput("attachment '" + buffer.name + "' is no image");
  if (std::string reason = raster::whyNotRenderable(*buffer.texelFormat); !reason.empty())
    return unsupported(reason);
  const ImageShape &shape = *buffer.image;
  uint64_t offset = getOffset(attachment);
  uint64_t size = getLevelBytes(shape, *buffer.texelFormat, attachment.mipLevel);
  const BufferState &state = states[attachment.buffer];
  if (offset + size > state.bytes.size())
    return invalidInput("attachment '" + buffer.name + "' has " + Twine(state.bytes.size()) +
                        " bytes, too few for its level " + Twine(attachment.mipLevel));
  uint32_t level = attachment.mipLevel;
  std::unique_ptr<RenderTarget> &target = m_targets[{attachment.buffer, level}];
  target = std::make_unique<RenderTarget>(*buffer.texelFormat, std::max(shape.width >> level, 1u),
                                          std::max(shape.height >> level, 1u), shape.layers,
                                          shape.samples);
  raster::loadTarget(*target, state, offset);
  return target.get();
}

/// All attachments of \p pipeline.
static void forEachAttachment(const CasePipeline &pipeline,
                              function_ref<void(const Attachment &)> visit) {
  for (const std::optional<Attachment> &color : pipeline.draw.color)
    if (color)
      visit(*color);
  if (pipeline.draw.depthStencil)
    visit(*pipeline.draw.depthStencil);
}

Expected<raster::Framebuffer> Attachments::open(const CasePipeline &pipeline,
                                                ArrayRef<BufferState> states) {
  raster::Framebuffer framebuffer;
  framebuffer.width = pipeline.draw.width;
  framebuffer.height = pipeline.draw.height;
  for (const std::optional<Attachment> &color : pipeline.draw.color) {
    framebuffer.color.push_back(nullptr);
    if (!color)
      continue;
    if (Error error = openTarget(*color, states).moveInto(framebuffer.color.back()))
      return std::move(error);
  }
  if (pipeline.draw.depthStencil)
    if (Error error =
            openTarget(*pipeline.draw.depthStencil, states).moveInto(framebuffer.depthStencil))
      return std::move(error);
  return framebuffer;
}

/// Writes an open target into its buffer, and notes its rounded texels by their offset in bytes.
void Attachments::closeTarget(const Attachment &attachment, std::vector<BufferState> &states) {
  const RenderTarget &target = *m_targets[{attachment.buffer, attachment.mipLevel}];
  uint64_t offset = getOffset(attachment);
  raster::storeTarget(target, states[attachment.buffer], offset);
  for (uint64_t index : target.roundedTexels())
    m_rounded.insert({attachment.buffer, offset + index * target.texelBytes()});
}

Error Attachments::close(const CasePipeline &pipeline, std::vector<BufferState> &states) {
  Error result = Error::success();
  forEachAttachment(pipeline, [&](const Attachment &attachment) {
    if (result)
      return;
    closeTarget(attachment, states);
    if (!attachment.resolve)
      return;
    Attachment resolved{*attachment.resolve, 0, std::nullopt};
    Expected<RenderTarget *> to = openTarget(resolved, states);
    if (!to) {
      result = to.takeError();
      return;
    }
    raster::resolve(*m_targets[{attachment.buffer, attachment.mipLevel}], **to);
    closeTarget(resolved, states);
  });
  return result;
}

Expected<std::vector<raster::DrawVertex>>
assay::listVertices(const Draw &draw, const CasePipeline &pipeline, ArrayRef<BufferState> states) {
  if (!draw.indexed)
    return raster::listVertices(draw.firstVertex, draw.vertexCount);
  if (!pipeline.draw.indexBuffer)
    return invalidInput("line " + Twine(draw.line) + ": the pipeline has no index buffer");
  const IndexBuffer &source = *pipeline.draw.indexBuffer;
  ArrayRef<uint8_t> bytes = states[source.buffer].bytes;
  std::vector<uint32_t> indices;
  for (uint64_t i = draw.firstVertex; i < uint64_t(draw.firstVertex) + draw.vertexCount; ++i) {
    if ((i + 1) * source.indexBytes > bytes.size())
      return invalidInput("line " + Twine(draw.line) + ": index " + Twine(i) +
                          " lies outside of its buffer");
    uint32_t index = 0;
    for (unsigned byte = 0; byte < source.indexBytes; ++byte)
      index |= uint32_t(bytes[i * source.indexBytes + byte]) << 8 * byte;
    indices.push_back(index);
  }
  return raster::listVertices(indices, source.indexBytes,
                              pipeline.description.graphics.input.primitiveRestart,
                              draw.vertexOffset);
}

/// Colour is taken as four floats, whatever the format is.
Error assay::clearTargets(const Clear &clear, const CasePipeline &pipeline,
                          Attachments &attachments, std::vector<BufferState> &states) {
  Expected<raster::Framebuffer> framebuffer = attachments.open(pipeline, states);
  if (!framebuffer)
    return framebuffer.takeError();
  raster::Color color;
  for (unsigned i = 0; i < 4; ++i)
    color[i] = raster::Component::point(clear.color[i]);
  for (RenderTarget *target : framebuffer->color)
    if (target)
      raster::clearColor(*target, color);
  if (framebuffer->depthStencil)
    raster::clearDepthStencil(*framebuffer->depthStencil, clear.depth,
                              static_cast<uint8_t>(clear.stencil));
  return attachments.close(pipeline, states);
}

Expected<bool> assay::endUnsupported(Error error, Outcome &outcome) {
  ErrorParts parts = takeError(std::move(error));
  if (parts.kind != ErrorKind::Unsupported && parts.kind != ErrorKind::Limit)
    return make_error<AssayError>(parts.kind, parts.message);
  outcome.kind = OutcomeKind::Unsupported;
  outcome.reason = parts.message;
  return false;
}

void assay::settleTexels(const CasePipeline &pipeline, std::vector<BufferState> &states) {
  auto settle = [&](unsigned buffer) {
    states[buffer].intervals.clear();
    states[buffer].fields.clear();
    states[buffer].alternatives.clear();
    states[buffer].indeterminate.clear();
  };
  for (const std::optional<Attachment> &color : pipeline.draw.color)
    if (color) {
      settle(color->buffer);
      if (color->resolve)
        settle(*color->resolve);
    }
  if (pipeline.draw.depthStencil)
    settle(pipeline.draw.depthStencil->buffer);
}
