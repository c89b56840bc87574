// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointers as values: comparisons (chapter "Memory Instructions") and what turns addresses of
// physical storage buffers into integers and back (chapter "Conversion Instructions").

#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using Args = ArrayRef<Value *>;

/// Returns InvalidInput unless both operands are pointers to one address space.
static Error checkPair(Args args) {
  if (!args[0]->getType()->isPointerTy() || args[0]->getType() != args[1]->getType())
    return invalidInput("its operands are no pointers of one storage class");
  return Error::success();
}

/// Compares addresses. Fat pointers are compared by their difference, which the middle-end lowers.
template <CmpInst::Predicate Predicate>
static Expected<Value *> compare(Translator &t, const Inst &, Args args) {
  if (Error error = checkPair(args))
    return std::move(error);
  if (args[0]->getType()->getPointerAddressSpace() != BufferFatPointerSpace)
    return t.builder().CreateICmp(Predicate, args[0], args[1]);
  Value *difference = t.builder().createBufferPtrDifference(args[0], args[1]);
  return t.builder().CreateICmp(Predicate, difference, t.builder().getInt32(0));
}

/// The ArrayStride that all arrays with elements of type \p element have; 0 where there are none,
/// or where they have different ones.
static uint32_t findCommonStride(const spirv::Module &module, spirv::Id element) {
  uint32_t stride = 0;
  for (const Inst &inst : module.globals) {
    const spirv::Type *type = module.findType(inst.resultId);
    if (!type || type->element != element || type->kind == spirv::TypeKind::Pointer ||
        type->arrayStride == 0)
      continue;
    if (stride != 0 && stride != type->arrayStride)
      return 0;
    stride = type->arrayStride;
  }
  return stride;
}

/// The bytes between the elements of the array that a pointer of type \p id points into. OpPtrDiff
/// does not require an ArrayStride of the pointer's type. Unsupported where the module has no other
/// one, or several.
static Expected<uint64_t> elementStride(Translator &t, spirv::Id id) {
  const spirv::Type &type = t.spirv().type(id);
  if (t.hasExplicitLayout(type.storageClass)) {
    if (type.arrayStride != 0)
      return type.arrayStride;
    if (uint32_t stride = findCommonStride(t.spirv(), type.element))
      return stride;
    return unsupported("a difference of pointers whose type has no ArrayStride");
  }
  Expected<TypeRecord> pointee = t.type(type.element);
  if (!pointee)
    return pointee.takeError();
  return t.module().getDataLayout().getTypeAllocSize(pointee->memory).getFixedValue();
}

/// Returns the signed distance in elements, rounded toward zero, in the result's integer type.
static Expected<Value *> difference(Translator &t, const Inst &inst, Args args) {
  if (Error error = checkPair(args))
    return std::move(error);
  Expected<uint64_t> stride = elementStride(t, t.typeOf(inst.operand(0)));
  if (!stride)
    return stride.takeError();
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!(*type)->isIntegerTy())
    return invalidInput("its result is no integer");
  Builder &builder = t.builder();
  Value *bytes =
      builder.CreateSub(builder.CreatePtrToAddr(args[0]), builder.CreatePtrToAddr(args[1]));
  Value *elements = builder.CreateSDiv(bytes, ConstantInt::get(bytes->getType(), *stride));
  return builder.CreateSExtOrTrunc(elements, *type);
}

/// Returns whether \p type is a 64-bit address (PhysicalStorageBuffer).
static bool isPhysical(Type *type) {
  return type->isPointerTy() && type->getPointerAddressSpace() == GlobalAddressSpace;
}

/// Returns the address, truncated or zero-extended to the result's width.
static Expected<Value *> toInteger(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!isPhysical(args[0]->getType()) || !(*type)->isIntegerTy())
    return invalidInput("it is for physical pointers to an integer only");
  return t.builder().CreatePtrToInt(args[0], *type);
}

/// Returns the pointer to an address, truncated or zero-extended from any width.
static Expected<Value *> toPointer(Translator &t, const Inst &inst, Args args) {
  Expected<Type *> type = t.valueType(inst.typeId);
  if (!type)
    return type.takeError();
  if (!isPhysical(*type) || !args[0]->getType()->isIntegerTy())
    return invalidInput("it is for integers to a physical pointer only");
  return t.builder().CreateIntToPtr(args[0], *type);
}

/// InvalidInput unless one side is a physical pointer and the other an integer or vector of 64
/// bits, or both have one type.
Expected<Value *> assay::bitcastPointer(Builder &builder, Value *value, Type *type) {
  if (value->getType() == type)
    return value;
  bool isFrom = isPhysical(value->getType());
  Type *bits = isFrom ? type : value->getType();
  bool is64 = (bits->isIntegerTy(64) || bits->isVectorTy()) && bits->getPrimitiveSizeInBits() == 64;
  if (!is64 || (!isFrom && !isPhysical(type)))
    return invalidInput("a cast between a pointer and what is no address");
  if (isFrom)
    return builder.CreateBitCast(builder.CreatePtrToInt(value, builder.getInt64Ty()), type);
  return builder.CreateIntToPtr(builder.CreateBitCast(value, builder.getInt64Ty()), type);
}

static constexpr OpcodeRow PointerOpsRows[] = {
    {.opcode = spv::Op::OpPtrEqual, .values = 2, .value = compare<CmpInst::ICMP_EQ>},
    {.opcode = spv::Op::OpPtrNotEqual, .values = 2, .value = compare<CmpInst::ICMP_NE>},
    {.opcode = spv::Op::OpPtrDiff, .values = 2, .value = difference},
    {.opcode = spv::Op::OpConvertPtrToU, .values = 1, .value = toInteger},
    {.opcode = spv::Op::OpConvertUToPtr, .values = 1, .value = toPointer},
};

ArrayRef<OpcodeRow> assay::pointerOpcodes() {
  return PointerOpsRows;
}
