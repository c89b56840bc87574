// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/TrackedState.h"

#include "compiler/lgc/HashChain.h"
#include "support/Fault.h"
#include "support/Hash.h"

using namespace llvm;
using namespace assay;

/// A fault that makes one pass read without extending the chain.
struct UntrackedPass {
  StringLiteral pass;
  Fault fault;
};

static constexpr UntrackedPass untrackedPasses[] = {
    {"front-end", Fault::HashSkipsFrontEnd},
    {"lower-desc", Fault::HashSkipsDesc},
    {"mutate-entry-point", Fault::HashSkipsEntryPoint},
    {"lower-vertex-fetch", Fault::HashSkipsVertexFetch},
    {"lower-vertex-exports", Fault::HashSkipsVertexExports},
    {"lower-primitive-shader", Fault::HashSkipsPrimitive},
    {"lower-fragment-inputs", Fault::HashSkipsFragmentInputs},
    {"lower-color-export", Fault::HashSkipsColorExport},
    {"mutate-stage-entry-point", Fault::HashSkipsStageEntryPoint},
};

Expected<TrackedState> TrackedState::open(Module &module, StringRef pass) {
  Expected<PipelineState> state = PipelineState::read(module, {});
  if (!state)
    return state.takeError();
  return TrackedState(module, pass, std::move(*state));
}

void TrackedState::track(StringRef datum, ArrayRef<uint64_t> values) {
  for (const UntrackedPass &row : untrackedPasses)
    if (row.pass == m_pass && faultPlanted(row.fault))
      return;
  CanonicalBytes bytes;
  for (uint64_t value : values)
    bytes.add(value);
  extendHashChains(*m_module, {m_pass.str(), datum.str(), bytes.take()});
}

const TargetInfo &TrackedState::getTarget() {
  CanonicalBytes name;
  name.add(m_state.target->name);
  extendHashChains(*m_module, {m_pass.str(), "target", name.take()});
  return *m_state.target;
}

unsigned TrackedState::getWaveSize() {
  track("wave-size", m_state.waveSize);
  return m_state.waveSize;
}

bool TrackedState::hasRobustAccess2() {
  bool result = m_state.robustness == Robustness::Access2;
  if (!faultPlanted(Fault::HashSkipsRobustness))
    track("robust-access-2", uint64_t(result));
  return result;
}

/// "descriptor 0 3".
static std::string nameDatum(StringRef what, uint32_t set, uint32_t binding) {
  std::string name = (what + " " + Twine(set)).str();
  return faultPlanted(Fault::HashSkipsBinding) ? name : name + " " + std::to_string(binding);
}

std::optional<TrackedState::DescriptorPlace> TrackedState::findDescriptor(uint32_t set,
                                                                          uint32_t binding) {
  std::string datum = nameDatum("descriptor", set, binding);
  const DescriptorNode *node = m_state.layout.find(set, binding);
  if (!node) {
    track(datum, {});
    return std::nullopt;
  }
  track(datum, {faultPlanted(Fault::HashSkipsOffset) ? 0 : node->offsetInDwords,
                faultPlanted(Fault::HashSkipsStride) ? 0 : node->strideInDwords});
  return DescriptorPlace{node->offsetInDwords, node->strideInDwords};
}

bool TrackedState::isCombined(uint32_t set, uint32_t binding) {
  const DescriptorNode *node = m_state.layout.find(set, binding);
  bool result = node && node->kind == DescriptorKind::CombinedImageSampler;
  track(nameDatum("combined", set, binding), uint64_t(result));
  return result;
}

std::optional<uint32_t> TrackedState::findTableEntry(uint32_t set) {
  std::string datum = ("table " + Twine(set)).str();
  for (const DescriptorTable &table : m_state.layout.tables) {
    if (table.set != set)
      continue;
    track(datum, faultPlanted(Fault::HashSkipsTable) ? 0 : table.userDataEntry);
    return table.userDataEntry;
  }
  track(datum, {});
  return std::nullopt;
}

uint32_t TrackedState::getPushConstantDwords() {
  track("push-constants", m_state.layout.pushConstantDwords);
  return m_state.layout.pushConstantDwords;
}

uint32_t TrackedState::getUserDataEntries() {
  if (!faultPlanted(Fault::HashSkipsUserData))
    track("user-data-entries", m_state.layout.getUserDataEntries());
  return m_state.layout.getUserDataEntries();
}

std::optional<TrackedState::Attribute> TrackedState::findAttribute(uint32_t location) {
  std::string datum = ("vertex-attribute " + Twine(location)).str();
  if (m_state.graphics)
    for (const VertexInputAttribute &each : m_state.graphics->attributes)
      for (const VertexInputBinding &binding : m_state.graphics->bindings) {
        if (each.location != location || each.binding != binding.binding)
          continue;
        track(datum, {each.binding, static_cast<uint64_t>(each.format), each.offset, binding.stride,
                      uint64_t(binding.perInstance), binding.divisor});
        return Attribute{each, binding};
      }
  track(datum, {});
  return std::nullopt;
}

/// Returns the kind of primitives that \p topology is assembled to.
static PrimitiveKind getKind(PrimitiveTopology topology) {
  switch (topology) {
  case PrimitiveTopology::PointList:
  case PrimitiveTopology::PatchList:
    return PrimitiveKind::Points;
  case PrimitiveTopology::LineList:
  case PrimitiveTopology::LineStrip:
  case PrimitiveTopology::LineListWithAdjacency:
  case PrimitiveTopology::LineStripWithAdjacency:
    return PrimitiveKind::Lines;
  default:
    return PrimitiveKind::Triangles;
  }
}

PrimitiveKind TrackedState::getPrimitiveKind() {
  PrimitiveKind result = getKind(m_state.graphics.value_or(GraphicsFacts()).topology);
  track("primitive-kind", static_cast<uint64_t>(result));
  return result;
}

const TargetFacts *TrackedState::findTarget(uint32_t location) const {
  if (m_state.graphics)
    for (const TargetFacts &each : m_state.graphics->targets)
      if (each.location == location)
        return &each;
  return nullptr;
}

std::optional<TexelFormat> TrackedState::findTargetFormat(uint32_t location) {
  std::string datum = ("color-target " + Twine(location)).str();
  const TargetFacts *target = findTarget(location);
  if (!target) {
    track(datum, {});
    return std::nullopt;
  }
  track(datum, static_cast<uint64_t>(target->format));
  return target->format;
}

bool TrackedState::blends(uint32_t location) {
  const TargetFacts *target = findTarget(location);
  bool result = target && target->blends;
  track(("color-blends " + Twine(location)).str(), uint64_t(result));
  return result;
}

bool TrackedState::blendsByAlpha(uint32_t location) {
  const TargetFacts *target = findTarget(location);
  bool result = target && target->needsAlpha;
  track(("color-alpha " + Twine(location)).str(), uint64_t(result));
  return result;
}

bool TrackedState::trackFlag(StringRef datum, bool GraphicsFacts::*flag) {
  bool result = m_state.graphics.value_or(GraphicsFacts()).*flag;
  track(datum, uint64_t(result));
  return result;
}

bool TrackedState::usesNgg() {
  return trackFlag("ngg", &GraphicsFacts::usesNgg);
}

bool TrackedState::discardsPrimitives() {
  return trackFlag("rasterizer-discard", &GraphicsFacts::discards);
}

bool TrackedState::drawsPoints() {
  return trackFlag("draws-points", &GraphicsFacts::drawsPoints);
}

bool TrackedState::provokesLast() {
  return trackFlag("provokes-last", &GraphicsFacts::provokesLast);
}

bool TrackedState::hasDualSource() {
  return trackFlag("dual-source", &GraphicsFacts::hasDualSource);
}

bool TrackedState::hasAlphaToCoverage() {
  return trackFlag("alpha-to-coverage", &GraphicsFacts::hasAlphaToCoverage);
}

uint32_t TrackedState::getSamples() {
  uint32_t samples = m_state.graphics.value_or(GraphicsFacts()).samples;
  track("samples", uint64_t(samples));
  return samples;
}

bool TrackedState::isPerSample() {
  return trackFlag("per-sample", &GraphicsFacts::isPerSample);
}

bool TrackedState::isUnlinked() {
  return trackFlag("unlinked", &GraphicsFacts::isUnlinked);
}

/// Offsets, strides and user data entries are not hashed.
ResourceLayout TrackedState::getLayout() {
  std::vector<uint64_t> values = {m_state.layout.pushConstantDwords};
  for (const DescriptorTable &table : m_state.layout.tables) {
    values.insert(values.end(), {table.set, table.nodes.size()});
    for (const DescriptorNode &node : table.nodes)
      values.insert(values.end(), {node.binding, node.count, static_cast<uint64_t>(node.kind)});
  }
  track("layout", values);
  return m_state.layout;
}
