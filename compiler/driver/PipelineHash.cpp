// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PipelineHash.h"

using namespace llvm;
using namespace assay;

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

Hash128 assay::hashPipeline(const PipelineDescription &pipeline, const CompileOptions &options) {
  CanonicalBytes bytes;
  for (const ShaderDescription &shader : pipeline.stages)
    bytes.add(hashShader(shader));
  addLayout(bytes, pipeline.layout);
  bytes.add(static_cast<uint64_t>(pipeline.robustness));
  bytes.add(options.target->name);
  bytes.add(uint64_t(options.optLevel));
  bytes.add(options.getWaveSize());
  bytes.add(uint64_t(options.useLlvmLowering));
  return bytes.hash();
}
