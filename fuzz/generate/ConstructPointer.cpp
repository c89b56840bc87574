// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variable pointers: chosen, stepped, compared, kept in variables; into one buffer, into two, into
// workgroup memory.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static constexpr auto storageBuffer = spv::StorageClass::StorageBuffer;
/// Words of each buffer, and the most that a pointer is advanced by.
static constexpr unsigned bufferWords = 32, mostSteps = 7;

/// A pointer from which OpPtrAccessChain goes on by words.
static Id steppingType(Writer &writer, spv::StorageClass storage) {
  return writer.pool().pointerType(storage, writer.pool().intType(32, false), 4);
}

/// To one of the first words: there are mostSteps further ones after it.
static Value pointInto(Writer &writer, Id buffer) {
  Pool &pool = writer.pool();
  Value index = writer.takeIndex(bufferWords - mostSteps);
  Id type = steppingType(writer, storageBuffer);
  return {writer.emit(spv::Op::OpAccessChain, type,
                      {fuzz::id(buffer), fuzz::id(pool.number(0)), fuzz::id(index.id)}),
          type, index.isUniform, 0};
}

/// Advances the pointer by 0 to mostSteps words.
static Value step(Writer &writer, const Value &pointer) {
  Value by = writer.takeIndex(mostSteps + 1);
  return {
      writer.emit(spv::Op::OpPtrAccessChain, pointer.type, {fuzz::id(pointer.id), fuzz::id(by.id)}),
      pointer.type, pointer.isUniform && by.isUniform, 0};
}

/// Loads the word that the pointer refers to and adds it to the scope.
static void load(Writer &writer, const Value &pointer) {
  Id u32 = writer.pool().intType(32, false);
  writer.add(
      {writer.emit(spv::Op::OpLoad, u32, {fuzz::id(pointer.id)}), u32, pointer.isUniform, 0});
}

/// By OpSelect, or by a phi after two branches.
static Value choose(Writer &writer, const Value &left, const Value &right) {
  Value condition = writer.takeCondition();
  bool isUniform = condition.isUniform && left.isUniform && right.isUniform;
  if (!writer.mayNest() || writer.random().oneIn(2))
    return {writer.emit(spv::Op::OpSelect, left.type,
                        {fuzz::id(condition.id), fuzz::id(left.id), fuzz::id(right.id)}),
            left.type, isUniform, 0};
  Id yes = 0, no = 0;
  writer.select(
      condition, [&] { yes = writer.currentLabel(); }, [&] { no = writer.currentLabel(); });
  return {writer.phi(left.type, {{left.id, yes}, {right.id, no}}), left.type, isUniform, 0};
}

/// Compares two pointers into the same buffer, or subtracts them, in words.
static void compare(Writer &writer, const Value &left, const Value &right) {
  Pool &pool = writer.pool();
  bool isUniform = left.isUniform && right.isUniform;
  Id truth = pool.boolType(), i32 = pool.intType(32, true);
  std::pair<spv::Op, Id> const rows[] = {
      {spv::Op::OpPtrEqual, truth}, {spv::Op::OpPtrNotEqual, truth}, {spv::Op::OpPtrDiff, i32}};
  auto [opcode, type] = writer.random().pick(ArrayRef(rows));
  writer.add(
      {writer.emit(opcode, type, {fuzz::id(left.id), fuzz::id(right.id)}), type, isUniform, 0});
}

/// Two places of one buffer.
void writePointerChoice(Writer &writer) {
  writer.pool().require(spv::Capability::VariablePointersStorageBuffer);
  Id buffer = newWords(writer, randomWords(writer.random(), bufferWords));
  Value left = pointInto(writer, buffer), right = pointInto(writer, buffer);
  Value chosen = choose(writer, left, right);
  load(writer, chosen);
  load(writer, step(writer, chosen));
  compare(writer, chosen, left);
}

/// Two buffers: who differs in the choice says so.
void writePointerBuffers(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::VariablePointers);
  Id first = newWords(writer, randomWords(writer.random(), bufferWords));
  Id second = newWords(writer, randomWords(writer.random(), bufferWords));
  Value chosen = choose(writer, pointInto(writer, first), pointInto(writer, second));
  Value stepped = step(writer, chosen);
  pool.require(spv::Capability::ShaderNonUniform);
  for (const Value &pointer : {chosen, stepped}) {
    pool.decorate(pointer.id, spv::Decoration::NonUniform);
    load(writer, pointer);
  }
}

/// A pointer in a variable walks through a buffer.
void writePointerWalk(Writer &writer) {
  Pool &pool = writer.pool();
  pool.require(spv::Capability::VariablePointers);
  Id u32 = pool.intType(32, false);
  Id buffer = newWords(writer, randomWords(writer.random(), bufferWords));
  Value start = pointInto(writer, buffer);
  Id place = writer.localVariable(start.type), sum = writer.localVariable(u32);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(place), fuzz::id(start.id)});
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(sum), fuzz::id(writer.take(u32).id)});
  writer.loop(writer.takeIndex(mostSteps + 1), mostSteps, [&](Value) {
    Id pointer = writer.emit(spv::Op::OpLoad, start.type, {fuzz::id(place)});
    Id word = writer.emit(spv::Op::OpLoad, u32, {fuzz::id(pointer)});
    Id before = writer.emit(spv::Op::OpLoad, u32, {fuzz::id(sum)});
    Id after = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(before), fuzz::id(word)});
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(sum), fuzz::id(after)});
    Id next = writer.emit(spv::Op::OpPtrAccessChain, start.type,
                          {fuzz::id(pointer), fuzz::id(pool.number(1))});
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(place), fuzz::id(next)});
  });
  Value end{writer.emit(spv::Op::OpLoad, start.type, {fuzz::id(place)}), start.type, false, 0};
  compare(writer, end, start);
  writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(sum)}), u32, false, 0});
}

/// Pointers to what others have written to workgroup memory, or null: that is asked before use.
void writePointerShared(Writer &writer) {
  writer.share(false);
  Pool &pool = writer.pool();
  pool.require(spv::Capability::VariablePointers);
  constexpr auto workgroup = spv::StorageClass::Workgroup;
  Id u32 = pool.intType(32, false), type = pool.pointerType(workgroup, u32);
  auto pointTo = [&](Id index) -> Value {
    return {writer.emit(spv::Op::OpAccessChain, type,
                        {fuzz::id(writer.sharedWords()), fuzz::id(index)}),
            type, false, 0};
  };
  storeShared(writer, pointTo(writer.localIndex().id).id, writer.take(u32).id);
  meet(writer);
  Value other = pointTo(writer.takeIndex(writer.invocationsPerGroup()).id);
  Value null{pool.constantNull(type), type, true, 0};
  Value chosen = choose(writer, other, null);
  Id isNull =
      writer.emit(spv::Op::OpPtrEqual, pool.boolType(), {fuzz::id(chosen.id), fuzz::id(null.id)});
  Id safe = writer.emit(spv::Op::OpSelect, type,
                        {fuzz::id(isNull), fuzz::id(other.id), fuzz::id(chosen.id)});
  Id loaded = loadShared(writer, u32, safe);
  meet(writer);
  writer.add({isNull, pool.boolType(), false, 0});
  writer.add({loaded, u32, false, 0});
}

} // namespace assay::fuzz
