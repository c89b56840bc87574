// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks, phis, constants: what all families of instructions need.
#include "compiler/ir3/select/Arrays.h"
#include "compiler/ir3/select/Selector.h"
#include "support/Error.h"
#include "support/Ir3Fault.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// Descriptors of a set are numbered from 0 in the order of the layout; combined image samplers
/// take two numbers.
std::vector<BindingPlace> ir3::placeBindings(const ResourceLayout &layout) {
  std::vector<BindingPlace> places;
  for (const DescriptorTable &table : layout.tables) {
    uint32_t next = 0;
    for (const DescriptorNode &node : table.nodes) {
      places.push_back({table.set, node.binding, next, node.count, node.kind});
      next += node.count * places.back().descriptors();
    }
  }
  return places;
}

/// Only buffers take slots; the place of another kind has the number of the next buffer and is not
/// used.
std::vector<BindingPlace> ir3::placeInSlots(const ResourceLayout &layout) {
  std::vector<BindingPlace> places;
  uint32_t next = 0;
  for (const DescriptorTable &table : layout.tables)
    for (const DescriptorNode &node : table.nodes) {
      places.push_back({table.set, node.binding, next, node.count, node.kind});
      if (node.kind == DescriptorKind::Buffer)
        next += node.count;
    }
  return places;
}

/// Integers of 32, 64, 96 and 128 bits are their dwords; pointers to global memory are two. f64,
/// halves and narrow integers other than i1 have no scalars.
unsigned ir3::countScalars(llvm::Type *type) {
  if (auto *integer = dyn_cast<IntegerType>(type)) {
    unsigned bits = integer->getBitWidth();
    return bits == 1 ? 1 : bits % 32 == 0 && bits <= 128 ? bits / 32 : 0;
  }
  if (type->isFloatTy())
    return 1;
  if (auto *pointer = dyn_cast<PointerType>(type))
    return pointer->getAddressSpace() == 1 ? 2 : 1;
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    return vector->getNumElements() * countScalars(vector->getElementType());
  if (auto *array = dyn_cast<ArrayType>(type))
    return unsigned(array->getNumElements()) * countScalars(array->getElementType());
  if (auto *structure = dyn_cast<StructType>(type)) {
    unsigned count = 0;
    for (llvm::Type *element : structure->elements()) {
      if (!countScalars(element))
        return 0;
      count += countScalars(element);
    }
    return count;
  }
  return 0;
}

/// Blocks are created by run(); until then the builder has no place.
Selector::Selector(Function &function, const Interface &interface, Program &program)
    : m_function(function), m_interface(interface), m_program(program),
      m_layout(function.getDataLayout()), m_builder(program, nullptr) {}

/// Keeps the text of \p inst up to 120 characters.
void Selector::fail(const llvm::Instruction &inst, const Twine &why) {
  if (hasFailed())
    return;
  std::string text;
  raw_string_ostream os(text);
  os << inst;
  m_problem = (why + ":" + StringRef(text).take_front(120)).str();
}

/// Variables are their offsets in workgroup memory. A constant of another kind is an error, and
/// undefined.
Scalars Selector::getConstant(const Constant *constant) {
  Scalars scalars;
  unsigned count = countScalars(constant->getType());
  if (isa<UndefValue>(constant)) {
    scalars.append(count, Register::undefined());
    return scalars;
  }
  if (constant->isNullValue()) {
    scalars.append(count, number(0));
    return scalars;
  }
  if (const auto *integer = dyn_cast<ConstantInt>(constant)) {
    uint64_t bits = integer->getZExtValue();
    for (unsigned i = 0; i < count; ++i)
      scalars.push_back(number(static_cast<uint32_t>(bits >> 32 * i)));
    return scalars;
  }
  if (const auto *real = dyn_cast<ConstantFP>(constant)) {
    scalars.push_back(
        number(static_cast<uint32_t>(real->getValueAPF().bitcastToAPInt().getZExtValue())));
    return scalars;
  }
  if (isa<GlobalVariable>(constant)) {
    scalars.push_back(number(offsetOf(constant)));
    return scalars;
  }
  const auto *expression = dyn_cast<ConstantExpr>(constant);
  if (expression)
    if (Constant *folded = ConstantFoldConstant(expression, m_layout); folded != constant)
      return getConstant(folded); // At level 0 nothing has folded it.
  if (!expression &&
      (constant->getType()->isAggregateType() || constant->getType()->isVectorTy())) {
    for (unsigned i = 0; const Constant *element = constant->getAggregateElement(i); ++i)
      append_range(scalars, getConstant(element));
    return scalars;
  }
  if (expression && (expression->getOpcode() == llvm::Instruction::PtrToInt ||
                     expression->getOpcode() == llvm::Instruction::PtrToAddr ||
                     expression->getOpcode() == llvm::Instruction::IntToPtr))
    return getConstant(expression->getOperand(0));
  if (expression && expression->getType()->isPointerTy()) {
    APInt offset(m_layout.getIndexTypeSizeInBits(expression->getType()), 0);
    const Value *base = expression->stripAndAccumulateConstantOffsets(m_layout, offset, true);
    if (isa<GlobalVariable>(base)) {
      scalars.push_back(number(offsetOf(base) + static_cast<uint32_t>(offset.getZExtValue())));
      return scalars;
    }
  }
  if (m_problem.empty())
    m_problem = "a constant of this kind";
  scalars.append(std::max(count, 1u), Register::undefined());
  return scalars;
}

/// After a failure, a value that has not been selected is undefined.
Scalars Selector::get(const Value *value) {
  if (const auto *constant = dyn_cast<Constant>(value))
    return getConstant(constant);
  auto found = m_values.find(value);
  assert((found != m_values.end() || hasFailed()) && "definitions come first");
  if (found != m_values.end())
    return found->second;
  return Scalars(std::max(countScalars(value->getType()), 1u), Register::undefined());
}

/// Workgroup variables one after another, and allocas.
Error Selector::placeObjects() {
  uint64_t local = 0, own = 0;
  // Half of the registers remain for values.
  constexpr unsigned maxArrayDwords = 96;
  unsigned arrayDwords = 0;
  auto place = [&](const Value *object, llvm::Type *type, Align alignment, uint64_t &next) {
    next = alignTo(next, std::max<uint64_t>(alignment.value(), 4));
    m_offsets[object] = static_cast<uint32_t>(next);
    next += m_layout.getTypeAllocSize(type);
  };
  for (GlobalVariable &variable : m_function.getParent()->globals()) {
    if (variable.getAddressSpace() != 3)
      return unsupported("a global variable outside of workgroup memory: " + variable.getName());
    place(&variable, variable.getValueType(), variable.getAlign().valueOrOne(), local);
    if (offsetOf(&variable) && faultPlanted(Ir3Fault::SharedOverlap))
      m_offsets[&variable] = 0;
  }
  for (llvm::Instruction &inst : llvm::instructions(m_function))
    if (auto *variable = dyn_cast<AllocaInst>(&inst)) {
      if (!variable->isStaticAlloca())
        return unsupported("private memory of a variable size");
      if (std::optional<unsigned> size =
              m_interface.placesArrays ? findArraySize(*variable) : std::nullopt;
          size && arrayDwords + *size <= maxArrayDwords) {
        arrayDwords += *size;
        m_arrays[variable] = m_program.createArray(*size);
        continue; // Its offset is 0.
      }
      place(variable, variable->getAllocatedType(), variable->getAlign(), own);
    }
  if (local > m_program.compiler().localBytes)
    return limitExceeded("the shader needs " + Twine(local) + " bytes of workgroup memory, " +
                         m_program.compiler().name + " has " +
                         Twine(m_program.compiler().localBytes));
  if (own && !m_program.compiler().hasPrivateMemory)
    return unsupported("variables in memory: " + m_program.compiler().name +
                       " has no private memory");
  m_program.localBytes = static_cast<uint32_t>(alignTo(local, 4));
  m_program.privateBytes = static_cast<uint32_t>(alignTo(own, 4));
  return Error::success();
}

/// Follows addresses to the variable without a limit. Pointers that may lead to several variables
/// are in memory: findArraySize() accepts no phis and selects.
std::optional<unsigned> Selector::arrayOf(const Value *pointer) const {
  if (m_arrays.empty())
    return std::nullopt;
  auto found = m_arrays.find(getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return found != m_arrays.end() ? std::optional(found->second) : std::nullopt;
}

/// Appends \p blocks to \p order; those of a loop stand together, from where its header is.
static void appendBlocks(ArrayRef<BasicBlock *> blocks, const Loop *inside, const LoopInfo &loops,
                         std::vector<BasicBlock *> &order) {
  for (BasicBlock *block : blocks) {
    const Loop *loop = loops.getLoopFor(block);
    while (loop && loop->getParentLoop() != inside)
      loop = loop->getParentLoop();
    if (!loop || loop == inside) {
      order.push_back(block);
      continue;
    }
    if (loop->getHeader() != block)
      continue; // With its loop.
    SmallVector<BasicBlock *, 8> own;
    for (BasicBlock *each : blocks)
      if (loop->contains(each))
        own.push_back(each);
    // The header is of this loop alone, or of one inside.
    appendBlocks(own, loop, loops, order);
  }
}

/// Unreachable blocks are left out.
void Selector::orderBlocks() {
  DominatorTree dominators(m_function);
  LoopInfo loops(dominators);
  SmallVector<BasicBlock *, 16> reachable;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&m_function))
    reachable.push_back(block);
  appendBlocks(reachable, nullptr, loops, m_order);
}

/// A phi for each scalar; sources are added when all blocks are selected.
void Selector::startPhi(PHINode &phi) {
  unsigned count = countScalars(phi.getType());
  if (!count)
    return fail(phi, "a type without a selection");
  SmallVector<ir3::Instruction *, 4> results;
  Scalars scalars;
  for (unsigned i = 0; i < count; ++i) {
    results.push_back(m_builder.phi());
    scalars.push_back(results.back()->value());
  }
  set(&phi, std::move(scalars));
  m_phis.emplace_back(&phi, std::move(results));
}

/// Adds a source for each predecessor that is reachable.
void Selector::finishPhis() {
  for (auto &[phi, results] : m_phis)
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      Block *predecessor = m_blocks.lookup(phi->getIncomingBlock(i));
      if (!predecessor)
        continue; // Nothing leads there.
      Scalars scalars = get(phi->getIncomingValue(i));
      for (auto [result, scalar] : zip(results, scalars))
        Builder::addPhiSource(result, scalar, predecessor);
    }
}

/// Returns and unreachable code end the program. Other terminators than branches have been lowered.
void Selector::selectTerminator(llvm::Instruction &inst) {
  if (isa<ReturnInst, UnreachableInst>(inst))
    return m_builder.end();
  auto *branch = dyn_cast<BranchInst>(&inst);
  if (!branch)
    return fail(inst, "a terminator without a selection");
  Block *taken = m_blocks.lookup(branch->getSuccessor(0));
  if (branch->isUnconditional())
    return m_builder.jump(taken);
  ir3::Instruction *predicate =
      m_builder.compare(Opcode::CmpsU, Ne, getOne(branch->getCondition()), number(0));
  m_builder.branch(predicate->value(), taken, m_blocks.lookup(branch->getSuccessor(1)));
}

/// Whether the scalars of \p value are integers above 64 bits.
static bool isAbove64Bits(const Value *value) {
  llvm::Type *type = value->getType()->getScalarType();
  return type->isIntegerTy() && type->getIntegerBitWidth() > 64;
}

/// Integers above 64 bits are taken apart - they are what LLVM makes of vectors - or multiplied,
/// for the upper half of a product.
static bool isTooWide(const llvm::Instruction &inst) {
  if (!isAbove64Bits(&inst) && none_of(inst.operand_values(), isAbove64Bits))
    return false;
  if (inst.getOpcode() == llvm::Instruction::LShr) {
    const auto *amount = dyn_cast<ConstantInt>(inst.getOperand(1));
    return !amount || amount->getValue().urem(32) != 0;
  }
  bool isMultiply = inst.getOpcode() == llvm::Instruction::Mul && inst.getType()->isIntegerTy();
  return !isMultiply &&
         !isa<BitCastInst, TruncInst, ZExtInst, SExtInst, PHINode, LoadInst, StoreInst>(inst);
}

/// Tries each family of instructions. What none of them takes is an error.
void Selector::selectInstruction(llvm::Instruction &inst) {
  if (inst.isTerminator())
    return selectTerminator(inst);
  if (isa<AllocaInst>(inst))
    return set(&inst, {number(offsetOf(&inst))});
  if (selectHalf(*this, inst))
    return;
  if (isTooWide(inst))
    return fail(inst, "an integer above 64 bits");
  if (!inst.getType()->isVoidTy() && !countScalars(inst.getType()))
    return fail(inst, "a type without a selection");
  bool isDone =
      selectArithmetic(*this, inst) || selectConversion(*this, inst) || selectMemory(*this, inst);
  if (auto *call = dyn_cast<CallInst>(&inst); call && !isDone)
    isDone = selectCall(*this, *call);
  if (!isDone)
    fail(inst, "no selection");
}

/// Selects until the first failure.
void Selector::selectBlock(BasicBlock &block) {
  m_builder.setBlock(m_blocks.lookup(&block));
  for (PHINode &phi : block.phis())
    startPhi(phi);
  for (llvm::Instruction &inst : make_range(block.getFirstNonPHIIt(), block.end())) {
    if (hasFailed())
      return;
    selectInstruction(inst);
  }
}

/// Unsupported with the first problem. The program is then incomplete.
Error Selector::run() {
  if (Error error = placeObjects())
    return error;
  orderBlocks();
  for (BasicBlock *block : m_order)
    m_blocks[block] = m_program.createBlock();
  // Each block after those that dominate it: the order is one of reverse postorder.
  for (BasicBlock *block : m_order)
    if (!hasFailed())
      selectBlock(*block);
  if (!hasFailed())
    finishPhis();
  if (hasFailed())
    return unsupported(m_problem);
  m_program.updatePredecessors();
  return Error::success();
}

Error ir3::select(Function &function, const Interface &interface, Program &program) {
  return Selector(function, interface, program).run();
}
