// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptInvariantLoads.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Aliasing.h"
#include "compiler/lgc/Builder.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;

namespace {
/// The elements of one binding, which may be the same buffer.
struct Binding {
  SmallVector<LoadBufferDescOp *, 4> descriptors;
  SmallVector<LoadInst *, 8> loads;
  bool isReadOnly = true; ///< By the shader, and has no alias.
};

/// Who accesses what in a function.
class BufferUses {
public:
  explicit BufferUses(Function &function);
  /// Marks what is invariant; whether anything is.
  bool mark();

private:
  void follow(Binding &binding);
  /// Notes a use that is not followed: a load, a comparison, a write, or an escape of the pointer.
  void noteAccess(const Use &use, Binding &binding);

  MapVector<std::pair<uint64_t, uint64_t>, Binding> m_bindings; ///< By set and binding.
  bool m_isOpen = false; ///< Buffers may be written by what is not in the bindings.
};
} // namespace

/// Whether \p scope is more than the invocations of a workgroup, which run the same function.
static bool isBeyondWorkgroup(const LLVMContext &context, SyncScope::ID scope) {
  static constexpr StringLiteral narrow[] = {"workgroup", "wavefront", "singlethread"};
  SmallVector<StringRef, 16> names;
  context.getSyncScopeNames(names);
  return none_of(narrow, [&](StringRef name) { return names[scope].starts_with(name); });
}

/// Whether \p instruction lets what follows see the writes of other dispatches.
static bool acquiresFromAfar(const Instruction &instruction) {
  AtomicOrdering ordering = AtomicOrdering::NotAtomic;
  if (auto *fence = dyn_cast<FenceInst>(&instruction))
    ordering = fence->getOrdering();
  else if (auto *load = dyn_cast<LoadInst>(&instruction))
    ordering = load->getOrdering();
  else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    ordering = atomic->getOrdering();
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    ordering = exchange->getMergedOrdering();
  return isAcquireOrStronger(ordering) &&
         isBeyondWorkgroup(instruction.getContext(), *getAtomicSyncScopeID(&instruction));
}

/// Memory that no descriptor leads to: of one invocation, or of a workgroup.
static bool isInner(const Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == PrivateAddressSpace || space == LocalAddressSpace;
}

/// Returns whether \p call may write memory that a descriptor leads to. Intrinsics that access only
/// their arguments are judged by those.
static bool callMayWriteBuffer(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (callee && callee->getName().starts_with("lgc."))
    return false; // Texel buffers are variables of their own, barriers have fences next to them.
  if (call.onlyReadsMemory() || call.onlyAccessesInaccessibleMemory())
    return false;
  return !isa<IntrinsicInst>(call) || !call.onlyAccessesArgMemory() ||
         any_of(call.args(), [](const Use &argument) {
           return argument->getType()->isPointerTy() && !isInner(argument);
         });
}

/// Where \p user, a store or an atomic operation, goes; null for all else.
static const Use *getAddressOperand(const User &user) {
  if (isa<StoreInst>(user))
    return &user.getOperandUse(StoreInst::getPointerOperandIndex());
  if (isa<AtomicRMWInst>(user))
    return &user.getOperandUse(AtomicRMWInst::getPointerOperandIndex());
  if (isa<AtomicCmpXchgInst>(user))
    return &user.getOperandUse(AtomicCmpXchgInst::getPointerOperandIndex());
  return nullptr;
}

/// Whether \p instruction may write to a buffer by a pointer that is none of a descriptor's, or
/// lets the shader see what others wrote.
static bool mayChangeBuffers(const Instruction &instruction) {
  if (acquiresFromAfar(instruction))
    return true;
  if (auto *call = dyn_cast<CallInst>(&instruction))
    return callMayWriteBuffer(*call);
  if (!instruction.mayWriteToMemory() || isa<FenceInst, LoadInst>(instruction))
    return false;
  const Use *address = getAddressOperand(instruction);
  return !address || (!isInner(*address) &&
                      (*address)->getType()->getPointerAddressSpace() != BufferFatPointerSpace);
}

BufferUses::BufferUses(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    m_isOpen |= mayChangeBuffers(instruction);
    if (auto *op = dyn_cast<LoadBufferDescOp>(&instruction))
      m_bindings[{op->getSet(), op->getBinding()}].descriptors.push_back(op);
  }
  for (auto &[place, binding] : m_bindings)
    follow(binding);
}

/// Goes from the descriptors of \p binding to all accesses.
void BufferUses::follow(Binding &binding) {
  SmallVector<Value *, 16> open(binding.descriptors.begin(), binding.descriptors.end());
  binding.isReadOnly = all_of(binding.descriptors, [](auto *op) { return isUnaliased(*op); });
  DenseSet<Value *> seen;
  while (!open.empty()) {
    Value *pointer = open.pop_back_val();
    if (!seen.insert(pointer).second)
      continue;
    for (const Use &use : pointer->uses()) {
      if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(use.getUser()))
        open.push_back(use.getUser());
      else
        noteAccess(use, binding);
    }
  }
}

void BufferUses::noteAccess(const Use &use, Binding &binding) {
  User *user = use.getUser();
  if (auto *load = dyn_cast<LoadInst>(user)) {
    binding.loads.push_back(load);
    return;
  }
  if (isa<ICmpInst>(user))
    return;
  binding.isReadOnly = false;
  // As anything but the address, the pointer goes where it is not followed.
  m_isOpen |= getAddressOperand(*user) != &use;
}

/// Marks nothing where buffers may be written by other ways. Otherwise loads that may also read a
/// written binding are left out, and volatile and atomic ones.
bool BufferUses::mark() {
  if (m_isOpen)
    return false;
  DenseSet<LoadInst *> written;
  for (const auto &[place, binding] : m_bindings)
    if (!binding.isReadOnly)
      written.insert_range(binding.loads);
  bool hasChanged = false;
  for (const auto &[place, binding] : m_bindings)
    for (LoadInst *load : binding.loads) {
      if (written.contains(load) || load->isVolatile() || load->isAtomic())
        continue;
      load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(load->getContext(), {}));
      hasChanged = true;
    }
  return hasChanged;
}

PreservedAnalyses OptInvariantLoads::run(Function &function, FunctionAnalysisManager &) {
  if (!BufferUses(function).mark())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
