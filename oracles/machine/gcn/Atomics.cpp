// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names: GFX9 and GFX10 write "add" and "add_x2", GFX11 on "add_u32" and "add_u64".
#include "oracles/machine/gcn/Atomics.h"

#include "oracles/machine/gcn/Operands.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <type_traits>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;
using I64 = int64_t;

template <typename T> static T from(U64 bits) {
  if constexpr (std::is_same_v<T, float>)
    return bit_cast<float>(U32(bits));
  else if constexpr (std::is_same_v<T, double>)
    return bit_cast<double>(bits);
  else
    return T(bits);
}

template <typename T> static U64 to(T value) {
  if constexpr (std::is_same_v<T, float>)
    return bit_cast<U32>(value);
  else if constexpr (std::is_same_v<T, double>)
    return bit_cast<U64>(value);
  else
    return std::make_unsigned_t<T>(value);
}

template <typename T> static U64 swap(U64, U64 data, U64) {
  return to(from<T>(data));
}
template <typename T> static U64 compareSwap(U64 old, U64 data, U64 compare) {
  return from<T>(old) == from<T>(compare) ? to(from<T>(data)) : old;
}
template <typename T> static U64 add(U64 old, U64 data, U64) {
  return to(T(from<T>(old) + from<T>(data)));
}
template <typename T> static U64 subtract(U64 old, U64 data, U64) {
  return to(T(from<T>(old) - from<T>(data)));
}
template <typename T> static U64 reverseSubtract(U64 old, U64 data, U64) {
  return to(T(from<T>(data) - from<T>(old)));
}
template <typename T> static U64 minimum(U64 old, U64 data, U64) {
  return from<T>(data) < from<T>(old) ? to(from<T>(data)) : old;
}
template <typename T> static U64 maximum(U64 old, U64 data, U64) {
  return from<T>(data) > from<T>(old) ? to(from<T>(data)) : old;
}
/// IEEE 754-2019 minimumNumber: a NaN loses, -0 is less than +0.
template <typename T> static bool lessNumber(T a, T b) {
  if (a != a || b != b)
    return b != b && a == a;
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}
template <typename T> static U64 minimumNumber(U64 old, U64 data, U64) {
  return lessNumber(from<T>(data), from<T>(old)) ? to(from<T>(data)) : old;
}
template <typename T> static U64 maximumNumber(U64 old, U64 data, U64) {
  T a = from<T>(old);
  T b = from<T>(data);
  bool takes = a != a ? b == b : b == b && lessNumber(a, b);
  return takes ? to(b) : old;
}
template <typename T> static U64 bitAnd(U64 old, U64 data, U64) {
  return to(T(old & data));
}
template <typename T> static U64 bitOr(U64 old, U64 data, U64) {
  return to(T(old | data));
}
template <typename T> static U64 bitXor(U64 old, U64 data, U64) {
  return to(T(old ^ data));
}
template <typename T> static U64 increment(U64 old, U64 data, U64) {
  return from<T>(old) >= from<T>(data) ? 0 : to(T(old + 1));
}
template <typename T> static U64 decrement(U64 old, U64 data, U64) {
  T value = from<T>(old);
  return value == 0 || value > from<T>(data) ? to(from<T>(data)) : to(T(value - 1));
}
/// csub: saturates at 0. cond_sub: only if the result does not go below 0.
static U64 subtractClamp(U64 old, U64 data, U64) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : 0;
}
static U64 conditionalSubtract(U64 old, U64 data, U64) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : U32(old);
}
/// ds_wrap: old >= data ? old - data : old + data2.
static U64 wrap(U64 old, U64 data, U64 second) {
  return U32(old) >= U32(data) ? U32(old) - U32(data) : U32(old) + U32(second);
}
/// ds_mskor: (old & ~mask) | value, the mask first.
template <typename T> static U64 maskOr(U64 old, U64 value, U64 mask) {
  return to(T((old & ~mask) | value));
}

namespace {

constexpr AtomicRow CommonRows[] = {
    {"swap|swap_b32", 4, false, false, swap<U32>},
    {"swap_x2|swap_b64", 8, false, false, swap<U64>},
    {"cmpswap|cmpswap_b32", 4, true, false, compareSwap<U32>},
    {"cmpswap_x2|cmpswap_b64", 8, true, false, compareSwap<U64>},
    {"fcmpswap|cmpswap_f32", 4, true, false, compareSwap<float>},
    {"fcmpswap_x2", 8, true, false, compareSwap<double>},
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
    {"fmin|min_f32|min_num_f32", 4, false, false, minimumNumber<float>},
    {"fmin_x2|min_f64|min_num_f64", 8, false, false, minimumNumber<double>},
    {"fmax|max_f32|max_num_f32", 4, false, false, maximumNumber<float>},
    {"fmax_x2|max_f64|max_num_f64", 8, false, false, maximumNumber<double>},
    {"add_f32", 4, false, false, add<float>},
    {"add_f64", 8, false, false, add<double>},
};

/// What only DS has, or spells in its own way.
constexpr AtomicRow LdsRows[] = {
    {"wrxchg_b32|storexchg_b32", 4, false, false, swap<U32>},
    {"wrxchg_b64|storexchg_b64", 8, false, false, swap<U64>},
    {"cmpst_b32", 4, true, true, compareSwap<U32>},
    {"cmpst_b64", 8, true, true, compareSwap<U64>},
    {"cmpst_f32", 4, true, true, compareSwap<float>},
    {"cmpst_f64", 8, true, true, compareSwap<double>},
    {"cmpstore_b32", 4, true, false, compareSwap<U32>},
    {"cmpstore_b64", 8, true, false, compareSwap<U64>},
    {"cmpstore_f32", 4, true, false, compareSwap<float>},
    {"cmpstore_f64", 8, true, false, compareSwap<double>},
    {"mskor_b32", 4, true, true, maskOr<U32>},
    {"mskor_b64", 8, true, true, maskOr<U64>},
    {"rsub_u32", 4, false, false, reverseSubtract<U32>},
    {"rsub_u64", 8, false, false, reverseSubtract<U64>},
    {"wrap_b32", 4, true, false, wrap},
};

} // namespace

static const AtomicRow *findIn(ArrayRef<AtomicRow> rows, StringRef name) {
  for (const AtomicRow &row : rows)
    if (isNamed(row.names, name))
      return &row;
  return nullptr;
}

const AtomicRow *gcn::findAtomic(StringRef name) {
  return findIn(CommonRows, name);
}

const AtomicRow *gcn::findLdsAtomic(StringRef name) {
  const AtomicRow *row = findIn(LdsRows, name);
  return row ? row : findIn(CommonRows, name);
}
