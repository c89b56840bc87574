// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GLSL.std.450: functions of whole vectors and matrices, and those that take a float apart.
#include "oracles/machine/spirv/memory/MemoryAccess.h"

#include "support/Error.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

namespace {
/// The components of an operand as intervals; at most a 4x4 matrix.
struct Components {
  Interval value[16];
  Scalar poison = Scalar::exact(0);
};
} // namespace

/// Reads \p count scalars of an operand. Intervals of poison components mean nothing.
static Components componentsOf(Invocation &invocation, const Inst &inst, unsigned operand,
                               uint32_t count) {
  Components result;
  const Scalar *source = invocation.at(inst.op[operand]);
  result.poison = poisonOf(source, count);
  for (uint32_t i = 0; i < count; ++i)
    result.value[i] = intervalOf(source[i], inst.rules);
  return result;
}

/// Writes \p values, or the poison of the operands.
static Status writeAll(Invocation &invocation, const Inst &inst, uint32_t count,
                       const Interval *values, const Scalar &poison) {
  Scalar *dst = invocation.at(inst.dst);
  for (uint32_t i = 0; i < count; ++i)
    dst[i] = poison.isPoison() ? poison : scalarOf(values[i], inst.rules);
  return Status::Next;
}

/// sqrt(dot(x, x)); of one component also its absolute value.
static Interval lengthOf(const Interval *x, uint32_t n, const FloatRules &rules) {
  Interval result = squareRoot(dotProduct(x, x, n, rules), rules);
  return n == 1 ? hull(result, absolute(x[0])) : result;
}

static Status length(Invocation &invocation, const Inst &inst) {
  Components x = componentsOf(invocation, inst, 0, inst.n);
  Interval result = lengthOf(x.value, inst.n, inst.rules);
  return writeAll(invocation, inst, 1, &result, x.poison);
}

/// The length of the difference.
static Status distance(Invocation &invocation, const Inst &inst) {
  Components x = componentsOf(invocation, inst, 0, inst.n);
  Components y = componentsOf(invocation, inst, 1, inst.n);
  for (uint32_t i = 0; i < inst.n; ++i)
    x.value[i] = step::sub(x.value[i], y.value[i], inst.rules);
  Interval result = lengthOf(x.value, inst.n, inst.rules);
  return writeAll(invocation, inst, 1, &result, inheritPoison(x.poison, y.poison));
}

/// x / length(x), or x * inverseSqrt(dot(x, x)).
static Status normalize(Invocation &invocation, const Inst &inst) {
  Components x = componentsOf(invocation, inst, 0, inst.n);
  Interval divisor = lengthOf(x.value, inst.n, inst.rules);
  Interval factor = inverseSqrt(dotProduct(x.value, x.value, inst.n, inst.rules), inst.rules);
  for (uint32_t i = 0; i < inst.n; ++i)
    x.value[i] =
        hull(divide(x.value[i], divisor, inst.rules), step::mul(x.value[i], factor, inst.rules));
  return writeAll(invocation, inst, inst.n, x.value, x.poison);
}

/// Each component is a dot product of two terms.
static Status cross(Invocation &invocation, const Inst &inst) {
  Components x = componentsOf(invocation, inst, 0, 3);
  Components y = componentsOf(invocation, inst, 1, 3);
  Interval result[3];
  for (unsigned i = 0; i < 3; ++i) {
    unsigned j = (i + 1) % 3, k = (i + 2) % 3;
    Interval left[2] = {x.value[j], negate(x.value[k])}, right[2] = {y.value[k], y.value[j]};
    result[i] = dotProduct(left, right, 2, inst.rules);
  }
  return writeAll(invocation, inst, 3, result, inheritPoison(x.poison, y.poison));
}

/// dot(reference, incident) < 0 ? n : -n.
static Status faceForward(Invocation &invocation, const Inst &inst) {
  Components n = componentsOf(invocation, inst, 0, inst.n);
  Components incident = componentsOf(invocation, inst, 1, inst.n);
  Components reference = componentsOf(invocation, inst, 2, inst.n);
  Interval d = dotProduct(reference.value, incident.value, inst.n, inst.rules);
  for (uint32_t i = 0; i < inst.n; ++i) {
    Interval &value = n.value[i];
    if (d.nan || (d.lo < 0 && d.hi >= 0))
      value = hull(value, negate(value));
    else if (d.lo >= 0)
      value = negate(value);
  }
  Scalar poison = inheritPoison(n.poison, inheritPoison(incident.poison, reference.poison));
  return writeAll(invocation, inst, inst.n, n.value, poison);
}

/// i - 2 * dot(n, i) * n.
static Status reflect(Invocation &invocation, const Inst &inst) {
  Components i = componentsOf(invocation, inst, 0, inst.n);
  Components n = componentsOf(invocation, inst, 1, inst.n);
  Interval twice =
      step::mul(Interval::point(2), dotProduct(n.value, i.value, inst.n, inst.rules), inst.rules);
  for (uint32_t c = 0; c < inst.n; ++c) {
    Interval apart = step::sub(i.value[c], step::mul(twice, n.value[c], inst.rules), inst.rules);
    i.value[c] =
        hull(apart,
             step::sub(i.value[c], step::mulUnrounded(twice, n.value[c], inst.rules), inst.rules));
  }
  return writeAll(invocation, inst, inst.n, i.value, inheritPoison(i.poison, n.poison));
}

/// k = 1 - eta^2 * (1 - dot(n, i)^2); k < 0 ? 0 : eta * i - (eta * dot(n, i) + sqrt(k)) * n.
static Status refract(Invocation &invocation, const Inst &inst) {
  Components i = componentsOf(invocation, inst, 0, inst.n);
  Components n = componentsOf(invocation, inst, 1, inst.n);
  Components eta = componentsOf(invocation, inst, 2, 1);
  const Interval one = Interval::point(1), zero = Interval::point(0);
  Interval e = eta.value[0], d = dotProduct(n.value, i.value, inst.n, inst.rules);
  Interval inner = hull(step::sub(one, step::mul(d, d, inst.rules), inst.rules),
                        step::sub(one, step::mulUnrounded(d, d, inst.rules), inst.rules));
  Interval square = hull(step::mul(step::mul(e, e, inst.rules), inner, inst.rules),
                         step::mul(e, step::mul(e, inner, inst.rules), inst.rules));
  Interval k =
      hull(step::sub(one, square, inst.rules),
           step::sub(one, step::mulUnrounded(step::mul(e, e, inst.rules), inner, inst.rules),
                     inst.rules));
  bool mayBeZero = k.lo < 0 || k.nan, mayRefract = k.hi >= 0 || k.nan;
  Interval root = squareRoot(maximum(k, zero), inst.rules);
  Interval factor = hull(step::add(step::mulUnrounded(e, d, inst.rules), root, inst.rules),
                         step::add(step::mul(e, d, inst.rules), root, inst.rules));
  for (uint32_t c = 0; c < inst.n; ++c) {
    Interval refracted = step::sub(step::mulUnrounded(e, i.value[c], inst.rules),
                                   step::mulUnrounded(factor, n.value[c], inst.rules), inst.rules);
    i.value[c] = !mayRefract ? zero : mayBeZero ? hull(refracted, zero) : refracted;
  }
  Scalar poison = inheritPoison(i.poison, inheritPoison(n.poison, eta.poison));
  return writeAll(invocation, inst, inst.n, i.value, poison);
}

namespace {
/// A square matrix, column after column, and minors of it.
struct Square {
  const Interval *value;
  uint32_t size;
  const Interval &at(uint32_t row, uint32_t column) const { return value[column * size + row]; }
};
} // namespace

/// The matrix without one row and one column.
static void removeCross(const Square &matrix, uint32_t row, uint32_t column, Interval *result) {
  for (uint32_t c = 0; c < matrix.size; ++c)
    for (uint32_t r = 0; r < matrix.size; ++r)
      if (r != row && c != column)
        *result++ = matrix.at(r, c);
}

/// True when no product or sum of the expansion can round, on whatever way it is computed: all of
/// them are multiples of one power of two, and small ones.
static bool isExactDeterminant(const Square &matrix, const FloatRules &rules) {
  const FloatFormat &format = formatOf(rules.width);
  double quantum = 1, largest = 0, step = HUGE_VAL;
  for (uint32_t i = 0; i < matrix.size * matrix.size; ++i) {
    const Interval &entry = matrix.value[i];
    if (!entry.isPoint())
      return false;
    largest = std::max(largest, std::fabs(entry.lo));
    step = std::min(step, quantumOf(entry.lo));
  }
  double bound = 1;
  for (uint32_t i = 1; i <= matrix.size; ++i) {
    quantum *= step;
    bound *= largest * i; // size! terms of size factors each.
  }
  return largest == 0 ||
         (bound <= quantum * powerOfTwo(format.precision) && quantum >= format.minNormal);
}

/// Expansion along the first column, each level's sum in any order. \p largest gets the magnitude
/// of the largest term of the outer sum.
static Interval expandDeterminant(const Square &matrix, const FloatRules &rules, double &largest) {
  if (matrix.size == 1)
    return matrix.at(0, 0);
  Interval factors[4], minors[4];
  largest = 0;
  for (uint32_t row = 0; row < matrix.size; ++row) {
    Interval rest[9];
    removeCross(matrix, row, 0, rest);
    double largestOfMinor = 0;
    minors[row] = expandDeterminant({rest, matrix.size - 1}, rules, largestOfMinor);
    factors[row] = row & 1 ? negate(matrix.at(row, 0)) : matrix.at(row, 0);
    Interval term = step::mul(factors[row], minors[row], rules);
    largest = std::max({largest, -term.lo, term.hi});
  }
  return dotProduct(factors, minors, matrix.size, rules);
}

/// Vulkan's tables have no row for Determinant and MatrixInverse, so that it promises nothing of
/// them. Any way of computing a determinant but the expansion differs from it by roundings of the
/// same size; 16 ULP of the largest term are added for them, once.
static Interval determinantOf(const Square &matrix, const FloatRules &rules) {
  double largest = 0;
  Interval result = expandDeterminant(matrix, rules, largest);
  if (matrix.size <= 2 || result.isEmpty() || isExactDeterminant(matrix, rules))
    return result;
  return widenBy(result, 16 * ulpOf(largest, rules.width));
}

/// Rows of a square matrix of \p scalars elements.
static uint32_t sizeOfSquare(uint32_t scalars) {
  return scalars == 4 ? 2 : scalars == 9 ? 3 : 4;
}

/// n: the elements of the matrix.
static Status determinant(Invocation &invocation, const Inst &inst) {
  Components m = componentsOf(invocation, inst, 0, inst.n);
  Interval result = determinantOf({m.value, sizeOfSquare(inst.n)}, inst.rules);
  return writeAll(invocation, inst, 1, &result, m.poison);
}

/// The adjugate over the determinant, by division or by multiplication with the reciprocal.
static Status inverse(Invocation &invocation, const Inst &inst) {
  Components m = componentsOf(invocation, inst, 0, inst.n);
  Square matrix{m.value, sizeOfSquare(inst.n)};
  Interval whole = determinantOf(matrix, inst.rules), result[16];
  Interval reciprocal = divide(Interval::point(1), whole, inst.rules);
  for (uint32_t row = 0; row < matrix.size; ++row) {
    for (uint32_t column = 0; column < matrix.size; ++column) {
      Interval rest[9];
      removeCross(matrix, column, row, rest);
      Interval minor = determinantOf({rest, matrix.size - 1}, inst.rules);
      if ((row + column) & 1)
        minor = negate(minor);
      result[column * matrix.size + row] =
          hull(divide(minor, whole, inst.rules), step::mul(minor, reciprocal, inst.rules));
    }
  }
  return writeAll(invocation, inst, inst.n, result, m.poison);
}

/// Functions with a second result: after the first in a structure, or through a pointer. n counts
/// the components of one; extra is the pointee's memory type, op[3] the room for the second result.
static Error prepareStruct(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareWhole(decoder, operands, inst))
    return error;
  inst.op[3] = inst.dst + inst.n;
  return Error::success();
}
/// op[1]: the pointer. The second result has slots of its own until it is stored.
static Error preparePointer(Decoder &decoder, Operands operands, Inst &inst) {
  if (Error error = prepareWhole(decoder, operands, inst))
    return error;
  Expected<uint32_t> memory = decoder.pointeeOf(operands[1]);
  if (!memory)
    return memory.takeError();
  inst.extra = *memory;
  inst.op[3] = decoder.newSlots(inst.n);
  return Error::success();
}

/// Runs \p Function, then stores the second result through the pointer.
template <Status (*Function)(Invocation &, const Inst &)>
static Status throughPointer(Invocation &invocation, const Inst &inst) {
  Function(invocation, inst);
  return storeValue(invocation, inst, *invocation.at(inst.op[1]), inst.extra,
                    invocation.at(inst.op[3]));
}

/// Fraction and whole part, both with the sign of the operand.
static Status splitWhole(Invocation &invocation, const Inst &inst) {
  Scalar *fraction = invocation.at(inst.dst), *whole = invocation.at(inst.op[3]);
  const Scalar *x = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    if (x[i].isPoison()) {
      fraction[i] = whole[i] = inheritPoison(x[i], x[i]);
      continue;
    }
    Interval a = intervalOf(x[i], inst.rules), integral = roundToZero(a);
    whole[i] = scalarOf(integral, inst.rules);
    Interval rest =
        integral.isPoint() ? step::sub(a, integral, inst.rules) : Interval{-1, 1, a.nan};
    if (rest.isEmpty() && !a.isEmpty())
      rest = {-0.0, 0.0, true}; // The fraction of an infinity: zero, or infinity minus itself.
    if (rest.isExactly(0) && a.hi <= 0)
      rest = Interval::point(-0.0);
    fraction[i] = scalarOf(rest, inst.rules);
  }
  return Status::Next;
}

/// Significand in [0.5, 1) and exponent. Undefined for infinities and NaN.
static Status splitExponent(Invocation &invocation, const Inst &inst) {
  Scalar *significand = invocation.at(inst.dst), *exponent = invocation.at(inst.op[3]);
  const Scalar *x = invocation.at(inst.op[0]);
  for (uint32_t i = 0; i < inst.n; ++i) {
    Interval a = intervalOf(x[i], inst.rules);
    double largest = formatOf(inst.rules.width).maxFinite;
    bool finite = a.lo >= -largest && a.hi <= largest && !a.nan;
    if (x[i].isPoison()) {
      significand[i] = exponent[i] = inheritPoison(x[i], x[i]);
    } else if (!finite) {
      significand[i] = exponent[i] = Scalar::undefined(Cause::Math);
    } else if (!a.isPoint()) {
      significand[i] = exponent[i] = Scalar::ambiguous();
    } else if (a.lo == 0) {
      significand[i] = x[i];
      exponent[i] = Scalar::exact(0);
    } else {
      int e = exponentOf(a.lo) + 1;
      significand[i] = Scalar::exact(toBits(scaleByPower(a.lo, -e), inst.rules.width));
      exponent[i] = Scalar::exact(static_cast<uint32_t>(e));
    }
  }
  return Status::Next;
}

/// extra: the width of the exponent.
static Error prepareLdexp(Decoder &decoder, Operands operands, Inst &inst) {
  inst.extra = decoder.scalarType(decoder.typeOf(operands[1])).width;
  return prepareWhole(decoder, operands, inst);
}

/// x * 2^exponent.
static Interval scaleInterval(Interval a, int64_t exponent, const FloatRules &rules) {
  const FloatFormat &format = formatOf(rules.width);
  auto e = static_cast<int>(std::max<int64_t>(exponent, 2 * -1100));
  if (a.isEmpty())
    return a;
  // Of 64 bits, a denormal result may have been rounded twice here.
  Interval scaled{scaleByPower(a.lo, e), scaleByPower(a.hi, e), a.nan};
  if (rules.width == 64 && (scaled.lo < format.minNormal && scaled.hi > -format.minNormal))
    scaled = widenBy(scaled, 0);
  Interval result = convert(scaled, rules);
  if (result.lo < -format.maxFinite || result.hi > format.maxFinite)
    return Interval::whole(); // Too large for the type: undefined.
  // Below the normal exponents the power itself may have been flushed.
  return exponent < format.minExponent ? hull(result, Interval::point(0)) : result;
}

/// Undefined where the result overflows. The exponent is signed.
static Status scaleExponent(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  const Scalar *x = invocation.at(inst.op[0]), *exponent = invocation.at(inst.op[1]);
  const FloatRules &rules = inst.rules;
  for (uint32_t i = 0; i < inst.n; ++i) {
    if ((x[i].flags | exponent[i].flags) & Poison) {
      dst[i] = inheritPoison(x[i], exponent[i]);
      continue;
    }
    int64_t e = signExtend(exponent[i].bits, inst.extra);
    if (e > 2 - formatOf(rules.width).minExponent)
      dst[i] = Scalar::undefined(Cause::Math); // The result overflows: undefined.
    else
      dst[i] = scalarOf(scaleInterval(intervalOf(x[i], rules), e, rules), rules);
  }
  return Status::Next;
}

ArrayRef<OpRow> reference::glslVectorOps() {
  static const OpRow rows[] = {
      {GLSLstd450Length, prepareWhole, length},
      {GLSLstd450Distance, prepareWhole, distance},
      {GLSLstd450Cross, prepareWhole, cross},
      {GLSLstd450Normalize, prepareWhole, normalize},
      {GLSLstd450FaceForward, prepareWhole, faceForward},
      {GLSLstd450Reflect, prepareWhole, reflect},
      {GLSLstd450Refract, prepareWhole, refract},
      {GLSLstd450Determinant, prepareWhole, determinant},
      {GLSLstd450MatrixInverse, prepareWhole, inverse},
      {GLSLstd450Modf, preparePointer, throughPointer<splitWhole>},
      {GLSLstd450ModfStruct, prepareStruct, splitWhole},
      {GLSLstd450Frexp, preparePointer, throughPointer<splitExponent>},
      {GLSLstd450FrexpStruct, prepareStruct, splitExponent},
      {GLSLstd450Ldexp, prepareLdexp, scaleExponent},
  };
  return rows;
}
