// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers and floats of 32 bits, booleans, integers of 64 bits by halves, vectors by components.
#include "compiler/ir3/select/Selector.h"
#include "support/Ir3Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

namespace {
/// An operation on each scalar of two operands.
struct BinaryRow {
  unsigned opcode; ///< LLVM's.
  Opcode code;
  bool negatesSecond = false; ///< A difference as a sum.
};
} // namespace

/// LLVM's opcodes with one instruction for a scalar of 32 bits. Of 64 bits, only the bitwise rows
/// are used as they are.
static constexpr BinaryRow binaryRows[] = {
    {llvm::Instruction::Add, Opcode::AddU},  {llvm::Instruction::Sub, Opcode::SubU},
    {llvm::Instruction::And, Opcode::AndB},  {llvm::Instruction::Or, Opcode::OrB},
    {llvm::Instruction::Xor, Opcode::XorB},  {llvm::Instruction::Shl, Opcode::ShlB},
    {llvm::Instruction::LShr, Opcode::ShrB}, {llvm::Instruction::AShr, Opcode::AshrB},
    {llvm::Instruction::FAdd, Opcode::AddF}, {llvm::Instruction::FSub, Opcode::AddF, true},
    {llvm::Instruction::FMul, Opcode::MulF},
};

/// mull.u multiplies the low halves; each madsh.m16 adds one product of a low and a high half at
/// bit 16.
Register ir3::multiply(Selector &selector, Register a, Register b) {
  Register low = selector.emit(Opcode::MullU, {a, b});
  Register middle = selector.emit(Opcode::MadshM16, {a, b, low});
  if (faultPlanted(Ir3Fault::ProductHigh))
    return middle;
  return selector.emit(Opcode::MadshM16, {b, a, middle});
}

/// By 16-bit halves: none of the partial sums overflows 32 bits.
Register ir3::multiplyHigh(Selector &selector, Register a, Register b, bool isSigned) {
  auto number = [](uint32_t value) { return Selector::number(value); };
  auto emit = [&](Opcode opcode, Register x, Register y) { return selector.emit(opcode, {x, y}); };
  Register mask = number(0xffff), half = number(16);
  Register ah = emit(Opcode::ShrB, a, half), bh = emit(Opcode::ShrB, b, half);
  // mull.u reads the lower halves.
  Register low = emit(Opcode::MullU, a, b), cross = emit(Opcode::MullU, ah, b);
  Register other = emit(Opcode::MullU, a, bh), high = emit(Opcode::MullU, ah, bh);
  Register sum = emit(Opcode::AddU, emit(Opcode::ShrB, low, half), cross);
  Register rest = emit(Opcode::AddU, emit(Opcode::AndB, sum, mask), other);
  Register result = emit(Opcode::AddU, emit(Opcode::AddU, high, emit(Opcode::ShrB, sum, half)),
                         emit(Opcode::ShrB, rest, half));
  if (!isSigned)
    return result;
  // Each negative factor has counted 2^32 times the other too much.
  Register byA = emit(Opcode::AndB, emit(Opcode::AshrB, a, number(31)), b);
  Register byB = emit(Opcode::AndB, emit(Opcode::AshrB, b, number(31)), a);
  return emit(Opcode::SubU, emit(Opcode::SubU, result, byA), byB);
}

/// Whether scalars of \p type are integers of 64 bits.
static bool isWide(llvm::Type *type) {
  return type->getScalarType()->isIntegerTy(64);
}

/// 1 where \p sum, of which \p part is an operand, has overflowed.
static Register carryOf(Selector &selector, Register sum, Register part) {
  return selector.emitCompare(Opcode::CmpsU, Lt, sum, part);
}

/// The same by a constant.
static Scalars shiftWideBy(Selector &selector, unsigned opcode, Register low, Register high,
                           uint32_t amount) {
  auto emit = [&](Opcode code, Register x, uint32_t y) {
    return selector.emit(code, {x, Selector::number(y)});
  };
  bool isLeft = opcode == llvm::Instruction::Shl, isSigned = opcode == llvm::Instruction::AShr;
  Opcode shift = isSigned ? Opcode::AshrB : Opcode::ShrB;
  if (!amount)
    return {low, high};
  if (amount >= 32) {
    uint32_t rest = amount - 32;
    if (isLeft)
      return {Selector::number(0), rest ? emit(Opcode::ShlB, low, rest) : low};
    Register fill = isSigned ? emit(Opcode::AshrB, high, 31) : Selector::number(0);
    return {rest ? emit(shift, high, rest) : high, fill};
  }
  uint32_t back = 32 - amount;
  if (isLeft)
    return {emit(Opcode::ShlB, low, amount),
            selector.emit(Opcode::OrB,
                          {emit(Opcode::ShlB, high, amount), emit(Opcode::ShrB, low, back)})};
  return {
      selector.emit(Opcode::OrB, {emit(Opcode::ShrB, low, amount), emit(Opcode::ShlB, high, back)}),
      emit(shift, high, amount)};
}

/// A shift of 64 bits by an amount below 64.
static Scalars shiftWide(Selector &selector, unsigned opcode, Register low, Register high,
                         Register amount) {
  auto emit = [&](Opcode code, Register x, Register y) { return selector.emit(code, {x, y}); };
  auto number = [](uint32_t value) { return Selector::number(value); };
  if (amount.isImmediate())
    return shiftWideBy(selector, opcode, low, high, static_cast<uint32_t>(amount.value) & 63);
  Register isLong = selector.emitCompare(Opcode::CmpsU, Ge, amount, number(32));
  Register part = emit(Opcode::AndB, amount, number(31));
  // x >> (32 - n) for n in 1 to 31, and 0 for n of 0: in two steps.
  Register back = emit(Opcode::SubU, number(31), part);
  auto choose = [&](Register a, Register b) {
    return selector.emit(Opcode::SelB32, {a, isLong, b});
  };
  if (opcode == llvm::Instruction::Shl) {
    Register lowShort = emit(Opcode::ShlB, low, part);
    Register carried = emit(Opcode::ShrB, emit(Opcode::ShrB, low, number(1)), back);
    if (faultPlanted(Ir3Fault::ShiftOfZero))
      carried = emit(Opcode::ShrB, low, emit(Opcode::SubU, number(32), part));
    Register highShort = emit(Opcode::OrB, emit(Opcode::ShlB, high, part), carried);
    return {choose(number(0), lowShort), choose(lowShort, highShort)};
  }
  Opcode shift = opcode == llvm::Instruction::AShr ? Opcode::AshrB : Opcode::ShrB;
  Register highShort = emit(shift, high, part);
  Register carried = emit(Opcode::ShlB, emit(Opcode::ShlB, high, number(1)), back);
  Register lowShort = emit(Opcode::OrB, emit(Opcode::ShrB, low, part), carried);
  Register fill =
      opcode == llvm::Instruction::AShr ? emit(Opcode::AshrB, high, number(31)) : number(0);
  return {choose(highShort, lowShort), choose(fill, highShort)};
}

/// One operation on integers of 64 bits: each is two scalars, its low and its high half. \p row is
/// needed for bitwise operations alone.
static Scalars selectWide(Selector &selector, const BinaryRow *row, unsigned opcode, Scalars a,
                          Scalars b) {
  auto emit = [&](Opcode code, Register x, Register y) { return selector.emit(code, {x, y}); };
  Scalars result;
  for (size_t i = 0; i < a.size(); i += 2) {
    switch (opcode) {
    case llvm::Instruction::Add: {
      Register low = emit(Opcode::AddU, a[i], b[i]);
      Register high = emit(Opcode::AddU, a[i + 1], b[i + 1]);
      result.append({low, emit(Opcode::AddU, high, carryOf(selector, low, a[i]))});
      break;
    }
    case llvm::Instruction::Sub: {
      Register borrow = selector.emitCompare(Opcode::CmpsU, Lt, a[i], b[i]);
      Register high = emit(Opcode::SubU, a[i + 1], b[i + 1]);
      if (!faultPlanted(Ir3Fault::BorrowLost))
        high = emit(Opcode::SubU, high, borrow);
      result.append({emit(Opcode::SubU, a[i], b[i]), high});
      break;
    }
    case llvm::Instruction::Mul: {
      Register high = multiplyHigh(selector, a[i], b[i], /*isSigned=*/false);
      high = emit(Opcode::AddU, high, multiply(selector, a[i], b[i + 1]));
      high = emit(Opcode::AddU, high, multiply(selector, a[i + 1], b[i]));
      result.append({multiply(selector, a[i], b[i]), high});
      break;
    }
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      append_range(result, shiftWide(selector, opcode, a[i], a[i + 1], b[i]));
      break;
    default: // Bitwise.
      result.append({emit(row->code, a[i], b[i]), emit(row->code, a[i + 1], b[i + 1])});
    }
  }
  return result;
}

/// Add, sub, mul, shifts and bitwise operations; the amount of a shift is the first scalar of \p b.
Scalars ir3::wideArithmetic(Selector &selector, unsigned opcode, Scalars a, Scalars b) {
  const auto *row =
      find_if(binaryRows, [&](const BinaryRow &each) { return each.opcode == opcode; });
  return selectWide(selector, row, opcode, std::move(a), std::move(b));
}

/// Adds \p value to \p sum from dword \p index on, with carries.
static void addDword(Selector &selector, Scalars &sum, size_t index, Register value) {
  for (; index < sum.size(); ++index) {
    Register total = selector.emit(Opcode::AddU, {sum[index], value});
    sum[index] = total;
    if (index + 1 < sum.size())
      value = carryOf(selector, total, value);
  }
}

/// The product of integers of any number of dwords, with as many. Dwords that are 0 (those that
/// zero-extension adds) cost nothing.
static Scalars multiplyDwords(Selector &selector, const Scalars &a, const Scalars &b) {
  auto isZero = [](const Register &dword) { return dword.isImmediate() && !dword.value; };
  Scalars sum(a.size(), Selector::number(0));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; i + j < a.size(); ++j) {
      if (isZero(a[i]) || isZero(b[j]))
        continue;
      addDword(selector, sum, i + j, multiply(selector, a[i], b[j]));
      if (i + j + 1 < a.size())
        addDword(selector, sum, i + j + 1, multiplyHigh(selector, a[i], b[j], /*isSigned=*/false));
    }
  return sum;
}

/// Of more than 64 bits, by whole dwords (Selector checks that).
static Scalars shiftDwords(const Scalars &scalars, uint64_t dwords) {
  Scalars result(scalars.begin() + std::min<uint64_t>(dwords, scalars.size()), scalars.end());
  result.resize(scalars.size(), Selector::number(0));
  return result;
}

/// A product that the sum \p inst may take in, because it alone uses it; null: none.
static const BinaryOperator *findProduct(const llvm::Instruction &inst, unsigned index) {
  const auto *product = dyn_cast<BinaryOperator>(inst.getOperand(index));
  bool isProduct = product && product->getOpcode() == llvm::Instruction::FMul &&
                   product->hasOneUse() && product->hasAllowContract();
  return isProduct && inst.hasAllowContract() ? product : nullptr;
}

/// A sum or difference with a product as mad.f32, where both may be contracted: mad rounds the
/// product, or does not.
static bool selectMad(Selector &selector, llvm::Instruction &inst) {
  bool isDifference = inst.getOpcode() == llvm::Instruction::FSub;
  if (!isDifference && inst.getOpcode() != llvm::Instruction::FAdd)
    return false;
  for (unsigned index : {0u, 1u}) {
    const BinaryOperator *product = findProduct(inst, index);
    if (!product)
      continue;
    Scalars x = selector.get(product->getOperand(0)), y = selector.get(product->getOperand(1));
    Scalars added = selector.get(inst.getOperand(1 - index)), result;
    // The second factor must be in a register; a constant in its place would cost a move.
    if (none_of(concat<Register>(x, y), [](const Register &each) { return each.isSsa(); }))
      continue;
    for (auto [first, second, sum] : zip(x, y, added)) {
      if (!second.isSsa())
        std::swap(first, second);
      if (isDifference)
        (index == 0 ? sum : first).flags ^= registerflag::Negate;
      result.push_back(selector.emit(Opcode::MadF32, {first, second, sum}));
    }
    selector.set(&inst, std::move(result));
    return true;
  }
  return false;
}

/// Binary operators: contracted sums first, then integers above 64 bits, which are products or
/// shifts by whole dwords, then scalars. FDiv is a product with the reciprocal.
static bool selectBinary(Selector &selector, llvm::Instruction &inst) {
  if (!isa<BinaryOperator>(inst))
    return false;
  if (selectMad(selector, inst))
    return true;
  bool isAbove64 = inst.getType()->isIntegerTy() && inst.getType()->getIntegerBitWidth() > 64;
  if (isAbove64 && inst.getOpcode() == llvm::Instruction::Mul) {
    selector.set(&inst, multiplyDwords(selector, selector.get(inst.getOperand(0)),
                                       selector.get(inst.getOperand(1))));
    return true;
  }
  if (isAbove64) {
    uint64_t amount = cast<ConstantInt>(inst.getOperand(1))->getZExtValue();
    selector.set(&inst, shiftDwords(selector.get(inst.getOperand(0)), amount / 32));
    return true;
  }
  unsigned opcode = inst.getOpcode();
  const auto *row =
      find_if(binaryRows, [&](const BinaryRow &each) { return each.opcode == opcode; });
  bool isMultiply = opcode == llvm::Instruction::Mul;
  bool isDivide = opcode == llvm::Instruction::FDiv; // Of ExpandDivision; shaders have lgc.fdiv.
  if (row == std::end(binaryRows) && !isMultiply && !isDivide)
    return false;
  Scalars a = selector.get(inst.getOperand(0)), b = selector.get(inst.getOperand(1)), result;
  if (isWide(inst.getType())) {
    selector.set(&inst, selectWide(selector, row, opcode, std::move(a), std::move(b)));
    return true;
  }
  for (auto [x, y] : zip(a, b)) {
    if (isMultiply)
      result.push_back(multiply(selector, x, y));
    else if (isDivide)
      result.push_back(selector.emit(Opcode::MulF, {x, selector.emit(Opcode::Rcp, {y})}));
    else
      result.push_back(
          selector.emit(row->code, {x, row->negatesSecond ? y.with(registerflag::Negate) : y}));
  }
  selector.set(&inst, std::move(result));
  return true;
}

namespace {
/// An integer predicate as a compare instruction.
struct IntegerCompareRow {
  CmpInst::Predicate predicate;
  Opcode code;
  Condition condition;
};
/// A float predicate that one compare decides.
struct FloatCompareRow {
  CmpInst::Predicate predicate;
  Condition condition;
  bool isInverted; ///< The compare answers the opposite question, which NaN fails.
};
} // namespace

static constexpr IntegerCompareRow integerCompares[] = {
    {CmpInst::ICMP_EQ, Opcode::CmpsU, Eq},  {CmpInst::ICMP_NE, Opcode::CmpsU, Ne},
    {CmpInst::ICMP_ULT, Opcode::CmpsU, Lt}, {CmpInst::ICMP_ULE, Opcode::CmpsU, Le},
    {CmpInst::ICMP_UGT, Opcode::CmpsU, Gt}, {CmpInst::ICMP_UGE, Opcode::CmpsU, Ge},
    {CmpInst::ICMP_SLT, Opcode::CmpsS, Lt}, {CmpInst::ICMP_SLE, Opcode::CmpsS, Le},
    {CmpInst::ICMP_SGT, Opcode::CmpsS, Gt}, {CmpInst::ICMP_SGE, Opcode::CmpsS, Ge},
};
// Compares with a NaN are false, except for ne.
static constexpr FloatCompareRow floatCompares[] = {
    {CmpInst::FCMP_OEQ, Eq, false}, {CmpInst::FCMP_UNE, Ne, false}, {CmpInst::FCMP_OLT, Lt, false},
    {CmpInst::FCMP_OLE, Le, false}, {CmpInst::FCMP_OGT, Gt, false}, {CmpInst::FCMP_OGE, Ge, false},
    {CmpInst::FCMP_ULT, Ge, true},  {CmpInst::FCMP_ULE, Gt, true},  {CmpInst::FCMP_UGT, Le, true},
    {CmpInst::FCMP_UGE, Lt, true},
};

/// The other one of 0 and 1.
static Register invert(Selector &selector, Register boolean) {
  return selector.emit(Opcode::XorB, {boolean, Selector::number(1)});
}

/// 0 or 1 for any float predicate. Those without a row are two compares: ord and uno compare each
/// operand with itself, one and ueq test both orders.
static Register compareFloats(Selector &selector, CmpInst::Predicate predicate, Register a,
                              Register b) {
  for (const FloatCompareRow &row : floatCompares)
    if (row.predicate == predicate) {
      if (row.isInverted && faultPlanted(Ir3Fault::UnorderedCompare))
        return selector.emitCompare(Opcode::CmpsF, Condition(row.condition ^ 3), a, b);
      Register result = selector.emitCompare(Opcode::CmpsF, row.condition, a, b);
      return row.isInverted ? invert(selector, result) : result;
    }
  auto both = [&](Condition first, Condition second, Register c, Register d, Opcode join) {
    return selector.emit(join, {selector.emitCompare(Opcode::CmpsF, first, a, c),
                                selector.emitCompare(Opcode::CmpsF, second, b, d)});
  };
  switch (predicate) {
  case CmpInst::FCMP_ORD:
    return both(Eq, Eq, a, b, Opcode::AndB);
  case CmpInst::FCMP_UNO:
    return both(Ne, Ne, a, b, Opcode::OrB);
  case CmpInst::FCMP_ONE:
    return both(Lt, Lt, b, a, Opcode::OrB);
  case CmpInst::FCMP_UEQ:
    return invert(selector, both(Lt, Lt, b, a, Opcode::OrB));
  case CmpInst::FCMP_TRUE:
    return Selector::number(1);
  default:
    return Selector::number(0);
  }
}

/// The high halves decide, and where they are equal the low ones.
static Register compareWide(Selector &selector, const IntegerCompareRow &row, Register lowA,
                            Register highA, Register lowB, Register highB) {
  Register same = selector.emitCompare(Opcode::CmpsU, Eq, highA, highB);
  Register low = selector.emitCompare(Opcode::CmpsU, row.condition, lowA, lowB);
  Register high = selector.emitCompare(row.code, row.condition, highA, highB);
  return selector.emit(Opcode::SelB32, {low, same, high});
}

/// Compares of scalars or vectors, each component to 0 or 1. Pointers compare as the integers that
/// they are.
static bool selectCompare(Selector &selector, llvm::Instruction &inst) {
  auto *compare = dyn_cast<CmpInst>(&inst);
  if (!compare)
    return false;
  Scalars a = selector.get(inst.getOperand(0)), b = selector.get(inst.getOperand(1)), result;
  const auto *row = find_if(integerCompares, [&](const IntegerCompareRow &each) {
    return each.predicate == compare->getPredicate();
  });
  unsigned step = countScalars(inst.getOperand(0)->getType()->getScalarType());
  for (size_t i = 0; i < a.size(); i += step) {
    if (isa<FCmpInst>(compare))
      result.push_back(compareFloats(selector, compare->getPredicate(), a[i], b[i]));
    else if (step == 2)
      result.push_back(compareWide(selector, *row, a[i], a[i + 1], b[i], b[i + 1]));
    else if (row->code == Opcode::CmpsS && faultPlanted(Ir3Fault::SignedCompare))
      result.push_back(selector.emitCompare(Opcode::CmpsU, row->condition, a[i], b[i]));
    else
      result.push_back(selector.emitCompare(row->code, row->condition, a[i], b[i]));
  }
  selector.set(&inst, std::move(result));
  return true;
}

/// select: a scalar condition decides for all scalars of the value, a vector condition for those of
/// its element.
static bool selectChoice(Selector &selector, llvm::Instruction &inst) {
  auto *choice = dyn_cast<SelectInst>(&inst);
  if (!choice)
    return false;
  Scalars condition = selector.get(choice->getCondition());
  Scalars yes = selector.get(choice->getTrueValue()), no = selector.get(choice->getFalseValue());
  Scalars result;
  for (size_t i = 0; i < yes.size(); ++i) {
    size_t which = i * condition.size() / yes.size();
    if (which && faultPlanted(Ir3Fault::SelectFirst))
      which = 0;
    result.push_back(selector.emit(Opcode::SelB32, {yes[i], condition[which], no[i]}));
  }
  selector.set(&inst, std::move(result));
  return true;
}

/// Scalars that an element of \p vector has.
static unsigned elementSize(const Value *vector) {
  return countScalars(vector->getType()->getScalarType());
}

/// Component \p index of \p scalars, which have \p size each: by a chain of choices.
static Scalars selectElement(Selector &selector, const Scalars &scalars, Register index,
                             unsigned size) {
  Scalars result(scalars.begin(), scalars.begin() + size);
  for (unsigned i = 1; i < scalars.size() / size; ++i) {
    Register isIt = selector.emitCompare(Opcode::CmpsU, Eq, index, Selector::number(i));
    for (unsigned part = 0; part < size; ++part)
      result[part] = selector.emit(Opcode::SelB32, {scalars[i * size + part], isIt, result[part]});
  }
  return result;
}

/// \p scalars with one element replaced. A variable index becomes a choice for each element; a
/// constant one outside of the vector changes nothing.
static Scalars insertElement(Selector &selector, Scalars scalars, const Scalars &element,
                             const Value *index) {
  size_t size = element.size();
  if (const auto *constant = dyn_cast<ConstantInt>(index)) {
    uint64_t at = constant->getZExtValue() * size;
    for (size_t part = 0; part < size && at + part < scalars.size(); ++part)
      scalars[at + part] = element[part];
    return scalars;
  }
  Register chosen = selector.getOne(index);
  for (unsigned i = 0; i < scalars.size() / size; ++i) {
    Register isIt = selector.emitCompare(Opcode::CmpsU, Eq, chosen, Selector::number(i));
    for (size_t part = 0; part < size; ++part)
      scalars[i * size + part] =
          selector.emit(Opcode::SelB32, {element[part], isIt, scalars[i * size + part]});
  }
  return scalars;
}

/// Where in the scalars of \p type the value that \p indices lead to begins; its type.
static std::pair<unsigned, llvm::Type *> findMember(llvm::Type *type, ArrayRef<unsigned> indices) {
  unsigned first = 0;
  for (unsigned index : indices) {
    if (auto *structure = dyn_cast<StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        first += countScalars(structure->getElementType(i));
      type = structure->getElementType(index);
    } else {
      type = type->getArrayElementType();
      first += index * countScalars(type);
    }
  }
  return {first, type};
}

/// Extracts, inserts and shuffles only rename scalars where indices are constant. A constant index
/// outside of a vector reads its last element.
static bool selectComposite(Selector &selector, llvm::Instruction &inst) {
  if (auto *extract = dyn_cast<ExtractElementInst>(&inst)) {
    Scalars scalars = selector.get(extract->getVectorOperand());
    unsigned size = elementSize(extract->getVectorOperand());
    if (const auto *index = dyn_cast<ConstantInt>(extract->getIndexOperand())) {
      size_t first = std::min<size_t>(index->getZExtValue() * size, scalars.size() - size);
      selector.set(&inst, Scalars(scalars.begin() + first, scalars.begin() + first + size));
    } else {
      selector.set(&inst, selectElement(selector, scalars,
                                        selector.getOne(extract->getIndexOperand()), size));
    }
    return true;
  }
  if (isa<InsertElementInst>(inst)) {
    selector.set(&inst, insertElement(selector, selector.get(inst.getOperand(0)),
                                      selector.get(inst.getOperand(1)), inst.getOperand(2)));
    return true;
  }
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&inst)) {
    Scalars both = selector.get(shuffle->getOperand(0)), result;
    append_range(both, selector.get(shuffle->getOperand(1)));
    unsigned size = elementSize(shuffle->getOperand(0));
    for (int index : shuffle->getShuffleMask())
      for (unsigned part = 0; part < size; ++part)
        result.push_back(index < 0 ? Register::undefined() : both[unsigned(index) * size + part]);
    selector.set(&inst, std::move(result));
    return true;
  }
  if (auto *extract = dyn_cast<ExtractValueInst>(&inst)) {
    Scalars scalars = selector.get(extract->getAggregateOperand());
    auto [first, type] =
        findMember(extract->getAggregateOperand()->getType(), extract->getIndices());
    selector.set(&inst,
                 Scalars(scalars.begin() + first, scalars.begin() + first + countScalars(type)));
    return true;
  }
  if (auto *insert = dyn_cast<InsertValueInst>(&inst)) {
    Scalars scalars = selector.get(insert->getAggregateOperand());
    Scalars element = selector.get(insert->getInsertedValueOperand());
    auto [first, type] = findMember(insert->getType(), insert->getIndices());
    std::copy(element.begin(), element.end(), scalars.begin() + first);
    selector.set(&inst, std::move(scalars));
    return true;
  }
  return false;
}

/// freeze, which is its operand, and fneg.
static bool selectUnary(Selector &selector, llvm::Instruction &inst) {
  if (inst.getOpcode() == llvm::Instruction::Freeze) {
    selector.set(&inst, selector.get(inst.getOperand(0)));
    return true;
  }
  if (inst.getOpcode() != llvm::Instruction::FNeg)
    return false;
  Scalars result;
  for (Register value : selector.get(inst.getOperand(0)))
    result.push_back(selector.emit(Opcode::AbsnegF, {value.with(registerflag::Negate)}));
  selector.set(&inst, std::move(result));
  return true;
}

/// Tries operators, compares, selects, composites, and unary instructions. No instruction belongs
/// to two of these.
bool ir3::selectArithmetic(Selector &selector, llvm::Instruction &inst) {
  return selectBinary(selector, inst) || selectCompare(selector, inst) ||
         selectChoice(selector, inst) || selectComposite(selector, inst) ||
         selectUnary(selector, inst);
}
