// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clears and resolves (Vulkan 1.3, "Clear Commands", "Copy Commands": "Resolving Multisample
// Images", "Render Pass": resolve modes).
#include "oracles/raster/RenderTarget.h"
#include "oracles/raster/TexelCodec.h"
#include "support/Fault.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>
#include <cmath>

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

/// Whether floats of 24 bits sum up channel \p channel of \p samples exactly in any order: all are
/// multiples of a number that \p magnitude, the sum of their magnitudes, has less than 2^24 of.
static bool sumsExactly(ArrayRef<Color> samples, unsigned channel, double magnitude) {
  int scale = magnitude == 0 ? 0 : 23 - std::ilogb(magnitude);
  return all_of(samples, [&](const Color &sample) {
    Range range = sample[channel].range;
    double units = std::ldexp(range.lo, scale);
    return range.isPoint() && units == std::floor(units);
  });
}

/// Returns the average of all samples of a texel; \p first is the index of its first sample. A
/// channel is open as soon as it is open or may be NaN in one sample.
static TexelFields average(const RenderTarget &from, uint64_t first) {
  SmallVector<Color, 8> samples;
  for (uint32_t sample = 0; sample < from.samples(); ++sample)
    samples.push_back(decodeAll(from.format(), from.getTexel(first + sample)));
  double share = 1.0 / from.samples();
  Color result = {};
  for (unsigned i = 0; i < 4; ++i) {
    Component &sum = result[i];
    double magnitude = 0;
    for (const Color &sample : samples) {
      Range range = sample[i].range;
      sum.isOpen |= sample[i].isOpen || sample[i].mayBeNan;
      sum.range = sum.range + range;
      magnitude += std::max(std::fabs(range.lo), std::fabs(range.hi));
    }
    // The sum of floats may round at each step, to 24 bits of what is summed up until then.
    double error = magnitude * std::max(4u, from.samples()) * 0x1p-24;
    if (!sum.isOpen && !sumsExactly(samples, i, magnitude))
      sum.range = widen(sum.range, error);
    sum.range = sum.range * Range::point(share);
  }
  return encodeColor(from.format(), result);
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
