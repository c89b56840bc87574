// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Aggregates with many parts: copied in memory by loops, and kept in memory between load and use.
// As an SSA value of LLVM each part would be an instruction of its own, and several passes need
// time by the square of their number (4096 parts: more than a minute).

#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::TypeKind;

/// Arrays with more elements than this are copied by a loop.
static constexpr uint64_t MaxUnrolled = 16;

/// Calls \p body for the i32 indices from 0 to \p count - 1: with constants for up to MaxUnrolled
/// of them, otherwise once, with the counter of a loop. The builder continues after the last copy
/// or after the loop. \p count must fit 32 bits; the first error of \p body is returned.
Error Translator::forEachIndex(uint64_t count, function_ref<Error(Value *)> body) {
  if (count <= MaxUnrolled) {
    for (unsigned i = 0; i < count; ++i)
      if (Error error = body(m_builder.getInt32(i)))
        return error;
    return Error::success();
  }
  BasicBlock *before = m_builder.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *loop = BasicBlock::Create(m_context, "copy", function);
  BasicBlock *after = BasicBlock::Create(m_context, "copied", function);
  loop->moveAfter(before);
  after->moveAfter(loop);
  m_builder.CreateBr(loop);
  m_builder.SetInsertPoint(loop);
  PHINode *index = m_builder.CreatePHI(m_builder.getInt32Ty(), 2);
  index->addIncoming(m_builder.getInt32(0), before);
  if (Error error = body(index))
    return error;
  Value *next = m_builder.CreateAdd(index, m_builder.getInt32(1));
  index->addIncoming(next, m_builder.GetInsertBlock());
  Value *goesOn = m_builder.CreateICmpULT(next, m_builder.getInt32(static_cast<uint32_t>(count)));
  m_builder.CreateCondBr(goesOn, loop, after);
  m_builder.SetInsertPoint(after);
  return Error::success();
}

/// Copies scalars, vectors, matrices and built-in inputs as one value; arrays and structures
/// element by element, in recursion. InvalidInput where the value types of the two sides differ.
Error Translator::copy(const Pointer &target, const Pointer &source) {
  const spirv::Type &type = m_spirv.type(source.pointee);
  bool isAggregate = type.kind == TypeKind::Array || type.kind == TypeKind::Struct;
  if (!isAggregate || source.info.input) {
    Expected<Value *> value = load(source);
    if (!value)
      return value.takeError();
    return store(target, *value);
  }
  Expected<TypeRecord> sourceRecord = this->type(source.pointee);
  if (!sourceRecord)
    return sourceRecord.takeError();
  Expected<TypeRecord> targetRecord = this->type(target.pointee);
  if (!targetRecord)
    return targetRecord.takeError();
  if (sourceRecord->value != targetRecord->value)
    return invalidInput("the copied value has another type than the memory");

  uint64_t count = type.kind == TypeKind::Struct
                       ? type.members.size()
                       : cast<ArrayType>(sourceRecord->value)->getNumElements();
  auto copyElement = [&](Value *index) -> Error {
    Expected<Pointer> from = step(source, index);
    if (!from)
      return from.takeError();
    Expected<Pointer> to = step(target, index);
    if (!to)
      return to.takeError();
    return copy(*to, *from);
  };
  if (type.kind == TypeKind::Array)
    return forEachIndex(count, copyElement);
  for (unsigned i = 0; i < count; ++i) // A member's index must be a constant.
    if (Error error = copyElement(m_builder.getInt32(i)))
      return error;
  return Error::success();
}

/// True when the result of \p load is used by the next instruction alone, and that stores it.
bool Translator::isStoredAtOnce(const Inst &load) const {
  return m_next && m_next->opcode == spv::Op::OpStore && m_next->operand(1) == load.resultId &&
         m_mentions.lookup(load.resultId) == 1;
}

/// A load whose only use is the store that follows gets no copy: its result is an alias of \p
/// source, and that store copies from there. Any other load is copied to an alloca, since the
/// source may be written before the result is used.
Error Translator::defineInMemory(const Inst &inst, const Pointer &source) {
  if (inst.typeId != source.pointee)
    return invalidInput("its result type is not that of the memory");
  if (isStoredAtOnce(inst))
    return aliasInMemory(inst, source);
  Expected<TypeRecord> record = type(source.pointee);
  if (!record)
    return record.takeError();
  Pointer place{createLocal(record->memory, ""), source.pointee, spv::StorageClass::Function, {}};
  if (Error error = copy(place, source))
    return error;
  return aliasInMemory(inst, place);
}

/// Copies nothing; the caller ensures that \p place is not written while the result is used. The
/// result type may be another SPIR-V type (OpCopyLogical) as long as the LLVM value types agree;
/// otherwise InvalidInput.
Error Translator::aliasInMemory(const Inst &inst, const Pointer &place) {
  Expected<TypeRecord> from = type(place.pointee);
  if (!from)
    return from.takeError();
  Expected<TypeRecord> to = type(inst.typeId);
  if (!to)
    return to.takeError();
  if (from->value != to->value)
    return invalidInput("its result type does not fit its operand");
  Pointer alias = place;
  alias.pointee = inst.typeId;
  m_inMemory[inst.resultId] = alias;
  m_valueTypes[inst.resultId] = inst.typeId;
  return Error::success();
}

/// Returns nullopt for values that are LLVM values and for ids of other functions.
std::optional<Pointer> Translator::findInMemory(spirv::Id id) const {
  auto place = m_inMemory.find(id);
  if (place == m_inMemory.end())
    return std::nullopt;
  return place->second;
}
