// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between types of 32 bits, booleans and integers of 64 bits.
#include "compiler/ir3/select/Selector.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// A conversion by one move with two types.
struct ConversionRow {
  unsigned opcode;    ///< LLVM's.
  ir3::Type from, to; ///< Of the move.
};
} // namespace

static constexpr ConversionRow conversions[] = {
    {llvm::Instruction::SIToFP, S32, F32},
    {llvm::Instruction::UIToFP, U32, F32},
    {llvm::Instruction::FPToSI, F32, S32},
    {llvm::Instruction::FPToUI, F32, U32},
};

/// Of the field `round`: to the nearest even. 0 is toward zero between floats.
static constexpr int32_t RoundEven = 1;

/// Whether scalars of \p type are i1, which registers hold as 0 or 1.
static bool isBoolean(llvm::Type *type) {
  return type->getScalarType()->isIntegerTy(1);
}
/// Whether scalars of \p type are integers of 64 bits.
static bool isWide(llvm::Type *type) {
  return type->getScalarType()->isIntegerTy(64);
}

/// An i1 as 0 or -1.
static Register spread(Selector &selector, Register boolean) {
  return selector.emit(Opcode::SubU, {Selector::number(0), boolean});
}

/// zext and sext: each element is filled up with zeros or with copies of its sign. Signed booleans
/// become 0 or -1 first.
static Scalars extend(Selector &selector, llvm::Instruction &inst, const Scalars &values) {
  bool isSigned = isa<SExtInst>(inst), isFlag = isBoolean(inst.getOperand(0)->getType());
  unsigned from = countScalars(inst.getOperand(0)->getType()->getScalarType());
  unsigned to = countScalars(inst.getType()->getScalarType());
  Scalars result;
  for (Register value : values) {
    result.push_back(isFlag && isSigned ? spread(selector, value) : value);
    if (result.size() % to < from)
      continue;
    Register fill = isSigned ? selector.emit(Opcode::AshrB, {result.back(), Selector::number(31)})
                             : Selector::number(0);
    result.append(to - from, fill);
  }
  return result;
}

/// The low scalars of each element; of a boolean the low bit.
static Scalars truncate(Selector &selector, llvm::Instruction &inst, const Scalars &values) {
  unsigned step = countScalars(inst.getOperand(0)->getType()->getScalarType());
  unsigned kept = countScalars(inst.getType()->getScalarType());
  Scalars result;
  for (size_t i = 0; i < values.size(); i += step) {
    if (isBoolean(inst.getType()))
      result.push_back(selector.emit(Opcode::AndB, {values[i], Selector::number(1)}));
    else
      result.append(values.begin() + i, values.begin() + i + kept);
  }
  return result;
}

/// Casts of one size in dwords rename scalars. Returns false for casts to or from types without
/// scalars, and for floats from or to 64 bits, which ExpandOps replaces.
bool ir3::selectConversion(Selector &selector, llvm::Instruction &inst) {
  if (!isa<CastInst>(inst))
    return false;
  Scalars values = selector.get(inst.getOperand(0)), result;
  unsigned from = countScalars(inst.getOperand(0)->getType()), to = countScalars(inst.getType());
  if (!from || !to)
    return false;
  switch (inst.getOpcode()) {
  case llvm::Instruction::ZExt:
  case llvm::Instruction::SExt:
    selector.set(&inst, extend(selector, inst, values));
    return true;
  case llvm::Instruction::Trunc:
    selector.set(&inst, truncate(selector, inst, values));
    return true;
  case llvm::Instruction::BitCast:
  case llvm::Instruction::PtrToAddr:
  case llvm::Instruction::PtrToInt:
  case llvm::Instruction::IntToPtr:
    // An address of 64 bits can become an offset of 32.
    if (isa<PtrToIntInst>(inst) && !inst.getType()->isVectorTy() && to <= 2)
      values.resize(to, Selector::number(0));
    else if (from != to || isBoolean(inst.getType()->getScalarType()))
      return false;
    selector.set(&inst, std::move(values));
    return true;
  default:
    break;
  }
  const auto *row = find_if(
      conversions, [&](const ConversionRow &each) { return each.opcode == inst.getOpcode(); });
  if (row == std::end(conversions) || isWide(inst.getType()) ||
      isWide(inst.getOperand(0)->getType()))
    return false;
  bool isFlag = isBoolean(inst.getOperand(0)->getType());
  for (Register value : values) {
    if (isFlag && row->from == S32)
      value = spread(selector, value);
    result.push_back(selector.builder().move(value, row->from, row->to)->value());
  }
  selector.set(&inst, std::move(result));
  return true;
}

/// Whether \p value is a bitcast between halves and their bits.
static bool isHalfBits(const Value *value) {
  const auto *cast = dyn_cast<BitCastInst>(value);
  auto isShort = [](llvm::Type *type) {
    return type->getScalarType()->isHalfTy() || type->getScalarType()->isIntegerTy(16);
  };
  return cast && isShort(cast->getSrcTy()) && isShort(cast->getDestTy()) &&
         cast->getSrcTy()->isVectorTy() == cast->getDestTy()->isVectorTy();
}

/// An f32 is converted to a half and back, or its bits are taken.
bool ir3::selectHalf(Selector &selector, llvm::Instruction &inst) {
  auto *cast = dyn_cast<CastInst>(&inst);
  if (!cast)
    return false;
  llvm::Type *from = cast->getSrcTy()->getScalarType(), *to = cast->getDestTy()->getScalarType();
  // The 32 bits that it is made of; the instruction that uses it converts.
  bool isPart = (isa<FPTruncInst>(inst) && from->isFloatTy() && to->isHalfTy()) ||
                (isa<TruncInst>(inst) && from->isIntegerTy(32) && to->isIntegerTy(16)) ||
                isHalfBits(cast);
  Value *part = cast->getOperand(0);
  bool makesReal = isa<FPExtInst>(inst) && from->isHalfTy() && to->isFloatTy();
  bool makesBits = isa<ZExtInst>(inst) && to->isIntegerTy(32) && isHalfBits(part);
  if (!isPart && !makesReal && !makesBits)
    return false;
  Scalars result;
  for (Register value : selector.get(part)) {
    if (!isPart) {
      bool isReal = makesBits || isa<FPTruncInst>(part);
      Builder &builder = selector.builder();
      ir3::Instruction *half = builder.move(value, isReal ? F32 : U32, isReal ? F16 : U16);
      half->fields.round = isReal ? RoundEven : 0;
      value = builder.move(half->value(), makesReal ? F16 : U16, makesReal ? F32 : U32)->value();
    }
    result.push_back(value);
  }
  selector.set(&inst, std::move(result));
  return true;
}
