// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphics commands of VkScript's [test] section.
#include "oracles/input/GraphicsNames.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/vkscript/VkScriptReader.h"
#include "support/Error.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads a finite number in single precision. InvalidInput for infinities and NaN. \p what is named
/// in the message.
static Error readReal(LineCursor &line, StringRef what, float &value) {
  Expected<StringRef> word = line.word(what);
  if (!word)
    return word.takeError();
  Expected<double> number = parseReal(*word, what);
  if (!number)
    return atLine(line.line(), number.takeError());
  value = static_cast<float>(*number);
  return std::isfinite(value) ? Error::success() : line.error(what + " must be a finite number");
}

/// rect ..., or arrays ...
Error VkScriptReader::readDraw(LineCursor &line) {
  if (line.tryWord("rect"))
    return readDrawRect(line);
  if (line.tryWord("arrays"))
    return readDrawArrays(line);
  return line.error("expected rect or arrays after draw");
}

/// [ortho] [patch] x y width height
/// The words may occur in any order, and several times. The state of the reader is copied into the
/// draw.
Error VkScriptReader::readDrawRect(LineCursor &line) {
  VkDraw draw;
  draw.line = line.line();
  draw.isRect = true;
  draw.state = m_state;
  while (true) {
    if (line.tryWord("ortho"))
      draw.isOrtho = true;
    else if (line.tryWord("patch"))
      draw.isPatch = true;
    else
      break;
  }
  for (float *value : {&draw.area.x, &draw.area.y, &draw.area.width, &draw.area.height})
    if (Error error = readReal(line, "a place or size of the rectangle", *value))
      return error;
  draw.draw.vertexCount = 4;
  InputAssemblyState &input = draw.state.input;
  input.topology = draw.isPatch ? PrimitiveTopology::PatchList : PrimitiveTopology::TriangleStrip;
  if (draw.isPatch)
    input.patchControlPoints = 4;
  m_commands.push_back(std::move(draw));
  return Error::success();
}

/// [indexed] [instanced] topology first count [instances]
/// Without a number of instances, one instance is drawn.
Error VkScriptReader::readDrawArrays(LineCursor &line) {
  VkDraw draw;
  draw.line = line.line();
  draw.state = m_state;
  bool isInstanced = false;
  while (true) {
    if (line.tryWord("indexed"))
      draw.draw.indexed = true;
    else if (line.tryWord("instanced"))
      isInstanced = true;
    else
      break;
  }
  if (Error error = readNamed(line, "draw arrays", topologies, draw.state.input.topology))
    return error;
  Expected<uint64_t> first = line.number("the first vertex", ~0u >> 1);
  if (!first)
    return first.takeError();
  Expected<uint64_t> count = line.number("a number of vertices", ~0u >> 1);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return line.error("expected at least one vertex");
  // As in Amber and VkRunner, an indexed draw adds it to the indices.
  if (draw.draw.indexed)
    draw.draw.vertexOffset = static_cast<int32_t>(*first);
  else
    draw.draw.firstVertex = static_cast<uint32_t>(*first);
  draw.draw.vertexCount = static_cast<uint32_t>(*count);
  if (isInstanced && !line.atEnd()) {
    Expected<uint64_t> instances = line.number("a number of instances", ~0u);
    if (!instances)
      return instances.takeError();
    draw.draw.instanceCount = static_cast<uint32_t>(*instances);
  }
  m_commands.push_back(std::move(draw));
  return Error::success();
}

/// Nothing, or color r g b a, depth d, stencil s.
/// With a word, only the value for later clears is set. A depth is clamped to [0, 1].
Error VkScriptReader::readClear(LineCursor &line) {
  if (line.tryWord("color")) {
    for (float &channel : m_clear.color)
      if (Error error = readReal(line, "a channel", channel))
        return error;
    return Error::success();
  }
  if (line.tryWord("depth")) {
    if (Error error = readReal(line, "a depth", m_clear.depth))
      return error;
    // VUID-VkClearDepthStencilValue-depth-00022; Amber does not look at it.
    m_clear.depth = std::clamp(m_clear.depth, 0.0f, 1.0f);
    return Error::success();
  }
  if (line.tryWord("stencil")) {
    Expected<uint64_t> stencil = line.number("a stencil value", 255);
    if (!stencil)
      return stencil.takeError();
    m_clear.stencil = static_cast<uint32_t>(*stencil);
    return Error::success();
  }
  m_clear.line = line.line();
  m_commands.push_back(VkClear{m_clear});
  return Error::success();
}

/// parameter vertices n, from 1 to 32, for the draws that follow.
Error VkScriptReader::readPatch(LineCursor &line) {
  constexpr uint64_t MostControlPoints = 32;
  if (Error error = line.expect("parameter"))
    return error;
  if (Error error = line.expect("vertices"))
    return error;
  Expected<uint64_t> count = line.number("a number of control points", MostControlPoints);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return line.error("a patch has at least one control point");
  m_state.input.patchControlPoints = static_cast<uint32_t>(*count);
  return Error::success();
}

/// entrypoint NAME, for the pipelines of the commands that follow.
Error VkScriptReader::readEntryPoint(LineCursor &line, ShaderStage stage) {
  if (Error error = line.expect("entrypoint"))
    return error;
  Expected<StringRef> name = line.word("an entry point");
  if (!name)
    return name.takeError();
  m_commands.push_back(VkEntryPoint{stage, name->str(), line.line()});
  return Error::success();
}

/// The word for the stage is already read in these readers; tessellation has one more.
Error VkScriptReader::readVertexEntryPoint(LineCursor &line) {
  return readEntryPoint(line, ShaderStage::Vertex);
}
Error VkScriptReader::readFragmentEntryPoint(LineCursor &line) {
  return readEntryPoint(line, ShaderStage::Fragment);
}
Error VkScriptReader::readGeometryEntryPoint(LineCursor &line) {
  return readEntryPoint(line, ShaderStage::Geometry);
}
Error VkScriptReader::readTessellationEntryPoint(LineCursor &line) {
  bool isControl = line.tryWord("control");
  if (!isControl && !line.tryWord("evaluation"))
    return line.error("expected control or evaluation after tessellation");
  return readEntryPoint(line, isControl ? ShaderStage::TessellationControl
                                        : ShaderStage::TessellationEvaluation);
}

/// probe ..., with places as parts of the framebuffer.
Error VkScriptReader::readRelative(LineCursor &line) {
  if (Error error = line.expect("probe"))
    return error;
  return readPixels(line, true);
}

/// The words of a probe: brackets and commas are words of their own.
/// \p text, empty before, receives the words and must outlive the result.
static LineCursor splitMarks(LineCursor &line, std::string &text) {
  for (char c : line.rest())
    if (StringRef("(),").contains(c))
      text += std::string(" ") + c + " ";
    else
      text += c;
  SmallVector<Word, 8> words;
  for (StringRef word : splitWords(text))
    words.push_back({word, line.line()});
  return LineCursor(line.line(), std::move(words));
}

/// Numbers in brackets or not, with commas between them or not.
/// A bracket that is open must be closed.
static Error readGroup(LineCursor &line, MutableArrayRef<float> numbers) {
  bool hasBracket = line.tryWord("(");
  for (auto [index, number] : enumerate(numbers)) {
    if (index > 0)
      line.tryWord(",");
    if (Error error = readReal(line, "a number", number))
      return error;
  }
  return hasBracket ? line.expect(")") : Error::success();
}

/// [rect|all] rgb|rgba (place) (colour)
/// Without a tolerance in force, the probe has the tolerances of PixelProbe. Places and sizes are
/// from 0 to maxImageExtent.
Error VkScriptReader::readPixels(LineCursor &line, bool isRelative) {
  VkPixels pixels;
  pixels.probe.line = line.line();
  pixels.probe.text = line.text();
  std::string text;
  LineCursor marks = splitMarks(line, text);
  pixels.isRect = marks.tryWord("rect");
  pixels.area = isRelative ? VkPixels::Area::Relative : VkPixels::Area::Pixels;
  if (!pixels.isRect && marks.tryWord("all"))
    pixels.area = VkPixels::Area::All;
  Expected<StringRef> format = marks.word("rgb or rgba");
  if (!format)
    return format.takeError();
  if (*format != "rgb" && *format != "rgba")
    return line.error("expected rgb or rgba instead of '" + format->take_front(40) + "'");
  pixels.probe.channels = *format == "rgba" ? 4 : 3;
  if (pixels.area != VkPixels::Area::All) {
    if (Error error =
            readGroup(marks, MutableArrayRef(pixels.place).take_front(pixels.isRect ? 4 : 2)))
      return error;
    for (float place : pixels.place)
      if (place < 0 || place > static_cast<float>(maxImageExtent))
        return line.error("a place or size of pixels must lie between 0 and " +
                          Twine(maxImageExtent));
  }
  float color[4] = {};
  if (Error error = readGroup(marks, MutableArrayRef(color).take_front(pixels.probe.channels)))
    return error;
  std::copy(std::begin(color), std::end(color), pixels.probe.color);
  for (size_t i = 0; i < 4 && !m_tolerances.empty(); ++i)
    pixels.probe.tolerances[i] = m_tolerances[m_tolerances.size() == 4 ? i : 0];
  m_commands.push_back(std::move(pixels));
  return marks.expectEnd();
}
