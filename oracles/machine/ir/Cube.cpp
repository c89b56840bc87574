// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir/Cube.h"

#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/Hardware.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;

/// Of equal coordinates z goes before y, and y before x.
CubeFace irm::projectOnCube(float x, float y, float z) {
  float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay)
    return {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, 2 * z};
  if (ay >= ax)
    return {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, 2 * y};
  return {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, 2 * x};
}

/// Operands: x, y, z as f32. The result is one member of the CubeFace.
template <float CubeFace::*member> static void runCube(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    SmallVector<uint32_t, 3> words;
    for (unsigned i = 0; i < 3; ++i)
      if (!appendDwords(machine, inst, *lane, i, words))
        return;
    CubeFace face = projectOnCube(bit_cast<float>(words[0]), bit_cast<float>(words[1]),
                                  bit_cast<float>(words[2]));
    lane->slots[inst.slot] = {APInt(inst.bits, bit_cast<uint32_t>(face.*member))};
  }
}

ArrayRef<ir::IntrinsicRow> irm::cubeIntrinsics() {
  static constexpr ir::IntrinsicRow Rows[] = {
      {Intrinsic::amdgcn_cubeid, runCube<&CubeFace::face>},
      {Intrinsic::amdgcn_cubesc, runCube<&CubeFace::s>},
      {Intrinsic::amdgcn_cubetc, runCube<&CubeFace::t>},
      {Intrinsic::amdgcn_cubema, runCube<&CubeFace::major>},
  };
  return Rows;
}
