// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/DrawRun.h"

#include "oracles/machine/spirv/math/FloatMath.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using raster::Range;
using spirv::TypeKind;

/// Rules for values that no shader computes.
static constexpr FloatRules plainRules = {};

/// A range of the raster model as an interval without NaN.
static Interval makeInterval(const Range &range) {
  return {range.lo, range.hi, false};
}

/// A float of 32 bits that may be any number of \p range.
static Scalar scalarOfRange(const Range &range) {
  return scalarOf(makeInterval(range), plainRules, range.middle());
}

/// What a float output may be; nothing where nothing is known.
static std::optional<Range> rangeOf(const Scalar &value, unsigned width) {
  if (value.isPoison())
    return std::nullopt;
  FloatRules rules;
  rules.width = static_cast<uint8_t>(width);
  Interval interval = reference::intervalOf(settle(value, width), rules);
  if (interval.nan || interval.isEmpty())
    return std::nullopt;
  return Range{interval.lo, interval.hi};
}

/// The number of the vertex output that fragment input \p input comes from; -1 where there is none.
/// Built-ins other than distances come from the rasterizer.
static int findSource(const Program &vertex, const InterfaceScalar &input) {
  if (input.builtIn && *input.builtIn != spv::BuiltIn::ClipDistance &&
      *input.builtIn != spv::BuiltIn::CullDistance)
    return -1;
  const auto &outputs = vertex.shaderOutputs;
  auto found = find_if(outputs, [&](const InterfaceScalar &output) {
    return output.builtIn == input.builtIn && output.component == input.component &&
           (input.builtIn || output.location == input.location);
  });
  return found == outputs.end() ? -1 : static_cast<int>(found - outputs.begin());
}

/// Without fragment executions, only vertices run. Sources of the fragment inputs are found here,
/// once for the draw.
DrawShaders::DrawShaders(const DrawSetup &setup, Execution &vertex,
                         std::vector<std::unique_ptr<Execution>> fragments,
                         uint64_t maxInstructions)
    : m_setup(setup), m_vertex(vertex) {
  if (fragments.empty())
    return;
  m_fragments =
      std::make_unique<FragmentRun>(std::move(fragments), *this, setup.samples, maxInstructions);
  for (const InterfaceScalar &input : m_fragments->program().shaderInputs)
    m_sourceOf.push_back(findSource(vertex.program(), input));
}

/// What ends a draw whose shaders have stopped; their ending() says why.
static Error stopped() {
  return unsupported("stopped");
}

/// A component of an attribute of a type other than its format's: the bits count.
Scalar DrawShaders::fetchAttribute(const InterfaceScalar &input,
                                   const raster::VertexInvocation &vertex) {
  const std::vector<VertexInputAttribute> &attributes = m_setup.state->input.attributes;
  auto attribute = find_if(attributes, [&](const VertexInputAttribute &each) {
    return each.location == input.location;
  });
  if (attribute == attributes.end())
    return Scalar::undefined(Cause::Uninitialized);
  auto source = find_if(m_setup.sources, [&](const VertexSource &each) {
    return each.layout && each.layout->binding == attribute->binding;
  });
  if (source == m_setup.sources.end() || !source->memory) {
    m_vertex.stopUnsupported("a vertex attribute without a buffer");
    return Scalar::undefined(Cause::Memory);
  }
  const TexelFormatInfo &format = getTexelFormatInfo(attribute->format);
  if (std::string reason = whyNotReadable(format); !reason.empty()) {
    m_vertex.stopUnsupported(reason);
    return Scalar::undefined(Cause::Memory);
  }
  VertexInputBinding layout = *source->layout;
  if (faultPlanted(Fault::ReferenceIgnoresRate))
    layout.perInstance = false;
  uint64_t element =
      raster::getElement(layout, vertex.vertexIndex, vertex.instance, m_setup.firstInstance);
  uint64_t offset = source->offset + element * layout.stride + attribute->offset;
  if (offset + format.bytes > source->memory->size()) {
    // Robust access gives 0 or anything of the buffer, with alpha 0 or 1.
    if (m_setup.robustness == Robustness::None)
      m_vertex.stopUnsupported("a vertex attribute outside of its buffer, at byte " +
                               std::to_string(offset) + " of " +
                               std::to_string(source->memory->size()));
    return Scalar::ambiguous();
  }
  return readTexel(*source->memory, offset, format, plainRules)[input.component & 3];
}

/// An input of a vertex that neither the draw nor an attribute provides is an undefined value.
Scalar DrawShaders::vertexInput(const InterfaceScalar &input,
                                const raster::VertexInvocation &vertex) {
  using spv::BuiltIn;
  if (!input.builtIn)
    return fetchAttribute(input, vertex);
  switch (*input.builtIn) {
  case BuiltIn::VertexIndex:
    return Scalar::exact(vertex.vertexIndex);
  case BuiltIn::InstanceIndex:
    return Scalar::exact(vertex.instance + m_setup.firstInstance);
  case BuiltIn::BaseVertex:
    return Scalar::exact(static_cast<uint32_t>(m_setup.baseVertex));
  case BuiltIn::BaseInstance:
    return Scalar::exact(m_setup.firstInstance);
  case BuiltIn::DrawIndex:
  case BuiltIn::ViewIndex:
  case BuiltIn::DeviceIndex:
    return Scalar::exact(0);
  default:
    return Scalar::undefined(Cause::Uninitialized);
  }
}

/// The built-in outputs of a vertex.
Error DrawShaders::takeVertex(Invocation &invocation, raster::VertexOutput &output) {
  using spv::BuiltIn;
  for (const InterfaceScalar &scalar : m_vertex.program().shaderOutputs) {
    const Scalar &value = invocation.stack[scalar.slot];
    m_outputs.push_back(value);
    if (!scalar.builtIn)
      continue;
    bool isFloat = scalar.kind == TypeKind::Float;
    std::optional<Range> range = isFloat ? rangeOf(value, scalar.width) : std::nullopt;
    switch (*scalar.builtIn) {
    case BuiltIn::Position:
      if (!range)
        return unsupported(Twine("imprecise: Position of a vertex ") +
                           (value.flags & Undef       ? "is undefined"
                            : value.flags & Ambiguous ? "may be anything"
                                                      : "may be NaN"));
      output.position[scalar.component] = *range;
      break;
    case BuiltIn::PointSize:
      // Every vertex shader of some compilers has it, and few write it.
      if (range)
        output.pointSize = *range;
      break;
    case BuiltIn::ClipDistance:
    case BuiltIn::CullDistance: {
      SmallVector<Range, 0> &distances =
          *scalar.builtIn == BuiltIn::ClipDistance ? output.clipDistances : output.cullDistances;
      if (!range)
        return unsupported("imprecise: a clip or cull distance may be anything");
      distances.push_back(*range);
      break;
    }
    case BuiltIn::Layer:
    case BuiltIn::ViewportIndex:
      if (value.isPoison())
        return unsupported("imprecise: the layer or viewport of a vertex may be anything");
      (*scalar.builtIn == BuiltIn::Layer ? output.layer : output.viewportIndex) =
          static_cast<uint32_t>(value.bits);
      break;
    default:
      break;
    }
  }
  return Error::success();
}

/// Compilers declare gl_PerVertex with a clip and a cull distance that nobody writes.
static bool hasWritten(const Invocation &invocation, const Program &program, spv::BuiltIn builtIn) {
  return any_of(program.shaderOutputs, [&](const InterfaceScalar &scalar) {
    return scalar.builtIn == builtIn && !(invocation.stack[scalar.slot].flags & Undef);
  });
}

/// One workgroup per vertex, in the order of \p invocations. Outputs are kept for fragments.
Error DrawShaders::runVertices(ArrayRef<raster::VertexInvocation> invocations,
                               MutableArrayRef<raster::VertexOutput> outputs) {
  const Program &program = m_vertex.program();
  for (size_t i = 0; i < invocations.size(); ++i) {
    Error problem = Error::success();
    auto start = [&](Invocation &invocation) {
      for (const InterfaceScalar &input : program.shaderInputs)
        invocation.stack[input.slot] = vertexInput(input, invocations[i]);
    };
    auto end = [&](Invocation &invocation) {
      for (spv::BuiltIn builtIn : {spv::BuiltIn::ClipDistance, spv::BuiltIn::CullDistance})
        if (!hasWritten(invocation, program, builtIn))
          for (const InterfaceScalar &scalar : program.shaderOutputs)
            if (scalar.builtIn == builtIn)
              invocation.stack[scalar.slot] = Scalar::exact(0);
      problem = joinErrors(std::move(problem), takeVertex(invocation, outputs[i]));
    };
    bool isGood = m_vertex.runGroup(m_nextGroup++, 1, {start, end});
    if (problem)
      return problem;
    if (!isGood || m_vertex.ending().kind != OutcomeKind::Completed)
      return stopped();
  }
  return Error::success();
}

/// What vertex \p vertex wrote for a fragment input; null where the vertex shader has no such
/// output. \p input must be one of the program's inputs: its address gives its number.
const Scalar *DrawShaders::findOutput(const InterfaceScalar &input, uint32_t vertex) const {
  const std::vector<InterfaceScalar> &inputs = m_fragments->program().shaderInputs;
  int source = m_sourceOf[static_cast<size_t>(&input - inputs.data())];
  if (source < 0)
    return nullptr;
  return &m_outputs[vertex * m_vertex.program().shaderOutputs.size() + static_cast<size_t>(source)];
}

/// What interpolation of \p values to \p result may give for an input of 16 bits: hardware has the
/// differences of vertices in 16 bits, too (AMD's register reference, SPI_PS_INPUT_CNTL,
/// FP16_INTERP_MODE), and rounds to either side (docs/draws.md). Anything where a difference is too
/// large.
static Interval roundToHalf(Range result, const raster::Weights &weights, ArrayRef<Range> values) {
  constexpr double Largest = 65504, Unit = 0x1p-10;
  constexpr unsigned Width = 16;
  double error = 0;
  for (const Range &base : values) {
    double sum = 0;
    for (auto [i, value] : enumerate(values)) {
      double difference = std::max(std::fabs(value.hi - base.lo), std::fabs(value.lo - base.hi));
      if (difference > Largest)
        return {-INFINITY, INFINITY, /*nan=*/true};
      bool isExact = value.lo == value.hi && base.lo == base.hi &&
                     floorToWidth(difference, Width) == difference;
      double weight = std::max(std::fabs(weights[i].lo), std::fabs(weights[i].hi));
      sum += isExact ? 0 : weight * difference * Unit;
    }
    error = std::max(error, sum);
  }
  return {floorToWidth(result.lo - error, Width), ceilToWidth(result.hi + error, Width), false};
}

/// Flat, integer and 64-bit inputs are those of the provoking vertex. An input that no vertex
/// writes is an undefined value.
Scalar DrawShaders::interpolateAt(const InterfaceScalar &scalar,
                                  const raster::FragmentPrimitive &primitive,
                                  const raster::Place &place) const {
  if (!findOutput(scalar, primitive.provoking))
    return Scalar::undefined(Cause::Uninitialized);
  if (scalar.isFlat || scalar.kind != TypeKind::Float || scalar.width == 64) {
    uint32_t from =
        faultPlanted(Fault::ReferenceFlatFromLast) ? primitive.vertices[2] : primitive.provoking;
    return *findOutput(scalar, from);
  }
  unsigned count = primitive.kind == raster::PrimitiveKind::Triangle ? 3
                   : primitive.kind == raster::PrimitiveKind::Line   ? 2
                                                                     : 1;
  std::array<Range, 3> values = {};
  for (unsigned i = 0; i < count; ++i) {
    const Scalar &value = *findOutput(scalar, primitive.vertices[i]);
    std::optional<Range> range = rangeOf(value, scalar.width);
    if (!range)
      return value.isPoison() ? inheritPoison(value, value) : Scalar::ambiguous();
    values[i] = *range;
  }
  raster::Weights weights = scalar.isLinear ? primitive.interpolation.getLinear(place)
                                            : primitive.interpolation.getPerspective(place);
  if (faultPlanted(Fault::ReferenceSwapsWeights))
    std::swap(weights[0], weights[1]);
  Range result = raster::interpolate(weights, values);
  FloatRules rules;
  rules.width = scalar.width;
  if (scalar.width != 16)
    return scalarOf(makeInterval(result), rules, result.middle());
  Interval half = roundToHalf(result, weights, ArrayRef(values).take_front(count));
  return scalarOf(half, rules, roundToWidth(result.middle(), scalar.width, rules.towardZero));
}

/// Maybe is an ambiguous boolean.
static Scalar answer(raster::Answer value) {
  return value == raster::Answer::Maybe ? Scalar::ambiguous()
                                        : Scalar::boolean(value == raster::Answer::Yes);
}

/// x for component 0, y for others.
static const Range &select(const raster::Place &place, unsigned component) {
  return component ? place.y : place.x;
}

/// Where the fragment's inputs are evaluated: at the sample that it runs for, else at the centre.
static raster::Place getPlace(const FragmentPlace &place) {
  return place.quad->getPlace(place.number, place.samples);
}

/// In sixteenths of a pixel, as a float. Undefined where the shader does not run per sample.
static Scalar samplePosition(const FragmentPlace &place, unsigned component) {
  if (!place.quad->sample)
    return Scalar::undefined(Cause::Uninitialized);
  raster::SamplePosition position = raster::getSamplePositions(place.samples)[*place.quad->sample];
  return Scalar::exact(toFloat((component ? position.y : position.x) / 16.0));
}

/// Built-ins that fragments do not have are undefined values.
Scalar DrawShaders::getInput(const InterfaceScalar &input, const FragmentPlace &place,
                             const Invocation &invocation) const {
  using spv::BuiltIn;
  const raster::Fragment &fragment = place.get();
  const raster::FragmentPrimitive &primitive = *place.primitive;
  bool usesCentroid = input.isCentroid && !faultPlanted(Fault::ReferenceIgnoresCentroid);
  raster::Place at = usesCentroid ? fragment.centroid : getPlace(place);
  if (!input.builtIn || *input.builtIn == BuiltIn::ClipDistance ||
      *input.builtIn == BuiltIn::CullDistance)
    return interpolateAt(input, primitive, at);
  switch (*input.builtIn) {
  case BuiltIn::FragCoord:
    if (input.component == 2)
      return scalarOfRange(fragment.depth);
    if (input.component == 3)
      return scalarOfRange(primitive.interpolation.getInverseW(getPlace(place)));
    return scalarOfRange(select(getPlace(place), input.component));
  case BuiltIn::PointCoord:
    return scalarOfRange(select(primitive.getPointCoord(getPlace(place)), input.component));
  case BuiltIn::FrontFacing:
    return answer(primitive.isFrontFacing);
  case BuiltIn::SampleId:
    return Scalar::exact(place.quad->sample.value_or(0));
  case BuiltIn::SamplePosition:
    return samplePosition(place, input.component);
  case BuiltIn::SampleMask:
    return input.component ? Scalar::exact(0)
           : fragment.coverage.certain == fragment.coverage.possible
               ? Scalar::exact(fragment.coverage.certain)
               : Scalar::ambiguous();
  case BuiltIn::HelperInvocation:
    return Scalar::boolean(invocation.isHelper);
  case BuiltIn::PrimitiveId:
    return Scalar::exact(primitive.primitiveId);
  case BuiltIn::Layer:
    return Scalar::exact(primitive.layer);
  case BuiltIn::ViewportIndex:
    return Scalar::exact(primitive.viewportIndex);
  case BuiltIn::BaryCoordKHR:
    return scalarOfRange(primitive.interpolation.getPerspective(at)[input.component]);
  case BuiltIn::BaryCoordNoPerspKHR:
    return scalarOfRange(primitive.interpolation.getLinear(at)[input.component]);
  case BuiltIn::ViewIndex:
  case BuiltIn::DeviceIndex:
    return Scalar::exact(0);
  default:
    return Scalar::undefined(Cause::Uninitialized);
  }
}

/// An error says that the draw stopped; the ending of the run has the reason.
Error DrawShaders::runFragments(const raster::FragmentPrimitive &primitive,
                                ArrayRef<raster::Quad> quads,
                                MutableArrayRef<raster::FragmentOutput> outputs) {
  return m_fragments->run(primitive, quads, outputs) ? Error::success() : stopped();
}
