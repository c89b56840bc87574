// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/SplitPointers.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/ir3/lower/BufferRoots.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

namespace {

/// A pointer as two integers of 32 bits. Buffers are numbered from 1 on; 0 is that of null.
struct Parts {
  Value *number, *offset;
};

/// Rewrites the fat pointers of one function. Parts of a pointer are made next to it, when they are
/// needed first.
class Splitter {
public:
  explicit Splitter(Function &function)
      : m_function(function), m_type(Type::getInt32Ty(function.getContext())) {}
  /// Whether anything has changed.
  bool run();

private:
  using Buffers = SmallSetVector<unsigned, 4>;

  /// Numbers the buffers of the function and fills the lists of accesses, stores and differences.
  /// An access of one known buffer is no work.
  void collectWork();
  /// The number of the buffer of \p op, from 1 on; a new number for a buffer that is not known yet.
  unsigned numberOf(LoadBufferDescOp &op);
  bool addBuffers(const Value *pointer, Buffers &buffers);
  /// The parts of a fat pointer, made once and remembered. Null is buffer 0, offset 0; undefined
  /// pointers have poison parts.
  Parts split(Value *pointer);
  /// The parts of the result of an instruction that is no phi. Reports Unsupported for one that is
  /// not known.
  Parts splitInstruction(Instruction &inst);
  /// Two phis. They are remembered before their operands are split, since a loop leads back to
  /// them.
  Parts splitPhi(PHINode &phi);
  Parts loadParts(LoadInst &load);
  /// Replaces a store of a fat pointer by stores of its number and its offset, in the layout of
  /// loadParts().
  void storeParts(StoreInst &store);
  /// Replaces the op by a value that is 0 exactly where both parts of the pointers are equal; no
  /// distance is computed.
  void compare(BufferPtrDifferenceOp &op);
  /// Replaces \p access by a chain of compares of the buffer number and a copy of the access for
  /// each buffer that it may lead into. The last buffer needs no compare. Results meet in a phi.
  void expandAccess(Instruction &access);
  Value *cloneAccess(Instruction &access, unsigned buffer, Value *offset, BasicBlock &block);
  /// Erases fat pointers that nothing uses any more, and the phis among them, until nothing
  /// changes.
  void removeDeadPointers();
  /// Reports Unsupported with the text of \p inst, once for the function.
  void fail(const Instruction &inst, StringRef why);
  Value *constant(uint64_t value) { return ConstantInt::get(m_type, value); }

  Function &m_function;
  Type *const m_type;
  std::vector<LoadBufferDescOp *> m_buffers; ///< Number i + 1 is the i-th.
  /// Accesses of several or unknown buffers, stores of fat pointers, and BufferPtrDifferenceOps.
  std::vector<Instruction *> m_accesses, m_stores, m_differences;
  DenseMap<Value *, Parts> m_parts;
  bool m_hasFailed = false;
};

} // namespace

/// Whether \p type is a pointer of address space 7. Vectors and aggregates of such pointers are
/// not.
static bool isFatPointer(const Type *type) {
  constexpr unsigned bufferSpace = 7;
  return type->isPointerTy() && type->getPointerAddressSpace() == bufferSpace;
}

/// The pointer of a load, store or atomic; null for anything else.
static Value *pointerOf(Instruction &inst) {
  return const_cast<Value *>(
      getLoadStorePointerOperand(&inst) ? getLoadStorePointerOperand(&inst)
      : isa<AtomicRMWInst>(inst)        ? cast<AtomicRMWInst>(inst).getPointerOperand()
      : isa<AtomicCmpXchgInst>(inst)    ? cast<AtomicCmpXchgInst>(inst).getPointerOperand()
                                        : nullptr);
}

void Splitter::fail(const Instruction &inst, StringRef why) {
  std::string text;
  raw_string_ostream(text) << inst;
  if (!m_hasFailed)
    reportError(m_function.getContext(), unsupported(why + ":" + text));
  m_hasFailed = true;
}

/// Ops of the same binding and index are one buffer.
unsigned Splitter::numberOf(LoadBufferDescOp &op) {
  for (auto [index, known] : enumerate(m_buffers))
    if (ir3::isSameBuffer(*known, op))
      return static_cast<unsigned>(index) + 1;
  m_buffers.push_back(&op);
  return static_cast<unsigned>(m_buffers.size());
}

/// Adds the buffers that \p pointer may lead into. False where they are any, because it was loaded.
bool Splitter::addBuffers(const Value *pointer, Buffers &buffers) {
  std::optional<ir3::BufferRoots> roots = ir3::findBufferRoots(pointer);
  if (!roots)
    return false;
  for (const LoadBufferDescOp *op : *roots)
    buffers.insert(numberOf(const_cast<LoadBufferDescOp &>(*op)));
  return true;
}

void Splitter::collectWork() {
  for (Instruction &inst : instructions(m_function)) {
    if (auto *op = dyn_cast<LoadBufferDescOp>(&inst))
      numberOf(*op);
    if (isa<BufferPtrDifferenceOp>(inst))
      m_differences.push_back(&inst);
    auto *store = dyn_cast<StoreInst>(&inst);
    if (store && isFatPointer(store->getValueOperand()->getType()))
      m_stores.push_back(store);
  }
  for (Instruction &inst : instructions(m_function)) {
    Value *pointer = pointerOf(inst);
    Buffers buffers;
    if (pointer && isFatPointer(pointer->getType()) &&
        (!addBuffers(pointer, buffers) || buffers.size() > 1))
      m_accesses.push_back(&inst);
  }
}

Parts Splitter::splitPhi(PHINode &phi) {
  IRBuilder<> builder(&phi);
  PHINode *number = builder.CreatePHI(m_type, phi.getNumIncomingValues());
  PHINode *offset = builder.CreatePHI(m_type, phi.getNumIncomingValues());
  m_parts[&phi] = {number, offset};
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    Parts parts = split(value);
    number->addIncoming(parts.number, block);
    offset->addIncoming(parts.offset, block);
  }
  return {number, offset};
}

/// In memory: the number, then the offset. What follows of a pointer's 20 bytes has no meaning.
Parts Splitter::loadParts(LoadInst &load) {
  IRBuilder<> builder(&load);
  Value *second = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), load.getPointerOperand(),
                                                     sizeof(uint32_t));
  return {builder.CreateAlignedLoad(m_type, load.getPointerOperand(), Align(4)),
          builder.CreateAlignedLoad(m_type, second, Align(4))};
}

void Splitter::storeParts(StoreInst &store) {
  Parts parts = split(store.getValueOperand());
  IRBuilder<> builder(&store);
  Value *second = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), store.getPointerOperand(),
                                                     sizeof(uint32_t));
  builder.CreateAlignedStore(parts.number, store.getPointerOperand(), Align(4));
  builder.CreateAlignedStore(parts.offset, second, Align(4));
  store.eraseFromParent();
}

Parts Splitter::splitInstruction(Instruction &inst) {
  IRBuilder<> builder(&inst);
  if (auto *op = dyn_cast<LoadBufferDescOp>(&inst))
    return {constant(numberOf(*op)), constant(0)};
  if (auto *address = dyn_cast<GetElementPtrInst>(&inst)) {
    Parts base = split(address->getPointerOperand());
    Value *bytes = emitGEPOffset(&builder, m_function.getDataLayout(), address);
    return {base.number, builder.CreateAdd(base.offset, bytes)};
  }
  if (auto *choice = dyn_cast<SelectInst>(&inst)) {
    Parts yes = split(choice->getTrueValue()), no = split(choice->getFalseValue());
    return {builder.CreateSelect(choice->getCondition(), yes.number, no.number),
            builder.CreateSelect(choice->getCondition(), yes.offset, no.offset)};
  }
  if (isa<FreezeInst>(inst)) {
    Parts parts = split(inst.getOperand(0));
    return {builder.CreateFreeze(parts.number), builder.CreateFreeze(parts.offset)};
  }
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return loadParts(*load);
  fail(inst, "a pointer to a buffer that this makes");
  return {constant(0), constant(0)};
}

Parts Splitter::split(Value *pointer) {
  if (auto found = m_parts.find(pointer); found != m_parts.end())
    return found->second;
  if (isa<UndefValue>(pointer))
    return {PoisonValue::get(m_type), PoisonValue::get(m_type)};
  auto *inst = dyn_cast<Instruction>(pointer);
  if (!inst)
    return {constant(0), constant(0)}; // Null: there is no other constant.
  auto *phi = dyn_cast<PHINode>(inst);
  Parts parts = phi ? splitPhi(*phi) : splitInstruction(*inst);
  m_parts[pointer] = parts;
  return parts;
}

void Splitter::compare(BufferPtrDifferenceOp &op) {
  Parts x = split(op.getX()), y = split(op.getY());
  IRBuilder<> builder(&op);
  op.replaceAllUsesWith(builder.CreateOr(builder.CreateXor(x.number, y.number),
                                         builder.CreateXor(x.offset, y.offset)));
  op.eraseFromParent();
}

/// \p access of \p buffer at \p offset, at the end of \p block.
Value *Splitter::cloneAccess(Instruction &access, unsigned buffer, Value *offset,
                             BasicBlock &block) {
  IRBuilder<> builder(&block);
  const LoadBufferDescOp &op = *m_buffers[buffer - 1];
  if (!isa<Constant>(op.getArrayIndex()))
    fail(access, "one of several buffers, chosen by an index");
  Instruction *base = op.clone();
  builder.Insert(base);
  Value *pointer = builder.CreateGEP(builder.getInt8Ty(), base, offset);
  Instruction *copy = access.clone();
  copy->replaceUsesOfWith(pointerOf(access), pointer);
  return builder.Insert(copy);
}

void Splitter::expandAccess(Instruction &access) {
  Parts parts = split(pointerOf(access));
  Buffers buffers;
  if (!addBuffers(pointerOf(access), buffers))
    for (unsigned i = 1; i <= m_buffers.size(); ++i)
      buffers.insert(i);
  BasicBlock *head = access.getParent(), *tail = head->splitBasicBlock(&access);
  head->getTerminator()->eraseFromParent();
  auto createBlock = [&] {
    return BasicBlock::Create(m_function.getContext(), "", &m_function, tail);
  };
  SmallVector<std::pair<Value *, BasicBlock *>, 4> results;
  for (unsigned buffer : buffers) {
    BasicBlock *block = createBlock();
    IRBuilder<> builder(head);
    if (buffer == buffers.back()) {
      builder.CreateBr(block);
    } else {
      head = createBlock();
      Value *isHere = faultPlanted(Ir3Fault::SplitNumber)
                          ? builder.getTrue()
                          : builder.CreateICmpEQ(parts.number, constant(buffer));
      builder.CreateCondBr(isHere, block, head);
    }
    results.emplace_back(cloneAccess(access, buffer, parts.offset, *block), block);
    IRBuilder<>(block).CreateBr(tail);
  }
  if (!access.getType()->isVoidTy()) {
    PHINode *phi = IRBuilder<>(&access).CreatePHI(access.getType(), results.size());
    for (auto [value, block] : results)
      phi->addIncoming(value, block);
    access.replaceAllUsesWith(phi);
  }
  access.eraseFromParent();
}

void Splitter::removeDeadPointers() {
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (BasicBlock &block : m_function)
      hasChanged |= DeleteDeadPHIs(&block);
    for (Instruction &inst : make_early_inc_range(instructions(m_function)))
      if (isFatPointer(inst.getType()) && isInstructionTriviallyDead(&inst)) {
        inst.eraseFromParent();
        hasChanged = true;
      }
  }
}

/// Differences first, then accesses, then stores of pointers; pointers that are dead then are
/// erased.
bool Splitter::run() {
  collectWork();
  if (m_accesses.empty() && m_stores.empty() && m_differences.empty())
    return false;
  for (Instruction *inst : m_differences)
    compare(cast<BufferPtrDifferenceOp>(*inst));
  for (Instruction *inst : m_accesses)
    expandAccess(*inst);
  for (Instruction *inst : m_stores)
    storeParts(cast<StoreInst>(*inst));
  removeDeadPointers();
  return true;
}

/// Changes nothing in a function where each access has one known buffer and no pointer is stored or
/// compared.
PreservedAnalyses ir3::SplitPointers::run(Function &function, FunctionAnalysisManager &) {
  return Splitter(function).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
