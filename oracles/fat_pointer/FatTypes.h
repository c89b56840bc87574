// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which types are fat pointers or hold one.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DerivedTypes.h"

namespace assay {

/// Address spaces of the AMDGPU target (LLVM, AMDGPUUsage, "Address Spaces").
constexpr unsigned fatSpace = 7;      ///< Resource and offset: 160 bits.
constexpr unsigned resourceSpace = 8; ///< A V#: 128 bits.
constexpr unsigned stridedSpace = 9;  ///< Resource, index and offset: 192 bits.
constexpr unsigned globalSpace = 1, ldsSpace = 3, constantSpace = 4, scratchSpace = 5;

/// Bits of a pointer into one of the three spaces that stand below its resource.
constexpr unsigned bitsBelowResource(unsigned addressSpace) {
  return addressSpace == fatSpace ? 32 : addressSpace == stridedSpace ? 64 : 0;
}
constexpr bool isFatSpace(unsigned addressSpace) {
  return addressSpace == fatSpace || addressSpace == stridedSpace;
}

/// Answers, and remembers, whether a type is or holds a pointer into address space 7 or 9: elements
/// of aggregates and vectors, parameters and results of function types, parameters of target types.
class FatTypes {
public:
  bool contains(llvm::Type *type);

private:
  llvm::DenseMap<llvm::Type *, bool> m_known;
};

} // namespace assay
