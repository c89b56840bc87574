// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a function of one lane to kernels of all lanes: the function inlined in a loop that the
// compiler makes vectors of, once for each instruction set that a host may have. The sets are
// attributes of the kernels alone, not options of a file, so that the linker cannot take a wide
// copy of an inline function for all. Results are the same bits whatever the width.
#pragma once

#include "oracles/machine/adreno/Alu.h"

#if defined(__x86_64__)
#define ASSAY_FIBERS_AVX2 [[gnu::target("avx2,fma")]]
#define ASSAY_FIBERS_AVX512 [[gnu::target("avx512f,avx512dq,avx512bw,avx512vl")]]
#else
#define ASSAY_FIBERS_AVX2
#define ASSAY_FIBERS_AVX512
#endif

namespace assay::adreno {

/// Functions of one lane: the source bits, of which those beyond the instruction's sources are 0.
using LaneFunction = uint32_t (*)(uint32_t a, uint32_t b, uint32_t c, const AluContext &context);

/// The loop of a kernel. The result may be the row of a source.
template <LaneFunction Function, unsigned Sources>
[[gnu::always_inline]] inline void runLanes(uint32_t *result, const uint32_t *const *sources,
                                            unsigned lanes, const AluContext &context) {
  // Copies, which no store of a result can change.
  const Arithmetic arithmetic = context.arithmetic;
  const AluContext fixed{arithmetic, context.fields};
  const uint32_t *a = sources[0], *b = sources[Sources > 1 ? 1 : 0],
                 *c = sources[Sources > 2 ? 2 : 0];
  for (unsigned base = 0; base < lanes; base += LaneUnit)
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned lane = base; lane < base + LaneUnit; ++lane) {
      uint32_t value;
      [[clang::always_inline]] value =
          Function(a[lane], Sources > 1 ? b[lane] : 0, Sources > 2 ? c[lane] : 0, fixed);
      result[lane] = value;
    }
}

/// The kernels of \p Function.
template <LaneFunction Function, unsigned Sources> struct Lifted {
  static void portable(uint32_t *result, const uint32_t *const *sources, unsigned lanes,
                       const AluContext &context) {
    runLanes<Function, Sources>(result, sources, lanes, context);
  }
  ASSAY_FIBERS_AVX2 static void avx2(uint32_t *result, const uint32_t *const *sources,
                                     unsigned lanes, const AluContext &context) {
    runLanes<Function, Sources>(result, sources, lanes, context);
  }
  ASSAY_FIBERS_AVX512 static void avx512(uint32_t *result, const uint32_t *const *sources,
                                         unsigned lanes, const AluContext &context) {
    runLanes<Function, Sources>(result, sources, lanes, context);
  }
  static constexpr AluKernels wide = {portable, avx2, avx512};
  /// Where the function is too large to be worth more than one copy.
  static constexpr AluKernels narrow = {portable, portable, portable};
};

template <LaneFunction Function, unsigned Sources>
constexpr const AluKernels *lift = &Lifted<Function, Sources>::wide;
template <LaneFunction Function, unsigned Sources>
constexpr const AluKernels *liftNarrow = &Lifted<Function, Sources>::narrow;

/// The kernels of comparisons: one of six functions of two sources, by field cond.
template <LaneFunction... Functions> struct LiftedConditions {
  using Kernel = AluKernel;
  static constexpr Kernel Portable[] = {Lifted<Functions, 2>::portable...};
  static constexpr Kernel Avx2[] = {Lifted<Functions, 2>::avx2...};
  static constexpr Kernel Avx512[] = {Lifted<Functions, 2>::avx512...};
  /// The kernel of the condition; the last one for numbers that have no name.
  template <const Kernel (&Kernels)[sizeof...(Functions)]>
  static void choose(uint32_t *result, const uint32_t *const *sources, unsigned lanes,
                     const AluContext &context) {
    constexpr unsigned Last = sizeof...(Functions) - 1;
    unsigned condition = context.fields.condition;
    Kernels[condition < Last ? condition : Last](result, sources, lanes, context);
  }
  static constexpr AluKernels kernels = {choose<Portable>, choose<Avx2>, choose<Avx512>};
};

} // namespace assay::adreno
