// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables, buffers, atomics and workgroup memory, without races.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A way into an aggregate: indices that a machine need not know, and what is there.
struct Path {
  SmallVector<Operand, 4> indices;
  Id type = 0; ///< Of what is there.
};
} // namespace

/// Descends into an aggregate at random; indices of arrays and vectors are computed, those of
/// structures constant. An empty path is the whole value.
static Path choosePath(Writer &writer, Id type) {
  Path path{{}, type};
  while (writer.random().chance(70)) {
    TypeInfo shape = writer.info(path.type);
    if (shape.kind == TypeInfo::Struct) {
      uint32_t member = static_cast<uint32_t>(writer.random().below(shape.count));
      Id memberType = writer.pool().definition(path.type).word(member);
      path.indices.push_back(fuzz::id(writer.pool().number(member)));
      path.type = memberType;
    } else if (shape.kind == TypeInfo::Array || shape.kind == TypeInfo::Vector) {
      path.indices.push_back(fuzz::id(writer.takeIndex(shape.count).id));
      path.type = shape.element;
    } else {
      break;
    }
  }
  return path;
}

/// A variable that is written whole, changed in a part, and read in whole or part.
void writeMemoryVariable(Writer &writer) {
  Id type = writer.randomType();
  constexpr auto storage = spv::StorageClass::Function;
  Id variable = writer.localVariable(type);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(variable), fuzz::id(writer.take(type).id)});
  auto pointerTo = [&](const Path &path) {
    if (path.indices.empty())
      return variable;
    SmallVector<Operand, 6> operands{fuzz::id(variable)};
    append_range(operands, path.indices);
    return writer.emit(writer.random().oneIn(3) ? spv::Op::OpInBoundsAccessChain
                                                : spv::Op::OpAccessChain,
                       writer.pool().pointerType(storage, path.type), operands);
  };
  for (uint64_t count = writer.random().below(3); count > 0; --count) {
    Path path = choosePath(writer, type);
    Value part = writer.take(path.type);
    Id pointer = pointerTo(path);
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(pointer), fuzz::id(part.id)});
  }
  Path path = choosePath(writer, type);
  Id loaded = writer.emit(spv::Op::OpLoad, path.type, {fuzz::id(pointerTo(path))});
  writer.add({loaded, path.type, false, 0});
}

/// Loads a word of the input buffer or of the uniform buffer.
void writeMemoryInput(Writer &writer) {
  writer.add(writer.random().oneIn(3) ? writer.loadUniformInput() : writer.loadInput());
}

/// Stores any value in scope to the result buffers.
void writeMemoryResult(Writer &writer) {
  if (auto value = writer.find([](const Value &) { return true; }))
    writer.store(*value);
}

/// A word of a buffer that this invocation has for itself: read, written, read.
void writeMemoryOwnWord(Writer &writer) {
  Id u32 = writer.pool().intType(32, false);
  Value pointer = writer.ownWordPointer();
  auto load = [&] {
    writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(pointer.id)}), u32, false, 0});
  };
  load();
  Value value = writer.take(u32);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(pointer.id), fuzz::id(value.id)});
  if (writer.random().oneIn(2))
    load();
}

/// Scope Device, as the operand of atomics has it.
static constexpr unsigned deviceScope = 1;

/// One operation that does not mind the order, on a word that no other construct touches. What it
/// returns does mind it, and is not used.
void writeAtomicShared(Writer &writer) {
  static constexpr spv::Op operations[] = {
      spv::Op::OpAtomicIAdd, spv::Op::OpAtomicISub, spv::Op::OpAtomicAnd,
      spv::Op::OpAtomicOr,   spv::Op::OpAtomicXor,  spv::Op::OpAtomicUMin,
      spv::Op::OpAtomicUMax, spv::Op::OpAtomicSMin, spv::Op::OpAtomicSMax};
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  Value value = writer.take(u32);
  Value pointer = writer.sharedCounterPointer();
  writer.emit(writer.random().pick(ArrayRef(operations)), u32,
              {fuzz::id(pointer.id), fuzz::id(pool.number(deviceScope)), fuzz::id(pool.number(0)),
               fuzz::id(value.id)});
}

/// Any operation, results too, on a word that only this invocation touches.
void writeAtomicOwn(Writer &writer) {
  static constexpr spv::Op operations[] = {spv::Op::OpAtomicIAdd, spv::Op::OpAtomicExchange,
                                           spv::Op::OpAtomicUMax, spv::Op::OpAtomicXor,
                                           spv::Op::OpAtomicSMin};
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  Value value = writer.take(u32), expected = writer.take(u32);
  Value pointer = writer.ownWordPointer();
  Operand place = fuzz::id(pointer.id), scope = fuzz::id(pool.number(deviceScope)),
          relaxed = fuzz::id(pool.number(0));
  Id result = 0;
  if (writer.random().oneIn(3))
    result =
        writer.emit(spv::Op::OpAtomicCompareExchange, u32,
                    {place, scope, relaxed, relaxed, fuzz::id(value.id), fuzz::id(expected.id)});
  else
    result = writer.emit(writer.random().pick(ArrayRef(operations)), u32,
                         {place, scope, relaxed, fuzz::id(value.id)});
  writer.add({result, u32, false, 0});
}

/// Each invocation writes its word of workgroup memory, all meet, each reads another's word, all
/// meet again before anyone may write again.
void writeSharedExchange(Writer &writer) {
  writer.share(false);
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  Id words = writer.sharedWords();
  Value value = writer.take(u32);
  auto wordAt = [&](Id index) {
    return writer.emit(spv::Op::OpAccessChain, pool.pointerType(spv::StorageClass::Workgroup, u32),
                       {fuzz::id(words), fuzz::id(index)});
  };
  Id own = wordAt(writer.localIndex().id);
  storeShared(writer, own, value.id);
  meet(writer);
  Value other = writer.takeIndex(writer.invocationsPerGroup());
  Id loaded = loadShared(writer, u32, wordAt(other.id));
  meet(writer);
  writer.add({loaded, u32, other.isUniform, 0});
}

} // namespace assay::fuzz
