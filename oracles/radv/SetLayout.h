// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where RADV puts the descriptors of a set: a function of the set's bindings alone.
#pragma once

#include "oracles/radv/RadvShader.h"

namespace assay::radv {

/// Where one binding is in the memory of its set, in bytes.
struct PlacedBinding {
  uint32_t binding = 0;
  uint32_t count = 1;
  uint32_t offset = 0;
  uint32_t stride = 0;
  uint32_t samplerOffset = 0; ///< Of the S# from the element's start: combined image samplers.
  uint32_t fmaskOffset = 0;   ///< Of a second T#, that of FMASK: sampled images.
};

struct SetLayout {
  uint32_t bytes = 0;
  std::vector<PlacedBinding> bindings; ///< By binding.
};

/// The layout of set \p set. \p bindings are in ascending order, those of other sets among them.
SetLayout layOutSet(llvm::ArrayRef<SetBinding> bindings, uint32_t set);

} // namespace assay::radv
