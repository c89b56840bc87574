// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/CaseDifference.h"

#include "oracles/input/DataTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <optional>
#include <tuple>
#include <variant>

using namespace llvm;
using namespace assay;

namespace {
/// One thing that must be the same, by name.
struct Row {
  bool isSame;
  const char *name;
};
} // namespace

/// Returns the name of the first row that differs, "" if none does.
static std::string firstDifference(ArrayRef<Row> rows) {
  for (const Row &row : rows)
    if (!row.isSame)
      return row.name;
  return "";
}

/// Returns the members of an image's shape, for comparison.
static auto shapeOf(const ImageShape &shape) {
  return std::tuple(shape.dimension, shape.width, shape.height, shape.depth, shape.layers,
                    shape.mipLevels, shape.samples);
}

/// Names and element formats do not count: only bytes, texel format and image shape can be seen.
static std::string compareBuffers(const Buffer &a, const Buffer &b) {
  bool sameImage = a.image.has_value() == b.image.has_value() &&
                   (!a.image || shapeOf(*a.image) == shapeOf(*b.image));
  return firstDifference({{a.bytes == b.bytes, "bytes"},
                          {a.texelFormat == b.texelFormat, "texel format"},
                          {sameImage, "image"}});
}

/// Returns all values of \p sampler except its name.
static auto valuesOf(const Sampler &sampler) {
  return std::tuple(sampler.magFilter, sampler.minFilter, sampler.mipFilter, sampler.address[0],
                    sampler.address[1], sampler.address[2], sampler.border, sampler.minLod,
                    sampler.maxLod, sampler.lodBias, sampler.normalized, sampler.compare);
}

/// Each compare function returns what differs, or nothing.
static std::string compareSamplers(const Sampler &a, const Sampler &b) {
  return valuesOf(a) == valuesOf(b) ? "" : "values";
}

static std::string compareAddresses(const AddressPatch &a, const AddressPatch &b) {
  auto valuesOf = [](const AddressPatch &patch) {
    return std::tuple(patch.target, patch.buffer, patch.offset, patch.targetOffset);
  };
  return valuesOf(a) == valuesOf(b) ? "" : "values";
}

/// The bindings by set and number; a range to the end is as long as that.
static auto bindingsOf(const CasePipeline &pipeline, const Case &input) {
  using Binding = std::tuple<bool, uint32_t, uint32_t, uint32_t, BindingKind, unsigned, uint64_t,
                             uint64_t, unsigned, uint32_t>;
  std::vector<Binding> bindings;
  for (const BufferBinding &each : pipeline.bindings) {
    bool hasBuffer = each.kind != BindingKind::Sampler;
    uint64_t size = hasBuffer ? input.buffers[each.buffer].bytes.size() : 0;
    uint64_t range = each.range == ~0ull ? size - std::min(size, each.offset) : each.range;
    bindings.emplace_back(each.kind == BindingKind::PushConstant, each.set, each.binding,
                          each.arrayElement, each.kind, hasBuffer ? each.buffer : 0, each.offset,
                          range, each.sampler, each.baseMipLevel);
  }
  llvm::sort(bindings);
  return bindings;
}

/// What a graphics pipeline draws from and into.
static auto resourcesOf(const CasePipeline &pipeline) {
  std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> numbers;
  const DrawResources &draw = pipeline.draw;
  auto add = [&](const std::optional<Attachment> &attachment) {
    constexpr uint64_t None = ~0ull;
    numbers.emplace_back(attachment ? attachment->buffer : None,
                         attachment ? attachment->mipLevel : None,
                         attachment && attachment->resolve ? *attachment->resolve : None);
  };
  numbers.emplace_back(draw.width, draw.height, draw.color.size());
  for (const std::optional<Attachment> &color : draw.color)
    add(color);
  add(draw.depthStencil);
  for (const VertexBuffer &vertices : draw.vertexBuffers)
    numbers.emplace_back(vertices.binding, vertices.buffer, vertices.offset);
  if (draw.indexBuffer)
    numbers.emplace_back(draw.indexBuffer->buffer, draw.indexBuffer->indexBytes, 0);
  return numbers;
}

/// What each instruction is and how long, without its operands.
static std::vector<uint32_t> instructionsOf(ArrayRef<uint32_t> spirv) {
  constexpr size_t HeaderWords = 5;
  std::vector<uint32_t> firstWords;
  for (size_t at = HeaderWords; at < spirv.size(); at += std::max(1u, spirv[at] >> 16))
    firstWords.push_back(spirv[at]);
  return firstWords;
}

/// Compares SPIR-V by version and by the opcode and length of each instruction; ids may differ.
static std::string compareShaders(const ShaderDescription &a, const ShaderDescription &b) {
  bool sameConstants = all_of_zip(a.specialization, b.specialization,
                                  [](const SpecializationValue &x, const SpecializationValue &y) {
                                    return x.id == y.id && x.bits == y.bits;
                                  });
  bool sameVersion = a.spirv.size() < 2 || b.spirv.size() < 2 || a.spirv[1] == b.spirv[1];
  return firstDifference(
      {{a.spirv.size() == b.spirv.size(), "words of SPIR-V"},
       {sameVersion, "version of SPIR-V"},
       {instructionsOf(a.spirv) == instructionsOf(b.spirv), "instructions of SPIR-V"},
       {a.entryPoint == b.entryPoint, "entry point"},
       {sameConstants, "specialization constants"},
       {a.requiredSubgroupSize == b.requiredSubgroupSize, "required subgroup size"}});
}

namespace {
using DispatchStep = std::tuple<unsigned, uint32_t, uint32_t, uint32_t>;
/// Of a Draw: numbers in the order of its members.
using DrawStep = std::tuple<unsigned, bool, uint32_t, uint32_t, uint32_t, uint32_t, int32_t>;
/// Of a Clear: the pipeline, bits of colour and depth, and the stencil value.
using ClearStep = std::tuple<unsigned, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;
/// Buffers, whether all bytes, and the bytes.
using CopyStep = std::tuple<unsigned, unsigned, bool, uint64_t, uint64_t, uint64_t>;
// Numbers of floating point are their bits: a NaN is the same as itself.
using BuffersStep = std::tuple<ExpectationKind, unsigned, unsigned, uint64_t>;
/// One expected value: buffer, byte, comparator, bits, their type, tolerance, whether in percent.
using ValueStep =
    std::tuple<unsigned, uint64_t, Comparator, uint64_t, ScalarKind, std::optional<uint64_t>, bool>;
using Step = std::variant<DispatchStep, DrawStep, ClearStep, CopyStep, BuffersStep, ValueStep>;
} // namespace

/// The type that \p expectation compares as: whether integers have a sign makes no difference to
/// whether they are equal.
static ScalarKind comparedAs(const Expectation &expectation) {
  static constexpr std::pair<ScalarKind, ScalarKind> unsignedKinds[] = {
      {ScalarKind::Int8, ScalarKind::Uint8},
      {ScalarKind::Int16, ScalarKind::Uint16},
      {ScalarKind::Int32, ScalarKind::Uint32},
      {ScalarKind::Int64, ScalarKind::Uint64}};
  bool isEquality =
      expectation.comparator == Comparator::Eq || expectation.comparator == Comparator::Ne;
  if (isEquality && expectation.tolerances.empty())
    for (auto [signedKind, unsignedKind] : unsignedKinds)
      if (expectation.format.scalar == signedKind)
        return unsignedKind;
  return expectation.format.scalar;
}

/// Each overload appends what a command does as plain numbers, without lines and names.
static void addSteps(const Dispatch &dispatch, std::vector<Step> &steps) {
  steps.push_back(
      DispatchStep(dispatch.pipeline, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]));
}

/// Line numbers are left out: two texts of one case have different ones.
static void addSteps(const Draw &draw, std::vector<Step> &steps) {
  steps.push_back(DrawStep(draw.pipeline, draw.indexed, draw.firstVertex, draw.vertexCount,
                           draw.firstInstance, draw.instanceCount, draw.vertexOffset));
}

/// Compares floats by their bits, so that NaN equals itself.
static void addSteps(const Clear &clear, std::vector<Step> &steps) {
  auto bits = [](float value) { return bit_cast<uint32_t>(value); };
  steps.push_back(ClearStep(clear.pipeline, bits(clear.color[0]), bits(clear.color[1]),
                            bits(clear.color[2]), bits(clear.color[3]), bits(clear.depth),
                            clear.stencil));
}

/// Without depth and stencil where the pipeline has no buffer of them: these clear nothing.
static Clear partThatCounts(Clear clear, const Case &input) {
  if (!input.pipelines[clear.pipeline].draw.depthStencil) {
    clear.depth = 0;
    clear.stencil = 0;
  }
  return clear;
}

/// A copy of a whole buffer differs from one with an explicit range.
static void addSteps(const BufferCopy &copy, std::vector<Step> &steps) {
  CopyRange range = copy.range.value_or(CopyRange());
  steps.push_back(CopyStep(copy.source, copy.destination, !copy.range, range.sourceOffset,
                           range.destinationOffset, range.bytes));
}

/// Appends one step for each expected value, so that the split over EXPECT lines does not count.
static void addSteps(const Expectation &expectation, std::vector<Step> &steps) {
  if (expectation.kind != ExpectationKind::Values) {
    steps.push_back(BuffersStep(expectation.kind, expectation.buffer, expectation.otherBuffer,
                                bit_cast<uint64_t>(expectation.rmse)));
    return;
  }
  ArrayRef<Tolerance> tolerances = expectation.tolerances;
  for (const auto &[index, bits] : enumerate(expectation.values)) {
    std::optional<uint64_t> tolerance;
    bool isPercent = false;
    if (!tolerances.empty()) {
      tolerance = bit_cast<uint64_t>(tolerances[index % tolerances.size()].value);
      isPercent = tolerances[index % tolerances.size()].percent;
    }
    steps.push_back(ValueStep(
        expectation.buffer, expectation.byteOffset + input::valueOffset(expectation.format, index),
        expectation.comparator, bits, comparedAs(expectation), tolerance, isPercent));
  }
}

/// What happens and what is looked at, EXPECTs value by value.
static std::string compareCommands(const Case &a, const Case &b) {
  auto stepsOf = [](const Case &input) {
    std::vector<Step> steps;
    for (const Command &command : input.commands) {
      if (const auto *clear = std::get_if<Clear>(&command))
        addSteps(partThatCounts(*clear, input), steps);
      else
        std::visit([&](const auto &each) { addSteps(each, steps); }, command);
    }
    return steps;
  };
  return stepsOf(a) == stepsOf(b) ? "" : "steps";
}

/// \p compare for each pair of \p a and \p b.
template <typename T, typename Compare>
static std::string compareLists(const char *what, ArrayRef<T> a, ArrayRef<T> b, Compare compare) {
  if (a.size() != b.size())
    return std::string("the number of ") + what + "s";
  for (size_t i = 0; i < a.size(); ++i)
    if (std::string difference = compare(a[i], b[i]); !difference.empty())
      return std::string(what) + " " + std::to_string(i) + ": " + difference;
  return "";
}

/// Returns the first difference, empty for equal cases. Names of pipelines are not compared;
/// requirements are only counted.
std::string assay::describeDifference(const Case &a, const Case &b) {
  auto comparePipelines = [&](const CasePipeline &x, const CasePipeline &y) {
    if (x.description.stages.size() != y.description.stages.size())
      return std::string("the number of stages");
    for (size_t i = 0; i < x.description.stages.size(); ++i)
      if (std::string shader = compareShaders(x.description.stages[i], y.description.stages[i]);
          !shader.empty())
        return shader;
    return firstDifference(
        {{x.description.graphics == y.description.graphics, "graphics state"},
         {resourcesOf(x) == resourcesOf(y), "attachments, vertices and indices"},
         {x.description.robustness == y.description.robustness, "robustness"},
         {x.fullSubgroups == y.fullSubgroups, "full subgroups"},
         {x.varyingSubgroupSize == y.varyingSubgroupSize, "varying subgroup size"},
         {bindingsOf(x, a) == bindingsOf(y, b), "bindings"}});
  };
  // In order: what follows relies on equal numbers of what came before.
  const std::string differences[] = {
      compareLists<Buffer>("buffer", a.buffers, b.buffers, compareBuffers),
      compareLists<Sampler>("sampler", a.samplers, b.samplers, compareSamplers),
      compareLists<AddressPatch>("address", a.addresses, b.addresses, compareAddresses),
      compareLists<CasePipeline>("pipeline", a.pipelines, b.pipelines, comparePipelines),
      compareCommands(a, b),
      firstDifference({{a.features == b.features, "features"},
                       {a.subgroupSizes == b.subgroupSizes, "subgroup sizes"},
                       {a.unsupported.size() == b.unsupported.size(), "requirements"}})};
  for (const std::string &difference : differences)
    if (!difference.empty())
      return difference;
  return "";
}
