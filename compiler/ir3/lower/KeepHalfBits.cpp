// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/lower/KeepHalfBits.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include <map>
#include <set>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace assay;

namespace {

/// A scalar f32: a value, or an element of a vector.
struct Real {
  Value *value;
  int element; ///< Scalar for a value that is no vector.
  static constexpr int Scalar = -1;

  bool operator<(const Real &other) const {
    return std::tie(value, element) < std::tie(other.value, other.element);
  }
};

/// Finds and makes the bits, as i32 with anything above them.
class HalfBits {
public:
  /// Whether all that \p real is copied from has bits.
  bool find(Real real) {
    if (canFind(real, 0))
      return true;
    m_found.clear();
    return false;
  }
  /// The bits; find() must have found them.
  Value *make(Real real);

private:
  bool canFind(Real real, unsigned depth);
  static std::optional<Real> getSource(Real real);
  static Constant *getConstant(Real real);
  static Value *getOrigin(Real real, IRBuilder<> *builder);
  Value *makeNew(Real real);

  static constexpr unsigned MaxDepth = 64;
  /// What find() has visited: one without bits ends the search.
  std::set<Real> m_found;
  /// A conversion that is replaced may be the bits of another half.
  std::map<Real, WeakTrackingVH> m_bits;
};

/// The one value that \p real is a copy of, if it is a part of something that was put together.
std::optional<Real> HalfBits::getSource(Real real) {
  if (auto *extract = dyn_cast<ExtractElementInst>(real.value)) {
    auto *index = dyn_cast<ConstantInt>(extract->getIndexOperand());
    if (!index)
      return std::nullopt;
    return Real{extract->getVectorOperand(), int(index->getZExtValue())};
  }
  if (auto *insert = dyn_cast<InsertElementInst>(real.value)) {
    auto *index = dyn_cast<ConstantInt>(insert->getOperand(2));
    if (!index)
      return std::nullopt;
    bool isInserted = index->getZExtValue() == uint64_t(real.element);
    return isInserted ? Real{insert->getOperand(1), Real::Scalar}
                      : Real{insert->getOperand(0), real.element};
  }
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(real.value)) {
    int from = shuffle->getMaskValue(unsigned(real.element));
    auto *type = cast<FixedVectorType>(shuffle->getOperand(0)->getType());
    int count = int(type->getNumElements());
    if (from < 0)
      return std::nullopt;
    return from < count ? Real{shuffle->getOperand(0), from}
                        : Real{shuffle->getOperand(1), from - count};
  }
  if (auto *extract = dyn_cast<ExtractValueInst>(real.value)) {
    Value *found = FindInsertedValue(extract->getAggregateOperand(), extract->getIndices());
    if (found && found != real.value)
      return Real{found, real.element};
  }
  return std::nullopt;
}

/// The bits of a constant that is a half.
Constant *HalfBits::getConstant(Real real) {
  auto *constant = dyn_cast<Constant>(real.value);
  if (constant && real.element != Real::Scalar)
    constant = constant->getAggregateElement(unsigned(real.element));
  if (!constant)
    return nullptr;
  Type *word = Type::getInt32Ty(constant->getContext());
  if (isa<PoisonValue>(constant))
    return PoisonValue::get(word);
  auto *number = dyn_cast<ConstantFP>(constant);
  if (!number)
    return nullptr;
  APFloat half = number->getValueAPF();
  bool losesInfo = false;
  half.convert(APFloat::IEEEhalf(), RoundingMode::NearestTiesToEven, &losesInfo);
  return losesInfo ? nullptr : ConstantInt::get(word, half.bitcastToAPInt().getZExtValue());
}

/// The bits of a half that is extended here: those that it was made of (bitsToHalf), or those of a
/// rounding (roundToHalf). Without \p builder, any value that is not null if there are some.
Value *HalfBits::getOrigin(Real real, IRBuilder<> *builder) {
  auto *extension = dyn_cast<FPExtInst>(real.value);
  if (!extension || !extension->getSrcTy()->getScalarType()->isHalfTy())
    return nullptr;
  Value *half = extension->getOperand(0), *bits = nullptr;
  bool isScalar = real.element == Real::Scalar;
  if (match(half, m_BitCast(m_Trunc(m_Value(bits)))) && bits->getType()->isIntOrIntVectorTy(32) &&
      bits->getType()->isVectorTy() != isScalar)
    return isScalar || !builder ? bits
                                : builder->CreateExtractElement(bits, uint64_t(real.element));
  if (!isa<FPTruncInst>(half) || !isScalar)
    return nullptr;
  return builder ? builder->CreateZExt(builder->CreateBitCast(half, builder->getInt16Ty()),
                                       builder->getInt32Ty())
                 : half;
}

bool HalfBits::canFind(Real real, unsigned depth) {
  if (getConstant(real) || getOrigin(real, nullptr) || !m_found.insert(real).second)
    return true;
  if (depth == MaxDepth)
    return false;
  if (std::optional<Real> source = getSource(real))
    return canFind(*source, depth + 1);
  auto hasBits = [&](Value *each) { return canFind({each, real.element}, depth + 1); };
  if (auto *select = dyn_cast<SelectInst>(real.value))
    return hasBits(select->getTrueValue()) && hasBits(select->getFalseValue());
  auto *phi = dyn_cast<PHINode>(real.value);
  return phi && all_of(phi->incoming_values(), hasBits);
}

Value *HalfBits::makeNew(Real real) {
  if (Constant *constant = getConstant(real))
    return constant;
  auto *instruction = cast<Instruction>(real.value);
  IRBuilder<> builder(instruction);
  if (Value *origin = getOrigin(real, &builder))
    return origin;
  if (std::optional<Real> source = getSource(real))
    return make(*source);
  if (auto *select = dyn_cast<SelectInst>(instruction)) {
    Value *condition = select->getCondition();
    if (condition->getType()->isVectorTy())
      condition = builder.CreateExtractElement(condition, uint64_t(real.element));
    return builder.CreateSelect(condition, make({select->getTrueValue(), real.element}),
                                make({select->getFalseValue(), real.element}));
  }
  auto *phi = cast<PHINode>(instruction);
  PHINode *bits = builder.CreatePHI(builder.getInt32Ty(), phi->getNumIncomingValues());
  m_bits[real] = bits;
  // Equal incoming values give equal bits, as several edges from one block need.
  for (auto [value, block] : zip(phi->incoming_values(), phi->blocks()))
    bits->addIncoming(make({value, real.element}), block);
  return bits;
}

Value *HalfBits::make(Real real) {
  if (auto found = m_bits.find(real); found != m_bits.end())
    return found->second;
  Value *bits = makeNew(real);
  m_bits[real] = bits;
  return bits;
}

} // namespace

/// The conversions are those of halfToBits(): fptrunc, bitcast, zext.
void ir3::keepHalfBits(Function &function) {
  SmallVector<ZExtInst *, 16> conversions;
  for (Instruction &inst : instructions(function)) {
    Value *real = nullptr;
    if (inst.getType()->isIntegerTy(32) &&
        match(&inst, m_ZExt(m_BitCast(m_FPTrunc(m_Value(real))))) && real->getType()->isFloatTy())
      conversions.push_back(cast<ZExtInst>(&inst));
  }
  HalfBits halves;
  SmallVector<WeakTrackingVH, 16> dead;
  for (ZExtInst *conversion : conversions) {
    auto *rounding = cast<FPTruncInst>(cast<BitCastInst>(conversion->getOperand(0))->getOperand(0));
    Real real{rounding->getOperand(0), Real::Scalar};
    if (!halves.find(real))
      continue;
    IRBuilder<> builder(conversion);
    conversion->replaceAllUsesWith(builder.CreateAnd(halves.make(real), 0xffff));
    dead.push_back(conversion);
  }
  RecursivelyDeleteTriviallyDeadInstructions(dead);
}
