// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifts the function of a row to kernels over 32 or 64 lanes: the function inlined in a loop that
// the compiler makes vectors of, once for each instruction set and each KernelMode. The sets are
// attributes of the kernels alone, not options of a file: whatever is not inlined stays portable,
// so that the linker cannot take a wide copy of an inline function for all. Results are the same
// bits whatever the width, since each lane's arithmetic is, and the folder is compiled without
// contraction to fused operations. Used only by this folder.
#pragma once

#include "oracles/machine/gcn_alu/Kernel.h"
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#define ASSAY_TARGET_AVX2 [[gnu::target("avx2,fma")]]
#define ASSAY_TARGET_AVX512 [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]]
#else
#define ASSAY_TARGET_AVX2
#define ASSAY_TARGET_AVX512
#endif

namespace assay::gcn {

/// Which of a function's results a kernel makes.
enum class KernelResult : uint8_t { Value, ValueAndCarry, Compare };

constexpr unsigned HalfWave = 32;
using LaneWords [[clang::ext_vector_type(HalfWave)]] = uint32_t;
using LaneFloats [[clang::ext_vector_type(HalfWave)]] = float;
using LaneBits [[clang::ext_vector_type(HalfWave)]] = bool;

/// Bit i is set where lane i is not 0.
[[gnu::always_inline]] inline uint32_t packBits(const LaneWords &words) {
  LaneBits bits = __builtin_convertvector(words, LaneBits);
  uint32_t packed;
  static_assert(sizeof(bits) == sizeof(packed));
  std::memcpy(&packed, &bits, sizeof(packed));
  return packed;
}

/// The same of an array.
[[gnu::always_inline]] inline uint32_t packFlags(const uint32_t *flags) {
  LaneWords words;
  std::memcpy(&words, flags, sizeof(words));
  return packBits(words);
}

/// The results of a row of f32 by the host's own f32 arithmetic, which rounds once, to nearest
/// even. Specializations have sourceCount and run(to, sources), which sees the sources with their
/// denormals flushed if the mode says so.
template <auto Fn> struct QuickRow {
  static constexpr bool exists = false;
};

/// Unless \p Keeps, denormals become zeros of their sign.
template <bool Keeps> [[gnu::always_inline]] inline void flushQuickly(LaneFloats &values) {
  if constexpr (!Keeps) {
    constexpr uint32_t Sign = 0x80000000, Fraction = 0x007fffff;
    LaneWords bits;
    std::memcpy(&bits, &values, sizeof(bits));
    LaneWords result = (bits & ~Sign) <= Fraction ? bits & Sign : bits; // A zero keeps its sign.
    std::memcpy(&values, &result, sizeof(values));
  }
}

/// True when \p Quick decided all lanes of the half wave, whose results are in rows.dst then. Open
/// are NaN results, whose bits depend on the sources, and, where denormals are flushed, the
/// smallest normal number: what is less by up to half of its last place rounds to it, but is tiny
/// (isTiny). What rounds to a denormal number is tiny.
template <typename Quick, bool Keeps>
[[gnu::always_inline]] inline bool runQuickly(const LaneRows &rows, unsigned base) {
  LaneFloats sources[3], values;
  for (unsigned i = 0; i < Quick::sourceCount; ++i) {
    std::memcpy(&sources[i], rows.src[i] + base, sizeof(values));
    flushQuickly<Keeps>(sources[i]);
  }
  Quick::run(values, sources);
  LaneWords open = LaneWords(values != values);
  if constexpr (!Keeps) {
    constexpr uint32_t Magnitude = 0x7fffffff, LeastNormal = 0x00800000;
    LaneWords bits;
    std::memcpy(&bits, &values, sizeof(bits));
    open |= LaneWords((bits & Magnitude) == LeastNormal);
  }
  if (packBits(open))
    return false;
  flushQuickly<Keeps>(values);
  std::memcpy(rows.dst + base, &values, sizeof(values));
  return true;
}

/// Runs \p Fn for 32 lanes from \p base on. Returns their carries or comparison results, a bit for
/// each lane; 0 if \p Result has none.
template <AluFunction Fn, KernelResult Result>
[[gnu::always_inline]] inline uint32_t runHalfWave(const LaneRows &rows, const AluMode &mode,
                                                   unsigned base) {
  const uint32_t *a = rows.src[0] + base, *b = rows.src[1] + base, *c = rows.src[2] + base;
  [[maybe_unused]] uint32_t *to = rows.dst + base;
  auto carries = static_cast<uint32_t>(rows.carryIn >> base);
  bool clamp = rows.clamp;
  constexpr bool givesFlags = Result != KernelResult::Value;
  [[maybe_unused]] alignas(64) uint32_t flags[givesFlags ? HalfWave : 1];
#pragma clang loop vectorize(assume_safety) unroll(disable)
  for (unsigned i = 0; i < 32; ++i) {
    AluInput input;
    input.src[0] = a[i];
    input.src[1] = b[i];
    input.src[2] = c[i];
    input.carry = carries >> i & 1;
    input.clamp = clamp;
    input.lane = static_cast<uint8_t>(base + i);
    AluOutput output;
    [[clang::always_inline]] output = Fn(input, mode);
    if constexpr (Result != KernelResult::Compare)
      to[i] = static_cast<uint32_t>(output.value);
    if constexpr (Result == KernelResult::Compare)
      flags[i] = static_cast<uint32_t>(output.value & 1);
    if constexpr (Result == KernelResult::ValueAndCarry)
      flags[i] = output.carry;
  }
  if constexpr (givesFlags)
    return packFlags(flags);
  else
    return 0;
}

/// Whether f32 denormals are kept, on both sides of an operation.
template <KernelMode Mode> constexpr bool keepsDenormals = Mode == KernelMode::KeepsDenormals;

/// Runs \p Fn for lanes \p begin to \p end, with the mode fields that \p Mode selects as
/// constants.
template <AluFunction Fn, KernelResult Result, KernelMode Mode>
[[gnu::always_inline]] inline uint64_t runLanes(const LaneRows &rows, AluMode mode, unsigned begin,
                                                unsigned end) {
  mode.f32Round = 0;
  mode.f32DenormIn = mode.f32DenormOut = keepsDenormals<Mode>;
  uint64_t bits = 0;
  for (unsigned base = begin; base < end; base += HalfWave)
    bits |= uint64_t(runHalfWave<Fn, Result>(rows, mode, base)) << base;
  return bits;
}

using HalfWaveKernel = void (*)(const LaneRows &rows, const AluMode &mode, unsigned base);

/// \p exact runs the half waves that \p Quick leaves open.
template <KernelMode Mode, typename Quick>
[[gnu::always_inline]] inline uint64_t runLanesQuickly(const LaneRows &rows, const AluMode &mode,
                                                       HalfWaveKernel exact) {
  for (unsigned base = 0; base < rows.lanes; base += HalfWave)
    if (!runQuickly<Quick, keepsDenormals<Mode>>(rows, base)) [[unlikely]]
      exact(rows, mode, base);
  return 0;
}

template <AluFunction Fn, KernelResult Result, KernelMode Mode, typename Quick>
struct LiftedKernel {
  /// Without \p Quick: what the whole program may run on has no fused multiply-add.
  static uint64_t portable(const LaneRows &rows, const AluMode &mode) {
    return runLanes<Fn, Result, Mode>(rows, mode, 0, rows.lanes);
  }
  ASSAY_TARGET_AVX2 static uint64_t avx2(const LaneRows &rows, const AluMode &mode) {
    if constexpr (Quick::exists)
      return runLanesQuickly<Mode, Quick>(rows, mode, exactAvx2);
    else
      return runLanes<Fn, Result, Mode>(rows, mode, 0, rows.lanes);
  }
  ASSAY_TARGET_AVX512 static uint64_t avx512(const LaneRows &rows, const AluMode &mode) {
    if constexpr (Quick::exists)
      return runLanesQuickly<Mode, Quick>(rows, mode, exactAvx512);
    else
      return runLanes<Fn, Result, Mode>(rows, mode, 0, rows.lanes);
  }

private:
  ASSAY_TARGET_AVX2 [[gnu::noinline]] static void exactAvx2(const LaneRows &rows,
                                                            const AluMode &mode, unsigned base) {
    runLanes<Fn, Result, Mode>(rows, mode, base, base + HalfWave);
  }
  ASSAY_TARGET_AVX512 [[gnu::noinline]] static void
  exactAvx512(const LaneRows &rows, const AluMode &mode, unsigned base) {
    runLanes<Fn, Result, Mode>(rows, mode, base, base + HalfWave);
  }
};

/// \p UsesMode: \p Fn reads its AluMode; else one kernel serves all modes. \p Quick: a QuickRow.
template <AluFunction Fn, KernelResult Result, bool UsesMode, typename Quick = QuickRow<nullptr>>
struct LiftedKernels {
  using Keeps = LiftedKernel<Fn, Result, KernelMode::KeepsDenormals, Quick>;
  using Flushes =
      LiftedKernel<Fn, Result, UsesMode ? KernelMode::FlushesDenormals : KernelMode::KeepsDenormals,
                   Quick>;
  static constexpr KernelTable table = {{{{Keeps::portable, Flushes::portable},
                                          {Keeps::avx2, Flushes::avx2},
                                          {Keeps::avx512, Flushes::avx512}}}};
};

// --- Comparisons

/// A vector of the lanes of half a wave.
template <typename T> struct LaneVector {
  using Type [[clang::ext_vector_type(HalfWave)]] = T;
};

/// Where one of \p Relations (Compare.h) holds of two sources.
template <typename T, unsigned Relations, bool Keeps>
[[gnu::always_inline]] inline uint32_t compareHalfWave(const LaneRows &rows, unsigned base) {
  constexpr unsigned Less = 1, Equal = 2, Greater = 4, Unordered = 8;
  typename LaneVector<T>::Type a, b;
  std::memcpy(&a, rows.src[0] + base, sizeof(a));
  std::memcpy(&b, rows.src[1] + base, sizeof(b));
  if constexpr (std::is_same_v<T, float>) {
    flushQuickly<Keeps>(a);
    flushQuickly<Keeps>(b);
  }
  LaneWords holds = 0;
  if constexpr (Relations & Less)
    holds |= LaneWords(a < b);
  if constexpr (Relations & Equal)
    holds |= LaneWords(a == b);
  if constexpr (Relations & Greater)
    holds |= LaneWords(a > b);
  if constexpr (Relations & Unordered)
    holds |= LaneWords(a != a) | LaneWords(b != b);
  return packBits(holds);
}

/// One comparison for each instruction set. Only f32 sources have denormals to flush.
template <typename T, unsigned Relations, KernelMode Mode> struct CompareKernel {
  [[gnu::always_inline]] static uint64_t run(const LaneRows &rows) {
    constexpr bool Keeps = keepsDenormals<Mode>;
    uint64_t low = compareHalfWave<T, Relations, Keeps>(rows, 0);
    if (rows.lanes == HalfWave)
      return low;
    return low | uint64_t(compareHalfWave<T, Relations, Keeps>(rows, HalfWave)) << HalfWave;
  }
  static uint64_t portable(const LaneRows &rows, const AluMode &) { return run(rows); }
  ASSAY_TARGET_AVX2 static uint64_t avx2(const LaneRows &rows, const AluMode &) {
    return run(rows);
  }
  ASSAY_TARGET_AVX512 static uint64_t avx512(const LaneRows &rows, const AluMode &) {
    return run(rows);
  }
};

/// The kernels of one comparison for all modes.
template <typename T, unsigned Relations> struct CompareKernels {
  using Keeps = CompareKernel<T, Relations, KernelMode::KeepsDenormals>;
  using Flushes = CompareKernel<T, Relations,
                                std::is_same_v<T, float> ? KernelMode::FlushesDenormals
                                                         : KernelMode::KeepsDenormals>;
  static constexpr KernelTable table = {{{{Keeps::portable, Flushes::portable},
                                          {Keeps::avx2, Flushes::avx2},
                                          {Keeps::avx512, Flushes::avx512}}}};
};

} // namespace assay::gcn
