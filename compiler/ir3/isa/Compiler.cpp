// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/isa/Compiler.h"

#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

// name, generation, delays, merged, predicates, nopN, scalar ALU, predication, and/or branch,
// immediate offsets, shfl, getfiberid, private memory, vectors, alignment, constants, upload unit,
// fibers, granularity, waves, branch stack, workgroup memory
static constexpr Compiler Compilers[] = {
    {"a420", 400,   3,     6,  1,  0,   false, 1,  false, false, false, false, false,
     false,  false, false, 48, 16, 448, 4,     32, 2,     16,    64,    32768},
    {"a630", 600,   3,    6,  1,  3,   true, 4,  true, false, true, true, false,
     true,   false, true, 96, 16, 256, 4,    64, 2,    16,    64,   32768},
    {"a660", 600,  3,    6,  1,  3,   true, 4,  true, true, true, true, true,
     true,   true, true, 64, 16, 256, 4,    64, 2,    16,   64,   32768},
    {"a740", 700,  2,    5,  1,  3,   true, 4,  true, true, true, true, true,
     true,   true, true, 96, 16, 512, 4,    64, 2,    16,   64,   32768},
};

/// Names are compared exactly: "a630", without a prefix.
const Compiler *ir3::findCompiler(StringRef name) {
  for (const Compiler &compiler : Compilers)
    if (compiler.name == name)
      return &compiler;
  return nullptr;
}

ArrayRef<Compiler> ir3::allCompilers() {
  return Compilers;
}

/// Double waves take twice the registers. A shader without registers counts as one vector.
unsigned ir3::maxWaves(const Compiler &compiler, unsigned vectors, bool isDouble) {
  unsigned used = std::max(vectors, 1U) * (isDouble ? 2 : 1);
  unsigned waves = compiler.vec4Registers / used * compiler.waveGranularity;
  return std::min<unsigned>(waves, compiler.maxWaves);
}
