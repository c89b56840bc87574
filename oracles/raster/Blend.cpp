// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Blend.h"

#include "support/Fault.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

/// Empty where the target can be blended.
std::string raster::whyNotBlendable(const ColorTarget &target) {
  if (!target.blend)
    return "";
  if (target.advancedOp)
    return "advanced blend operations";
  if (target.format != TexelFormat::Undefined && getTexelFormatInfo(target.format).isInteger())
    return "blending of " + getTexelFormatInfo(target.format).name.str();
  return "";
}

/// Returns true when \p logicOp has an effect on targets of \p format. Those are integer, UNORM and
/// SNORM formats.
static bool hasLogicOp(const TexelFormatInfo &format, std::optional<LogicOp> logicOp) {
  // "Logical operations are not applied to floating-point or sRGB format color attachments."
  return logicOp && (format.isInteger() || format.numeric == TexelNumeric::Unorm ||
                     format.numeric == TexelNumeric::Snorm);
}

/// True if the result depends on the old texel.
bool raster::readsDestination(const ColorTarget &target, const TexelFormatInfo &format,
                              std::optional<LogicOp> logicOp) {
  if (logicOp)
    return hasLogicOp(format, logicOp) || target.writeMask != 0xf;
  return target.blend || target.writeMask != 0xf;
}

/// Returns the bits of the largest colour component. Depth, stencil and unused bits do not count.
static unsigned getMostBits(const TexelFormatInfo &format) {
  unsigned bits = 0;
  for (const TexelComponent &component : format.components)
    bits = getColorIndex(component.channel) < 4 ? std::max<unsigned>(bits, component.bits) : bits;
  return bits;
}

namespace {
/// Blends one texel: components of the colours as numbers of the target's precision.
class Blender {
public:
  Blender(const ColorTarget &target, const TexelFormatInfo &format, const BlendSource &source,
          ArrayRef<float> constants, const Color &old)
      : m_target(target), m_format(format), m_source(source), m_constants(constants), m_old(old) {
    m_isFixed = isNormalized(format);
    m_isSigned = format.numeric == TexelNumeric::Snorm;
    m_bits = getMostBits(format);
    m_unit = 1 / getMaxCode(m_bits, m_isSigned);
  }

  /// The blended value of \p channel, 0 to 3 for R, G, B, A. Open where the result is not fixed.
  Component blend(unsigned channel) const;

private:
  /// \p value as an implementation may use it: clamped for fixed point, perhaps rounded to the
  /// target.
  Component toTarget(const Component &value) const;
  /// The blend factor of \p channel. "One minus" factors are computed from the plain ones.
  Component getFactor(BlendFactor factor, unsigned channel) const;
  Component getPlainFactor(BlendFactor factor, unsigned channel) const;
  /// A product, exact where one of both is exactly 0 or 1, rounded otherwise.
  Component multiply(const Component &value, const Component &factor) const;
  /// A sum, exact for fixed point and with 0, rounded otherwise.
  Component add(const Component &a, const Component &b) const;
  /// The results that an implementation may have instead of \p result.
  Component round(Range result) const;
  /// Whether blending does more than replace the old value.
  bool hasFactors(bool isAlpha) const;

  const ColorTarget &m_target;
  const TexelFormatInfo &m_format;
  const BlendSource &m_source;
  ArrayRef<float> m_constants;
  const Color &m_old;
  bool m_isFixed, m_isSigned; ///< Normalized; with a sign.
  unsigned m_bits;            ///< Of the largest component: nobody blends the small ones with less.
  double m_unit;              ///< Of such a component.
};
} // namespace

/// Returns true for values that blending cannot bound.
static bool isOpenOrNan(const Component &value) {
  return value.isOpen || value.mayBeNan || !(value.range.lo <= value.range.hi);
}

/// A number of the precision that an implementation blends with: as it is, or rounded to the
/// target's components. "The components of the source and destination values and blend factors are
/// each clamped" for fixed point.
Component Blender::toTarget(const Component &value) const {
  if (isOpenOrNan(value))
    return Component::open();
  if (!m_isFixed)
    return value;
  Range range = clampTo(value.range, m_isSigned ? -1 : 0, 1);
  // llvmpipe rounds the colour to the target before it blends; sRGB targets it blends in floats.
  if (m_format.numeric == TexelNumeric::Srgb)
    return {range};
  double down = std::floor(range.lo / m_unit + 0.5) * m_unit;
  double up = std::ceil(range.hi / m_unit - 0.5) * m_unit;
  return {hull(range, {std::min(down, up), std::max(down, up)})};
}

/// Returns 1 - value. An open value stays open.
static Component invert(const Component &value) {
  return value.isOpen ? value : Component{Range::point(1) - value.range};
}

Component Blender::getPlainFactor(BlendFactor factor, unsigned channel) const {
  const Color &second = faultPlanted(Fault::RasterDualSource) ? m_source.color : m_source.second;
  auto getConstant = [&](unsigned index) {
    return toTarget(Component::point(double(m_constants[index])));
  };
  switch (factor) {
  case BlendFactor::SrcColor:
    return toTarget(m_source.color[channel]);
  case BlendFactor::DstColor:
    return m_old[channel];
  case BlendFactor::SrcAlpha:
    return toTarget(m_source.color[3]);
  case BlendFactor::DstAlpha:
    return m_old[3];
  case BlendFactor::ConstantColor:
    return getConstant(channel);
  case BlendFactor::ConstantAlpha:
    return getConstant(3);
  case BlendFactor::Src1Color:
    return toTarget(second[channel]);
  case BlendFactor::Src1Alpha:
    return toTarget(second[3]);
  case BlendFactor::SrcAlphaSaturate: {
    Component alpha = toTarget(m_source.color[3]), rest = invert(m_old[3]);
    if (channel == 3)
      return Component::point(1);
    return alpha.isOpen || rest.isOpen ? Component::open()
                                       : Component{minimum(alpha.range, rest.range)};
  }
  default:
    llvm_unreachable("not a plain factor");
  }
}

/// The factors "one minus" are made from the plain ones.
Component Blender::getFactor(BlendFactor factor, unsigned channel) const {
  if (faultPlanted(Fault::RasterBlendFactor) && factor == BlendFactor::OneMinusSrcAlpha)
    factor = BlendFactor::SrcAlpha;
  switch (factor) {
  case BlendFactor::Zero:
    return Component::point(0);
  case BlendFactor::One:
    return Component::point(1);
  case BlendFactor::OneMinusSrcColor:
    return invert(getPlainFactor(BlendFactor::SrcColor, channel));
  case BlendFactor::OneMinusDstColor:
    return invert(getPlainFactor(BlendFactor::DstColor, channel));
  case BlendFactor::OneMinusSrcAlpha:
    return invert(getPlainFactor(BlendFactor::SrcAlpha, channel));
  case BlendFactor::OneMinusDstAlpha:
    return invert(getPlainFactor(BlendFactor::DstAlpha, channel));
  case BlendFactor::OneMinusConstantColor:
    return invert(getPlainFactor(BlendFactor::ConstantColor, channel));
  case BlendFactor::OneMinusConstantAlpha:
    return invert(getPlainFactor(BlendFactor::ConstantAlpha, channel));
  case BlendFactor::OneMinusSrc1Color:
    return invert(getPlainFactor(BlendFactor::Src1Color, channel));
  case BlendFactor::OneMinusSrc1Alpha:
    return invert(getPlainFactor(BlendFactor::Src1Alpha, channel));
  default:
    return getPlainFactor(factor, channel);
  }
}

/// One operation's result in the precision of the target.
Component Blender::round(Range result) const {
  if (std::isnan(result.lo) || std::isnan(result.hi))
    return Component::open();
  if (m_isFixed) {
    bool isSrgb = m_format.numeric == TexelNumeric::Srgb;
    return {widen(result, isSrgb ? 0x1p-22 : m_unit / 2)};
  }
  int mantissaBits = m_bits == 32 ? 23 : m_bits == 16 ? 10 : 5;
  double largest = std::max(std::fabs(result.lo), std::fabs(result.hi));
  return {widen(result, std::isinf(largest) ? 0 : std::ldexp(largest, -mantissaBits))};
}

/// Exact for factors of 0 and 1; other products are rounded. A factor of 0 gives 0 for fixed-point
/// targets even where the value is open.
Component Blender::multiply(const Component &value, const Component &factor) const {
  bool isFactorExact = !factor.isOpen && factor.range.isPoint();
  if (m_isFixed && isFactorExact && factor.range.lo == 0)
    return Component::point(0);
  if (value.isOpen || factor.isOpen)
    return Component::open();
  Range product = value.range * factor.range;
  bool isExact = (isFactorExact && (factor.range.lo == 0 || factor.range.lo == 1)) ||
                 (value.range.isPoint() && (value.range.lo == 0 || value.range.lo == 1));
  if (isExact && !std::isnan(product.lo) && !std::isnan(product.hi))
    return {product};
  return round(product);
}

Component Blender::add(const Component &a, const Component &b) const {
  if (a.isOpen || b.isOpen)
    return Component::open();
  Range sum = a.range + b.range;
  bool isExact = m_isFixed || a.range == Range() || b.range == Range();
  return isExact && !std::isnan(sum.lo) && !std::isnan(sum.hi) ? Component{sum} : round(sum);
}

/// Returns the largest magnitude, 0 for an open value.
static double getLargest(const Component &value) {
  return value.isOpen ? 0 : std::max(std::fabs(value.range.lo), std::fabs(value.range.hi));
}

/// False for one and zero, with which blending is a plain write.
bool Blender::hasFactors(bool isAlpha) const {
  BlendFactor source = isAlpha ? m_target.srcAlpha : m_target.srcColor;
  BlendFactor old = isAlpha ? m_target.dstAlpha : m_target.dstColor;
  return source != BlendFactor::One || old != BlendFactor::Zero;
}

/// Minimum and maximum ignore the factors. Subtractions negate one of the products.
Component Blender::blend(unsigned channel) const {
  bool isAlpha = channel == 3;
  BlendOp op = isAlpha ? m_target.alphaOp : m_target.colorOp;
  Component source = toTarget(m_source.color[channel]), old = m_old[channel];
  if (isOpenOrNan(old))
    old = Component::open();
  if (op == BlendOp::Min || op == BlendOp::Max) {
    if (source.isOpen || old.isOpen)
      return Component::open();
    bool isMin = (op == BlendOp::Min) != faultPlanted(Fault::RasterBlendMinMax);
    return {isMin ? minimum(source.range, old.range) : maximum(source.range, old.range)};
  }
  Component left =
      multiply(source, getFactor(isAlpha ? m_target.srcAlpha : m_target.srcColor, channel));
  Component right =
      multiply(old, getFactor(isAlpha ? m_target.dstAlpha : m_target.dstColor, channel));
  if (op != BlendOp::Add) {
    Component &minus = op == BlendOp::Subtract ? right : left;
    minus.range = {-minus.range.hi, -minus.range.lo};
  }
  Component result = add(left, right);
  // llvmpipe blends with factors f and 1 - f by a + f (b - a) (lp_bld_blend.c), even where f is 0
  // or 1.
  if (!m_isFixed && !result.isOpen && hasFactors(isAlpha))
    result.range = widen(result.range, 0x1p-22 * std::max(getLargest(source), getLargest(old)));
  return result;
}

/// Applies \p op to all 64 bits; the caller cuts off those outside of the component. \p s is the
/// source, \p d the old value.
static uint64_t applyLogic(LogicOp op, uint64_t s, uint64_t d) {
  switch (op) {
  case LogicOp::Clear:
    return 0;
  case LogicOp::And:
    return s & d;
  case LogicOp::AndReverse:
    return s & ~d;
  case LogicOp::Copy:
    return s;
  case LogicOp::AndInverted:
    return ~s & d;
  case LogicOp::NoOp:
    return d;
  case LogicOp::Xor:
    return faultPlanted(Fault::RasterLogicXor) ? s | d : s ^ d;
  case LogicOp::Or:
    return s | d;
  case LogicOp::Nor:
    return ~(s | d);
  case LogicOp::Equivalent:
    return ~(s ^ d);
  case LogicOp::Invert:
    return ~d;
  case LogicOp::OrReverse:
    return s | ~d;
  case LogicOp::CopyInverted:
    return ~s;
  case LogicOp::OrInverted:
    return ~s | d;
  case LogicOp::Nand:
    return ~(s & d);
  case LogicOp::Set:
    return ~uint64_t(0);
  }
  llvm_unreachable("no such operation");
}

/// The bounds of the results for all numbers of both fields, if these are few.
static Field applyLogic(LogicOp op, const Field &source, const Field &old, unsigned bits,
                        bool isSigned) {
  constexpr double Most = 8;
  if (op == LogicOp::Copy)
    return source;
  if (op == LogicOp::NoOp)
    return old;
  bool usesSource = op != LogicOp::Clear && op != LogicOp::Set && op != LogicOp::Invert;
  bool usesOld = usesSource ? op != LogicOp::CopyInverted : op == LogicOp::Invert;
  auto isMany = [](const Field &field) {
    return field.isOpen || field.range.hi - field.range.lo > Most;
  };
  if ((usesSource && isMany(source)) || (usesOld && isMany(old)))
    return Field::open();
  Range sources = usesSource ? source.range : Range(), olds = usesOld ? old.range : Range();
  Field result;
  bool isFirst = true;
  unsigned shift = 64 - bits;
  for (auto s = int64_t(sources.lo); s <= int64_t(sources.hi); ++s)
    for (auto d = int64_t(olds.lo); d <= int64_t(olds.hi); ++d) {
      uint64_t value = applyLogic(op, uint64_t(s), uint64_t(d)) << shift;
      double number = isSigned ? double(int64_t(value) >> shift) : double(value >> shift);
      result.range = isFirst ? Range::point(number) : hull(result.range, Range::point(number));
      isFirst = false;
    }
  return result;
}

/// Returns the fields of the new texel. A logic operation takes the place of blending. Components
/// that the mask leaves out keep their old bits.
TexelFields raster::blendTexel(const ColorTarget &target, const TexelFormatInfo &format,
                               const BlendSource &source, ArrayRef<float> constants,
                               std::optional<LogicOp> logicOp, const TexelFields &old) {
  Color color = source.color;
  if (target.blend && !logicOp) {
    Color oldColor = decodeColor(format, old);
    Blender blender(target, format, source, constants, oldColor);
    for (unsigned i = 0; i < 4; ++i)
      color[i] = blender.blend(i);
  }
  TexelFields fields = encodeColor(format, color);
  for (unsigned i = 0; i < format.componentCount; ++i) {
    const TexelComponent &component = format.components[i];
    unsigned channel = getColorIndex(component.channel);
    if (logicOp && hasLogicOp(format, logicOp) && channel < 4)
      fields[i] = applyLogic(*logicOp, fields[i], old[i], component.bits, hasSignedFields(format));
    bool isWritten = channel < 4 && (target.writeMask >> channel & 1);
    if (!isWritten && !faultPlanted(Fault::RasterWriteMask))
      fields[i] = old[i];
  }
  return fields;
}
