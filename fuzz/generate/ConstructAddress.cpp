// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers reached by their device addresses, which are in a table. What an address is, is up to
// the machine: no result depends on it.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Resources.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr auto physical = spv::StorageClass::PhysicalStorageBuffer;

namespace {
/// A table with the address of one buffer of words in each of its entries.
struct AddressTable {
  Id variable = 0;      ///< The buffer with the addresses.
  uint32_t entries = 0; ///< Addresses of 8 bytes each.
  Id pointer = 0;       ///< Its element: a pointer to a block of words.
};
} // namespace

/// Switches the module to physical storage buffer addressing.
static void requireAddresses(Writer &writer) {
  writer.pool().require(spv::Capability::PhysicalStorageBufferAddresses);
  writer.generated().program.memoryModel.front().operands[0] =
      literal(uint32_t(spv::AddressingModel::PhysicalStorageBuffer64));
}

/// Of \p entries buffers with \p words words each.
static AddressTable makeTable(Writer &writer, uint32_t entries, uint32_t words) {
  requireAddresses(writer);
  Pool &pool = writer.pool();
  constexpr uint32_t addressBytes = 8;
  AddressTable table{0, entries, pool.pointerType(physical, makeWordBlock(pool))};
  Id block = pool.structType({pool.runtimeArrayType(table.pointer, addressBytes)});
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  table.variable = writer.newBuffer(GeneratedBinding::Storage, block, "uint32",
                                    std::vector<uint64_t>(size_t(entries) * addressBytes / 4, 0));
  GeneratedCase &generated = writer.generated();
  std::string name = generated.buffers.back().name;
  for (uint32_t i = 0; i < entries; ++i) {
    std::string target = writer.addBuffer(
        {"", "uint32", GeneratedBinding::Unbound, 0, randomWords(writer.random(), words)});
    generated.addresses.push_back({target, name, i * addressBytes});
  }
  return table;
}

/// Loads the address in entry \p index of the table.
static Id loadEntry(Writer &writer, const AddressTable &table, Id index) {
  Pool &pool = writer.pool();
  Id place = writer.emit(spv::Op::OpAccessChain,
                         pool.pointerType(spv::StorageClass::StorageBuffer, table.pointer),
                         {fuzz::id(table.variable), fuzz::id(pool.number(0)), fuzz::id(index)});
  return writer.emit(spv::Op::OpLoad, table.pointer, {fuzz::id(place)});
}

/// Word \p index after \p address, by a chain or by adding to the address as a number.
static Id pointToWord(Writer &writer, Id address, Id index) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false), pointer = pool.pointerType(physical, u32);
  if (writer.random().oneIn(2))
    return writer.emit(spv::Op::OpAccessChain, pointer,
                       {fuzz::id(address), fuzz::id(pool.number(0)), fuzz::id(index)});
  pool.require(spv::Capability::Int64);
  Id u64 = pool.intType(64, false);
  Id start = writer.emit(spv::Op::OpConvertPtrToU, u64, {fuzz::id(address)});
  Id bytes = writer.emit(spv::Op::OpIMul, u32, {fuzz::id(index), fuzz::id(pool.number(4))});
  Id wide = writer.emit(spv::Op::OpUConvert, u64, {fuzz::id(bytes)});
  Id sum = writer.emit(spv::Op::OpIAdd, u64, {fuzz::id(start), fuzz::id(wide)});
  return writer.emit(spv::Op::OpConvertUToPtr, pointer, {fuzz::id(sum)});
}

/// The memory access mask that physical pointers demand; the alignment follows as a literal.
static Operand aligned() {
  return literal(uint32_t(spv::MemoryAccessMask::Aligned));
}

/// Loads 4 bytes with an alignment of 4.
static Id loadWord(Writer &writer, Id pointer) {
  return writer.emit(spv::Op::OpLoad, writer.pool().intType(32, false),
                     {fuzz::id(pointer), aligned(), literal(4)});
}

/// Reads one to three words by way of one or two addresses. Nothing writes these buffers.
void writeAddressRead(Writer &writer) {
  constexpr uint32_t words = 16;
  Random &random = writer.random();
  auto entries = static_cast<uint32_t>(random.between(1, 2));
  AddressTable table = makeTable(writer, entries, words);
  for (uint64_t count = random.between(1, 3); count > 0; --count) {
    Value entry = writer.takeIndex(entries), at = writer.takeIndex(words);
    Id pointer = pointToWord(writer, loadEntry(writer, table, entry.id), at.id);
    writer.add({loadWord(writer, pointer), writer.pool().intType(32, false),
                entry.isUniform && at.isUniform, 0});
  }
}

/// Each invocation has a word: stored, loaded, changed by atomics.
void writeAddressOwn(Writer &writer) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  AddressTable table =
      makeTable(writer, 1, totalInvocations(writer.generated(), writer.invocationsPerGroup()));
  Id address = loadEntry(writer, table, pool.number(0));
  Id pointer = pointToWord(writer, address, writer.globalIndex().id);
  writer.add({loadWord(writer, pointer), u32, false, 0});
  writer.emitVoid(spv::Op::OpStore,
                  {fuzz::id(pointer), fuzz::id(writer.take(u32).id), aligned(), literal(4)});
  if (writer.random().oneIn(2)) {
    constexpr uint32_t deviceScope = 1;
    Value value = writer.take(u32);
    writer.add({writer.emit(spv::Op::OpAtomicXor, u32,
                            {fuzz::id(pointer), fuzz::id(pool.number(deviceScope)),
                             fuzz::id(pool.number(0)), fuzz::id(value.id)}),
                u32, false, 0});
  }
  writer.add({loadWord(writer, pointer), u32, false, 0});
}

} // namespace assay::fuzz
