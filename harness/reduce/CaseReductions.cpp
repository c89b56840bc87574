// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/CaseReductions.h"

#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Chances.h"
#include "support/Overloaded.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using fuzz::Chance;
using fuzz::chancesBelow;
using fuzz::dropElements;

// Commands: index = the command's number.

static std::vector<Chance> findCommands(const Subject &subject) {
  return chancesBelow(subject.input.commands.size());
}

static void dropCommands(Subject &subject, ArrayRef<Chance> chances) {
  dropElements(subject.input.commands, chances);
}

// Pipelines that no command uses: index = the pipeline's number.

/// Offers pipelines without commands; one pipeline always stays.
static std::vector<Chance> findPipelines(const Subject &subject) {
  BitVector used(static_cast<unsigned>(subject.input.pipelines.size()));
  for (const Command &command : subject.input.commands)
    if (std::optional<unsigned> pipeline = getPipeline(command))
      used.set(*pipeline);
  std::vector<Chance> chances;
  for (unsigned i = 0; i < used.size() && used.size() > 1; ++i)
    if (!used[i])
      chances.push_back({0, i});
  // One must stay.
  if (chances.size() == used.size())
    chances.pop_back();
  return chances;
}

/// Also removes the programs of these pipelines, and renumbers the pipelines of commands.
static void dropPipelines(Subject &subject, ArrayRef<Chance> chances) {
  auto renumber = [&](unsigned &number) {
    unsigned old = number;
    number -= static_cast<unsigned>(
        count_if(chances, [&](const Chance &chance) { return chance.index < old; }));
  };
  for (Command &command : subject.input.commands)
    std::visit(Overloaded{[&](Dispatch &dispatch) { renumber(dispatch.pipeline); },
                          [&](Draw &draw) { renumber(draw.pipeline); },
                          [&](Clear &clear) { renumber(clear.pipeline); }, [](BufferCopy &) {},
                          [](Expectation &) {}},
               command);
  std::vector<Chance> programs;
  uint32_t program = 0;
  for (auto [number, pipeline] : enumerate(subject.input.pipelines))
    for (size_t stage = 0; stage < pipeline.description.stages.size(); ++stage, ++program)
      if (any_of(chances, [&](const Chance &chance) { return chance.index == number; }))
        programs.push_back({0, program});
  dropElements(subject.programs, programs);
  dropElements(subject.input.pipelines, chances);
}

// Bindings: at = the pipeline's number, index = the binding's, or OfShader: all that the shader has
// variables for. Those are needed where it is run, and only there.

/// Index of a chance for all bindings that the shader has variables for.
constexpr uint32_t OfShader = ~0u;

/// Whether \p program declares a variable for \p binding.
static bool hasVariable(const fuzz::Program &program, const BufferBinding &binding) {
  return any_of(program.globals, [&](const fuzz::Instruction &global) {
    if (global.opcode != spv::Op::OpVariable)
      return false;
    if (binding.kind == BindingKind::PushConstant)
      return global.word(0) == uint32_t(spv::StorageClass::PushConstant);
    auto is = [&](spv::Decoration decoration, uint32_t number) {
      return fuzz::findDecoration(program, global.result, decoration) == number;
    };
    return is(spv::Decoration::DescriptorSet, binding.set) &&
           is(spv::Decoration::Binding, binding.binding);
  });
}

/// The same for any of \p programs, the stages of a pipeline.
static bool hasVariable(ArrayRef<fuzz::Program> programs, const BufferBinding &binding) {
  return any_of(programs,
                [&](const fuzz::Program &program) { return hasVariable(program, binding); });
}

/// Offers bindings that no shader declares, each by itself, and those of a shader together.
static std::vector<Chance> findBindings(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, pipeline] : enumerate(subject.input.pipelines)) {
    uint32_t at = static_cast<uint32_t>(number);
    size_t before = chances.size();
    for (auto [index, binding] : enumerate(pipeline.bindings))
      if (!hasVariable(programsOf(subject, number), binding))
        chances.push_back({at, static_cast<uint32_t>(index)});
    if (chances.size() - before < pipeline.bindings.size())
      chances.push_back({at, OfShader});
  }
  return chances;
}

/// Bindings that the shader has variables for are removed together or not at all.
static void dropBindings(Subject &subject, ArrayRef<Chance> chances) {
  for (auto [number, pipeline] : enumerate(subject.input.pipelines)) {
    std::vector<Chance> own;
    bool dropsOfShader = false;
    for (const Chance &chance : chances)
      if (chance.at == number && chance.index == OfShader)
        dropsOfShader = true;
      else if (chance.at == number)
        own.push_back(chance);
    dropElements(pipeline.bindings, own);
    if (dropsOfShader)
      erase_if(pipeline.bindings, [&](const BufferBinding &binding) {
        return hasVariable(programsOf(std::as_const(subject), number), binding);
      });
  }
}

// Buffers that nothing names: index = the buffer's number.

/// Offers buffers that nothing refers to.
static std::vector<Chance> findBuffers(const Subject &subject) {
  BitVector used(static_cast<unsigned>(subject.input.buffers.size()));
  forEachBufferUse(subject.input, [&](unsigned number) { used.set(number); });
  std::vector<Chance> chances;
  for (uint32_t i = 0; i < used.size(); ++i)
    if (!used[i])
      chances.push_back({0, i});
  return chances;
}

/// Renumbers the buffers in everything that names one.
static void dropBuffers(Subject &subject, ArrayRef<Chance> chances) {
  forEachBufferNumber(subject.input, [&](unsigned &number) {
    unsigned old = number;
    number -= static_cast<unsigned>(
        count_if(chances, [&](const Chance &chance) { return chance.index < old; }));
  });
  dropElements(subject.input.buffers, chances);
}

// Contents: index = the buffer's number.

/// Offers buffers that are not zero.
static std::vector<Chance> findContents(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, buffer] : enumerate(subject.input.buffers))
    if (any_of(buffer.bytes, [](uint8_t byte) { return byte != 0; }))
      chances.push_back({0, static_cast<uint32_t>(number)});
  return chances;
}

/// Keeps the sizes.
static void zeroContents(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances)
    fill(subject.input.buffers[chance.index].bytes, 0);
}

// Elements that are not 0: at = the buffer, index = the element's number.

/// More elements of a buffer are left as they are: they would only cost time.
constexpr size_t MostElements = 256;

/// Offers elements that are not zero, of buffers with at most MostElements.
static std::vector<Chance> findElements(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, buffer] : enumerate(subject.input.buffers)) {
    size_t stride = std::max(1u, buffer.format.stride);
    size_t count = buffer.bytes.size() / stride;
    for (size_t i = 0; i < count && count <= MostElements; ++i)
      if (any_of(ArrayRef(buffer.bytes).slice(i * stride, stride),
                 [](uint8_t byte) { return byte != 0; }))
        chances.push_back({static_cast<uint32_t>(number), static_cast<uint32_t>(i)});
  }
  return chances;
}

static void zeroElements(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Buffer &buffer = subject.input.buffers[chance.at];
    size_t stride = std::max(1u, buffer.format.stride);
    fill(MutableArrayRef(buffer.bytes).slice(chance.index * stride, stride), 0);
  }
}

// Elements that others move up to: at = the buffer, index = the element's number. What is not 0
// comes nearer to the beginning, where there is only something after the element.

/// Offers elements that others may move to, from the last to the first. Images have none.
static std::vector<Chance> findMoves(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, buffer] : enumerate(subject.input.buffers)) {
    size_t stride = std::max(1u, buffer.format.stride);
    size_t count = buffer.image ? 0 : buffer.bytes.size() / stride;
    for (size_t i = 0; i < count && count <= MostElements; ++i)
      if (any_of(ArrayRef(buffer.bytes).drop_front((i + 1) * stride),
                 [](uint8_t byte) { return byte != 0; }))
        chances.push_back({static_cast<uint32_t>(number), static_cast<uint32_t>(i)});
  }
  std::ranges::reverse(chances); // So that the numbers of the rest stay.
  return chances;
}

/// Removes each element and adds one of zeros at the end, so that the size stays.
static void moveElements(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Buffer &buffer = subject.input.buffers[chance.at];
    size_t stride = std::max(1u, buffer.format.stride);
    auto place = buffer.bytes.begin() + static_cast<ptrdiff_t>(chance.index * stride);
    buffer.bytes.erase(place, place + static_cast<ptrdiff_t>(stride));
    buffer.bytes.resize(buffer.bytes.size() + stride);
  }
}

// Sizes of buffers: index = the buffer's number, value = elements that stay. Smaller cuts come
// first in the list, and are thus tried after larger ones, once these are taken or not.

/// Offers smaller numbers of elements, from the largest to one. Images keep their size.
static std::vector<Chance> findSizes(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, buffer] : enumerate(subject.input.buffers)) {
    size_t count = buffer.bytes.size() / std::max(1u, buffer.format.stride);
    if (buffer.image || count < 2)
      continue;
    size_t last = count;
    for (size_t rest : {count - 1, count - count / 8, count - count / 4, count / 2, size_t(1)})
      if (rest < last) {
        chances.push_back({0, static_cast<uint32_t>(number), static_cast<uint32_t>(rest)});
        last = rest;
      }
  }
  return chances;
}

/// Of several chances for one buffer the smallest size counts.
static void shrinkBuffers(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    Buffer &buffer = subject.input.buffers[chance.index];
    buffer.bytes.resize(std::min<size_t>(
        buffer.bytes.size(), uint64_t(chance.value) * std::max(1u, buffer.format.stride)));
  }
}

// Dispatches: at = the command's number, index = the dimension, value = groups that stay.

/// Offers one group, or half of them, in each dimension of a dispatch.
static std::vector<Chance> findGroups(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, command] : enumerate(subject.input.commands)) {
    const auto *dispatch = std::get_if<Dispatch>(&command);
    for (uint32_t i = 0; dispatch && i < 3; ++i) {
      uint32_t groups = dispatch->groups[i];
      if (groups > 1)
        chances.push_back({static_cast<uint32_t>(number), i, 1});
      if (groups > 3)
        chances.push_back({static_cast<uint32_t>(number), i, groups / 2});
    }
  }
  return chances;
}

/// Of several chances for one dimension the smallest count is taken.
static void shrinkGroups(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    uint32_t &groups = std::get<Dispatch>(subject.input.commands[chance.at]).groups[chance.index];
    groups = std::min(groups, chance.value);
  }
}

// Specialization: at = the pipeline's number, index = the value's, counted over all stages.

/// Numbers the values over all stages of a pipeline.
static std::vector<Chance> findSpecializations(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [number, pipeline] : enumerate(subject.input.pipelines)) {
    uint32_t index = 0;
    for (const ShaderDescription &shader : pipeline.description.stages)
      for (size_t i = 0; i < shader.specialization.size(); ++i)
        chances.push_back({static_cast<uint32_t>(number), index++});
  }
  return chances;
}

/// The numbers are those of findSpecializations().
static void dropSpecializations(Subject &subject, ArrayRef<Chance> chances) {
  for (auto [number, pipeline] : enumerate(subject.input.pipelines)) {
    uint32_t first = 0;
    for (ShaderDescription &shader : pipeline.description.stages) {
      auto end = first + static_cast<uint32_t>(shader.specialization.size());
      std::vector<Chance> own;
      for (const Chance &chance : chances)
        if (chance.at == number && chance.index >= first && chance.index < end)
          own.push_back({chance.at, chance.index - first});
      dropElements(shader.specialization, own);
      first = end;
    }
  }
}

// Features and subgroup sizes that the case asks for.

static std::vector<Chance> findFeatures(const Subject &subject) {
  return chancesBelow(subject.input.features.size());
}

static void dropFeatures(Subject &subject, ArrayRef<Chance> chances) {
  dropElements(subject.input.features, chances);
}

/// Whether the pipeline requires anything of its subgroups.
static bool demandsSubgroups(const CasePipeline &pipeline) {
  return pipeline.fullSubgroups || pipeline.varyingSubgroupSize ||
         any_of(pipeline.description.stages,
                [](const ShaderDescription &shader) { return shader.requiredSubgroupSize != 0; });
}

/// One chance for all demands of the case together.
static std::vector<Chance> findSubgroupDemands(const Subject &subject) {
  bool any =
      !subject.input.subgroupSizes.empty() || any_of(subject.input.pipelines, demandsSubgroups);
  return chancesBelow(any);
}

/// Drops all demands at once.
static void dropSubgroupDemands(Subject &subject, ArrayRef<Chance>) {
  subject.input.subgroupSizes.clear();
  for (CasePipeline &pipeline : subject.input.pipelines) {
    for (ShaderDescription &shader : pipeline.description.stages)
      shader.requiredSubgroupSize = 0;
    pipeline.fullSubgroups = pipeline.varyingSubgroupSize = false;
  }
}

// Addresses, index = the number.

static std::vector<Chance> findAddresses(const Subject &subject) {
  return chancesBelow(subject.input.addresses.size());
}

static void dropAddresses(Subject &subject, ArrayRef<Chance> chances) {
  dropElements(subject.input.addresses, chances);
}

/// In the order in which they are tried.
ArrayRef<CaseReduction> assay::caseReductions() {
  static constexpr CaseReduction rows[] = {
      {"drop-commands", findCommands, dropCommands},
      {"drop-pipelines", findPipelines, dropPipelines},
      {"shrink-dispatches", findGroups, shrinkGroups},
      {"drop-specializations", findSpecializations, dropSpecializations},
      {"zero-contents", findContents, zeroContents},
      {"drop-bindings", findBindings, dropBindings},
      {"drop-addresses", findAddresses, dropAddresses},
      {"drop-buffers", findBuffers, dropBuffers},
      {"shrink-buffers", findSizes, shrinkBuffers},
      {"zero-elements", findElements, zeroElements},
      {"move-elements", findMoves, moveElements},
      {"drop-subgroup-demands", findSubgroupDemands, dropSubgroupDemands},
      {"drop-features", findFeatures, dropFeatures},
  };
  return rows;
}
