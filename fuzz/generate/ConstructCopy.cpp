// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies: of objects, between equal but distinct types, of memory.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// OpCopyObject, or by OpCopyLogical into a structure with the same members and back.
void writeCopyObject(Writer &writer) {
  Pool &pool = writer.pool();
  auto any = writer.find([](const Value &) { return true; });
  if (!any)
    return;
  if (writer.info(any->type).kind != TypeInfo::Struct || writer.random().oneIn(3)) {
    addResult(writer, spv::Op::OpCopyObject, any->type, {*any}, any->magnitude);
    return;
  }
  SmallVector<Id, 4> members;
  for (const Operand &member : pool.definition(any->type).operands)
    members.push_back(member.word);
  Value other = addResult(writer, spv::Op::OpCopyLogical, pool.structType(members), {*any});
  addResult(writer, spv::Op::OpCopyLogical, any->type, {other});
}

/// From one variable of the function into another, which may be part of an array, in a loop of
/// memory operations that LLVM may fold.
void writeCopyMemory(Writer &writer) {
  Pool &pool = writer.pool();
  constexpr auto storage = spv::StorageClass::Function;
  Id type = writer.randomType();
  Id source = writer.localVariable(type);
  unsigned count = static_cast<unsigned>(writer.random().between(1, 4));
  Id array = pool.arrayType(type, pool.number(count));
  Value start = writer.constant(array);
  Id target = writer.localVariable(array, start.id);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(source), fuzz::id(writer.take(type).id)});
  // The variable may be in a loop: its initializer counts for the first turn alone.
  auto place = [&] {
    return writer.emit(spv::Op::OpAccessChain, pool.pointerType(storage, type),
                       {fuzz::id(target), fuzz::id(writer.takeIndex(count).id)});
  };
  Id to = place();
  writer.emitVoid(spv::Op::OpCopyMemory, {fuzz::id(to), fuzz::id(source)});
  if (writer.random().oneIn(2)) {
    Id from = place();
    writer.emitVoid(spv::Op::OpCopyMemory, {fuzz::id(source), fuzz::id(from)});
  }
  writer.add({writer.emit(spv::Op::OpLoad, type, {fuzz::id(place())}), type, false, 0});
  writer.add({writer.emit(spv::Op::OpLoad, type, {fuzz::id(source)}), type, false, 0});
}

/// A structure or array of which one part is undefined: the other parts are not.
void writeCopyUndefined(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  auto any = writer.find([](const Value &) { return true; });
  if (!any)
    return;
  Id type = random.oneIn(2) ? pool.structType({any->type, any->type})
                            : pool.arrayType(any->type, pool.number(2));
  auto kept = static_cast<uint32_t>(random.below(2));
  Id undefined = writer.emit(spv::Op::OpUndef, type, {});
  Id whole = writer.emit(spv::Op::OpCompositeInsert, type,
                         {fuzz::id(any->id), fuzz::id(undefined), literal(kept)});
  writer.add({writer.emit(spv::Op::OpCompositeExtract, any->type, {fuzz::id(whole), literal(kept)}),
              any->type, any->isUniform, any->magnitude});
}

} // namespace assay::fuzz
