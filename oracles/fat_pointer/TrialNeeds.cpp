// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/fat_pointer/TrialNeeds.h"

#include "oracles/fat_pointer/FatTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

namespace {

/// Walks a function and everything that it may call, once each.
class NeedsFinder {
public:
  /// Returns the needs of \p function together with all that it may call. Call it once for each
  /// finder.
  TrialNeeds find(const Function &function);

private:
  /// Sets m_needs.impossible for parameters that no trial can provide.
  void checkParameters(const Function &function);
  /// Notes the needs of the signature and of each instruction of the body, which may be absent.
  void visitFunction(const Function &function);
  /// Notes the pointers in the result and the operands, the alignment of an access, the type of a
  /// floating-point atomic and the needs of a call.
  void visit(const Instruction &instruction);
  /// Notes the needs of a call, and its possible callees.
  void visitCall(const CallBase &call);
  /// Notes which kinds of fat pointers \p type contains.
  void noteType(Type *type);
  /// Notes the pointers in a type that is loaded or made of a number.
  void noteRead(Type *type);
  /// Keeps the strictest alignment. Without one, an access has an alignment of 1 byte.
  void noteAlign(MaybeAlign align) { m_needs.align = std::max(m_needs.align, align.valueOrOne()); }

  SetVector<const Function *> m_functions; ///< Grows while it is walked.
  TrialNeeds m_needs;
};

} // namespace

/// Calls \p note with the address space of each pointer in \p type.
static void forEachSpace(Type *type, function_ref<void(unsigned)> note) {
  if (auto *pointer = dyn_cast<PointerType>(type))
    return note(pointer->getAddressSpace());
  for (Type *element : type->subtypes())
    forEachSpace(element, note);
}

void NeedsFinder::noteType(Type *type) {
  forEachSpace(type, [&](unsigned space) {
    m_needs.usesFat |= space == fatSpace;
    m_needs.usesStrided |= space == stridedSpace;
  });
}

void NeedsFinder::noteRead(Type *type) {
  forEachSpace(type, [&](unsigned space) {
    m_needs.readsFat |= space == fatSpace;
    m_needs.readsStrided |= space == stridedSpace;
    m_needs.readsResource |= space == resourceSpace;
    m_needs.readsGlobal |= space <= globalSpace || space == constantSpace;
  });
}

void NeedsFinder::visitCall(const CallBase &call) {
  for (unsigned i = 0; i < call.arg_size(); ++i)
    noteAlign(call.getParamAlign(i));
  const Function *callee = call.getCalledFunction();
  if (callee) {
    StringRef name = callee->getName();
    bool isBuffer = name.contains(".buffer.");
    m_needs.usesStrided |= isBuffer && name.contains(".struct.");
    m_needs.looksAcrossLanes |=
        name.starts_with("llvm.amdgcn.") && !isBuffer && !name.contains("make.buffer.rsrc");
    if (name.contains(".load.to.lds") || name.contains(".buffer.load.lds"))
      noteAlign(Align(4)); // LDS gets dwords.
    m_functions.insert(callee);
    return;
  }
  // Whatever an address was taken of may be called.
  if (!call.isInlineAsm())
    for (const Function &function : *call.getModule())
      if (function.hasAddressTaken())
        m_functions.insert(&function);
}

void NeedsFinder::visit(const Instruction &instruction) {
  noteType(instruction.getType());
  for (const Value *operand : instruction.operands())
    if (!operand->getType()->isMetadataTy())
      noteType(operand->getType());
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    noteAlign(load->getAlign());
    noteRead(load->getType());
  } else if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
    noteAlign(store->getAlign());
  } else if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
    noteAlign(rmw->getAlign());
    if (rmw->isFloatingPointOperation())
      m_needs.atomicFloat = rmw->getType()->getScalarType();
  } else if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    noteAlign(exchange->getAlign());
  } else if (isa<IntToPtrInst>(instruction)) {
    noteRead(instruction.getType());
  } else if (const auto *call = dyn_cast<CallBase>(&instruction)) {
    visitCall(*call);
  }
}

void NeedsFinder::visitFunction(const Function &function) {
  noteType(function.getFunctionType());
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      visit(instruction);
}

void NeedsFinder::checkParameters(const Function &function) {
  for (const Argument &argument : function.args()) {
    forEachSpace(argument.getType(), [&](unsigned space) {
      if (space == scratchSpace && m_needs.impossible.empty())
        m_needs.impossible = "parameter " + std::to_string(argument.getArgNo()) +
                             " points into scratch, which only a caller in the IR has";
    });
    for (const User *user : argument.users())
      if (const auto *call = dyn_cast<CallBase>(user);
          call && call->getCalledOperand() == &argument)
        m_needs.impossible = "parameter " + std::to_string(argument.getArgNo()) +
                             " is called: nobody knows which functions it may be";
  }
  if (function.isVarArg())
    m_needs.impossible = "it has a variable number of parameters";
}

TrialNeeds NeedsFinder::find(const Function &function) {
  checkParameters(function);
  m_functions.insert(&function);
  for (size_t i = 0; i < m_functions.size(); ++i)
    visitFunction(*m_functions[i]);
  return std::move(m_needs);
}

TrialNeeds assay::findTrialNeeds(const Function &function) {
  return NeedsFinder().find(function);
}
