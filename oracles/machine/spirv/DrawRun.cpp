// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/DrawRun.h"

#include "oracles/machine/spirv/FloatMath.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using raster::Range;
using spirv::TypeKind;

static constexpr FloatRules plainRules = {};

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

DrawShaders::DrawShaders(const DrawSetup &setup, Execution &vertex, Execution *fragment)
    : m_setup(setup), m_vertex(vertex), m_fragment(fragment) {
  if (!fragment)
    return;
  for (const InterfaceScalar &input : fragment->program().shaderInputs)
    m_sourceOf.push_back(findSource(vertex.program(), input));
}

const Ending &DrawShaders::ending() const {
  bool isFragment = m_fragment && m_fragment->ending().kind != OutcomeKind::Completed;
  return isFragment ? m_fragment->ending() : m_vertex.ending();
}

/// What ends a draw whose shaders have stopped; ending() says why.
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
        return unsupported("imprecise: Position of " + std::string(value.flags & Undef
                                                                       ? "a vertex is undefined"
                                                                       : "a vertex may be NaN"));
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
      output.layer = static_cast<uint32_t>(value.bits);
      break;
    case BuiltIn::ViewportIndex:
      output.viewportIndex = static_cast<uint32_t>(value.bits);
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

const Scalar *DrawShaders::findOutput(const InterfaceScalar &input, uint32_t vertex) const {
  const std::vector<InterfaceScalar> &inputs = m_fragment->program().shaderInputs;
  int source = m_sourceOf[static_cast<size_t>(&input - inputs.data())];
  if (source < 0)
    return nullptr;
  return &m_outputs[vertex * m_vertex.program().shaderOutputs.size() + static_cast<size_t>(source)];
}

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
  return scalarOf(makeInterval(result), rules, result.middle());
}

static Scalar answer(raster::Answer value) {
  return value == raster::Answer::Maybe ? Scalar::ambiguous()
                                        : Scalar::boolean(value == raster::Answer::Yes);
}

static const Range &select(const raster::Place &place, unsigned component) {
  return component ? place.y : place.x;
}

static raster::Place getPlace(const FragmentPlace &place) {
  return place.quad->getPlace(place.number, place.samples);
}

static Scalar samplePosition(const FragmentPlace &place, unsigned component) {
  if (!place.quad->sample)
    return Scalar::undefined(Cause::Uninitialized);
  raster::SamplePosition position = raster::getSamplePositions(place.samples)[*place.quad->sample];
  return Scalar::exact(toFloat((component ? position.y : position.x) / 16.0));
}

Scalar DrawShaders::fragmentInput(const InterfaceScalar &input, const FragmentPlace &place,
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

/// A component that the shader wrote, for the model.
static raster::Component componentOf(const Scalar &value, const InterfaceScalar &output) {
  if (value.isPoison())
    return raster::Component::open();
  if (output.kind != TypeKind::Float) {
    auto bits = static_cast<uint32_t>(value.bits);
    return raster::Component::point(output.isSigned ? double(static_cast<int32_t>(bits))
                                                    : double(bits));
  }
  FloatRules rules;
  rules.width = output.width;
  Interval interval = reference::intervalOf(settle(value, output.width), rules);
  raster::Component component;
  component.range = {interval.lo, interval.hi};
  // A zero of either sign is stored as implementations do: without a sign.
  if (interval.lo == 0 && interval.hi == 0 &&
      std::signbit(interval.lo) != std::signbit(interval.hi))
    component.range = raster::Range::point(0);
  component.mayBeNan = interval.nan;
  return component;
}

raster::FragmentOutput DrawShaders::takeFragment(Invocation &invocation) {
  using spv::BuiltIn;
  raster::FragmentOutput result;
  if (invocation.isKilled) {
    result.isKept = raster::Answer::No;
    return result;
  }
  for (const InterfaceScalar &output : m_fragment->program().shaderOutputs) {
    const Scalar &value = invocation.stack[output.slot];
    if (!output.builtIn) {
      auto color = find_if(result.colors, [&](const raster::ColorOutput &each) {
        return each.location == output.location && each.index == output.index;
      });
      if (color == result.colors.end()) {
        raster::ColorOutput fresh;
        fresh.location = output.location;
        fresh.index = output.index;
        fresh.value.fill(raster::Component::open());
        result.colors.push_back(fresh);
        color = std::prev(result.colors.end());
      }
      unsigned component = output.component & 3;
      if (faultPlanted(Fault::ReferenceSwapsColors) && component < 2)
        component ^= 1;
      color->value[component] = componentOf(value, output);
    } else if (*output.builtIn == BuiltIn::FragDepth) {
      result.depth = componentOf(value, output);
    } else if (*output.builtIn == BuiltIn::FragStencilRefEXT) {
      result.stencilReference = static_cast<uint32_t>(value.bits);
    } else if (*output.builtIn == BuiltIn::SampleMask && !output.component) {
      if (value.isPoison())
        m_fragment->stopUnsupported("imprecise: a sample mask that may be anything");
      result.sampleMask = static_cast<uint32_t>(value.bits);
    }
  }
  return result;
}

/// Runs the fragments in the mask \p present; false when the run was stopped.
bool DrawShaders::runQuadOnce(ArrayRef<FragmentPlace> places, uint32_t present,
                              QuadOutputs &outputs) {
  const Program &program = m_fragment->program();
  auto start = [&](Invocation &invocation) {
    const FragmentPlace &place = places[invocation.localIndex];
    invocation.fragment = &place;
    const raster::Fragment &fragment = place.get();
    invocation.isHelper = fragment.isHelper;
    invocation.isUncertain = !fragment.isHelper && !fragment.coverage.certain;
    for (const InterfaceScalar &input : program.shaderInputs)
      invocation.stack[input.slot] = fragmentInput(input, place, invocation);
  };
  auto end = [&](Invocation &invocation) {
    if (!places[invocation.localIndex].get().isHelper)
      outputs[invocation.localIndex] = takeFragment(invocation);
  };
  return m_fragment->runGroup(m_nextGroup, present, {start, end}) &&
         m_fragment->ending().kind == OutcomeKind::Completed;
}

/// What is known of a fragment of which nothing is known.
raster::FragmentOutput DrawShaders::openOutput() const {
  raster::FragmentOutput result;
  result.isKept = raster::Answer::Maybe;
  for (const InterfaceScalar &output : m_fragment->program().shaderOutputs)
    if (output.builtIn == spv::BuiltIn::FragDepth)
      result.depth = raster::Component::open();
  return result;
}

/// Whether a run was stopped by what precision leaves open, and openOutput() can say so.
bool DrawShaders::leavesOpen() const {
  return m_fragment->ending().kind == OutcomeKind::Unsupported &&
         StringRef(m_fragment->ending().reason).starts_with("imprecise: ") &&
         none_of(m_fragment->program().shaderOutputs, [](const InterfaceScalar &output) {
           return output.builtIn == spv::BuiltIn::FragStencilRefEXT;
         });
}

static bool areEqual(const raster::FragmentOutput &a, const raster::FragmentOutput &b) {
  auto sameColor = [](const raster::ColorOutput &x, const raster::ColorOutput &y) {
    return x.location == y.location && x.index == y.index && x.value == y.value;
  };
  return a.isKept == b.isKept && a.depth == b.depth && a.stencilReference == b.stencilReference &&
         a.sampleMask == b.sampleMask &&
         std::equal(a.colors.begin(), a.colors.end(), b.colors.begin(), b.colors.end(), sameColor);
}

/// Runs of one quad, or of one fragment, before all of its outputs are open.
static constexpr unsigned MaxRuns = 16;

bool DrawShaders::runAllWays(ArrayRef<FragmentPlace> places, uint32_t present,
                             QuadOutputs &outputs) {
  std::array<std::vector<raster::FragmentOutput>, 4> results;
  m_ways.restart();
  bool isOpen = false;
  for (unsigned runs = 0; !isOpen && (runs == 0 || m_ways.advance()); ++runs) {
    QuadOutputs one;
    if (runs == MaxRuns) {
      isOpen = true;
    } else if (!runQuadOnce(places, present, one)) {
      if (m_ways.first() && m_fragment->ending().kind == OutcomeKind::UndefinedBehavior) {
        m_fragment->stopUnsupported("imprecise: behind a branch that depends on rounding, " +
                                    std::string(m_fragment->ending().reason));
        return false;
      }
      isOpen = leavesOpen();
      if (!isOpen)
        return false;
      if (m_imprecision.empty())
        m_imprecision = StringRef(m_fragment->ending().reason).drop_front(11).str();
      m_fragment->abandonGroup();
    }
    for (unsigned i = 0; i < 4 && !isOpen; ++i)
      if (none_of(results[i], [&](const auto &other) { return areEqual(other, one[i]); }))
        results[i].push_back(one[i]);
  }
  if (m_imprecision.empty() && m_ways.first())
    m_imprecision = describeInstruction(*m_ways.first());
  for (unsigned i = 0; i < 4; ++i) {
    if (!(present >> i & 1))
      continue;
    outputs[i] = isOpen ? openOutput() : results[i].front();
    if (!isOpen)
      outputs[i].others.assign(results[i].begin() + 1, results[i].end());
  }
  return true;
}

/// Where a shader has effects, it runs once, and what precision leaves open ends the run.
bool DrawShaders::runQuad(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs) {
  const Program &program = m_fragment->program();
  if (program.hasEffects)
    return runQuadOnce(places, present, outputs);
  m_ways.restart();
  m_fragment->setWays(&m_ways);
  if (runQuadOnce(places, present, outputs)) {
    if (!m_ways.first())
      return true;
  } else if (!m_ways.first() && !leavesOpen()) {
    return false;
  } else {
    m_fragment->abandonGroup();
  }
  if (!program.tangleSites.empty()) // All four look at each other.
    return runAllWays(places, present, outputs);
  for (unsigned i = 0; i < 4; ++i)
    if (present >> i & 1 && !runAllWays(places, 1u << i, outputs))
      return false;
  return true;
}

Error DrawShaders::runFragments(const raster::FragmentPrimitive &primitive,
                                ArrayRef<raster::Quad> quads,
                                MutableArrayRef<raster::FragmentOutput> outputs) {
  bool needsHelpers = !m_fragment->program().tangleSites.empty();
  for (size_t i = 0; i < quads.size(); ++i) {
    std::array<FragmentPlace, 4> places;
    uint32_t present = 0;
    for (unsigned f = 0; f < 4; ++f) {
      places[f] = {&primitive, &quads[i], f, m_setup.samples, this};
      present |= uint32_t(needsHelpers || !places[f].get().isHelper) << f;
    }
    QuadOutputs results;
    bool isGood = runQuad(places, present, results);
    ++m_nextGroup;
    if (!isGood)
      return stopped();
    std::move(results.begin(), results.end(), outputs.begin() + 4 * static_cast<ptrdiff_t>(i));
  }
  return Error::success();
}

bool reference::readsSamples(const Program &fragment) {
  return any_of(fragment.shaderInputs, [](const InterfaceScalar &input) {
    return input.isSample || input.builtIn == spv::BuiltIn::SampleId ||
           input.builtIn == spv::BuiltIn::SamplePosition;
  });
}
