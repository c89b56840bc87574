// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices into arrays of descriptors, for the constructs that have such arrays.
#pragma once

#include "fuzz/generate/Writer.h"

namespace assay::fuzz {

struct DescriptorIndex {
  Id id = 0;
  bool isNonUniform = false; ///< What it leads to is to be decorated.
  bool isUniform = false;    ///< The same in the whole workgroup, whatever is declared.
};

/// An index below \p count into an array of \p kind, with the capabilities that it needs.
DescriptorIndex takeDescriptorIndex(Writer &writer, GeneratedBinding kind, unsigned count);
/// \p id, decorated where \p index wants it.
Id markNonUniform(Writer &writer, const DescriptorIndex &index, Id id);
/// An array with or without a declared length.
Writer::ArrayForm takeArrayForm(Writer &writer);

} // namespace assay::fuzz
