// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/fat_pointers/Refusals.h"

#include "compiler/lgc/fat_pointers/ConstantsInMemory.h"
#include "compiler/lgc/fat_pointers/ExpandAccesses.h"
#include "compiler/lgc/fat_pointers/Splitter.h"
#include "support/Error.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace assay;

namespace {
/// One function, instruction by instruction.
class Checker {
public:
  Checker(TypeMap &types, const AccessEmitter &emitter) : m_types(types), m_emitter(emitter) {}

  /// Unsupported where \p instruction can't be lowered.
  Error check(const Instruction &instruction);

private:
  bool holds(const Value &value) { return m_types.holdsFatPointer(value.getType()); }
  /// Unsupported for types with fat pointers that can't be remapped.
  Error checkType(Type *type);
  /// Checks the types and casts in a constant, expressions included.
  Error checkConstant(const Constant &constant);
  Error checkCast(const Operator &cast);
  /// Unsupported where a call passes a fat pointer in a form that parts can't have.
  Error checkCall(const CallBase &call);
  /// Asks the emitter about accesses through fat pointers.
  Error checkAccess(const Instruction &access);

  TypeMap &m_types;
  const AccessEmitter &m_emitter;
};
} // namespace

/// Whether \p type has a vector of fat pointers whose length is not known.
static bool hasScalableVector(Type *type) {
  if (isFatPointer(type))
    return isa<ScalableVectorType>(type);
  return any_of(type->subtypes(), hasScalableVector);
}

/// Returns whether \p type has a target extension type in it.
static bool hasTargetType(Type *type) {
  return isa<TargetExtType>(type) || any_of(type->subtypes(), hasTargetType);
}

/// Refuses scalable vectors of fat pointers, and target extension types in a type that holds them.
Error Checker::checkType(Type *type) {
  if (!m_types.holdsFatPointer(type))
    return Error::success();
  if (hasScalableVector(type))
    return unsupported("a scalable vector of buffer fat pointers");
  if (hasTargetType(type))
    return unsupported("a target's own type with buffer fat pointers");
  return Error::success();
}

/// Returns true for null, undef and poison, which can be of any address space.
static bool isNoValue(const Value *value) {
  auto *constant = dyn_cast<Constant>(value);
  return constant && (constant->isNullValue() || isa<UndefValue>(constant));
}

/// A fat pointer is an address within a buffer: other address spaces have no way to it, or from it.
Error Checker::checkCast(const Operator &cast) {
  Value *source = cast.getOperand(0);
  if (cast.getOpcode() != Instruction::AddrSpaceCast)
    return Error::success();
  bool fromFat = isFatPointer(source->getType());
  bool toFat = isFatPointer(cast.getType());
  if (!fromFat && !toFat)
    return Error::success();
  unsigned from = source->getType()->getPointerAddressSpace();
  unsigned to = cast.getType()->getPointerAddressSpace();
  if ((fromFat && to == ResourceSpace) || (toFat && !fromFat && isNoValue(source)) ||
      (toFat && from == ResourceSpace))
    return Error::success();
  return unsupported("addrspacecast from address space " + Twine(from) + " to " + Twine(to) +
                     ": buffer fat pointers are cast from and to resources (address space 8) only");
}

Error Checker::checkConstant(const Constant &constant) {
  if (isa<GlobalValue>(constant) || !usesFatPointers(constant, m_types))
    return Error::success();
  if (Error error = checkType(constant.getType()))
    return error;
  if (auto *expression = dyn_cast<ConstantExpr>(&constant))
    if (Error error = checkCast(*cast<Operator>(expression)))
      return error;
  for (const Value *part : constant.operands())
    if (Error error = checkConstant(*cast<Constant>(part)))
      return error;
  return Error::success();
}

/// Refuses inline assembly, results of invoke and callbr, variable arguments, operand bundles, and
/// arguments passed by value. Intrinsics may have variable arguments.
Error Checker::checkCall(const CallBase &call) {
  if (call.isInlineAsm())
    return unsupported("a buffer fat pointer as an operand of inline assembly");
  if (isa<CallBrInst>(call) || (isa<InvokeInst>(call) && holds(call)))
    return unsupported("a buffer fat pointer returned by an invoke or callbr");
  unsigned named = call.getFunctionType()->getNumParams();
  bool isHint = isa<IntrinsicInst>(call);
  for (unsigned i = named; i < call.arg_size() && !isHint; ++i)
    if (holds(*call.getArgOperand(i)))
      return unsupported("a buffer fat pointer among variable arguments");
  for (unsigned i = 0; i < call.getNumOperandBundles(); ++i)
    for (const Use &input : call.getOperandBundleAt(i).Inputs)
      if (holds(*input.get()))
        return unsupported("a buffer fat pointer in an operand bundle");
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (holds(*call.getArgOperand(i)) && call.isPassPointeeByValueArgument(i))
      return unsupported("an argument that is passed by value through a buffer fat pointer");
  return Error::success();
}

/// Instructions that access no memory through a fat pointer pass.
Error Checker::checkAccess(const Instruction &access) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&access))
    pointer = atomic->getPointerOperand();
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&access))
    pointer = exchange->getPointerOperand();
  if (!pointer || !isFatPointer(pointer->getType()))
    return Error::success();
  return m_emitter.verify(access);
}

/// Constants and types of operands are checked even where the instruction has no fat pointer
/// itself, and so is the type that an alloca holds.
Error Checker::check(const Instruction &instruction) {
  bool isConcerned = holds(instruction);
  for (const Use &operand : instruction.operands()) {
    isConcerned |= holds(*operand.get());
    if (auto *constant = dyn_cast<Constant>(operand.get()))
      if (Error error = checkConstant(*constant))
        return error;
    if (Error error = checkType(operand->getType()))
      return error;
  }
  if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
    if (Error error = checkType(alloca->getAllocatedType()))
      return error;
  if (!isConcerned)
    return Error::success();
  if (Error error = checkType(instruction.getType()))
    return error;
  if (isa<AllocaInst>(instruction))
    return unsupported("memory of a function in a buffer's address space");
  if (Error error = checkCast(cast<Operator>(instruction)))
    return error;
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (intrinsic && isExpandable(intrinsic->getIntrinsicID()))
    return verifyExpandable(*intrinsic);
  if (auto *call = dyn_cast<CallBase>(&instruction))
    if (Error error = checkCall(*call))
      return error;
  if (!findSplitHandler(instruction, m_emitter))
    return unsupported("a buffer fat pointer in this instruction");
  return checkAccess(instruction);
}

/// "in f: message: the instruction".
static Error addPlace(Error error, const Instruction &instruction) {
  std::string text;
  raw_string_ostream os(text);
  instruction.print(os);
  return addContext(std::move(error), "in " + instruction.getFunction()->getName() + ":" + text);
}

/// Unsupported for globals in a buffer's address space, and for initialisers without a memory form.
static Error verifyGlobal(GlobalVariable &global, TypeMap &types) {
  if (global.getAddressSpace() == FatSpace || global.getAddressSpace() == StridedFatSpace)
    return unsupported("global " + global.getName() + " in a buffer's address space");
  if (types.holdsFatPointer(global.getValueType()) &&
      (hasScalableVector(global.getValueType()) || hasTargetType(global.getValueType())))
    return unsupported("type of global " + global.getName());
  if (global.hasInitializer() &&
      !getMemoryForm(*global.getInitializer(), types, global.getDataLayout()))
    return unsupported("initialiser of global " + global.getName() +
                       ": a buffer fat pointer that is not known when compiling");
  return Error::success();
}

/// Checks the signature, data in front of the function and each instruction; errors name the place.
static Error verifyFunction(Function &function, TypeMap &types, const AccessEmitter &emitter) {
  Type *type = function.getFunctionType();
  if (types.holdsFatPointer(type) && (hasScalableVector(type) || hasTargetType(type)))
    return unsupported("type of function " + function.getName());
  for (const Argument &argument : function.args())
    if (isFatPointer(argument.getType()) && argument.hasPassPointeeByValueCopyAttr())
      return addContext(
          unsupported("an argument that is passed by value through a buffer fat pointer"),
          "in " + function.getName());
  Checker checker(types, emitter);
  for (const Use &data : function.operands()) // Prefix, prologue, personality.
    if (usesFatPointers(*cast<Constant>(data.get()), types))
      return unsupported("data before function " + function.getName() + " of buffer fat pointers");
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (Error error = checker.check(instruction))
        return addPlace(std::move(error), instruction);
  return Error::success();
}

/// Returns the first reason found; for one in a function the message names the place.
Error assay::verifyLowerable(Module &module, TypeMap &types, const AccessEmitter &emitter) {
  for (GlobalVariable &global : module.globals())
    if (Error error = verifyGlobal(global, types))
      return error;
  for (GlobalAlias &alias : module.aliases())
    if (isFatPointer(alias.getType()))
      return unsupported("alias " + alias.getName() + " in a buffer's address space");
  for (GlobalIFunc &resolver : module.ifuncs())
    if (types.holdsFatPointer(resolver.getValueType()))
      return unsupported("indirect function " + resolver.getName() + " of buffer fat pointers");
  for (Function &function : module)
    if (Error error = verifyFunction(function, types, emitter))
      return error;
  return Error::success();
}
