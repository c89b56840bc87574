// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

Splitter::Splitter(Function &function, TypeMap &types, const Roots &roots,
                   const AccessEmitter &emitter)
    : m_function(function), m_types(types), m_roots(roots), m_emitter(emitter),
      m_layout(function.getDataLayout()), m_builder(function.getContext()) {
  for (Instruction &instruction : instructions(function))
    m_given.insert(&instruction);
}

/// Returns the parts of a constant fat pointer, or of a vector of them.
FatParts Splitter::getConstantParts(Constant &pointer) {
  auto *type = cast<StructType>(m_types.remap(pointer.getType()));
  unsigned offset = type->getNumElements() - 1;
  Constant *whole = getConstantWhole(pointer);
  FatParts parts;
  parts.resource = whole->getAggregateElement(0u);
  parts.index = offset == 2 ? whole->getAggregateElement(1u) : nullptr;
  parts.offset = whole->getAggregateElement(offset);
  return parts;
}

/// A vector of fat pointers, element by element: a struct of vectors.
static Constant *makeStructOfVectors(StructType *type, ArrayRef<Constant *> elements) {
  SmallVector<Constant *, 3> vectors;
  for (unsigned part = 0; part < type->getNumElements(); ++part) {
    SmallVector<Constant *, 8> lanes;
    for (Constant *element : elements)
      lanes.push_back(element->getAggregateElement(part));
    vectors.push_back(ConstantVector::get(lanes));
  }
  return ConstantStruct::get(type, vectors);
}

/// Expressions of fat pointers have become instructions (PointersInMemory.h).
Constant *Splitter::getConstantWhole(Constant &value) {
  if (!m_types.holdsFatPointer(value.getType()))
    return &value;
  Type *type = m_types.remap(value.getType());
  if (value.isNullValue())
    return Constant::getNullValue(type);
  if (isa<PoisonValue>(value))
    return PoisonValue::get(type);
  if (isa<UndefValue>(value))
    return UndefValue::get(type);
  SmallVector<Constant *, 8> elements;
  for (Value *operand : value.operands())
    elements.push_back(getConstantWhole(*cast<Constant>(operand)));
  if (isa<ConstantVector>(value))
    return makeStructOfVectors(cast<StructType>(type), elements);
  if (auto *array = dyn_cast<ArrayType>(type))
    return ConstantArray::get(array, elements);
  return ConstantStruct::get(cast<StructType>(type), elements);
}

/// A constant is taken apart at each call; nothing is remembered of it.
FatParts Splitter::getParts(Value *pointer) {
  auto found = m_parts.find(pointer);
  if (found != m_parts.end())
    return found->second;
  return getConstantParts(*cast<Constant>(pointer));
}

/// Where \p value has parts only, each call builds a new structure of them at the builder's place.
Value *Splitter::getWhole(Value *value) {
  if (!m_types.holdsFatPointer(value->getType()))
    return value;
  if (auto *constant = dyn_cast<Constant>(value))
    return getConstantWhole(*constant);
  if (Value *known = m_wholes.lookup(value))
    return known;
  FatParts parts = getParts(value);
  Value *result = PoisonValue::get(m_types.remap(value->getType()));
  unsigned next = 0;
  for (Value *part : {parts.resource, parts.index, parts.offset})
    if (part)
      result = m_builder.CreateInsertValue(result, part, next++);
  return result;
}

Value *Splitter::getResource(Value *root) {
  return isFatPointer(root->getType()) ? getParts(root).resource : root;
}

/// Extracts the parts from \p whole, the remapped value of a fat pointer of \p type. Those without
/// users are erased at the end.
FatParts Splitter::extractParts(Value *whole, Type *type) {
  FatParts parts;
  unsigned next = 0;
  auto extract = [&] {
    Value *part = m_builder.CreateExtractValue(whole, next++);
    m_made.push_back(part);
    return part;
  };
  parts.resource = extract();
  if (isStrided(type))
    parts.index = extract();
  parts.offset = extract();
  return parts;
}

/// Names parts after \p name: ".rsrc", ".index", ".off". Parts that have a name keep it.
void Splitter::nameParts(FatParts &parts, StringRef name) {
  if (name.empty())
    return;
  auto give = [&](Value *part, const char *suffix) {
    if (part && isa<Instruction>(part) && !part->hasName())
      part->setName(name + suffix);
  };
  give(parts.resource, ".rsrc");
  give(parts.index, ".index");
  give(parts.offset, ".off");
}

/// Parts are named after \p old. Those that nothing uses are erased at the end.
void Splitter::define(Instruction &old, FatParts parts) {
  assert(bool(parts.index) == isStrided(old.getType()));
  nameParts(parts, old.getName());
  for (Value *part : {parts.resource, parts.index, parts.offset})
    if (part)
      m_made.push_back(part);
  m_parts[&old] = parts;
  m_old.push_back(&old);
}

/// The parts of a fat pointer are extracted at once, at the builder's place.
void Splitter::defineWhole(Instruction &old, Value *value) {
  m_wholes[&old] = value;
  m_old.push_back(&old);
  if (isFatPointer(old.getType())) {
    m_parts[&old] = extractParts(value, old.getType());
    nameParts(m_parts[&old], old.getName());
  }
  if (isa<Instruction>(value) && !value->hasName())
    value->takeName(&old);
}

/// Users of \p old change to \p value at once; \p old itself is erased at the end.
void Splitter::replace(Instruction &old, Value *value) {
  m_old.push_back(&old);
  if (!value)
    return;
  if (isa<Instruction>(value) && !value->hasName())
    value->takeName(&old);
  old.replaceAllUsesWith(value);
}

/// Parts are extracted after the allocas at the start of the entry block.
void Splitter::defineArgument(Argument &old, Argument &argument) {
  m_builder.SetInsertPoint(&m_function.getEntryBlock(),
                           m_function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  m_wholes[&old] = &argument;
  if (isFatPointer(old.getType())) {
    m_parts[&old] = extractParts(&argument, old.getType());
    nameParts(m_parts[&old], argument.getName());
  }
}

/// Returns whether a value, an operand or the callee of \p instruction has fat pointers.
bool Splitter::isConcerned(const Instruction &instruction) {
  auto holds = [&](const Value *value) { return m_types.holdsFatPointer(value->getType()); };
  if (holds(&instruction) || any_of(instruction.operands(), holds))
    return true;
  auto *call = dyn_cast<CallBase>(&instruction);
  return call && m_types.holdsFatPointer(call->getFunctionType());
}

/// In reverse post-order all operands are split before their users, except those of phis, which
/// finishPhis() adds.
void Splitter::run() {
  // Collected first: handlers may split blocks.
  SmallVector<Instruction *, 32> concerned;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&m_function))
    for (Instruction &instruction : *block)
      if (isConcerned(instruction))
        concerned.push_back(&instruction);
  for (Instruction *instruction : concerned) {
    m_builder.SetInsertPoint(instruction);
    SplitHandler handler = findSplitHandler(*instruction, m_emitter);
    assert(handler && "an instruction without a handler should have been refused");
    handler(*this, *instruction);
  }
  finishPhis();
  finishDebugRecords();
  eraseOld();
}

void Splitter::deferPhi(PHINode &phi, FatParts parts, bool hasRoot) {
  define(phi, parts);
  if (hasRoot)
    parts.resource = nullptr;
  m_phis.push_back({&phi, parts, nullptr});
}

void Splitter::deferPhi(PHINode &phi, PHINode *whole) {
  defineWhole(phi, whole);
  m_phis.push_back({&phi, {}, whole});
}

/// Adds incoming values to the deferred phis, all of which have parts by now.
void Splitter::finishPhis() {
  auto add = [](Value *phi, Value *value, BasicBlock *block) {
    if (phi)
      cast<PHINode>(phi)->addIncoming(value, block);
  };
  for (DeferredPhi &phi : m_phis)
    for (unsigned i = 0; i < phi.old->getNumIncomingValues(); ++i) {
      Value *value = phi.old->getIncomingValue(i);
      BasicBlock *block = phi.old->getIncomingBlock(i);
      if (phi.whole) {
        add(phi.whole, getWhole(value), block);
        continue;
      }
      FatParts parts = getParts(value);
      add(phi.parts.resource, parts.resource, block);
      add(phi.parts.index, parts.index, block);
      add(phi.parts.offset, parts.offset, block);
    }
}

/// A phi of pointers that all have the same offset, say, has made one that no one needs.
void Splitter::simplifyPhis() {
  for (DeferredPhi &phi : m_phis)
    for (Value *part : {phi.parts.resource, phi.parts.index, phi.parts.offset}) {
      auto *made = cast_or_null<PHINode>(part);
      Value *same = made ? made->hasConstantValue() : nullptr;
      if (same && same != made)
        made->replaceAllUsesWith(same);
    }
}

/// A record of a fat pointer becomes one of each part, a fragment of the variable: the offset is
/// the low 32 bits of the number, the index (if any) the next.
static void splitRecord(DbgVariableRecord &record, Value *pointer, const FatParts &parts) {
  DIExpression *expression = record.getExpression();
  unsigned bits = 0;
  for (Value *part : {parts.offset, parts.index, parts.resource}) {
    if (!part)
      continue;
    unsigned size = part == parts.resource ? 128 : 32;
    std::optional<DIExpression *> fragment =
        DIExpression::createFragmentExpression(expression, bits, size);
    bits += size;
    if (!fragment)
      continue;
    DbgVariableRecord *piece = record.clone();
    piece->setExpression(*fragment);
    piece->replaceVariableLocationOp(pointer, part);
    piece->insertBefore(&record);
  }
  record.eraseFromParent();
}

/// Replaces debug records of split values; where that is not possible they lose their location.
void Splitter::finishDebugRecords() {
  auto finish = [&](Value *old, const FatParts *parts) {
    SmallVector<DbgVariableRecord *, 4> records;
    findDbgUsers(old, records);
    for (DbgVariableRecord *record : records) {
      bool isSimple = parts && isa<PointerType>(old->getType()) && !record->hasArgList() &&
                      !record->getExpression()->isComplex() && !record->isDbgAssign();
      if (isSimple)
        splitRecord(*record, old, *parts);
      else if (Value *whole = m_wholes.lookup(old))
        record->replaceVariableLocationOp(old, whole);
      else
        record->setKillLocation();
    }
  };
  for (auto &[old, parts] : m_parts)
    finish(old, &parts);
  for (auto &[old, whole] : m_wholes)
    finish(old, nullptr);
}

/// Erases all replaced instructions. References are dropped first, as they may use each other in
/// cycles.
void Splitter::eraseOld() {
  for (Instruction *old : m_old)
    old->dropAllReferences();
  for (Instruction *old : m_old)
    old->eraseFromParent();
  simplifyPhis();
  eraseUnneeded();
}

/// What was in the function before stays, whether it is needed or not.
void Splitter::eraseUnneeded() {
  while (!m_made.empty()) {
    WeakTrackingVH made = m_made.pop_back_val();
    auto *instruction = dyn_cast_or_null<Instruction>(made);
    if (!instruction || m_given.contains(instruction) || !isInstructionTriviallyDead(instruction))
      continue;
    salvageDebugInfo(*instruction);
    for (Value *operand : instruction->operands())
      m_made.push_back(operand);
    instruction->eraseFromParent();
  }
}

namespace {
/// The tables of all families by opcode and by intrinsic.
struct Handlers {
  DenseMap<unsigned, SplitHandler> opcodes;
  DenseMap<unsigned, SplitHandler> intrinsics;
  Handlers() {
    for (auto table : {getMemoryHandlers(), getAddressHandlers(), getCastHandlers(),
                       getJoinHandlers(), getElementHandlers(), getCallHandlers()})
      for (const OpcodeHandler &row : table)
        opcodes[row.opcode] = row.handler;
    for (const IntrinsicHandler &row : getIntrinsicHandlers())
      intrinsics[row.intrinsic] = row.handler;
  }
};
} // namespace

/// Intrinsics that no table has are left to the emitter. An opcode without a handler gives null.
SplitHandler assay::findSplitHandler(const Instruction &instruction, const AccessEmitter &emitter) {
  static const Handlers handlers;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (!intrinsic)
    return handlers.opcodes.lookup(instruction.getOpcode());
  if (SplitHandler handler = handlers.intrinsics.lookup(intrinsic->getIntrinsicID()))
    return handler;
  return emitter.findIntrinsicHandler(intrinsic->getIntrinsicID());
}
