// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each field of what a compilation takes in changes the hash of a shader if and only if it was
// read. Whether it was read is told by the steps of the chain, of which each field has a list.
#include "fuzz/pair/StagePipelines.h"
#include "harness/hash_chain/RecordChains.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

/// A field that is added needs a row: these stop compiling.
[[maybe_unused]] static void countFields(const CompileOptions &options,
                                         const PipelineDescription &pipeline,
                                         const ShaderDescription &shader,
                                         const ResourceLayout &layout, const DescriptorTable &table,
                                         const DescriptorNode &node, const GraphicsState &state) {
  [[maybe_unused]] const auto &[target, level, wave, validate, llvmLowering, version, record] =
      options;
  [[maybe_unused]] const auto &[stages, graphics, resources, robustness] = pipeline;
  [[maybe_unused]] const auto &[stage, words, entryPoint, specialization, subgroupSize] = shader;
  [[maybe_unused]] const auto &[pushConstants, tables] = layout;
  [[maybe_unused]] const auto &[set, entry, size, nodes] = table;
  [[maybe_unused]] const auto &[binding, count, offset, stride, kind] = node;
  [[maybe_unused]] const auto &[input, viewport, rasterization, multisample, depthStencil,
                                depthFormat, colors, logicOp, constants] = state;
}

namespace {
using Change = bool (*)(PairInput &input);

struct Field {
  StringLiteral name;
  Change change; ///< False: the input has nothing to change.
  /// Names of steps that hold it; a name that ends in a space is one of several: "descriptor 0 1".
  std::vector<StringRef> data;
};
} // namespace

static DescriptorTable *firstTable(PairInput &input) {
  std::vector<DescriptorTable> &tables = input.pipeline.layout.tables;
  return tables.empty() ? nullptr : &tables.front();
}

static DescriptorNode *lastNode(PairInput &input) {
  DescriptorTable *table = firstTable(input);
  return table && !table->nodes.empty() ? &table->nodes.back() : nullptr;
}

static DescriptorNode *combinedNode(PairInput &input) {
  if (DescriptorTable *table = firstTable(input))
    for (DescriptorNode &node : table->nodes)
      if (node.kind == DescriptorKind::CombinedImageSampler)
        return &node;
  return nullptr;
}

static bool changeTarget(PairInput &input) {
  input.options.target = cantFail(findTarget("gfx1201"));
  return true;
}
static bool changeLevel(PairInput &input) {
  return input.options.optLevel = 0, true;
}
static bool changeWaveSize(PairInput &input) {
  return input.options.waveSize = 64, true;
}
static bool changeValidation(PairInput &input) {
  return input.options.validate = false, true;
}
static bool changeLowering(PairInput &input) {
  return input.options.useLlvmLowering = true, true;
}
static bool changeVersion(PairInput &input) {
  return input.options.palVersion = PalVersion::V2_6, true;
}
static bool changeRecording(PairInput &input) {
  return input.options.recordBuilder = false, true;
}
static bool changeRobustness(PairInput &input) {
  return input.pipeline.robustness = Robustness::Access2, true;
}
static bool changeWeakRobustness(PairInput &input) {
  return input.pipeline.robustness = Robustness::Access, true;
}
static bool changePushConstants(PairInput &input) {
  return ++input.pipeline.layout.pushConstantDwords, true;
}
/// A set that no shader uses.
static bool changeSets(PairInput &input) {
  std::vector<DescriptorTable> &tables = input.pipeline.layout.tables;
  tables.push_back({tables.empty() ? 7 : tables.back().set + 7,
                    input.pipeline.layout.getUserDataEntries(),
                    4,
                    {DescriptorNode{}}});
  return true;
}
/// Of the first table; another one gets its entry.
static bool changeEntry(PairInput &input) {
  std::vector<DescriptorTable> &tables = input.pipeline.layout.tables;
  return tables.size() > 1 && (std::swap(tables[0].userDataEntry, tables[1].userDataEntry), true);
}
static bool changeTableSize(PairInput &input) {
  DescriptorTable *table = firstTable(input);
  return table && (table->sizeInDwords += 4, true);
}
/// A binding that no shader uses.
static bool changeBindings(PairInput &input) {
  DescriptorNode *node = lastNode(input);
  if (node)
    firstTable(input)->nodes.push_back({node->binding + 7, 1, 64});
  return node;
}
static bool changeCount(PairInput &input) {
  DescriptorNode *node = lastNode(input);
  return node && (node->count += 1, true);
}
static bool changeOffset(PairInput &input) {
  DescriptorNode *node = lastNode(input);
  return node && (node->offsetInDwords += 4, true);
}
static bool changeStride(PairInput &input) {
  DescriptorNode *node = lastNode(input);
  return node && (node->strideInDwords += 4, true);
}
static bool changeKind(PairInput &input) {
  DescriptorNode *node = combinedNode(input);
  return node && (node->kind = DescriptorKind::Image, true);
}
static bool changeEntryName(PairInput &input) {
  const auto *renaming = find_if(
      listPairMutations(), [](const PairMutation &each) { return each.name == "entry-name"; });
  Random random(1);
  return renaming->apply(input, random);
}
static bool changeSpecialization(PairInput &input) {
  std::vector<SpecializationValue> &values = input.pipeline.stages.front().specialization;
  return !values.empty() && (values.front().bits ^= 3, true);
}
static bool changeUnusedSpecialization(PairInput &input) {
  return input.pipeline.stages.front().specialization.push_back({12345, 6}), true;
}
static bool changeSubgroupSize(PairInput &input) {
  return input.pipeline.stages.front().requiredSubgroupSize = 64, true;
}
static GraphicsState &stateOf(PairInput &input) {
  return input.pipeline.graphics;
}
/// What hardware reads, not shaders.
static bool changeGraphics(PairInput &input) {
  GraphicsState &state = stateOf(input);
  state.viewport.width += 1;
  state.rasterization.cullMode = CullBack;
  state.depthStencil.depthTest = true;
  state.depthStencilFormat = TexelFormat(126); // VK_FORMAT_D32_SFLOAT.
  state.blendConstants[0] = 1;
  return true;
}
static bool changeTopology(PairInput &input) {
  return stateOf(input).input.topology = PrimitiveTopology::PointList, true;
}
static VertexInputAttribute *firstAttribute(PairInput &input) {
  std::vector<VertexInputAttribute> &attributes = stateOf(input).input.attributes;
  return attributes.empty() ? nullptr : &attributes.front();
}
static bool changeAttributeOffset(PairInput &input) {
  VertexInputAttribute *attribute = firstAttribute(input);
  return attribute && (attribute->offset += 4, true);
}
static bool changeAttributeFormat(PairInput &input) {
  VertexInputAttribute *attribute = firstAttribute(input);
  return attribute && (attribute->format = TexelFormat(100), true); // VK_FORMAT_R32_SFLOAT.
}
static bool changeBindingStride(PairInput &input) {
  std::vector<VertexInputBinding> &bindings = stateOf(input).input.bindings;
  return !bindings.empty() && (bindings.front().stride += 4, true);
}
static bool changeBindingRate(PairInput &input) {
  std::vector<VertexInputBinding> &bindings = stateOf(input).input.bindings;
  return !bindings.empty() && (bindings.front().perInstance = !bindings.front().perInstance, true);
}
static bool changeDiscard(PairInput &input) {
  return stateOf(input).rasterization.discard = true, true;
}
static bool changePolygonMode(PairInput &input) {
  return stateOf(input).rasterization.polygonMode = PolygonMode::Point, true;
}
static bool changeProvokingVertex(PairInput &input) {
  return stateOf(input).rasterization.provokingVertex = ProvokingVertex::Last, true;
}
static bool changeSamples(PairInput &input) {
  return stateOf(input).multisample.samples *= 2, true;
}
static bool changeSampleShading(PairInput &input) {
  MultisampleState &state = stateOf(input).multisample;
  state.samples *= 2;
  state.sampleShading = true;
  state.minSampleShading = 1;
  return true;
}
static bool changeCoverage(PairInput &input) {
  return stateOf(input).multisample.alphaToCoverage = true, true;
}
static ColorTarget *firstTarget(PairInput &input) {
  std::vector<ColorTarget> &targets = stateOf(input).colorTargets;
  return targets.empty() ? nullptr : &targets.front();
}
static bool changeTargetFormat(PairInput &input) {
  ColorTarget *target = firstTarget(input);
  return target && (target->format = TexelFormat(97), true); // VK_FORMAT_R16G16B16A16_SFLOAT.
}
static bool changeBlend(PairInput &input) {
  ColorTarget *target = firstTarget(input);
  return target && (target->blend = !target->blend, true);
}
static bool changeBlendAlpha(PairInput &input) {
  ColorTarget *target = firstTarget(input);
  if (target)
    target->blend = true, target->srcColor = BlendFactor::SrcAlpha;
  return target;
}
static bool changeSecondSource(PairInput &input) {
  ColorTarget *target = firstTarget(input);
  if (target)
    target->blend = true, target->srcColor = BlendFactor::Src1Color;
  return target;
}

/// The driver reads what nearly everything depends on, for every shader; passes read the rest.
static const Field fields[] = {
    {"target", changeTarget, {"target"}},
    {"optLevel", changeLevel, {"level"}},
    {"waveSize", changeWaveSize, {"wave-size"}},
    {"validate", changeValidation, {}},
    {"useLlvmLowering", changeLowering, {"llvm-lowering"}},
    {"palVersion", changeVersion, {"metadata-version"}},
    {"recordBuilder", changeRecording, {}},
    {"robustness", changeRobustness, {"robust-access-2"}},
    {"robustness below 2", changeWeakRobustness, {}},
    {"pushConstantDwords", changePushConstants, {"push-constants", "user-data-entries"}},
    {"tables", changeSets, {"user-data-entries"}},
    {"userDataEntry", changeEntry, {"table "}},
    {"sizeInDwords", changeTableSize, {}},
    {"nodes", changeBindings, {}},
    {"count", changeCount, {}},
    {"offsetInDwords", changeOffset, {"descriptor "}},
    {"strideInDwords", changeStride, {"descriptor "}},
    {"kind", changeKind, {"combined "}},
    {"entryPoint", changeEntryName, {}},
    {"specialization", changeSpecialization, {"input"}},
    {"specialization of no constant", changeUnusedSpecialization, {}},
    {"requiredSubgroupSize", changeSubgroupSize, {"input"}},
    {"graphics", changeGraphics, {}},
    {"topology", changeTopology, {"primitive-kind", "draws-points"}},
    {"attribute offset", changeAttributeOffset, {"vertex-attribute "}},
    {"attribute format", changeAttributeFormat, {"vertex-attribute "}},
    {"binding stride", changeBindingStride, {"vertex-attribute "}},
    {"binding rate", changeBindingRate, {"vertex-attribute "}},
    {"discard", changeDiscard, {"rasterizer-discard"}},
    {"polygonMode", changePolygonMode, {"draws-points"}},
    {"provokingVertex", changeProvokingVertex, {"provokes-last"}},
    {"samples", changeSamples, {"samples"}},
    {"sampleShading", changeSampleShading, {"samples", "per-sample"}},
    {"alphaToCoverage", changeCoverage, {"alpha-to-coverage"}},
    {"target format", changeTargetFormat, {"color-target "}},
    {"blend", changeBlend, {"color-blends "}},
    {"blend by alpha", changeBlendAlpha, {"color-blends ", "color-alpha "}},
    {"second source", changeSecondSource, {"dual-source", "color-blends "}},
};

/// Of the place that a field is changed at: " 0" or " 0 3".
static std::string placeOf(StringRef datum, PairInput &input) {
  if (datum.starts_with("color-"))
    return "0";
  if (const VertexInputAttribute *attribute = firstAttribute(input);
      attribute && datum == "vertex-attribute ")
    return std::to_string(attribute->location);
  const DescriptorTable *table = firstTable(input);
  const DescriptorNode *node = datum == "combined " ? combinedNode(input) : lastNode(input);
  if (!table)
    return "";
  std::string place = std::to_string(table->set);
  return datum == "table " || !node ? place : place + " " + std::to_string(node->binding);
}

static bool wasRead(const ChainRecord &record, const Field &field, PairInput &input) {
  return any_of(field.data, [&](StringRef datum) {
    std::string name = datum.str() + (datum.ends_with(" ") ? placeOf(datum, input) : "");
    return any_of(record.chains, [&](const FunctionChain &each) {
      return any_of(each.chain.steps, [&](const HashStep &step) { return step.datum == name; });
    });
  });
}

static bool haveEqualHashes(const ChainRecord &a, const ChainRecord &b) {
  return a.chains.size() == b.chains.size() &&
         all_of_zip(a.chains, b.chains, [](const FunctionChain &x, const FunctionChain &y) {
           return x.chain.hash == y.chain.hash;
         });
}

namespace {
struct Counts {
  unsigned read = 0, unread = 0;
};
} // namespace

static void checkField(Compiler &compiler, const PairInput &input, const PipelineRecord &before,
                       const Field &field, Counts &counts) {
  SCOPED_TRACE(field.name.str());
  PairInput other = input;
  if (!field.change(other))
    return;
  Expected<PipelineRecord> after = recordChains(compiler, other);
  if (!after) {
    ErrorParts error = takeError(after.takeError());
    EXPECT_EQ(error.kind, ErrorKind::Unsupported) << error.message;
    return;
  }
  PairInput original = input;
  for (const auto &[one, two] : zip_equal(before, *after)) {
    bool isRead = wasRead(one, field, original);
    // What is said of one stage is read by that stage alone.
    if (&one != &before.front() && is_contained(field.data, "input"))
      isRead = false;
    ++(isRead ? counts.read : counts.unread);
    EXPECT_EQ(!haveEqualHashes(one, two), isRead)
        << one.stage << (isRead ? ": read, but not hashed" : ": hashed, but not read");
  }
}

static PairInput makeInput(PipelineDescription pipeline) {
  PairInput input;
  input.pipeline = std::move(pipeline);
  input.options.target = cantFail(findTarget("gfx1100"));
  return input;
}

TEST(StateFields, ChangeTheHashIfAndOnlyIfTheyWereRead) {
  std::vector<PairInput> inputs;
  for (const char *name :
       {"saxpy.amber", "reduce-shared.amber", "resource-specialization.amber",
        "resource-push-constants.amber", "resource-descriptor-arrays.amber",
        "image-descriptor-arrays.amber", "control-switch.amber", "matrix-mat4-ops.amber"}) {
    std::string path = std::string(ASSAY_SOURCE_DIR "/corpora/compute/") + name;
    inputs.push_back(makeInput(cantFail(readCase(path, name)).pipelines.at(0).description));
  }
  for (const char *name :
       {"stage-storage.amber", "interp-sample-four.amber", "vertex-format-r16g16b16a16-sint.amber",
        "stage-primitive-id.amber", "stage-point-size.amber"}) {
    std::string path = std::string(ASSAY_SOURCE_DIR "/corpora/graphics/") + name;
    inputs.push_back(makeInput(cantFail(readCase(path, name)).pipelines.at(0).description));
  }
  // Its points have a size whatever the polygon mode is; triangles only as points.
  inputs.back().pipeline.graphics.input.topology = PrimitiveTopology::TriangleList;
  for (unsigned seed = 0; seed < 3; ++seed) {
    Random random(seed);
    inputs.push_back(makeInput(cantFail(assembleStages(makeStageTexts(random)))));
    // VK_FORMAT_R16G16B16A16_UNORM and VK_FORMAT_R32_SFLOAT, for whose export blending counts.
    constexpr uint16_t formats[] = {109, 91, 100};
    inputs.back().pipeline.graphics.colorTargets[0].format = TexelFormat(formats[seed]);
  }
  std::map<StringRef, Counts> counts;
  Compiler compiler;
  for (const auto &[index, input] : enumerate(inputs)) {
    SCOPED_TRACE("input " + std::to_string(index));
    PipelineRecord before = cantFail(recordChains(compiler, input));
    for (const Field &field : fields)
      checkField(compiler, input, before, field, counts[field.name]);
  }
  for (const Field &field : fields) {
    EXPECT_GT(counts[field.name].read + counts[field.name].unread, 0u) << field.name.str();
    // Kinds are read where a shader uses the sampler of a combined image; none of these does.
    if (field.name != "kind")
      EXPECT_EQ(counts[field.name].read != 0, !field.data.empty()) << field.name.str();
  }
}
