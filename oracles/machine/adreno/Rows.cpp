// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Rows.h"

#include "oracles/machine/adreno/Lift.h"
#include <cstring>

using namespace assay::adreno;

using UnitVector [[clang::ext_vector_type(LaneUnit)]] = uint32_t;
using UnitBits [[clang::ext_vector_type(LaneUnit)]] = bool;

/// Calls \p each with the number of each lane, and whether it is in \p active.
template <typename Each>
[[gnu::always_inline]] static inline void forLanes(LaneMask active, unsigned lanes, Each each) {
  for (unsigned base = 0; base < lanes; base += LaneUnit) {
    auto bits = uint32_t(active >> base);
#pragma clang loop vectorize(assume_safety) unroll(disable)
    for (unsigned i = 0; i < LaneUnit; ++i)
      each(base + i, bits >> i & 1);
  }
}

[[gnu::always_inline]] static inline void blendRow(uint32_t *to, const uint32_t *from,
                                                   LaneMask active, unsigned lanes) {
  forLanes(active, lanes,
           [=](unsigned lane, bool isActive) { to[lane] = isActive ? from[lane] : to[lane]; });
}
[[gnu::always_inline]] static inline void readHalfRow(uint32_t *to, const uint32_t *from,
                                                      bool upper, unsigned lanes) {
  unsigned shift = upper ? 16 : 0;
  forLanes(0, lanes, [=](unsigned lane, bool) { to[lane] = from[lane] >> shift & 0xffff; });
}
[[gnu::always_inline]] static inline void
writeHalfRow(uint32_t *to, const uint32_t *from, bool upper, LaneMask active, unsigned lanes) {
  unsigned shift = upper ? 16 : 0;
  uint32_t kept = upper ? 0xffff : 0xffff0000;
  forLanes(active, lanes, [=](unsigned lane, bool isActive) {
    uint32_t word = (to[lane] & kept) | (from[lane] & 0xffff) << shift;
    to[lane] = isActive ? word : to[lane];
  });
}
[[gnu::always_inline]] static inline void widenRow(uint32_t *row, bool isSigned, unsigned lanes) {
  uint32_t sign = isSigned ? 0x8000 : 0;
  forLanes(0, lanes,
           [=](unsigned lane, bool) { row[lane] = ((row[lane] & 0xffff) ^ sign) - sign; });
}
[[gnu::always_inline]] static inline LaneMask packRow(const uint32_t *row, unsigned lanes) {
  LaneMask mask = 0;
  for (unsigned base = 0; base < lanes; base += LaneUnit) {
    UnitVector words;
    std::memcpy(&words, row + base, sizeof(words));
    UnitBits bits = __builtin_convertvector(words, UnitBits);
    uint32_t packed;
    static_assert(sizeof(bits) == sizeof(packed));
    std::memcpy(&packed, &bits, sizeof(packed));
    mask |= LaneMask(packed) << base;
  }
  return mask;
}

#define ASSAY_ROW_HELPERS(NAME, TARGET)                                                            \
  namespace {                                                                                      \
  struct NAME {                                                                                    \
    TARGET static void blend(uint32_t *to, const uint32_t *from, LaneMask active,                  \
                             unsigned lanes) {                                                     \
      blendRow(to, from, active, lanes);                                                           \
    }                                                                                              \
    TARGET static void readHalves(uint32_t *to, const uint32_t *from, bool upper,                  \
                                  unsigned lanes) {                                                \
      readHalfRow(to, from, upper, lanes);                                                         \
    }                                                                                              \
    TARGET static void writeHalves(uint32_t *to, const uint32_t *from, bool upper,                 \
                                   LaneMask active, unsigned lanes) {                              \
      writeHalfRow(to, from, upper, active, lanes);                                                \
    }                                                                                              \
    TARGET static void widen(uint32_t *row, bool isSigned, unsigned lanes) {                       \
      widenRow(row, isSigned, lanes);                                                              \
    }                                                                                              \
    TARGET static LaneMask pack(const uint32_t *row, unsigned lanes) {                             \
      return packRow(row, lanes);                                                                  \
    }                                                                                              \
    static constexpr RowHelpers table = {nullptr,     blend, nullptr, readHalves,                  \
                                         writeHalves, widen, pack};                                \
  };                                                                                               \
  }
ASSAY_ROW_HELPERS(PortableRows, )
ASSAY_ROW_HELPERS(Avx2Rows, ASSAY_FIBERS_AVX2)
ASSAY_ROW_HELPERS(Avx512Rows, ASSAY_FIBERS_AVX512)
#undef ASSAY_ROW_HELPERS

/// What does not depend on active lanes is shared with machine gcn.
static RowHelpers makeHelpers() {
  static constexpr const RowHelpers *ByWidth[assay::gcn::VectorWidthCount] = {
      &PortableRows::table, &Avx2Rows::table, &Avx512Rows::table};
  assay::gcn::VectorWidth width = assay::gcn::hostVectorWidth();
  RowHelpers helpers = *ByWidth[unsigned(width)];
  helpers.fill = assay::gcn::laneHelpers(width).fill;
  helpers.sign = assay::gcn::laneHelpers(width).sign;
  return helpers;
}

const RowHelpers &assay::adreno::rowHelpers() {
  static const RowHelpers helpers = makeHelpers();
  return helpers;
}
