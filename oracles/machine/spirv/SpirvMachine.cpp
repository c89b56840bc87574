// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/SpirvMachine.h"

#include "oracles/machine/CaseRun.h"
#include "oracles/machine/spirv/Decoder.h"
#include "oracles/machine/spirv/Execution.h"
#include "oracles/machine/spirv/Tangle.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <thread>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
using Programs = std::vector<std::unique_ptr<Program>>;

class SpirvMachine : public Machine {
public:
  explicit SpirvMachine(const SpirvMachineOptions &options) : m_options(options) {}
  StringRef name() const override { return "spirv"; }
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
  bool sawAtomics = false;

  Expected<bool> dispatch(const Dispatch &dispatch, std::vector<BufferState> &states,
                          Outcome &outcome);
};
} // namespace

static constexpr uint32_t DefaultSubgroupSize = 64;

static bool matches(const DescriptorSlot &slot, const BufferBinding &binding) {
  if (slot.pushConstant || binding.kind == BindingKind::PushConstant)
    return slot.pushConstant && binding.kind == BindingKind::PushConstant;
  return slot.set == binding.set && slot.binding == binding.binding &&
         slot.arrayElement == binding.arrayElement;
}

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

/// Runs one dispatch on \p states. False: the run ended there.
Expected<bool> ScheduledRun::dispatch(const Dispatch &dispatch, std::vector<BufferState> &states,
                                      Outcome &outcome) {
  const Program &program = *programs[dispatch.pipeline];
  const CasePipeline &pipeline = input.pipelines[dispatch.pipeline];
  uint64_t invocations = uint64_t(dispatch.groups[0]) * dispatch.groups[1] * dispatch.groups[2] *
                         program.getInvocationsPerGroup();
  std::vector<std::unique_ptr<BufferMemory>> buffers(states.size());
  auto open = [&](unsigned index) {
    if (index >= states.size() || buffers[index])
      return;
    uint32_t granule = std::min(program.granule, texelGranule(input.buffers[index]));
    buffers[index] = std::make_unique<BufferMemory>(states[index], invocations > 1 ? granule : 0);
  };
  for (const BufferBinding &binding : pipeline.bindings)
    open(binding.buffer);
  for (const AddressPatch &patch : input.addresses)
    open(patch.target);
  std::vector<View> views;
  views.reserve(program.descriptors.size());
  for (const DescriptorSlot &slot : program.descriptors)
    views.push_back(program.module.type(slot.type).kind == spirv::TypeKind::Struct
                        ? viewOf(slot, pipeline.bindings, buffers, pipeline.description.robustness)
                        : imageViewOf(program, slot, input, pipeline, buffers));

  uint32_t required = pipeline.description.getShader(ShaderStage::Compute).requiredSubgroupSize;
  uint32_t subgroupSize = required               ? required
                          : options.subgroupSize ? options.subgroupSize
                                                 : DefaultSubgroupSize;
  if (!isPowerOf2_32(subgroupSize) || subgroupSize > MaxSubgroupSize)
    return unsupported("subgroup size " + Twine(subgroupSize));
  Execution execution(program, std::move(views),
                      {options.maxInstructions, options.seed, schedule, subgroupSize});
  execution.setDeviceRanges(deviceRanges(input, schedule, buffers));
  bool completed = execution.run(dispatch.groups);
  outcome.instructions += execution.instructions();
  sawAtomics |= execution.sawAtomics();
  if (!completed) {
    outcome.kind = execution.ending().kind;
    outcome.reason = execution.ending().reason;
    outcome.findings = execution.ending().findings;
    return false;
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i])
      buffers[i]->exportTo(states[i]);
  return true;
}

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

static void mergeOutcome(Outcome &into, const Outcome &other) {
  into.instructions += other.instructions;
  for (size_t checkpoint = 0; checkpoint < into.checkpoints.size(); ++checkpoint)
    for (size_t buffer = 0; buffer < into.checkpoints[checkpoint].size(); ++buffer)
      mergeState(into.checkpoints[checkpoint][buffer], other.checkpoints[checkpoint][buffer]);
}

static Outcome unsupportedOutcome(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Unsupported;
  outcome.reason = std::move(reason);
  return outcome;
}

/// Decodes all pipelines. Unsupported and InvalidInput name the pipeline.
static Expected<Programs> decodePipelines(const Case &input, bool isValidated) {
  Programs programs;
  programs.reserve(input.pipelines.size());
  for (const CasePipeline &pipeline : input.pipelines) {
    Expected<const ShaderDescription *> shader = requireCompute(pipeline.description);
    if (!shader)
      return addContext(shader.takeError(), "pipeline '" + pipeline.name + "'");
    if (!isValidated)
      if (Error error = spirv::validate((*shader)->spirv))
        return addContext(std::move(error), "pipeline '" + pipeline.name + "'");
    Expected<std::unique_ptr<Program>> program = Decoder::decode(**shader);
    if (!program)
      return program.takeError();
    programs.push_back(std::move(*program));
  }
  return programs;
}

static void plantInOutcome(Outcome &outcome) {
  if (!outcome.reason.empty() && faultPlanted(Fault::ReferenceGivesNoReason))
    outcome.reason.clear();
  if (faultPlanted(Fault::ReferenceCountsRuns)) {
    static uint64_t all = 0;
    outcome.instructions = all += outcome.instructions;
  }
}

Expected<Outcome> SpirvMachine::run(const Case &input, ArrayRef<Artifact>,
                                    const RunOptions &options) {
  while (faultPlanted(Fault::ReferenceHang))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (!input.unsupported.empty())
    return unsupportedOutcome(input.unsupported.front().reason);
  Expected<Programs> programs = decodePipelines(input, options.isValidated);
  if (!programs) {
    ErrorParts parts = takeError(programs.takeError());
    if (faultPlanted(Fault::ReferenceBlamesMachine))
      return environmentError(parts.message);
    if (parts.kind == ErrorKind::Unsupported || parts.kind == ErrorKind::Limit)
      return unsupportedOutcome(parts.message);
    return invalidInput(parts.message);
  }

  Expected<Outcome> result = Outcome();
  for (unsigned schedule = 0; schedule < std::max(m_options.schedules, 1u); ++schedule) {
    ScheduledRun run{input, *programs, options, schedule};
    Expected<Outcome> outcome = runCommands(
        input,
        [&](const Dispatch &dispatch, std::vector<BufferState> &states, Outcome &into) {
          return run.dispatch(dispatch, states, into);
        },
        [&](unsigned buffer) { return addressOf(schedule, buffer); });
    if (outcome)
      plantInOutcome(*outcome);
    if (!outcome || outcome->kind != OutcomeKind::Completed)
      return outcome;
    if (schedule == 0)
      result = std::move(outcome);
    else
      mergeOutcome(*result, *outcome);
    // Without races, only atomics let the order be seen, and two runs show what is an address.
    if (!run.sawAtomics && (input.addresses.empty() || schedule == 1))
      break;
  }
  return result;
}

std::unique_ptr<Machine> assay::createSpirvMachine(const SpirvMachineOptions &options) {
  return std::make_unique<SpirvMachine>(options);
}
