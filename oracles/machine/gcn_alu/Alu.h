// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arithmetic of AMD's scalar and vector ALUs, as tables: one row an operation, one pure
// function a row, applied lane by lane (VALU) or once (SALU). What needs a wave - cross-lane
// operations, exec-mask operations, branches, memory - is not in here.
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <vector>

namespace assay::gcn {

/// How an operand is read and written: its width, and what inline constants and modifiers mean.
/// Float kinds take neg/abs/omod/clamp as float operations; a source arrives with its modifiers
/// applied, as raw bits in the low end of a uint64_t, other bits zero. The Pk
/// kinds arrive with op_sel and op_sel_hi applied: what the low half computes with is in the low
/// 16 bits. PkB8 and PkB4 are four bytes and eight nibbles; PkF32 is two f32 in 64 bits.
enum class OperandKind : uint8_t {
  None,
  B16,
  B32,
  B64,
  U16,
  I16,
  F16,
  U32,
  I32,
  F32,
  U64,
  I64,
  F64,
  PkF16,
  PkU16,
  PkI16,
  Mask,
  BF16,
  PkBF16,
  PkB8,
  PkB4,
  PkF32,
};

/// The parts of the MODE register (and of the chip) that change what an operation gives.
struct AluMode {
  bool f32DenormIn = false;  ///< Denormal f32 sources are kept, not flushed.
  bool f32DenormOut = false; ///< Denormal f32 results are kept.
  bool f16f64DenormIn = true;
  bool f16f64DenormOut = true;
  uint8_t f32Round = 0; ///< 0 even, 1 +inf, 2 -inf, 3 zero.
  uint8_t f16f64Round = 0;
  bool ieee = false;
  bool dx10Clamp = true;
  bool fp16Overflow = false; ///< FP16_OVFL: a finite f16 result beyond the range becomes the
                             ///< largest number in place of infinity (f8 results likewise).
  unsigned gfxMajor = 9;
};

struct AluInput {
  uint64_t src[3] = {}; ///< The last source of a ReadsDst row is the old destination (fmac, mac).
  bool carry = false;   ///< VALU: the lane's bit of the carry-in mask (also v_cndmask's select,
                        ///< v_div_fmas's VCC); SALU: SCC.
  bool clamp =
      false; ///< The clamp bit, for rows with integer results: they saturate themselves,
             ///< since the exact sum is lost afterwards. Float results are clamped by the caller.
  uint8_t lane = 0;          ///< The lane's number in the wave, for v_mbcnt.
  uint8_t signedSources = 0; ///< v_dot*_iu*: neg_lo, bit N set = source N is signed.
  uint8_t byteSelect = 0;    ///< Conversions from and to f8: which byte of a register, 0 to 3.
};

struct AluOutput {
  uint64_t value = 0;
  bool carry =
      false; ///< VALU: the lane's bit of the carry-out mask (v_div_scale too); SALU: new SCC.
};

using AluFunction = AluOutput (*)(const AluInput &input, const AluMode &mode);

/// Bits of AluOp::flags.
enum AluFlags : uint16_t {
  CarryIn = 1,       ///< VALU: a mask operand (VCC in e32) follows the sources.
  CarryOut = 2,      ///< VALU: a mask operand (VCC in e32) follows the destination.
  Compare = 4,       ///< VALU: the destination is a mask; the result is AluOutput::value's bit 0.
  WritesExec = 8,    ///< v_cmpx.
  ReadsDst = 16,     ///< The row's last source is the destination register itself.
  WritesScc = 32,    ///< SALU: SCC := AluOutput::carry.
  ReadsScc = 64,     ///< SALU.
  NoDst = 128,       ///< SALU compares: only SCC.
  Trans = 256,       ///< Transcendental unit.
  MixSources = 512,  ///< v_*_mix*: each source is f32 or one half of a register, by
                     ///< op_sel_hi/op_sel; it arrives here as f32.
  WritesHigh = 1024, ///< v_*_mixhi: the 16-bit result goes to the high half, the low one is kept.
  PreservesHigh = 2048, ///< A 16-bit result that keeps the register's high half on GFX9 too.
  Packed = 4096,        ///< Two independent halves (VOP3P); clamp is per half.
};

struct KernelTable;

/// One operation. \p name is LLVM's mnemonic without encoding suffix (_e32, _e64, _dpp, _sdwa).
/// Sources are in the order in which the assembler writes them, which is also the order of the
/// MCInst. SOPK immediates are the raw 16 bits.
struct AluOp {
  const char *name;
  AluFunction function;
  OperandKind dst;
  OperandKind src[3];
  uint16_t flags;
  uint8_t minGfx = 9; ///< The generations in which the row holds, both ends included.
  uint8_t maxGfx = 12;
  /// The same function over all lanes (Kernel.h); null where lanes are computed one by one.
  const KernelTable *kernels = nullptr;

  unsigned sourceCount() const;
};

/// True when a 16-bit result of \p op clears the other half of its register (GFX9, mostly) rather
/// than keeping it.
bool zeroesHighHalf(const AluOp &op, unsigned gfxMajor);

/// The row of mnemonic \p name as generation \p gfxMajor means it, or null. The same name may mean
/// different things on different generations (v_add_u32); tables know.
const AluOp *findValuOp(llvm::StringRef name, unsigned gfxMajor);
/// The v_dual_* halves of VOPD have rows of their own under VALU.
const AluOp *findSaluOp(llvm::StringRef name, unsigned gfxMajor);

/// Every row of generation \p gfxMajor, for tests and listings.
std::vector<const AluOp *> listValuOps(unsigned gfxMajor);
std::vector<const AluOp *> listSaluOps(unsigned gfxMajor);

} // namespace assay::gcn
