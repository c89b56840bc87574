// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/CaseDifference.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace llvm;
using namespace assay;

namespace {
/// One thing that must be the same, by name.
struct Row {
  bool isSame;
  const char *name;
};
} // namespace

static std::string firstDifference(ArrayRef<Row> rows) {
  for (const Row &row : rows)
    if (!row.isSame)
      return row.name;
  return "";
}

static auto shapeOf(const ImageShape &shape) {
  return std::tuple(shape.dimension, shape.width, shape.height, shape.depth, shape.layers,
                    shape.mipLevels, shape.samples);
}

static std::string compareBuffers(const Buffer &a, const Buffer &b) {
  bool sameImage = a.image.has_value() == b.image.has_value() &&
                   (!a.image || shapeOf(*a.image) == shapeOf(*b.image));
  return firstDifference({{a.bytes == b.bytes, "bytes"},
                          {a.texelFormat == b.texelFormat, "texel format"},
                          {sameImage, "image"}});
}

static auto valuesOf(const Sampler &sampler) {
  return std::tuple(sampler.magFilter, sampler.minFilter, sampler.mipFilter, sampler.address[0],
                    sampler.address[1], sampler.address[2], sampler.border, sampler.minLod,
                    sampler.maxLod, sampler.lodBias, sampler.normalized, sampler.compare);
}

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

static std::string compareShaders(const ShaderDescription &a, const ShaderDescription &b) {
  bool sameConstants = all_of_zip(a.specialization, b.specialization,
                                  [](const SpecializationValue &x, const SpecializationValue &y) {
                                    return x.id == y.id && x.bits == y.bits;
                                  });
  bool sameVersion = a.spirv.size() < 2 || b.spirv.size() < 2 || a.spirv[1] == b.spirv[1];
  return firstDifference(
      {{a.spirv.size() == b.spirv.size(), "words of SPIR-V"},
       {sameVersion, "version of SPIR-V"},
       {a.entryPoint == b.entryPoint, "entry point"},
       {sameConstants, "specialization constants"},
       {a.requiredSubgroupSize == b.requiredSubgroupSize, "required subgroup size"}});
}

/// What happens and what is looked at, EXPECTs of values in a row taken together.
static std::string compareCommands(const Case &a, const Case &b) {
  using Step = std::tuple<size_t, unsigned, uint32_t, uint32_t, uint32_t, uint64_t>;
  auto stepsOf = [](const Case &input) {
    std::vector<Step> steps;
    for (const Command &command : input.commands) {
      const auto *expectation = std::get_if<Expectation>(&command);
      if (const auto *dispatch = std::get_if<Dispatch>(&command))
        steps.emplace_back(0, dispatch->pipeline, dispatch->groups[0], dispatch->groups[1],
                           dispatch->groups[2], 0);
      else if (const auto *copy = std::get_if<BufferCopy>(&command))
        steps.emplace_back(1, copy->source, copy->destination, 0, 0, 0);
      else if (expectation->kind != ExpectationKind::Values)
        steps.emplace_back(2, expectation->buffer, expectation->otherBuffer, 0, 0, 0);
      else if (!steps.empty() && std::get<0>(steps.back()) == 3)
        std::get<5>(steps.back()) += expectation->values.size();
      else
        steps.emplace_back(3, 0, 0, 0, 0, expectation->values.size());
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

std::string assay::describeDifference(const Case &a, const Case &b) {
  auto comparePipelines = [&](const CasePipeline &x, const CasePipeline &y) {
    std::string shader = compareShaders(x.description.compute, y.description.compute);
    if (!shader.empty())
      return shader;
    return firstDifference(
        {{x.description.robustness == y.description.robustness, "robustness"},
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
