// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handlers made of functions on scalars: each is applied to all lanes and all elements, and poison
// in an operand is poison in the result.
#pragma once

#include "oracles/ir/Machine.h"

namespace assay::ir {

/// A function on scalars, none of them poison. \p result is fresh; it may be made poison.
using UnaryFunction = void (*)(Machine &, const Inst &, const Scalar &, Scalar &result);
using BinaryFunction = void (*)(Machine &, const Inst &, const Scalar &, const Scalar &,
                                Scalar &result);
using TernaryFunction = void (*)(Machine &, const Inst &, const Scalar &, const Scalar &,
                                 const Scalar &, Scalar &result);

/// Of two integers, as values (APIntOps' return references).
inline llvm::APInt leastUnsigned(const llvm::APInt &a, const llvm::APInt &b) {
  return a.ult(b) ? a : b;
}
inline llvm::APInt mostUnsigned(const llvm::APInt &a, const llvm::APInt &b) {
  return a.ugt(b) ? a : b;
}
inline llvm::APInt leastSigned(const llvm::APInt &a, const llvm::APInt &b) {
  return a.slt(b) ? a : b;
}
inline llvm::APInt mostSigned(const llvm::APInt &a, const llvm::APInt &b) {
  return a.sgt(b) ? a : b;
}

inline void clearPoison(Scalar &scalar) {
  scalar.isPoison = false;
  scalar.poisonBytes = 0;
}

template <UnaryFunction function> void mapUnary(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++result) {
      if (a->isPoison) {
        setPoison(*result, inst.bits);
        continue;
      }
      clearPoison(*result);
      function(machine, inst, *a, *result);
    }
  }
}

template <BinaryFunction function> void mapBinary(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++b, ++result) {
      if (a->isPoison || b->isPoison) {
        setPoison(*result, inst.bits);
        continue;
      }
      clearPoison(*result);
      function(machine, inst, *a, *b, *result);
    }
  }
}

template <TernaryFunction function> void mapTernary(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar *a = lane->get(inst.operands[0]), *b = lane->get(inst.operands[1]),
                 *c = lane->get(inst.operands[2]);
    Scalar *result = lane->slots + inst.slot;
    for (uint32_t i = 0; i < inst.count; ++i, ++a, ++b, ++c, ++result) {
      if (a->isPoison || b->isPoison || c->isPoison) {
        setPoison(*result, inst.bits);
        continue;
      }
      clearPoison(*result);
      function(machine, inst, *a, *b, *c, *result);
    }
  }
}

} // namespace assay::ir
