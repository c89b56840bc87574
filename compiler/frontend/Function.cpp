// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Function Instructions": calls, and the translation of one function's body.

#include "compiler/frontend/FunctionTranslator.h"
#include "compiler/frontend/Translator.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;

Expected<Function *> Translator::function(Id id) {
  if (Function *function = m_functions.lookup(id))
    return function;
  const spirv::Function *source = m_spirv.findFunction(id);
  if (!source)
    return invalidInput("%" + Twine(id) + " is no function");
  const spirv::Type *returnType = m_spirv.findType(source->returnType);
  Expected<Type *> result = Type::getVoidTy(m_context);
  if (!returnType || returnType->kind != spirv::TypeKind::Void)
    result = valueType(source->returnType);
  if (!result)
    return result.takeError();
  SmallVector<Type *, 8> parameters;
  for (const Inst &parameter : source->parameters) {
    Expected<Type *> type = valueType(parameter.typeId);
    if (!type)
      return type.takeError();
    parameters.push_back(*type);
  }
  auto *function = Function::Create(FunctionType::get(*result, parameters, false),
                                    GlobalValue::InternalLinkage, m_spirv.name(id), *m_module);
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::Convergent); // It may hold barriers.
  if (m_flushesDenormals)
    function->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  m_functions[id] = function;
  return function;
}

Error Translator::mergeParameter(Id parameter, const Pointer &pointer) {
  PointerInfo incoming = pointer.info;
  if (incoming.buffer && incoming.buffer->index && !isa<Constant>(incoming.buffer->index))
    incoming.buffer.reset();
  auto [entry, isNew] = m_parameters.try_emplace(parameter, incoming);
  if (isNew)
    return Error::success();

  PointerInfo &known = entry->second;
  if (known.matrix.matrixStride != incoming.matrix.matrixStride ||
      known.matrix.rowMajor != incoming.matrix.rowMajor ||
      known.componentStride != incoming.componentStride)
    return unsupported("calls with pointers of different layout");
  known.isVolatile |= incoming.isVolatile;
  known.isInvariant &= incoming.isInvariant;
  bool sameBuffer = known.buffer && incoming.buffer && known.buffer->set == incoming.buffer->set &&
                    known.buffer->binding == incoming.buffer->binding &&
                    known.buffer->index == incoming.buffer->index;
  bool wasArray =
      (known.buffer && !known.buffer->index) || (incoming.buffer && !incoming.buffer->index);
  if (!sameBuffer && wasArray)
    return unsupported("calls with different arrays of descriptors");
  if (!sameBuffer)
    known.buffer.reset();
  return Error::success();
}

/// The LLVM argument for \p id: an array of descriptors has no value, and passes none.
static Expected<Value *> argument(Translator &t, Id id, Id parameter) {
  const spirv::Type *type = t.spirv().findType(t.typeOf(id));
  if (!type || type->kind != spirv::TypeKind::Pointer)
    return t.value(id);
  Expected<Pointer> pointer = t.pointer(id);
  if (!pointer)
    return pointer.takeError();
  if (Error error = t.mergeParameter(parameter, *pointer))
    return std::move(error);
  if (!pointer->value && pointer->info.buffer) {
    Expected<Type *> llvmType = t.valueType(type->id);
    if (!llvmType)
      return llvmType.takeError();
    return PoisonValue::get(*llvmType);
  }
  return t.value(id);
}

static Error functionCall(Translator &t, const Inst &inst) {
  Expected<Function *> callee = t.function(inst.operand(0));
  if (!callee)
    return callee.takeError();
  const spirv::Function *source = t.spirv().findFunction(inst.operand(0));
  if (inst.size() - 1 != source->parameters.size())
    return invalidInput("the wrong number of arguments");
  SmallVector<Value *, 8> args;
  for (size_t i = 0; i < source->parameters.size(); ++i) {
    Expected<Value *> arg = argument(t, inst.operand(i + 1), source->parameters[i].resultId);
    if (!arg)
      return arg.takeError();
    if ((*arg)->getType() != (*callee)->getArg(static_cast<unsigned>(i))->getType())
      return invalidInput("argument " + Twine(i) + " has another type");
    args.push_back(*arg);
  }
  CallInst *call = t.builder().CreateCall(*callee, args);
  call->setConvergent();
  if (call->getType()->isVoidTy())
    return Error::success();
  return t.define(inst, call);
}

static constexpr OpcodeRow Rows[] = {
    {.opcode = spv::Op::OpFunctionCall, .effect = functionCall},
};

ArrayRef<OpcodeRow> assay::functionOpcodes() {
  return Rows;
}

FunctionTranslator::FunctionTranslator(Translator &translator, const spirv::Function &source)
    : m_t(translator), m_source(source) {}

Error FunctionTranslator::run() {
  Expected<Function *> function = m_t.function(m_source.id);
  if (!function)
    return function.takeError();
  if (m_source.blocks.empty())
    return unsupported("an imported function");
  m_t.m_function = &m_source;
  m_t.m_values.clear();
  m_t.m_valueTypes.clear();
  m_t.m_pointers.clear();
  m_t.m_blocks.clear();
  m_t.m_blockEnds.clear();
  m_t.m_phis.clear();
  m_t.m_inMemory.clear();
  countMentions();

  if (Error error = findReachable())
    return error;
  createBlocks(**function);
  defineParameters(**function);
  for (const spirv::Block &block : m_source.blocks)
    if (Error error = translateBlock(block))
      return error;
  Error error = completePhis();
  m_t.m_function = nullptr;
  return error;
}

static SmallVector<Id, 4> successors(const Inst &terminator) {
  SmallVector<Id, 4> labels;
  if (terminator.opcode == spv::Op::OpBranch)
    labels.push_back(terminator.operand(0));
  else if (terminator.opcode == spv::Op::OpBranchConditional)
    labels.append({terminator.operand(1), terminator.operand(2)});
  else if (terminator.opcode == spv::Op::OpSwitch)
    for (size_t i = 1; i < terminator.size(); i += 2)
      labels.push_back(terminator.operand(i));
  return labels;
}

/// Literals count, too: an id may seem to be used more often than it is, never less.
void FunctionTranslator::countMentions() {
  m_t.m_mentions.clear();
  for (const spirv::Block &block : m_source.blocks)
    for (const Inst &inst : block.instructions)
      for (uint32_t word : inst.operands)
        if (word < m_t.m_spirv.idBound)
          ++m_t.m_mentions[word];
}

Error FunctionTranslator::findReachable() {
  DenseMap<Id, const spirv::Block *> byLabel;
  for (const spirv::Block &block : m_source.blocks)
    byLabel[block.label] = &block;
  SmallVector<const spirv::Block *, 16> work = {&m_source.blocks.front()};
  m_reachable.insert(m_source.blocks.front().label);
  while (!work.empty()) {
    const spirv::Block *block = work.pop_back_val();
    for (Id label : successors(block->terminator())) {
      const spirv::Block *next = byLabel.lookup(label);
      if (!next || next == &m_source.blocks.front())
        return invalidInput("%" + Twine(label) + " can't be branched to");
      if (m_reachable.insert(label).second)
        work.push_back(next);
    }
  }
  return Error::success();
}

void FunctionTranslator::createBlocks(Function &function) {
  m_t.m_prologue = BasicBlock::Create(m_t.m_context, "", &function);
  for (const spirv::Block &block : m_source.blocks)
    if (m_reachable.contains(block.label))
      m_t.m_blocks[block.label] =
          BasicBlock::Create(m_t.m_context, m_t.m_spirv.name(block.label), &function);
  m_t.m_builder.SetInsertPoint(m_t.m_prologue);
  m_t.m_builder.CreateBr(m_t.m_blocks[m_source.blocks.front().label]);
}

void FunctionTranslator::defineParameters(Function &function) {
  for (unsigned i = 0; i < m_source.parameters.size(); ++i) {
    const Inst &parameter = m_source.parameters[i];
    Argument *argument = function.getArg(i);
    argument->setName(m_t.m_spirv.name(parameter.resultId));
    m_t.m_values[parameter.resultId] = argument;
    m_t.m_valueTypes[parameter.resultId] = parameter.typeId;
    if (!argument->getType()->isPointerTy())
      continue;
    PointerInfo info = m_t.m_parameters.lookup(parameter.resultId);
    info.isVolatile |= m_t.m_spirv.hasDecoration(parameter.resultId, spv::Decoration::Volatile) ||
                       m_t.m_spirv.hasDecoration(parameter.resultId, spv::Decoration::Coherent);
    if (info.buffer && !info.buffer->index)
      m_t.m_values[parameter.resultId] = nullptr;
    m_t.m_pointers[parameter.resultId] = info;
  }
}

Error FunctionTranslator::translateBlock(const spirv::Block &block) {
  if (!m_reachable.contains(block.label))
    return Error::success();
  m_t.m_builder.SetInsertPoint(m_t.m_blocks[block.label]);
  for (size_t i = 0; i < block.instructions.size(); ++i) {
    m_t.m_next = i + 1 < block.instructions.size() ? &block.instructions[i + 1] : nullptr;
    if (Error error = m_t.translate(block.instructions[i]))
      return error;
  }
  m_t.m_blockEnds[block.label] = m_t.m_builder.GetInsertBlock();
  return Error::success();
}

Error Translator::addPhi(const Inst &inst, PHINode *phi) {
  m_phis.emplace_back(&inst, phi);
  return Error::success();
}

/// The pointer around a loop must lie as the phi was told.
Error FunctionTranslator::checkPointer(const Inst &inst, Id incoming) {
  Expected<Pointer> phi = m_t.pointer(inst.resultId);
  if (!phi)
    return phi.takeError();
  Expected<Pointer> pointer = m_t.pointer(incoming);
  if (!pointer)
    return pointer.takeError();
  const PointerInfo &a = phi->info;
  const PointerInfo &b = pointer->info;
  if (b.input || a.isVolatile != b.isVolatile || a.componentStride != b.componentStride ||
      a.matrix.matrixStride != b.matrix.matrixStride || a.matrix.rowMajor != b.matrix.rowMajor)
    return unsupported("a choice between pointers of different layout");
  return Error::success();
}

Error FunctionTranslator::completePhi(const Inst &inst, PHINode *phi) {
  // One entry per edge: a switch may have several to one block.
  DenseMap<BasicBlock *, unsigned> edges;
  for (BasicBlock *predecessor : predecessors(phi->getParent()))
    ++edges[predecessor];
  for (size_t i = 0; i + 1 < inst.size(); i += 2) {
    BasicBlock *end = m_t.m_blockEnds.lookup(inst.operand(i + 1));
    if (!end || !edges.contains(end)) // Its block can't be reached.
      continue;
    m_t.m_builder.SetInsertPoint(end->getTerminator()); // For aggregates that lie in memory.
    Expected<Value *> value = m_t.value(inst.operand(i));
    if (!value)
      return value.takeError();
    if ((*value)->getType() != phi->getType())
      return invalidInput("an incoming value has another type");
    if (phi->getType()->isPointerTy())
      if (Error error = checkPointer(inst, inst.operand(i)))
        return error;
    for (unsigned count = edges[end]; count > 0; --count)
      phi->addIncoming(*value, end);
    edges.erase(end);
  }
  if (!edges.empty())
    return invalidInput("no incoming value for one of its predecessors");
  return Error::success();
}

Error FunctionTranslator::completePhis() {
  for (auto [inst, phi] : m_t.m_phis)
    if (Error error = completePhi(*inst, phi))
      return addContext(std::move(error), describe(*inst));
  return Error::success();
}
