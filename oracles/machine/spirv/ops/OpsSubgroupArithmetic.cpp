// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans of a subgroup (OpGroupNonUniformIAdd and its like). In which order an
// implementation combines is open: what that changes about floats becomes an interval.
#include "oracles/machine/spirv/ops/OpsSubgroup.h"

#include "support/Error.h"
#include <algorithm>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// The contributions of some invocations, one component, combined; the identity for none.
using Reducer = Scalar (*)(ArrayRef<Scalar> values, const Inst &inst);

/// Sets \p result to the poison of \p values; false where none has any.
static bool inheritsPoison(ArrayRef<Scalar> values, Scalar &result) {
  result = poisonOf(values.data(), static_cast<uint32_t>(values.size()));
  return result.isPoison();
}

/// Combines two contributions of \p width bits; bits above the width are cut off at the end.
using Combine = uint64_t (*)(uint64_t a, uint64_t b, unsigned width);
/// The result for no contributions.
using Identity = uint64_t (*)(unsigned width);

/// Integers and booleans: exact in any order.
template <Combine Function, Identity Start>
static Scalar reduceBits(ArrayRef<Scalar> values, const Inst &inst) {
  Scalar result;
  if (inheritsPoison(values, result))
    return result;
  uint64_t bits = Start(inst.width);
  for (const Scalar &value : values)
    bits = Function(bits, value.bits, inst.width);
  return Scalar::exact(bits & maskOf(inst.width));
}

static uint64_t addBits(uint64_t a, uint64_t b, unsigned) {
  return a + b;
}
static uint64_t mulBits(uint64_t a, uint64_t b, unsigned) {
  return a * b;
}
static uint64_t andBits(uint64_t a, uint64_t b, unsigned) {
  return a & b;
}
static uint64_t orBits(uint64_t a, uint64_t b, unsigned) {
  return a | b;
}
static uint64_t xorBits(uint64_t a, uint64_t b, unsigned) {
  return a ^ b;
}
static uint64_t minSigned(uint64_t a, uint64_t b, unsigned width) {
  return signExtend(a, width) < signExtend(b, width) ? a : b;
}
static uint64_t maxSigned(uint64_t a, uint64_t b, unsigned width) {
  return signExtend(a, width) > signExtend(b, width) ? a : b;
}
static uint64_t minUnsigned(uint64_t a, uint64_t b, unsigned) {
  return std::min(a, b);
}
static uint64_t maxUnsigned(uint64_t a, uint64_t b, unsigned) {
  return std::max(a, b);
}
static uint64_t zeroBits(unsigned) {
  return 0;
}
static uint64_t oneBits(unsigned) {
  return 1;
}
/// The identity of a signed minimum.
static uint64_t largestSigned(unsigned width) {
  return maskOf(width) >> 1;
}
/// The identity of a signed maximum.
static uint64_t smallestSigned(unsigned width) {
  return uint64_t(1) << (width - 1);
}

/// Floats: \p Function of the intervals, and the identity where nobody contributes. A zero may have
/// either sign, as that of a product with their number, which some make of a uniform sum.
using IntervalReducer = Interval (*)(ArrayRef<Interval> values, const FloatRules &rules);

static double identityZero() {
  return 0;
}
static double identityOne() {
  return 1;
}
/// The identity of a minimum: infinity.
static double identityMin() {
  return std::numeric_limits<double>::infinity();
}
static double identityMax() {
  return -std::numeric_limits<double>::infinity();
}

/// Reduces the values of one component in any order. Poison in one of them makes the result poison.
/// Without values the result is the exact identity \p Start.
template <IntervalReducer Function, double (*Start)()>
static Scalar reduceFloats(ArrayRef<Scalar> values, const Inst &inst) {
  Scalar result;
  if (inheritsPoison(values, result))
    return result;
  if (values.empty()) {
    FloatRules rules = inst.rules;
    rules.relaxed = false;
    return scalarOf(Interval::point(Start()), rules, Start());
  }
  SmallVector<Interval, 64> intervals;
  for (const Scalar &value : values)
    intervals.push_back(intervalOf(value, inst.rules));
  return scalarOf(Function(intervals, inst.rules), inst.rules);
}

/// The largest absolute value; 0 for an empty interval.
static double magnitude(Interval a) {
  return std::max(std::max(-a.lo, a.hi), 0.0);
}

/// RelaxedPrecision holds for each step; scalarOf knows of the last one only.
static Interval relaxSteps(Interval result, double total, size_t count, const FloatRules &rules) {
  return rules.relaxed ? widenBy(result, total * double(count) * 0x1p-10) : result;
}

/// A dot product with ones: any order of additions.
static Interval sumOf(ArrayRef<Interval> values, const FloatRules &rules) {
  SmallVector<Interval, 64> ones(values.size(), Interval::point(1));
  double total = 0;
  for (const Interval &value : values)
    total += magnitude(value);
  Interval sum =
      dotProduct(values.data(), ones.data(), static_cast<unsigned>(values.size()), rules);
  return relaxSteps(sum, total, values.size(), rules);
}

namespace {
/// Bounds of the products of any of the factors, in whatever order.
struct ProductBounds {
  double largest = 1;
  double smallest = 1;
  double significand = 1; ///< The product of the factors' odd parts.
  bool isFinite = true;
};
} // namespace

/// The bounds hold for the product of any subset of the factors.
static ProductBounds boundProducts(ArrayRef<Interval> values) {
  ProductBounds bounds;
  for (const Interval &value : values) {
    double high = magnitude(value);
    bool isZero = value.isExactly(0);
    double low = isZero ? 1
                 : value.lo <= 0 && value.hi >= 0
                     ? 0
                     : std::min(std::abs(value.lo), std::abs(value.hi));
    bounds.isFinite &= !value.nan && !value.isEmpty() && high <= std::numeric_limits<double>::max();
    bounds.largest *= std::max(1.0, high);
    bounds.smallest *= std::min(1.0, low);
    double quantum = quantumOf(high);
    bounds.significand *= value.lo != value.hi || quantum == 0 ? 0x1p+100
                          : isZero                             ? 1
                                                               : high / quantum;
  }
  return bounds;
}

/// A product in any order. Unbounded where some order may overflow; exact where no order rounds.
static Interval productOf(ArrayRef<Interval> values, const FloatRules &rules) {
  const FloatFormat &format = formatOf(rules.width);
  ProductBounds bounds = boundProducts(values);
  if (!bounds.isFinite || bounds.largest >= format.maxFinite * 0.999)
    return Interval::whole();
  Interval product = values.front();
  for (const Interval &value : values.drop_front())
    product = mulUnrounded(product, value, rules);
  // No product of any of them rounds.
  if (bounds.significand < powerOfTwo(format.precision) && bounds.smallest >= format.minNormal)
    return product;
  double unit = powerOfTwo(1 - format.precision);
  double error = magnitude(product) * double(values.size()) * unit * 1.001;
  // What is lost where a product is too small can be multiplied by the rest.
  if (bounds.smallest < format.minNormal)
    error += 2 * format.minNormal * bounds.largest * double(values.size());
  product = tighten(widenBy(product, error), rules.width);
  return relaxSteps(product, magnitude(product), values.size(), rules);
}

/// "If for any two values one of them is a NaN, the other is chosen."
template <bool IsMax> static Interval choose(Interval a, Interval b) {
  if (a.isEmpty() || b.isEmpty())
    return a.isEmpty() ? b : a;
  Interval result{IsMax ? std::max(a.lo, b.lo) : std::min(a.lo, b.lo),
                  IsMax ? std::max(a.hi, b.hi) : std::min(a.hi, b.hi), false};
  if (b.nan)
    result = hull(result, a);
  if (a.nan)
    result = hull(result, b);
  result.nan = a.nan && b.nan;
  return result;
}
/// Minimum or maximum, in any order.
template <bool IsMax> static Interval extremeOf(ArrayRef<Interval> values, const FloatRules &) {
  Interval result = values.front();
  for (const Interval &value : values.drop_front())
    result = choose<IsMax>(result, value);
  // The result of NaNs alone is an undefined value.
  return result.isEmpty() ? Interval::whole() : result;
}

/// Which of the members' contributions member \p self gets: [first, end).
static std::pair<size_t, size_t> contributors(const Tangle &tangle, const TangleSite &site,
                                              size_t self) {
  using spv::GroupOperation;
  switch (static_cast<GroupOperation>(site.operation)) {
  case GroupOperation::InclusiveScan:
    return {0, self + 1};
  case GroupOperation::ExclusiveScan:
    return {0, self};
  case GroupOperation::ClusteredReduce: {
    auto clusterOf = [&](size_t i) {
      return tangle.members[i]->localIndex % tangle.size / site.clusterSize;
    };
    size_t first = self, end = self;
    while (first > 0 && clusterOf(first - 1) == clusterOf(self))
      --first;
    while (end < tangle.members.size() && clusterOf(end) == clusterOf(self))
      ++end;
    return {first, end};
  }
  default:
    return {0, tangle.members.size()};
  }
}

/// extra: the site, with group operation and cluster size. Members that receive the same
/// contributions share one result.
template <Reducer Function> static Status reduce(Tangle &tangle, const Inst &inst) {
  const TangleSite &site = tangle.site(inst);
  if (site.clusterSize > tangle.size)
    return badCluster(tangle, inst);
  std::vector<Scalar> values, results;
  for (uint32_t component = 0; component < inst.n; ++component) {
    values.clear();
    results.clear();
    for (Invocation *member : tangle.members)
      values.push_back(member->at(inst.op[0])[component]);
    std::pair<size_t, size_t> before{1, 0};
    for (size_t self = 0; self < values.size(); ++self) {
      auto range = contributors(tangle, site, self);
      // Whoever gets the same contributions gets the same result.
      if (range == before)
        results.push_back(results.back());
      else
        results.push_back(
            Function(ArrayRef(values).slice(range.first, range.second - range.first), inst));
      before = range;
    }
    for (size_t self = 0; self < results.size(); ++self)
      tangle.members[self]->at(inst.dst)[component] = results[self];
  }
  return Status::Next;
}

/// As reduce(), of instructions that the whole subgroup must execute ("Group Instructions").
template <Reducer Function> static Status reduceWhole(Tangle &tangle, const Inst &inst) {
  if (tangle.isWhole)
    return reduce<Function>(tangle, inst);
  return tangle.execution.undefinedBehavior("UB-NONUNIFORM", *tangle.members.front(), inst,
                                            "is executed by a part of its subgroup alone");
}

/// Operands: scope, group operation, value, and the cluster size where there is one.
template <TangleHandler Run>
static Error prepareReduce(Decoder &decoder, Operands operands, Inst &inst) {
  using spv::GroupOperation;
  if (Error error = takeSubgroupScope(decoder, operands))
    return error;
  TangleSite site{Run, operands[0]};
  auto operation = static_cast<GroupOperation>(operands[0]);
  if (operation > GroupOperation::ClusteredReduce)
    return unsupported("group operation " + Twine(operands[0]));
  if (operation == GroupOperation::ClusteredReduce) {
    if (operands.size() < 3)
      return invalidInput("ClusteredReduce without a cluster size");
    if (Error error = takeClusterSize(decoder, operands[2], site))
      return error;
  }
  return addTangleSite(decoder, operands.slice(1, 1), inst, site);
}

/// Logical operations are those of bits with one bit.
ArrayRef<OpRow> reference::subgroupArithmeticOps() {
  using spv::Op;
#define REDUCTION(Name, ...)                                                                       \
  {uint32_t(Op::OpGroupNonUniform##Name), prepareReduce<reduce<__VA_ARGS__>>, waitForTangle}
// With those of capability Groups, and SPV_AMD_shader_ballot's of the same operands.
#define GROUP(Name, ...)                                                                           \
  REDUCTION(Name, __VA_ARGS__),                                                                    \
      {uint32_t(Op::OpGroup##Name), prepareReduce<reduceWhole<__VA_ARGS__>>, waitForTangle}, {     \
    uint32_t(Op::OpGroup##Name##NonUniformAMD), prepareReduce<reduce<__VA_ARGS__>>, waitForTangle  \
  }
  static const OpRow rows[] = {
      GROUP(IAdd, reduceBits<addBits, zeroBits>),
      REDUCTION(IMul, reduceBits<mulBits, oneBits>),
      GROUP(SMin, reduceBits<minSigned, largestSigned>),
      GROUP(UMin, reduceBits<minUnsigned, maskOf>),
      GROUP(SMax, reduceBits<maxSigned, smallestSigned>),
      GROUP(UMax, reduceBits<maxUnsigned, zeroBits>),
      REDUCTION(BitwiseAnd, reduceBits<andBits, maskOf>),
      REDUCTION(BitwiseOr, reduceBits<orBits, zeroBits>),
      REDUCTION(BitwiseXor, reduceBits<xorBits, zeroBits>),
      REDUCTION(LogicalAnd, reduceBits<andBits, oneBits>),
      REDUCTION(LogicalOr, reduceBits<orBits, zeroBits>),
      REDUCTION(LogicalXor, reduceBits<xorBits, zeroBits>),
      GROUP(FAdd, reduceFloats<sumOf, identityZero>),
      REDUCTION(FMul, reduceFloats<productOf, identityOne>),
      GROUP(FMin, reduceFloats<extremeOf<false>, identityMin>),
      GROUP(FMax, reduceFloats<extremeOf<true>, identityMax>),
  };
#undef GROUP
#undef REDUCTION
  return rows;
}
