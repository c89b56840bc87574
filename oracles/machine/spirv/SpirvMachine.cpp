// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/SpirvMachine.h"

#include "oracles/api/OpenTexels.h"
#include "oracles/machine/Attachments.h"
#include "oracles/machine/CaseRun.h"
#include "oracles/machine/spirv/Decoder.h"
#include "oracles/machine/spirv/Execution.h"
#include "oracles/machine/spirv/Tangle.h"
#include "oracles/machine/spirv/draw/DrawRun.h"
#include "oracles/machine/spirv/draw/TexelHistory.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <thread>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// The programs of a pipeline: one of compute, or vertex and perhaps fragment.
struct PipelinePrograms {
  std::vector<std::unique_ptr<Program>> stages;

  /// Returns null for a stage that the pipeline lacks.
  const Program *find(ShaderStage stage) const {
    auto found = find_if(stages, [&](const auto &each) { return each->stage == stage; });
    return found == stages.end() ? nullptr : found->get();
  }
};
using Programs = std::vector<PipelinePrograms>;

/// Runs a case under several schedules where the order may matter, and merges what they leave.
class SpirvMachine : public Machine {
public:
  explicit SpirvMachine(const SpirvMachineOptions &options) : m_options(options) {}
  StringRef name() const override { return getReferenceName(m_options.precision); }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  SpirvMachineOptions m_options;
};

/// One run of a whole case under one schedule.
struct ScheduledRun {
  const Case &input;
  const Programs &programs;
  RunOptions options;
  unsigned schedule;
  TexelInspection *inspection;
  bool sawAtomics = false;
  std::string imprecision = {}; ///< Of fragment shaders: FragmentRun::imprecision().
  Attachments attachments = Attachments(input);

  Expected<bool> dispatch(const Dispatch &dispatch, std::vector<BufferState> &states,
                          Outcome &outcome);
  Expected<bool> draw(const Draw &draw, std::vector<BufferState> &states, Outcome &outcome);
  Expected<bool> clear(const Clear &clear, std::vector<BufferState> &states);

private:
  using Buffers = std::vector<std::unique_ptr<BufferMemory>>;
  std::vector<View> makeViews(const Program &program, const CasePipeline &pipeline,
                              Buffers &buffers) const;
  Buffers openBuffers(const CasePipeline &pipeline, ArrayRef<BufferState> states,
                      uint32_t granule) const;
  std::unique_ptr<Execution> openStage(const Program &program, const CasePipeline &pipeline,
                                       Buffers &buffers, bool hasEffects) const;
  template <typename Run> bool noteEnding(const Run &run, Outcome &outcome);
};
} // namespace

/// Where neither the shader nor the options ask for a size.
static constexpr uint32_t DefaultSubgroupSize = 64;

/// Whether \p binding binds what \p slot declares. Push constants match each other.
static bool matches(const DescriptorSlot &slot, const BufferBinding &binding) {
  if (slot.pushConstant || binding.kind == BindingKind::PushConstant)
    return slot.pushConstant && binding.kind == BindingKind::PushConstant;
  return slot.set == binding.set && slot.binding == binding.binding &&
         slot.arrayElement == binding.arrayElement;
}

/// Kinds that a block can be bound to.
static bool isBufferKind(BindingKind kind) {
  return kind == BindingKind::Storage || kind == BindingKind::Uniform ||
         kind == BindingKind::PushConstant;
}

/// See View::variable. All variables that are Aliased may meet, and so may the elements of one
/// binding.
static uint32_t nameVariable(const DescriptorSlot &slot, const BufferBinding &binding,
                             ArrayRef<BufferBinding> bindings) {
  auto isSamePlace = [&](const BufferBinding &other) {
    return other.kind != BindingKind::PushConstant && other.set == binding.set &&
           other.binding == binding.binding;
  };
  bool isShared = any_of(bindings, [&](const BufferBinding &other) {
    return other.kind != BindingKind::PushConstant && other.kind != BindingKind::Sampler &&
           other.buffer == binding.buffer && !isSamePlace(other);
  });
  if (!isShared || slot.pushConstant)
    return 0;
  constexpr uint32_t aliased = 1;
  auto first = static_cast<uint32_t>(find_if(bindings, isSamePlace) - bindings.begin());
  return slot.isAliased ? aliased : aliased + 1 + first;
}

/// The view of an image, a sampler, or both. Pointers to texels count from its buffer's start.
static View imageViewOf(const Program &program, const DescriptorSlot &slot, const Case &input,
                        const CasePipeline &pipeline,
                        std::vector<std::unique_ptr<BufferMemory>> &buffers) {
  View view;
  for (const BufferBinding &binding : pipeline.bindings) {
    if (!matches(slot, binding))
      continue;
    BufferMemory *memory =
        binding.buffer < buffers.size() ? buffers[binding.buffer].get() : nullptr;
    ImageBinding image = bindImage(program.module, program.module.type(slot.type), input, binding,
                                   memory, pipeline.description.robustness);
    if (image.problem.empty() && image.image) {
      view.buffer = memory;
      view.offset = image.image->firstByte;
      view.range = image.image->isBuffer
                       ? uint64_t(image.image->shape.width) * image.image->format->bytes
                       : memory->size();
      view.robustness = pipeline.description.robustness;
      if (image.image->isBuffer)
        view.variable = image.image->variable = nameVariable(slot, binding, pipeline.bindings);
    }
    view.descriptor = std::make_shared<const ImageBinding>(std::move(image));
  }
  return view;
}

/// Robust accesses may be checked against a range rounded up to these: the largest values of
/// robustUniformBufferAccessSizeAlignment and robustStorageBufferAccessSizeAlignment.
static constexpr uint64_t UniformSizeAlignment = 256, StorageSizeAlignment = 4;

/// A view of a buffer; push constants are no buffer, so that no robustness reaches them.
static View viewOf(const DescriptorSlot &slot, ArrayRef<BufferBinding> bindings,
                   std::vector<std::unique_ptr<BufferMemory>> &buffers, Robustness robustness) {
  View view;
  view.robustness = slot.pushConstant ? Robustness::None : robustness;
  for (const BufferBinding &binding : bindings) {
    if (!matches(slot, binding))
      continue;
    if (!isBufferKind(binding.kind))
      view.isWrongKind = true;
    if (!isBufferKind(binding.kind) || binding.buffer >= buffers.size())
      continue;
    view.buffer = buffers[binding.buffer].get();
    view.variable = nameVariable(slot, binding, bindings);
    uint64_t size = view.buffer->size();
    view.offset = std::min(binding.offset, size);
    view.range = std::min(binding.range, size - view.offset);
    uint64_t alignment =
        binding.kind == BindingKind::Uniform ? UniformSizeAlignment : StorageSizeAlignment;
    view.slack = alignTo(view.range, alignment) - view.range;
  }
  return view;
}

/// Device addresses of this machine. They differ in both words from one schedule to the next, so
/// that no byte which depends on them passes for known.
static uint64_t addressOf(unsigned schedule, unsigned buffer) {
  uint64_t base = (uint64_t(buffer) + 1) << 36 | 1 << 20;
  return schedule & 1 ? base | uint64_t(1) << 35 | 1 << 21 : base;
}

/// Where the buffers lie whose addresses the case asks for.
static std::vector<DeviceRange> deviceRanges(const Case &input, unsigned schedule,
                                             ArrayRef<std::unique_ptr<BufferMemory>> buffers) {
  std::vector<DeviceRange> ranges;
  for (const AddressPatch &patch : input.addresses)
    ranges.push_back({addressOf(schedule, patch.target), buffers[patch.target]->size(),
                      buffers[patch.target].get()});
  return ranges;
}

/// One view per descriptor of the program, in its order.
std::vector<View> ScheduledRun::makeViews(const Program &program, const CasePipeline &pipeline,
                                          Buffers &buffers) const {
  std::vector<View> views;
  views.reserve(program.descriptors.size());
  for (const DescriptorSlot &slot : program.descriptors)
    views.push_back(program.module.type(slot.type).kind == spirv::TypeKind::Struct
                        ? viewOf(slot, pipeline.bindings, buffers, pipeline.description.robustness)
                        : imageViewOf(program, slot, input, pipeline, buffers));
  return views;
}

/// The buffers that \p pipeline can reach. \p granule: of race detection, 0 for none.
ScheduledRun::Buffers ScheduledRun::openBuffers(const CasePipeline &pipeline,
                                                ArrayRef<BufferState> states,
                                                uint32_t granule) const {
  Buffers buffers(states.size());
  auto open = [&](unsigned index) {
    if (index >= states.size() || buffers[index])
      return;
    uint32_t own = granule ? std::min(granule, texelGranule(input.buffers[index])) : 0;
    buffers[index] = std::make_unique<BufferMemory>(states[index], own);
  };
  for (const BufferBinding &binding : pipeline.bindings)
    open(binding.buffer);
  for (const VertexBuffer &vertex : pipeline.draw.vertexBuffers)
    open(vertex.buffer);
  for (const AddressPatch &patch : input.addresses)
    open(patch.target);
  return buffers;
}

/// False when \p run, an Execution or a FragmentRun, did not come to its end, which \p outcome says
/// then.
template <typename Run> bool ScheduledRun::noteEnding(const Run &run, Outcome &outcome) {
  outcome.instructions += run.instructions();
  sawAtomics |= run.sawAtomics();
  if (run.ending().kind == OutcomeKind::Completed)
    return true;
  outcome.kind = run.ending().kind;
  outcome.reason = run.ending().reason;
  outcome.findings = run.ending().findings;
  return false;
}

/// Writes the buffers that were open back into \p states.
static void exportBuffers(ArrayRef<std::unique_ptr<BufferMemory>> buffers,
                          std::vector<BufferState> &states) {
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i])
      buffers[i]->exportTo(states[i]);
}

/// Runs one dispatch on \p states. False: the run ended there.
Expected<bool> ScheduledRun::dispatch(const Dispatch &dispatch, std::vector<BufferState> &states,
                                      Outcome &outcome) {
  const Program &program = *programs[dispatch.pipeline].stages.front();
  const CasePipeline &pipeline = input.pipelines[dispatch.pipeline];
  uint64_t invocations = uint64_t(dispatch.groups[0]) * dispatch.groups[1] * dispatch.groups[2] *
                         program.getInvocationsPerGroup();
  Buffers buffers = openBuffers(pipeline, states, invocations > 1 ? program.granule : 0);
  uint32_t required = pipeline.description.getShader(ShaderStage::Compute).requiredSubgroupSize;
  uint32_t subgroupSize = required               ? required
                          : options.subgroupSize ? options.subgroupSize
                                                 : DefaultSubgroupSize;
  if (!isPowerOf2_32(subgroupSize) || subgroupSize > MaxSubgroupSize)
    return unsupported("subgroup size " + Twine(subgroupSize));
  Execution execution(program, makeViews(program, pipeline, buffers),
                      {options.maxInstructions, options.seed, schedule, subgroupSize});
  execution.setDeviceRanges(deviceRanges(input, schedule, buffers));
  execution.run(dispatch.groups);
  if (!noteEnding(execution, outcome))
    return false;
  exportBuffers(buffers, states);
  return true;
}

/// Keeps the history of the inspected texel in schedule 0 only.
Expected<bool> ScheduledRun::clear(const Clear &clear, std::vector<BufferState> &states) {
  const CasePipeline &pipeline = input.pipelines[clear.pipeline];
  std::optional<TexelHistory> history;
  if (inspection && schedule == 0) {
    Expected<raster::Framebuffer> framebuffer = attachments.open(pipeline, states);
    if (!framebuffer)
      return framebuffer.takeError();
    history.emplace(*inspection, pipeline, *framebuffer, clear.line);
    history->beforeClear();
  }
  if (Error error = clearTargets(clear, pipeline, attachments, states))
    return std::move(error);
  if (history) {
    Expected<raster::Framebuffer> framebuffer = attachments.open(pipeline, states);
    if (!framebuffer)
      return framebuffer.takeError();
    history->afterClear(*framebuffer);
  }
  return true;
}

/// An Execution of a stage of a draw; its "subgroup" is a vertex, or a quad.
std::unique_ptr<Execution> ScheduledRun::openStage(const Program &program,
                                                   const CasePipeline &pipeline, Buffers &buffers,
                                                   bool hasEffects) const {
  uint32_t subgroupSize = program.stage == ShaderStage::Fragment ? 4 : 1;
  auto run = std::make_unique<Execution>(
      program, makeViews(program, pipeline, buffers),
      ExecutionOptions{options.maxInstructions, options.seed, schedule, subgroupSize});
  run->setDeviceRanges(deviceRanges(input, schedule, buffers));
  if (!hasEffects)
    run->expectNoWrites();
  return run;
}

/// Vertex buffers without a binding in the state are left out.
static DrawSetup makeSetup(const Draw &draw, const CasePipeline &pipeline,
                           ArrayRef<std::unique_ptr<BufferMemory>> buffers) {
  const GraphicsState &state = pipeline.description.graphics;
  DrawSetup setup;
  setup.state = &state;
  for (const VertexBuffer &source : pipeline.draw.vertexBuffers)
    for (const VertexInputBinding &layout : state.input.bindings)
      if (layout.binding == source.binding)
        setup.sources.push_back({&layout, buffers[source.buffer].get(), source.offset});
  setup.firstInstance = draw.firstInstance;
  setup.baseVertex = draw.indexed ? draw.vertexOffset : static_cast<int32_t>(draw.firstVertex);
  setup.samples = state.multisample.samples;
  setup.robustness = pipeline.description.robustness;
  return setup;
}

/// Instructions of all fragments of a draw: machines that run code count those of waves, of up to
/// 64 fragments.
static uint64_t getFragmentInstructions(const RunOptions &options) {
  constexpr uint64_t MostLanes = 64;
  return options.maxInstructions > ~uint64_t(0) / MostLanes ? options.maxInstructions
                                                            : options.maxInstructions * MostLanes;
}

/// Refuses a draw that would read its own targets.
static Error verifyInputAttachments(const Program &program, const CasePipeline &pipeline) {
  auto isTarget = [&](unsigned buffer) {
    return (pipeline.draw.depthStencil && pipeline.draw.depthStencil->buffer == buffer) ||
           any_of(pipeline.draw.color, [&](const std::optional<Attachment> &color) {
             return color && color->buffer == buffer;
           });
  };
  for (const DescriptorSlot &slot : program.descriptors) {
    const spirv::Type &type = program.module.type(slot.type);
    if (type.kind != spirv::TypeKind::Image || type.image.dim != spv::Dim::SubpassData)
      continue;
    for (const BufferBinding &binding : pipeline.bindings)
      if (matches(slot, binding) && isTarget(binding.buffer))
        return unsupported("an input attachment that is a target of the same draw");
  }
  return Error::success();
}

/// Runs one draw on \p states. False: the run ended there. Fragments use threads only where no
/// shader of the draw has effects.
Expected<bool> ScheduledRun::draw(const Draw &draw, std::vector<BufferState> &states,
                                  Outcome &outcome) {
  const CasePipeline &pipeline = input.pipelines[draw.pipeline];
  const GraphicsState &state = pipeline.description.graphics;
  const Program *vertex = programs[draw.pipeline].find(ShaderStage::Vertex);
  const Program *fragment = programs[draw.pipeline].find(ShaderStage::Fragment);
  if (!vertex)
    return endUnsupported(unsupported("a draw without a vertex shader"), outcome);
  if (Error error = fragment ? verifyInputAttachments(*fragment, pipeline) : Error::success())
    return endUnsupported(std::move(error), outcome);
  Expected<std::vector<raster::DrawVertex>> vertices = listVertices(draw, pipeline, states);
  if (!vertices)
    return vertices.takeError();
  Expected<raster::Framebuffer> framebuffer = attachments.open(pipeline, states);
  if (!framebuffer)
    return endUnsupported(framebuffer.takeError(), outcome);
  bool hasEffects = vertex->hasEffects || (fragment && fragment->hasEffects);
  uint32_t granule = hasEffects ? std::min(vertex->granule, fragment ? fragment->granule : 4) : 0;
  Buffers buffers = openBuffers(pipeline, states, granule);
  std::unique_ptr<Execution> vertexRun = openStage(*vertex, pipeline, buffers, hasEffects);
  std::vector<std::unique_ptr<Execution>> fragmentRuns;
  unsigned threads = !fragment ? 0 : hasEffects ? 1 : std::max(options.threads, 1u);
  while (fragmentRuns.size() < threads)
    fragmentRuns.push_back(openStage(*fragment, pipeline, buffers, hasEffects));
  DrawSetup setup = makeSetup(draw, pipeline, buffers);
  DrawShaders shaders(setup, *vertexRun, std::move(fragmentRuns), getFragmentInstructions(options));
  raster::DrawInput request;
  request.state = &state;
  request.vertices = *vertices;
  request.instanceCount = draw.instanceCount;
  request.hasFragmentShader = fragment != nullptr;
  request.earlyTests = fragment && fragment->hasEarlyTests;
  request.perSample = fragment && readsSamples(*fragment);
  std::optional<TexelHistory> history;
  if (inspection && schedule == 0) {
    history.emplace(*inspection, pipeline, *framebuffer, draw.line);
    request.observer = &*history;
  }
  Error error = raster::drawPrimitives(request, shaders, *framebuffer);
  bool isGood = noteEnding(*vertexRun, outcome);
  if (const FragmentRun *run = shaders.fragments()) {
    isGood = isGood && noteEnding(*run, outcome);
    if (imprecision.empty())
      imprecision = run->imprecision();
  }
  if (!isGood) {
    consumeError(std::move(error));
    return false;
  }
  if (error)
    return endUnsupported(std::move(error), outcome);
  exportBuffers(buffers, states);
  if (Error error = attachments.close(pipeline, states))
    return endUnsupported(std::move(error), outcome);
  return true;
}

/// The sizes are not compared: the entries have the same offset.
static bool sameInterval(const FloatInterval &a, const FloatInterval &b) {
  return a.lo == b.lo && a.hi == b.hi && a.mayBeNan == b.mayBeNan;
}

/// Marks \p length bytes from \p offset as indeterminate, in a flag per byte.
static void mark(std::vector<bool> &open, uint64_t offset, uint64_t length) {
  for (uint64_t i = offset; i < offset + length && i < open.size(); ++i)
    open[i] = true;
}

/// Fields that differ are open, and so is all that shares a byte with something open.
static void mergeFields(BufferState &into, const BufferState &other, std::vector<bool> &open) {
  auto end = [](const auto &entry) { return (entry.first + entry.second.bits + 7) / 8; };
  auto markFields = [&](const BufferState &state, const BufferState &than) {
    for (const auto &entry : state.fields) {
      auto found = than.fields.find(entry.first);
      bool isSame = found != than.fields.end() && found->second == entry.second;
      if (!isSame)
        mark(open, entry.first / 8, end(entry) - entry.first / 8);
    }
  };
  markFields(into, other);
  markFields(other, into);
  std::erase_if(into.fields, [&](const auto &entry) {
    bool isOpen = false;
    for (uint64_t i = entry.first / 8; i < end(entry) && i < open.size(); ++i)
      isOpen = isOpen || open[i];
    if (isOpen)
      mark(open, entry.first / 8, end(entry) - entry.first / 8);
    return isOpen;
  });
}

/// Whether two alternatives of a texel are the same in all respects.
static bool sameTexel(const BufferState &a, const BufferState &b) {
  auto sameEntry = [](const auto &x, const auto &y) {
    return x.first == y.first && sameInterval(x.second, y.second);
  };
  return a.bytes == b.bytes && a.indeterminate == b.indeterminate && a.fields == b.fields &&
         std::equal(a.intervals.begin(), a.intervals.end(), b.intervals.begin(), b.intervals.end(),
                    sameEntry);
}

/// Texels whose alternatives differ are open.
static void mergeAlternatives(BufferState &into, const BufferState &other,
                              std::vector<bool> &open) {
  for (const auto &[offset, alternatives] : other.alternatives)
    if (!into.alternatives.contains(offset))
      mark(open, offset, alternatives.front().bytes.size());
  std::erase_if(into.alternatives, [&](const auto &entry) {
    auto found = other.alternatives.find(entry.first);
    bool isSame = found != other.alternatives.end() &&
                  std::equal(entry.second.begin(), entry.second.end(), found->second.begin(),
                             found->second.end(), sameTexel);
    uint64_t size = entry.second.front().bytes.size();
    if (!isSame)
      mark(open, entry.first, size);
    return !isSame;
  });
}

/// What two schedules left in a buffer, as one: where they differ, nothing is promised.
static void mergeState(BufferState &into, const BufferState &other) {
  std::vector<bool> open(into.bytes.size());
  for (const auto &[offset, length] : into.indeterminate)
    mark(open, offset, length);
  for (const auto &[offset, length] : other.indeterminate)
    mark(open, offset, length);
  for (size_t i = 0; i < into.bytes.size(); ++i)
    if (into.bytes[i] != other.bytes[i])
      mark(open, i / 4 * 4, 4); // Values are at least compared as dwords.
  for (const auto &[offset, interval] : into.intervals) {
    auto found = other.intervals.find(offset);
    if (found == other.intervals.end() || !sameInterval(interval, found->second))
      mark(open, offset, interval.bytes);
  }
  for (const auto &[offset, interval] : other.intervals)
    if (!into.intervals.contains(offset))
      mark(open, offset, interval.bytes);
  mergeAlternatives(into, other, open);
  mergeFields(into, other, open);
  std::erase_if(into.intervals, [&](const auto &entry) { return open[entry.first]; });
  into.indeterminate.clear();
  for (uint64_t i = 0; i < open.size(); ++i) {
    if (!open[i])
      continue;
    uint64_t first = i;
    while (i < open.size() && open[i])
      ++i;
    into.indeterminate[first] = i - first;
  }
}

/// Both have the same checkpoints: they come from the same commands.
static void mergeOutcome(Outcome &into, const Outcome &other) {
  into.instructions += other.instructions;
  for (size_t checkpoint = 0; checkpoint < into.checkpoints.size(); ++checkpoint)
    for (size_t buffer = 0; buffer < into.checkpoints[checkpoint].size(); ++buffer)
      mergeState(into.checkpoints[checkpoint][buffer], other.checkpoints[checkpoint][buffer]);
}

using RoundedTexels = std::set<std::pair<unsigned, uint64_t>>; ///< As of Attachments.

/// Texels that are one of a few known ones because a nearest filter may take either. Vulkan names
/// them, so that a draw with many of them still says which texels are right.
static uint64_t countListedTexels(const BufferState &state, unsigned buffer,
                                  const RoundedTexels &rounded) {
  return static_cast<uint64_t>(count_if(state.alternatives, [&](const auto &entry) {
    return entry.second.size() <= Execution::MostValues &&
           !rounded.contains({buffer, entry.first}) &&
           all_of(entry.second, [](const BufferState &texel) {
             return texel.intervals.empty() && texel.fields.empty() && texel.indeterminate.empty();
           });
  }));
}

/// One of this many texels of an image may be open; with more, a draw says too little.
static constexpr uint64_t TexelsPerOpenTexel = 100;

/// Turns an outcome that leaves too much of an attachment open into an unsupported one.
static void checkOpenTexels(const Case &input, StringRef imprecision, const RoundedTexels &rounded,
                            Outcome &outcome) {
  std::vector<bool> isDrawn(input.buffers.size());
  for (const CasePipeline &pipeline : input.pipelines) {
    for (const std::optional<Attachment> &color : pipeline.draw.color)
      if (color) {
        isDrawn[color->buffer] = true;
        if (color->resolve)
          isDrawn[*color->resolve] = true;
      }
    if (pipeline.draw.depthStencil)
      isDrawn[pipeline.draw.depthStencil->buffer] = true;
  }
  for (const std::vector<BufferState> &states : outcome.checkpoints)
    for (size_t i = 0; i < states.size(); ++i) {
      if (!isDrawn[i] || !input.buffers[i].image || !input.buffers[i].texelFormat)
        continue;
      TexelCount count = countOpenTexels(input.buffers[i], states[i]);
      count.open -= countListedTexels(states[i], static_cast<unsigned>(i), rounded);
      if (count.open * TexelsPerOpenTexel <= count.all)
        continue;
      outcome.kind = OutcomeKind::Unsupported;
      outcome.reason = "imprecise: " + std::to_string(count.open) + " of " +
                       std::to_string(count.all) + " texels of '" + input.buffers[i].name +
                       "' may have several values";
      if (!imprecision.empty())
        outcome.reason += "; the first branch that depends on rounding: " + imprecision.str();
      return;
    }
}

/// An outcome without checkpoints.
static Outcome unsupportedOutcome(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Unsupported;
  outcome.reason = std::move(reason);
  return outcome;
}

/// The stages that this machine runs.
static constexpr ShaderStage stages[] = {ShaderStage::Compute, ShaderStage::Vertex,
                                         ShaderStage::Fragment};

/// Decodes all pipelines. Unsupported and InvalidInput name the pipeline.
static Expected<Programs> decodePipelines(const Case &input, bool isValidated,
                                          Precision precision) {
  Programs programs;
  programs.reserve(input.pipelines.size());
  for (const CasePipeline &pipeline : input.pipelines) {
    PipelinePrograms &own = programs.emplace_back();
    for (const ShaderDescription &shader : pipeline.description.stages) {
      if (!is_contained(stages, shader.stage))
        return addContext(unsupported(getStageName(shader.stage) + " shaders"),
                          "pipeline '" + pipeline.name + "'");
      if (!isValidated)
        if (Error error = spirv::validate(shader.spirv))
          return addContext(std::move(error), "pipeline '" + pipeline.name + "'");
      Expected<std::unique_ptr<Program>> program = Decoder::decode(shader, precision);
      if (!program)
        return program.takeError();
      own.stages.push_back(std::move(*program));
    }
  }
  return programs;
}

/// Applies planted faults of outcomes; without faults it changes nothing.
static void plantInOutcome(Outcome &outcome) {
  if (!outcome.reason.empty() && faultPlanted(Fault::ReferenceGivesNoReason))
    outcome.reason.clear();
  if (faultPlanted(Fault::ReferenceCountsRuns)) {
    static uint64_t all = 0;
    outcome.instructions = all += outcome.instructions;
  }
}

/// Runs the case under one schedule after the other and merges the outcomes. Stops at the first run
/// that does not complete, and after the first where the order of invocations cannot be observed. A
/// case with addresses runs at least twice where the options permit it. Cases and instructions that
/// the machine does not support end as Unsupported, not as errors.
Expected<Outcome> SpirvMachine::run(const Case &input, ArrayRef<Artifact>,
                                    const RunOptions &options) {
  while (faultPlanted(Fault::ReferenceHang))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (!input.unsupported.empty())
    return unsupportedOutcome(input.unsupported.front().reason);
  Expected<Programs> programs = decodePipelines(input, options.isValidated, m_options.precision);
  if (!programs) {
    ErrorParts parts = takeError(programs.takeError());
    if (faultPlanted(Fault::ReferenceBlamesMachine))
      return environmentError(parts.message);
    if (parts.kind == ErrorKind::Unsupported || parts.kind == ErrorKind::Limit)
      return unsupportedOutcome(parts.message);
    return invalidInput(parts.message);
  }

  Expected<Outcome> result = Outcome();
  std::string imprecision;
  RoundedTexels rounded;
  for (unsigned schedule = 0; schedule < std::max(m_options.schedules, 1u); ++schedule) {
    ScheduledRun run{input, *programs, options, schedule, m_options.inspection};
    Expected<Outcome> outcome = runCommands(
        input,
        [&](const Dispatch &dispatch, std::vector<BufferState> &states, Outcome &into) {
          return run.dispatch(dispatch, states, into);
        },
        [&](unsigned buffer) { return addressOf(schedule, buffer); },
        DrawFunctions{[&](const Draw &draw, std::vector<BufferState> &states, Outcome &into) {
                        return run.draw(draw, states, into);
                      },
                      [&](const Clear &clear, std::vector<BufferState> &states, Outcome &into) {
                        Expected<bool> done = run.clear(clear, states);
                        return done ? std::move(done) : endUnsupported(done.takeError(), into);
                      }});
    if (outcome)
      plantInOutcome(*outcome);
    if (!outcome || outcome->kind != OutcomeKind::Completed)
      return outcome;
    if (imprecision.empty())
      imprecision = run.imprecision;
    rounded.insert(run.attachments.roundedTexels().begin(), run.attachments.roundedTexels().end());
    if (schedule == 0)
      result = std::move(outcome);
    else
      mergeOutcome(*result, *outcome);
    // Without races, only atomics let the order be seen, and two runs show what is an address.
    if (!run.sawAtomics && (input.addresses.empty() || schedule == 1))
      break;
  }
  checkOpenTexels(input, imprecision, rounded, *result);
  return result;
}

std::unique_ptr<Machine> assay::createSpirvMachine(const SpirvMachineOptions &options) {
  return std::make_unique<SpirvMachine>(options);
}
