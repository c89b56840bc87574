// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions with registers to words.
#pragma once

#include "compiler/ir3/isa/Compiler.h"
#include "compiler/ir3/isa/Opcode.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace assay::ir3 {

/// A source or a result with its register.
struct Operand {
  enum class File : uint8_t { None, Gpr, Const, Immediate, RelativeGpr, RelativeConst };
  File file = File::None;
  bool half = false, neg = false, abs = false;
  bool repeats = false; ///< (r)
  uint16_t number = 0;
  int32_t value = 0; ///< Bits of an immediate; what is added to a0.x.
};

struct MachineInstruction {
  Opcode opcode = Opcode::Nop;
  Fields fields;
  Operand dst;
  llvm::SmallVector<Operand, 4> sources;
};

/// The word of \p instruction. InvalidInput for operands or fields that the encoding cannot hold.
llvm::Expected<uint64_t> encode(const MachineInstruction &instruction, const Compiler &compiler);

/// The number of the float with the bits \p bits (16 of them when \p half) in category 2's table of
/// floats, or nothing (Mesa, ir3-common.xml, #flut).
std::optional<unsigned> findTableFloat(uint32_t bits, bool half);

} // namespace assay::ir3
