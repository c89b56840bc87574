// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/PipelineState.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral stateName = "lgc.pipeline.state";

namespace {
/// Appends rows to the named metadata.
class RowWriter {
public:
  explicit RowWriter(Module &module)
      : m_context(module.getContext()), m_named(module.getOrInsertNamedMetadata(stateName)) {
    m_named->clearOperands();
  }

  void addText(StringRef name, StringRef value) { addRow(name, {MDString::get(m_context, value)}); }
  void addNumbers(StringRef name, ArrayRef<uint64_t> values, unsigned width = 32) {
    SmallVector<Metadata *, 6> operands;
    Type *type = Type::getIntNTy(m_context, width);
    for (uint64_t value : values)
      operands.push_back(ConstantAsMetadata::get(ConstantInt::get(type, value)));
    addRow(name, operands);
  }

private:
  void addRow(StringRef name, ArrayRef<Metadata *> values) {
    SmallVector<Metadata *, 8> operands = {MDString::get(m_context, name)};
    operands.append(values.begin(), values.end());
    m_named->addOperand(MDNode::get(m_context, operands));
  }

  LLVMContext &m_context;
  NamedMDNode *m_named;
};

/// A row taken apart: its numbers, or its one text.
struct Row {
  StringRef name;
  SmallVector<uint64_t, 6> numbers;
  StringRef text;
};

/// How a row changes the state. \p count is the number of numbers it must have; \p optional more
/// may follow.
struct RowKind {
  StringLiteral name;
  unsigned count;
  Error (*apply)(PipelineState &state, const Row &row);
  unsigned optional = 0;
};
} // namespace

/// The flags of a "graphics" row.
static constexpr bool GraphicsFacts::*graphicsFlags[] = {
    &GraphicsFacts::hasDualSource, &GraphicsFacts::hasAlphaToCoverage,
    &GraphicsFacts::isPerSample,   &GraphicsFacts::discards,
    &GraphicsFacts::usesNgg,       &GraphicsFacts::drawsPoints,
    &GraphicsFacts::provokesLast,  &GraphicsFacts::isUnlinked};

/// Whether \p factor reads the alpha of one of the shader's sources.
static bool readsAlpha(BlendFactor factor) {
  return factor == BlendFactor::SrcAlpha || factor == BlendFactor::OneMinusSrcAlpha ||
         factor == BlendFactor::SrcAlphaSaturate || factor == BlendFactor::Src1Alpha ||
         factor == BlendFactor::OneMinusSrc1Alpha;
}

GraphicsFacts assay::makeGraphicsFacts(const GraphicsState &state) {
  GraphicsFacts facts;
  facts.topology = state.input.topology;
  facts.bindings = state.input.bindings;
  facts.attributes = state.input.attributes;
  facts.samples = state.multisample.samples;
  facts.hasAlphaToCoverage = state.multisample.alphaToCoverage;
  facts.isPerSample =
      state.multisample.sampleShading &&
      state.multisample.minSampleShading * static_cast<float>(state.multisample.samples) > 1;
  facts.discards = state.rasterization.discard;
  facts.drawsPoints = facts.topology == PrimitiveTopology::PointList ||
                      state.rasterization.polygonMode == PolygonMode::Point;
  facts.provokesLast = state.rasterization.provokingVertex == ProvokingVertex::Last;
  for (auto [location, target] : enumerate(state.colorTargets)) {
    if (target.format == TexelFormat::Undefined)
      continue;
    BlendFactor factors[] = {target.srcColor, target.dstColor, target.srcAlpha, target.dstAlpha};
    facts.targets.push_back({static_cast<uint32_t>(location), target.format, target.blend,
                             target.blend && any_of(factors, readsAlpha)});
    if (location == 0 && target.blend)
      facts.hasDualSource =
          any_of(factors, [](BlendFactor each) { return each >= BlendFactor::Src1Color; });
  }
  return facts;
}

/// Appends the rows of a graphics pipeline, "graphics" first, as reading requires.
static void writeGraphics(const GraphicsFacts &facts, RowWriter &rows) {
  uint64_t flags = 0;
  for (auto [bit, flag] : enumerate(graphicsFlags))
    flags |= uint64_t(facts.*flag) << bit;
  rows.addNumbers("graphics", {static_cast<uint64_t>(facts.topology), facts.samples, flags});
  for (const VertexInputBinding &each : facts.bindings)
    rows.addNumbers("vertex-binding",
                    {each.binding, each.stride, uint64_t(each.perInstance), each.divisor});
  for (const VertexInputAttribute &each : facts.attributes)
    rows.addNumbers("vertex-attribute",
                    {each.location, each.binding, static_cast<uint64_t>(each.format), each.offset});
  for (const TargetFacts &each : facts.targets)
    rows.addNumbers("color-target", {each.location, static_cast<uint64_t>(each.format),
                                     uint64_t(each.blends), uint64_t(each.needsAlpha)});
}

void PipelineState::write(Module &module) const {
  RowWriter rows(module);
  rows.addText("target", target->name);
  rows.addNumbers("wave-size", waveSize);
  rows.addNumbers("push-constants", layout.pushConstantDwords);
  for (const DescriptorTable &table : layout.tables) {
    rows.addNumbers("table", {table.set, table.userDataEntry, table.sizeInDwords});
    for (const DescriptorNode &node : table.nodes)
      rows.addNumbers("node", {table.set, node.binding, node.count, node.offsetInDwords,
                               node.strideInDwords, static_cast<uint64_t>(node.kind)});
  }
  if (robustness != Robustness::None)
    rows.addNumbers("robustness", static_cast<uint64_t>(robustness));
  if (graphics)
    writeGraphics(*graphics, rows);
  rows.addNumbers("pipeline-hash", {pipelineHash.low, pipelineHash.high}, 64);
  rows.addNumbers("shader-hash", {shaderHash.low, shaderHash.high}, 64);
}

static Error applyTarget(PipelineState &state, const Row &row) {
  Expected<const TargetInfo *> target = findTarget(row.text);
  if (!target)
    return target.takeError();
  state.target = *target;
  return Error::success();
}

static Error applyWaveSize(PipelineState &state, const Row &row) {
  if (row.numbers[0] != 32 && row.numbers[0] != 64)
    return invalidInput("the wave size must be 32 or 64");
  state.waveSize = static_cast<unsigned>(row.numbers[0]);
  return Error::success();
}

static Error applyPushConstants(PipelineState &state, const Row &row) {
  state.layout.pushConstantDwords = static_cast<uint32_t>(row.numbers[0]);
  return Error::success();
}

static Error applyTable(PipelineState &state, const Row &row) {
  state.layout.tables.push_back({static_cast<uint32_t>(row.numbers[0]),
                                 static_cast<uint32_t>(row.numbers[1]),
                                 static_cast<uint32_t>(row.numbers[2]),
                                 {}});
  return Error::success();
}

static Error applyNode(PipelineState &state, const Row &row) {
  std::vector<DescriptorTable> &tables = state.layout.tables;
  if (tables.empty() || tables.back().set != row.numbers[0])
    return invalidInput("a node must follow the table of its set");
  uint64_t kind = row.numbers.size() > 5 ? row.numbers[5] : 0;
  if (kind > static_cast<uint64_t>(DescriptorKind::CombinedImageSampler))
    return invalidInput("a node is of kind " + Twine(kind));
  tables.back().nodes.push_back(
      {static_cast<uint32_t>(row.numbers[1]), static_cast<uint32_t>(row.numbers[2]),
       static_cast<uint32_t>(row.numbers[3]), static_cast<uint32_t>(row.numbers[4]),
       static_cast<DescriptorKind>(kind)});
  return Error::success();
}

static Error applyRobustness(PipelineState &state, const Row &row) {
  if (row.numbers[0] > static_cast<uint64_t>(Robustness::Access2))
    return invalidInput("robustness " + Twine(row.numbers[0]) + " does not exist");
  state.robustness = static_cast<Robustness>(row.numbers[0]);
  return Error::success();
}

static Error applyGraphics(PipelineState &state, const Row &row) {
  if (row.numbers[0] > static_cast<uint64_t>(PrimitiveTopology::PatchList))
    return invalidInput("topology " + Twine(row.numbers[0]) + " does not exist");
  if (row.numbers[2] >> std::size(graphicsFlags))
    return invalidInput("'graphics' with unknown flags");
  GraphicsFacts &facts = state.graphics.emplace();
  facts.topology = static_cast<PrimitiveTopology>(row.numbers[0]);
  facts.samples = static_cast<uint32_t>(row.numbers[1]);
  for (auto [bit, flag] : enumerate(graphicsFlags))
    facts.*flag = row.numbers[2] >> bit & 1;
  return Error::success();
}

/// The facts that a row adds to.
static Expected<GraphicsFacts *> getGraphics(PipelineState &state) {
  if (!state.graphics)
    return invalidInput("'graphics' must come first");
  return &*state.graphics;
}

static Error applyVertexBinding(PipelineState &state, const Row &row) {
  Expected<GraphicsFacts *> facts = getGraphics(state);
  if (!facts)
    return facts.takeError();
  (*facts)->bindings.push_back({static_cast<uint32_t>(row.numbers[0]),
                                static_cast<uint32_t>(row.numbers[1]), row.numbers[2] != 0,
                                static_cast<uint32_t>(row.numbers[3])});
  return Error::success();
}

static Error applyVertexAttribute(PipelineState &state, const Row &row) {
  Expected<GraphicsFacts *> facts = getGraphics(state);
  if (!facts)
    return facts.takeError();
  (*facts)->attributes.push_back(
      {static_cast<uint32_t>(row.numbers[0]), static_cast<uint32_t>(row.numbers[1]),
       static_cast<TexelFormat>(row.numbers[2]), static_cast<uint32_t>(row.numbers[3])});
  return Error::success();
}

static Error applyColorTarget(PipelineState &state, const Row &row) {
  Expected<GraphicsFacts *> facts = getGraphics(state);
  if (!facts)
    return facts.takeError();
  (*facts)->targets.push_back({static_cast<uint32_t>(row.numbers[0]),
                               static_cast<TexelFormat>(row.numbers[1]), row.numbers[2] != 0,
                               row.numbers[3] != 0});
  return Error::success();
}

static Error applyPipelineHash(PipelineState &state, const Row &row) {
  state.pipelineHash = {row.numbers[0], row.numbers[1]};
  return Error::success();
}

static Error applyShaderHash(PipelineState &state, const Row &row) {
  state.shaderHash = {row.numbers[0], row.numbers[1]};
  return Error::success();
}

static constexpr RowKind rowKinds[] = {
    {"target", 0, applyTarget},
    {"wave-size", 1, applyWaveSize},
    {"push-constants", 1, applyPushConstants},
    {"table", 3, applyTable},
    {"node", 5, applyNode, 1},
    {"robustness", 1, applyRobustness},
    {"graphics", 3, applyGraphics},
    {"vertex-binding", 4, applyVertexBinding},
    {"vertex-attribute", 4, applyVertexAttribute},
    {"color-target", 4, applyColorTarget},
    {"pipeline-hash", 2, applyPipelineHash},
    {"shader-hash", 2, applyShaderHash},
};

/// The first text is the name, a second one the value. InvalidInput for other operands and integers
/// of more than 64 bits.
static Expected<Row> parseRow(const MDNode &node) {
  Row row;
  for (const MDOperand &operand : node.operands()) {
    if (auto *text = dyn_cast_or_null<MDString>(operand))
      (row.name.empty() ? row.name : row.text) = text->getString();
    else if (auto *number = mdconst::dyn_extract_or_null<ConstantInt>(operand);
             number && number->getBitWidth() <= 64)
      row.numbers.push_back(number->getZExtValue());
    else
      return invalidInput("a row holds text and numbers only");
  }
  return row;
}

/// Applies a row by its name; InvalidInput where the name is unknown or the count of numbers is
/// wrong.
static Error applyRow(PipelineState &state, const MDNode &node) {
  Expected<Row> row = parseRow(node);
  if (!row)
    return row.takeError();
  for (const RowKind &kind : rowKinds) {
    if (kind.name != row->name)
      continue;
    if (row->numbers.size() < kind.count || row->numbers.size() > kind.count + kind.optional)
      return invalidInput(
          "'" + row->name + "' must have " + Twine(kind.count) +
          (kind.optional ? " to " + std::to_string(kind.count + kind.optional) : "") + " numbers");
    return kind.apply(state, *row);
  }
  return invalidInput("'" + row->name + "' is unknown");
}

Expected<PipelineState> PipelineState::read(const Module &module, ReadKey /*key*/) {
  const NamedMDNode *named = module.getNamedMetadata(stateName);
  if (!named)
    return invalidInput("the module has no !" + stateName);
  PipelineState state;
  for (const MDNode *node : named->operands()) {
    if (Error error = applyRow(state, *node))
      return addContext(std::move(error), "!" + stateName);
  }
  if (!state.target)
    return invalidInput("!" + stateName + " names no target");
  if (!state.waveSize)
    state.waveSize = state.target->defaultWaveSize;
  return state;
}
