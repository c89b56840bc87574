// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names: GFX9 and GFX10 write "add" and "add_x2", GFX11 on "add_u32" and "add_u64".
#include "oracles/machine/gcn/memory/Atomics.h"

#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/APFloat.h"
#include <algorithm>
#include <type_traits>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;
using I64 = int64_t;
using Mode = const AtomicMode &;

// --- Integers

/// Zero-extends the bits of a result.
template <typename T> static U64 to(T value) {
  return std::make_unsigned_t<T>(value);
}
template <typename T> static U64 swap(U64, U64 data, U64, Mode) {
  return to(T(data));
}
template <typename T> static U64 compareSwap(U64 old, U64 data, U64 compare, Mode) {
  return T(old) == T(compare) ? to(T(data)) : old;
}
template <typename T> static U64 add(U64 old, U64 data, U64, Mode) {
  return to(T(T(old) + T(data)));
}
template <typename T> static U64 subtract(U64 old, U64 data, U64, Mode) {
  return to(T(T(old) - T(data)));
}
template <typename T> static U64 reverseSubtract(U64 old, U64 data, U64, Mode) {
  return to(T(T(data) - T(old)));
}
template <typename T> static U64 minimum(U64 old, U64 data, U64, Mode) {
  return to(std::min(T(old), T(data)));
}
template <typename T> static U64 maximum(U64 old, U64 data, U64, Mode) {
  return to(std::max(T(old), T(data)));
}
template <typename T> static U64 bitAnd(U64 old, U64 data, U64, Mode) {
  return to(T(old & data));
}
template <typename T> static U64 bitOr(U64 old, U64 data, U64, Mode) {
  return to(T(old | data));
}
template <typename T> static U64 bitXor(U64 old, U64 data, U64, Mode) {
  return to(T(old ^ data));
}
/// Wraps to 0 at \p data.
template <typename T> static U64 increment(U64 old, U64 data, U64, Mode) {
  return T(old) >= T(data) ? 0 : to(T(old + 1));
}
/// Wraps to \p data at 0, and from values above it.
template <typename T> static U64 decrement(U64 old, U64 data, U64, Mode) {
  T value = T(old);
  return value == 0 || value > T(data) ? to(T(data)) : to(T(value - 1));
}
/// csub: saturates at 0. cond_sub: only if the result does not go below 0.
static U64 subtractClamp(U64 old, U64 data, U64, Mode) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : 0;
}
static U64 conditionalSubtract(U64 old, U64 data, U64, Mode) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : U32(old);
}
/// ds_wrap: old >= data ? old - data : old + data2.
static U64 wrap(U64 old, U64 data, U64 second, Mode) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : U32(U32(old) + U32(second));
}
/// ds_mskor: (old & ~mask) | value, the mask first.
template <typename T> static U64 maskOr(U64 old, U64 value, U64 mask, Mode) {
  return to(T((old & ~mask) | value));
}
/// ds_condxchg32: each half is written where the data's highest bit asks for it, without that bit.
static U64 conditionalExchange(U64 old, U64 data, U64, Mode) {
  U64 result = old;
  for (unsigned shift : {0u, 32u}) {
    U64 half = data >> shift & 0xffffffff;
    if (half >> 31)
      result = (result & ~(0xffffffffull << shift)) | (half & 0x7fffffff) << shift;
  }
  return result;
}
/// The low half is the number of whose turn it is: it moves on, and the high half grows, if it is
/// the caller's. The chip wraps the number at a limit that only a driver knows; here at 2^32.
static U64 orderedAdd(U64 old, U64 data, U64, Mode) {
  if (U32(old) != U32(data))
    return old;
  return U64(U32(U32(old >> 32) + U32(data >> 32))) << 32 | U32(U32(old) + 1);
}

// --- Floats, as bits of width B: AMD's CDNA 3 ISA manual, "Float Memory Atomics"; for GFX12
// BUFFER_ATOMIC_MIN_NUM_F32 in RDNA 4's.

namespace {
/// A float format by the widths of its fields.
template <unsigned ExponentBits, unsigned MantissaBits> struct FloatBits {
  static constexpr U64 Mantissa = (U64(1) << MantissaBits) - 1;
  static constexpr U64 Sign = U64(1) << (ExponentBits + MantissaBits);
  static constexpr U64 Infinity = ((U64(1) << ExponentBits) - 1) << MantissaBits;
  static constexpr U64 Quiet = U64(1) << (MantissaBits - 1);

  static bool isNan(U64 bits) { return (bits & ~Sign) > Infinity; }
  static bool isSignaling(U64 bits) { return isNan(bits) && !(bits & Quiet); }
  /// A denormal becomes a zero of its sign, if \p flush.
  static U64 flushed(U64 bits, bool flush) {
    return flush && !(bits & Infinity) ? bits & Sign : bits;
  }
  /// Numbers in ascending order, -0 before +0.
  static U64 rank(U64 bits) { return bits & Sign ? ~bits & (Sign | (Sign - 1)) : bits | Sign; }
};
using Half = FloatBits<5, 10>;
using Brain = FloatBits<8, 7>;
using Single = FloatBits<8, 23>;
using Double = FloatBits<11, 52>;
} // namespace

/// The smaller or the larger of two. What is stored is never flushed, but NaNs become quiet.
template <typename B, bool IsMax> static U64 select(U64 old, U64 data, U64, Mode mode) {
  if (!mode.isNumber && (B::isSignaling(old) || B::isSignaling(data)))
    return (B::isSignaling(old) ? old : data) | B::Quiet;
  if (B::isNan(old) || B::isNan(data)) {
    if (B::isNan(old) && B::isNan(data))
      return (mode.isNumber ? data : old) | B::Quiet;
    return B::isNan(old) ? data : old;
  }
  U64 oldRank = B::rank(B::flushed(old, mode.flushSources));
  U64 dataRank = B::rank(B::flushed(data, mode.flushSources));
  return (IsMax ? dataRank > oldRank : dataRank < oldRank) ? data : old;
}

/// NaNs are equal to nothing, and both zeros are equal.
template <typename B> static U64 compareSwapFloat(U64 old, U64 data, U64 compare, Mode mode) {
  U64 left = B::flushed(old, mode.flushSources);
  U64 right = B::flushed(compare, mode.flushSources);
  bool isEqual =
      !B::isNan(left) && !B::isNan(right) && (left == right || ((left | right) & ~B::Sign) == 0);
  return isEqual ? B::flushed(data, mode.flushSources) : old;
}

/// The sum, to the nearest even. A NaN that went in comes out quiet, the first of two.
template <typename B> static U64 addFloat(U64 old, U64 data, Mode mode, const fltSemantics &kind) {
  if (B::isNan(old) || B::isNan(data))
    return (B::isNan(old) ? old : data) | B::Quiet;
  unsigned width = APFloat::getSizeInBits(kind);
  APFloat sum(kind, APInt(width, B::flushed(old, mode.flushSources)));
  APFloat other(kind, APInt(width, B::flushed(data, mode.flushSources)));
  sum.add(other, APFloat::rmNearestTiesToEven);
  if (sum.isNaN())
    return B::Infinity | B::Quiet;
  return B::flushed(sum.bitcastToAPInt().getZExtValue(), mode.flushResult);
}

static U64 addSingle(U64 old, U64 data, U64, Mode mode) {
  return addFloat<Single>(old, data, mode, APFloat::IEEEsingle());
}
static U64 addDouble(U64 old, U64 data, U64, Mode mode) {
  return addFloat<Double>(old, data, mode, APFloat::IEEEdouble());
}
/// Two sums of 16 bits, each in its half.
template <typename B> static U64 addPair(U64 old, U64 data, Mode mode, const fltSemantics &kind) {
  U64 low = addFloat<B>(old & 0xffff, data & 0xffff, mode, kind);
  U64 high = addFloat<B>(old >> 16 & 0xffff, data >> 16 & 0xffff, mode, kind);
  return low | high << 16;
}
static U64 addHalves(U64 old, U64 data, U64, Mode mode) {
  return addPair<Half>(old, data, mode, APFloat::IEEEhalf());
}
static U64 addBrains(U64 old, U64 data, U64, Mode mode) {
  return addPair<Brain>(old, data, mode, APFloat::BFloat());
}

namespace {

constexpr AtomicFloat Order32 = AtomicFloat::Order32;
constexpr AtomicFloat Order64 = AtomicFloat::Order64;

/// Columns: names, bytes, takesCompare, compareFirst, function, kind of float.
constexpr AtomicRow CommonRows[] = {
    {"swap|swap_b32", 4, false, false, swap<U32>},
    {"swap_x2|swap_b64", 8, false, false, swap<U64>},
    {"cmpswap|cmpswap_b32", 4, true, false, compareSwap<U32>},
    {"cmpswap_x2|cmpswap_b64", 8, true, false, compareSwap<U64>},
    {"fcmpswap|cmpswap_f32", 4, true, false, compareSwapFloat<Single>, Order32},
    {"fcmpswap_x2", 8, true, false, compareSwapFloat<Double>, Order64},
    {"add|add_u32", 4, false, false, add<U32>},
    {"add_x2|add_u64", 8, false, false, add<U64>},
    {"sub|sub_u32", 4, false, false, subtract<U32>},
    {"sub_x2|sub_u64", 8, false, false, subtract<U64>},
    {"csub|csub_u32|sub_clamp_u32", 4, false, false, subtractClamp},
    {"cond_sub_u32", 4, false, false, conditionalSubtract},
    {"smin|min_i32", 4, false, false, minimum<I32>},
    {"smin_x2|min_i64", 8, false, false, minimum<I64>},
    {"umin|min_u32", 4, false, false, minimum<U32>},
    {"umin_x2|min_u64", 8, false, false, minimum<U64>},
    {"smax|max_i32", 4, false, false, maximum<I32>},
    {"smax_x2|max_i64", 8, false, false, maximum<I64>},
    {"umax|max_u32", 4, false, false, maximum<U32>},
    {"umax_x2|max_u64", 8, false, false, maximum<U64>},
    {"and|and_b32", 4, false, false, bitAnd<U32>},
    {"and_x2|and_b64", 8, false, false, bitAnd<U64>},
    {"or|or_b32", 4, false, false, bitOr<U32>},
    {"or_x2|or_b64", 8, false, false, bitOr<U64>},
    {"xor|xor_b32", 4, false, false, bitXor<U32>},
    {"xor_x2|xor_b64", 8, false, false, bitXor<U64>},
    {"inc|inc_u32", 4, false, false, increment<U32>},
    {"inc_x2|inc_u64", 8, false, false, increment<U64>},
    {"dec|dec_u32", 4, false, false, decrement<U32>},
    {"dec_x2|dec_u64", 8, false, false, decrement<U64>},
    {"fmin|min_f32|min_num_f32", 4, false, false, select<Single, false>, Order32},
    {"fmin_x2|min_f64|min_num_f64", 8, false, false, select<Double, false>, Order64},
    {"fmax|max_f32|max_num_f32", 4, false, false, select<Single, true>, Order32},
    {"fmax_x2|max_f64|max_num_f64", 8, false, false, select<Double, true>, Order64},
    {"add_f32", 4, false, false, addSingle, AtomicFloat::Add32},
    {"add_f64", 8, false, false, addDouble, AtomicFloat::Add64},
    {"pk_add_f16", 4, false, false, addHalves, AtomicFloat::AddHalves},
    {"pk_add_bf16", 4, false, false, addBrains, AtomicFloat::AddHalves},
    {"ordered_add_b64", 8, false, false, orderedAdd},
};

/// What only DS has, or spells in its own way.
constexpr AtomicRow LdsRows[] = {
    {"wrxchg_b32|storexchg_b32", 4, false, false, swap<U32>},
    {"wrxchg_b64|storexchg_b64", 8, false, false, swap<U64>},
    {"cmpst_b32", 4, true, true, compareSwap<U32>},
    {"cmpst_b64", 8, true, true, compareSwap<U64>},
    {"cmpst_f32", 4, true, true, compareSwapFloat<Single>, Order32},
    {"cmpst_f64", 8, true, true, compareSwapFloat<Double>, Order64},
    {"cmpstore_b32", 4, true, false, compareSwap<U32>},
    {"cmpstore_b64", 8, true, false, compareSwap<U64>},
    {"cmpstore_f32", 4, true, false, compareSwapFloat<Single>, Order32},
    {"cmpstore_f64", 8, true, false, compareSwapFloat<Double>, Order64},
    {"mskor_b32", 4, true, true, maskOr<U32>},
    {"mskor_b64", 8, true, true, maskOr<U64>},
    {"rsub_u32", 4, false, false, reverseSubtract<U32>},
    {"rsub_u64", 8, false, false, reverseSubtract<U64>},
    {"wrap_b32", 4, true, false, wrap},
    {"condxchg32_b64", 8, false, false, conditionalExchange},
};

} // namespace

/// Which operations treat each bit apart, or drop the old value.
AtomicEffect gcn::effectOf(const AtomicRow &row) {
  static constexpr std::pair<AtomicFunction, AtomicEffect> effects[] = {
      {swap<U32>, AtomicEffect::Replaces}, {swap<U64>, AtomicEffect::Replaces},
      {bitAnd<U32>, AtomicEffect::And},    {bitAnd<U64>, AtomicEffect::And},
      {bitOr<U32>, AtomicEffect::Or},      {bitOr<U64>, AtomicEffect::Or},
      {bitXor<U32>, AtomicEffect::Xor},    {bitXor<U64>, AtomicEffect::Xor},
  };
  for (const auto &[function, effect] : effects)
    if (row.function == function)
      return effect;
  return AtomicEffect::Mixes;
}

ArrayRef<AtomicRow> gcn::atomicRows() {
  return CommonRows;
}

ArrayRef<AtomicRow> gcn::ldsAtomicRows() {
  return LdsRows;
}

/// The row with this name, or null.
static const AtomicRow *findIn(ArrayRef<AtomicRow> rows, StringRef name) {
  for (const AtomicRow &row : rows)
    if (isNamed(row.names, name))
      return &row;
  return nullptr;
}

/// \p name is without the family and "atomic_".
const AtomicRow *gcn::findAtomic(StringRef name) {
  return findIn(CommonRows, name);
}

/// \p name is without "ds_" and "_rtn". Names that only DS has come first.
const AtomicRow *gcn::findLdsAtomic(StringRef name) {
  const AtomicRow *row = findIn(LdsRows, name);
  return row ? row : findIn(CommonRows, name);
}
