// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's optimiser as a second opinion on whole functions: what is made at random of integers,
// floats, flags, vectors, branches and memory does the same after -O2 wherever it has a meaning.
#include "oracles/ir/TestRun.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/NoFolder.h"
#include "llvm/Passes/PassBuilder.h"
#include "gtest/gtest.h"
#include <random>

using namespace llvm;
using namespace assay;

namespace assay::ir {
namespace {

using Builder = IRBuilder<NoFolder>;

/// Writes the body of one function: `i32 @f(ptr addrspace(1), i32, i32, i8, i64)`.
class FunctionMaker {
public:
  FunctionMaker(Function &function, uint64_t seed)
      : m_function(function), m_random(seed), m_context(function.getContext()),
        m_builder(BasicBlock::Create(m_context, "", &function)) {}

  void make();

private:
  unsigned draw(unsigned count) { return m_random() % count; }
  Type *drawType();
  llvm::Value *drawValue(Type *type);
  void addBinary();
  void addCast();
  void addCompare();
  void addIntrinsic();
  void addVector();
  void addMemory();
  void addDiamond(unsigned depth);
  void addLoop(unsigned depth);
  void addSome(unsigned count, unsigned depth);
  void setFlags(llvm::Value *value);

  Function &m_function;
  std::mt19937_64 m_random;
  LLVMContext &m_context;
  Builder m_builder;
  std::vector<llvm::Value *> m_values; ///< That the present block may use.
};

} // namespace

Type *FunctionMaker::drawType() {
  Type *types[] = {m_builder.getInt32Ty(), m_builder.getInt8Ty(), m_builder.getInt64Ty(),
                   m_builder.getInt32Ty()};
  return types[draw(4)];
}

llvm::Value *FunctionMaker::drawValue(Type *type) {
  SmallVector<llvm::Value *, 16> fitting;
  for (llvm::Value *value : m_values)
    if (value->getType() == type)
      fitting.push_back(value);
  if (!fitting.empty() && draw(4))
    return fitting[draw(fitting.size())];
  if (type->isIntegerTy())
    return ConstantInt::get(
        type, APInt(type->getIntegerBitWidth(), draw(3) ? draw(40) : m_random(), false, true));
  if (type->isVectorTy())
    return ConstantVector::getSplat(
        cast<VectorType>(type)->getElementCount(),
        cast<Constant>(ConstantInt::get(type->getScalarType(), draw(9))));
  return ConstantInt::get(type, 0);
}

void FunctionMaker::setFlags(llvm::Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || draw(3))
    return;
  if (isa<OverflowingBinaryOperator>(instruction)) {
    instruction->setHasNoUnsignedWrap(draw(2));
    instruction->setHasNoSignedWrap(draw(2));
  } else if (isa<PossiblyExactOperator>(instruction)) {
    instruction->setIsExact(true);
  } else if (auto *disjoint = dyn_cast<PossiblyDisjointInst>(instruction)) {
    disjoint->setIsDisjoint(true);
  } else if (isa<PossiblyNonNegInst>(instruction)) {
    instruction->setNonNeg(true);
  }
}

void FunctionMaker::addBinary() {
  static constexpr Instruction::BinaryOps Operations[] = {
      Instruction::Add,  Instruction::Sub, Instruction::Mul,  Instruction::And,  Instruction::Or,
      Instruction::Xor,  Instruction::Shl, Instruction::LShr, Instruction::AShr, Instruction::UDiv,
      Instruction::SRem, Instruction::Add, Instruction::And,  Instruction::Or};
  Type *type = drawType();
  auto operation = Operations[draw(std::size(Operations))];
  llvm::Value *b = drawValue(type);
  // Mostly keep away from what is undefined or poison.
  if (Instruction::isIntDivRem(operation))
    b = m_builder.CreateOr(b, ConstantInt::get(type, 1));
  if (Instruction::isShift(operation) && draw(8))
    b = m_builder.CreateAnd(b, ConstantInt::get(type, type->getIntegerBitWidth() - 1));
  llvm::Value *value = m_builder.CreateBinOp(operation, drawValue(type), b);
  setFlags(value);
  m_values.push_back(value);
}

void FunctionMaker::addCast() {
  Type *from = drawType(), *to = drawType();
  llvm::Value *value = drawValue(from);
  unsigned have = from->getIntegerBitWidth(), want = to->getIntegerBitWidth();
  if (have == want)
    return;
  llvm::Value *result = have > want ? m_builder.CreateTrunc(value, to)
                        : draw(2)   ? m_builder.CreateZExt(value, to)
                                    : m_builder.CreateSExt(value, to);
  setFlags(result);
  m_values.push_back(result);
}

void FunctionMaker::addCompare() {
  Type *type = drawType();
  auto predicate = static_cast<CmpInst::Predicate>(CmpInst::FIRST_ICMP_PREDICATE + draw(10));
  llvm::Value *condition = m_builder.CreateICmp(predicate, drawValue(type), drawValue(type));
  m_values.push_back(draw(2) ? m_builder.CreateSelect(condition, drawValue(type), drawValue(type))
                             : m_builder.CreateZExt(condition, m_builder.getInt32Ty()));
}

void FunctionMaker::addIntrinsic() {
  static constexpr Intrinsic::ID Binary[] = {
      Intrinsic::umin,     Intrinsic::umax,     Intrinsic::smin,     Intrinsic::smax,
      Intrinsic::uadd_sat, Intrinsic::sadd_sat, Intrinsic::usub_sat, Intrinsic::ssub_sat};
  Type *type = drawType();
  switch (draw(5)) {
  case 0:
    m_values.push_back(m_builder.CreateIntrinsic(Intrinsic::abs, {type},
                                                 {drawValue(type), m_builder.getInt1(draw(2))}));
    return;
  case 1:
    m_values.push_back(m_builder.CreateIntrinsic(draw(2) ? Intrinsic::ctlz : Intrinsic::cttz,
                                                 {type},
                                                 {drawValue(type), m_builder.getInt1(draw(2))}));
    return;
  case 2:
    m_values.push_back(
        m_builder.CreateIntrinsic(draw(2) ? Intrinsic::fshl : Intrinsic::fshr, {type},
                                  {drawValue(type), drawValue(type), drawValue(type)}));
    return;
  case 3:
    m_values.push_back(m_builder.CreateFreeze(drawValue(type)));
    return;
  default:
    m_values.push_back(m_builder.CreateIntrinsic(Binary[draw(std::size(Binary))], {type},
                                                 {drawValue(type), drawValue(type)}));
  }
}

void FunctionMaker::addVector() {
  Type *i8 = m_builder.getInt8Ty();
  auto *type = FixedVectorType::get(i8, 4);
  llvm::Value *vector = m_builder.CreateBitCast(drawValue(m_builder.getInt32Ty()), type);
  llvm::Value *other = m_builder.CreateInsertElement(vector, drawValue(i8), draw(4));
  int mask[] = {int(draw(8)), int(draw(8)), int(draw(9)) - 1, int(draw(8))};
  llvm::Value *shuffled = m_builder.CreateShuffleVector(vector, other, mask);
  llvm::Value *sum = m_builder.CreateAdd(shuffled, other);
  m_values.push_back(m_builder.CreateBitCast(draw(2) ? sum : shuffled, m_builder.getInt32Ty()));
  m_values.push_back(m_builder.CreateExtractElement(sum, draw(4)));
}

/// A place of the buffer, written or read; with any type, so that accesses overlap.
void FunctionMaker::addMemory() {
  Type *type = drawType();
  llvm::Value *index = m_builder.CreateAnd(drawValue(m_builder.getInt32Ty()), 31);
  llvm::Value *pointer = m_builder.CreateGEP(
      m_builder.getInt8Ty(), m_function.getArg(0), draw(2) ? index : m_builder.getInt32(draw(32)),
      "", draw(2) ? GEPNoWrapFlags::inBounds() : GEPNoWrapFlags::none());
  if (draw(2))
    m_builder.CreateAlignedStore(drawValue(type), pointer, Align(1));
  else
    m_values.push_back(m_builder.CreateAlignedLoad(type, pointer, Align(1)));
}

void FunctionMaker::addDiamond(unsigned depth) {
  auto *yes = BasicBlock::Create(m_context, "", &m_function);
  auto *no = BasicBlock::Create(m_context, "", &m_function);
  auto *join = BasicBlock::Create(m_context, "", &m_function);
  Type *type = m_builder.getInt32Ty();
  m_builder.CreateCondBr(m_builder.CreateICmpSLT(drawValue(type), drawValue(type)), yes, no);
  PHINode *phi = PHINode::Create(type, 2, "", join);
  for (BasicBlock *side : {yes, no}) {
    size_t known = m_values.size();
    m_builder.SetInsertPoint(side);
    addSome(draw(4), depth + 1);
    phi->addIncoming(drawValue(type), m_builder.GetInsertBlock());
    m_builder.CreateBr(join);
    m_values.resize(known);
  }
  m_builder.SetInsertPoint(join);
  m_values.push_back(phi);
}

void FunctionMaker::addLoop(unsigned depth) {
  auto *body = BasicBlock::Create(m_context, "", &m_function);
  auto *exit = BasicBlock::Create(m_context, "", &m_function);
  Type *type = m_builder.getInt32Ty();
  BasicBlock *before = m_builder.GetInsertBlock();
  llvm::Value *start = drawValue(type);
  m_builder.CreateBr(body);
  m_builder.SetInsertPoint(body);
  PHINode *count = m_builder.CreatePHI(type, 2), *sum = m_builder.CreatePHI(type, 2);
  count->addIncoming(m_builder.getInt32(0), before);
  sum->addIncoming(start, before);
  m_values.push_back(count);
  m_values.push_back(sum);
  size_t known = m_values.size();
  addSome(3, depth + 1);
  llvm::Value *next = m_builder.CreateAdd(count, m_builder.getInt32(1));
  count->addIncoming(next, m_builder.GetInsertBlock());
  sum->addIncoming(drawValue(type), m_builder.GetInsertBlock());
  m_values.resize(known);
  m_builder.CreateCondBr(m_builder.CreateICmpULT(next, m_builder.getInt32(1 + draw(5))), body,
                         exit);
  m_builder.SetInsertPoint(exit);
}

void FunctionMaker::addSome(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i)
    switch (draw(depth < 2 ? 12 : 10)) {
    case 0:
      addCast();
      break;
    case 1:
      addCompare();
      break;
    case 2:
    case 3:
      addIntrinsic();
      break;
    case 4:
      addVector();
      break;
    case 5:
    case 6:
      addMemory();
      break;
    case 10:
      addDiamond(depth);
      break;
    case 11:
      addLoop(depth);
      break;
    default:
      addBinary();
    }
}

void FunctionMaker::make() {
  for (Argument &argument : drop_begin(m_function.args()))
    m_values.push_back(&argument);
  addSome(12 + draw(12), 0);
  m_builder.CreateRet(drawValue(m_builder.getInt32Ty()));
}

static void optimize(Module &module) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(module, modules);
}

/// Gives \p test the arguments of trial \p number.
static void setArguments(TestRun &test, uint64_t number) {
  std::mt19937_64 random(number);
  test.memory = {};
  test.arguments.clear();
  test.addBuffer(64);
  test.addPointer(0, 0, 1, 0);
  for (unsigned bits : {32, 32, 8, 64})
    test.add(0, {APInt(bits, random() % 3 ? random() % 50 : random(), false, true)});
}

/// What differs between a run before and one after, which may do more where there was no meaning.
static std::string compare(const TestRun &before, const TestRun &after) {
  if (after.result.state != RunState::Returned)
    return after.result.reason;
  const Scalar &expected = before.result.returned[0][0], &actual = after.result.returned[0][0];
  if (!expected.isPoison && (actual.isPoison || actual.bits != expected.bits))
    return "result " + toString(actual.bits, 16, false) + (actual.isPoison ? " (poison)" : "") +
           " instead of " + toString(expected.bits, 16, false);
  const BufferMemory &x = before.memory.buffers[0], &y = after.memory.buffers[0];
  for (size_t i = 0; i < x.bytes.size(); ++i) {
    bool wasPoison = !x.poison.empty() && x.poison[i], isPoison = !y.poison.empty() && y.poison[i];
    if (!wasPoison && (isPoison || x.bytes[i] != y.bytes[i]))
      return "byte " + std::to_string(i);
  }
  return "";
}

TEST(Interpreter, AgreesWithTheOptimiser) {
  constexpr unsigned Functions = 300, Trials = 8;
  unsigned compared = 0;
  for (unsigned seed = 0; seed < Functions; ++seed) {
    constexpr const char *Declaration = "declare i32 @f(ptr addrspace(1), i32, i32, i8, i64)";
    TestRun before(Declaration), after(Declaration);
    for (TestRun *test : {&before, &after})
      FunctionMaker(*test->module->getFunction("f"), seed).make();
    optimize(*after.module);
    for (unsigned trial = 0; trial < Trials; ++trial) {
      setArguments(before, trial);
      setArguments(after, trial);
      // A freeze of poison may become anything.
      if (before.run().state != RunState::Returned || before.result.frozePoison)
        continue;
      after.run();
      ++compared;
      std::string difference = compare(before, after);
      if (difference.empty())
        continue;
      std::string text;
      raw_string_ostream out(text);
      before.module->getFunction("f")->print(out);
      after.module->getFunction("f")->print(out);
      FAIL() << "seed " << seed << " trial " << trial << ": " << difference << text;
    }
  }
  EXPECT_GT(compared, Functions * Trials / 4);
}

} // namespace assay::ir
