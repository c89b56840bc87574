// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphics part of the replay: attachments, vertices, pipelines, draws, clears and pixels.
#include "oracles/input/DataTypes.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/vkscript/VkScriptState.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Adds an image of the framebuffer's size with zero texels. Returns its index in Case::buffers.
/// The image counts for the limit of all buffers together.
Expected<unsigned> VkReplay::addImage(StringRef name, TexelFormat format) {
  ImageShape shape;
  shape.width = m_program.width;
  shape.height = m_program.height;
  Expected<unsigned> index =
      m_case.addBuffer(name, dataFormatOf(format), getImageBytes(shape, format));
  if (!index)
    return atLine(m_program.requireLine, index.takeError());
  Buffer &image = m_case.get().buffers[*index];
  image.texelFormat = format;
  image.image = shape;
  return index;
}

/// Adds the framebuffer, and an image for depth and stencil if the script requires one. Sets
/// m_color and m_depth.
Error VkReplay::createAttachments() {
  if (Error error = addImage("framebuffer", m_program.colorFormat).moveInto(m_color))
    return error;
  if (m_program.depthFormat == TexelFormat::Undefined)
    return Error::success();
  return addImage("depth_buffer", m_program.depthFormat).moveInto(m_depth);
}

/// [vertex data] and [indices]. As in Amber, indices are 32-bit numbers.
/// Each column becomes one packed buffer; sets m_vertices and m_indices.
Error VkReplay::createVertices() {
  for (const VkVertices &column : m_program.vertices) {
    DataFormat format = dataFormatOf(column.format);
    uint64_t count = column.values.size() / componentsOf(format);
    Expected<unsigned> index = m_case.addBuffer("vertices" + std::to_string(m_vertices.size()),
                                                format, count * format.stride);
    if (!index)
      return atLine(m_program.vertexLine, index.takeError());
    for (const auto &[place, bits] : enumerate(column.values))
      storeScalar(m_case.get().buffers[*index].bytes, valueOffset(format, place), format.scalar,
                  bits);
    m_vertices.push_back(*index);
  }
  if (m_program.indices.empty())
    return Error::success();
  DataFormat format = makeDataFormat(ScalarKind::Uint32, 1, 1, BlockLayout::Std430);
  Expected<unsigned> index =
      m_case.addBuffer("indices", format, m_program.indices.size() * format.stride);
  if (!index)
    return atLine(m_program.indexLine, index.takeError());
  for (const auto &[place, bits] : enumerate(m_program.indices))
    storeScalar(m_case.get().buffers[*index].bytes, place * format.stride, format.scalar, bits);
  m_indices = *index;
  return Error::success();
}

/// A pipeline of all graphics shaders with the buffers as they stand now.
Expected<CasePipeline> VkReplay::makeGraphics(const GraphicsState &state, unsigned line) {
  CasePipeline pipeline;
  for (const auto &[stage, shader] : m_program.shaders) {
    if (!isGraphicsStage(stage))
      continue;
    if (Error error = setStage(pipeline.description, stage, shader, entryPointOf(stage)))
      return atLine(line, std::move(error));
    if (pipeline.version.text.empty() || shader.version.isGuess)
      pipeline.version = shader.version;
  }
  if (Error error = updateLayout(pipeline.description))
    return atLine(line, std::move(error));
  bindBuffers(pipeline);
  GraphicsState &made = pipeline.description.graphics;
  made = state;
  made.colorTargets.front().format = m_program.colorFormat;
  made.depthStencilFormat = m_program.depthFormat;
  made.viewport.width = static_cast<float>(m_program.width);
  made.viewport.height = static_cast<float>(m_program.height);
  DrawResources &draw = pipeline.draw;
  draw.width = m_program.width;
  draw.height = m_program.height;
  draw.color.push_back(Attachment{*m_color});
  if (m_depth)
    draw.depthStencil = Attachment{*m_depth};
  if (m_indices)
    draw.indexBuffer = IndexBuffer{*m_indices, 4};
  for (const auto &[number, column] : enumerate(m_program.vertices)) {
    auto binding = static_cast<uint32_t>(number);
    made.input.bindings.push_back(
        {.binding = binding, .stride = dataFormatOf(column.format).stride});
    made.input.attributes.push_back(
        {.location = column.location, .binding = binding, .format = column.format});
    draw.vertexBuffers.push_back({.binding = binding, .buffer = m_vertices[number]});
  }
  llvm::sort(made.input.attributes,
             [](const auto &a, const auto &b) { return a.location < b.location; });
  return pipeline;
}

/// Returns the buffer with the rectangle's corners; draws of the same rectangle share one.
Expected<unsigned> VkReplay::positionBuffer(const VkDraw &draw) {
  DrawArea area =
      draw.isOrtho ? normalizeArea(draw.area, m_program.width, m_program.height) : draw.area;
  std::vector<float> positions = rectanglePositions(area);
  if (std::optional<unsigned> known = m_positions.find(positions))
    return *known;
  Expected<unsigned> index =
      m_case.addBuffer("rectangle" + std::to_string(m_positions.size()), positionFormat(), 0);
  if (!index)
    return atLine(draw.line, index.takeError());
  if (Error error = m_case.resizeBuffer(*index, positions.size() * sizeof(float)))
    return atLine(draw.line, std::move(error));
  m_case.get().buffers[*index].bytes = positionBytes(positions);
  m_positions.add(positions, *index);
  return index;
}

/// Returns the index of the pipeline for \p draw, and gives it to the clears that wait for one.
Expected<unsigned> VkReplay::graphicsPipeline(const VkDraw &draw) {
  Expected<CasePipeline> pipeline = makeGraphics(draw.state, draw.line);
  if (!pipeline)
    return pipeline.takeError();
  if (draw.isRect) {
    Expected<unsigned> positions = positionBuffer(draw);
    if (!positions)
      return positions.takeError();
    setPositions(*pipeline, *positions);
  }
  pipeline->name = "graphics";
  unsigned index = addPipeline(std::move(*pipeline));
  m_graphics = index;
  for (size_t command : m_pendingClears)
    std::get<Clear>(m_case.get().commands[command]).pipeline = index;
  m_pendingClears.clear();
  return index;
}

/// InvalidInput where the draw needs more vertices or indices than the script has.
Error VkReplay::replay(const VkDraw &draw) {
  if (m_program.hasUnreadShader)
    return Error::success(); // The case is unsupported already.
  if (!m_program.find(ShaderStage::Vertex))
    return errorAt(draw.line, "draw without a vertex shader");
  if (draw.isRect && m_program.vertices.size() > 1)
    return errorAt(draw.line, "draw rect with several columns of [vertex data]");
  uint64_t available = ~0ull;
  if (!draw.isRect && !m_program.vertices.empty())
    available = m_program.vertices.front().values.size() /
                componentsOf(dataFormatOf(m_program.vertices.front().format));
  if (draw.draw.indexed) {
    if (!m_indices)
      return errorAt(draw.line, "an indexed draw without [indices]");
    available = m_program.indices.size();
  }
  uint64_t end = uint64_t(draw.draw.firstVertex) + draw.draw.vertexCount;
  if (!draw.isRect && end > available)
    return errorAt(draw.line, "vertices up to " + Twine(end) + " of " + Twine(available));
  Expected<unsigned> pipeline = graphicsPipeline(draw);
  if (!pipeline)
    return pipeline.takeError();
  markUsed();
  Draw made = draw.draw;
  made.pipeline = *pipeline;
  made.line = draw.line;
  return m_case.addCommand(made);
}

/// A clear before the first draw is one of the pipeline that the draw will make.
/// InvalidInput without a vertex shader. In a script without draws, run() makes the pipeline.
Error VkReplay::replay(const VkClear &clear) {
  if (m_program.hasUnreadShader)
    return Error::success();
  if (!m_program.find(ShaderStage::Vertex))
    return errorAt(clear.clear.line, "clear without a vertex shader");
  Clear made = clear.clear;
  made.pipeline = m_graphics.value_or(0);
  if (!m_graphics)
    m_pendingClears.push_back(m_case.get().commands.size());
  return m_case.addCommand(made);
}

/// Converts the place to texels and adds what is expected of the framebuffer. InvalidInput for a
/// script without a framebuffer and for an area without pixels.
Error VkReplay::replay(const VkPixels &pixels) {
  if (!m_color)
    return errorAt(pixels.probe.line, "there is no framebuffer: the script has no graphics shader");
  PixelProbe probe = pixels.probe;
  float scales[] = {static_cast<float>(m_program.width), static_cast<float>(m_program.height)};
  uint64_t *const places[] = {&probe.x, &probe.y, &probe.width, &probe.height};
  for (unsigned i = 0; i < 4; ++i) {
    float place = pixels.place[i];
    if (pixels.area == VkPixels::Area::All)
      place = i < 2 ? 0 : scales[i % 2];
    else if (pixels.area == VkPixels::Area::Relative && (i < 2 || pixels.isRect))
      place *= scales[i % 2];
    *places[i] = static_cast<uint64_t>(place); // Truncated, as in Amber.
  }
  if (probe.width == 0 || probe.height == 0)
    return errorAt(probe.line, "expected at least one pixel");
  return addPixels(m_case, *m_color, std::nullopt, probe);
}
