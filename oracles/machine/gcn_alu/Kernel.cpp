// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_alu/Kernel.h"

#include "oracles/machine/gcn_alu/LiftKernel.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace assay::gcn;

/// Instruction sets that this CPU has, from the narrowest to the widest. AVX-512 counts only with
/// AVX2 and FMA.
static SmallVector<VectorWidth, VectorWidthCount> findWidths() {
  SmallVector<VectorWidth, VectorWidthCount> widths = {VectorWidth::Portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    widths.push_back(VectorWidth::Avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      widths.back() == VectorWidth::Avx2)
    widths.push_back(VectorWidth::Avx512);
#endif
  return widths;
}

/// The portable one is always first.
ArrayRef<VectorWidth> assay::gcn::hostVectorWidths() {
  static const SmallVector<VectorWidth, VectorWidthCount> widths = findWidths();
  return widths;
}

/// Returns the widest kernels that the host supports.
VectorWidth assay::gcn::hostVectorWidth() {
  return hostVectorWidths().back();
}

/// \p lanes is a multiple of 32, here and below.
[[gnu::always_inline]] static inline void fillLanes(uint32_t *to, uint32_t value, unsigned lanes) {
  for (unsigned base = 0; base < lanes; base += 32)
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned i = 0; i < 32; ++i)
      to[base + i] = value;
}

/// Copies the lanes that \p active has a bit for; the others keep their values.
[[gnu::always_inline]] static inline void blendLanes(uint32_t *to, const uint32_t *from,
                                                     uint64_t active, unsigned lanes) {
  for (unsigned base = 0; base < lanes; base += 32) {
    auto bits = static_cast<uint32_t>(active >> base);
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned i = 0; i < 32; ++i)
      to[base + i] = bits >> i & 1 ? from[base + i] : to[base + i];
  }
}

/// Keeps the bits of \p keep, then flips those of \p flip: abs and neg.
[[gnu::always_inline]] static inline void signLanes(uint32_t *to, const uint32_t *from,
                                                    uint32_t keep, uint32_t flip, unsigned lanes) {
  for (unsigned base = 0; base < lanes; base += 32)
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned i = 0; i < 32; ++i)
      to[base + i] = (from[base + i] & keep) ^ flip;
}

#define ASSAY_LANE_HELPERS(NAME, TARGET)                                                           \
  namespace {                                                                                      \
  struct NAME {                                                                                    \
    TARGET static void fill(uint32_t *to, uint32_t value, unsigned lanes) {                        \
      fillLanes(to, value, lanes);                                                                 \
    }                                                                                              \
    TARGET static void blend(uint32_t *to, const uint32_t *from, uint64_t active,                  \
                             unsigned lanes) {                                                     \
      blendLanes(to, from, active, lanes);                                                         \
    }                                                                                              \
    TARGET static void sign(uint32_t *to, const uint32_t *from, uint32_t keep, uint32_t flip,      \
                            unsigned lanes) {                                                      \
      signLanes(to, from, keep, flip, lanes);                                                      \
    }                                                                                              \
  };                                                                                               \
  }
ASSAY_LANE_HELPERS(PortableHelpers, )
ASSAY_LANE_HELPERS(Avx2Helpers, ASSAY_TARGET_AVX2)
ASSAY_LANE_HELPERS(Avx512Helpers, ASSAY_TARGET_AVX512)
#undef ASSAY_LANE_HELPERS

/// The host must support \p width.
const LaneHelpers &assay::gcn::laneHelpers(VectorWidth width) {
  static constexpr LaneHelpers Helpers[VectorWidthCount] = {
      {PortableHelpers::fill, PortableHelpers::blend, PortableHelpers::sign},
      {Avx2Helpers::fill, Avx2Helpers::blend, Avx2Helpers::sign},
      {Avx512Helpers::fill, Avx512Helpers::blend, Avx512Helpers::sign}};
  return Helpers[unsigned(width)];
}
