// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shader tells its compiler: expectations, which may be wrong, and assumptions, which hold.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

static void requireHints(Writer &writer) {
  writer.pool().require(spv::Capability::ExpectAssumeKHR);
}

void writeHintExpect(Writer &writer) {
  requireHints(writer);
  Value value = takeNumeric(writer, writer.random().oneIn(2) ? TypeInfo::Bool : TypeInfo::Int);
  Value expected = writer.constant(value.type);
  writer.add(
      {writer.emit(spv::Op::OpExpectKHR, value.type, {fuzz::id(value.id), fuzz::id(expected.id)}),
       value.type, value.isUniform, 0});
}

/// Of a masked word, which is below the mask's next power of two whatever it was.
void writeHintAssume(Writer &writer) {
  requireHints(writer);
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  auto bits = static_cast<uint32_t>(writer.random().between(1, 12));
  Value small = masked(writer, writer.take(u32), (1u << bits) - 1);
  Id holds = writer.emit(spv::Op::OpULessThan, pool.boolType(),
                         {fuzz::id(small.id), fuzz::id(pool.number(1u << bits))});
  writer.emitVoid(spv::Op::OpAssumeTrueKHR, {fuzz::id(holds)});
}

} // namespace assay::fuzz
