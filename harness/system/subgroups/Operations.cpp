// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats are such that every operation on them is exact (Inputs.cpp), so host arithmetic in double
// gives the one right result whatever the order.
#include "harness/system/subgroups/Operations.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"
#include <cmath>
#include <functional>

using namespace llvm;
using namespace assay::subgroups;
/// The dwords of a result; nothing where the specification leaves it undefined.
using Result = std::optional<std::vector<uint32_t>>;

/// A bool has 32 bits, as it is a dword in buffers.
unsigned assay::subgroups::scalarBits(Scalar scalar) {
  switch (scalar) {
  case Scalar::Int8:
    return 8;
  case Scalar::Int16:
  case Scalar::Float16:
    return 16;
  case Scalar::Int64:
  case Scalar::Float64:
    return 64;
  default:
    return 32;
  }
}

bool assay::subgroups::isFloat(Scalar scalar) {
  return scalar >= Scalar::Float16;
}

// --- The list

/// The name is unique in the list: opcode, type, group operation, cluster size and direction,
/// separated by dots.
std::string Operation::name() const {
  static constexpr const char *scalars[] = {"bool", "i8", "i16", "i32", "i64", "f16", "f32", "f64"};
  static constexpr const char *groups[] = {"reduce", "inclusive", "exclusive", "cluster"};
  std::string text = std::string(opcode) + "." + scalars[unsigned(scalar)];
  if (kind == Kind::Arithmetic || kind == Kind::BallotBitCount)
    text += std::string(".") + groups[unsigned(group)];
  if (cluster)
    text += "." + std::to_string(cluster);
  if (kind == Kind::QuadSwap)
    text += "." + std::to_string(direction);
  return text;
}

/// Appends the operation with each group operation and each size of a cluster. \p opcode and \p
/// scalar must fit together.
static void addArithmetic(std::vector<Operation> &list, const char *opcode, Scalar scalar) {
  for (Group group : {Group::Reduce, Group::InclusiveScan, Group::ExclusiveScan})
    list.push_back({Kind::Arithmetic, opcode, scalar, group});
  for (uint32_t cluster : {1, 2, 4, 8, 16, 32, 64})
    list.push_back({Kind::Arithmetic, opcode, scalar, Group::ClusteredReduce, cluster});
}

/// Appends the operations that move or compare values of any type.
static void addMoves(std::vector<Operation> &list, Scalar scalar) {
  list.push_back({Kind::AllEqual, "AllEqual", scalar});
  list.push_back({Kind::Broadcast, "Broadcast", scalar});
  list.push_back({Kind::BroadcastFirst, "BroadcastFirst", scalar});
  list.push_back({Kind::Shuffle, "Shuffle", scalar});
  list.push_back({Kind::ShuffleXor, "ShuffleXor", scalar});
  list.push_back({Kind::ShuffleUp, "ShuffleUp", scalar});
  list.push_back({Kind::ShuffleDown, "ShuffleDown", scalar});
  list.push_back({Kind::QuadBroadcast, "QuadBroadcast", scalar});
  for (uint32_t direction : {0, 1, 2})
    list.push_back({Kind::QuadSwap, "QuadSwap", scalar, Group::Reduce, 0, direction});
  for (uint32_t cluster : {0, 1, 2, 4, 8, 16, 32, 64})
    list.push_back({Kind::Rotate, "RotateKHR", scalar, Group::Reduce, cluster});
  list.push_back({Kind::BroadcastFirst, "OpSubgroupFirstInvocationKHR", scalar});
  list.push_back({Kind::Broadcast, "OpSubgroupReadInvocationKHR", scalar});
}

/// Appends the operations that have one type only, and the older extensions' names for them.
static void addVotesAndBallots(std::vector<Operation> &list) {
  list.push_back({Kind::Elect, "Elect", Scalar::Bool});
  list.push_back({Kind::All, "All", Scalar::Bool});
  list.push_back({Kind::Any, "Any", Scalar::Bool});
  list.push_back({Kind::All, "OpSubgroupAllKHR", Scalar::Bool});
  list.push_back({Kind::Any, "OpSubgroupAnyKHR", Scalar::Bool});
  list.push_back({Kind::AllEqual, "OpSubgroupAllEqualKHR", Scalar::Bool});
  list.push_back({Kind::Ballot, "Ballot", Scalar::Bool});
  list.push_back({Kind::Ballot, "OpSubgroupBallotKHR", Scalar::Bool});
  list.push_back({Kind::InverseBallot, "InverseBallot"});
  list.push_back({Kind::BallotBitExtract, "BallotBitExtract"});
  for (Group group : {Group::Reduce, Group::InclusiveScan, Group::ExclusiveScan})
    list.push_back({Kind::BallotBitCount, "BallotBitCount", Scalar::Int32, group});
  list.push_back({Kind::BallotFindLsb, "BallotFindLSB"});
  list.push_back({Kind::BallotFindMsb, "BallotFindMSB"});
}

/// Votes and ballots come first; they do not depend on \p scalars.
std::vector<Operation> assay::subgroups::listOperations(ArrayRef<Scalar> scalars) {
  std::vector<Operation> list;
  addVotesAndBallots(list);
  for (Scalar scalar : scalars) {
    addMoves(list, scalar);
    if (scalar == Scalar::Bool) {
      for (const char *opcode : {"LogicalAnd", "LogicalOr", "LogicalXor"})
        addArithmetic(list, opcode, scalar);
    } else if (isFloat(scalar)) {
      for (const char *opcode : {"FAdd", "FMul", "FMin", "FMax"})
        addArithmetic(list, opcode, scalar);
    } else {
      for (const char *opcode : {"IAdd", "IMul", "SMin", "UMin", "SMax", "UMax", "BitwiseAnd",
                                 "BitwiseOr", "BitwiseXor"})
        addArithmetic(list, opcode, scalar);
    }
  }
  return list;
}

// --- Definitions

/// Returns LLVM's description of the format of \p scalar, which must be a floating-point type.
static const fltSemantics &semanticsOf(Scalar scalar) {
  if (scalar == Scalar::Float16)
    return APFloat::IEEEhalf();
  return scalar == Scalar::Float32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
}

/// Converts the bits of a float of type \p scalar. The result is exact for all formats.
static double toDouble(Scalar scalar, uint64_t bits) {
  APFloat value(semanticsOf(scalar), APInt(scalarBits(scalar), bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Converts \p number to the bits of a float of type \p scalar. Rounds to nearest even; the numbers
/// of Inputs.cpp need no rounding.
static uint64_t fromDouble(Scalar scalar, double number) {
  APFloat value(number);
  bool losesInfo = false;
  value.convert(semanticsOf(scalar), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Sign-extends \p bits from the width of \p scalar.
static int64_t signedOf(Scalar scalar, uint64_t bits) {
  unsigned unused = 64 - scalarBits(scalar);
  return static_cast<int64_t>(bits << unused) >> unused;
}

/// Applies the binary operation of a reduction to the bits of two values. Integers wrap around at
/// the width of the type.
static uint64_t combine(const Operation &operation, uint64_t a, uint64_t b) {
  StringRef name = operation.opcode;
  Scalar scalar = operation.scalar;
  if (isFloat(scalar)) {
    double x = toDouble(scalar, a);
    double y = toDouble(scalar, b);
    double z = name == "FAdd"   ? x + y
               : name == "FMul" ? x * y
               : name == "FMin" ? std::fmin(x, y)
                                : std::fmax(x, y);
    return fromDouble(scalar, z);
  }
  uint64_t mask = ~uint64_t(0) >> (64 - scalarBits(scalar));
  if (name == "SMin" || name == "SMax")
    return (signedOf(scalar, a) < signedOf(scalar, b)) == (name == "SMin") ? a : b;
  if (name == "UMin" || name == "UMax")
    return (a < b) == (name == "UMin") ? a : b;
  if (name == "IAdd")
    return (a + b) & mask;
  if (name == "IMul")
    return (a * b) & mask;
  if (name.ends_with("And"))
    return a & b;
  return name.ends_with("Or") ? a | b : a ^ b;
}

/// Returns the bits of the identity of the operation, which an exclusive scan returns for the first
/// active lane (SPIR-V, the arithmetic instructions).
static uint64_t identityOf(const Operation &operation) {
  StringRef name = operation.opcode;
  Scalar scalar = operation.scalar;
  uint64_t mask = ~uint64_t(0) >> (64 - scalarBits(scalar));
  if (name == "FMul")
    return fromDouble(scalar, 1);
  if (name == "FMin" || name == "FMax")
    return fromDouble(scalar, name == "FMin" ? INFINITY : -INFINITY);
  if (name == "IMul" || name == "LogicalAnd")
    return 1;
  if (name == "SMin")
    return mask >> 1;
  if (name == "SMax")
    return (mask >> 1) + 1;
  return name == "UMin" || name == "BitwiseAnd" ? mask : 0;
}

/// Returns \p bits as one dword, or as two for types of 64 bits, the low one first.
static std::vector<uint32_t> words(Scalar scalar, uint64_t bits) {
  if (scalarBits(scalar) < 64)
    return {static_cast<uint32_t>(bits)};
  return {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
}

namespace {
/// One evaluation.
struct Evaluation {
  const Operation &operation;
  ArrayRef<LaneInput> inputs;
  uint64_t active; ///< Bit per lane.
  unsigned size;   ///< Lanes of the subgroup.
  unsigned lane;   ///< The one that gets the result.

  /// False for lanes outside the subgroup, too.
  bool isActive(unsigned which) const { return which < size && (active >> which) & 1; }
  /// The lowest active lane; there must be one.
  unsigned first() const {
    unsigned which = 0;
    while (!isActive(which))
      ++which;
    return which;
  }
  /// Bits of the ballot operand that represent lanes, in [from, to).
  unsigned countBits(unsigned from, unsigned to) const {
    unsigned count = 0;
    for (unsigned i = from; i < to && i < size; ++i)
      count += (inputs[lane].value >> i) & 1;
    return count;
  }
  /// The value of lane \p which, or nothing where it is inactive.
  Result valueOf(unsigned which) const {
    if (!isActive(which))
      return std::nullopt;
    return words(operation.scalar, inputs[which].value);
  }
  /// Reductions and scans over active lanes. Nothing for a cluster larger than the subgroup.
  Result arithmetic() const;
  /// A bool as a dword. AllEqual compares floats by value, so that -0 equals 0.
  Result vote() const;
  /// A mask, a bit of one, a count or an index. Nothing for the index of a bit in an empty mask.
  Result ballot() const;
  /// The value of another lane.
  Result move() const;
};
} // namespace

/// Values are combined in the order of lanes.
Result Evaluation::arithmetic() const {
  unsigned from = 0;
  unsigned to = size;
  if (operation.group == Group::ClusteredReduce) {
    if (operation.cluster > size)
      return std::nullopt;
    from = lane / operation.cluster * operation.cluster;
    to = from + operation.cluster;
  } else if (operation.group != Group::Reduce) {
    to = operation.group == Group::InclusiveScan ? lane + 1 : lane;
  }
  std::optional<uint64_t> total;
  for (unsigned i = from; i < to; ++i)
    if (isActive(i))
      total = total ? combine(operation, *total, inputs[i].value) : inputs[i].value;
  return words(operation.scalar, total.value_or(identityOf(operation)));
}

/// Elect is true for the lowest active lane.
Result Evaluation::vote() const {
  bool all = true;
  bool any = false;
  bool equal = true;
  uint64_t firstValue = inputs[first()].value;
  for (unsigned i = 0; i < size; ++i) {
    if (!isActive(i))
      continue;
    all &= inputs[i].value != 0;
    any |= inputs[i].value != 0;
    equal &= isFloat(operation.scalar) ? toDouble(operation.scalar, inputs[i].value) ==
                                             toDouble(operation.scalar, firstValue)
                                       : inputs[i].value == firstValue;
  }
  if (operation.kind == Kind::Elect)
    return std::vector<uint32_t>{lane == first()};
  if (operation.kind == Kind::AllEqual)
    return std::vector<uint32_t>{equal};
  return std::vector<uint32_t>{operation.kind == Kind::All ? all : any};
}

/// Bit counts and searches ignore bits beyond the subgroup, but count those of inactive lanes.
Result Evaluation::ballot() const {
  uint64_t mask = inputs[lane].value;
  auto bit = [&](unsigned index) { return std::vector<uint32_t>{uint32_t(mask >> index & 1)}; };
  switch (operation.kind) {
  case Kind::Ballot: {
    uint64_t result = 0;
    for (unsigned i = 0; i < size; ++i)
      if (isActive(i) && inputs[i].value)
        result |= uint64_t(1) << i;
    return std::vector<uint32_t>{uint32_t(result), uint32_t(result >> 32), 0, 0};
  }
  case Kind::InverseBallot:
    return bit(lane);
  case Kind::BallotBitExtract:
    return inputs[lane].parameter < size ? Result(bit(inputs[lane].parameter)) : std::nullopt;
  case Kind::BallotBitCount: {
    unsigned to = operation.group == Group::Reduce          ? size
                  : operation.group == Group::InclusiveScan ? lane + 1
                                                            : lane;
    return std::vector<uint32_t>{countBits(0, to)};
  }
  default:
    break;
  }
  if (countBits(0, size) == 0)
    return std::nullopt;
  bool isLsb = operation.kind == Kind::BallotFindLsb;
  unsigned found = isLsb ? 0 : size - 1;
  while (!(mask >> found & 1))
    found = isLsb ? found + 1 : found - 1;
  return std::vector<uint32_t>{found};
}

/// Nothing where the other lane is inactive or outside the subgroup, and for a cluster larger than
/// the subgroup.
Result Evaluation::move() const {
  uint32_t parameter = inputs[lane].parameter;
  unsigned cluster = operation.cluster ? operation.cluster : size;
  switch (operation.kind) {
  case Kind::BroadcastFirst:
    return valueOf(first());
  case Kind::ShuffleXor:
    return valueOf(lane ^ parameter);
  case Kind::ShuffleUp:
    return valueOf(lane - parameter); // Below zero is beyond any size.
  case Kind::ShuffleDown:
    return parameter >= size ? std::nullopt : valueOf(lane + parameter);
  case Kind::Rotate:
    if (cluster > size)
      return std::nullopt;
    return valueOf(lane / cluster * cluster + (lane % cluster + parameter) % cluster);
  case Kind::QuadBroadcast:
    return valueOf(lane / 4 * 4 + parameter % 4);
  case Kind::QuadSwap: {
    unsigned column = lane % 2;
    unsigned row = lane / 2 % 2;
    if (operation.direction != 1) // Horizontal and diagonal.
      column = 1 - column;
    if (operation.direction != 0) // Vertical and diagonal.
      row = 1 - row;
    return valueOf(lane / 4 * 4 + row * 2 + column);
  }
  default: // Broadcast, Shuffle.
    return valueOf(parameter);
  }
}

/// Selects the group of operations; \p lane must be active.
Result assay::subgroups::define(const Operation &operation, ArrayRef<LaneInput> inputs,
                                uint64_t active, unsigned size, unsigned lane) {
  Evaluation evaluation{operation, inputs, active, size, lane};
  switch (operation.kind) {
  case Kind::Arithmetic:
    return evaluation.arithmetic();
  case Kind::Elect:
  case Kind::All:
  case Kind::Any:
  case Kind::AllEqual:
    return evaluation.vote();
  case Kind::Ballot:
  case Kind::InverseBallot:
  case Kind::BallotBitExtract:
  case Kind::BallotBitCount:
  case Kind::BallotFindLsb:
  case Kind::BallotFindMsb:
    return evaluation.ballot();
  default:
    return evaluation.move();
  }
}
