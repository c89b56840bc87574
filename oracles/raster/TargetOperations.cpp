// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears and resolves (Vulkan 1.3, "Clear Commands", "Copy Commands": "Resolving Multisample
// Images", "Render Pass": resolve modes).
#include "oracles/raster/RenderTarget.h"
#include "oracles/raster/TexelCodec.h"
#include "support/Fault.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Sets all samples of all layers. What the samples were before does not matter.
static void fillTexels(RenderTarget &target, const TexelFields &fields) {
  uint64_t count = uint64_t(target.width()) * target.height() * target.layers() * target.samples();
  for (uint64_t i = 0; i < count; ++i)
    target.setTexel(i, {fields});
}

void raster::clearColor(RenderTarget &target, const Color &color) {
  fillTexels(target, encodeColor(target.format(), color));
}

void raster::clearDepthStencil(RenderTarget &target, double depth, uint8_t stencil) {
  TexelFields fields = {};
  const TexelFormatInfo &format = target.format();
  for (unsigned i = 0; i < format.componentCount; ++i) {
    if (format.components[i].channel == 'D')
      fields[i] = encodeDepth(Range::point(depth), format.components[i].bits);
    else if (format.components[i].channel == 'S')
      fields[i] = Field::point(stencil);
  }
  fillTexels(target, fields);
}

/// All that a colour of several alternatives may be.
static Color decodeAll(const TexelFormatInfo &format, const TexelAlternatives &alternatives) {
  Color result = decodeColor(format, alternatives[0]);
  for (const TexelFields &fields : ArrayRef(alternatives).drop_front()) {
    Color color = decodeColor(format, fields);
    for (unsigned i = 0; i < 4; ++i) {
      bool isOpen = result[i].isOpen || color[i].isOpen || result[i].mayBeNan || color[i].mayBeNan;
      result[i] = isOpen ? Component::open() : Component{hull(result[i].range, color[i].range)};
    }
  }
  return result;
}

/// Returns true for formats that resolve by averaging. Others take the first sample.
static bool isAveraged(const TexelFormatInfo &format) {
  return !format.isInteger() && !format.find('D') && !format.find('S');
}

/// Returns the average of all samples of a texel; \p first is the index of its first sample. A
/// channel is open as soon as it is open or may be NaN in one sample.
static TexelFields average(const RenderTarget &from, uint64_t first) {
  Color sum = {};
  for (uint32_t sample = 0; sample < from.samples(); ++sample) {
    Color color = decodeAll(from.format(), from.getTexel(first + sample));
    for (unsigned i = 0; i < 4; ++i) {
      sum[i].isOpen |= color[i].isOpen || color[i].mayBeNan;
      sum[i].range = sum[i].range + color[i].range;
    }
  }
  double share = 1.0 / from.samples();
  for (Component &component : sum) {
    bool isEqual = component.range.isPoint();
    component.range = component.range * Range::point(share);
    // The sum of floats may round at each step.
    if (!isEqual && !component.isOpen)
      component.range = widen(component.range, std::fabs(component.range.hi) * 0x1p-22);
  }
  return encodeColor(from.format(), sum);
}

void raster::resolve(const RenderTarget &from, RenderTarget &to) {
  assert(to.samples() == 1 && from.width() == to.width() && from.height() == to.height() &&
         from.layers() == to.layers() && &from.format() == &to.format());
  uint64_t count = uint64_t(from.width()) * from.height() * from.layers();
  bool averages = isAveraged(from.format()) && !faultPlanted(Fault::RasterResolveFirst);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t first = i * from.samples();
    TexelAlternatives alternatives = from.getTexel(first);
    bool areEqual = averages;
    for (uint32_t sample = 1; sample < from.samples() && areEqual; ++sample)
      areEqual = from.getTexel(first + sample) == alternatives;
    if (averages && !(areEqual && alternatives.size() == 1))
      alternatives = {average(from, first)};
    to.setTexel(i, std::move(alternatives));
  }
}
