// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the flags of ALU rows say.
#pragma once

#include "oracles/machine/gcn_isa/AluOperands.h"

namespace assay::gcn::rowflags {

constexpr uint32_t None = 0;
/// Short operations: forms that there are not.
constexpr uint32_t NoVop3 = 1;
constexpr uint32_t NoSdwa = 2; ///< No form with SDWA.
constexpr uint32_t NoDpp = 4;  ///< No form with DPP.
/// Modifiers of the long form.
constexpr uint32_t Clamp = 8;
constexpr uint32_t Omod = 16;      ///< The output modifier: times 2, times 4, divided by 2.
constexpr uint32_t OpSel = 32;     ///< On every chip, not only where registers have halves.
constexpr uint32_t OpSelPair = 64; ///< Two bits that are no halves: fi and bound_ctrl.
constexpr uint32_t ByteSel = 128;  ///< byte_sel.
constexpr uint32_t Tied = 256;     ///< The result is a source, too, which op_sel counts.
constexpr uint32_t Long = 512;     ///< A VOP3 whose short form is of another format: "_e64".
/// Packed operations.
constexpr uint32_t NoOpSel = 1024;
constexpr uint32_t NoNeg = 2048;         ///< No neg_lo.
constexpr uint32_t NoNegHi = 4096;       ///< No neg_hi.
constexpr uint32_t NegTwo = 8192;        ///< The third source is not negated.
constexpr uint32_t NegThird = 16384;     ///< The third source alone is.
constexpr uint32_t IndexKeyOne = 32768;  ///< index_key of one bit.
constexpr uint32_t IndexKeyWide = 65536; ///< One bit more in wave64.
constexpr uint32_t NoSdwaOmod = 131072;  ///< An integer result: SDWA has no output modifier for it.
constexpr uint32_t IndexKey = IndexKeyOne | IndexKeyWide;

} // namespace assay::gcn::rowflags
