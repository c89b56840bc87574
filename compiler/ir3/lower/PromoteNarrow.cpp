// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/PromoteNarrow.h"

#include "compiler/ir3/lower/KeepHalfBits.h"
#include "compiler/ir3/lower/Narrow.h"
#include "compiler/ir3/lower/NarrowMemory.h"
#include "compiler/ir3/lower/Promoter.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// Bits of the scalar type of \p value before promotion.
static unsigned bitsOf(const Value *value) {
  return value->getType()->getScalarSizeInBits();
}
/// Whether \p value is a half or a vector of halves before promotion.
static bool isHalf(const Value *value) {
  return value->getType()->getScalarType()->isHalfTy();
}

/// Reports Unsupported for a constant without a promotion, and returns poison for it.
Value *Promoter::get(Value *old) {
  if (!isNarrow(old->getType()))
    return old;
  if (auto *constant = dyn_cast<Constant>(old)) {
    // IRBuilder leaves bitcasts between scalars and vectors: it knows no order of bytes.
    constant = ConstantFoldConstant(constant, m_function.getDataLayout());
    if (Constant *promoted = promoteConstant(constant))
      return promoted;
    std::string text;
    raw_string_ostream os(text);
    os << *constant;
    reportError(m_function.getContext(), unsupported("no lowering of this narrow constant: " +
                                                     StringRef(text).take_front(120)));
  }
  Value *found = m_values.lookup(old);
  // What has no replacement has been reported.
  return found ? found : PoisonValue::get(promotedType(old->getType()));
}

Value *Promoter::getZeroExtended(Value *old) {
  return isNarrow(old->getType()) ? zeroExtended(m_builder, get(old), bitsOf(old)) : old;
}
Value *Promoter::getSignExtended(Value *old) {
  return isNarrow(old->getType()) ? signExtended(m_builder, get(old), bitsOf(old)) : old;
}

/// Operands are extended where upper bits reach the result (right shifts, divisions, amounts of
/// shifts). Others leave anything in the upper bits. Arithmetic of halves is rounded to half after
/// each instruction.
Value *Promoter::makeBinary(BinaryOperator &inst) {
  Value *x = inst.getOperand(0), *y = inst.getOperand(1);
  auto opcode = inst.getOpcode();
  switch (opcode) {
  case Instruction::LShr:
  case Instruction::UDiv:
  case Instruction::URem:
    return m_builder.CreateBinOp(opcode, getZeroExtended(x), getZeroExtended(y));
  case Instruction::SDiv:
  case Instruction::SRem:
    return m_builder.CreateBinOp(opcode, getSignExtended(x), getSignExtended(y));
  case Instruction::AShr:
    return m_builder.CreateBinOp(opcode, getSignExtended(x), getZeroExtended(y));
  case Instruction::Shl:
    return m_builder.CreateBinOp(opcode, get(x), getZeroExtended(y));
  default:
    break;
  }
  Value *result = m_builder.CreateBinOp(opcode, get(x), get(y));
  return isHalf(&inst) ? roundToHalf(m_builder, result) : result;
}

/// Integers are extended by the sign of the predicate; equality uses zeros.
Value *Promoter::makeCompare(CmpInst &inst) {
  Value *x = inst.getOperand(0), *y = inst.getOperand(1);
  if (isa<FCmpInst>(inst))
    return m_builder.CreateFCmp(inst.getPredicate(), get(x), get(y));
  if (inst.isSigned())
    return m_builder.CreateICmp(inst.getPredicate(), getSignExtended(x), getSignExtended(y));
  return m_builder.CreateICmp(inst.getPredicate(), getZeroExtended(x), getZeroExtended(y));
}

/// Elements are converted to integers, which are joined or taken apart.
Value *Promoter::makeBitCast(CastInst &inst) {
  IRBuilder<> &b = m_builder;
  Value *source = inst.getOperand(0);
  Type *from = source->getType()->getScalarType(), *to = inst.getType()->getScalarType();
  unsigned sourceBits = bitsOf(source), resultBits = bitsOf(&inst);
  unsigned widest = std::max(sourceBits, resultBits), narrowest = std::min(sourceBits, resultBits);
  if (widest > 64 || !narrowest || widest % narrowest)
    return nullptr;
  Value *value = get(source);
  auto element = [&](unsigned i) {
    Value *scalar = value->getType()->isVectorTy() ? b.CreateExtractElement(value, i) : value;
    return toBits(b, scalar, from);
  };
  Type *word = widest > 32 ? b.getInt64Ty() : b.getInt32Ty();
  auto *vector = dyn_cast<FixedVectorType>(inst.getType());
  unsigned count = vector ? vector->getNumElements() : 1;
  Value *result = PoisonValue::get(promotedType(inst.getType()));
  for (unsigned i = 0; i < count; ++i) {
    Value *bits = nullptr;
    if (sourceBits <= resultBits) {
      for (unsigned part = 0, parts = resultBits / sourceBits; part < parts; ++part) {
        Value *each = element(i * parts + part);
        if (!each)
          return nullptr;
        each = b.CreateZExt(zeroExtended(b, each, sourceBits), word);
        each = b.CreateShl(each, part * sourceBits);
        bits = bits ? b.CreateOr(bits, each) : each;
      }
    } else {
      unsigned parts = sourceBits / resultBits;
      Value *whole = element(i / parts);
      if (!whole)
        return nullptr;
      bits = b.CreateLShr(whole, i % parts * resultBits);
    }
    if (resultBits <= 32)
      bits = b.CreateZExtOrTrunc(bits, b.getInt32Ty());
    Value *scalar = ir3::fromBits(b, bits, to);
    if (!scalar)
      return nullptr;
    result = vector ? b.CreateInsertElement(result, scalar, i) : scalar;
  }
  return result;
}

/// Null for casts that are not known: of more than 64 bits, from f64 to half, and of pointers.
Value *Promoter::makeCast(CastInst &inst) {
  IRBuilder<> &b = m_builder;
  Value *x = inst.getOperand(0);
  Type *type = promotedType(inst.getType());
  if (bitsOf(x) > 64)
    return nullptr;
  switch (inst.getOpcode()) {
  case Instruction::Trunc:
    return b.CreateTrunc(get(x), type);
  case Instruction::ZExt:
    return b.CreateZExt(getZeroExtended(x), type);
  case Instruction::SExt:
    return b.CreateSExt(getSignExtended(x), type);
  case Instruction::UIToFP:
  case Instruction::SIToFP: {
    bool isSigned = inst.getOpcode() == Instruction::SIToFP;
    Value *integer = isSigned ? getSignExtended(x) : getZeroExtended(x);
    Value *real = b.CreateCast(inst.getOpcode(), integer, type);
    // From 2^24 on, where the conversion rounds, a half is infinite.
    return isHalf(&inst) ? roundToHalf(b, real) : real;
  }
  case Instruction::FPToUI:
  case Instruction::FPToSI:
    return b.CreateCast(inst.getOpcode(), get(x), type);
  case Instruction::FPTrunc:
    return x->getType()->getScalarType()->isFloatTy() ? roundToHalf(b, x) : nullptr;
  case Instruction::FPExt:
    return b.CreateFPExt(get(x), type);
  case Instruction::BitCast:
    return makeBitCast(inst);
  default:
    return nullptr;
  }
}

/// Instructions that move values without looking at their bits, with promoted operands; and fneg.
/// Null for others.
Value *Promoter::makeComposite(Instruction &inst) {
  IRBuilder<> &b = m_builder;
  if (auto *select = dyn_cast<SelectInst>(&inst))
    return b.CreateSelect(select->getCondition(), get(select->getTrueValue()),
                          get(select->getFalseValue()));
  if (auto *extract = dyn_cast<ExtractElementInst>(&inst))
    return b.CreateExtractElement(get(extract->getVectorOperand()),
                                  getZeroExtended(extract->getIndexOperand()));
  if (isa<InsertElementInst>(inst))
    return b.CreateInsertElement(get(inst.getOperand(0)), get(inst.getOperand(1)),
                                 getZeroExtended(inst.getOperand(2)));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&inst))
    return b.CreateShuffleVector(get(inst.getOperand(0)), get(inst.getOperand(1)),
                                 shuffle->getShuffleMask());
  if (auto *extract = dyn_cast<ExtractValueInst>(&inst))
    return b.CreateExtractValue(get(extract->getAggregateOperand()), extract->getIndices());
  if (auto *insert = dyn_cast<InsertValueInst>(&inst))
    return b.CreateInsertValue(get(insert->getAggregateOperand()),
                               get(insert->getInsertedValueOperand()), insert->getIndices());
  if (isa<FreezeInst>(inst))
    return b.CreateFreeze(get(inst.getOperand(0)));
  if (inst.getOpcode() == Instruction::FNeg)
    return b.CreateFNeg(get(inst.getOperand(0)));
  return nullptr;
}

/// Makes a phi without sources: its operands may not be promoted yet. finishPhis() adds them.
Value *Promoter::makePhi(PHINode &phi) {
  PHINode *promoted = m_builder.CreatePHI(promotedType(phi.getType()), phi.getNumIncomingValues());
  m_phis.emplace_back(&phi, promoted);
  return promoted;
}

void Promoter::finishPhis() {
  for (auto [old, promoted] : m_phis)
    for (auto [value, block] : zip(old->incoming_values(), old->blocks()))
      promoted->addIncoming(get(value), block);
}

/// The promoted result of an instruction with a result, built in front of it.
Value *Promoter::makeValue(Instruction &inst) {
  if (auto *phi = dyn_cast<PHINode>(&inst))
    return makePhi(*phi);
  if (auto *binary = dyn_cast<BinaryOperator>(&inst))
    return makeBinary(*binary);
  if (auto *compare = dyn_cast<CmpInst>(&inst))
    return makeCompare(*compare);
  if (auto *cast = dyn_cast<CastInst>(&inst))
    return makeCast(*cast);
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return loadByDwords(*load);
  if (auto *call = dyn_cast<CallInst>(&inst))
    return promoteCall(*this, *call);
  return makeComposite(inst);
}

/// Instructions without a result; false for one that is not known.
bool Promoter::promoteEffect(Instruction &inst) {
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return storeByDwords(*store, get(store->getValueOperand()));
  auto *branch = dyn_cast<SwitchInst>(&inst);
  if (!branch)
    return false;
  SwitchInst *promoted = m_builder.CreateSwitch(getZeroExtended(branch->getCondition()),
                                                branch->getDefaultDest(), branch->getNumCases());
  for (auto &each : branch->cases())
    promoted->addCase(cast<ConstantInt>(promoteConstant(each.getCaseValue())),
                      each.getCaseSuccessor());
  return true;
}

/// Whether \p inst has a narrow operand or result.
static bool concerns(Instruction &inst) {
  if (auto *load = dyn_cast<LoadInst>(&inst))
    return needsDwords(load->getType(), load->getAlign());
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return needsDwords(store->getValueOperand()->getType(), store->getAlign());
  auto isFlags = [](const Value *value) {
    return value->getType()->isVectorTy() && value->getType()->getScalarType()->isIntegerTy(1);
  };
  if (isa<BitCastInst>(inst) && (isFlags(&inst) || isFlags(inst.getOperand(0))))
    return true;
  return isNarrow(inst.getType()) ||
         any_of(inst.operand_values(), [](const Value *each) { return isNarrow(each->getType()); });
}

/// False for an instruction that is not known.
bool Promoter::promote(Instruction &inst) {
  m_builder.SetInsertPoint(&inst);
  if (auto *address = dyn_cast<GetElementPtrInst>(&inst)) {
    for (Use &index : address->indices())
      index.set(getSignExtended(index.get()));
    return true;
  }
  m_dead.push_back(&inst);
  if (inst.getType()->isVoidTy())
    return promoteEffect(inst);
  Value *value = makeValue(inst);
  if (!value)
    return false;
  if (isNarrow(inst.getType()))
    m_values[&inst] = value;
  else
    inst.replaceAllUsesWith(value);
  return true;
}

/// Visits blocks in reverse post-order, so that operands other than those of phis are promoted
/// before their uses. Old instructions are removed at the end. After an error the rest of the
/// function keeps its narrow types.
bool Promoter::run() {
  removeUnreachableBlocks(m_function);
  SmallVector<Instruction *, 64> work;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&m_function))
    for (Instruction &inst : *block)
      if (concerns(inst))
        work.push_back(&inst);
  for (Instruction *inst : work) {
    if (promote(*inst))
      continue;
    std::string text;
    raw_string_ostream os(text);
    os << *inst;
    reportError(m_function.getContext(),
                unsupported("no lowering of this narrow type:" + StringRef(text).take_front(120)));
    break; // What has been begun is finished: the validator of IR runs even then.
  }
  finishPhis();
  for (Instruction *inst : m_dead)
    if (!inst->getType()->isVoidTy())
      inst->replaceAllUsesWith(PoisonValue::get(inst->getType()));
  for (Instruction *inst : m_dead)
    inst->eraseFromParent();
  keepHalfBits(m_function);
  return !work.empty();
}

/// The bytes of variables begin at dwords.
static void alignVariables(Function &function) {
  for (GlobalVariable &variable : function.getParent()->globals())
    variable.setAlignment(std::max(variable.getAlign().valueOrOne(), Align(4)));
  for (Instruction &inst : function.getEntryBlock())
    if (auto *variable = dyn_cast<AllocaInst>(&inst))
      variable->setAlignment(std::max(variable->getAlign(), Align(4)));
}

/// Alignments of variables are raised even where nothing is promoted.
PreservedAnalyses ir3::PromoteNarrow::run(Function &function, FunctionAnalysisManager &) {
  alignVariables(function);
  return Promoter(function).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
