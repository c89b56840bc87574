// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/ExportFormats.h"
#include "oracles/machine/gcn/graphics/LaunchFaults.h"

#include "oracles/machine/gcn_alu/Numerics.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using raster::Component;
using raster::Range;

// --- Vertices

namespace {
/// PA_CL_VS_OUT_CNTL.
enum OutControl : unsigned {
  ClipDistance0 = 0,
  CullDistance0 = 8,
  UsesPointSize = 16,
  UsesLayer = 18,
  UsesViewport = 19,
  HasMisc = 21,
  HasDistances0 = 22,
  HasDistances1 = 23,
};
} // namespace

/// The f32 with these bits.
static double floatOfBits(uint32_t bits) {
  return double(bit_cast<float>(bits));
}

/// The built-in outputs of one vertex. Invalid input when POS0 was not exported in full.
Expected<raster::VertexOutput> gcn::decodeVertex(const VertexExports &exports,
                                                 const VertexRegisters &registers) {
  constexpr uint8_t all = 0xf;
  if (exports.positionMask[0] != all)
    return invalidInput("a vertex shader that does not export POS0");
  raster::VertexOutput output;
  for (unsigned c = 0; c < 4; ++c)
    output.position[c] = Range::point(floatOfBits(exports.positions[0][c]));
  auto has = [&](unsigned bit) { return registers.outControl >> bit & 1; };
  unsigned next = 1; // POS1 and the following ones hold what is there, in this order.
  if (has(HasMisc)) {
    const std::array<uint32_t, 4> &misc = exports.positions[next++];
    if (has(UsesPointSize))
      output.pointSize = Range::point(floatOfBits(misc[0]));
    // From GFX9 on both are in one register.
    if (has(UsesLayer))
      output.layer = misc[2] & 0x7ff;
    if (has(UsesViewport))
      output.viewportIndex = misc[2] >> 16 & 0xf;
  }
  for (unsigned half = 0; half < 2; ++half) {
    if (!has(half ? HasDistances1 : HasDistances0))
      continue;
    const std::array<uint32_t, 4> &distances = exports.positions[next++];
    for (unsigned c = 0; c < 4; ++c) {
      Range value = Range::point(floatOfBits(distances[c]));
      if (has(ClipDistance0 + 4 * half + c))
        output.clipDistances.push_back(value);
      if (has(CullDistance0 + 4 * half + c))
        output.cullDistances.push_back(value);
    }
  }
  return output;
}

// --- Fragments

namespace {
/// SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT.
enum class ExportFormat : uint8_t {
  Zero,
  R32,
  GR32,
  AR32,
  Fp16Abgr,
  Unorm16Abgr,
  Snorm16Abgr,
  Uint16Abgr,
  Sint16Abgr,
  Abgr32,
};
} // namespace

/// Half of 16 bits number \p component of a packed export: low halves come first.
static uint16_t halfOf(const std::array<uint32_t, 4> &values, unsigned component) {
  bool isHigh = (component & 1) != isPlanted(LaunchFault::HalvesSwapped);
  return static_cast<uint16_t>(values[component / 2] >> (isHigh ? 16 : 0));
}

/// A known value; NaN is a component with an empty range.
static Component number(double value) {
  Component component = Component::point(value);
  if (std::isnan(value)) {
    component.range = {1, -1};
    component.mayBeNan = true;
  }
  return component;
}

/// Component \p c of a packed export of \p format.
static Component unpack(const std::array<uint32_t, 4> &values, unsigned c, ExportFormat format) {
  constexpr double maxUnorm = 0xffff, maxSnorm = 0x7fff;
  uint16_t bits = halfOf(values, c);
  auto asSigned = static_cast<int16_t>(bits);
  switch (format) {
  case ExportFormat::Fp16Abgr:
    return number(widen(Half{bits}));
  case ExportFormat::Unorm16Abgr:
    return number(bits / maxUnorm);
  case ExportFormat::Snorm16Abgr:
    return number(std::max(asSigned / maxSnorm, -1.0));
  case ExportFormat::Sint16Abgr:
    return number(asSigned);
  default:
    return number(bits);
  }
}

/// Formats with two components in each register.
static bool isPacked(ExportFormat format) {
  return format >= ExportFormat::Fp16Abgr && format <= ExportFormat::Sint16Abgr;
}

/// The register that holds component \p c of an export of 32 bits; nothing: it is not exported.
static std::optional<unsigned> registerOf(unsigned c, ExportFormat format, uint8_t mask) {
  switch (format) {
  case ExportFormat::R32:
    return c == 0 ? std::optional(0u) : std::nullopt;
  case ExportFormat::GR32:
    return c < 2 ? std::optional(c) : std::nullopt;
  case ExportFormat::AR32: // Alpha is in the second register from GFX10 on, in the fourth before.
    return c == 0 ? std::optional(0u) : c == 3 ? std::optional(mask & 8 ? 3u : 1u) : std::nullopt;
  case ExportFormat::Abgr32:
    return c;
  default:
    return std::nullopt;
  }
}

/// Component \p c of one export, by the format and the target's numbers. What was not exported may
/// be anything.
static Component componentOf(const std::array<uint32_t, 4> &values, uint8_t mask, unsigned c,
                             ExportFormat format, TexelNumeric numeric) {
  if (isPacked(format))
    return mask >> (c / 2) & 1 ? unpack(values, c, format) : Component::open();
  std::optional<unsigned> index = registerOf(c, format, mask);
  if (!index || !(mask >> *index & 1))
    return Component::open();
  uint32_t bits = values[*index];
  if (numeric == TexelNumeric::Uint)
    return number(bits);
  return number(numeric == TexelNumeric::Sint ? static_cast<int32_t>(bits) : floatOfBits(bits));
}

/// Sets depth, stencil reference and sample mask, each only if DB_SHADER_CONTROL says that it is
/// written.
static void decodeDepth(const PixelExports &exports, const PixelRegisters &registers,
                        raster::FragmentOutput &output) {
  // DB_SHADER_CONTROL.
  enum : unsigned { WritesDepth = 0, WritesStencil = 1, WritesMask = 8 };
  const std::array<uint32_t, 4> &values = exports.values[PixelExports::Depth];
  uint8_t mask = exports.mask[PixelExports::Depth];
  if (!mask)
    return;
  auto writes = [&](unsigned bit) { return registers.shaderControl >> bit & 1; };
  auto format = ExportFormat(registers.depthFormat & 0xf);
  // 16-bit exports have stencil in X[23:16] and the mask in Y[15:0] (Mesa, ac_export_mrt_z).
  bool isHalf = format == ExportFormat::Uint16Abgr;
  if (writes(WritesDepth) && mask & 1)
    output.depth = number(floatOfBits(values[0]));
  if (writes(WritesStencil))
    output.stencilReference = (isHalf ? values[0] >> 16 : values[1]) & 0xff;
  if (writes(WritesMask))
    output.sampleMask = isHalf ? values[1] & 0xffff : values[2];
}

/// The target of export number \p number; nothing: there is none.
static std::optional<unsigned> targetOf(unsigned number, uint32_t colorMask) {
  if (!colorMask)
    return number;
  for (unsigned target = 0; target < 8; ++target)
    if (colorMask >> 4 * target & 0xf && number-- == 0)
      return target;
  return std::nullopt;
}

/// The outputs of one fragment. Colors without a target or a format are dropped; a fragment that is
/// not kept has none.
raster::FragmentOutput gcn::decodePixel(const PixelExports &exports,
                                        const PixelRegisters &registers,
                                        ArrayRef<const TexelFormatInfo *> targets,
                                        bool isDualSource) {
  raster::FragmentOutput output;
  output.isKept = exports.isKept ? raster::Answer::Yes : raster::Answer::No;
  if (!exports.isKept)
    return output;
  for (unsigned i = 0; i < PixelExports::Depth; ++i) {
    auto format = ExportFormat(registers.colorFormat >> 4 * i & 0xf);
    std::optional<unsigned> location =
        isDualSource ? std::optional(0u) : targetOf(i, registers.colorMask);
    if (!location || *location >= targets.size() || (isDualSource && i > 1))
      continue;
    const TexelFormatInfo *target = targets[*location];
    if (format == ExportFormat::Zero || !exports.mask[i] || !target)
      continue;
    raster::ColorOutput color;
    color.location = *location;
    color.index = isDualSource ? i : 0;
    for (unsigned c = 0; c < 4; ++c)
      color.value[c] = componentOf(exports.values[i], exports.mask[i], c, format, target->numeric);
    output.colors.push_back(color);
  }
  decodeDepth(exports, registers, output);
  return output;
}

/// Whether target 0 blends with the second source. Other targets cannot.
bool gcn::usesDualSource(const GraphicsState &state) {
  if (state.colorTargets.empty() || !state.colorTargets[0].blend)
    return false;
  const ColorTarget &target = state.colorTargets[0];
  return any_of(ArrayRef({target.srcColor, target.dstColor, target.srcAlpha, target.dstAlpha}),
                [](BlendFactor factor) { return factor >= BlendFactor::Src1Color; });
}
