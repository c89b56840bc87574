// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VOP3P: two 16-bit operations at once. op_sel, op_sel_hi and neg_lo, neg_hi are applied before.
#include "oracles/machine/gcn_alu/Lift.h"
#include "oracles/machine/gcn_alu/MinMax.h"
#include "oracles/machine/gcn_alu/Short.h"
#include "oracles/machine/gcn_alu/Tables.h"

using namespace assay::gcn;

using U16 = uint16_t;
using I16 = int16_t;

/// One half of a register.
static Half half(uint32_t bits, bool high) {
  return Half{uint16_t(high ? bits >> 16 : bits)};
}

/// \p Fn on both halves.
template <auto Fn> static PkHalf halves2(PkHalf a, PkHalf b, const AluMode &mode) {
  Half low = Fn(half(a.bits, false), half(b.bits, false), mode);
  Half high = Fn(half(a.bits, true), half(b.bits, true), mode);
  return {uint32_t(low.bits) | uint32_t(high.bits) << 16};
}

/// An fma on both halves, each rounded once.
static PkHalf fmaHalves(PkHalf a, PkHalf b, PkHalf c, const AluMode &mode) {
  Half low = floatFma(half(a.bits, false), half(b.bits, false), half(c.bits, false), mode);
  Half high = floatFma(half(a.bits, true), half(b.bits, true), half(c.bits, true), mode);
  return {uint32_t(low.bits) | uint32_t(high.bits) << 16};
}

/// v_pk_fmac: the addend is the old value of the destination.
static PkHalf fmaHalvesOld(PkHalf a, PkHalf b, Old<PkHalf> c, const AluMode &mode) {
  return fmaHalves(a, b, c.value, mode);
}

/// Fn, on int64_t, over both halves taken as T; results fitted to T.
template <typename T, typename P, auto Fn> static P integers2(P a, P b, Clamp clamp) {
  T low = fit16<T>(Fn(T(a.bits), T(b.bits)), clamp.value);
  T high = fit16<T>(Fn(T(a.bits >> 16), T(b.bits >> 16)), clamp.value);
  return {uint32_t(U16(low)) | uint32_t(U16(high)) << 16};
}

/// Exact products plus addends, then fitted to 16 bits.
template <typename T, typename P> static P madHalves(P a, P b, P c, Clamp clamp) {
  auto mad = [&](unsigned shift) {
    int64_t product = int64_t(T(a.bits >> shift)) * T(b.bits >> shift);
    return fit16<T>(product + T(c.bits >> shift), clamp.value);
  };
  return {uint32_t(U16(mad(0))) | uint32_t(U16(mad(16))) << 16};
}

/// A packed operation on unsigned halves, of all generations.
template <auto Fn> static constexpr AluOp unsignedRow(const char *name) {
  return valu<integers2<U16, PkUint, Fn>>(name, 9, 12, Packed);
}

/// \p Fn computes one half from sign-extended sources; what does not fit wraps or saturates after
/// it.
template <auto Fn> static constexpr AluOp signedRow(const char *name) {
  return valu<integers2<I16, PkInt, Fn>>(name, 9, 12, Packed);
}

using I64 = int64_t;

/// The operations are exact in 64 bits. A mask keeps the clamp from saturating products and left
/// shifts.
static constexpr AluOp integerRows[] = {
    unsignedRow<[](I64 a, I64 b) { return a + b; }>("v_pk_add_u16"),
    signedRow<[](I64 a, I64 b) { return a + b; }>("v_pk_add_i16"),
    unsignedRow<[](I64 a, I64 b) { return a - b; }>("v_pk_sub_u16"),
    signedRow<[](I64 a, I64 b) { return a - b; }>("v_pk_sub_i16"),
    unsignedRow<[](I64 a, I64 b) { return a * b & 0xffff; }>("v_pk_mul_lo_u16"),
    unsignedRow<[](I64 a, I64 b) { return std::min(a, b); }>("v_pk_min_u16"),
    signedRow<[](I64 a, I64 b) { return std::min(a, b); }>("v_pk_min_i16"),
    unsignedRow<[](I64 a, I64 b) { return std::max(a, b); }>("v_pk_max_u16"),
    signedRow<[](I64 a, I64 b) { return std::max(a, b); }>("v_pk_max_i16"),
    unsignedRow<[](I64 a, I64 b) { return (b << (a & 15)) & 0xffff; }>("v_pk_lshlrev_b16"),
    unsignedRow<[](I64 a, I64 b) { return b >> (a & 15); }>("v_pk_lshrrev_b16"),
    signedRow<[](I64 a, I64 b) { return b >> (a & 15); }>("v_pk_ashrrev_i16"),
    valu<madHalves<U16, PkUint>>("v_pk_mad_u16", 9, 12, Packed),
    valu<madHalves<I16, PkInt>>("v_pk_mad_i16", 9, 12, Packed),
};

static constexpr NanRule legacy = NanRule::Legacy;

static constexpr NanRule number = NanRule::Number;

static constexpr NanRule propagate = NanRule::Propagate;

/// Each applies the operation of one half twice.
static constexpr AluOp floatRows[] = {
    valu<halves2<floatAdd<Half>>>("v_pk_add_f16", 9, 12, Packed),
    valu<halves2<floatMul<Half>>>("v_pk_mul_f16", 9, 12, Packed),
    valu<fmaHalves>("v_pk_fma_f16", 9, 12, Packed),
    valu<fmaHalvesOld>("v_pk_fmac_f16", 9, 12, Packed),
    valu<halves2<floatMin<legacy, Half>>>("v_pk_min_f16", 9, 11, Packed),
    valu<halves2<floatMax<legacy, Half>>>("v_pk_max_f16", 9, 11, Packed),
    valu<halves2<floatMin<number, Half>>>("v_pk_min_num_f16", 12, 12, Packed),
    valu<halves2<floatMax<number, Half>>>("v_pk_max_num_f16", 12, 12, Packed),
    valu<halves2<floatMin<propagate, Half>>>("v_pk_minimum_f16", 12, 12, Packed),
    valu<halves2<floatMax<propagate, Half>>>("v_pk_maximum_f16", 12, 12, Packed),
};

void assay::gcn::addValuPackedRows(RowSink sink) {
  sink(integerRows);
  sink(floatRows);
}
