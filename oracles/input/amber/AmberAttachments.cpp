// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a graphics pipeline of AmberScript draws into and from: BIND BUFFER ... AS color,
// depth_stencil and resolve, VERTEX_DATA, INDEX_DATA.
#include "oracles/input/Limits.h"
#include "oracles/input/amber/AmberNames.h"
#include "oracles/input/amber/AmberPipelines.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Colour attachments of a pipeline: maxColorAttachments of known GPUs.
static constexpr uint32_t mostColorAttachments = 8;
/// Locations of vertex attributes, at least as many as known GPUs have.
static constexpr uint32_t mostVertexLocations = 32;
static constexpr uint32_t mostVertexBytes = 1u << 16; ///< Of OFFSET and STRIDE.

/// Gives the image or the texels of \p declared the format of their elements, unless they have a
/// format. InvalidInput for structures and for elements that no texel format has.
Error AmberPipelineReader::makeTexels(const LineCursor &line, const AmberBuffer &declared) {
  Buffer &buffer = m_reader.m_case.get().buffers[declared.index];
  const ElementLayout &layout = m_reader.m_layouts[declared.index];
  if (!buffer.texelFormat && !layout.isStruct())
    buffer.texelFormat = texelFormatOf(layout.format());
  if (!buffer.texelFormat)
    return line.error("the elements of '" + buffer.name + "' are no texels");
  return Error::success();
}

/// Returns true for formats with a depth or stencil component.
static bool isDepthOrStencil(TexelFormat format) {
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  return info.find('D') || info.find('S');
}

/// Reads LOCATION n [BASE_MIP_LEVEL l]. InvalidInput for an image without colours, for a level that
/// it does not have, and for an image or location that is attached already. In a derived pipeline,
/// a location replaces the parent's. An opaque image makes the pipeline opaque.
Error AmberPipelineReader::readColorAttachment(LineCursor &line, ArrayRef<AmberBuffer> buffers) {
  if (Error error = line.expect("LOCATION"))
    return error;
  Expected<uint64_t> location = line.number("a location", mostColorAttachments - 1);
  if (!location)
    return location.takeError();
  Attachment attachment;
  if (line.tryWord("BASE_MIP_LEVEL")) {
    Expected<uint64_t> level = line.number("a mip level", mostMipLevel);
    if (!level)
      return level.takeError();
    attachment.mipLevel = static_cast<uint32_t>(*level);
  }
  if (buffers[0].opaque) {
    m_opaque = true;
    return Error::success();
  }
  if (Error error = makeTexels(line, buffers[0]))
    return error;
  const Buffer &image = m_reader.m_case.get().buffers[buffers[0].index];
  if (isDepthOrStencil(*image.texelFormat))
    return line.error("'" + image.name + "' has no colours");
  std::optional<ImageShape> shape = image.image ? image.image : buffers[0].shape;
  uint32_t levels = shape ? shape->mipLevels : 1;
  if (attachment.mipLevel >= levels)
    return line.error("the image has " + Twine(levels) + " mip levels");
  attachment.buffer = buffers[0].index;
  auto &colors = m_pipeline.draw.color;
  if (colors.size() <= *location)
    colors.resize(*location + 1);
  for (const auto &[place, other] : enumerate(colors))
    if (other && place != *location && other->buffer == attachment.buffer)
      return line.error("'" + image.name + "' is an attachment of this pipeline already");
  if (colors[*location] && m_attachedColors & (1u << *location))
    return line.error("location " + Twine(*location) + " is bound twice");
  m_attachedColors |= 1u << *location;
  colors[*location] = attachment;
  return Error::success();
}

/// Makes the image the attachment for depth and stencil. A pipeline has one; a derived pipeline may
/// replace its parent's. InvalidInput for an image with neither depth nor stencil and for a second
/// attachment.
Error AmberPipelineReader::readDepthAttachment(LineCursor &line, ArrayRef<AmberBuffer> buffers) {
  if (buffers[0].opaque) {
    m_opaque = true;
    return Error::success();
  }
  if (Error error = makeTexels(line, buffers[0]))
    return error;
  const Buffer &image = m_reader.m_case.get().buffers[buffers[0].index];
  if (!isDepthOrStencil(*image.texelFormat))
    return line.error("'" + image.name + "' has neither depth nor stencil");
  if (m_depthSaid)
    return line.error("the pipeline has a depth and stencil attachment already");
  m_depthSaid = true;
  m_pipeline.draw.depthStencil = Attachment{buffers[0].index};
  return Error::success();
}

/// Adds a resolve target. The n-th one belongs to the colour attachment at location n. The first
/// one in a derived pipeline removes all of the parent's. finishResolves() checks them.
Error AmberPipelineReader::readResolveTarget(LineCursor &line, ArrayRef<AmberBuffer> buffers) {
  if (buffers[0].opaque) {
    m_opaque = true;
    return Error::success();
  }
  if (Error error = makeTexels(line, buffers[0]))
    return error;
  if (!std::exchange(m_resolveSaid, true))
    m_resolves.clear();
  m_resolves.push_back(buffers[0].index);
  return Error::success();
}

/// Reads RATE, OFFSET, STRIDE and FORMAT in any order to the end of the line. Offset and stride are
/// in bytes. STRIDE overrides the stride of a format, wherever it is. InvalidInput for a stride of
/// 0 and for an unknown option or format.
Error AmberPipelineReader::readVertexOptions(LineCursor &line, VertexInputBinding &binding,
                                             VertexInputAttribute &attribute) {
  static constexpr NamedValue<bool> rates[] = {{"vertex", false}, {"instance", true}};
  bool strideSaid = false;
  while (!line.atEnd()) {
    StringRef option = cantFail(line.word(""));
    if (option == "RATE") {
      if (Error error = readNamed(line, option, rates, binding.perInstance))
        return error;
    } else if (option == "OFFSET" || option == "STRIDE") {
      Expected<uint64_t> number = line.number(option, mostVertexBytes);
      if (!number)
        return number.takeError();
      if (option == "STRIDE" && *number == 0)
        return line.error("STRIDE must be positive");
      strideSaid |= option == "STRIDE";
      (option == "STRIDE" ? binding.stride : attribute.offset) = static_cast<uint32_t>(*number);
    } else if (option == "FORMAT") {
      Expected<StringRef> name = line.word("a format");
      if (!name)
        return name.takeError();
      std::optional<TexelFormat> format = findTexelFormat(*name);
      if (!format)
        return line.error("unknown format '" + name->take_front(40) + "'");
      attribute.format = *format;
      DataFormat data = dataFormatOf(*format);
      // As in Amber, which pads three components.
      if (!strideSaid)
        binding.stride = data.rows == 3 ? 4 * scalarBytes(data.scalar) : data.stride;
    } else {
      return line.error("unknown option '" + option.take_front(40) + "' of VERTEX_DATA");
    }
  }
  return Error::success();
}

/// Reads the buffer, LOCATION n and options. The first VERTEX_DATA in a derived pipeline removes
/// all of the parent's. Attributes are kept in the order of locations, bindings in that of the
/// script. InvalidInput for an image, for elements that are no vertex attributes, and for a
/// location that is bound already.
Error AmberPipelineReader::readVertexData(LineCursor &line) {
  Expected<AmberBuffer> buffer = m_reader.bufferNamed(line);
  if (!buffer)
    return buffer.takeError();
  if (Error error = line.expect("LOCATION"))
    return error;
  Expected<uint64_t> location = line.number("a location", mostVertexLocations - 1);
  if (!location)
    return location.takeError();
  InputAssemblyState &input = m_pipeline.description.graphics.input;
  if (!std::exchange(m_vertexDataSaid, true)) {
    // What a derived pipeline says replaces all that its parent had.
    input.bindings.clear();
    input.attributes.clear();
    m_pipeline.draw.vertexBuffers.clear();
    m_vertexCount = std::nullopt;
  }
  VertexInputBinding binding;
  binding.binding = static_cast<uint32_t>(input.bindings.size());
  VertexInputAttribute attribute;
  attribute.location = static_cast<uint32_t>(*location);
  attribute.binding = binding.binding;
  if (!buffer->opaque) {
    attribute.format = buffer->vertexFormat.value_or(TexelFormat::Undefined);
    binding.stride = static_cast<uint32_t>(m_reader.m_layouts[buffer->index].stride());
  }
  if (Error error = readVertexOptions(line, binding, attribute))
    return error;
  if (buffer->opaque) {
    m_opaque = true;
    return Error::success();
  }
  const Buffer &data = m_reader.m_case.get().buffers[buffer->index];
  if (data.image || buffer->unsized)
    return line.error("'" + data.name + "' is an image");
  if (attribute.format == TexelFormat::Undefined)
    return line.error("the elements of '" + data.name + "' are no vertex attributes; use FORMAT");
  auto place = find_if(input.attributes, [&](const VertexInputAttribute &other) {
    return other.location >= attribute.location;
  });
  if (place != input.attributes.end() && place->location == attribute.location)
    return line.error("location " + Twine(attribute.location) + " is bound twice");
  if (faultPlanted(Fault::ReaderVertexOffset))
    attribute.offset = 0;
  if (faultPlanted(Fault::ReaderVertexRate))
    binding.perInstance = false;
  input.attributes.insert(place, attribute);
  input.bindings.push_back(binding);
  m_pipeline.draw.vertexBuffers.push_back({binding.binding, buffer->index, 0});
  if (!m_vertexCount)
    m_vertexCount = data.bytes.size() / m_reader.m_layouts[buffer->index].stride();
  return Error::success();
}

/// Reads the name of the index buffer. Its elements must be unsigned integers of 8, 16 or 32 bits
/// without padding; their width is that of the indices. InvalidInput for other elements and for a
/// second index buffer of this body.
Error AmberPipelineReader::readIndexData(LineCursor &line) {
  Expected<AmberBuffer> buffer = m_reader.bufferNamed(line);
  if (!buffer)
    return buffer.takeError();
  if (buffer->opaque) {
    m_opaque = true;
    return Error::success();
  }
  const Buffer &data = m_reader.m_case.get().buffers[buffer->index];
  const ElementLayout &layout = m_reader.m_layouts[buffer->index];
  ScalarKind kind = layout.format().scalar;
  bool isIndex =
      kind == ScalarKind::Uint8 || kind == ScalarKind::Uint16 || kind == ScalarKind::Uint32;
  if (data.image || buffer->unsized || layout.isStruct() || !isIndex ||
      layout.stride() != scalarBytes(kind))
    return line.error("indices must be uint8, uint16 or uint32");
  if (std::exchange(m_indexDataSaid, true))
    return line.error("INDEX_DATA is given twice");
  m_pipeline.draw.indexBuffer = IndexBuffer{buffer->index, scalarBytes(kind)};
  if (faultPlanted(Fault::ReaderIndexWidth))
    m_pipeline.draw.indexBuffer->indexBytes = 2;
  return Error::success();
}

/// Adds the image called framebuffer at location 0. As in Amber, all pipelines without a colour
/// attachment share it. It is created as B8G8R8A8_UNORM unless the script declares it.
Error AmberPipelineReader::addDefaultAttachment(const LineCursor &line) {
  static constexpr StringRef name = "framebuffer";
  if (!m_reader.m_buffers.contains(name)) {
    TexelFormat format = *findTexelFormat(StringRef("B8G8R8A8_UNORM"));
    Expected<unsigned> index =
        m_reader.addBuffer(line, name, ElementLayout(dataFormatOf(format)), 0);
    if (!index)
      return index.takeError();
    m_reader.m_case.get().buffers[*index].texelFormat = format;
    AmberBuffer &made = m_reader.m_buffers[name];
    made.index = *index;
    made.unsized = true;
    made.shape = ImageShape();
  }
  const AmberBuffer &declared = m_reader.m_buffers[name];
  if (declared.opaque) {
    m_opaque = true;
    return Error::success();
  }
  if (Error error = makeTexels(line, declared))
    return error;
  m_pipeline.draw.color.push_back(Attachment{declared.index});
  return Error::success();
}

/// Gives the image the size with which its level \p mipLevel has the size of the framebuffer.
/// InvalidInput for an image that has another size and contents, or that another pipeline uses as
/// an attachment of another size.
Error AmberPipelineReader::sizeAttachment(const LineCursor &line, unsigned buffer,
                                          uint32_t mipLevel) {
  Buffer &image = m_reader.m_case.get().buffers[buffer];
  AmberBuffer &declared = m_reader.m_buffers[image.name];
  ImageShape shape = image.image ? *image.image : declared.shape.value_or(ImageShape());
  ImageShape needed = shape;
  if (Error error = sizeLevel(line, mipLevel, needed))
    return error;
  bool isSized = image.image && shape.width == needed.width && shape.height == needed.height;
  bool wasAttachment = std::exchange(declared.isAttachment, true);
  if (isSized)
    return Error::success();
  bool hasTexels = any_of(image.bytes, [](uint8_t byte) { return byte != 0; });
  if (image.image && (wasAttachment || hasTexels))
    return line.error("image '" + image.name + "' has " + Twine(shape.width) + " x " +
                      Twine(shape.height) + " texels, but FRAMEBUFFER_SIZE needs " +
                      Twine(needed.width) + " x " + Twine(needed.height));
  if (!image.image && !declared.unsized && image.bytes.size() != 0 && hasTexels)
    return line.error("buffer '" + image.name + "' has contents; an attachment is an image");
  return m_reader.makeImage(line, declared, needed);
}

/// Sizes the resolve targets like level 0 of the framebuffer and connects each with its attachment.
/// The attachment must have several samples, the target one, and both the same format.
Error AmberPipelineReader::finishResolves(const LineCursor &line) {
  auto &colors = m_pipeline.draw.color;
  const std::vector<Buffer> &buffers = m_reader.m_case.get().buffers;
  for (const auto &[location, target] : enumerate(m_resolves)) {
    if (location >= colors.size() || !colors[location])
      return line.error("resolve target '" + buffers[target].name +
                        "' has no colour attachment at location " + Twine(location));
    if (Error error = sizeAttachment(line, target, 0))
      return error;
    const Buffer &from = buffers[colors[location]->buffer];
    if (buffers[target].image->samples != 1)
      return line.error("resolve target '" + buffers[target].name + "' has several samples");
    if (from.image->samples == 1)
      return line.error("'" + from.name + "' has one sample, so there is nothing to resolve");
    if (from.texelFormat != buffers[target].texelFormat)
      return line.error("'" + from.name + "' and its resolve target differ in format");
    colors[location]->resolve = target;
  }
  return Error::success();
}

/// Sets the number of samples of the pipeline, which is that of its attachments. InvalidInput where
/// two attachments have different numbers.
Error AmberPipelineReader::finishSamples(const LineCursor &line) {
  const std::vector<Buffer> &buffers = m_reader.m_case.get().buffers;
  uint32_t samples = 0;
  auto check = [&](const std::optional<Attachment> &attachment) -> Error {
    uint32_t own = attachment ? buffers[attachment->buffer].image->samples : samples;
    if (samples != 0 && own != samples)
      return line.error("'" + buffers[attachment->buffer].name + "' has " + Twine(own) +
                        " samples, other attachments have " + Twine(samples));
    samples = own;
    return Error::success();
  };
  for (const std::optional<Attachment> &color : m_pipeline.draw.color)
    if (Error error = check(color))
      return error;
  if (Error error = check(m_pipeline.draw.depthStencil))
    return error;
  m_pipeline.description.graphics.multisample.samples = std::max(1u, samples);
  return Error::success();
}

/// Sets the state that follows from the attachments: sizes, the default viewport, and formats. The
/// blending state is the same for all targets. A location without an attachment gets a target
/// without a format.
void AmberPipelineReader::finishTargets() {
  const std::vector<Buffer> &buffers = m_reader.m_case.get().buffers;
  GraphicsState &state = m_pipeline.description.graphics;
  DrawResources &draw = m_pipeline.draw;
  draw.width = m_framebufferWidth;
  draw.height = m_framebufferHeight;
  if (!m_viewportSaid)
    state.viewport = {0, 0, static_cast<float>(draw.width), static_cast<float>(draw.height)};
  state.colorTargets.clear();
  for (const std::optional<Attachment> &color : draw.color) {
    state.colorTargets.push_back(color ? m_blend : ColorTarget());
    if (color)
      state.colorTargets.back().format = *buffers[color->buffer].texelFormat;
  }
  if (draw.depthStencil)
    state.depthStencilFormat = *buffers[draw.depthStencil->buffer].texelFormat;
}

/// Completes the attachments when the pipeline's body has ended: default image, sizes, resolve
/// targets, samples, then the state that follows. A graphics pipeline needs a vertex shader.
Error AmberPipelineReader::finishAttachments(const LineCursor &line) {
  if (!any_of(m_shaders,
              [](const AttachedShader &each) { return each.stage == ShaderStage::Vertex; }))
    return line.error("graphics pipeline '" + m_name + "' has no vertex shader");
  auto &colors = m_pipeline.draw.color;
  if (colors.empty() && !m_opaque)
    if (Error error = addDefaultAttachment(line))
      return error;
  for (const std::optional<Attachment> &color : colors)
    if (color)
      if (Error error = sizeAttachment(line, color->buffer, color->mipLevel))
        return error;
  if (m_pipeline.draw.depthStencil)
    if (Error error = sizeAttachment(line, m_pipeline.draw.depthStencil->buffer, 0))
      return error;
  if (Error error = finishResolves(line))
    return error;
  if (Error error = finishSamples(line))
    return error;
  finishTargets();
  return Error::success();
}
