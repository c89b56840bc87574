// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vector operations on the bytes of a register. Source: AMD's ISA manuals (Vega, RDNA 3),
// V_SAD_U8 to V_MQSAD_PK_U16_U8 and V_LERP_U8.
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

/// Byte 0 is the lowest.
static Exact byteAt(uint64_t bits, unsigned place) {
  return Exact((bits >> (8 * place)) & 0xff);
}

static Exact distance(Exact a, Exact b) {
  return a < b ? b - a : a - b;
}

/// The sum over the four bytes of \p reference and those of \p bits from \p first on. Masked: a
/// byte of the reference that is 0 matches everything.
static Exact byteDistance(uint64_t bits, unsigned first, uint64_t reference, bool isMasked) {
  Exact sum = 0;
  for (unsigned place = 0; place < 4; ++place) {
    Exact expected = byteAt(reference, place);
    if (!isMasked || expected != 0)
      sum += distance(byteAt(bits, first + place), expected);
  }
  return sum;
}

/// Distances of both halves, and source 2.
static Answer shortDistance(Q q) {
  Exact low = distance(Exact(q.bits(0) % 65536), Exact(q.bits(1) % 65536));
  Exact high = distance(Exact(q.bits(0) / 65536), Exact(q.bits(1) / 65536));
  return low + high + q[2];
}

/// Four windows of source 0, each with its 16 bits of source 2; q.parameter: masked.
static Answer quadDistances(Q q) {
  uint64_t packed = 0;
  for (unsigned window = 0; window < 4; ++window) {
    Exact sum = byteDistance(q.bits(0), window, q.bits(1), q.parameter != 0);
    sum += Exact((q.bits(2) >> (16 * window)) & 0xffff);
    if (q.input.clamp)
      sum = saturated(sum, 16, false);
    packed |= lowBits(sum, 16) << (16 * window);
  }
  return Exact(packed);
}

/// The mean of each pair of bytes, rounded up where source 2's byte is odd.
static Answer means(Q q) {
  Exact value = 0;
  for (unsigned place = 0; place < 4; ++place) {
    Exact sum = byteAt(q.bits(0), place) + byteAt(q.bits(1), place);
    sum += byteAt(q.bits(2), place) % 2;
    value += sum / 2 * (Exact(1) << (8 * place));
  }
  return value;
}

static const Definition Definitions[] = {
    {"v_lerp_u8", "u32 = u32 u32 u32", means},
    {"v_sad_u8", "u32 = u32 u32 u32 clamp",
     [](Q q) -> Answer { return byteDistance(q.bits(0), 0, q.bits(1), false) + q[2]; }},
    {"v_sad_hi_u8", "u32 = u32 u32 u32 clamp",
     [](Q q) -> Answer { return byteDistance(q.bits(0), 0, q.bits(1), false) * 65536 + q[2]; }},
    {"v_msad_u8", "u32 = u32 u32 u32 clamp",
     [](Q q) -> Answer { return byteDistance(q.bits(0), 0, q.bits(1), true) + q[2]; }},
    {"v_sad_u16", "u32 = u32 u32 u32 clamp", shortDistance},
    {"v_sad_u32", "u32 = u32 u32 u32 clamp",
     [](Q q) -> Answer { return distance(q[0], q[1]) + q[2]; }},
    {"v_qsad_pk_u16_u8", "u64 = u64 u32 u64", quadDistances, 0},
    {"v_mqsad_pk_u16_u8", "u64 = u64 u32 u64", quadDistances, 1},
};

void definitions::defineVectorBytes(DefinitionSink sink) {
  defineAll(sink, Definitions);
}
