// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/raster/Draw.h"

#include "oracles/raster/Blend.h"
#include "oracles/raster/FragmentStage.h"
#include "oracles/raster/Shape.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

bool raster::runsPerSample(const DrawInput &input) {
  const MultisampleState &state = input.state->multisample;
  if (state.samples == 1)
    return false;
  // lavapipe runs for all samples where more than one is asked for; more than needed is allowed.
  return input.perSample ||
         (state.sampleShading && double(state.minSampleShading) * state.samples > 1);
}

/// Unsupported for a format that cannot be drawn into, or another number of samples than the state
/// has.
static Error verifyTarget(const RenderTarget &target, const GraphicsState &state) {
  std::string why = whyNotRenderable(target.format().format);
  if (!why.empty())
    return unsupported(why);
  if (target.samples() != state.multisample.samples)
    return unsupported("attachments with " + Twine(target.samples()) +
                       " samples in a pipeline with " + Twine(state.multisample.samples));
  return Error::success();
}

/// Unsupported for state and attachments that the model lacks. Checked once a draw, so that nothing
/// is drawn before an error.
static Error verifyState(const DrawInput &input, const Framebuffer &framebuffer) {
  const GraphicsState &state = *input.state;
  if (getSamplePositions(state.multisample.samples).empty())
    return unsupported(Twine(state.multisample.samples) + " samples");
  if (state.input.topology == PrimitiveTopology::PatchList)
    return unsupported("tessellation");
  for (const ColorTarget &target : state.colorTargets)
    if (std::string why = whyNotBlendable(target); !why.empty())
      return unsupported(why);
  for (const RenderTarget *target : framebuffer.color)
    if (target)
      if (Error error = verifyTarget(*target, state))
        return error;
  if (framebuffer.depthStencil)
    return verifyTarget(*framebuffer.depthStencil, state);
  return Error::success();
}

namespace {
/// One draw: vertices, then primitives in order.
class DrawRun {
public:
  DrawRun(const DrawInput &input, ShaderExecutor &shaders, const Framebuffer &framebuffer)
      : m_input(input), m_framebuffer(framebuffer), m_shaders(shaders),
        m_fragments(input, shaders, framebuffer) {}

  Error run();

private:
  /// Runs the vertex shader for all vertices of all instances.
  Error runVertices();
  /// Numbers the vertices and passes the assembled primitives of all instances to the executor.
  void tellPrimitives(ArrayRef<Primitive> primitives);
  /// Rasterizes one primitive. \p number counts the primitives of the draw, over instances.
  Error drawPrimitive(const Primitive &primitive, uint32_t instance, uint32_t number);
  /// Unsupported when an attachment lacks \p layer.
  Error verifyLayer(uint32_t layer) const;

  const DrawInput &m_input;
  const Framebuffer &m_framebuffer;
  ShaderExecutor &m_shaders;
  FragmentStage m_fragments;
  std::vector<uint32_t> m_numbers; ///< Invocation by vertex of one instance; restarts have none.
  uint32_t m_perInstance = 0;      ///< Invocations of an instance.
  std::vector<VertexOutput> m_outputs; ///< By invocation.
};
} // namespace

/// Numbers the vertices without restarts, and gives the shaders all primitives before any runs.
void DrawRun::tellPrimitives(ArrayRef<Primitive> primitives) {
  for (const DrawVertex &vertex : m_input.vertices)
    m_numbers.push_back(vertex.restart ? m_perInstance : m_perInstance++);
  std::vector<AssembledPrimitive> all;
  for (uint32_t instance = 0; instance < m_input.instanceCount; ++instance)
    for (const Primitive &primitive : primitives) {
      AssembledPrimitive &next = all.emplace_back();
      for (auto [to, vertex] : zip(next.vertices, primitive.vertices))
        to = instance * m_perInstance + m_numbers[vertex];
      next.vertexCount = static_cast<uint8_t>(primitive.vertices.size());
      next.provoking = static_cast<uint8_t>(primitive.provoking);
      next.primitiveId = primitive.primitiveId;
    }
  m_shaders.takePrimitives(all);
}

/// Runs every vertex of every instance once, also those without a primitive.
Error DrawRun::runVertices() {
  std::vector<VertexInvocation> invocations;
  for (uint32_t instance = 0; instance < m_input.instanceCount; ++instance)
    for (const DrawVertex &vertex : m_input.vertices)
      if (!vertex.restart)
        invocations.push_back({vertex.vertexIndex, instance});
  m_outputs.resize(invocations.size());
  return m_shaders.runVertices(invocations, m_outputs);
}

/// Unsupported where an attachment does not have the layer.
Error DrawRun::verifyLayer(uint32_t layer) const {
  auto lacks = [&](const RenderTarget *target) { return target && layer >= target->layers(); };
  if (any_of(m_framebuffer.color, lacks) || lacks(m_framebuffer.depthStencil))
    return unsupported("layer " + Twine(layer) + " of a framebuffer that lacks it");
  return Error::success();
}

/// Layer and viewport are those of the provoking vertex.
Error DrawRun::drawPrimitive(const Primitive &primitive, uint32_t instance, uint32_t number) {
  FragmentPrimitive base;
  base.number = number;
  base.instance = instance;
  base.primitiveId = primitive.primitiveId;
  SmallVector<VertexOutput, 3> outputs;
  for (auto [i, vertex] : enumerate(primitive.vertices)) {
    base.vertices[i] = instance * m_perInstance + m_numbers[vertex];
    outputs.push_back(m_outputs[base.vertices[i]]);
  }
  base.provoking = base.vertices[primitive.provoking];
  const VertexOutput &provoking = m_outputs[base.provoking];
  base.layer = provoking.layer;
  base.viewportIndex = provoking.viewportIndex;
  if (base.viewportIndex != 0)
    return unsupported("more than one viewport");
  if (Error error = verifyLayer(base.layer))
    return error;
  auto shapes = makeShapes(*m_input.state, outputs, base, m_input.isDefinite);
  if (!shapes)
    return shapes.takeError();
  for (const Shape &shape : *shapes)
    if (Error error = m_fragments.draw(shape))
      return error;
  return Error::success();
}

/// Draws in the order of primitives, instance by instance.
Error DrawRun::run() {
  const GraphicsState &state = *m_input.state;
  std::vector<Primitive> primitives =
      assemblePrimitives(m_input.vertices, state.input, state.rasterization.provokingVertex);
  tellPrimitives(primitives);
  if (Error error = runVertices())
    return error;
  if (state.rasterization.discard)
    return Error::success();
  uint32_t number = 0;
  for (uint32_t instance = 0; instance < m_input.instanceCount; ++instance)
    for (const Primitive &primitive : primitives)
      if (Error error = drawPrimitive(primitive, instance, number++))
        return error;
  return Error::success();
}

/// Returns Unsupported where the pipeline has state that is not implemented.
Error raster::drawPrimitives(const DrawInput &input, ShaderExecutor &shaders,
                             const Framebuffer &framebuffer) {
  assert(input.state && "no state");
  if (Error error = verifyState(input, framebuffer))
    return error;
  return DrawRun(input, shaders, framebuffer).run();
}
