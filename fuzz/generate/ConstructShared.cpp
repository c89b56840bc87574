// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workgroup memory with structures, exchanged in loops that all run equally often.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// In each turn everyone fills a structure, all meet, each reads from another's, all meet again.
void writeSharedStructures(Writer &writer) {
  writer.share(false);
  Pool &pool = writer.pool();
  Random &random = writer.random();
  constexpr auto workgroup = spv::StorageClass::Workgroup;
  Id u32 = pool.intType(32, false), pair = pool.vectorType(u32, 2);
  Id words = pool.arrayType(u32, pool.number(3));
  Id members[] = {u32, pair, words};
  Id structure = pool.structType(members);
  unsigned count = writer.invocationsPerGroup();
  Id array = pool.arrayType(structure, pool.number(count));
  Id variable = pool.variable(pool.pointerType(workgroup, array), workgroup);
  auto place = [&](Id index, unsigned member) {
    return writer.emit(spv::Op::OpAccessChain, pool.pointerType(workgroup, members[member]),
                       {fuzz::id(variable), fuzz::id(index), fuzz::id(pool.number(member))});
  };
  auto turns = static_cast<uint32_t>(random.between(1, 4));
  Id carried = writer.localVariable(u32);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(carried), fuzz::id(writer.take(u32).id)});
  writer.loop({pool.number(turns), u32, true, 0}, turns, [&](Value) {
    Id before = writer.emit(spv::Op::OpLoad, u32, {fuzz::id(carried)});
    writer.add({before, u32, false, 0});
    for (unsigned member = 0; member < 3; ++member) {
      Id to = place(writer.localIndex().id, member);
      storeShared(writer, to, writer.take(members[member]).id);
    }
    meet(writer);
    Value other = writer.takeIndex(count);
    Value first{loadShared(writer, u32, place(other.id, 0)), u32, false, 0};
    Value second{loadShared(writer, pair, place(other.id, 1)), pair, false, 0};
    Value third{loadShared(writer, words, place(other.id, 2)), words, false, 0};
    for (const Value &each : {first, second, third})
      writer.add(each);
    meet(writer);
    Id sum = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(before), fuzz::id(first.id)});
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(carried), fuzz::id(sum)});
  });
  writer.add({writer.emit(spv::Op::OpLoad, u32, {fuzz::id(carried)}), u32, false, 0});
}

} // namespace assay::fuzz
