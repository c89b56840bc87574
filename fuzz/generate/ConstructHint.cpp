// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a shader tells its compiler: expectations, which may be wrong, and assumptions, which hold.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The capability of OpExpectKHR and OpAssumeTrueKHR.
static void requireHints(Writer &writer) {
  writer.pool().require(spv::Capability::ExpectAssumeKHR);
}

/// Emits OpExpectKHR with a constant; the expectation need not be true.
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

/// A clock is read, as one number or as two words; what it says is nobody's business.
void writeHintClock(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  constexpr uint32_t subgroupScope = 3, deviceScope = 1;
  pool.require(spv::Capability::ShaderClockKHR);
  bool ofDevice = random.oneIn(3);
  if (ofDevice)
    writer.generated().features.insert("shaderDeviceClock");
  bool isPair = random.oneIn(2);
  if (!isPair)
    pool.require(spv::Capability::Int64);
  Id type = isPair ? pool.vectorType(pool.intType(32, false), 2) : pool.intType(64, false);
  writer.emit(spv::Op::OpReadClockKHR, type,
              {fuzz::id(pool.number(ofDevice ? deviceScope : subgroupScope))});
}

/// What informs people: lines, and instructions of sets that mean nothing.
void writeHintDebug(Writer &writer) {
  Pool &pool = writer.pool();
  Program &program = writer.generated().program;
  Random &random = writer.random();
  if (random.oneIn(3))
    writer.emitVoid(spv::Op::OpNop, {});
  Instruction string{spv::Op::OpString, 0, program.fresh(), {}};
  append_range(string.operands, makeString("line.comp"));
  Operand text = fuzz::id(string.result);
  program.names.push_back(std::move(string));
  if (random.oneIn(2)) {
    writer.emitVoid(spv::Op::OpLine,
                    {text, literal(static_cast<uint32_t>(random.below(1000))), literal(1)});
    if (random.oneIn(2))
      writer.emitVoid(spv::Op::OpNoLine, {});
    return;
  }
  pool.extension("SPV_KHR_non_semantic_info");
  Operand set = fuzz::id(
      pool.import(random.oneIn(2) ? "NonSemantic.DebugPrintf" : "NonSemantic.Of.Nobody.1"));
  writer.emit(spv::Op::OpExtInst, pool.voidType(),
              {set, literal(1), text, fuzz::id(writer.take(pool.intType(32, false)).id)});
}

} // namespace assay::fuzz
