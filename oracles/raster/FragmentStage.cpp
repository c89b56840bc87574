// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/FragmentStage.h"

#include "oracles/raster/Blend.h"
#include "support/Fault.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Quads that the shader runs for together.
static constexpr size_t BatchQuads = 1024;

FragmentStage::FragmentStage(const DrawInput &input, ShaderExecutor &shaders,
                             const Framebuffer &framebuffer)
    : m_input(input), m_state(*input.state), m_shaders(shaders), m_framebuffer(framebuffer),
      m_samples(getSamplePositions(input.state->multisample.samples)),
      m_perSample(runsPerSample(input)) {
  const DepthStencilState &state = m_state.depthStencil;
  const RenderTarget *target = framebuffer.depthStencil;
  if (target)
    m_depth = target->format().find('D');
  m_testsDepth = m_depth && (state.depthTest || state.depthBoundsTest);
  m_testsStencil = target && target->format().find('S') && state.stencilTest;
}

/// The place of a pixel's centre, or of the quad's sample.
Place Quad::getPlace(unsigned fragment, unsigned samples) const {
  double px = x + int(fragment % 2), py = y + int(fragment / 2);
  SamplePosition position = sample ? getSamplePositions(samples)[*sample] : SamplePosition();
  return {Range::point(px + position.x / 16.0), Range::point(py + position.y / 16.0)};
}

/// The exact place of a sample of one of the quad's four fragments.
Place FragmentStage::getSamplePlace(const Quad &quad, unsigned fragment, unsigned sample) const {
  double px = quad.x + int(fragment % 2), py = quad.y + int(fragment / 2);
  return {Range::point(px + m_samples[sample].x / 16.0),
          Range::point(py + m_samples[sample].y / 16.0)};
}

/// The depth with bias, before it is clamped.
Range FragmentStage::getDepth(const Shape &shape, const Place &place) const {
  Range depth = shape.primitive.interpolation.getDepth(place);
  if (shape.depthBias != Range()) {
    Range biased = depth + shape.depthBias;
    // The sum rounds to a float.
    depth = biased.isPoint() && biased.lo == double(float(biased.lo))
                ? biased
                : widen(biased, std::max(std::fabs(biased.lo), std::fabs(biased.hi)) * 0x1p-23);
  }
  return depth;
}

/// "The interpolation position used must also fall within the bounds of the primitive". All samples
/// covered and in the sample mask: the centre. Otherwise drivers take one of the covered samples:
/// the box around them.
static Place getCentroid(const Place &center, Coverage coverage, uint32_t mask, int32_t x,
                         int32_t y, ArrayRef<SamplePosition> samples) {
  if (samples.size() == 1 || !coverage.possible)
    return center;
  uint32_t all = (1u << samples.size()) - 1;
  if ((coverage.certain & mask) == all)
    return center;
  Place box = center;
  bool isFirst = coverage.possible != all; // Else the centre is another choice.
  for (unsigned i = 0; i < samples.size(); ++i) {
    if (!(coverage.possible >> i & 1))
      continue;
    Range px = Range::point(x + samples[i].x / 16.0), py = Range::point(y + samples[i].y / 16.0);
    box = isFirst ? Place{px, py} : Place{hull(box.x, px), hull(box.y, py)};
    isFirst = false;
  }
  return box;
}

/// Finds the coverage of the quad with its upper left pixel at (\p x, \p y) and adds it, once or
/// for each sample. Pixels outside of the framebuffer are not covered.
void FragmentStage::collectQuad(const Shape &shape, int32_t x, int32_t y) {
  Quad quad;
  quad.x = x;
  quad.y = y;
  uint32_t any = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Fragment &fragment = quad.fragments[i];
    int32_t px = x + int(i % 2), py = y + int(i / 2);
    bool isInside = px < int32_t(m_framebuffer.width) && py < int32_t(m_framebuffer.height);
    if (!isInside)
      continue;
    fragment.coverage = coverPixel(shape, px, py, m_samples);
    any |= fragment.coverage.possible;
  }
  if (!any)
    return;
  uint32_t mask = uint32_t(m_state.multisample.sampleMask);
  if (faultPlanted(Fault::RasterSampleMaskIgnored))
    mask = ~0u;
  for (unsigned i = 0; i < 4; ++i) {
    Fragment &fragment = quad.fragments[i];
    int32_t px = x + int(i % 2), py = y + int(i / 2);
    fragment.centroid =
        getCentroid(quad.getPlace(i, 1), fragment.coverage, mask, px, py, m_samples);
    fragment.coverage.certain &= mask;
    fragment.coverage.possible &= mask;
  }
  if (!m_perSample)
    return addQuad(shape, quad);
  for (unsigned sample = 0; sample < m_samples.size(); ++sample) {
    Quad single = quad;
    single.sample = uint8_t(sample);
    for (unsigned i = 0; i < 4; ++i) {
      Fragment &fragment = single.fragments[i];
      fragment.coverage.certain &= 1u << sample;
      fragment.coverage.possible &= 1u << sample;
      fragment.centroid = single.getPlace(i, unsigned(m_samples.size()));
    }
    addQuad(shape, single);
  }
}

/// Makes early tests, marks helpers and queues the quad. A quad without covered fragments is
/// dropped.
void FragmentStage::addQuad(const Shape &shape, Quad quad) {
  if (m_input.earlyTests)
    testEarly(shape, quad);
  bool isNeeded = false;
  for (unsigned i = 0; i < 4; ++i) {
    Fragment &fragment = quad.fragments[i];
    fragment.isHelper = !fragment.coverage.possible;
    isNeeded |= !fragment.isHelper;
  }
  if (!isNeeded)
    return;
  for (unsigned i = 0; i < 4; ++i)
    quad.fragments[i].depth = getDepth(shape, quad.getPlace(i, unsigned(m_samples.size())));
  m_quads.push_back(quad);
}

/// Removes samples that the tests before the shader reject, and makes uncertain ones possible only.
void FragmentStage::testEarly(const Shape &shape, Quad &quad) {
  if (!m_testsDepth && !m_testsStencil)
    return;
  for (unsigned i = 0; i < 4; ++i) {
    Coverage &coverage = quad.fragments[i].coverage;
    for (unsigned sample = 0; sample < m_samples.size(); ++sample) {
      uint32_t bit = 1u << sample;
      if (!(coverage.possible & bit))
        continue;
      Answer isCovered = coverage.certain & bit ? Answer::Yes : Answer::Maybe;
      Answer passes = testSample(shape, quad, i, sample, isCovered, nullptr);
      if (passes != Answer::Yes)
        coverage.certain &= ~bit;
      if (passes == Answer::No)
        coverage.possible &= ~bit;
    }
  }
}

/// "Depth Clamping and Range Adjustment". A depth that is outside of the viewport's range is
/// undefined unless it is clamped; what may be outside by an error of the model is clamped.
Range FragmentStage::clampDepth(Range depth) const {
  double n = m_state.viewport.minDepth, f = m_state.viewport.maxDepth;
  double least = std::min(n, f), most = std::max(n, f);
  bool isOutside = depth.hi < least || depth.lo > most;
  if (isOutside && !m_state.rasterization.depthClamp)
    return {least, most};
  return clampTo(depth, least, most);
}

/// Tests one sample and updates the depth and stencil target. \p output: of the shader, if it ran.
Answer FragmentStage::testSample(const Shape &shape, const Quad &quad, unsigned fragment,
                                 unsigned sample, Answer isCovered, const FragmentOutput *output) {
  if (!m_testsDepth && !m_testsStencil)
    return isCovered;
  RenderTarget &target = *m_framebuffer.depthStencil;
  const TexelFormatInfo &format = target.format();
  unsigned depthIndex = 0, stencilIndex = 0;
  for (unsigned i = 0; i < format.componentCount; ++i) {
    depthIndex = format.components[i].channel == 'D' ? i : depthIndex;
    stencilIndex = format.components[i].channel == 'S' ? i : stencilIndex;
  }
  bool isReplaced = output && output->depth;
  Range depth = isReplaced ? output->depth->isOpen ? Range{0, 1} : output->depth->range
                           : getDepth(shape, getSamplePlace(quad, fragment, sample));
  depth = clampDepth(depth);
  Field depthField = m_depth ? encodeDepth(depth, m_depth->bits) : Field();
  uint64_t index = target.indexOf(uint32_t(quad.x) + fragment % 2, uint32_t(quad.y) + fragment / 2,
                                  shape.primitive.layer, sample);
  TexelAlternatives updated;
  TexelAlternatives old = target.getTexel(index);
  if (isCovered == Answer::Maybe)
    updated = old;
  bool mayPass = false, mayFail = isCovered == Answer::Maybe;
  for (const TexelFields &fields : old) {
    DepthStencilValue value{m_depth ? decodeDepth(fields[depthIndex], m_depth->bits) : Range(),
                            uint8_t(m_testsStencil ? fields[stencilIndex].range.lo : 0)};
    for (Answer front : {Answer::Yes, Answer::No}) {
      if (shape.primitive.isFrontFacing != Answer::Maybe && shape.primitive.isFrontFacing != front)
        continue;
      const StencilFaceState &face =
          front == Answer::Yes ? m_state.depthStencil.front : m_state.depthStencil.back;
      uint32_t reference =
          output && output->stencilReference ? *output->stencilReference : face.reference;
      DepthStencilInput input{m_depth ? decodeDepth(depthField, m_depth->bits) : Range(),
                              uint8_t(reference), front == Answer::Yes,
                              depthField == fields[depthIndex] &&
                                  depthField.nominal == fields[depthIndex].nominal};
      for (const DepthStencilResult &result : testDepthStencil(
               m_state.depthStencil, input, value, m_depth != nullptr, m_testsStencil)) {
        (result.pass ? mayPass : mayFail) = true;
        TexelFields &fieldsAfter = updated.emplace_back(fields);
        if (result.stored.depth != value.depth)
          fieldsAfter[depthIndex] = depthField;
        if (m_testsStencil)
          fieldsAfter[stencilIndex] = Field::point(result.stored.stencil);
      }
    }
  }
  if (updated.size() > old.size())
    target.noteRounding(index);
  target.setTexel(index, std::move(updated));
  return !mayPass ? Answer::No : mayFail ? Answer::Maybe : Answer::Yes;
}

/// Applies alpha to coverage and alpha to one. Neither is for integer targets.
void FragmentStage::applyAlpha(FragmentOutput &output, Coverage &coverage) const {
  const MultisampleState &state = m_state.multisample;
  if (!state.alphaToCoverage && !state.alphaToOne)
    return;
  ColorOutput *first = nullptr;
  for (ColorOutput &color : output.colors)
    if (color.location == 0 && color.index == 0)
      first = &color;
  bool isInteger = !m_state.colorTargets.empty() &&
                   m_state.colorTargets[0].format != TexelFormat::Undefined &&
                   getTexelFormatInfo(m_state.colorTargets[0].format).isInteger();
  if (!first || isInteger)
    return;
  if (state.alphaToCoverage) {
    // All samples for 1, none for 0; what lies between is not specified.
    const Component &alpha = first->value[3];
    bool isKnown = !alpha.isOpen && !alpha.mayBeNan;
    if (!(isKnown && alpha.range.lo >= 1))
      coverage.certain = 0;
    if (isKnown && alpha.range.hi <= 0)
      coverage.possible = 0;
  }
  if (state.alphaToOne && !faultPlanted(Fault::RasterAlphaToOne))
    for (ColorOutput &color : output.colors)
      color.value[3] = Component::point(1);
}

namespace {
/// A texel of a target, what it may be before a fragment, and after it.
struct FragmentTexel {
  RenderTarget *target;
  uint64_t index;
  TexelAlternatives before, after;
};
} // namespace

/// As finishAll(), with the observer called before and after it where it watches the pixel.
void FragmentStage::finishWatched(const Shape &shape, const Quad &quad, unsigned fragment,
                                  FragmentOutput &output) {
  FragmentObserver *observer = m_input.observer;
  if (!observer || !observer->watches(uint32_t(quad.x) + fragment % 2,
                                      uint32_t(quad.y) + fragment / 2, shape.primitive.layer))
    return finishAll(shape, quad, fragment, output);
  FragmentEvent event{shape.primitive, quad, fragment, output};
  observer->beforeFragment(event);
  finishAll(shape, quad, fragment, output);
  observer->afterFragment(event);
}

/// Writes what the fragment may be: its output, and the other outputs that it may have instead, as
/// alternatives of each texel.
void FragmentStage::finishAll(const Shape &shape, const Quad &quad, unsigned fragment,
                              FragmentOutput &output) {
  if (output.others.empty())
    return finish(shape, quad, fragment, output);
  std::vector<FragmentTexel> texels;
  auto add = [&](RenderTarget *target) {
    for (unsigned sample = 0; target && sample < m_samples.size(); ++sample) {
      uint64_t index =
          target->indexOf(uint32_t(quad.x) + fragment % 2, uint32_t(quad.y) + fragment / 2,
                          shape.primitive.layer, sample);
      texels.push_back({target, index, target->getTexel(index), {}});
    }
  };
  for (RenderTarget *target : m_framebuffer.color)
    add(target);
  add(m_framebuffer.depthStencil);
  auto addResult = [&](FragmentOutput &result) {
    for (const FragmentTexel &texel : texels)
      texel.target->setTexel(texel.index, texel.before);
    finish(shape, quad, fragment, result);
    for (FragmentTexel &texel : texels)
      texel.after.append(texel.target->getTexel(texel.index));
  };
  addResult(output);
  for (FragmentOutput &other : output.others)
    addResult(other);
  for (FragmentTexel &texel : texels) {
    if (!output.othersAreTexels)
      texel.target->noteRounding(texel.index);
    texel.target->setTexel(texel.index, std::move(texel.after));
  }
}

/// Applies one output: discard, sample mask, alpha, late tests and colours.
void FragmentStage::finish(const Shape &shape, const Quad &quad, unsigned fragment,
                           FragmentOutput &output) {
  Coverage coverage = quad.fragments[fragment].coverage;
  if (output.isKept == Answer::No)
    return;
  if (output.isKept == Answer::Maybe)
    coverage.certain = 0;
  if (output.sampleMask) {
    coverage.certain &= *output.sampleMask;
    coverage.possible &= *output.sampleMask;
  }
  applyAlpha(output, coverage);
  if (!m_input.earlyTests && (m_testsDepth || m_testsStencil))
    for (unsigned sample = 0; sample < m_samples.size(); ++sample) {
      uint32_t bit = 1u << sample;
      if (!(coverage.possible & bit))
        continue;
      Answer isCovered = coverage.certain & bit ? Answer::Yes : Answer::Maybe;
      Answer passes = testSample(shape, quad, fragment, sample, isCovered, &output);
      if (passes != Answer::Yes)
        coverage.certain &= ~bit;
      if (passes == Answer::No)
        coverage.possible &= ~bit;
    }
  if (coverage.possible)
    writeColors(shape, quad, fragment, coverage, output);
}

/// Writes the colours of one fragment to the samples in \p coverage. Where coverage is not certain,
/// the old value remains an alternative.
void FragmentStage::writeColors(const Shape &shape, const Quad &quad, unsigned fragment,
                                Coverage coverage, const FragmentOutput &output) {
  for (size_t location = 0; location < m_state.colorTargets.size(); ++location) {
    RenderTarget *target =
        location < m_framebuffer.color.size() ? m_framebuffer.color[location] : nullptr;
    const ColorTarget &state = m_state.colorTargets[location];
    if (!target || !state.writeMask)
      continue;
    BlendSource source;
    source.color.fill(Component::open());
    source.second.fill(Component::open());
    for (const ColorOutput &color : output.colors)
      if (color.location == location)
        (color.index ? source.second : source.color) = color.value;
    bool reads = readsDestination(state, target->format(), m_state.logicOp);
    TexelFields plain;
    if (!reads)
      plain =
          blendTexel(state, target->format(), source, m_state.blendConstants, m_state.logicOp, {});
    for (unsigned sample = 0; sample < m_samples.size(); ++sample) {
      if (!(coverage.possible >> sample & 1))
        continue;
      bool isCertain = coverage.certain >> sample & 1;
      uint64_t index =
          target->indexOf(uint32_t(quad.x) + fragment % 2, uint32_t(quad.y) + fragment / 2,
                          shape.primitive.layer, sample);
      TexelAlternatives updated;
      if (reads || !isCertain) {
        TexelAlternatives old = target->getTexel(index);
        if (!isCertain) {
          updated = old;
          target->noteRounding(index);
        }
        if (reads)
          for (const TexelFields &fields : old)
            updated.push_back(blendTexel(state, target->format(), source, m_state.blendConstants,
                                         m_state.logicOp, fields));
      }
      if (!reads)
        updated.push_back(plain);
      target->setTexel(index, std::move(updated));
    }
  }
}

/// Runs the shader for the queued quads and finishes their fragments in order.
Error FragmentStage::flush(const Shape &shape) {
  if (m_quads.empty())
    return Error::success();
  m_outputs.assign(m_quads.size() * 4, FragmentOutput());
  if (m_input.hasFragmentShader)
    if (Error error = m_shaders.runFragments(shape.primitive, m_quads, m_outputs))
      return error;
  for (size_t i = 0; i < m_quads.size(); ++i)
    for (unsigned fragment = 0; fragment < 4; ++fragment) {
      bool isHelper = m_quads[i].fragments[fragment].isHelper;
      if (isHelper && faultPlanted(Fault::RasterHelperStores))
        writeColors(shape, m_quads[i], fragment, {1, 1}, m_outputs[4 * i + fragment]);
      if (!isHelper)
        finishWatched(shape, m_quads[i], fragment, m_outputs[4 * i + fragment]);
    }
  m_quads.clear();
  return Error::success();
}

/// Collects quads in rows and runs them in batches.
Error FragmentStage::draw(const Shape &shape) {
  int64_t x0 = MaxSubpixel, y0 = MaxSubpixel, x1 = -MaxSubpixel, y1 = -MaxSubpixel;
  for (const SnappedVertex &vertex : shape.polygon) {
    x0 = std::min(x0, vertex.x.lo);
    x1 = std::max(x1, vertex.x.hi);
    y0 = std::min(y0, vertex.y.lo);
    y1 = std::max(y1, vertex.y.hi);
  }
  // Pixels, and even ones to begin with; a shift rounds down.
  x0 = std::max<int64_t>(x0 >> 8, 0) & ~1;
  y0 = std::max<int64_t>(y0 >> 8, 0) & ~1;
  x1 = std::min<int64_t>((x1 >> 8) + 1, m_framebuffer.width);
  y1 = std::min<int64_t>((y1 >> 8) + 1, m_framebuffer.height);
  for (int64_t y = y0; y < y1; y += 2)
    for (int64_t x = x0; x < x1; x += 2) {
      collectQuad(shape, int32_t(x), int32_t(y));
      if (m_quads.size() >= BatchQuads)
        if (Error error = flush(shape))
          return error;
    }
  return flush(shape);
}
