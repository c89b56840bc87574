// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/Aliasing.h"

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral unaliasedName = "lgc.unaliased";

/// Promises that nothing else refers to the buffer of this descriptor.
void assay::markUnaliased(Instruction &descriptor) {
  descriptor.setMetadata(unaliasedName, MDNode::get(descriptor.getContext(), {}));
}

bool assay::isUnaliased(const Instruction &descriptor) {
  return descriptor.hasMetadata(unaliasedName);
}
