// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN of graphics pipelines, and CLEAR, of AmberScript.
#include "oracles/input/GraphicsNames.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/amber/AmberReader.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads a signed decimal number of whole pixels of up to 32 bits. InvalidInput for another word.
static Error readPixels(LineCursor &line, float &value) {
  Expected<StringRef> word = line.word("a number of pixels");
  if (!word)
    return word.takeError();
  int32_t number = 0;
  if (word->getAsInteger(10, number))
    return line.error("expected a number of pixels instead of '" + word->take_front(40) + "'");
  value = static_cast<float>(number);
  return Error::success();
}

/// Reads POS x y SIZE w h in pixels and returns the area in coordinates relative to the framebuffer
/// of \p draw.
static Expected<DrawArea> readArea(LineCursor &line, const DrawResources &draw) {
  DrawArea area;
  if (Error error = line.expect("POS"))
    return std::move(error);
  for (float *place : {&area.x, &area.y})
    if (Error error = readPixels(line, *place))
      return std::move(error);
  if (Error error = line.expect("SIZE"))
    return std::move(error);
  for (float *extent : {&area.width, &area.height})
    if (Error error = readPixels(line, *extent))
      return std::move(error);
  return normalizeArea(area, draw.width, draw.height);
}

/// Returns the index of a buffer with \p positions, two floats a vertex. Equal positions share a
/// buffer. A new one is called verticesN, with underscores where the script uses that name.
Expected<unsigned> AmberReader::vertexBufferOf(const LineCursor &line, ArrayRef<float> positions) {
  if (std::optional<unsigned> known = m_positions.find(positions))
    return *known;
  std::string name = "vertices" + std::to_string(m_positions.size());
  while (m_buffers.contains(name))
    name += "_";
  Expected<unsigned> index =
      addBuffer(line, name, ElementLayout(positionFormat()), positions.size() / 2);
  if (!index)
    return index;
  m_buffers[name].index = *index;
  m_case.get().buffers[*index].bytes = positionBytes(positions);
  m_positions.add(positions, *index);
  return index;
}

/// Returns the index of the case's pipeline that is \p pipeline with this topology and these
/// vertices, and adds it if it is missing. The pipeline that was added first has no topology until
/// its first draw, which it then serves.
unsigned AmberReader::variantOf(AmberPipeline &pipeline, PrimitiveTopology topology,
                                std::optional<unsigned> vertices) {
  for (const DrawVariant &variant : pipeline.variants)
    if (variant.topology == topology && variant.vertices == vertices)
      return variant.index;
  CasePipeline made = pipeline.declared;
  made.description.graphics.input.topology = topology;
  if (vertices)
    setPositions(made, *vertices);
  std::vector<CasePipeline> &pipelines = m_case.get().pipelines;
  DrawVariant variant{topology, vertices, pipeline.index};
  if (pipeline.variants.empty()) {
    pipelines[pipeline.index] = std::move(made);
  } else {
    variant.index = static_cast<unsigned>(pipelines.size());
    made.name += "#" + std::to_string(pipeline.variants.size() + 1);
    pipelines.push_back(std::move(made));
  }
  pipeline.variants.push_back(variant);
  return variant.index;
}

/// Adds a draw of \p positions, two floats a vertex, in place of the pipeline's vertex data. Does
/// nothing for a pipeline that is not read.
Error AmberReader::addVertices(LineCursor &line, AmberPipeline &pipeline,
                               PrimitiveTopology topology, ArrayRef<float> positions) {
  if (pipeline.opaque)
    return Error::success();
  Expected<unsigned> vertices = vertexBufferOf(line, positions);
  if (!vertices)
    return vertices.takeError();
  Draw draw;
  draw.pipeline = variantOf(pipeline, topology, *vertices);
  draw.vertexCount = static_cast<uint32_t>(positions.size() / 2);
  draw.line = line.line();
  return m_case.addCommand(draw);
}

/// Reads POS x y SIZE w h, in pixels, and adds a draw of two triangles as a strip. InvalidInput for
/// a pipeline with several vertex buffers.
Error AmberReader::readDrawRect(LineCursor &line, AmberPipeline &pipeline) {
  Expected<DrawArea> area = readArea(line, pipeline.declared.draw);
  if (!area)
    return area.takeError();
  if (pipeline.declared.draw.vertexBuffers.size() > 1)
    return line.error("DRAW_RECT of a pipeline with several vertex buffers");
  return addVertices(line, pipeline, PrimitiveTopology::TriangleStrip, rectanglePositions(*area));
}

/// Reads POS x y SIZE w h CELLS columns rows and adds a draw of two triangles for each cell.
/// InvalidInput for a pipeline with vertex buffers, Limit for too many cells.
Error AmberReader::readDrawGrid(LineCursor &line, AmberPipeline &pipeline) {
  constexpr uint64_t BytesPerCell = 6 * 8;
  Expected<DrawArea> area = readArea(line, pipeline.declared.draw);
  if (!area)
    return area.takeError();
  if (Error error = line.expect("CELLS"))
    return error;
  uint64_t cells[2] = {};
  for (uint64_t &count : cells) {
    Expected<uint64_t> number = line.number("a number of cells", maxImageExtent);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return line.error("expected at least one cell");
    count = *number;
  }
  if (cells[0] * cells[1] > maxBufferBytes / BytesPerCell)
    return atLine(line.line(), limitExceeded("a grid of more than " +
                                             Twine(maxBufferBytes / BytesPerCell) + " cells"));
  if (!pipeline.declared.draw.vertexBuffers.empty())
    return line.error("DRAW_GRID of a pipeline with vertex buffers");
  return addVertices(line, pipeline, PrimitiveTopology::TriangleList,
                     gridPositions(*area, cells[0], cells[1]));
}

namespace {
/// The words of DRAW_ARRAY after its topology. Numbers that are not given are empty.
struct ArrayOptions {
  bool indexed = false;                                               ///< INDEXED.
  std::optional<uint64_t> start, count, startInstance, instanceCount; ///< Empty: not said.

  /// Reads options in any order to the end of the line. Counts of 0 are errors.
  Error read(LineCursor &line) {
    const std::pair<StringRef, std::optional<uint64_t> *> numbers[] = {
        {"START_IDX", &start},
        {"COUNT", &count},
        {"START_INSTANCE", &startInstance},
        {"INSTANCE_COUNT", &instanceCount}};
    while (!line.atEnd()) {
      StringRef option = cantFail(line.word(""));
      if (option == "INDEXED") {
        indexed = true;
        continue;
      }
      const auto *row = find_if(numbers, [&](const auto &each) { return each.first == option; });
      if (row == std::end(numbers))
        return line.error("unknown option '" + option.take_front(40) + "' of DRAW_ARRAY");
      if (*row->second)
        return line.error(option + " is given twice");
      Expected<uint64_t> number = line.number(option, ~0u >> 1);
      if (!number)
        return number.takeError();
      if (*number == 0 && option.ends_with("COUNT"))
        return line.error(option + " must be positive");
      *row->second = *number;
    }
    return Error::success();
  }
};
} // namespace

/// Reads AS topology [INDEXED] [START_IDX n] [COUNT n] [START_INSTANCE n] [INSTANCE_COUNT n] and
/// adds the draw. Without COUNT, all vertices or indices from the start on are drawn. InvalidInput
/// where the range leaves them.
Error AmberReader::readDrawArray(LineCursor &line, AmberPipeline &pipeline) {
  if (Error error = line.expect("AS"))
    return error;
  PrimitiveTopology topology = PrimitiveTopology::TriangleList;
  if (Error error = readNamed(line, "DRAW_ARRAY", topologies, topology))
    return error;
  ArrayOptions options;
  if (Error error = options.read(line))
    return error;
  if (pipeline.opaque)
    return Error::success();
  const DrawResources &resources = pipeline.declared.draw;
  if (options.indexed && !resources.indexBuffer)
    return line.error("INDEXED needs INDEX_DATA in the pipeline");
  std::optional<uint64_t> available = pipeline.vertexCount;
  if (options.indexed)
    available = m_case.get().buffers[resources.indexBuffer->buffer].bytes.size() /
                resources.indexBuffer->indexBytes;
  uint64_t start = options.start.value_or(0);
  if (!available && !options.count)
    return line.error("DRAW_ARRAY needs VERTEX_DATA in the pipeline, or COUNT");
  uint64_t count = options.count.value_or(available.value_or(0) - start);
  if (available && (start >= *available || count > *available - start))
    return line.error("START_IDX and COUNT leave the " +
                      StringRef(options.indexed ? "indices" : "vertices") +
                      ", of which there are " + Twine(*available));
  Draw draw;
  draw.pipeline = variantOf(pipeline, topology, std::nullopt);
  draw.indexed = options.indexed;
  draw.vertexCount = static_cast<uint32_t>(count);
  // As in Amber and VkRunner, START_IDX of an indexed draw is added to the indices. The check above
  // is Amber's, too, which takes it for a position among them (Parser::ParseRun).
  if (options.indexed)
    draw.vertexOffset = static_cast<int32_t>(start);
  else
    draw.firstVertex = static_cast<uint32_t>(start);
  draw.firstInstance = static_cast<uint32_t>(options.startInstance.value_or(0));
  if (faultPlanted(Fault::ReaderStartInstance))
    draw.firstInstance = 0;
  draw.instanceCount = static_cast<uint32_t>(options.instanceCount.value_or(1));
  draw.line = line.line();
  return m_case.addCommand(draw);
}

/// Reads what follows RUN and the name of a graphics pipeline. InvalidInput for another word than
/// DRAW_RECT, DRAW_GRID and DRAW_ARRAY.
Error AmberReader::readDraw(LineCursor &line, AmberPipeline &pipeline) {
  if (line.tryWord("DRAW_RECT"))
    return readDrawRect(line, pipeline);
  if (line.tryWord("DRAW_GRID"))
    return readDrawGrid(line, pipeline);
  if (line.tryWord("DRAW_ARRAY"))
    return readDrawArray(line, pipeline);
  return line.error("expected DRAW_RECT, DRAW_GRID or DRAW_ARRAY" +
                    (line.atEnd() ? Twine() : " instead of '" + line.peek().take_front(40) + "'"));
}

/// Returns the pipeline that a CLEAR statement names next. InvalidInput for a compute pipeline.
Expected<AmberPipeline *> AmberReader::graphicsPipelineNamed(LineCursor &line) {
  Expected<AmberPipeline *> pipeline = pipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  if (!(*pipeline)->isGraphics)
    return line.error("only a graphics pipeline can be cleared");
  return *pipeline;
}

/// Reads the pipeline's name and adds a clear with the values of the preceding CLEAR_COLOR,
/// CLEAR_DEPTH and CLEAR_STENCIL of this pipeline.
Error AmberReader::readClear(LineCursor &line) {
  Expected<AmberPipeline *> pipeline = graphicsPipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  if ((*pipeline)->opaque)
    return Error::success();
  Clear clear = (*pipeline)->clear;
  clear.line = line.line();
  return m_case.addCommand(clear);
}

/// Reads pipeline r g b a, each from 0 to 255, and sets what later clears write.
Error AmberReader::readClearColor(LineCursor &line) {
  Expected<AmberPipeline *> pipeline = graphicsPipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  for (float &channel : (*pipeline)->clear.color) {
    Expected<uint64_t> value = line.number("a channel", 255);
    if (!value)
      return value.takeError();
    channel = static_cast<float>(*value) / 255.0f;
  }
  m_clearChanged = true;
  return Error::success();
}

/// Reads pipeline depth and sets what later clears write. The depth is clamped to 0 to 1.
/// InvalidInput for a pipeline without an attachment for depth and stencil.
Error AmberReader::readClearDepth(LineCursor &line) {
  Expected<AmberPipeline *> pipeline = graphicsPipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  Expected<StringRef> word = line.word("a depth");
  if (!word)
    return word.takeError();
  Expected<double> depth = parseReal(*word, "the depth");
  if (!depth)
    return atLine(line.line(), depth.takeError());
  if (!(*pipeline)->opaque && !(*pipeline)->declared.draw.depthStencil)
    return line.error("the pipeline has no depth attachment");
  (*pipeline)->clear.depth = static_cast<float>(std::clamp(*depth, 0.0, 1.0));
  if (faultPlanted(Fault::ReaderClearDepth))
    (*pipeline)->clear.depth = 1;
  m_clearChanged = true;
  return Error::success();
}

/// Reads pipeline value, from 0 to 255, and sets what later clears write. InvalidInput for a
/// pipeline without an attachment for depth and stencil.
Error AmberReader::readClearStencil(LineCursor &line) {
  Expected<AmberPipeline *> pipeline = graphicsPipelineNamed(line);
  if (!pipeline)
    return pipeline.takeError();
  Expected<uint64_t> stencil = line.number("a stencil value", 255);
  if (!stencil)
    return stencil.takeError();
  if (!(*pipeline)->opaque && !(*pipeline)->declared.draw.depthStencil)
    return line.error("the pipeline has no stencil attachment");
  (*pipeline)->clear.stencil = static_cast<uint32_t>(*stencil);
  m_clearChanged = true;
  return Error::success();
}
