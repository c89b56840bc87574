// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PipelineHash.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// Returns a hash of the words and of what specializes them. Specialization values count in the
/// order in which they are given, so that equal meanings may have different hashes.
Hash128 assay::hashShader(const ShaderDescription &shader) {
  CanonicalBytes bytes;
  bytes.add(static_cast<uint64_t>(shader.stage));
  bytes.add(shader.entryPoint);
  bytes.add(shader.specialization.size());
  for (const SpecializationValue &value : shader.specialization) {
    bytes.add(value.id);
    bytes.add(value.bits);
  }
  bytes.add(shader.requiredSubgroupSize);
  bytes.add(shader.spirv.size());
  for (uint32_t word : shader.spirv)
    bytes.add(word);
  return bytes.hash();
}

/// The length of each list precedes its elements, so that different layouts give different bytes.
void assay::addLayout(CanonicalBytes &bytes, const ResourceLayout &layout) {
  bytes.add(layout.pushConstantDwords);
  bytes.add(layout.tables.size());
  for (const DescriptorTable &table : layout.tables) {
    for (uint64_t number : {table.set, table.userDataEntry, table.sizeInDwords})
      bytes.add(number);
    bytes.add(table.nodes.size());
    for (const DescriptorNode &node : table.nodes)
      for (uint64_t number : {node.binding, node.count, node.offsetInDwords, node.strideInDwords,
                              static_cast<uint32_t>(node.kind)})
        bytes.add(number);
  }
}

/// Adds the facts that passes of a vertex stage may read. Lists are preceded by their length.
static void addVertexFacts(CanonicalBytes &bytes, const GraphicsFacts &facts) {
  bytes.add(static_cast<uint64_t>(facts.topology)).add(uint64_t(facts.discards));
  bytes.add(uint64_t(facts.usesNgg)).add(uint64_t(facts.drawsPoints));
  bytes.add(uint64_t(facts.provokesLast)).add(uint64_t(facts.isUnlinked));
  bytes.add(facts.bindings.size());
  for (const VertexInputBinding &each : facts.bindings)
    bytes.add(each.binding).add(each.stride).add(uint64_t(each.perInstance)).add(each.divisor);
  bytes.add(facts.attributes.size());
  for (const VertexInputAttribute &each : facts.attributes)
    bytes.add(each.location)
        .add(each.binding)
        .add(static_cast<uint64_t>(each.format))
        .add(each.offset);
}

/// Adds the facts that passes of a fragment stage may read.
static void addFragmentFacts(CanonicalBytes &bytes, const GraphicsFacts &facts) {
  bytes.add(uint64_t(facts.hasDualSource)).add(uint64_t(facts.hasAlphaToCoverage));
  bytes.add(uint64_t(facts.isPerSample));
  if (!faultPlanted(Fault::KeySkipsSamples))
    bytes.add(uint64_t(facts.samples));
  bytes.add(uint64_t(facts.isUnlinked)).add(facts.targets.size());
  for (const TargetFacts &each : facts.targets)
    bytes.add(each.location)
        .add(static_cast<uint64_t>(each.format))
        .add(uint64_t(each.blends))
        .add(uint64_t(each.needsAlpha));
}

/// Returns the facts that passes read for \p pipeline on \p target. NGG counts as a choice on GFX10
/// only. Unlinked stages do not know vertex input and targets, which are left out.
GraphicsFacts assay::getGraphicsFacts(const PipelineDescription &pipeline, const TargetInfo &target,
                                      const GraphicsChoices &choices) {
  GraphicsFacts facts = makeGraphicsFacts(pipeline.graphics);
  facts.usesNgg = choices.useNgg && target.major == 10;
  if (choices.linkMode != LinkMode::Unlinked)
    return facts;
  facts.isUnlinked = true;
  facts.bindings.clear();
  facts.attributes.clear();
  facts.targets.clear();
  facts.hasDualSource = facts.hasAlphaToCoverage = false;
  return facts;
}

/// Every stage except the fragment stage counts as a vertex stage.
void assay::addGraphicsFacts(CanonicalBytes &bytes, const GraphicsFacts &facts, ShaderStage stage) {
  if (stage == ShaderStage::Fragment)
    addFragmentFacts(bytes, facts);
  else
    addVertexFacts(bytes, facts);
}

/// Graphics facts are those of the description, whatever the link mode leaves out. The version of
/// the metadata does not count.
Hash128 assay::hashPipeline(const PipelineDescription &pipeline, const CompileOptions &options,
                            const GraphicsChoices &choices) {
  CanonicalBytes bytes;
  for (const ShaderDescription &shader : pipeline.stages)
    bytes.add(hashShader(shader));
  addLayout(bytes, pipeline.layout);
  bytes.add(static_cast<uint64_t>(pipeline.robustness));
  bytes.add(options.target->name);
  bytes.add(uint64_t(options.optLevel));
  bytes.add(options.getWaveSize());
  bytes.add(uint64_t(options.useLlvmLowering));
  if (pipeline.isGraphics()) {
    bytes.add(uint64_t(choices.linkMode));
    GraphicsFacts facts = makeGraphicsFacts(pipeline.graphics);
    facts.usesNgg = choices.useNgg;
    addVertexFacts(bytes, facts);
    addFragmentFacts(bytes, facts);
  }
  return bytes.hash();
}
