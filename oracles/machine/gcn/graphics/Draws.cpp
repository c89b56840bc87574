// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/graphics/Draws.h"

#include "oracles/machine/Attachments.h"
#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/GcnDispatch.h"
#include "oracles/machine/gcn/graphics/ExportFormats.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "oracles/machine/simt/Schedules.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A wave that is led along a path; when its stage comes, the run ends with it.
struct LedWave {
  ShaderStage stage = ShaderStage::Vertex;
  ArrayRef<uint64_t> path; ///< Inst::pc of each instruction.
  bool sanitize = true;
  DirectedRun run; ///< What it did.
};

/// What the shaders of one draw have in common.
struct DrawParts {
  const GraphicsProgram &program;
  VertexLaunch &vertex;
  PixelLaunch *pixel;                           ///< Null: no fragment shader.
  std::vector<const TexelFormatInfo *> targets; ///< Color formats; null: no target.
  bool isDualSource = false;
  simt::RunContext &context;
  Outcome &outcome;
  LedWave *led = nullptr; ///< Null: all waves run.
};

/// Runs the code of one draw. An error that says "stopped" means that the outcome has the reason.
class GcnShaders final : public raster::ShaderExecutor {
public:
  explicit GcnShaders(DrawParts parts) : m_parts(std::move(parts)) {}

  void takePrimitives(ArrayRef<raster::AssembledPrimitive> primitives) override {
    m_primitives = primitives;
  }
  Error runVertices(ArrayRef<raster::VertexInvocation> invocations,
                    MutableArrayRef<raster::VertexOutput> outputs) override;
  Error runFragments(const raster::FragmentPrimitive &primitive, ArrayRef<raster::Quad> quads,
                     MutableArrayRef<raster::FragmentOutput> outputs) override;
  bool hasStopped() const { return m_hasStopped; }

private:
  /// Runs all workgroups of a launch. Fails with "stopped" when the dispatch did not complete, and
  /// when a wave of the stage is led instead.
  Error dispatch(Launch &launch, ShaderStage stage, unsigned groups);
  Error trap(Error error);

  DrawParts m_parts;
  std::vector<raster::VertexInvocation> m_invocations; ///< VertexLaunch refers to them.
  std::vector<raster::AssembledPrimitive> m_primitives;
  std::vector<PixelExports> m_pixels;
  bool m_hasStopped = false;
};

/// A pipeline of the case, by its index there.
struct LoadedPipeline {
  std::optional<GraphicsProgram> program; ///< Nothing: a compute pipeline.
};

/// The graphics pipelines of one case, and its attachments between draws.
class GcnDraws final : public DrawModel {
public:
  GcnDraws(const Case &input, const TargetInfo &target)
      : m_input(input), m_target(target), m_addresses(simt::placeBuffers(input)),
        m_attachments(input) {}

  /// Loads the graphics pipelines. There is one artifact for each pipeline of the case.
  Error load(ArrayRef<Artifact> artifacts);
  /// Leads a wave instead of running its stage. \p led outlives this.
  void lead(LedWave &led) { m_led = &led; }
  Expected<bool> draw(const Draw &draw, std::vector<BufferState> &buffers, Outcome &outcome,
                      simt::RunContext &context) override;
  Expected<bool> clear(const Clear &clear, std::vector<BufferState> &buffers,
                       Outcome &outcome) override;

private:
  /// Addresses, sizes and strides of the vertex buffers of a draw, in bytes. A buffer's size counts
  /// from the offset of its binding.
  VertexInputs vertexInputs(const Draw &draw, const std::vector<BufferState> &buffers) const;

  const Case &m_input;
  const TargetInfo &m_target;
  std::vector<uint64_t> m_addresses; ///< Of the case's buffers.
  Attachments m_attachments;
  std::vector<LoadedPipeline> m_pipelines;
  LedWave *m_led = nullptr;
};

} // namespace

Error GcnShaders::dispatch(Launch &launch, ShaderStage stage, unsigned groups) {
  if (LedWave *led = m_parts.led; led && led->stage == stage) {
    led->run = leadFirstWave(launch, led->path, led->sanitize);
    m_hasStopped = true;
    return unsupported("stopped");
  }
  uint32_t counts[3] = {groups, 1, 1};
  GcnDispatch model(launch, /*hasAtomicMoves=*/false);
  if (simt::addResult(runDispatch(model, counts, m_parts.context), m_parts.outcome))
    return Error::success();
  m_hasStopped = true;
  return unsupported("stopped");
}

/// Ends the run: nothing can be drawn by what the code exported.
Error GcnShaders::trap(Error error) {
  m_parts.outcome.kind = OutcomeKind::Trap;
  m_parts.outcome.reason = takeError(std::move(error)).message;
  m_hasStopped = true;
  return unsupported("stopped");
}

/// Runs all vertices of the draw at once, then decodes the exports of each.
Error GcnShaders::runVertices(ArrayRef<raster::VertexInvocation> invocations,
                              MutableArrayRef<raster::VertexOutput> outputs) {
  m_invocations = invocations;
  VertexLaunch &launch = m_parts.vertex;
  if (Error error = launch.setRuns(m_invocations, m_primitives))
    return error;
  if (!launch.groupCount())
    return Error::success();
  if (Error error = dispatch(launch, ShaderStage::Vertex, launch.groupCount()))
    return error;
  launch.readRing();
  for (const VertexGroup &group : launch.groups().groups)
    for (auto [lane, vertex] : enumerate(group.vertices))
      if (Error error = decodeVertex(launch.exports()[group.firstSlot + lane],
                                     m_parts.program.vertexRegisters)
                            .moveInto(outputs[vertex.run]))
        return trap(std::move(error));
  return Error::success();
}

/// Runs the fragments of one primitive; \p outputs has one element for each fragment of \p quads.
Error GcnShaders::runFragments(const raster::FragmentPrimitive &primitive,
                               ArrayRef<raster::Quad> quads,
                               MutableArrayRef<raster::FragmentOutput> outputs) {
  m_pixels.resize(outputs.size());
  PrimitiveExports parameters = m_parts.vertex.exportsOf(primitive, m_primitives[primitive.number]);
  m_parts.pixel->setQuads(primitive, parameters, quads, m_pixels);
  if (Error error = dispatch(*m_parts.pixel, ShaderStage::Fragment, m_parts.pixel->groupCount()))
    return error;
  for (auto [exports, output] : zip_equal(m_pixels, outputs))
    output =
        decodePixel(exports, m_parts.program.pixelRegisters, m_parts.targets, m_parts.isDualSource);
  return Error::success();
}

Error GcnDraws::load(ArrayRef<Artifact> artifacts) {
  for (auto [pipeline, artifact] : zip_equal(m_input.pipelines, artifacts)) {
    LoadedPipeline &loaded = m_pipelines.emplace_back();
    if (pipeline.description.isCompute())
      continue;
    Expected<GraphicsProgram> program = loadGraphics(artifact, m_target);
    if (!program)
      return addContext(program.takeError(), "pipeline '" + pipeline.name + "'");
    if (std::string reason = whyNotRunnable(program->pixelRegisters); !reason.empty())
      return addContext(unsupported("gcn machine: " + reason), "pipeline '" + pipeline.name + "'");
    loaded.program = std::move(*program);
  }
  return Error::success();
}

VertexInputs GcnDraws::vertexInputs(const Draw &draw,
                                    const std::vector<BufferState> &buffers) const {
  const CasePipeline &pipeline = m_input.pipelines[draw.pipeline];
  VertexInputs inputs;
  inputs.baseVertex = draw.indexed ? draw.vertexOffset : static_cast<int32_t>(draw.firstVertex);
  inputs.firstInstance = draw.firstInstance;
  for (const VertexBuffer &source : pipeline.draw.vertexBuffers)
    for (const VertexInputBinding &layout : pipeline.description.graphics.input.bindings) {
      if (layout.binding != source.binding)
        continue;
      uint64_t size = buffers[source.buffer].bytes.size();
      inputs.sources.push_back({layout.binding, m_addresses[source.buffer] + source.offset,
                                size - std::min<uint64_t>(size, source.offset), layout.stride});
    }
  return inputs;
}

/// False when the run has ended, with the reason in \p outcome. Unsupported state ends the run as
/// well.
Expected<bool> GcnDraws::draw(const Draw &draw, std::vector<BufferState> &buffers, Outcome &outcome,
                              simt::RunContext &context) {
  const CasePipeline &pipeline = m_input.pipelines[draw.pipeline];
  GraphicsProgram &program = *m_pipelines[draw.pipeline].program;
  auto descriptors = makeDescriptors(m_input, pipeline, m_addresses, m_target.major,
                                     program.vertex.launch.hasPlanarLines);
  if (!descriptors)
    return descriptors.takeError();
  auto vertices = listVertices(draw, pipeline, buffers);
  if (!vertices)
    return vertices.takeError();
  auto framebuffer = m_attachments.open(pipeline, buffers);
  if (!framebuffer)
    return endUnsupported(framebuffer.takeError(), outcome);
  VertexInputs inputs = vertexInputs(draw, buffers);
  uint64_t seed = context.options.seed;
  VertexLaunch vertex(program.vertex, program.vertexRegisters, inputs, m_target, pipeline,
                      *descriptors, buffers, seed);
  std::unique_ptr<PixelLaunch> pixel;
  if (program.pixel)
    pixel = std::make_unique<PixelLaunch>(*program.pixel, program.pixelRegisters, m_target,
                                          pipeline, *descriptors, buffers, seed);
  DrawParts parts{program, vertex, pixel.get(), {}, false, context, outcome, m_led};
  for (const raster::RenderTarget *target : framebuffer->color)
    parts.targets.push_back(target ? &target->format() : nullptr);
  const GraphicsState &state = pipeline.description.graphics;
  parts.isDualSource = usesDualSource(state);
  GcnShaders shaders(std::move(parts));
  raster::DrawInput request;
  request.state = &state;
  request.vertices = *vertices;
  request.instanceCount = draw.instanceCount;
  request.isDefinite = true;
  request.hasFragmentShader = program.pixel.has_value();
  request.earlyTests = testsEarly(program.pixelRegisters);
  request.perSample = runsPerSample(program.pixelRegisters);
  Error error = raster::drawPrimitives(request, shaders, *framebuffer);
  if (shaders.hasStopped()) {
    consumeError(std::move(error));
    return false;
  }
  if (error)
    return endUnsupported(std::move(error), outcome);
  if (Error closing = m_attachments.close(pipeline, buffers))
    return endUnsupported(std::move(closing), outcome);
  settleTexels(pipeline, buffers);
  return true;
}

/// Needs no shader: clears the attachments directly.
Expected<bool> GcnDraws::clear(const Clear &clear, std::vector<BufferState> &buffers,
                               Outcome &outcome) {
  const CasePipeline &pipeline = m_input.pipelines[clear.pipeline];
  if (Error error = clearTargets(clear, pipeline, m_attachments, buffers))
    return endUnsupported(std::move(error), outcome);
  settleTexels(pipeline, buffers);
  return true;
}

Expected<std::unique_ptr<DrawModel>> gcn::loadDraws(const Case &input, ArrayRef<Artifact> artifacts,
                                                    const TargetInfo &target) {
  auto draws = std::make_unique<GcnDraws>(input, target);
  if (Error error = draws->load(artifacts))
    return std::move(error);
  return draws;
}

Expected<DirectedRun> gcn::runDirectedDraw(const Case &input, const Artifact &artifact,
                                           const TargetInfo &target, ShaderStage stage,
                                           ArrayRef<uint64_t> path, bool sanitize) {
  GcnDraws draws(input, target);
  if (Error error = draws.load(artifact))
    return std::move(error);
  LedWave led{stage, path, sanitize, {}};
  draws.lead(led);
  RunOptions options;
  simt::RunContext context{options, {}};
  std::vector<uint64_t> addresses = simt::placeBuffers(input);
  auto draw = [&](const Draw &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws.draw(command, buffers, outcome, context);
  };
  auto clear = [&](const Clear &command, std::vector<BufferState> &buffers, Outcome &outcome) {
    return draws.clear(command, buffers, outcome);
  };
  Expected<Outcome> outcome = runCommands(
      input, [](const Dispatch &, std::vector<BufferState> &, Outcome &) { return true; },
      [&](unsigned buffer) { return addresses[buffer]; }, DrawFunctions{draw, clear});
  if (!outcome)
    return outcome.takeError();
  return std::move(led.run);
}
