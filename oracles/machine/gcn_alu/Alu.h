// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of AMD's scalar and vector ALUs, as tables: one row an operation, one pure function
// a row, applied lane by lane (VALU) or once (SALU). What needs a wave - cross-lane operations,
// exec-mask operations, branches, memory - is not in here.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::gcn {

/// How an operand is read and written: its width, and what inline constants and modifiers mean.
/// Float kinds take neg/abs/omod/clamp as float operations; a source arrives with its modifiers
/// applied, as raw bits in the low end of a uint64_t, other bits zero.
enum class OperandKind : uint8_t { None, B16, B32, B64, U16, I16, F16, U32, I32, F32, U64, I64, F64, PkF16, PkU16, PkI16, Mask };

/// The parts of the MODE register (and of the chip) that change what an operation gives.
struct AluMode {
  bool f32DenormIn = false;   ///< Denormal f32 sources are kept, not flushed.
  bool f32DenormOut = false;  ///< Denormal f32 results are kept.
  bool f16f64DenormIn = true;
  bool f16f64DenormOut = true;
  uint8_t f32Round = 0;       ///< 0 even, 1 +inf, 2 -inf, 3 zero.
  uint8_t f16f64Round = 0;
  bool ieee = false;
  bool dx10Clamp = true;
  unsigned gfxMajor = 9;
};

struct AluInput {
  uint64_t src[3] = {};  ///< src[2] is the old destination for operations that read it (fmac, mac).
  bool carry = false;    ///< VALU: the lane's bit of the carry-in mask (also v_cndmask's select,
                         ///< v_div_fmas's VCC); SALU: SCC.
};

struct AluOutput {
  uint64_t value = 0;
  bool carry = false; ///< VALU: the lane's bit of the carry-out mask (v_div_scale too); SALU: new SCC.
};

using AluFunction = AluOutput (*)(const AluInput &input, const AluMode &mode);

/// Bits of AluOp::flags.
enum AluFlags : uint16_t {
  CarryIn = 1,        ///< VALU: a mask operand (VCC in e32) follows the sources.
  CarryOut = 2,       ///< VALU: a mask operand (VCC in e32) follows the destination.
  Compare = 4,        ///< VALU: the destination is a mask; the result is AluOutput::value's bit 0.
  WritesExec = 8,     ///< v_cmpx.
  ReadsDst = 16,      ///< src[2] (or src[1] of SOPK) is the destination register itself.
  WritesScc = 32,     ///< SALU: SCC := AluOutput::carry.
  ReadsScc = 64,      ///< SALU.
  NoDst = 128,        ///< SALU compares: only SCC.
  Trans = 256,        ///< Transcendental unit.
};

/// One operation. \p name is LLVM's mnemonic without encoding suffix (_e32, _e64, _dpp, _sdwa).
struct AluOp {
  const char *name;
  OperandKind dst;
  OperandKind src[3];
  uint16_t flags;
  AluFunction function;
};

/// The row of mnemonic \p name as generation \p gfxMajor means it, or null. The same name may mean
/// different things on different generations (v_add_u32); tables know.
const AluOp *findValuOp(llvm::StringRef name, unsigned gfxMajor);
const AluOp *findSaluOp(llvm::StringRef name, unsigned gfxMajor);

} // namespace assay::gcn
