// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be said of a scalar that is partly poison.
#include "oracles/ir/Interpreter.h"

using namespace llvm;

namespace assay::ir {

/// Ones for bits that are not poison. Only the first 32 bytes are known one by one.
APInt knownBits(const Scalar &scalar) {
  unsigned width = scalar.bits.getBitWidth();
  if (!scalar.isPoison)
    return APInt::getAllOnes(width);
  APInt known = APInt::getZero(width);
  for (unsigned byte = 0; scalar.poisonBytes && byte * 8 < width; ++byte)
    if (byte >= 32 || !(scalar.poisonBytes >> byte & 1))
      known.setBits(byte * 8, std::min(width, byte * 8 + 8));
  return known;
}

/// The bits after a freeze: poison ones are chosen as 0.
APInt frozenBits(const Scalar &scalar) {
  return scalar.isPoison ? scalar.bits & knownBits(scalar) : scalar.bits;
}

bool isRefined(const Scalar &before, const Scalar &after) {
  APInt known = knownBits(before);
  return known.isSubsetOf(knownBits(after)) && (before.bits & known) == (after.bits & known);
}

} // namespace assay::ir
