// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels of detail (Vulkan 1.3, "Scale Factor Operation, LOD Operation and Image Level(s)
// Selection").
#include "oracles/machine/spirv/image/CubeMap.h"
#include "oracles/machine/spirv/image/Sampling.h"
#include "oracles/machine/spirv/math/FloatMath.h"

#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Far below and above every level.
static constexpr double MostLod = 1000;
/// Levels that a result may range over.
static constexpr int64_t MostLevels = 6;

/// log2 of both bounds, within [-MostLod, MostLod].
static Interval logOfScale(const Interval &scale) {
  auto bounded = [](double x) {
    return x > 0 ? std::clamp(log2Of(x), -MostLod, MostLod) : -MostLod;
  };
  return {bounded(scale.lo), bounded(scale.hi), false};
}

/// rho_x (or rho_y) may lie anywhere between the largest component and sqrt(2) times their sum.
static Interval scaleFactor(ArrayRef<Interval> sizes) {
  constexpr double sqrt2 = 1.41421356237309515;
  Interval result = Interval::point(0);
  for (const Interval &size : sizes) {
    result.lo = std::max(result.lo, size.lo);
    result.hi += size.hi;
  }
  result.hi *= sqrt2;
  return result;
}

/// The scale factors of what moves by \p derivative.
static Interval scaleOf(const SampleRequest &request, const Interval *derivative) {
  const ImageView &view = *request.view;
  SmallVector<Interval, 3> sizes;
  if (!view.isCube) {
    for (unsigned i = 0; i < request.dimensions; ++i) {
      Interval size = absolute(derivative[i]);
      double extent = view.extent(i, 0);
      sizes.push_back({size.lo * extent, size.hi * extent, false});
    }
    return scaleFactor(sizes);
  }
  std::optional<Interval> result;
  double extent = view.extent(0, 0);
  for (const FacePoint &point : selectFaces(request.coordinates)) {
    FaceSpeed speed = faceSpeed(point.face, request.coordinates, derivative);
    Interval scale = scaleFactor({{speed.s.lo * extent, speed.s.hi * extent, false},
                                  {speed.t.lo * extent, speed.t.hi * extent, false}});
    result = result ? hull(*result, scale) : scale;
  }
  return result.value_or(Interval::point(0));
}

/// With all biases. NaN where nothing can be said.
Interval TexelSampler::computeUnclampedLod() const {
  Interval lod;
  if (m_request.lod) {
    lod = *m_request.lod;
  } else {
    Interval byX = scaleOf(m_request, m_request.gradients[0]);
    Interval byY = scaleOf(m_request, m_request.gradients[1]);
    lod = logOfScale({std::max(byX.lo, byY.lo), std::max(byX.hi, byY.hi), false});
  }
  if (lod.nan || lod.isEmpty())
    return Interval::onlyNan();
  double bias = m_sampler.lodBias;
  return {lod.lo + bias + m_request.bias.lo, lod.hi + bias + m_request.bias.hi, false};
}

/// Quantized outward, if at all; within the sampler's bounds. NaN where nothing can be said.
Interval TexelSampler::computeLod() const {
  Interval lod = computeUnclampedLod();
  if (lod.isEmpty())
    return lod;
  lod = clampTo(lod, std::max<double>({m_sampler.minLod, m_request.minLod, -MostLod}),
                std::min<double>(m_sampler.maxLod, MostLod));
  if (m_request.isNominal)
    return Interval::point(lod.lo);
  constexpr double steps = 16;
  return {floorOf(lod.lo * steps) / steps, -floorOf(-lod.hi * steps) / steps, false};
}

/// Without a linear mip filter the first result is a whole level.
std::pair<Interval, Interval> TexelSampler::queryLod() const {
  Interval level = computeLod();
  if (level.isEmpty())
    return {level, level};
  double last = m_view.levels() - 1;
  level = clampTo(level, 0, last);
  if (m_sampler.mipFilter == Filter::Nearest) // Ties may go either way.
    level = clampTo({-floorOf(-(level.lo + 0.5)) - 1, floorOf(level.hi + 0.5), false}, 0, last);
  return {level, computeUnclampedLod()};
}

/// Both filters count where the level may be on either side of 0.
Color TexelSampler::sample() {
  Interval lod = computeLod();
  if (lod.isEmpty())
    return Color::ambiguous();
  std::optional<Color> result;
  Interval level = clampTo(lod, 0, m_view.levels() - 1);
  if (m_sampler.magFilter == m_sampler.minFilter) {
    includeLevels(m_sampler.minFilter, level, result);
  } else {
    if (lod.lo <= 0)
      includeLevels(m_sampler.magFilter, Interval::point(0), result);
    if (lod.hi > 0)
      includeLevels(m_sampler.minFilter, level, result);
  }
  return *result;
}

/// The first colour starts the result; later ones widen it.
static void include(std::optional<Color> &result, const Color &color) {
  if (result)
    result->include(color);
  else
    result = color;
}

/// More than MostLevels levels leave the colour open.
void TexelSampler::includeLevels(Filter filter, const Interval &level,
                                 std::optional<Color> &result) {
  auto last = static_cast<int64_t>(m_view.levels()) - 1;
  bool isNearest = m_sampler.mipFilter == Filter::Nearest;
  // Ties of the nearest level may go either way.
  double lowest = isNearest ? -floorOf(-(level.lo + 0.5)) - 1 : floorOf(level.lo);
  double highest = floorOf(level.hi + (isNearest ? 0.5 : 0));
  if (isNearest && m_request.isNominal)
    highest = lowest;
  int64_t lo = std::clamp<int64_t>(static_cast<int64_t>(lowest), 0, last);
  int64_t hi = std::clamp<int64_t>(static_cast<int64_t>(highest), 0, last);
  if (hi - lo >= MostLevels)
    return include(result, Color::ambiguous());
  for (int64_t i = lo; i <= hi; ++i) {
    auto base = static_cast<double>(i);
    Interval weight{std::max(level.lo - base, 0.0), std::min(level.hi - base, 1.0), false};
    if (!isNearest && i > lo && weight.hi == 0)
      continue; // The end of the interval before.
    Color color = sampleLevel(static_cast<uint32_t>(i), filter);
    if (!isNearest && i < last && weight.hi > 0) {
      m_mixesTexels = true;
      color = blend({color, sampleLevel(static_cast<uint32_t>(i + 1), filter)}, {{0, weight}});
    }
    include(result, color);
  }
}
