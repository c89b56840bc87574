// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subgroup operations of SPIR-V with their definitions by brute force: over a plain array of
// lanes, one result after the other. Nothing of it is shared with compiler or machines.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::subgroups {

/// Types of the operands. Integers have no sign: SMin and UMin are two operations.
enum class Scalar : uint8_t { Bool, Int8, Int16, Int32, Int64, Float16, Float32, Float64 };
unsigned scalarBits(Scalar scalar); ///< 32 for Bool.
/// Whether it is one of the three floating-point types.
bool isFloat(Scalar scalar);

/// That part of an operation which its operands and its definition do not share.
enum class Kind : uint8_t {
  Elect,
  All,
  Any,
  AllEqual,
  Ballot,
  InverseBallot,
  BallotBitExtract,
  BallotBitCount,
  BallotFindLsb,
  BallotFindMsb,
  Broadcast,
  BroadcastFirst,
  Shuffle,
  ShuffleXor,
  ShuffleUp,
  ShuffleDown,
  Rotate,
  QuadBroadcast,
  QuadSwap,
  Arithmetic
};

/// SPIR-V's group operations.
enum class Group : uint8_t { Reduce, InclusiveScan, ExclusiveScan, ClusteredReduce };

/// One operation at one type. Which fields mean something depends on \p kind.
struct Operation {
  Kind kind;
  const char *opcode; ///< Without "OpGroupNonUniform", or the whole name.
  Scalar scalar = Scalar::Int32;
  Group group = Group::Reduce;
  uint32_t cluster = 0;   ///< ClusteredReduce, Rotate: the size; 0 for none.
  uint32_t direction = 0; ///< QuadSwap: 0 horizontal, 1 vertical, 2 diagonal.
  /// Opcode, type, and what else differs between operations: "IAdd.i32.cluster.4".
  std::string name() const;
};

/// All operations, at all types in \p scalars.
std::vector<Operation> listOperations(llvm::ArrayRef<Scalar> scalars);

/// Operands of one lane. \p parameter: an index, mask, delta; \p value: bits of the type, or the
/// low words of a ballot.
struct LaneInput {
  uint64_t value = 0;
  uint32_t parameter = 0;
};

/// What lane \p lane gets when the lanes of \p active, a mask of \p size lanes, execute
/// \p operation together: up to four dwords (only Ballot has more than two). Nothing where SPIR-V
/// leaves it open.
std::optional<std::vector<uint32_t>> define(const Operation &operation,
                                            llvm::ArrayRef<LaneInput> inputs, uint64_t active,
                                            unsigned size, unsigned lane);

} // namespace assay::subgroups
