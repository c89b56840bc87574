// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/subgroups/Inputs.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace llvm;
using namespace assay::subgroups;

/// True with probability 1 / \p count.
static bool oneIn(std::mt19937_64 &random, unsigned count) {
  return random() % count == 0;
}

/// The bits of \p number in the format of \p scalar.
static uint64_t floatBits(Scalar scalar, double number) {
  APFloat value(number);
  bool losesInfo = false;
  const fltSemantics &semantics = scalar == Scalar::Float16   ? APFloat::IEEEhalf()
                                  : scalar == Scalar::Float32 ? APFloat::IEEEsingle()
                                                              : APFloat::IEEEdouble();
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Returns a small number for a float operation: an integer from -15 to 15 for all but FMul, and a
/// power of two, mostly of size 1, for FMul. Sums of 64 of them, and nearly all products, fit into
/// 11 bits.
static double exactNumber(const Operation &operation, std::mt19937_64 &random) {
  if (StringRef(operation.opcode) != "FMul")
    return double(random() % 31) - 15;
  double sign = oneIn(random, 2) ? -1 : 1;
  if (!oneIn(random, 12))
    return sign;
  return sign * (oneIn(random, 2) ? 2 : 0.5);
}

/// Returns the bits of one operand of the operation's type. Ballots are sparse or have one bit;
/// integers are often small, so that equal ones occur.
static uint64_t makeValue(const Operation &operation, std::mt19937_64 &random) {
  if (operation.kind >= Kind::InverseBallot && operation.kind <= Kind::BallotFindMsb)
    return oneIn(random, 3) ? uint64_t(1) << random() % 64 : random() & random();
  if (isFloat(operation.scalar))
    return floatBits(operation.scalar, exactNumber(operation, random));
  uint64_t bits = random() >> (64 - scalarBits(operation.scalar));
  return oneIn(random, 4) ? bits & 7 : bits;
}

/// Returns inputs with the values 0 and 1: balanced, nearly all 1, or nearly all 0.
static std::vector<LaneInput> makeBools(size_t count, std::mt19937_64 &random) {
  unsigned style = random() % 3;
  std::vector<LaneInput> inputs(count);
  for (LaneInput &input : inputs)
    input.value = style == 0 ? random() & 1 : oneIn(random, 40) == (style == 1);
  return inputs;
}

/// Returns inputs without parameters, one for each lane. An operand that must be uniform is.
/// AllEqual gets equal values in many cases: all of them, or all except one.
static std::vector<LaneInput> makeValues(const Operation &operation, size_t count,
                                         std::mt19937_64 &random) {
  if (operation.scalar == Scalar::Bool)
    return makeBools(count, random);
  std::vector<LaneInput> inputs(count);
  bool isSame = operation.kind == Kind::InverseBallot ||
                (operation.kind == Kind::AllEqual && !oneIn(random, 3));
  for (LaneInput &input : inputs)
    input.value = isSame ? inputs[0].value : makeValue(operation, random);
  if (isSame)
    for (uint64_t value = makeValue(operation, random); LaneInput &input : inputs)
      input.value = value;
  if (operation.kind == Kind::AllEqual && oneIn(random, 2))
    inputs[random() % count].value = makeValue(operation, random);
  return inputs;
}

/// A lane that is active whenever \p lane is; the same for all that are active together with it. \p
/// choice selects one of several candidates. Returns 0 where no lane is always active.
static uint32_t commonLane(Shape shape, ArrayRef<uint32_t> selectors, unsigned lane,
                           uint64_t choice) {
  uint64_t candidates = 0;
  if (shape == Shape::Continue) {
    for (unsigned i = 0; i < selectors.size(); ++i)
      candidates |= uint64_t((selectors[i] & 7) == 0) << i;
  } else if (shape == Shape::Loop) {
    uint32_t longest = 0;
    for (uint32_t selector : selectors)
      longest = std::max(longest, selector & 3);
    if (longest)
      for (unsigned i = 0; i < selectors.size(); ++i)
        candidates |= uint64_t((selectors[i] & 3) == longest) << i;
  } else {
    for (unsigned turn = 0; turn < maxTurns && !candidates; ++turn)
      candidates = activeLanes(shape, selectors, turn, lane);
  }
  if (!candidates)
    return 0;
  for (uint64_t skip = choice % static_cast<unsigned>(popcount(candidates)); skip; --skip)
    candidates &= candidates - 1;
  return static_cast<uint32_t>(countr_zero(candidates));
}

/// Parameters that must be uniform are equal in all lanes. \p size is the number of lanes of a
/// subgroup.
std::vector<LaneInput> assay::subgroups::makeInputs(const Operation &operation, Shape shape,
                                                    ArrayRef<uint32_t> selectors, unsigned size,
                                                    std::mt19937_64 &random) {
  std::vector<LaneInput> inputs = makeValues(operation, selectors.size(), random);
  uint64_t choice = random();
  bool isUniform =
      operation.kind == Kind::Rotate || operation.kind == Kind::QuadBroadcast || oneIn(random, 2);
  for (unsigned lane = 0; lane < inputs.size(); ++lane) {
    uint64_t number = isUniform ? choice : random();
    if (operation.kind == Kind::Broadcast)
      inputs[lane].parameter = commonLane(shape, selectors, lane, choice);
    else if (operation.kind == Kind::QuadBroadcast)
      inputs[lane].parameter = number % 4;
    else
      inputs[lane].parameter = static_cast<uint32_t>(number % size);
  }
  return inputs;
}
