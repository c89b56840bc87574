// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/DrawInputs.h"

#include "oracles/raster/Coverage.h"
#include "oracles/raster/TexelCodec.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using raster::Range;
using spv::BuiltIn;

/// \p format is F16 or F32.
static const fltSemantics &semanticsOf(InterfaceFormat format) {
  return format == InterfaceFormat::F16 ? APFloat::IEEEhalf() : APFloat::IEEEsingle();
}

/// Whether \p format is F32 or F16; the others are integers.
static bool isFloat(InterfaceFormat format) {
  return format == InterfaceFormat::F32 || format == InterfaceFormat::F16;
}

/// Whether values of \p format have 16 bits.
static bool isShort(InterfaceFormat format) {
  return format == InterfaceFormat::F16 || format == InterfaceFormat::I16;
}

/// Reads the low 16 or 32 bits as the format says. \p isSigned matters to integers only.
double irm::toNumber(uint32_t bits, InterfaceFormat format, bool isSigned) {
  unsigned width = isShort(format) ? 16 : 32;
  APInt image(width, bits, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (isFloat(format)) {
    APFloat value(semanticsOf(format), image);
    bool losesInfo = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  return isSigned ? double(image.getSExtValue()) : double(image.getZExtValue());
}

/// Integers are truncated toward zero; those of 16 bits have a high half of 0.
uint32_t irm::toBits(double number, InterfaceFormat format) {
  if (!isFloat(format)) {
    auto integer = static_cast<uint64_t>(static_cast<int64_t>(number));
    return static_cast<uint32_t>(isShort(format) ? integer & 0xffff : integer);
  }
  APFloat value(number);
  bool losesInfo = false;
  value.convert(semanticsOf(format), APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}

static ir::Scalar scalarOfBits(uint32_t bits) {
  return {APInt(32, bits)};
}

/// A poison value of 32 bits.
static ir::Scalar poison() {
  return {APInt(32, 0), /*isPoison=*/true};
}

// --- Vertices

/// The colour that the bytes at \p bytes are in \p format; scaled formats are converted integers.
static raster::Color readColor(TexelFormatInfo format, const uint8_t *bytes) {
  if (format.numeric == TexelNumeric::Uscaled)
    format.numeric = TexelNumeric::Uint;
  if (format.numeric == TexelNumeric::Sscaled)
    format.numeric = TexelNumeric::Sint;
  return raster::decodeColor(format, raster::loadFields(format, bytes));
}

/// Poison where the pipeline has no attribute, binding or buffer for the location. Outside of the
/// buffer it is 0.
ir::Scalar VertexStageInputs::read(unsigned lane, const InputRequest &request) const {
  const InputAssemblyState &state = m_pipeline.description.graphics.input;
  auto attribute = find_if(state.attributes, [&](const VertexInputAttribute &each) {
    return each.location == request.place.location;
  });
  if (attribute == state.attributes.end())
    return poison();
  auto layout = find_if(state.bindings, [&](const VertexInputBinding &each) {
    return each.binding == attribute->binding;
  });
  auto source = find_if(m_pipeline.draw.vertexBuffers, [&](const VertexBuffer &each) {
    return each.binding == attribute->binding;
  });
  if (layout == state.bindings.end() || source == m_pipeline.draw.vertexBuffers.end())
    return poison();
  const raster::VertexInvocation &run = m_runs[lane];
  uint64_t element =
      raster::getElement(*layout, run.vertexIndex, run.instance, m_draw.firstInstance);
  uint64_t offset = source->offset + element * layout->stride + attribute->offset;
  const TexelFormatInfo &format = getTexelFormatInfo(attribute->format);
  const std::vector<uint8_t> &bytes = m_buffers[source->buffer].bytes;
  if (offset + format.bytes > bytes.size())
    return scalarOfBits(0); // As with robust access.
  const raster::Component component =
      readColor(format, bytes.data() + offset)[request.place.component & 3];
  double number = component.mayBeNan ? std::nan("") : component.range.middle();
  return scalarOfBits(toBits(number, request.format));
}

/// Poison for built-ins that vertices do not have, and for an unknown PrimitiveId.
ir::Scalar VertexStageInputs::readBuiltIn(unsigned lane, const BuiltInPlace &place) const {
  const raster::VertexInvocation &run = m_runs[lane];
  int32_t base = m_draw.indexed ? m_draw.vertexOffset : static_cast<int32_t>(m_draw.firstVertex);
  switch (static_cast<BuiltIn>(place.builtIn)) {
  case BuiltIn::VertexIndex:
    return scalarOfBits(run.vertexIndex);
  case BuiltIn::InstanceIndex:
    return scalarOfBits(run.instance + m_draw.firstInstance);
  case BuiltIn::BaseVertex:
    return scalarOfBits(static_cast<uint32_t>(base));
  case BuiltIn::BaseInstance:
    return scalarOfBits(m_draw.firstInstance);
  case BuiltIn::PrimitiveId:
    return m_primitiveId ? scalarOfBits(*m_primitiveId) : poison();
  case BuiltIn::DrawIndex:
  case BuiltIn::ViewIndex:
    return scalarOfBits(0);
  default:
    return poison();
  }
}

// --- Fragments

/// The place where \p interpolation (InputRequest) evaluates an input of \p lane.
raster::Place FragmentStageInputs::placeOf(unsigned lane, uint32_t interpolation) const {
  constexpr uint32_t centroid = 1;
  const raster::Quad &quad = m_quads[lane / 4];
  if (interpolation >> 2 == centroid)
    return quad.fragments[lane % 4].centroid;
  return quad.getPlace(lane % 4, m_samples);
}

/// Nothing where a vertex has not written what \p find looks for.
std::optional<double>
FragmentStageInputs::interpolate(unsigned lane, uint32_t interpolation,
                                 function_ref<std::optional<ir::Scalar>(uint32_t vertex)> find,
                                 InterfaceFormat format) const {
  constexpr uint32_t linear = 2;
  unsigned count = static_cast<unsigned>(m_primitive.kind) + 1; // Points, lines, triangles.
  std::array<Range, 3> values = {};
  for (unsigned i = 0; i < count; ++i) {
    std::optional<ir::Scalar> value = find(m_primitive.vertices[i]);
    if (!value || value->isPoison)
      return std::nullopt;
    auto bits = static_cast<uint32_t>(value->bits.getZExtValue());
    values[i] = Range::point(toNumber(bits, format, /*isSigned=*/false));
  }
  raster::Place place = placeOf(lane, interpolation);
  raster::Weights weights = (interpolation & 3) == linear
                                ? m_primitive.interpolation.getLinear(place)
                                : m_primitive.interpolation.getPerspective(place);
  return raster::interpolate(weights, values).middle();
}

/// What \p vertex has written at \p place. Of a place of 16 bits it is the half of a parameter,
/// where that is what is known.
static std::optional<StageOutputs::Output> findOutputAt(const StageOutputs &vertex,
                                                        const InterfacePlace &place) {
  const auto &outputs = vertex.outputs;
  if (auto found = outputs.find(place); found != outputs.end())
    return found->second;
  if (place.component < firstHalf)
    return std::nullopt;
  uint32_t number = place.component - firstHalf;
  auto found = outputs.find({place.location, number / 2, place.index});
  if (found == outputs.end() || !found->second.isWidened)
    return std::nullopt;
  StageOutputs::Output half = found->second;
  auto bits = static_cast<uint32_t>(half.value.bits.getZExtValue());
  half.value.bits = APInt(32, bits >> 16 * (number % 2) & 0xffff);
  half.isWidened = false;
  return half;
}

/// Flat inputs are those of the provoking vertex, bit by bit. Others are interpolated as floats and
/// rounded to their format.
ir::Scalar FragmentStageInputs::read(unsigned lane, const InputRequest &request) const {
  constexpr uint32_t flat = 1;
  auto find = [&](uint32_t vertex) -> std::optional<ir::Scalar> {
    std::optional<StageOutputs::Output> output = findOutputAt(m_vertices[vertex], request.place);
    return output ? std::optional(output->value) : std::nullopt;
  };
  // A half that has become a parameter is a float.
  std::optional<StageOutputs::Output> provoking =
      findOutputAt(m_vertices[m_primitive.provoking], request.place);
  bool isWidened = provoking && provoking->isWidened && request.format == InterfaceFormat::F16;
  InterfaceFormat format = isWidened ? InterfaceFormat::F32 : request.format;
  if ((request.interpolation & 3) == flat) {
    if (!provoking || provoking->value.isPoison || !isWidened)
      return provoking ? provoking->value : poison();
    auto bits = static_cast<uint32_t>(provoking->value.bits.getZExtValue());
    return scalarOfBits(toBits(toNumber(bits, format, /*isSigned=*/false), request.format));
  }
  std::optional<double> number = interpolate(lane, request.interpolation, find, format);
  return number ? scalarOfBits(toBits(*number, request.format)) : poison();
}

/// The middle of x (element 0) or y.
static double select(const raster::Place &place, uint32_t element) {
  return (element ? place.y : place.x).middle();
}

/// Of built-ins that are floats; nothing for others.
std::optional<double> FragmentStageInputs::builtInNumber(unsigned lane,
                                                         const BuiltInPlace &place) const {
  const raster::Quad &quad = m_quads[lane / 4];
  raster::Place at = quad.getPlace(lane % 4, m_samples);
  auto builtIn = static_cast<BuiltIn>(place.builtIn);
  switch (builtIn) {
  case BuiltIn::FragCoord:
    if (place.element == 2)
      return quad.fragments[lane % 4].depth.middle();
    if (place.element == 3)
      return m_primitive.interpolation.getInverseW(at).middle();
    return select(at, place.element);
  case BuiltIn::PointCoord:
    return select(m_primitive.getPointCoord(at), place.element);
  case BuiltIn::SamplePosition: {
    raster::SamplePosition position =
        raster::getSamplePositions(m_samples)[quad.sample.value_or(0)];
    return (place.element ? position.y : position.x) / 16.0;
  }
  case BuiltIn::BaryCoordKHR:
    return m_primitive.interpolation.getPerspective(at)[place.element].middle();
  case BuiltIn::BaryCoordNoPerspKHR:
    return m_primitive.interpolation.getLinear(at)[place.element].middle();
  case BuiltIn::ClipDistance:
  case BuiltIn::CullDistance:
    return interpolate(
        lane, /*interpolation=*/0,
        [&](uint32_t vertex) -> std::optional<ir::Scalar> {
          const auto &builtIns = m_vertices[vertex].builtIns;
          auto found = builtIns.find(place);
          return found == builtIns.end() ? std::nullopt : std::optional(found->second);
        },
        InterfaceFormat::F32);
  default:
    return std::nullopt;
  }
}

/// Of the others.
std::optional<uint32_t> FragmentStageInputs::builtInBits(unsigned lane,
                                                         const BuiltInPlace &place) const {
  const raster::Quad &quad = m_quads[lane / 4];
  const raster::Fragment &fragment = quad.fragments[lane % 4];
  switch (static_cast<BuiltIn>(place.builtIn)) {
  case BuiltIn::FrontFacing:
    return m_primitive.isFrontFacing != raster::Answer::No;
  case BuiltIn::SampleId:
    return quad.sample.value_or(0);
  case BuiltIn::SampleMask:
    return place.element ? 0 : fragment.coverage.possible;
  case BuiltIn::HelperInvocation:
    return fragment.isHelper;
  case BuiltIn::PrimitiveId:
    return m_primitive.primitiveId;
  case BuiltIn::Layer:
    return m_primitive.layer;
  case BuiltIn::ViewportIndex:
    return m_primitive.viewportIndex;
  case BuiltIn::ViewIndex:
    return 0;
  default:
    return std::nullopt;
  }
}

/// Poison for built-ins that fragments do not have.
ir::Scalar FragmentStageInputs::readBuiltIn(unsigned lane, const BuiltInPlace &place) const {
  if (std::optional<double> number = builtInNumber(lane, place))
    return scalarOfBits(toBits(*number, InterfaceFormat::F32));
  if (std::optional<uint32_t> bits = builtInBits(lane, place))
    return scalarOfBits(*bits);
  return poison();
}
