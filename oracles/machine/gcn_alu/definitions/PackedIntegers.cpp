// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VOP3P on pairs of 16-bit integers: each half for itself, clamp too. Source: AMD's ISA manuals,
// "VOP3P Instructions".
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include <algorithm>

using namespace assay::gcn;
using namespace assay::gcn::definitions;

using Q = const Question &;

namespace {
/// One half of each source, as numbers.
struct Halves {
  Exact a, b, c;
};

/// What is done to the halves. Clamps: only sums saturate.
struct HalfOperation {
  Exact (*function)(const Halves &halves);
  bool isSigned;
  bool clamps;
};
} // namespace

/// A shift amount: four bits count.
static unsigned amount(Exact value) {
  return unsigned(value & 15);
}

/// Rounds towards minus infinity; \p divisor is positive.
static Exact floorDivide(Exact value, Exact divisor) {
  Exact quotient = value / divisor;
  return quotient * divisor > value ? quotient - 1 : quotient;
}

static Exact plus(const Halves &h) {
  return h.a + h.b;
}
static Exact minus(const Halves &h) {
  return h.a - h.b;
}
static Exact times(const Halves &h) {
  return h.a * h.b;
}
static Exact timesPlus(const Halves &h) {
  return h.a * h.b + h.c;
}
static Exact least(const Halves &h) {
  return std::min(h.a, h.b);
}
static Exact most(const Halves &h) {
  return std::max(h.a, h.b);
}
/// Shift amounts are the first source.
static Exact left(const Halves &h) {
  return h.b * (Exact(1) << amount(h.a));
}
/// An unsigned half gets zeros from above, a signed one its sign.
static Exact right(const Halves &h) {
  return floorDivide(h.b, Exact(1) << amount(h.a));
}

/// Columns: function, signed halves, saturation with the clamp bit.
static constexpr HalfOperation Operations[] = {
    {plus, false, true},      {plus, true, true},      {minus, false, true},  {minus, true, true},
    {times, false, false},    {least, false, false},   {least, true, false},  {most, false, false},
    {most, true, false},      {left, false, false},    {right, false, false}, {right, true, false},
    {timesPlus, false, true}, {timesPlus, true, true},
};

/// In the order of Operations.
static constexpr const char *Names[] = {
    "v_pk_add_u16",     "v_pk_add_i16",     "v_pk_sub_u16", "v_pk_sub_i16", "v_pk_mul_lo_u16",
    "v_pk_min_u16",     "v_pk_min_i16",     "v_pk_max_u16", "v_pk_max_i16", "v_pk_lshlrev_b16",
    "v_pk_lshrrev_b16", "v_pk_ashrrev_i16", "v_pk_mad_u16", "v_pk_mad_i16"};

/// q.parameter is an index of Operations.
static Answer inHalves(Q q) {
  const HalfOperation &operation = Operations[q.parameter];
  Exact result = 0;
  for (unsigned shift : {0u, 16u}) {
    auto half = [&](unsigned index) {
      return numberOf(q.bits(index) >> shift, 16, operation.isSigned);
    };
    Exact value = operation.function({half(0), half(1), half(2)});
    if (operation.clamps && q.input.clamp)
      value = saturated(value, 16, operation.isSigned);
    result += Exact(lowBits(value, 16)) << shift;
  }
  return result;
}

/// Names and Operations have the same order; the index is the parameter of a definition.
void definitions::definePackedIntegers(DefinitionSink sink) {
  for (int64_t index = 0; index < int64_t(std::size(Operations)); ++index) {
    const HalfOperation &operation = Operations[index];
    std::string kind = operation.isSigned ? "pki16" : "pku16";
    std::string shape = kind + " = " + kind + " " + kind;
    if (operation.function == timesPlus)
      shape += " " + kind;
    sink({Names[index], shape + " packed", inHalves, index});
  }
}
