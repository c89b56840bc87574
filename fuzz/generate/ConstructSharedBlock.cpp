// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup memory with explicit layout: blocks that lie over one another, so that words that one
// wrote are read as parts of structures by way of the other. And memory that begins as zeros.
#include "fuzz/generate/Constructs.h"
#include "fuzz/generate/Layout.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr auto workgroup = spv::StorageClass::Workgroup;

/// Requires the capabilities for the narrow scalars of the layout.
static void requireWidths(Writer &writer, const Layout &layout) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::WorkgroupMemoryExplicitLayoutKHR);
  for (const LaidScalar &scalar : layout.scalars) {
    unsigned width = writer.info(scalar.type).width;
    if (width == 8)
      pool.require(spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR);
    if (width == 16)
      pool.require(spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR);
  }
}

/// A block with an array of \p element, \p stride bytes apart, for each invocation.
static Id makeBlock(Writer &writer, Id element, uint32_t stride, uint32_t count) {
  Pool &pool = writer.pool();
  Id block = pool.structType({pool.arrayType(element, pool.number(count), stride)});
  pool.decorate(block, spv::Decoration::Block);
  pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  Id variable = pool.variable(pool.pointerType(workgroup, block), workgroup);
  pool.decorate(variable, spv::Decoration::Aliased);
  return variable;
}

/// Whether its bits may be anything: floats might be NaN, of which there are many.
static bool isOfIntegers(Writer &writer, Id type) {
  TypeInfo shape = writer.info(type);
  return shape.kind == TypeInfo::Int ||
         (shape.kind == TypeInfo::Vector && writer.info(shape.element).kind == TypeInfo::Int);
}

/// Each invocation writes the words of its structure, all meet, each reads parts of another's, all
/// meet again.
void writeSharedBlocks(Writer &writer) {
  writer.share(true);
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Layout layout = makeStructure(writer, LayoutRules::Base, 3, 0);
  constexpr uint32_t mostBytes = 48; // Of 128 invocations: within 16 KiB, which each device has.
  layout.size = (layout.size + 15) & ~15u;
  if (layout.size > mostBytes)
    return;
  requireWidths(writer, layout);
  unsigned count = writer.invocationsPerGroup();
  uint32_t words = layout.size / 4;
  Id u32 = pool.intType(32, false);
  Id byWord = makeBlock(writer, u32, 4, count * words);
  Id byPart = makeBlock(writer, layout.type, layout.size, count);
  Id first = writer.emit(spv::Op::OpIMul, u32,
                         {fuzz::id(writer.localIndex().id), fuzz::id(pool.number(words))});
  for (uint32_t i = 0; i < words; ++i) {
    Id index = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(first), fuzz::id(pool.number(i))});
    Id pointer = writer.emit(spv::Op::OpAccessChain, pool.pointerType(workgroup, u32),
                             {fuzz::id(byWord), fuzz::id(pool.number(0)), fuzz::id(index)});
    storeShared(writer, pointer, writer.take(u32).id);
  }
  meet(writer);
  std::vector<Value> loaded;
  for (uint64_t reads = random.between(1, 3); reads > 0; --reads) {
    const LaidObject &object = random.pick(ArrayRef(layout.objects));
    if (!isOfIntegers(writer, object.type))
      continue;
    Value other = writer.takeIndex(count);
    SmallVector<Operand, 6> path{fuzz::id(byPart), fuzz::id(pool.number(0)), fuzz::id(other.id)};
    for (auto [index, length] : object.path)
      path.push_back(fuzz::id(pool.number(index)));
    Id pointer =
        writer.emit(spv::Op::OpAccessChain, pool.pointerType(workgroup, object.type), path);
    loaded.push_back({loadShared(writer, object.type, pointer), object.type, other.isUniform, 0});
  }
  meet(writer);
  for (const Value &value : loaded)
    writer.add(value);
}

/// Counters that nobody set: each invocation adds to one of them, all meet, each reads.
void writeSharedZeroed(Writer &writer) {
  writer.share(false);
  writer.generated().features.insert("shaderZeroInitializeWorkgroupMemory");
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  constexpr uint32_t count = 5, workgroupScope = 2;
  Id array = pool.arrayType(u32, pool.number(count));
  Id variable =
      pool.variable(pool.pointerType(workgroup, array), workgroup, pool.constantNull(array));
  auto pointTo = [&](Id index) {
    return writer.emit(spv::Op::OpAccessChain, pool.pointerType(workgroup, u32),
                       {fuzz::id(variable), fuzz::id(index)});
  };
  Id place = pointTo(writer.takeIndex(count).id);
  writer.emit(spv::Op::OpAtomicIAdd, u32,
              {fuzz::id(place), fuzz::id(pool.number(workgroupScope)), fuzz::id(pool.number(0)),
               fuzz::id(writer.take(u32).id)});
  meet(writer);
  Value index = writer.takeIndex(count);
  Id sum = loadShared(writer, u32, pointTo(index.id));
  meet(writer);
  writer.add({sum, u32, index.isUniform, 0});
}

} // namespace assay::fuzz
