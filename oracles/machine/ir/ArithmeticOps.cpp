// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of arithmetic. Floats by APFloat, or by the host's library in double: correctly rounded but
// for the last bits of f64 functions.
#include "oracles/ir/Floats.h"
#include "oracles/machine/ir/Calls.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;
using ir::Scalar;

/// Rounded to the nearest, whatever the function's rounding attributes are.
static void divide(ir::Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                   Scalar &result) {
  APFloat x = ir::toFloat(inst, a);
  x.divide(ir::toFloat(inst, b), APFloat::rmNearestTiesToEven);
  ir::setFloat(inst, x, result);
}

/// The operand is a float of another width; operand 1 says whether to round toward zero.
static void truncate(ir::Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat x = ir::toOperandFloat(inst, a);
  bool losesInfo = false;
  x.convert(inst.shape->elements.front().type->getFltSemantics(),
            immediate(inst, 1) ? APFloat::rmTowardZero : APFloat::rmNearestTiesToEven, &losesInfo);
  ir::setFloat(inst, x, result);
}

/// The float operand as a double: exact for f16, f32 and f64.
static double toDouble(const Inst &inst, const Scalar &scalar) {
  APFloat wide = ir::toFloat(inst, scalar);
  bool losesInfo = false;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.convertToDouble();
}

/// Rounds \p value to the type of the result of \p inst, to the nearest.
static APFloat fromDouble(const Inst &inst, double value) {
  APFloat result(value);
  bool losesInfo = false;
  result.convert(inst.shape->elements.front().type->getFltSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return result;
}

/// Runs \p function of the host's library in double and rounds its result to the type.
template <double (*function)(double)>
static void host(ir::Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  ir::setFloat(inst, fromDouble(inst, function(toDouble(inst, a))), result);
}

/// Rounds twice: in the root and in the quotient.
static double inverseSqrt(double x) {
  return 1 / std::sqrt(x);
}

/// x - y * floor(x / y), each operation rounded to the type.
static void floorModulus(ir::Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                         Scalar &result) {
  APFloat x = ir::toFloat(inst, a), y = ir::toFloat(inst, b), quotient = x;
  quotient.divide(y, APFloat::rmNearestTiesToEven);
  quotient.roundToIntegral(APFloat::rmTowardNegative);
  quotient.multiply(y, APFloat::rmNearestTiesToEven);
  x.subtract(quotient, APFloat::rmNearestTiesToEven);
  ir::setFloat(inst, x, result);
}

/// x - floor(x). Where that rounds to 1, the result is the greatest number below 1.
static void fraction(ir::Machine &, const Inst &inst, const Scalar &a, Scalar &result) {
  APFloat x = ir::toFloat(inst, a), floor = x;
  floor.roundToIntegral(APFloat::rmTowardNegative);
  x.subtract(floor, APFloat::rmNearestTiesToEven);
  APFloat one(x.getSemantics(), 1), below = one;
  below.next(/*nextDown=*/true);
  ir::setFloat(inst, x.compare(one) == APFloat::cmpEqual ? below : x, result);
}

/// min(max(x, low), high), which returns a number where x is NaN.
static void clamp(ir::Machine &, const Inst &inst, const Scalar &a, const Scalar &b,
                  const Scalar &c, Scalar &result) {
  APFloat x = ir::toFloat(inst, a), low = ir::toFloat(inst, b), high = ir::toFloat(inst, c);
  ir::setFloat(inst, minnum(maxnum(x, low), high), result);
}

/// Undefined for a divisor of 0, and where the quotient overflows.
static void floorRemainder(ir::Machine &machine, const Inst &, const Scalar &a, const Scalar &b,
                           Scalar &result) {
  if (b.bits.isZero() || (a.bits.isMinSignedValue() && b.bits.isAllOnes()))
    return machine.stop(RunState::Undefined, "a remainder that there is not");
  APInt remainder = a.bits.srem(b.bits);
  if (!remainder.isZero() && remainder.isNegative() != b.bits.isNegative())
    remainder += b.bits;
  result.bits = remainder;
}

namespace {
/// Offset and width of a field, from operands of i32; nothing where it leaves the word.
struct Field {
  unsigned offset = 0, width = 0;
};
} // namespace

/// Reads a field from operands \p operand (offset) and the next (width), both in bits. Nothing
/// where one is poison or the field leaves the word.
static std::optional<Field> fieldOf(const Inst &inst, const Lane &lane, unsigned operand) {
  const Scalar &offset = *lane.get(inst.operands[operand]);
  const Scalar &width = *lane.get(inst.operands[operand + 1]);
  uint64_t first = offset.bits.getZExtValue(), count = width.bits.getZExtValue();
  if (offset.isPoison || width.isPoison || first + count > inst.bits)
    return std::nullopt;
  return Field{static_cast<unsigned>(first), static_cast<unsigned>(count)};
}

/// Operands: base, offset, width, a constant that says whether the field is signed. A field of
/// width 0 is 0.
static void runExtractBitField(ir::Machine &machine, const Inst &inst) {
  bool isSigned = !inst.operands[3].constant->bits.isZero();
  for (Lane *lane : machine.group()) {
    std::optional<Field> field = fieldOf(inst, *lane, 1);
    for (uint32_t i = 0; i < inst.count; ++i) {
      const Scalar &base = lane->get(inst.operands[0])[i];
      Scalar &result = lane->slots[inst.slot + i];
      if (!field || base.isPoison) {
        ir::setPoison(result, inst.bits);
      } else if (field->width == 0) {
        result = {APInt::getZero(inst.bits)};
      } else {
        APInt part = base.bits.extractBits(field->width, field->offset);
        result = {isSigned ? part.sext(inst.bits) : part.zext(inst.bits)};
      }
    }
  }
}

/// Operands: base, insert, offset, width. A field of width 0 changes nothing.
static void runInsertBitField(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    std::optional<Field> field = fieldOf(inst, *lane, 2);
    for (uint32_t i = 0; i < inst.count; ++i) {
      const Scalar &base = lane->get(inst.operands[0])[i];
      const Scalar &insert = lane->get(inst.operands[1])[i];
      Scalar &result = lane->slots[inst.slot + i];
      if (!field || base.isPoison || insert.isPoison) {
        ir::setPoison(result, inst.bits);
        continue;
      }
      APInt bits = base.bits;
      if (field->width)
        bits.insertBits(insert.bits.trunc(field->width), field->offset);
      result = {std::move(bits)};
    }
  }
}

/// Index of the highest set bit or, of signed negative numbers, of the highest clear bit; -1 where
/// there is none.
static void runFindMsb(ir::Machine &machine, const Inst &inst) {
  bool isSigned = !inst.operands[1].constant->bits.isZero();
  for (Lane *lane : machine.group())
    for (uint32_t i = 0; i < inst.count; ++i) {
      const Scalar &x = lane->get(inst.operands[0])[i];
      Scalar &result = lane->slots[inst.slot + i];
      if (x.isPoison) {
        ir::setPoison(result, inst.bits);
        continue;
      }
      APInt bits = isSigned && x.bits.isNegative() ? ~x.bits : x.bits;
      int64_t index = int64_t(bits.getActiveBits()) - 1;
      result = {APInt(inst.bits, static_cast<uint64_t>(index), true, /*implicitTrunc=*/true)};
    }
}

/// mapUnary and the like apply a function to each scalar; the three field ops handle poison
/// themselves.
ArrayRef<OpRow> irm::arithmeticOps() {
  static constexpr OpRow Rows[] = {
      {"fdiv", ir::mapBinary<divide>},         {"inverse.sqrt", ir::mapUnary<host<inverseSqrt>>},
      {"fmod", ir::mapBinary<floorModulus>},   {"fract", ir::mapUnary<fraction>},
      {"fptrunc", ir::mapUnary<truncate>},     {"fclamp", ir::mapTernary<clamp>},
      {"sin", ir::mapUnary<host<std::sin>>},   {"cos", ir::mapUnary<host<std::cos>>},
      {"exp2", ir::mapUnary<host<std::exp2>>}, {"log2", ir::mapUnary<host<std::log2>>},
      {"smod", ir::mapBinary<floorRemainder>}, {"extract.bit.field", runExtractBitField},
      {"insert.bit.field", runInsertBitField}, {"find.msb", runFindMsb},
  };
  return Rows;
}
