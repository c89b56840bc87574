// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/PipelineHash.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

namespace {
/// Bytes that do not depend on the host: every number in 64 bits, little endian; text with its
/// length.
class Bytes {
public:
  void add(uint64_t number) {
    uint8_t bytes[8];
    support::endian::write64le(bytes, number);
    m_bytes.append(std::begin(bytes), std::end(bytes));
  }
  void add(StringRef text) {
    add(text.size());
    m_bytes.append(text.bytes_begin(), text.bytes_end());
  }
  pal::Hash hash() const {
    XXH128_hash_t hash = xxh3_128bits(m_bytes);
    return {hash.low64, hash.high64};
  }

private:
  SmallVector<uint8_t, 0> m_bytes;
};
} // namespace

pal::Hash assay::hashShader(const ShaderDescription &shader) {
  Bytes bytes;
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

static void addLayout(Bytes &bytes, const ResourceLayout &layout) {
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

pal::Hash assay::hashPipeline(const PipelineDescription &pipeline, const CompileOptions &options) {
  Bytes bytes;
  for (uint64_t part : hashShader(pipeline.compute))
    bytes.add(part);
  addLayout(bytes, pipeline.layout);
  bytes.add(static_cast<uint64_t>(pipeline.robustness));
  bytes.add(options.target->name);
  bytes.add(options.optLevel);
  bytes.add(options.getWaveSize());
  bytes.add(uint64_t(options.useLlvmLowering));
  return bytes.hash();
}
