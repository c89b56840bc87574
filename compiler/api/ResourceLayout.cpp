// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/ResourceLayout.h"

#include <map>

using namespace llvm;
using namespace assay;

StringRef assay::getDescriptorName(DescriptorKind kind) {
  static constexpr StringRef names[] = {"a buffer", "a texel buffer", "an image", "a sampler",
                                        "a combined image sampler"};
  return names[static_cast<unsigned>(kind)];
}

const DescriptorNode *ResourceLayout::find(uint32_t set, uint32_t binding,
                                           const DescriptorTable **table) const {
  for (const DescriptorTable &candidate : tables) {
    if (candidate.set != set)
      continue;
    for (const DescriptorNode &node : candidate.nodes) {
      if (node.binding != binding)
        continue;
      if (table)
        *table = &candidate;
      return &node;
    }
  }
  return nullptr;
}

ResourceLayout assay::makeResourceLayout(ArrayRef<DescriptorBinding> bindings,
                                         uint32_t pushConstantBytes) {
  std::map<uint32_t, std::map<uint32_t, DescriptorBinding>> sets;
  for (const DescriptorBinding &binding : bindings)
    sets[binding.set][binding.binding] = binding;

  ResourceLayout layout;
  layout.pushConstantDwords = (pushConstantBytes + 3) / 4;
  uint32_t entry = layout.pushConstantDwords;
  for (const auto &[set, members] : sets) {
    DescriptorTable table{set, entry++, 0, {}};
    for (const auto &[number, binding] : members) {
      uint32_t count = binding.count ? binding.count : runtimeDescriptorCount;
      uint32_t stride = getDescriptorDwords(binding.kind);
      table.nodes.push_back({number, count, table.sizeInDwords, stride, binding.kind});
      table.sizeInDwords += count * stride;
    }
    layout.tables.push_back(std::move(table));
  }
  return layout;
}
