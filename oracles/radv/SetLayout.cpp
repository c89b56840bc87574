// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule, from Mesa 25.0's radv_CreateDescriptorSetLayout: bindings whose descriptors align to 16
// bytes and those that align to 32 are in two groups, each in the order of the bindings, so that
// no padding is needed between; the group that the last binding is not in comes first.
#include "oracles/radv/SetLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::radv;

namespace {
struct Shape {
  uint32_t bytes, alignment;
};
} // namespace

/// In the order of DescriptorType. A sampled image keeps room for a second T#, that of FMASK.
static constexpr Shape Shapes[descriptorTypeCount] = {
    {16, 16}, {96, 32}, {64, 32}, {32, 32}, {16, 16}, {16, 16}, {16, 16}, {16, 16},
};

SetLayout radv::layOutSet(ArrayRef<SetBinding> bindings, uint32_t set) {
  std::vector<SetBinding> own;
  copy_if(bindings, std::back_inserter(own),
          [&](const SetBinding &binding) { return binding.set == set; });
  SetLayout layout;
  if (own.empty())
    return layout;
  uint32_t last = Shapes[size_t(own.back().type)].alignment;
  for (uint32_t alignment : {last == 32 ? 16u : 32u, last}) {
    for (const SetBinding &binding : own) {
      const Shape &shape = Shapes[size_t(binding.type)];
      if (shape.alignment != alignment)
        continue;
      PlacedBinding placed;
      placed.binding = binding.binding;
      placed.count = binding.count;
      placed.offset = static_cast<uint32_t>(alignTo(layout.bytes, alignment));
      placed.stride = shape.bytes;
      if (binding.type == DescriptorType::CombinedImageSampler)
        placed.samplerOffset = shape.bytes - 16;
      if (shape.bytes >= 64)
        placed.fmaskOffset = 32;
      layout.bytes = placed.offset + binding.count * shape.bytes;
      layout.bindings.push_back(placed);
    }
  }
  llvm::sort(layout.bindings,
             [](const PlacedBinding &a, const PlacedBinding &b) { return a.binding < b.binding; });
  return layout;
}
