// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lifts the function of a row to kernels over 32 or 64 lanes: the function inlined in a loop that
// the compiler makes vectors of, once for each instruction set and each KernelMode. The sets are
// attributes of the kernels alone, not options of a file: whatever is not inlined stays portable,
// so that the linker cannot take a wide copy of an inline function for all. Results are the same
// bits whatever the width, since each lane's arithmetic is, and the folder is compiled without
// contraction to fused operations. Used only by this folder.
#pragma once

#include "oracles/machine/gcn_alu/Kernel.h"

#if defined(__x86_64__)
#define ASSAY_TARGET_AVX2 [[gnu::target("avx2")]]
#define ASSAY_TARGET_AVX512 [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]]
#else
#define ASSAY_TARGET_AVX2
#define ASSAY_TARGET_AVX512
#endif

namespace assay::gcn {

/// Which of a function's results a kernel makes.
enum class KernelResult : uint8_t { Value, ValueAndCarry, Compare };

template <AluFunction Fn, KernelResult Result>
[[gnu::always_inline]] inline uint32_t runHalfWave(const LaneRows &rows, const AluMode &mode,
                                                   unsigned base) {
  const uint32_t *a = rows.src[0] + base, *b = rows.src[1] + base, *c = rows.src[2] + base;
  [[maybe_unused]] uint32_t *to = rows.dst + base;
  auto carries = static_cast<uint32_t>(rows.carryIn >> base);
  bool clamp = rows.clamp;
  uint32_t bits = 0;
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
      bits |= static_cast<uint32_t>(output.value & 1) << i;
    if constexpr (Result == KernelResult::ValueAndCarry)
      bits |= static_cast<uint32_t>(output.carry) << i;
  }
  return bits;
}

template <AluFunction Fn, KernelResult Result, KernelMode Mode>
[[gnu::always_inline]] inline uint64_t runLanes(const LaneRows &rows, AluMode mode) {
  mode.f32Round = 0;
  mode.f32DenormIn = mode.f32DenormOut = Mode == KernelMode::KeepsDenormals;
  uint64_t bits = 0;
  for (unsigned base = 0; base < rows.lanes; base += 32)
    bits |= uint64_t(runHalfWave<Fn, Result>(rows, mode, base)) << base;
  return bits;
}

template <AluFunction Fn, KernelResult Result, KernelMode Mode> struct LiftedKernel {
  static uint64_t portable(const LaneRows &rows, const AluMode &mode) {
    return runLanes<Fn, Result, Mode>(rows, mode);
  }
  ASSAY_TARGET_AVX2 static uint64_t avx2(const LaneRows &rows, const AluMode &mode) {
    return runLanes<Fn, Result, Mode>(rows, mode);
  }
  ASSAY_TARGET_AVX512 static uint64_t avx512(const LaneRows &rows, const AluMode &mode) {
    return runLanes<Fn, Result, Mode>(rows, mode);
  }
};

/// \p UsesMode: \p Fn reads its AluMode; else one kernel serves all modes.
template <AluFunction Fn, KernelResult Result, bool UsesMode> struct LiftedKernels {
  using Keeps = LiftedKernel<Fn, Result, KernelMode::KeepsDenormals>;
  using Flushes =
      LiftedKernel<Fn, Result,
                   UsesMode ? KernelMode::FlushesDenormals : KernelMode::KeepsDenormals>;
  static constexpr KernelTable table = {{{{Keeps::portable, Flushes::portable},
                                          {Keeps::avx2, Flushes::avx2},
                                          {Keeps::avx512, Flushes::avx512}}}};
};

} // namespace assay::gcn
