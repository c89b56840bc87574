// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/Draws.h"

#include "oracles/machine/ir/LaunchMemory.h"
#include "oracles/machine/ir/LoweredStage.h"
#include "oracles/machine/ir/WaveRun.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "support/Error.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using raster::Range;
using spv::BuiltIn;

namespace {

/// Runs waves of one stage of a draw.
class StageRun {
public:
  struct Setup {
    StageImage &stage;
    const TargetInfo &target;
    const CasePipeline &pipeline;
    ArrayRef<gcn::DescriptorWords> descriptors;
    ArrayRef<uint64_t> addresses; ///< Of buffers.
    std::vector<BufferState> &buffers;
    const RunOptions &options;
  };
  explicit StageRun(const Setup &setup);

  /// Runs the lanes of \p wave; an error that says "stopped" means that \p outcome has the reason.
  Error run(StageWave &wave, Outcome &outcome);
  unsigned waveSize() const { return m_facts.launch().waveSize; }
  /// Whether a wave has ended other than by returning; the outcome has the reason.
  bool hasStopped() const { return m_hasStopped; }
  /// Makes what the waves have stored visible in the buffers. Does nothing before the first wave.
  void writeMemory() {
    if (m_memory)
      m_memory->writeBack();
  }
  const StageLaunch::Tables &tables() const { return m_launch.tables(); }
  const StageRows &rows() const { return m_rows; }
  /// The parameters that lane \p lane of the last wave has stored into the attribute ring.
  std::vector<uint32_t> readRing(unsigned lane);

private:
  static constexpr uint32_t oneGroup[3] = {1, 1, 1};

  StageLaunch m_launch;
  const StageRows &m_rows;
  DispatchFacts m_facts;
  std::optional<LaunchMemory> m_memory; ///< From the first wave on.
  ir::RunLimits m_limits;
  uint32_t m_next = 0; ///< Number of the wave.
  bool m_hasStopped = false;
};

/// The shaders of one draw.
class IrShaders final : public raster::ShaderExecutor {
public:
  struct Parts {
    const Draw &draw;
    const CasePipeline &pipeline;
    std::vector<BufferState> &buffers;
    StageRun &vertex;
    StageRun *fragment;    ///< Null: no fragment shader.
    bool readsPrimitiveId; ///< The vertex shader does.
    bool hasRing;          ///< Parameters of vertices are in memory (GFX11 and later).
    Outcome &outcome;
  };
  explicit IrShaders(const Parts &parts) : m_parts(parts) {}

  Error runVertices(ArrayRef<raster::VertexInvocation> invocations,
                    MutableArrayRef<raster::VertexOutput> outputs) override;
  Error runFragments(const raster::FragmentPrimitive &primitive, ArrayRef<raster::Quad> quads,
                     MutableArrayRef<raster::FragmentOutput> outputs) override;

private:
  Error shadeProvoking(const raster::FragmentPrimitive &primitive);
  Expected<raster::VertexOutput> takeResult(StageOutputs &lane, unsigned number);
  raster::FragmentOutput takeFragment(const StageOutputs &lane) const;
  raster::Component componentOf(const StageOutputs::Output &output, uint32_t location) const;

  Parts m_parts;
  std::vector<StageOutputs> m_vertices; ///< Of all vertices of the draw, in their order.
  std::vector<raster::VertexInvocation> m_invocations; ///< Of m_vertices.
};

} // namespace

/// Prepares one stage for one wave of one group. Vertex stages get their tables of buffers.
StageRun::StageRun(const Setup &setup)
    : m_launch(setup.stage.image.code, setup.target, setup.pipeline, setup.descriptors, oneGroup,
               setup.buffers, setup.options.seed),
      m_rows(setup.stage.rows), m_facts{setup.stage.image,
                                        setup.pipeline.description.layout,
                                        m_launch.memory(),
                                        {1, 1, 1},
                                        0,
                                        setup.options.watch,
                                        std::nullopt,
                                        std::nullopt,
                                        nullptr} {
  m_limits.instructions = setup.options.maxInstructions;
  if (setup.stage.stage == ShaderStage::Vertex)
    m_launch.mapTables(setup.pipeline, setup.buffers, setup.addresses);
}

/// Four dwords per parameter; 0 where the ring is not mapped.
std::vector<uint32_t> StageRun::readRing(unsigned lane) {
  unsigned count = gcn::readVertexRegisters(m_rows.registers).parameterExports;
  std::vector<uint32_t> words(size_t(count) * 4);
  for (unsigned i = 0; i < count; ++i) {
    uint64_t address = StageLaunch::getRingAddress(lane, i, count);
    if (const uint8_t *bytes = m_memory->space().find(address, 16, simt::Access::Read))
      std::memcpy(&words[size_t(i) * 4], bytes, 16);
  }
  return words;
}

/// Waves share memory, and LDS is fresh for each. The limit of instructions holds for all waves of
/// the stage in the draw.
Error StageRun::run(StageWave &wave, Outcome &outcome) {
  std::array<uint32_t, 3> id = {m_next++, 0, 0};
  if (!m_memory)
    m_memory.emplace(m_launch.memory(), nullptr);
  m_memory->resetLds();
  gcn::Workgroup group = m_launch.makeGroup(0);
  group.memory = &m_memory->space();
  std::unique_ptr<gcn::Wave> registers = m_launch.makeWave(group, 0, id.data());
  registers->setExec(maskTrailingOnes<uint64_t>(static_cast<unsigned>(wave.lanes.size())));
  WaveRun run(m_facts, std::move(registers), id, m_memory->memory(), m_limits, &wave);
  while (run.resume()) // A barrier of NGG: there is no other wave.
    ;
  ir::RunResult result = run.finish();
  outcome.instructions += result.instructions;
  m_limits.instructions -= std::min(m_limits.instructions, result.instructions);
  if (result.state == ir::RunState::Returned)
    return Error::success();
  m_hasStopped = true;
  outcome.kind = kindOf(result.state);
  outcome.reason = ("IR: " + ir::toString(result.state) + ": " + result.reason).str();
  return unsupported("stopped");
}

// --- Vertices

/// Element \p element of an f32 built-in that \p lane has written; nothing where it has not, or
/// wrote poison.
static std::optional<double> numberOf(const StageOutputs &lane, BuiltIn builtIn, uint32_t element) {
  auto found = lane.builtIns.find({static_cast<uint32_t>(builtIn), element});
  if (found == lane.builtIns.end() || found->second.isPoison)
    return std::nullopt;
  return toNumber(static_cast<uint32_t>(found->second.bits.getZExtValue()), InterfaceFormat::F32,
                  false);
}

/// The same for an integer built-in without elements.
static std::optional<uint32_t> bitsOf(const StageOutputs &lane, BuiltIn builtIn) {
  auto found = lane.builtIns.find({static_cast<uint32_t>(builtIn), 0});
  if (found == lane.builtIns.end() || found->second.isPoison)
    return std::nullopt;
  return static_cast<uint32_t>(found->second.bits.getZExtValue());
}

/// Elements that were not written are 0: compilers declare arrays that nobody writes.
static void takeDistances(const StageOutputs &lane, BuiltIn builtIn,
                          SmallVector<Range, 0> &distances) {
  for (const auto &[place, value] : lane.builtIns)
    if (place.builtIn == static_cast<uint32_t>(builtIn)) {
      distances.resize(std::max<size_t>(distances.size(), place.element + 1));
      distances[place.element] = Range::point(numberOf(lane, builtIn, place.element).value_or(0));
    }
}

/// Makes the built-in outputs of a lane those of a vertex. Unsupported where Position is poison or
/// NaN: the raster model needs a number.
static Expected<raster::VertexOutput> takeVertex(const StageOutputs &lane) {
  raster::VertexOutput output;
  for (uint32_t i = 0; i < 4; ++i) {
    std::optional<double> number = numberOf(lane, BuiltIn::Position, i);
    if (!number || std::isnan(*number))
      return unsupported("IR: Position of a vertex is undefined or NaN");
    output.position[i] = Range::point(*number);
  }
  if (std::optional<double> size = numberOf(lane, BuiltIn::PointSize, 0))
    output.pointSize = Range::point(*size);
  takeDistances(lane, BuiltIn::ClipDistance, output.clipDistances);
  takeDistances(lane, BuiltIn::CullDistance, output.cullDistances);
  output.layer = bitsOf(lane, BuiltIn::Layer).value_or(0);
  output.viewportIndex = bitsOf(lane, BuiltIn::ViewportIndex).value_or(0);
  return output;
}

/// \p lane has run as lane \p number of its wave.
Expected<raster::VertexOutput> IrShaders::takeResult(StageOutputs &lane, unsigned number) {
  if (lane.exports.empty())
    return takeVertex(lane);
  std::vector<uint32_t> ring;
  if (m_parts.hasRing)
    ring = m_parts.vertex.readRing(number);
  return takeVertexExports(m_parts.vertex.rows(), ring, lane);
}

/// Runs the invocations in waves. Outputs are kept for the fragments of the whole draw.
Error IrShaders::runVertices(ArrayRef<raster::VertexInvocation> invocations,
                             MutableArrayRef<raster::VertexOutput> outputs) {
  size_t step = m_parts.vertex.waveSize();
  m_invocations = invocations.vec();
  for (size_t first = 0; first < invocations.size(); first += step) {
    ArrayRef<raster::VertexInvocation> runs =
        invocations.slice(first, std::min(step, invocations.size() - first));
    VertexStageInputs inputs(m_parts.draw, m_parts.pipeline, m_parts.buffers, runs);
    VertexHardware hardware(m_parts.draw, runs, m_parts.vertex.tables(), std::nullopt);
    StageWave wave{inputs, hardware, std::vector<StageOutputs>(runs.size())};
    if (Error error = m_parts.vertex.run(wave, m_parts.outcome))
      return error;
    for (auto [number, lane] : enumerate(wave.lanes)) {
      auto output = takeResult(lane, static_cast<unsigned>(number));
      if (Error error = std::move(output).moveInto(outputs[m_vertices.size()]))
        return error;
      m_vertices.push_back(std::move(lane));
    }
  }
  m_parts.vertex.writeMemory(); // Fragment shaders may read it; they write none.
  return Error::success();
}

/// Runs the provoking vertex of \p primitive again, now that PrimitiveId is known: hardware gives
/// it to that vertex, of which each primitive has its own then (VGT_PRIMITIVEID_EN,
/// NGG_DISABLE_PROVOK_REUSE).
Error IrShaders::shadeProvoking(const raster::FragmentPrimitive &primitive) {
  VertexStageInputs inputs(m_parts.draw, m_parts.pipeline, m_parts.buffers,
                           m_invocations[primitive.provoking], primitive.primitiveId);
  VertexHardware hardware(m_parts.draw, m_invocations[primitive.provoking], m_parts.vertex.tables(),
                          primitive.primitiveId);
  StageWave wave{inputs, hardware, std::vector<StageOutputs>(1)};
  if (Error error = m_parts.vertex.run(wave, m_parts.outcome))
    return error;
  if (Error error = takeResult(wave.lanes.front(), 0).takeError())
    return error;
  m_vertices[primitive.provoking] = std::move(wave.lanes.front());
  return Error::success();
}

// --- Fragments

/// A component of a colour output. Poison leaves it open; whether an integer is signed follows from
/// the format of the target.
raster::Component IrShaders::componentOf(const StageOutputs::Output &output,
                                         uint32_t location) const {
  if (output.value.isPoison)
    return raster::Component::open();
  const std::vector<ColorTarget> &targets = m_parts.pipeline.description.graphics.colorTargets;
  bool isSigned = location < targets.size() && targets[location].format != TexelFormat::Undefined &&
                  getTexelFormatInfo(targets[location].format).numeric == TexelNumeric::Sint;
  double number =
      toNumber(static_cast<uint32_t>(output.value.bits.getZExtValue()), output.format, isSigned);
  raster::Component component = raster::Component::point(number);
  if (std::isnan(number)) {
    component.range = {1, -1};
    component.mayBeNan = true;
  }
  return component;
}

/// Makes the outputs of a lane those of a fragment. A killed lane leaves none. Components that were
/// not written are open.
raster::FragmentOutput IrShaders::takeFragment(const StageOutputs &lane) const {
  raster::FragmentOutput result;
  if (lane.isKilled) {
    result.isKept = raster::Answer::No;
    return result;
  }
  for (const auto &[place, output] : lane.outputs) {
    auto color = find_if(result.colors, [&](const raster::ColorOutput &each) {
      return each.location == place.location && each.index == place.index;
    });
    if (color == result.colors.end()) {
      raster::ColorOutput fresh;
      fresh.location = place.location;
      fresh.index = place.index;
      fresh.value.fill(raster::Component::open());
      result.colors.push_back(fresh);
      color = std::prev(result.colors.end());
    }
    color->value[place.component & 3] = componentOf(output, place.location);
  }
  if (std::optional<double> depth = numberOf(lane, BuiltIn::FragDepth, 0))
    result.depth = raster::Component::point(*depth);
  result.stencilReference = bitsOf(lane, BuiltIn::FragStencilRefEXT);
  result.sampleMask = bitsOf(lane, BuiltIn::SampleMask);
  return result;
}

/// Runs the quads in waves of whole quads; four lanes are one quad.
Error IrShaders::runFragments(const raster::FragmentPrimitive &primitive,
                              ArrayRef<raster::Quad> quads,
                              MutableArrayRef<raster::FragmentOutput> outputs) {
  if (m_parts.readsPrimitiveId)
    if (Error error = shadeProvoking(primitive))
      return error;
  size_t step = m_parts.fragment->waveSize() / 4;
  const GraphicsState &state = m_parts.pipeline.description.graphics;
  unsigned samples = state.multisample.samples;
  const StageRows &rows = m_parts.fragment->rows();
  FragmentHardware::Stage stage{rows, gcn::readPixelRegisters(rows.registers), samples};
  for (size_t first = 0; first < quads.size(); first += step) {
    ArrayRef<raster::Quad> own = quads.slice(first, std::min(step, quads.size() - first));
    FragmentStageInputs inputs(primitive, m_vertices, own, samples);
    FragmentHardware hardware(stage, primitive, m_vertices, own);
    StageWave wave{inputs, hardware, std::vector<StageOutputs>(own.size() * 4)};
    for (auto [number, lane] : enumerate(wave.lanes))
      lane.isHelper = lane.beginsAsHelper = own[number / 4].fragments[number % 4].isHelper;
    if (Error error = m_parts.fragment->run(wave, m_parts.outcome))
      return error;
    for (auto [number, lane] : enumerate(wave.lanes))
      outputs[first * 4 + number] =
          lane.exports.empty() || lane.isKilled
              ? takeFragment(lane)
              : takeFragmentExports(stage.registers, state, wave.lanes, unsigned(number));
  }
  return Error::success();
}

// --- Draws

IrDraws::IrDraws(const Case &input, const TargetInfo &target, const RunOptions &options)
    : m_input(input), m_target(target), m_options(options), m_addresses(simt::placeBuffers(input)),
      m_attachments(input), m_programs(input.pipelines.size()) {}

/// Whether \p entry writes memory that other invocations see.
static bool writesMemory(const Function &entry) {
  auto isPrivate = [](const Value *pointer) { // Of the lane, or of its workgroup.
    unsigned space = pointer->getType()->getPointerAddressSpace();
    return space == 5 || space == 3;
  };
  constexpr StringLiteral writers[] = {"lgc.image.store", "lgc.image.atomic", "lgc.texel.store",
                                       "lgc.texel.atomic"};
  return any_of(instructions(entry), [&](const Instruction &instruction) {
    if (const auto *store = dyn_cast<StoreInst>(&instruction))
      return !isPrivate(store->getPointerOperand());
    const auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    return isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction) ||
           (callee &&
            any_of(writers, [&](StringRef name) { return callee->getName().starts_with(name); }));
  });
}

/// Whether \p entry has a use of PrimitiveId, as a built-in or as a register that a pass has made
/// of it.
static bool readsPrimitiveId(const Function &entry) {
  return any_of(instructions(entry), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    const auto *number = callee && !call->use_empty() && call->arg_size()
                             ? dyn_cast<ConstantInt>(call->getArgOperand(0))
                             : nullptr;
    if (!number)
      return false;
    if (callee->getName().starts_with("lgc.stage.input"))
      return number->getZExtValue() == primitiveIdInput;
    return callee->getName() == "lgc.read.stage.built.in" &&
           number->getZExtValue() == static_cast<uint64_t>(BuiltIn::PrimitiveId);
  });
}

/// A vertex shader that reads PrimitiveId runs twice for some vertices, so that it may not write
/// memory either.
Error IrDraws::load(size_t number, StringRef text) {
  const ResourceLayout &layout = m_input.pipelines[number].description.layout;
  Expected<std::vector<StageImage>> stages = loadStages(text, layout, m_target);
  if (!stages)
    return stages.takeError();
  Program &program = m_programs[number];
  for (StageImage &stage : *stages) {
    bool isVertex = stage.stage == ShaderStage::Vertex;
    if (!isVertex && stage.stage != ShaderStage::Fragment)
      return unsupported("IR: " + getStageName(stage.stage) + " shaders");
    if (!isVertex && writesMemory(*stage.image.entry))
      return unsupported("IR: memory writes of fragment shaders");
    if (isVertex && readsPrimitiveId(*stage.image.entry) && writesMemory(*stage.image.entry))
      return unsupported("IR: PrimitiveId from a vertex shader that writes memory");
    (isVertex ? program.vertex : program.fragment) = std::move(stage);
  }
  if (!program.vertex)
    return invalidInput("IR: a graphics pipeline without a vertex shader");
  return Error::success();
}

/// Attachments are written back only where the whole draw ended well.
Expected<bool> IrDraws::draw(const Draw &draw, std::vector<BufferState> &buffers,
                             Outcome &outcome) {
  const CasePipeline &pipeline = m_input.pipelines[draw.pipeline];
  Program &program = m_programs[draw.pipeline];
  auto descriptors = gcn::makeDescriptors(m_input, pipeline, m_addresses, m_target.major);
  if (!descriptors)
    return descriptors.takeError();
  auto vertices = listVertices(draw, pipeline, buffers);
  if (!vertices)
    return vertices.takeError();
  auto framebuffer = m_attachments.open(pipeline, buffers);
  if (!framebuffer)
    return endUnsupported(framebuffer.takeError(), outcome);
  StageRun vertex(
      {*program.vertex, m_target, pipeline, *descriptors, m_addresses, buffers, m_options});
  std::optional<StageRun> fragment;
  if (program.fragment)
    fragment.emplace(StageRun::Setup{*program.fragment, m_target, pipeline, *descriptors,
                                     m_addresses, buffers, m_options});
  IrShaders shaders({draw, pipeline, buffers, vertex, fragment ? &*fragment : nullptr,
                     readsPrimitiveId(*program.vertex->image.entry), m_target.major >= 11,
                     outcome});
  raster::DrawInput request;
  request.state = &pipeline.description.graphics;
  request.vertices = *vertices;
  request.instanceCount = draw.instanceCount;
  request.isDefinite = true;
  request.hasFragmentShader = program.fragment.has_value();
  request.earlyTests = program.fragment && program.fragment->earlyFragmentTests;
  request.perSample =
      program.fragment && (program.fragment->sampleShading ||
                           gcn::readPixelRegisters(program.fragment->rows.registers).isPerSample);
  outcome.subgroupSize = vertex.waveSize();
  Error error = raster::drawPrimitives(request, shaders, *framebuffer);
  if (vertex.hasStopped() || (fragment && fragment->hasStopped())) {
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

/// False ends the case with the outcome that was set: a clear that is not supported.
Expected<bool> IrDraws::clear(const Clear &clear, std::vector<BufferState> &buffers,
                              Outcome &outcome) {
  const CasePipeline &pipeline = m_input.pipelines[clear.pipeline];
  if (Error error = clearTargets(clear, pipeline, m_attachments, buffers))
    return endUnsupported(std::move(error), outcome);
  settleTexels(pipeline, buffers);
  return true;
}
