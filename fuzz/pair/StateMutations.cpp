// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/pair/StateMutations.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// One of \p choices that is not \p now.
template <typename T> static T pickOther(ArrayRef<T> choices, T now, Random &random) {
  std::vector<T> others;
  copy_if(choices, std::back_inserter(others), [&](T each) { return each != now; });
  return random.pick(ArrayRef<T>(others));
}

bool assay::applyStateUnread(PairInput &input, Random &random) {
  if (!input.pipeline.isGraphics())
    return false;
  GraphicsState &state = input.pipeline.graphics;
  switch (random.below(6)) {
  case 0:
    state.viewport.width += 8;
    break;
  case 1:
    state.rasterization.cullMode =
        state.rasterization.cullMode == CullNone ? CullBack : CullFaces(CullNone);
    break;
  case 2:
    state.depthStencil.depthTest = !state.depthStencil.depthTest;
    break;
  case 3:
    state.blendConstants[random.below(4)] += 0.5F;
    break;
  case 4:
    state.multisample.sampleMask ^= 1;
    break;
  default:
    state.rasterization.depthBias = !state.rasterization.depthBias;
    break;
  }
  return true;
}

bool assay::applyStateTopology(PairInput &input, Random &random) {
  if (!input.pipeline.isGraphics())
    return false;
  constexpr PrimitiveTopology choices[] = {
      PrimitiveTopology::PointList, PrimitiveTopology::LineList, PrimitiveTopology::LineStrip,
      PrimitiveTopology::TriangleList, PrimitiveTopology::TriangleStrip};
  PrimitiveTopology &topology = input.pipeline.graphics.input.topology;
  topology = pickOther(ArrayRef(choices), topology, random);
  return true;
}

/// Numbers of VkFormat.
static constexpr auto r32Float = TexelFormat(100), rg32Float = TexelFormat(103),
                      rgba32Float = TexelFormat(109), rgba16Float = TexelFormat(97),
                      rgba8Unorm = TexelFormat(37), bgra8Unorm = TexelFormat(44);

bool assay::applyStateAttribute(PairInput &input, Random &random) {
  MutableArrayRef<VertexInputAttribute> attributes(input.pipeline.graphics.input.attributes);
  if (attributes.empty())
    return false;
  VertexInputAttribute &attribute = attributes[random.below(attributes.size())];
  if (random.oneIn(2)) {
    attribute.offset += 4;
    return true;
  }
  constexpr TexelFormat choices[] = {r32Float, rg32Float, rgba32Float, rgba8Unorm};
  attribute.format = pickOther(ArrayRef(choices), attribute.format, random);
  return true;
}

bool assay::applyStateBinding(PairInput &input, Random &random) {
  MutableArrayRef<VertexInputBinding> bindings(input.pipeline.graphics.input.bindings);
  if (bindings.empty())
    return false;
  VertexInputBinding &binding = bindings[random.below(bindings.size())];
  if (binding.perInstance && random.oneIn(2))
    ++binding.divisor;
  else if (random.oneIn(2))
    binding.perInstance = !binding.perInstance;
  else
    binding.stride += 4;
  return true;
}

bool assay::applyStateRasterization(PairInput &input, Random &random) {
  if (!input.pipeline.isGraphics())
    return false;
  RasterizationState &state = input.pipeline.graphics.rasterization;
  switch (random.below(3)) {
  case 0:
    state.discard = !state.discard;
    break;
  case 1:
    state.polygonMode =
        state.polygonMode == PolygonMode::Point ? PolygonMode::Fill : PolygonMode::Point;
    break;
  default:
    state.provokingVertex = state.provokingVertex == ProvokingVertex::Last ? ProvokingVertex::First
                                                                           : ProvokingVertex::Last;
    break;
  }
  return true;
}

bool assay::applyStateSamples(PairInput &input, Random &random) {
  if (!input.pipeline.isGraphics())
    return false;
  constexpr uint32_t choices[] = {1, 2, 4, 8};
  uint32_t &samples = input.pipeline.graphics.multisample.samples;
  samples = pickOther(ArrayRef(choices), samples, random);
  return true;
}

bool assay::applyStateCoverage(PairInput &input, Random &) {
  if (!input.pipeline.isGraphics())
    return false;
  bool &flag = input.pipeline.graphics.multisample.alphaToCoverage;
  flag = !flag;
  return true;
}

bool assay::applyStateSampleShading(PairInput &input, Random &) {
  if (!input.pipeline.isGraphics())
    return false;
  MultisampleState &state = input.pipeline.graphics.multisample;
  if (state.samples == 1)
    state.samples = 4;
  state.sampleShading = !state.sampleShading;
  state.minSampleShading = 1;
  return true;
}

/// One of the targets that has a format; null where there is none.
static ColorTarget *pickTarget(PairInput &input, Random &random) {
  std::vector<ColorTarget *> targets;
  for (ColorTarget &each : input.pipeline.graphics.colorTargets)
    if (each.format != TexelFormat::Undefined)
      targets.push_back(&each);
  return targets.empty() ? nullptr : random.pick(ArrayRef<ColorTarget *>(targets));
}

bool assay::applyStateTarget(PairInput &input, Random &random) {
  ColorTarget *target = pickTarget(input, random);
  if (!target)
    return false;
  constexpr TexelFormat choices[] = {r32Float, rgba32Float, rgba16Float, rgba8Unorm, bgra8Unorm};
  target->format = pickOther(ArrayRef(choices), target->format, random);
  return true;
}

bool assay::applyStateBlend(PairInput &input, Random &random) {
  ColorTarget *target = pickTarget(input, random);
  if (!target)
    return false;
  constexpr BlendFactor choices[] = {BlendFactor::One, BlendFactor::DstColor, BlendFactor::SrcAlpha,
                                     BlendFactor::Src1Color};
  target->blend = !target->blend;
  target->srcColor = choices[random.below(std::size(choices))];
  return true;
}
