// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/dialect/Dialect.h"

#include "support/Error.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;

/// Structures are "s" with their elements; nested ones have no end mark.
std::string assay::mangleType(Type *type) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    std::string name = "s";
    for (Type *element : structure->elements())
      name += mangleType(element);
    return name;
  }
  std::string prefix;
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    prefix = "v" + std::to_string(vector->getNumElements());
    type = vector->getElementType();
  }
  if (type->isFloatingPointTy())
    return prefix + "f" + std::to_string(type->getScalarSizeInBits());
  assert(type->isIntegerTy() && "ops are overloaded on numbers only");
  return prefix + "i" + std::to_string(type->getScalarSizeInBits());
}

bool assay::isPointerTo(const Type *type, unsigned addressSpace) {
  return type->isPointerTy() && type->getPointerAddressSpace() == addressSpace;
}

bool assay::isTexel(const Type *type) {
  constexpr unsigned Components = 4;
  if (const auto *vector = dyn_cast<FixedVectorType>(type)) {
    if (vector->getNumElements() != Components)
      return false;
    type = vector->getElementType();
  }
  return type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy();
}

bool assay::isSparseTexel(const Type *type) {
  const auto *both = dyn_cast<StructType>(type);
  return both && both->isLiteral() && both->getNumElements() == 2 &&
         isTexel(both->getElementType(0)) && both->getElementType(1)->isIntegerTy(32);
}

bool assay::isOpName(StringRef functionName, const OpDescription &op) {
  if (!functionName.consume_front(op.name))
    return false;
  if (!op.overloaded)
    return functionName.empty();
  // One more word without a dot: "lgc.find.msb.i32", but no "lgc.find.msb.of.i32".
  return functionName.consume_front(".") && !functionName.empty() && !functionName.contains('.');
}

/// Returns the attributes of all ops and those of the traits of \p op.
static AttributeList makeAttributes(LLVMContext &context, const OpDescription &op) {
  AttrBuilder attributes(context);
  for (Attribute::AttrKind kind :
       {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoCallback, Attribute::NoFree})
    attributes.addAttribute(kind);
  SmallVector<StringRef, 4> traits;
  op.traits.split(traits, ',', -1, /*KeepEmpty=*/false);
  for (StringRef trait : traits) {
    if (trait == "memory-none")
      attributes.addMemoryAttr(MemoryEffects::none()).addAttribute(Attribute::NoSync);
    else
      attributes.addAttribute(Attribute::getAttrKindFromName(trait));
  }
  return AttributeList::get(context, AttributeList::FunctionIndex, attributes);
}

/// An overloaded op is named by its result's type, from which the operands follow.
Function *assay::declareOp(Module &module, const OpDescription &op, FunctionType *type) {
  std::string name = op.name.str();
  if (op.overloaded)
    name += "." + mangleType(type->getReturnType());
  if (Function *function = module.getFunction(name)) {
    assert(function->getFunctionType() == type && "operands must follow from the result's type");
    return function;
  }
  Function *function = Function::Create(type, Function::ExternalLinkage, name, module);
  function->setAttributes(makeAttributes(module.getContext(), op));
  return function;
}

/// Returns InvalidInput with the function and the op of \p call.
static Error atCall(const CallInst &call, const Twine &message) {
  return invalidInput("in '" + call.getFunction()->getName() +
                      "': " + call.getCalledFunction()->getName() + ": " + message);
}

Error assay::verifyOperand(const CallInst &call, unsigned index, bool isRight, StringRef expected) {
  if (isRight)
    return Error::success();
  return atCall(call, "operand " + Twine(index) + " must be " + expected);
}

Error assay::verifyResult(const CallInst &call, bool isRight, StringRef expected) {
  if (isRight)
    return Error::success();
  return atCall(call, "the result must be " + expected);
}

Error assay::verifyOperandCount(const CallInst &call, unsigned expected) {
  if (call.arg_size() == expected)
    return Error::success();
  return atCall(call, Twine(call.arg_size()) + " operands, " + Twine(expected) + " expected");
}

/// Whether a declaration promises what the .td promises. Fewer promises would be legal for LLVM,
/// but mean that a tool has rewritten the declaration.
static Error verifyDeclaration(const Function &function, const OpDescription &op) {
  AttributeList expected = makeAttributes(function.getContext(), op);
  for (Attribute attribute : expected.getFnAttrs()) {
    if (!function.hasFnAttribute(attribute.getKindAsEnum()))
      return invalidInput(function.getName() + ": the declaration lacks '" +
                          attribute.getAsString() + "'");
  }
  if (!function.isDeclaration())
    return invalidInput(function.getName() + ": an op must not have a body");
  if (op.overloaded &&
      function.getName() != op.name.str() + "." + mangleType(function.getReturnType()))
    return invalidInput(function.getName() + ": the name does not fit the result's type");
  return Error::success();
}

/// InvalidInput where the op is used except as a callee, or a call does not verify.
static Error verifyUsers(const Function &function, const OpDescription &op) {
  for (const Use &use : function.uses()) {
    const auto *call = dyn_cast<CallInst>(use.getUser());
    if (!call || !call->isCallee(&use))
      return invalidInput(function.getName() + ": an op can only be called");
    if (call->getFunctionType() != function.getFunctionType())
      return atCall(*call, "called with another function type");
    if (Error error = op.verify(*call))
      return error;
  }
  return Error::success();
}

/// Checks declarations first, then all their calls. The first problem is returned.
Error assay::verifyDialect(const Module &module, StringRef prefix, ArrayRef<OpDescription> ops) {
  for (const Function &function : module) {
    if (!function.getName().starts_with(prefix))
      continue;
    const auto *op =
        find_if(ops, [&](const OpDescription &row) { return isOpName(function.getName(), row); });
    if (op == ops.end())
      return invalidInput("'" + function.getName() + "' is no op of the dialect");
    Type *result = function.getReturnType()->getScalarType();
    bool isNumber = result->isIntegerTy() || result->isFloatingPointTy();
    if (op->overloaded && !isNumber && !isSparseTexel(result))
      return invalidInput(function.getName() + ": the result must be a number or vector");
    if (Error error = verifyDeclaration(function, *op))
      return error;
    if (Error error = verifyUsers(function, *op))
      return error;
  }
  return Error::success();
}
