// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a lambda over typed values into a row of the ALU tables: the C++ types of its parameters
// say the operand kinds, the type of its result says the destination and the flags. Used only by
// the table files of this folder.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "oracles/machine/gcn_alu/LiftKernel.h"
#include "oracles/machine/gcn_alu/Numerics.h"
#include "llvm/ADT/bit.h"
#include <tuple>
#include <type_traits>
#include <utility>

namespace assay::gcn {

// Parameters that are not source operands.
struct Carry {
  bool value;
}; ///< AluInput::carry.
struct Clamp {
  bool value;
}; ///< AluInput::clamp.
struct LaneId {
  unsigned value;
}; ///< AluInput::lane.
struct SignedSources {
  uint8_t value;
}; ///< AluInput::signedSources.
struct ByteSelect {
  uint8_t value;
}; ///< AluInput::byteSelect.

// Sources and results that the built-in types do not tell apart.
template <OperandKind K> struct Raw32 {
  uint32_t bits;
};
using PkHalf = Raw32<OperandKind::PkF16>;
using PkUint = Raw32<OperandKind::PkU16>;
using PkInt = Raw32<OperandKind::PkI16>;
using PkBrain = Raw32<OperandKind::PkBF16>;
using PkBytes = Raw32<OperandKind::PkB8>;
using PkNibbles = Raw32<OperandKind::PkB4>;
struct PkFloat {
  uint64_t bits;
};
/// The 16-bit immediate of SOPK.
struct Imm16 {
  uint16_t bits;
};
/// The destination's old value as a source.
template <typename T> struct Old {
  T value;
};

// Results.
template <typename T> struct WithCarry {
  T value;
  bool carry;
}; ///< VALU: carry-out mask; SALU: SCC.
struct OnlyScc {
  bool value;
}; ///< SALU compares.
struct LaneBit {
  bool value;
}; ///< VALU compares.

/// A SALU result whose SCC says that it is not zero.
template <typename T> WithCarry<T> sccNonZero(T value) {
  return {value, value != T(0)};
}

template <typename T> struct KindOf;
#define ASSAY_KIND(TYPE, KIND)                                                                     \
  template <> struct KindOf<TYPE> {                                                                \
    static constexpr OperandKind value = OperandKind::KIND;                                        \
  };
ASSAY_KIND(uint16_t, U16)
ASSAY_KIND(int16_t, I16)
ASSAY_KIND(Half, F16)
ASSAY_KIND(Brain, BF16)
ASSAY_KIND(uint32_t, U32)
ASSAY_KIND(int32_t, I32)
ASSAY_KIND(float, F32)
ASSAY_KIND(uint64_t, U64)
ASSAY_KIND(int64_t, I64)
ASSAY_KIND(double, F64)
ASSAY_KIND(PkFloat, PkF32)
ASSAY_KIND(Imm16, I16)
ASSAY_KIND(LaneBit, Mask)
ASSAY_KIND(OnlyScc, None)
#undef ASSAY_KIND
template <OperandKind K> struct KindOf<Raw32<K>> {
  static constexpr OperandKind value = K;
};
template <typename T> struct KindOf<Old<T>> : KindOf<T> {};
template <typename T> struct KindOf<WithCarry<T>> : KindOf<T> {};

template <typename T> T fromBits(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<float>(uint32_t(bits));
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<double>(bits);
  else if constexpr (std::is_integral_v<T>)
    return T(bits);
  else
    return T{static_cast<decltype(T::bits)>(bits)};
}

template <typename T> uint64_t toBits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return llvm::bit_cast<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return llvm::bit_cast<uint64_t>(value);
  else if constexpr (std::is_integral_v<T>)
    return std::make_unsigned_t<T>(value);
  else
    return value.bits;
}

template <typename T> struct IsOld : std::false_type {};
template <typename T> struct IsOld<Old<T>> : std::true_type {};
template <typename T> struct IsWithCarry : std::false_type {};
template <typename T> struct IsWithCarry<WithCarry<T>> : std::true_type {};

template <typename T>
constexpr bool isSource = !std::is_same_v<T, Carry> && !std::is_same_v<T, Clamp> &&
                          !std::is_same_v<T, LaneId> && !std::is_same_v<T, SignedSources> &&
                          !std::is_same_v<T, ByteSelect> && !std::is_same_v<T, AluMode>;

/// Reads parameter type T; \p next counts the sources taken so far.
template <typename T>
decltype(auto) takeArgument(const AluInput &input, const AluMode &mode, unsigned &next) {
  if constexpr (std::is_same_v<T, Carry>)
    return Carry{input.carry};
  else if constexpr (std::is_same_v<T, Clamp>)
    return Clamp{input.clamp};
  else if constexpr (std::is_same_v<T, LaneId>)
    return LaneId{input.lane};
  else if constexpr (std::is_same_v<T, SignedSources>)
    return SignedSources{input.signedSources};
  else if constexpr (std::is_same_v<T, ByteSelect>)
    return ByteSelect{input.byteSelect};
  else if constexpr (std::is_same_v<T, AluMode>)
    return AluMode(mode);
  else if constexpr (IsOld<T>::value)
    return T{fromBits<decltype(T::value)>(input.src[next++])};
  else
    return fromBits<T>(input.src[next++]);
}

template <typename R> AluOutput giveResult(R result) {
  if constexpr (IsWithCarry<R>::value)
    return {toBits(result.value), result.carry};
  else if constexpr (std::is_same_v<R, OnlyScc>)
    return {0, result.value};
  else if constexpr (std::is_same_v<R, LaneBit>)
    return {uint64_t(result.value), false};
  else
    return {toBits(result), false};
}

template <typename R, typename... P> struct SignatureBase {
  static constexpr bool usesCarry = (std::is_same_v<std::decay_t<P>, Carry> || ...);
  static constexpr bool usesMode = (std::is_same_v<std::decay_t<P>, AluMode> || ...);
  static constexpr bool readsDst = (IsOld<std::decay_t<P>>::value || ...);
  static constexpr OperandKind dst = KindOf<R>::value;
  using Result = R;

  template <typename T> static constexpr void addKind(OperandKind *kinds, unsigned &next) {
    if constexpr (isSource<T>)
      kinds[next++] = KindOf<T>::value;
  }
  static constexpr void fillKinds(OperandKind *kinds) {
    unsigned next = 0;
    (addKind<std::decay_t<P>>(kinds, next), ...);
  }
  template <auto Fn, size_t... I>
  [[gnu::always_inline]] static R apply(const std::tuple<std::decay_t<P>...> &arguments,
                                        std::index_sequence<I...>) {
    [[clang::always_inline]] return Fn(std::get<I>(arguments)...);
  }
  template <auto Fn> static AluOutput call(const AluInput &input, const AluMode &mode) {
    unsigned next = 0;
    // Braces fix the order of evaluation, and with it the numbering of the sources.
    std::tuple<std::decay_t<P>...> arguments{takeArgument<std::decay_t<P>>(input, mode, next)...};
    return giveResult<R>(apply<Fn>(arguments, std::index_sequence_for<P...>()));
  }
};

template <typename F> struct Signature : Signature<decltype(&F::operator())> {};
template <typename C, typename R, typename... P>
struct Signature<R (C::*)(P...) const> : SignatureBase<R, P...> {};
template <typename R, typename... P> struct Signature<R (*)(P...)> : SignatureBase<R, P...> {};

/// Operands of a kernel: 32 bits, each a lane of its own.
constexpr bool isLaneKind(OperandKind kind) {
  return kind == OperandKind::B32 || kind == OperandKind::U32 || kind == OperandKind::I32 ||
         kind == OperandKind::F32;
}

template <typename S> constexpr bool hasLaneOperands() {
  OperandKind kinds[3] = {OperandKind::None, OperandKind::None, OperandKind::None};
  S::fillKinds(kinds);
  for (OperandKind kind : kinds)
    if (kind != OperandKind::None && !isLaneKind(kind))
      return false;
  return isLaneKind(S::dst) || std::is_same_v<typename S::Result, LaneBit>;
}

/// The kernels of a row of the vector table; null where not all its operands have 32 bits.
template <auto Fn, typename S> constexpr const KernelTable *findKernels() {
  using R = S::Result;
  if constexpr (!hasLaneOperands<S>())
    return nullptr;
  else if constexpr (std::is_same_v<R, LaneBit>)
    return &LiftedKernels<S::template call<Fn>, KernelResult::Compare, S::usesMode>::table;
  else if constexpr (IsWithCarry<R>::value)
    return &LiftedKernels<S::template call<Fn>, KernelResult::ValueAndCarry, S::usesMode>::table;
  else
    return &LiftedKernels<S::template call<Fn>, KernelResult::Value, S::usesMode,
                          QuickRow<Fn>>::table;
}

template <auto Fn, bool Salu>
constexpr AluOp makeRow(const char *name, unsigned flags, unsigned minGfx, unsigned maxGfx) {
  using S = Signature<std::remove_const_t<decltype(Fn)>>;
  using R = S::Result;
  unsigned all = flags;
  if (S::usesCarry)
    all |= Salu ? unsigned(ReadsScc) : unsigned(CarryIn);
  if (S::readsDst)
    all |= ReadsDst;
  if (IsWithCarry<R>::value)
    all |= Salu ? unsigned(WritesScc) : unsigned(CarryOut);
  if (std::is_same_v<R, OnlyScc>)
    all |= unsigned(WritesScc) | unsigned(NoDst);
  if (std::is_same_v<R, LaneBit>)
    all |= Compare;
  AluOp op{name,           &S::template call<Fn>,
           S::dst,         {OperandKind::None, OperandKind::None, OperandKind::None},
           uint16_t(all),  uint8_t(minGfx),
           uint8_t(maxGfx)};
  S::fillKinds(op.src);
  // What is computed one by one in any case would only be longer.
  if constexpr (!Salu)
    if (!(flags & (Trans | MixSources | WritesHigh)))
      op.kernels = findKernels<Fn, S>();
  return op;
}

/// A row of the vector table. Further names of the same operation follow after '|'; "@9-10" after a
/// name says that only these generations call it so, "@11" all from GFX11 on.
template <auto Fn>
constexpr AluOp valu(const char *name, unsigned minGfx = 9, unsigned maxGfx = 12,
                     unsigned flags = 0) {
  return makeRow<Fn, false>(name, flags, minGfx, maxGfx);
}

/// A row of the scalar table; names as above.
template <auto Fn>
constexpr AluOp salu(const char *name, unsigned minGfx = 9, unsigned maxGfx = 12,
                     unsigned flags = 0) {
  return makeRow<Fn, true>(name, flags, minGfx, maxGfx);
}

} // namespace assay::gcn
