// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed-function state of a graphics pipeline of AmberScript.
#include "oracles/input/GraphicsNames.h"
#include "oracles/input/Literals.h"
#include "oracles/input/amber/AmberPipelines.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads a finite number and rounds it to single precision. InvalidInput for another word, for NaN
/// and for what is infinite in single precision. \p what names the value in messages.
static Error readReal(LineCursor &line, StringRef what, float &value) {
  Expected<StringRef> word = line.word("a value of " + what);
  if (!word)
    return word.takeError();
  Expected<double> number = parseReal(*word, what);
  if (!number)
    return atLine(line.line(), number.takeError());
  if (!std::isfinite(static_cast<float>(*number)))
    return line.error(what + " must be a finite number");
  value = static_cast<float>(*number);
  return Error::success();
}

/// Reads options up to END, several on a line if need be. \p readOption is called with the rest of
/// the line and the option's name, and reads the values. InvalidInput where the script ends first;
/// \p name is for that message.
Error AmberPipelineReader::readBlock(LineCursor &line, StringRef name,
                                     function_ref<Error(LineCursor &, StringRef)> readOption) {
  if (Error error = line.expectEnd())
    return error;
  while (std::optional<LineCursor> inner = m_reader.m_lines.nextLogical()) {
    while (!inner->atEnd()) {
      if (inner->tryWord("END"))
        return inner->expectEnd();
      if (Error error = readOption(*inner, cantFail(inner->word(""))))
        return error;
    }
  }
  return line.error(name + " has no END");
}

/// POLYGON_MODE mode, by AmberScript's names.
Error AmberPipelineReader::readPolygonMode(LineCursor &line) {
  return readNamed(line, "POLYGON_MODE", polygonModes,
                   m_pipeline.description.graphics.rasterization.polygonMode);
}

/// PATCH_CONTROL_POINTS n, from 1 to 32.
Error AmberPipelineReader::readPatchControlPoints(LineCursor &line) {
  // maxTessellationPatchSize of every known device.
  constexpr uint64_t MostControlPoints = 32;
  Expected<uint64_t> count = line.number("a number of control points", MostControlPoints);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return line.error("a patch has at least one control point");
  m_pipeline.description.graphics.input.patchControlPoints = static_cast<uint32_t>(*count);
  return Error::success();
}

/// x y SIZE w h [MIN_DEPTH d] [MAX_DEPTH d]
/// The height may be negative. InvalidInput for a depth outside of [0, 1] and for an empty
/// viewport.
Error AmberPipelineReader::readViewport(LineCursor &line) {
  Viewport viewport;
  for (float *place : {&viewport.x, &viewport.y})
    if (Error error = readReal(line, "VIEWPORT", *place))
      return error;
  if (Error error = line.expect("SIZE"))
    return error;
  for (float *extent : {&viewport.width, &viewport.height})
    if (Error error = readReal(line, "VIEWPORT", *extent))
      return error;
  while (!line.atEnd()) {
    bool isMin = line.tryWord("MIN_DEPTH");
    if (!isMin && !line.tryWord("MAX_DEPTH"))
      return line.error("unknown option '" + line.peek().take_front(40) + "' of VIEWPORT");
    float &depth = isMin ? viewport.minDepth : viewport.maxDepth;
    if (Error error = readReal(line, isMin ? "MIN_DEPTH" : "MAX_DEPTH", depth))
      return error;
    if (depth < 0 || depth > 1)
      return line.error("depths of the viewport must lie between 0 and 1");
  }
  if (viewport.width <= 0 || viewport.height == 0)
    return line.error("the width of the viewport must be positive, and the height not 0");
  m_pipeline.description.graphics.viewport = viewport;
  m_viewportSaid = true;
  return Error::success();
}

/// Reads \p keyword and the number that follows it.
static Error readNamedReal(LineCursor &line, StringRef keyword, float &value) {
  if (Error error = line.expect(keyword))
    return error;
  return readReal(line, keyword, value);
}

/// Reads the value of one option of DEPTH. BIAS and CLAMP are in the rasterization state. BOUNDS
/// also decides about the test: it is off for bounds of 0 and 1.
Error AmberPipelineReader::readDepthOption(LineCursor &line, StringRef option) {
  DepthStencilState &state = m_pipeline.description.graphics.depthStencil;
  RasterizationState &rasterization = m_pipeline.description.graphics.rasterization;
  if (option == "TEST")
    return readNamed(line, option, switches, state.depthTest);
  if (option == "WRITE")
    return readNamed(line, option, switches, state.depthWrite);
  if (option == "CLAMP") {
    Error error = readNamed(line, option, switches, rasterization.depthClamp);
    rasterization.depthClip = !rasterization.depthClamp;
    return error;
  }
  if (option == "COMPARE_OP")
    return readNamed(line, option, compareOps, state.depthCompare);
  if (option == "BOUNDS") {
    if (Error error = readNamedReal(line, "min", state.minDepthBounds))
      return error;
    if (Error error = readNamedReal(line, "max", state.maxDepthBounds))
      return error;
    if (state.minDepthBounds > state.maxDepthBounds)
      return line.error("the lower bound of the depth is above the upper one");
    // Bounds that every depth is within need no feature of the device.
    state.depthBoundsTest = state.minDepthBounds > 0 || state.maxDepthBounds < 1;
    return Error::success();
  }
  if (option != "BIAS")
    return line.error("unknown option '" + option.take_front(40) + "' of DEPTH");
  rasterization.depthBias = true;
  if (Error error = readNamedReal(line, "constant", rasterization.depthBiasConstant))
    return error;
  if (Error error = readNamedReal(line, "clamp", rasterization.depthBiasClamp))
    return error;
  return readNamedReal(line, "slope", rasterization.depthBiasSlope);
}

/// Reads the options of DEPTH up to END, in any order.
Error AmberPipelineReader::readDepth(LineCursor &line) {
  return readBlock(line, "DEPTH", [this](LineCursor &inner, StringRef option) {
    return readDepthOption(inner, option);
  });
}

/// Reads a number of up to 32 bits and keeps its low eight bits, as a stencil value has no more.
static Error readStencilNumber(LineCursor &line, StringRef option, uint32_t &value) {
  Expected<uint64_t> number = line.number("a value of " + option.str(), ~0u);
  if (!number)
    return number.takeError();
  value = static_cast<uint32_t>(*number & 0xff);
  return Error::success();
}

/// Reads the value of one option of STENCIL for one face.
static Error readStencilOption(LineCursor &line, StringRef option, StencilFaceState &face) {
  if (option == "FAIL_OP")
    return readNamed(line, option, stencilOps, face.fail);
  if (option == "PASS_OP")
    return readNamed(line, option, stencilOps, face.pass);
  if (option == "DEPTH_FAIL_OP")
    return readNamed(line, option, stencilOps, face.depthFail);
  if (option == "COMPARE_OP")
    return readNamed(line, option, compareOps, face.compare);
  if (option == "COMPARE_MASK")
    return readStencilNumber(line, option, face.compareMask);
  if (option == "WRITE_MASK")
    return readStencilNumber(line, option, face.writeMask);
  if (option == "REFERENCE")
    return readStencilNumber(line, option, face.reference);
  return line.error("unknown option '" + option.take_front(40) + "' of STENCIL");
}

/// Reads the face and options for it up to END; TEST is for both faces. With front_and_back, each
/// value is read twice, once for each face.
Error AmberPipelineReader::readStencil(LineCursor &line) {
  static constexpr NamedValue<CullFaces> faces[] = {
      {"front", CullFront}, {"back", CullBack}, {"front_and_back", CullFrontAndBack}};
  DepthStencilState &state = m_pipeline.description.graphics.depthStencil;
  CullFaces said = CullNone;
  if (Error error = readNamed(line, "STENCIL", faces, said))
    return error;
  if (faultPlanted(Fault::ReaderStencilFace) && said == CullBack)
    said = CullFront;
  return readBlock(line, "STENCIL", [&](LineCursor &inner, StringRef option) -> Error {
    if (option == "TEST")
      return readNamed(inner, option, switches, state.stencilTest);
    LineCursor again = inner;
    if (said & CullFront)
      if (Error error = readStencilOption(inner, option, state.front))
        return error;
    if (said == CullFrontAndBack)
      inner = again;
    return said & CullBack ? readStencilOption(inner, option, state.back) : Error::success();
  });
}

/// Reads a plain or an advanced blend operation. A plain one resets \p advanced; an advanced one
/// leaves \p op as it is.
static Error readBlendOp(LineCursor &line, StringRef option, BlendOp &op,
                         std::optional<AdvancedBlendOp> &advanced) {
  advanced = std::nullopt;
  for (const NamedValue<AdvancedBlendOp> &row : advancedBlendOps)
    if (line.tryWord(row.name)) {
      advanced = row.value;
      return Error::success();
    }
  return readNamed(line, option, blendOps, op);
}

/// BLEND options END, which switches blending on for all colour attachments. InvalidInput where one
/// of the operations is advanced and the other is not the same one.
Error AmberPipelineReader::readBlend(LineCursor &line) {
  m_blend.blend = true;
  std::optional<AdvancedBlendOp> color = m_blend.advancedOp, alpha = m_blend.advancedOp;
  Error error = readBlock(line, "BLEND", [&](LineCursor &inner, StringRef option) -> Error {
    if (option == "SRC_COLOR_FACTOR")
      return readNamed(inner, option, blendFactors, m_blend.srcColor);
    if (option == "DST_COLOR_FACTOR")
      return readNamed(inner, option, blendFactors, m_blend.dstColor);
    if (option == "SRC_ALPHA_FACTOR")
      return readNamed(inner, option, blendFactors, m_blend.srcAlpha);
    if (option == "DST_ALPHA_FACTOR")
      return readNamed(inner, option, blendFactors, m_blend.dstAlpha);
    if (option == "COLOR_OP")
      return readBlendOp(inner, option, m_blend.colorOp, color);
    if (option == "ALPHA_OP")
      return readBlendOp(inner, option, m_blend.alphaOp, alpha);
    return inner.error("unknown option '" + option.take_front(40) + "' of BLEND");
  });
  if (error)
    return error;
  if (faultPlanted(Fault::ReaderBlendFactors)) {
    std::swap(m_blend.srcColor, m_blend.dstColor);
    std::swap(m_blend.srcAlpha, m_blend.dstAlpha);
  }
  // VUID-VkPipelineColorBlendAttachmentState-advanceBlendMaxColorAttachments and its neighbours.
  if (color != alpha)
    return line.error("COLOR_OP and ALPHA_OP must be the same advanced operation");
  m_blend.advancedOp = color;
  return Error::success();
}
