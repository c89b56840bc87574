// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/RenderTarget.h"

#include "oracles/raster/Coverage.h"
#include "oracles/raster/TexelCodec.h"
#include <cassert>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Alternatives that a texel may have before they are joined.
static constexpr size_t MaxAlternatives = 8;

std::string raster::whyNotRenderable(TexelFormat format) {
  if (!findTexelFormat(uint32_t(format)))
    return "attachments of VkFormat " + std::to_string(unsigned(format));
  const TexelFormatInfo &info = getTexelFormatInfo(format);
  bool isScaled = info.numeric == TexelNumeric::Uscaled || info.numeric == TexelNumeric::Sscaled;
  bool isWide = any_of(info.components, [](const TexelComponent &c) { return c.bits > 32; });
  // Not a colour attachment on any implementation: scaled, 64 bits, shared exponent.
  if (isScaled || isWide || info.find('E'))
    return "attachments of " + info.name.str();
  return "";
}

RenderTarget::RenderTarget(TexelFormat format, uint32_t width, uint32_t height, uint32_t layers,
                           uint32_t samples)
    : m_format(&getTexelFormatInfo(format)), m_width(width), m_height(height), m_layers(layers),
      m_samples(samples), m_bytes(uint64_t(width) * height * layers * samples * m_format->bytes) {
  assert(whyNotRenderable(format).empty() && !getSamplePositions(samples).empty());
}

uint64_t RenderTarget::indexOf(uint32_t x, uint32_t y, uint32_t layer, uint32_t sample) const {
  assert(x < m_width && y < m_height && layer < m_layers && sample < m_samples);
  return ((uint64_t(layer) * m_height + y) * m_width + x) * m_samples + sample;
}

void RenderTarget::load(ArrayRef<uint8_t> bytes) {
  assert(bytes.size() == m_bytes.size() && "not the bytes of the level");
  m_bytes.assign(bytes.begin(), bytes.end());
  m_open.clear();
}

TexelAlternatives RenderTarget::getTexel(uint64_t index) const {
  if (!m_open.empty())
    if (auto found = m_open.find(index); found != m_open.end())
      return found->second;
  return {loadFields(*m_format, &m_bytes[index * m_format->bytes])};
}

/// Whether everything that b may be, a may be too.
static bool contains(const Field &a, const Field &b) {
  if (a.isOpen || b.isOpen)
    return a.isOpen;
  bool isOnlyNan = b.range.lo > b.range.hi;
  return (a.mayBeNan || !b.mayBeNan) &&
         (isOnlyNan || (a.range.lo <= b.range.lo && b.range.hi <= a.range.hi));
}

/// The same for all fields of a texel.
static bool contains(const TexelFields &a, const TexelFields &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (!contains(a[i], b[i]))
      return false;
  return true;
}

/// Returns a field that may be everything that \p a or \p b may be. An empty range (lo > hi) is NaN
/// only.
static Field join(const Field &a, const Field &b) {
  if (a.isOpen || b.isOpen)
    return Field::open();
  if (a.range.lo > a.range.hi)
    return {b.range, true};
  if (b.range.lo > b.range.hi)
    return {a.range, true};
  return {hull(a.range, b.range), a.mayBeNan || b.mayBeNan};
}

void RenderTarget::setTexel(uint64_t index, TexelAlternatives alternatives) {
  assert(!alternatives.empty());
  TexelAlternatives kept;
  for (size_t i = 0; i < alternatives.size(); ++i) {
    bool isSpare = false;
    for (size_t j = 0; j < alternatives.size() && !isSpare; ++j) {
      isSpare = j != i && contains(alternatives[j], alternatives[i]) &&
                (j < i || !contains(alternatives[i], alternatives[j]));
      // What contains another number is no longer one and the same number (nominal).
      for (size_t k = 0; isSpare && k < alternatives[j].size(); ++k)
        if (alternatives[j][k].nominal != alternatives[i][k].nominal)
          alternatives[j][k].nominal = std::numeric_limits<double>::quiet_NaN();
    }
    if (!isSpare)
      kept.push_back(alternatives[i]);
  }
  if (kept.size() > MaxAlternatives) {
    for (const TexelFields &fields : kept)
      for (size_t i = 0; i < fields.size(); ++i)
        kept[0][i] = join(kept[0][i], fields[i]);
    kept.resize(1);
  }
  storeFields(*m_format, kept[0], &m_bytes[index * m_format->bytes]);
  bool isExact = kept.size() == 1 && all_of(kept[0], [](const Field &f) { return f.isExact(); });
  if (!isExact)
    m_open[index] = std::move(kept);
  else if (!m_open.empty())
    m_open.erase(index);
}

uint64_t RenderTarget::countUncertain() const {
  return uint64_t(count_if(m_open, [](const auto &entry) {
    const TexelAlternatives &texel = entry.second;
    return texel.size() > 1 || any_of(texel[0], [](const Field &field) { return field.isOpen; });
  }));
}
