// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/TexelHistory.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using namespace assay::raster;

/// Nine significant digits, which distinguish all floats of 32 bits.
static std::string printNumber(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.9g", value);
  return text;
}

/// "1", "[0.5, 0.75]", "NaN", "1 or NaN", or "?" for an open component.
static std::string printComponent(const Component &component) {
  if (component.isOpen)
    return "?";
  const Range &range = component.range;
  if (range.lo > range.hi)
    return "NaN";
  std::string text = range.isPoint()
                         ? printNumber(range.lo)
                         : "[" + printNumber(range.lo) + ", " + printNumber(range.hi) + "]";
  return component.mayBeNan ? text + " or NaN" : text;
}

/// The target that the inspected image level is in \p framebuffer; null where it is none.
static const RenderTarget *findTarget(const TexelInspection &inspection,
                                      const CasePipeline &pipeline,
                                      const Framebuffer &framebuffer) {
  auto isIt = [&](const std::optional<Attachment> &attachment) {
    return attachment && attachment->buffer == inspection.buffer &&
           attachment->mipLevel == inspection.level;
  };
  for (size_t i = 0; i < pipeline.draw.color.size() && i < framebuffer.color.size(); ++i)
    if (isIt(pipeline.draw.color[i]))
      return framebuffer.color[i];
  return isIt(pipeline.draw.depthStencil) ? framebuffer.depthStencil : nullptr;
}

/// \p line is the case's line of the draw or clear, for the text.
TexelHistory::TexelHistory(TexelInspection &inspection, const CasePipeline &pipeline,
                           const Framebuffer &framebuffer, unsigned line)
    : m_inspection(inspection), m_pipeline(pipeline), m_line(line) {
  findTarget(framebuffer);
}

/// Sets m_target, null also where the texel is outside of the target.
void TexelHistory::findTarget(const Framebuffer &framebuffer) {
  m_target = ::findTarget(m_inspection, m_pipeline, framebuffer);
  bool isInside = m_target && m_inspection.x < m_target->width() &&
                  m_inspection.y < m_target->height() && m_inspection.layer < m_target->layers() &&
                  m_inspection.sample < m_target->samples();
  if (!isInside)
    m_target = nullptr;
}

/// All samples of the pixel are watched; afterFragment() selects the sample.
bool TexelHistory::watches(uint32_t x, uint32_t y, uint32_t layer) const {
  return m_target && x == m_inspection.x && y == m_inspection.y && layer == m_inspection.layer;
}

/// "(R 255, G 0) or (R 254, G 0)".
std::string TexelHistory::printTexel() const {
  uint64_t index =
      m_target->indexOf(m_inspection.x, m_inspection.y, m_inspection.layer, m_inspection.sample);
  const TexelFormatInfo &layout = m_target->format();
  std::string text;
  for (const TexelFields &fields : m_target->getTexel(index)) {
    std::string one;
    for (unsigned i = 0; i < layout.componentCount; ++i)
      if (layout.components[i].channel != 'X')
        one += (one.empty() ? "" : ", ") + std::string(1, layout.components[i].channel) + " " +
               printComponent(fields[i]);
    text += (text.empty() ? "(" : " or (") + one + ")";
  }
  return text;
}

/// Adds a line with the texel before and after. m_before must have been set.
void TexelHistory::add(const std::string &what) {
  std::string after = printTexel();
  m_inspection.history.push_back("line " + std::to_string(m_line) + ": " + what + ": " + m_before +
                                 (after == m_before ? " stays" : " -> " + after));
}

/// "; location 0 is (1, 0.5, 0, 1)", and what else the shader wrote.
static std::string printOutput(const FragmentOutput &output) {
  if (output.isKept == Answer::No)
    return ", discarded";
  std::string text = output.isKept == Answer::Maybe ? ", perhaps discarded" : "";
  for (const ColorOutput &color : output.colors) {
    text += ", location " + std::to_string(color.location);
    if (color.index)
      text += " index " + std::to_string(color.index);
    text += " (";
    for (unsigned i = 0; i < 4; ++i)
      text += (i ? ", " : "") + printComponent(color.value[i]);
    text += ")";
  }
  if (output.depth)
    text += ", depth " + printComponent(*output.depth);
  if (output.stencilReference)
    text += ", stencil reference " + std::to_string(*output.stencilReference);
  if (output.sampleMask)
    text += ", sample mask " + std::to_string(*output.sampleMask);
  if (!output.others.empty())
    text += ", or " + std::to_string(output.others.size()) + " other results";
  return text;
}

/// Keeps the texel's text for the line that afterFragment() may add.
void TexelHistory::beforeFragment(const FragmentEvent &) {
  m_before = printTexel();
}

/// Fragments that cannot cover the sample leave no line.
void TexelHistory::afterFragment(const FragmentEvent &event) {
  const Coverage &coverage = event.quad.fragments[event.fragment].coverage;
  if (!(coverage.possible >> m_inspection.sample & 1))
    return;
  std::string text = "primitive " + std::to_string(event.primitive.primitiveId) + " of instance " +
                     std::to_string(event.primitive.instance);
  if (event.primitive.isFrontFacing == Answer::No)
    text += ", back face";
  std::string primitive = text;
  if (!(coverage.certain >> m_inspection.sample & 1))
    text += ", perhaps covers it";
  bool hasChanged = printTexel() != m_before;
  add(text + printOutput(event.output));
  if (hasChanged)
    m_inspection.primitive = primitive + " (line " + std::to_string(m_line) + ")";
}

void TexelHistory::beforeClear() {
  if (m_target)
    m_before = printTexel();
}

/// The clear has opened other targets, so that the texel's is looked up again.
void TexelHistory::afterClear(const Framebuffer &framebuffer) {
  findTarget(framebuffer);
  if (m_target)
    add("clear");
}
