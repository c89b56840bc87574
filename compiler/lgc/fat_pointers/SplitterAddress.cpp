// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic with and comparison of fat pointers.
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace assay;

/// base + step, a constant in base last: buffer instructions have room for a constant offset, and
/// the code generator looks for it there. Without unsigned wrap if \p isSmall.
static Value *addStep(IRBuilder<> &builder, Value *base, Value *step, bool isSmall) {
  if (match(base, m_ZeroInt()))
    return step;
  if (match(step, m_ZeroInt()))
    return base;
  Value *variable = nullptr;
  Constant *last = nullptr;
  if (isa<Constant>(step) || !match(base, m_Add(m_Value(variable), m_ImmConstant(last))))
    return builder.CreateAdd(base, step, "", isSmall);
  // Neither sum wraps if base's did not, either, and the whole does not.
  bool allSmall = isSmall && cast<OverflowingBinaryOperator>(base)->hasNoUnsignedWrap();
  Value *sum = builder.CreateAdd(variable, step, "", allSmall);
  return builder.CreateAdd(sum, last, "", allSmall);
}

/// Parts of one pointer as those of each element of \p type.
static FatParts spread(Splitter &splitter, FatParts parts, Type *type) {
  ElementCount count = cast<VectorType>(type)->getElementCount();
  return splitter.forEachPart(type, [&](Splitter::Selector part) {
    return splitter.builder().CreateVectorSplat(count, parts.*part);
  });
}

/// Adds the distance of a getelementptr to the offset; resource and index stay.
static void splitStep(Splitter &splitter, Instruction &instruction) {
  auto &step = cast<GetElementPtrInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  FatParts parts = splitter.getParts(step.getPointerOperand());
  if (step.getType()->isVectorTy() && !step.getPointerOperandType()->isVectorTy())
    parts = spread(splitter, parts, step.getType());
  Value *distance = emitGEPOffset(&builder, splitter.layout(), &step);
  // The step is a signed number that the base, an unsigned one, does not wrap by.
  bool isSmall = step.hasNoUnsignedWrap() ||
                 (step.hasNoUnsignedSignedWrap() &&
                  isKnownNonNegative(distance, SimplifyQuery(splitter.layout(), &step)));
  if (!faultPlanted(Fault::FatLostOffset))
    parts.offset = addStep(builder, parts.offset, distance, isSmall);
  splitter.define(step, parts);
}

namespace {
/// Two numbers that pointers are, compared part by part.
class Comparison {
public:
  Comparison(Splitter &splitter, ICmpInst &compare);
  /// Returns the i1, or the vector of them; a constant where all parts are equal values.
  Value *make();

private:
  /// Parts to compare.
  struct Pair {
    Value *left;
    Value *right;
    CmpInst::Predicate predicate;
  };
  /// Adds a pair unless both are one value.
  void add(Value *left, Value *right, CmpInst::Predicate predicate);
  /// All parts are equal, or one differs.
  Value *compareEquality();
  Value *compareOrder();
  /// The resource as a number, or a vector of numbers.
  Value *toInteger(Value *resource);

  IRBuilder<> &m_builder;
  const unsigned m_resourceBits;
  CmpInst::Predicate m_predicate;
  Type *m_type;                 ///< i1 or a vector of them.
  SmallVector<Pair, 3> m_pairs; ///< Those that may differ, lowest first.
};
} // namespace

/// Only the highest part, of which the resource is, has a sign.
Comparison::Comparison(Splitter &splitter, ICmpInst &compare)
    : m_builder(splitter.builder()),
      m_resourceBits(splitter.layout().getPointerSizeInBits(ResourceSpace)),
      m_predicate(compare.getPredicate()), m_type(compare.getType()) {
  FatParts left = splitter.getParts(compare.getOperand(0));
  FatParts right = splitter.getParts(compare.getOperand(1));
  if (faultPlanted(Fault::FatSwappedCompare))
    std::swap(left.offset, right.offset);
  CmpInst::Predicate low = faultPlanted(Fault::FatSignedCompare) || compare.isEquality()
                               ? m_predicate
                               : ICmpInst::getUnsignedPredicate(m_predicate);
  add(left.offset, right.offset, low);
  if (left.index)
    add(left.index, right.index, low);
  if (left.resource != right.resource && !faultPlanted(Fault::FatCompareOffsetsOnly))
    add(toInteger(left.resource), toInteger(right.resource), m_predicate);
}

Value *Comparison::toInteger(Value *resource) {
  return m_builder.CreatePtrToInt(
      resource, getTypeLike(resource->getType(), m_builder.getIntNTy(m_resourceBits)));
}

void Comparison::add(Value *left, Value *right, CmpInst::Predicate predicate) {
  if (left != right)
    m_pairs.push_back({left, right, predicate});
}

Value *Comparison::compareEquality() {
  bool isEqual = m_predicate == CmpInst::ICMP_EQ;
  Value *result = nullptr;
  for (const Pair &pair : m_pairs) {
    Value *part = m_builder.CreateICmp(m_predicate, pair.left, pair.right);
    if (result)
      part = isEqual ? m_builder.CreateAnd(result, part) : m_builder.CreateOr(result, part);
    result = part;
  }
  return result;
}

/// What is lower decides where all above is equal.
Value *Comparison::compareOrder() {
  Value *result = nullptr;
  for (const Pair &pair : m_pairs) {
    Value *decided = m_builder.CreateICmp(pair.predicate, pair.left, pair.right);
    Value *equal = result ? m_builder.CreateICmpEQ(pair.left, pair.right) : nullptr;
    result = result ? m_builder.CreateSelect(equal, result, decided) : decided;
  }
  return result;
}

Value *Comparison::make() {
  if (m_pairs.empty())
    return ConstantInt::get(m_type, CmpInst::isTrueWhenEqual(m_predicate));
  return CmpInst::isEquality(m_predicate) ? compareEquality() : compareOrder();
}

/// Compares the numbers that both pointers are.
static void splitCompare(Splitter &splitter, Instruction &instruction) {
  auto &compare = cast<ICmpInst>(instruction);
  splitter.replace(compare, Comparison(splitter, compare).make());
}

ArrayRef<OpcodeHandler> assay::getAddressHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::GetElementPtr, splitStep},
      {Instruction::ICmp, splitCompare},
  };
  return table;
}
