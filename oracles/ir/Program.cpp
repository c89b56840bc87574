// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes functions and constants ready to run.
#include "oracles/ir/Program.h"
#include "oracles/ir/Handlers.h"
#include "oracles/ir/Machine.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

Program::~Program() = default;

namespace {

/// What \p function does to denormal numbers of \p type.
DenormalMode denormalMode(const Function &function, Type *type) {
  type = type->getScalarType();
  return type->isFloatingPointTy() ? function.getDenormalMode(type->getFltSemantics())
                                   : DenormalMode::getIEEE();
}

/// Inst::denormals of \p instruction, which may be in no function.
DenormalMode denormalModes(const Instruction &instruction) {
  if (!instruction.getParent())
    return DenormalMode::getIEEE();
  const Function &function = *instruction.getFunction();
  DenormalMode result = denormalMode(function, instruction.getType());
  // The operand of an atomic operation that counts is not the first one.
  if (instruction.getNumOperands() && !isa<AtomicRMWInst>(instruction))
    result.Input = denormalMode(function, instruction.getOperand(0)->getType()).Input;
  return result;
}

/// What LLVM's flags of \p instruction mean.
uint32_t collectFlags(const Instruction &instruction) {
  uint32_t flags = 0;
  auto add = [&flags](bool isSet, uint32_t flag) { flags |= isSet ? flag : 0; };
  if (auto *op = dyn_cast<OverflowingBinaryOperator>(&instruction)) {
    add(op->hasNoUnsignedWrap(), NoUnsignedWrap);
    add(op->hasNoSignedWrap(), NoSignedWrap);
  } else if (auto *trunc = dyn_cast<TruncInst>(&instruction)) {
    add(trunc->hasNoUnsignedWrap(), NoUnsignedWrap);
    add(trunc->hasNoSignedWrap(), NoSignedWrap);
  } else if (auto *gep = dyn_cast<GEPOperator>(&instruction)) {
    add(gep->hasNoUnsignedWrap(), NoUnsignedWrap);
    add(gep->hasNoUnsignedSignedWrap(), NoSignedWrap);
  }
  if (auto *op = dyn_cast<PossiblyExactOperator>(&instruction))
    add(op->isExact(), Exact);
  if (auto *op = dyn_cast<PossiblyDisjointInst>(&instruction))
    add(op->isDisjoint(), Disjoint);
  if (auto *op = dyn_cast<PossiblyNonNegInst>(&instruction))
    add(op->hasNonNeg(), NonNegative);
  if (auto *compare = dyn_cast<ICmpInst>(&instruction))
    add(compare->hasSameSign(), SameSign);
  if (auto *op = dyn_cast<FPMathOperator>(&instruction)) {
    add(op->hasNoNaNs(), NoNans);
    add(op->hasNoInfs(), NoInfs);
  }
  add(instruction.isVolatile(), IsVolatile);
  add(instruction.hasMetadata(LLVMContext::MD_invariant_load), IsInvariant);
  return flags;
}

/// Place of the first scalar that \p indices select in a value of \p type.
/// Counts the scalars that precede it.
int64_t flatIndex(Type *type, ArrayRef<unsigned> indices, Shapes &shapes) {
  int64_t result = 0;
  for (unsigned index : indices) {
    if (auto *structure = dyn_cast<StructType>(type)) {
      for (unsigned i = 0; i < index; ++i)
        result += shapes.get(structure->getElementType(i))->elements.size();
      type = structure->getElementType(index);
    } else {
      type = cast<ArrayType>(type)->getElementType();
      result += index * shapes.get(type)->elements.size();
    }
  }
  return result;
}

/// table[0]: the sum of constant offsets; table[k]: bytes that one of operand k counts.
/// Strides are in bytes; a struct index only changes table[0].
void fillScales(const GEPOperator &gep, Inst &inst, const DataLayout &layout) {
  inst.table.assign(gep.getNumOperands(), 0);
  unsigned operand = 1;
  for (auto it = gep_type_begin(gep), end = gep_type_end(gep); it != end; ++it, ++operand) {
    if (StructType *structure = it.getStructTypeOrNull()) {
      const Constant *index = cast<Constant>(it.getOperand());
      if (index->getType()->isVectorTy())
        index = index->getSplatValue();
      inst.table[0] += layout.getStructLayout(structure)
                           ->getElementOffset(cast<ConstantInt>(index)->getZExtValue())
                           .getFixedValue();
    } else {
      inst.table[operand] = it.getSequentialElementStride(layout).getFixedValue();
    }
  }
}

/// Sets Inst::table by the kind of instruction; empty for most. They are the scales of a GEP, the
/// mask of a shuffle, or the first scalar of an extracted or inserted value.
void fillTable(const Instruction &instruction, Inst &inst, Shapes &shapes) {
  if (auto *gep = dyn_cast<GEPOperator>(&instruction))
    fillScales(*gep, inst, shapes.layout());
  else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction))
    inst.table.assign(shuffle->getShuffleMask().begin(), shuffle->getShuffleMask().end());
  else if (auto *extract = dyn_cast<ExtractValueInst>(&instruction))
    inst.table = {
        flatIndex(extract->getAggregateOperand()->getType(), extract->getIndices(), shapes)};
  else if (auto *insert = dyn_cast<InsertValueInst>(&instruction))
    inst.table = {
        flatIndex(insert->getAggregateOperand()->getType(), insert->getIndices(), shapes)};
}

/// Whether \p value is no value to compute with.
bool hasNoValue(const llvm::Value &value) {
  Type *type = value.getType();
  return type->isLabelTy() || type->isMetadataTy() || type->isTokenTy() || isa<InlineAsm>(value);
}

} // namespace

/// Builds the Code of one function.
class CodeBuilder {
public:
  CodeBuilder(Program &program, Code &code) : m_program(program), m_code(code) {}
  /// Fills the code, or sets Code::problem where the function has a value that cannot be
  /// represented.
  void build();

private:
  /// Reserves a slot for each scalar of \p value. False with Code::problem for a type without a
  /// shape.
  bool assignSlots(const llvm::Value &value);
  /// Numbers the instructions. Phis have no place: edges do their moves.
  void placeBlocks();
  /// Appends one instruction. One that cannot be made ready stops the run when a lane comes to it.
  void addInst(const Instruction &instruction);
  /// Resolves the operands; of a switch, the condition and then the cases.
  bool setOperands(const Instruction &instruction, Inst &inst);
  /// Finds slots or the constant of \p value. False with m_problem for a constant without a value.
  bool resolve(const llvm::Value *value, Operand &operand);
  /// Adds the edges of a branch or switch, in the order of their successors.
  bool setEdges(const Instruction &instruction, Inst &inst);
  /// Adds one edge with the moves for the phis of \p to.
  bool addEdge(const BasicBlock *from, const BasicBlock *to, Inst &inst);

  Program &m_program;
  Code &m_code;
  std::vector<const BasicBlock *> m_blocks;        ///< In the order of orderBlocks().
  DenseMap<const BasicBlock *, uint32_t> m_places; ///< Of first instructions.
  DenseMap<const llvm::Value *, Operand> m_slots;
  std::string m_problem; ///< Of the instruction in work.
};

bool CodeBuilder::assignSlots(const llvm::Value &value) {
  Type *type = value.getType();
  if (type->isVoidTy() || hasNoValue(value)) {
    m_slots[&value] = {};
    return true;
  }
  const Shape *shape = m_program.shapes().get(type);
  if (!shape || m_code.slots + shape->elements.size() > (1 << 24)) {
    raw_string_ostream(m_code.problem) << "a value of type " << *type;
    return false;
  }
  auto count = static_cast<uint32_t>(shape->elements.size());
  m_slots[&value] = {nullptr, m_code.slots, count};
  m_code.slots += count;
  return true;
}

/// A phi is executed as copies on the edges that lead to it.
static bool isSkipped(const Instruction &instruction) {
  return isa<PHINode>(instruction);
}

void CodeBuilder::placeBlocks() {
  uint32_t place = 0;
  for (const BasicBlock *block : m_blocks) {
    m_places[block] = place;
    for (const Instruction &instruction : *block)
      place += !isSkipped(instruction);
  }
}

void CodeBuilder::build() {
  for (const Argument &argument : m_code.function->args()) {
    if (!assignSlots(argument))
      return;
    m_code.parameters.push_back(m_slots[&argument]);
  }
  m_blocks = orderBlocks(*m_code.function);
  for (const BasicBlock *block : m_blocks)
    for (const Instruction &instruction : *block)
      if (!assignSlots(instruction))
        return;
  placeBlocks();
  for (const BasicBlock *block : m_blocks)
    for (const Instruction &instruction : *block)
      if (!isSkipped(instruction))
        addInst(instruction);
}

bool CodeBuilder::resolve(const llvm::Value *value, Operand &operand) {
  if (hasNoValue(*value))
    return true;
  if (auto *constant = dyn_cast<Constant>(value)) {
    const Shape *shape = m_program.shapes().get(value->getType());
    operand.constant = shape ? m_program.constant(constant, m_problem) : nullptr;
    if (!shape)
      raw_string_ostream(m_problem) << "a constant of type " << *value->getType();
    if (operand.constant)
      operand.count = static_cast<uint32_t>(shape->elements.size());
    return operand.constant != nullptr;
  }
  // What unreachable blocks define is not there, and only phis may name it; nobody comes that way.
  operand = m_slots.lookup(value);
  return true;
}

bool CodeBuilder::setOperands(const Instruction &instruction, Inst &inst) {
  if (auto *choice = dyn_cast<SwitchInst>(&instruction)) {
    inst.operands.resize(1 + choice->getNumCases());
    bool isGood = resolve(choice->getCondition(), inst.operands[0]);
    unsigned next = 1;
    for (const auto &entry : choice->cases())
      isGood &= resolve(entry.getCaseValue(), inst.operands[next++]);
    return isGood;
  }
  inst.operands.resize(instruction.getNumOperands());
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    if (!resolve(instruction.getOperand(i), inst.operands[i]))
      return false;
  return true;
}

bool CodeBuilder::addEdge(const BasicBlock *from, const BasicBlock *to, Inst &inst) {
  Edge edge;
  edge.target = m_places.lookup(to);
  for (const PHINode &phi : to->phis()) {
    Edge::Move move{m_slots[&phi].slot, {}};
    if (!resolve(phi.getIncomingValueForBlock(from), move.source))
      return false;
    edge.moves.push_back(move);
  }
  inst.edges.push_back(std::move(edge));
  return true;
}

bool CodeBuilder::setEdges(const Instruction &instruction, Inst &inst) {
  const BasicBlock *from = instruction.getParent();
  if (auto *branch = dyn_cast<BranchInst>(&instruction)) {
    for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
      if (!addEdge(from, branch->getSuccessor(i), inst))
        return false;
  } else if (auto *choice = dyn_cast<SwitchInst>(&instruction)) {
    if (!addEdge(from, choice->getDefaultDest(), inst))
      return false;
    for (const auto &entry : choice->cases())
      if (!addEdge(from, entry.getCaseSuccessor(), inst))
        return false;
  }
  return true;
}

/// Stops the run with the problem that the instruction had when it was made ready.
/// Other instructions of the function run as usual.
static void runProblem(Machine &machine, const Inst &inst) {
  const Code &code = *machine.group().front()->top().code;
  machine.stop(RunState::Unsupported, code.problems[inst.table[0]]);
}

/// Sets what does not depend on slots.
static void describe(const Instruction &instruction, const Environment *environment, Inst &inst,
                     Shapes &shapes) {
  inst.ir = &instruction;
  inst.flags = collectFlags(instruction);
  inst.denormals = denormalModes(instruction);
  if (!instruction.getType()->isVoidTy() && !hasNoValue(instruction))
    inst.shape = shapes.get(instruction.getType());
  if (inst.shape && !inst.shape->elements.empty())
    inst.bits = inst.shape->elements.front().bits;
  if (instruction.getNumOperands() && !hasNoValue(*instruction.getOperand(0)))
    inst.source = shapes.get(instruction.getOperand(0)->getType());
  fillTable(instruction, inst, shapes);
  inst.run = findHandler(instruction, environment);
}

void CodeBuilder::addInst(const Instruction &instruction) {
  Inst inst;
  m_problem.clear();
  bool isGood = setOperands(instruction, inst) && setEdges(instruction, inst);
  describe(instruction, m_program.environment(), inst, m_program.shapes());
  Operand result = m_slots[&instruction];
  inst.slot = result.slot;
  inst.count = result.count;
  inst.ends = instruction.isTerminator() || isa<CallBase>(instruction);
  if (!isGood) {
    inst.run = runProblem;
    inst.table = {static_cast<int64_t>(m_code.problems.size())};
    m_code.problems.push_back(m_problem);
    inst.ends = true;
  }
  if (auto *call = dyn_cast<CallInst>(&instruction)) {
    const Function *callee = call->getCalledFunction();
    if (call->isInlineAsm() || (callee && callee->isDeclaration()))
      inst.ends = callee && m_program.environment() && m_program.environment()->endsLanes(*callee);
  }
  m_code.insts.push_back(std::move(inst));
}

const Environment *Program::environment() const {
  return m_machine.environment();
}

const Code &Program::get(const Function &function) {
  std::unique_ptr<Code> &slot = m_codes[&function];
  if (slot)
    return *slot;
  slot = std::make_unique<Code>();
  Code &code = *slot;
  code.function = &function;
  code.number = m_codes.size();
  CodeBuilder(*this, code).build();
  return code;
}

const Scalar *Program::constant(const Constant *constant, std::string &problem) {
  if (auto it = m_constants.find(constant); it != m_constants.end())
    return it->second->data();
  auto value = std::make_unique<Value>();
  value->reserve(1); // An empty value has an address, too.
  if (!evaluate(*constant, *value, problem))
    return nullptr;
  return (m_constants[constant] = std::move(value))->data();
}

/// Appends a zero for each scalar of \p shape.
static void appendZero(const Shape &shape, Value &result) {
  for (const Element &element : shape.elements)
    result.push_back({APInt::getZero(element.bits)});
}

bool Program::evaluate(const Constant &constant, Value &result, std::string &problem) {
  const Shape *shape = m_shapes.get(constant.getType());
  if (!shape) {
    raw_string_ostream(problem) << "a constant of type " << *constant.getType();
    return false;
  }
  if (isa<UndefValue>(constant)) {
    for (const Element &element : shape->elements)
      setPoison(result.emplace_back(), element.bits);
  } else if (isa<ConstantAggregateZero, ConstantPointerNull>(constant)) {
    appendZero(*shape, result);
  } else if (auto *integer = dyn_cast<ConstantInt>(&constant);
             integer && !constant.getType()->isVectorTy()) {
    result.push_back({integer->getValue()});
  } else if (auto *real = dyn_cast<ConstantFP>(&constant);
             real && !constant.getType()->isVectorTy()) {
    result.push_back({real->getValueAPF().bitcastToAPInt()});
  } else if (auto *global = dyn_cast<GlobalValue>(&constant)) {
    result.push_back({APInt(shape->elements.front().bits, m_symbols.addressOf(*global), false,
                            /*implicitTrunc=*/true)});
  } else if (auto *expression = dyn_cast<ConstantExpr>(&constant)) {
    return evaluateExpression(*expression, result, problem);
  } else if (constant.getAggregateElement(0u)) {
    for (unsigned i = 0; const Constant *part = constant.getAggregateElement(i); ++i)
      if (!evaluate(*part, result, problem))
        return false;
  } else {
    raw_string_ostream(problem) << "constant " << constant;
    return false;
  }
  return true;
}

bool Program::evaluateExpression(const ConstantExpr &expression, Value &result,
                                 std::string &problem) {
  Instruction *instruction = expression.getAsInstruction();
  scope_exit cleanup([&] { instruction->deleteValue(); });
  Inst inst;
  inst.operands.resize(instruction->getNumOperands());
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    auto *operand = cast<Constant>(instruction->getOperand(i));
    const Shape *shape = m_shapes.get(operand->getType());
    inst.operands[i].constant = constant(operand, problem);
    if (!inst.operands[i].constant)
      return false;
    inst.operands[i].count = static_cast<uint32_t>(shape->elements.size());
  }
  describe(*instruction, nullptr, inst, m_shapes);
  inst.count = static_cast<uint32_t>(inst.shape->elements.size());
  // It may be an element of an aggregate, after others.
  Value own(inst.count);
  if (!m_machine.runAlone(inst, own, problem))
    return false;
  append_range(result, own);
  return true;
}

} // namespace assay::ir
