// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of categories 1 to 4 as tables: for each instruction a kernel that computes all lanes.
#pragma once

#include "oracles/machine/adreno/Arithmetic.h"
#include "oracles/machine/gcn_alu/Kernel.h"
#include "oracles/machine/ir3_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace assay::adreno {

/// The largest wave.
constexpr unsigned MaxLanes = 128;
/// Rows have a multiple of this number of lanes, even if a wave has fewer.
constexpr unsigned LaneUnit = 32;

/// How bits of a source or a result are read.
enum class ValueKind : uint8_t {
  Float,    ///< (neg) and (abs) change the sign; widening and narrowing are conversions.
  Signed,   ///< (neg) is the negative number; widening copies the sign.
  Unsigned, ///< Widening adds zeros.
  Bits,     ///< (neg) is the complement.
};

/// Fields of the instruction that change what it computes.
struct AluFields {
  unsigned condition = 0; ///< Of comparisons: field cond.
  bool isMixed = false;   ///< Of dot products: the bytes of the first source have signs.
  bool isHigh = false;    ///< Of dp2acc: the upper two bytes.
};

/// What a kernel computes by, in addition to its sources.
struct AluContext {
  const Arithmetic &arithmetic;
  AluFields fields;
};

/// Computes \p lanes results of the sources, of which each has a word for each lane; halves in the
/// lower 16 bits, with zeros above.
using AluKernel = void (*)(uint32_t *result, const uint32_t *const *sources, unsigned lanes,
                           const AluContext &context);
/// By gcn::VectorWidth.
using AluKernels = std::array<AluKernel, gcn::VectorWidthCount>;

/// One instruction. Null kernels: there is none of that width.
struct AluRow {
  llvm::StringLiteral name;
  ValueKind sources, result;
  const AluKernels *full, *half;
  /// With (sat), of integers. Floats are clamped after the kernel.
  const AluKernels *fullSaturated = nullptr, *halfSaturated = nullptr;
};

/// The rows of category 2, 3 and 4.
llvm::ArrayRef<AluRow> twoSourceRows(), threeSourceRows(), specialRows();
/// Null for an instruction without semantics here.
const AluRow *findAluRow(llvm::StringRef name);

/// \p bits of type \p from as type \p to, rounded by field \p round: category 1.
uint32_t convert(uint32_t bits, DataType from, DataType to, unsigned round,
                 const Arithmetic &arithmetic);
/// A half as a full word or the reverse, as results of other categories are converted.
uint32_t changeWidth(uint32_t bits, bool toHalf, ValueKind kind, const Arithmetic &arithmetic);
/// (sat) of a float: 0 to 1, and 0 for NaN.
uint32_t clampFloat(uint32_t bits, bool half);
/// Applies (neg) and (abs).
uint32_t modify(uint32_t bits, bool half, const Operand &operand, ValueKind kind);
/// Float \p index of the table, as bits.
uint32_t tableFloatBits(unsigned index, bool half);

} // namespace assay::adreno
