// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and specialization constants (chapter "Constant-Creation Instructions"), and the walk
// over the module-scope instructions. Whatever is not supported there is remembered, and told by
// the instruction that uses it.

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/Analysis/ConstantFolding.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;

std::optional<uint64_t> Translator::specialization(uint32_t specId) const {
  for (const SpecializationValue &entry : m_shader.specialization)
    if (entry.id == specId)
      return entry.bits;
  return std::nullopt;
}

/// Returns the bits that the pipeline specializes the result of \p inst to; nullopt if it has no
/// SpecId or no value is given for that id.
static std::optional<uint64_t> specializedBits(Translator &t, const Inst &inst) {
  auto specId = t.spirv().decorationValue(inst.resultId, spv::Decoration::SpecId);
  std::optional<uint64_t> bits = specId ? t.specialization(*specId) : std::nullopt;
  return bits && faultPlanted(Fault::SpecConstantIgnored) ? std::nullopt : bits;
}

/// Returns an i1. A specialization value other than 0 is true.
static Expected<Value *> constantBool(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  bool isTrue =
      inst.opcode == spv::Op::OpConstantTrue || inst.opcode == spv::Op::OpSpecConstantTrue;
  bool isSpec =
      inst.opcode == spv::Op::OpSpecConstantTrue || inst.opcode == spv::Op::OpSpecConstantFalse;
  if (isSpec)
    if (auto bits = specializedBits(t, inst))
      isTrue = *bits != 0;
  return t.builder().getInt1(isTrue);
}

/// Returns an integer or float of up to 64 bits from one or two literal words, the low word first.
/// InvalidInput where the type is not a number or words are missing.
static Expected<Value *> constantScalar(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!(*type)->isIntegerTy() && !(*type)->isFloatingPointTy())
    return invalidInput("a constant that is not a number");
  unsigned width = (*type)->getScalarSizeInBits();
  if (inst.size() < (width + 31) / 32)
    return invalidInput("a literal that is too short");
  uint64_t literal = inst.operand(0);
  if (width > 32)
    literal |= uint64_t(inst.operand(1)) << 32;
  if (inst.opcode == spv::Op::OpSpecConstant)
    literal = specializedBits(t, inst).value_or(literal);
  // Narrow literals stand sign- or zero-extended in their word.
  APInt bits(width, literal, /*isSigned=*/false, /*implicitTrunc=*/true);
  if ((*type)->isIntegerTy())
    return ConstantInt::get(*type, bits);
  return ConstantFP::get(*type, APFloat((*type)->getFltSemantics(), bits));
}

/// Returns a constant vector, array (also a matrix) or structure of \p parts. InvalidInput where a
/// part is no constant, has another type than its element, or the number of parts is wrong.
static Expected<Value *> constantComposite(Translator &t, const Inst &inst,
                                           ArrayRef<Value *> parts) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  SmallVector<Constant *, 8> constants;
  for (unsigned i = 0; i < parts.size(); ++i) {
    auto *constant = dyn_cast<Constant>(parts[i]);
    Type *wanted = GetElementPtrInst::getTypeAtIndex(*type, uint64_t(i));
    if (!constant || !wanted || constant->getType() != wanted)
      return invalidInput("constituent " + Twine(i) + " does not fit the type");
    constants.push_back(constant);
  }
  if (auto *vector = dyn_cast<FixedVectorType>(*type);
      vector && vector->getNumElements() == parts.size())
    return ConstantVector::get(constants);
  if (auto *array = dyn_cast<ArrayType>(*type); array && array->getNumElements() == parts.size())
    return ConstantArray::get(array, constants);
  if (auto *structure = dyn_cast<StructType>(*type);
      structure && structure->getNumElements() == parts.size())
    return ConstantStruct::get(structure, constants);
  return invalidInput("the wrong number of constituents");
}

/// Zero; but LDS begins at address zero, so that a null pointer to Workgroup memory must be
/// another.
static Constant *makeNull(Type *type) {
  if (type->isPointerTy() && type->getPointerAddressSpace() == LocalAddressSpace)
    return ConstantExpr::getIntToPtr(
        Constant::getAllOnesValue(Type::getInt32Ty(type->getContext())), type);
  if (auto *array = dyn_cast<ArrayType>(type)) {
    Constant *element = makeNull(array->getElementType());
    if (element->isNullValue())
      return Constant::getNullValue(type);
    return ConstantArray::get(array, SmallVector<Constant *, 8>(array->getNumElements(), element));
  }
  if (auto *structure = dyn_cast<StructType>(type)) {
    SmallVector<Constant *, 8> members;
    for (Type *member : structure->elements())
      members.push_back(makeNull(member));
    return ConstantStruct::get(structure, members);
  }
  return Constant::getNullValue(type);
}

/// Also OpUndef: an undefined value may be any, and zero - unlike LLVM's undef - is one that branch
/// and address computations can bear.
static Expected<Value *> constantNull(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  return makeNull(*type);
}

/// Handles OpUndef inside functions, where the result may be a pointer of which nothing else is
/// known.
static Error undef(Translator &t, const Inst &inst) {
  Expected<Value *> null = constantNull(t, inst, {});
  if (!null)
    return null.takeError();
  if ((*null)->getType()->isPointerTy())
    return t.definePointer(inst, *null, {});
  return t.define(inst, *null);
}

/// Evaluates the operation that literal 0 names, with the operands that follow it, by that opcode's
/// ValueHandler. Opcodes without one are Unsupported.
static Expected<Value *> specConstantOp(Translator &t, const Inst &inst, ArrayRef<Value *>) {
  Inst operation = inst;
  operation.opcode = static_cast<spv::Op>(inst.operand(0));
  operation.operands.erase(operation.operands.begin());
  if (operation.opcode == spv::Op::OpSpecConstantOp)
    return invalidInput("OpSpecConstantOp of itself");
  return t.evaluate(operation);
}

/// OpUndef has an effect only: at module scope translateGlobal treats it as OpConstantNull.
static constexpr OpcodeRow ConstantsRows[] = {
    {.opcode = spv::Op::OpConstantTrue, .value = constantBool},
    {.opcode = spv::Op::OpConstantFalse, .value = constantBool},
    {.opcode = spv::Op::OpConstant, .value = constantScalar},
    {.opcode = spv::Op::OpConstantComposite,
     .values = OpcodeRow::AllOperands,
     .value = constantComposite},
    {.opcode = spv::Op::OpConstantNull, .value = constantNull},
    {.opcode = spv::Op::OpSpecConstantTrue, .value = constantBool},
    {.opcode = spv::Op::OpSpecConstantFalse, .value = constantBool},
    {.opcode = spv::Op::OpSpecConstant, .value = constantScalar},
    {.opcode = spv::Op::OpSpecConstantComposite,
     .values = OpcodeRow::AllOperands,
     .value = constantComposite},
    {.opcode = spv::Op::OpSpecConstantOp, .value = specConstantOp},
    {.opcode = spv::Op::OpUndef, .effect = undef},
};

ArrayRef<OpcodeRow> assay::constantOpcodes() {
  return ConstantsRows;
}

/// What the instructions made for \p value come to; null where it is no constant. IRBuilder folds
/// as it goes, but no intrinsic.
static Constant *fold(Builder &builder, Value *value) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constant;
  BasicBlock *block = builder.GetInsertBlock();
  Constant *result = nullptr;
  for (Instruction &instruction : make_early_inc_range(*block)) {
    Constant *folded = ConstantFoldInstruction(&instruction, block->getDataLayout());
    if (!folded)
      continue;
    if (&instruction == value)
      result = folded;
    instruction.replaceAllUsesWith(folded);
    instruction.eraseFromParent();
  }
  return result;
}

/// Translates one type, variable or constant. Its value must fold to a constant, otherwise it is
/// Unsupported. Handlers are run at an insertion point in a scratch function (translateGlobals).
Error Translator::translateGlobal(const Inst &inst) {
  if (const spirv::Type *type = m_spirv.findType(inst.resultId))
    return translateType(*type);
  if (inst.opcode == spv::Op::OpVariable)
    return translateGlobalVariable(inst);
  if (inst.opcode == spv::Op::OpExtInst) // Only non-semantic ones may stand here.
    return Error::success();
  Expected<Value *> value =
      inst.opcode == spv::Op::OpUndef ? constantNull(*this, inst, {}) : evaluate(inst);
  if (!value)
    return value.takeError();
  Constant *constant = fold(m_builder, *value);
  if (!constant)
    return unsupported("no constant could be made of it");
  Expected<Type *> type = valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (constant->getType() != *type)
    return invalidInput("its operands do not fit its result type");
  m_constants[inst.resultId] = constant;
  return Error::success();
}

/// Returns InvalidInput errors at once. Unsupported ones are kept in m_refused and are returned by
/// the first use of the id, since modules may declare what the entry point never uses.
Error Translator::translateGlobals() {
  // What IRBuilder can't fold at once needs a place to stand, until it is refused.
  Function *scratch = Function::Create(FunctionType::get(Type::getVoidTy(m_context), false),
                                       GlobalValue::InternalLinkage, "scratch", *m_module);
  m_builder.SetInsertPoint(BasicBlock::Create(m_context, "", scratch));
  Error result = Error::success();
  for (const Inst &inst : m_spirv.globals) {
    Error error = addContext(translateGlobal(inst), describe(inst));
    if (!error)
      continue;
    ErrorParts parts = takeError(std::move(error));
    if (parts.kind != ErrorKind::Unsupported) {
      result = joinErrors(std::move(result), invalidInput(parts.message));
      break;
    }
    m_refused[inst.resultId] = parts.message;
  }
  m_builder.ClearInsertionPoint();
  scratch->eraseFromParent();
  return result;
}
