// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics on numbers other than words: integers of 64 bits, floats. Each construct has a buffer
// with one number for all, or with one for each invocation.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Resources.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// An atomic operation on numbers of a width in bits, and the capability it needs.
struct AtomicRow {
  spv::Op opcode;
  bool isFloat;
  unsigned width;
  spv::Capability capability;
};
} // namespace

/// The final number does not depend on the order of invocations.
static constexpr AtomicRow atomicRows[] = {
    {spv::Op::OpAtomicIAdd, false, 64, spv::Capability::Int64Atomics},
    {spv::Op::OpAtomicUMin, false, 64, spv::Capability::Int64Atomics},
    {spv::Op::OpAtomicSMax, false, 64, spv::Capability::Int64Atomics},
    {spv::Op::OpAtomicXor, false, 64, spv::Capability::Int64Atomics},
    {spv::Op::OpAtomicFAddEXT, true, 32, spv::Capability::AtomicFloat32AddEXT},
    {spv::Op::OpAtomicFAddEXT, true, 64, spv::Capability::AtomicFloat64AddEXT},
    {spv::Op::OpAtomicFAddEXT, true, 16, spv::Capability::AtomicFloat16AddEXT},
    {spv::Op::OpAtomicFMinEXT, true, 16, spv::Capability::AtomicFloat16MinMaxEXT},
    {spv::Op::OpAtomicFMaxEXT, true, 16, spv::Capability::AtomicFloat16MinMaxEXT},
    {spv::Op::OpAtomicFMinEXT, true, 32, spv::Capability::AtomicFloat32MinMaxEXT},
    {spv::Op::OpAtomicFMaxEXT, true, 32, spv::Capability::AtomicFloat32MinMaxEXT},
    {spv::Op::OpAtomicFMaxEXT, true, 64, spv::Capability::AtomicFloat64MinMaxEXT},
};

/// Requires the capabilities of the row, and those of its number's width.
static void requireRow(Writer &writer, const AtomicRow &row) {
  writer.pool().require(row.capability);
  if (row.width == 64)
    writer.pool().require(row.isFloat ? spv::Capability::Float64 : spv::Capability::Int64);
  if (row.width == 16) {
    writer.pool().require(spv::Capability::Float16);
    writer.pool().require(spv::Capability::StorageBuffer16BitAccess);
  }
}

/// All operations commute; what they return is used only where nobody else has the number.
void writeAtomicNumber(Writer &writer) {
  constexpr unsigned deviceScope = 1;
  constexpr auto storage = spv::StorageClass::StorageBuffer;
  Pool &pool = writer.pool();
  Random &random = writer.random();
  const AtomicRow &row = random.pick(ArrayRef(atomicRows));
  requireRow(writer, row);
  Id type = row.isFloat ? pool.floatType(row.width) : pool.intType(row.width, false);
  // A sum of many is not exact in f16.
  bool isOwn = row.width == 16 || random.oneIn(2);
  uint32_t count = isOwn ? totalInvocations(writer.generated(), writer.invocationsPerGroup()) : 1;
  Id block = pool.structType({pool.runtimeArrayType(type, row.width / 8)});
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  // Zeros: the same number in every format.
  Id variable = writer.newBuffer(GeneratedBinding::Storage, block, "uint32",
                                 std::vector<uint64_t>((size_t(count) * row.width + 31) / 32, 0));
  Id index = isOwn ? writer.globalIndex().id : pool.number(0);
  Id pointer = writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, type),
                           {fuzz::id(variable), fuzz::id(pool.number(0)), fuzz::id(index)});
  Value value = row.isFloat ? takeExact(writer, type) : writer.take(type);
  Id old = writer.emit(row.opcode, type,
                       {fuzz::id(pointer), fuzz::id(pool.number(deviceScope)),
                        fuzz::id(pool.number(0)), fuzz::id(value.id)});
  if (isOwn)
    writer.add({old, type, false, 0});
}

} // namespace assay::fuzz
