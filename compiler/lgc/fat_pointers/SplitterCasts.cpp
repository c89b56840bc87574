// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Casts from and to fat pointers.
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace assay;

static constexpr unsigned partBits = 32; ///< Of index and offset.
static constexpr unsigned resourceBits = 128;

/// How far up the resource is in the number.
static unsigned getResourceShift(const Type *type) {
  return getFatPointerBits(type) - resourceBits;
}

/// The number that \p parts are, in \p bits bits: cut off, or zeros above.
static Value *makeNumber(Splitter &splitter, const FatParts &parts, Type *pointer, unsigned bits) {
  IRBuilder<> &builder = splitter.builder();
  Type *type = getTypeLike(pointer, builder.getIntNTy(bits));
  Value *offset = parts.offset;
  Value *number = builder.CreateZExtOrTrunc(offset, type);
  if (parts.index && bits > partBits && !faultPlanted(Fault::FatIndexLost)) {
    Value *index = builder.CreateZExtOrTrunc(parts.index, type);
    number = builder.CreateOr(number, builder.CreateShl(index, partBits), "", /*IsDisjoint=*/true);
  }
  unsigned shift = getResourceShift(pointer);
  if (bits <= shift)
    return number;
  Type *whole = getTypeLike(pointer, builder.getIntNTy(resourceBits));
  Value *resource = builder.CreateZExtOrTrunc(builder.CreatePtrToInt(parts.resource, whole), type);
  return builder.CreateOr(builder.CreateShl(resource, shift), number, "", /*IsDisjoint=*/true);
}

/// The number has the resource in its highest 128 bits, then the index, if any, then the offset.
static void splitPtrToInt(Splitter &splitter, Instruction &instruction) {
  auto &cast = llvm::cast<PtrToIntInst>(instruction);
  Value *pointer = cast.getPointerOperand();
  FatParts parts = splitter.getParts(pointer);
  unsigned bits = cast.getType()->getScalarSizeInBits();
  splitter.replace(cast, makeNumber(splitter, parts, pointer->getType(), bits));
}

/// The address within the buffer, as LLVM's data layout has it (index width 32).
static void splitPtrToAddr(Splitter &splitter, Instruction &instruction) {
  FatParts parts = splitter.getParts(instruction.getOperand(0));
  splitter.replace(instruction, parts.offset);
}

/// The pointer that \p number was made of without losing a bit, if it was.
static Value *findOriginal(Value *number, Type *type) {
  auto *origin = dyn_cast<PtrToIntInst>(number);
  bool isWhole = origin && origin->getPointerOperand()->getType() == type &&
                 number->getType()->getScalarSizeInBits() >= getFatPointerBits(type);
  return isWhole ? origin->getPointerOperand() : nullptr;
}

/// Takes \p number, truncated or zero-extended, apart into the parts of a pointer of type \p
/// pointer.
static FatParts takeApart(Splitter &splitter, Value *number, Type *pointer) {
  IRBuilder<> &builder = splitter.builder();
  unsigned bits = getFatPointerBits(pointer);
  number = builder.CreateZExtOrTrunc(number, getTypeLike(pointer, builder.getIntNTy(bits)));
  Type *small = getTypeLike(pointer, builder.getInt32Ty());
  FatParts parts;
  parts.offset = builder.CreateTrunc(number, small);
  if (isStrided(pointer))
    parts.index = builder.CreateTrunc(builder.CreateLShr(number, partBits), small);
  unsigned shift = getResourceShift(pointer);
  if (faultPlanted(Fault::FatNumberPartsSwapped))
    shift = 0;
  Value *resource = builder.CreateTrunc(builder.CreateLShr(number, shift),
                                        getTypeLike(pointer, builder.getIntNTy(resourceBits)));
  parts.resource =
      builder.CreateIntToPtr(resource, getTypeLike(pointer, builder.getPtrTy(ResourceSpace)));
  return parts;
}

/// A number that a pointer was made into without loss gives the parts of that pointer.
static void splitIntToPtr(Splitter &splitter, Instruction &instruction) {
  Value *number = instruction.getOperand(0);
  Type *type = instruction.getType();
  Value *original = findOriginal(number, type);
  splitter.define(instruction,
                  original ? splitter.getParts(original) : takeApart(splitter, number, type));
}

/// Zero for index and offset.
static FatParts addressStart(Splitter &splitter, Value *resource, Type *type) {
  Constant *zero = Constant::getNullValue(getTypeLike(type, splitter.builder().getInt32Ty()));
  return {resource, isStrided(type) ? zero : nullptr, zero};
}

/// From a resource: the start of its buffer. To one: the resource, wherever the pointer points.
static void splitAddrSpaceCast(Splitter &splitter, Instruction &instruction) {
  auto &cast = llvm::cast<AddrSpaceCastInst>(instruction);
  Value *source = cast.getPointerOperand();
  if (isFatPointer(source->getType())) {
    splitter.replace(cast, splitter.getParts(source).resource);
    return;
  }
  Type *type = cast.getType();
  Type *resourceType = getTypeLike(type, splitter.builder().getPtrTy(ResourceSpace));
  if (auto *constant = dyn_cast<Constant>(source); constant && source->getType() != resourceType)
    source = isa<PoisonValue>(constant)  ? PoisonValue::get(resourceType)
             : isa<UndefValue>(constant) ? UndefValue::get(resourceType)
                                         : Constant::getNullValue(resourceType);
  splitter.define(cast, addressStart(splitter, source, type));
}

/// Between a vector of one pointer and a pointer, or of a type to itself.
static void splitBitCast(Splitter &splitter, Instruction &instruction) {
  IRBuilder<> &builder = splitter.builder();
  FatParts parts = splitter.getParts(instruction.getOperand(0));
  bool fromVector = instruction.getOperand(0)->getType()->isVectorTy();
  bool toVector = instruction.getType()->isVectorTy();
  auto convert = [&](Splitter::Selector part) {
    Value *value = parts.*part;
    if (fromVector == toVector)
      return value;
    return toVector ? builder.CreateVectorSplat(1, value)
                    : builder.CreateExtractElement(value, uint64_t(0));
  };
  splitter.define(instruction, splitter.forEachPart(instruction.getType(), convert));
}

ArrayRef<OpcodeHandler> assay::getCastHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::PtrToInt, splitPtrToInt}, {Instruction::PtrToAddr, splitPtrToAddr},
      {Instruction::IntToPtr, splitIntToPtr}, {Instruction::AddrSpaceCast, splitAddrSpaceCast},
      {Instruction::BitCast, splitBitCast},
  };
  return table;
}
