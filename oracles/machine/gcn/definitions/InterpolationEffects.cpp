// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VINTRP, VINTERP and LDSDIR, from AMD's Vega and RDNA 1 to 4 ISA manuals ("Parameter
// Interpolation", V_INTERP_*, LDS_PARAM_LOAD, LDS_DIRECT_LOAD): sums and products are fused (see
// docs/errata-amdgpu.md), halves are rounded from f32. Exact in quadruple precision; for the modes
// that keep denormals and round to the nearest even.
#include "oracles/machine/gcn/definitions/Effect.h"
#include "oracles/machine/gcn/definitions/Texel.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

static float toFloat(uint32_t word) {
  float value;
  __builtin_memcpy(&value, &word, sizeof word);
  return value;
}
static uint32_t toWord(float value) {
  uint32_t word;
  __builtin_memcpy(&word, &value, sizeof word);
  return word;
}
/// One half of a register, as f32.
static float halfOf(uint32_t word, bool isHigh) {
  return toFloat(halfToWord(isHigh ? word / 0x10000 : word % 0x10000, 'F'));
}

/// a * b + c, rounded once.
static float fused(float a, float b, float c, bool truncates) {
  float nearest = std::fma(a, b, c);
  __float128 product = __float128(a) * b, sum = product + c;
  // What the sum lost, by Knuth's TwoSum.
  __float128 part = sum - product, lost = (product - (sum - part)) + (c - part);
  __float128 excess = nearest - sum != 0 ? nearest - sum : -lost;
  bool isLonger = nearest < 0 ? excess < 0 : excess > 0;
  return truncates && isLonger ? std::nextafter(nearest, 0.0f) : nearest;
}

/// The bits of the nearest half, or of the next one toward zero.
static uint32_t toHalf(float value, bool truncates) {
  uint32_t half = wordToHalf(toWord(value), 'F');
  bool isLonger = std::abs(halfOf(half, false)) > std::abs(value);
  return truncates && isLonger ? half - 1 : half;
}

/// Replaces one half of a register.
static void setHalf(uint32_t &to, uint32_t half, bool isHigh) {
  to = isHigh ? to % 0x10000 + half * 0x10000 : to / 0x10000 * 0x10000 + half;
}

// --- Parameters in LDS: a vec4 each of P0, P10 and P20 for every primitive of every attribute

/// M0: the first byte, and from bit 16 on a bit for each quad from the second on that begins a
/// primitive.
static uint32_t parameterWord(const Request &request, World &world, unsigned quad,
                              unsigned parameter) {
  uint32_t m0 = world.s[sreg::M0];
  unsigned primitives = 1, own = 0;
  for (unsigned i = 1; i < 16; ++i) {
    bool begins = m0 >> (15 + i) & 1;
    primitives += begins;
    own += begins && i <= quad;
  }
  unsigned vector = (request.attribute * primitives + own) * 3 + parameter;
  uint64_t at = m0 % 0x10000 + (uint64_t(vector) * 4 + request.channel) * 4;
  world.faults |= at + 4 > world.lds.bytes.size();
  return world.faults ? 0 : static_cast<uint32_t>(world.lds.get(at, 4));
}

/// Vectors of a primitive, in their order in LDS.
enum : unsigned { P0, P10, P20 };

/// A quad with one active lane gets all four.
static void loadParameters(const Request &request, World &world) {
  for (unsigned quad = 0; quad < world.lanes / 4; ++quad)
    for (unsigned i = 0; i < 4 && (world.exec() >> (4 * quad) & 15); ++i)
      world.v[request.dst][4 * quad + i] = i < 3 ? parameterWord(request, world, quad, i) : 0;
}

/// M0[18:16]: unsigned byte and short, dword, nothing, signed byte and short.
static void loadDirect(const Request &request, World &world) {
  static constexpr unsigned Bytes[] = {1, 2, 4, 0, 1, 2, 0, 0};
  uint32_t m0 = world.s[sreg::M0];
  unsigned type = m0 >> 16 & 7, bytes = Bytes[type];
  world.faults |= bytes == 0;
  if (world.faults || !world.exec())
    return;
  world.faults |= m0 % 0x10000 + bytes > world.lds.bytes.size();
  if (world.faults)
    return;
  auto value = static_cast<uint32_t>(world.lds.get(m0 % 0x10000, bytes));
  if (type > 3 && value >> (8 * bytes - 1))
    value |= ~0u << (8 * bytes);
  for (unsigned lane = 0; lane < world.lanes; ++lane)
    if (world.exec() >> (lane / 4 * 4) & 15)
      world.v[request.dst][lane] = value;
}

// --- Interpolation

using Meaning = void (*)(const Request &request, World &world, unsigned lane);

/// parameter * I or J + addend, in f32. \p factor is P10 or P20.
static void interpolateOld(const Request &r, World &w, unsigned lane, unsigned factor,
                           float addend) {
  float product = toFloat(parameterWord(r, w, lane / 4, factor));
  w.v[r.dst][lane] = toWord(fused(product, toFloat(w.v[r.data0][lane]), addend, false));
}

/// P0 + I * P10.
static void interpolateFirst(const Request &r, World &w, unsigned lane) {
  interpolateOld(r, w, lane, P10, toFloat(parameterWord(r, w, lane / 4, P0)));
}
/// Adds J * P20 to the destination.
static void interpolateSecond(const Request &r, World &w, unsigned lane) {
  interpolateOld(r, w, lane, P20, toFloat(w.v[r.dst][lane]));
}
/// Operand numbers 0, 1 and 2 are P10, P20 and P0.
static void moveParameter(const Request &r, World &w, unsigned lane) {
  static constexpr unsigned Order[] = {P10, P20, P0};
  w.v[r.dst][lane] = parameterWord(r, w, lane / 4, Order[r.parameter]);
}

/// P0 + I * P10 of parameters in halves; the result is f32.
static void firstOfHalves(const Request &r, World &w, unsigned lane) {
  float factor = halfOf(parameterWord(r, w, lane / 4, P10), r.high[0]);
  float addend = halfOf(parameterWord(r, w, lane / 4, P0), r.high[0]);
  w.v[r.dst][lane] = toWord(fused(factor, toFloat(w.v[r.data0][lane]), addend, false));
}
/// The same, with P0 in a register.
static void firstOfHalfAndRegister(const Request &r, World &w, unsigned lane) {
  float factor = halfOf(parameterWord(r, w, lane / 4, P10), r.high[0]);
  float addend = halfOf(w.v[r.data1][lane], r.high[0]);
  w.v[r.dst][lane] = toWord(fused(factor, toFloat(w.v[r.data0][lane]), addend, false));
}

/// The second step, rounded to half.
static uint32_t secondOfHalves(const Request &r, World &w, unsigned lane) {
  float factor = halfOf(parameterWord(r, w, lane / 4, P20), r.high[0]);
  float sum = fused(factor, toFloat(w.v[r.data0][lane]), toFloat(w.v[r.data1][lane]), false);
  return toHalf(sum, false);
}
/// The other half of the register stays (ACO, instr_is_16bit).
static void secondHalf(const Request &r, World &w, unsigned lane) {
  setHalf(w.v[r.dst][lane], secondOfHalves(r, w, lane), r.high[3]);
}
/// Of GFX8: the other half becomes 0.
static void secondHalfAlone(const Request &r, World &w, unsigned lane) {
  w.v[r.dst][lane] = secondOfHalves(r, w, lane);
}

/// GFX11: parameters of a quad are in its lanes 0 to 2.
struct NewMeaning {
  unsigned factorLane;                                 ///< Of the quad.
  bool addsParameter, hasHalves, givesHalf, truncates; ///< Adds P0 of the quad's lane 0.
};

/// Reads parameters from the quad's lanes, from a copy: the destination may be one of the sources.
static void interpolateNew(const Request &r, World &world, const NewMeaning &meaning) {
  World before = world;
  before.forLanes([&](unsigned lane) {
    auto number = [&](unsigned index, unsigned at, bool isHalf, bool isHigh) {
      uint32_t word = before.v[index][at];
      return isHalf ? halfOf(word, isHigh) : toFloat(word);
    };
    unsigned quad = lane / 4 * 4;
    float factor = number(r.address, quad + meaning.factorLane, meaning.hasHalves, r.high[0]);
    float addend = meaning.addsParameter ? number(r.data1, quad, meaning.hasHalves, r.high[2])
                                         : number(r.data1, lane, false, false);
    float sum = fused(factor, toFloat(before.v[r.data0][lane]), addend, meaning.truncates);
    if (meaning.givesHalf)
      setHalf(world.v[r.dst][lane], toHalf(sum, meaning.truncates), r.high[3]);
    else
      world.v[r.dst][lane] = toWord(sum);
  });
}

namespace {
/// GFX9 and GFX10.
struct OldRow {
  StringLiteral name;
  Meaning run;
};
constexpr OldRow OldRows[] = {
    {"v_interp_p1_f32", interpolateFirst},         {"v_interp_p2_f32", interpolateSecond},
    {"v_interp_mov_f32", moveParameter},           {"v_interp_p1ll_f16", firstOfHalves},
    {"v_interp_p1lv_f16", firstOfHalfAndRegister}, {"v_interp_p2_f16", secondHalf},
    {"v_interp_p2_legacy_f16", secondHalfAlone}};
/// From GFX11 on.
struct NewRow {
  StringLiteral name;
  NewMeaning meaning;
};
constexpr NewRow NewRows[] = {
    {"v_interp_p10_f32", {1, true, false, false, false}},
    {"v_interp_p2_f32", {2, false, false, false, false}},
    {"v_interp_p10_f16_f32", {1, true, true, false, false}},
    {"v_interp_p2_f16_f32", {2, false, true, true, false}},
    {"v_interp_p10_rtz_f16_f32", {1, true, true, false, true}},
    {"v_interp_p2_rtz_f16_f32", {2, false, true, true, true}},
};
} // namespace

/// GFX9's and GFX10's v_interp_p2_f32 is another than the later ones'.
static void run(const Request &request, World &world, StringRef name) {
  if (world.gfx >= 11) {
    for (const NewRow &row : NewRows)
      if (row.name == name)
        interpolateNew(request, world, row.meaning);
    return;
  }
  for (const OldRow &row : OldRows)
    if (row.name == name)
      world.forLanes([&](unsigned lane) { row.run(request, world, lane); });
}

/// Both loads from LDS and all interpolations, whatever the generation.
std::optional<Effect> gcn::definitions::interpolationEffect(StringRef name) {
  Effect effect;
  bool loadsParameter = name == "lds_param_load" || name == "ds_param_load";
  if (loadsParameter || name == "lds_direct_load" || name == "ds_direct_load") {
    effect.run = loadsParameter ? loadParameters : loadDirect;
    return effect;
  }
  auto isNamed = [&](const auto &row) { return row.name == name; };
  if (none_of(OldRows, isNamed) && none_of(NewRows, isNamed))
    return std::nullopt;
  effect.run = [name = name.str()](const Request &request, World &world) {
    run(request, world, name);
  };
  return effect;
}
