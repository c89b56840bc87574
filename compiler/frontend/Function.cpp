// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chapter "Function Instructions": calls, and the translation of one function's body.

#include "compiler/frontend/FunctionTranslator.h"
#include "compiler/frontend/LoopExits.h"
#include "compiler/frontend/Translator.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;

/// Most bodies of a module: each call may need one, and callees double them. More are Unsupported.
static constexpr size_t MaxInstances = 4096;

/// Returns the places of the values in this info: the index of the buffer and the component, where
/// there are such. They are valid as long as the info.
SmallVector<Value **, 2> PointerInfo::values() {
  SmallVector<Value **, 2> places;
  if (buffer && buffer->index)
    places.push_back(&buffer->index);
  if (component)
    places.push_back(&component);
  return places;
}

/// Creates the LLVM function for \p source, with \p passed i32 arguments after those of SPIR-V. Its
/// linkage is internal, and it is convergent, because it may have barriers.
static Expected<Function *> declare(Translator &t, const spirv::Function &source, size_t passed) {
  const spirv::Type *returnType = t.spirv().findType(source.returnType);
  Expected<Type *> result = Type::getVoidTy(t.context());
  if (!returnType || returnType->kind != spirv::TypeKind::Void)
    result = t.valueType(source.returnType);
  if (!result)
    return result.takeError();
  SmallVector<Type *, 8> parameters;
  for (const Inst &parameter : source.parameters) {
    Expected<Type *> type = t.valueType(parameter.typeId);
    if (!type)
      return type.takeError();
    parameters.push_back(*type);
  }
  parameters.append(passed, t.builder().getInt32Ty());
  auto *function =
      Function::Create(FunctionType::get(*result, parameters, false), GlobalValue::InternalLinkage,
                       t.spirv().name(source.id), t.module());
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::Convergent); // It may hold barriers.
  return function;
}

/// Returns the function for body \p id with these infos of its pointer parameters, and declares it
/// at the first call. Values in \p parameters are set to a constant to compare them: they are
/// arguments of the instance, so that all calls with otherwise equal infos share one body.
Expected<Function *> Translator::instance(Id id, std::vector<PointerInfo> parameters) {
  // Whoever calls, values are passed: any will do to represent them.
  size_t passed = 0;
  for (PointerInfo &parameter : parameters)
    for (Value **place : parameter.values()) {
      *place = m_builder.getInt32(0);
      ++passed;
    }
  for (const auto &known : m_instances)
    if (known->source->id == id && known->parameters == parameters)
      return known->function;
  const spirv::Function *source = m_spirv.findFunction(id);
  if (!source)
    return invalidInput("%" + Twine(id) + " is no function");
  if (m_instances.size() == MaxInstances)
    return unsupported("calls that differ in what their pointers point at in more than " +
                       Twine(MaxInstances) + " ways");
  Expected<Function *> function = declare(*this, *source, passed);
  if (!function)
    return function.takeError();
  setFloatMode(*(*function), m_floatMode);
  m_instances.push_back(std::make_unique<FunctionInstance>(
      FunctionInstance{source, std::move(parameters), *function}));
  return *function;
}

/// Returns the LLVM argument for \p id, and sets \p info to what is known of it where it is a
/// pointer. A pointer without an address (to an Input variable, or an array of descriptors) passes
/// poison.
static Expected<Value *> argument(Translator &t, Id id, PointerInfo &info) {
  const spirv::Type *type = t.spirv().findType(t.typeOf(id));
  if (!type || type->kind != spirv::TypeKind::Pointer)
    return t.value(id);
  Expected<Pointer> pointer = t.pointer(id);
  if (!pointer)
    return pointer.takeError();
  info = pointer->info;
  if (!info.choices.empty())
    return unsupported("one of several arrays of blocks as an argument");
  if (pointer->value)
    return pointer->value;
  Expected<Type *> llvmType = t.valueType(type->id);
  if (!llvmType)
    return llvmType.takeError();
  return PoisonValue::get(*llvmType);
}

/// Calls the instance for what the pointer arguments point at. The values in their PointerInfos are
/// passed as i32 after the arguments. InvalidInput where the number or the types of the arguments
/// are wrong.
static Error functionCall(Translator &t, const Inst &inst) {
  const spirv::Function *source = t.spirv().findFunction(inst.operand(0));
  if (!source)
    return invalidInput("%" + Twine(inst.operand(0)) + " is no function");
  if (inst.size() - 1 != source->parameters.size())
    return invalidInput("the wrong number of arguments");
  SmallVector<Value *, 8> args;
  std::vector<PointerInfo> infos(source->parameters.size());
  for (size_t i = 0; i < source->parameters.size(); ++i) {
    Expected<Value *> arg = argument(t, inst.operand(i + 1), infos[i]);
    if (!arg)
      return arg.takeError();
    args.push_back(*arg);
  }
  for (PointerInfo &info : infos)
    for (Value **place : info.values())
      args.push_back(*place);
  Expected<Function *> callee = t.instance(source->id, std::move(infos));
  if (!callee)
    return callee.takeError();
  for (unsigned i = 0; i < args.size(); ++i)
    if (args[i]->getType() != (*callee)->getArg(i)->getType())
      return invalidInput("argument " + Twine(i) + " has another type");
  CallInst *call = t.builder().CreateCall(*callee, args);
  call->setConvergent();
  if (call->getType()->isVoidTy())
    return Error::success();
  return t.define(inst, call);
}

static constexpr OpcodeRow FunctionRows[] = {
    {.opcode = spv::Op::OpFunctionCall, .effect = functionCall},
};

ArrayRef<OpcodeRow> assay::functionOpcodes() {
  return FunctionRows;
}

FunctionTranslator::FunctionTranslator(Translator &translator, const FunctionInstance &instance)
    : m_t(translator), m_instance(instance), m_source(*instance.source) {}

/// Clears the Translator's state of the previous function, then translates the reachable blocks in
/// the module's order. A function without blocks is an import, which is Unsupported.
Error FunctionTranslator::run() {
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
  m_t.m_imageFlags.clear();
  m_t.m_texels.clear();
  countMentions();

  if (Error error = findReachable())
    return error;
  createBlocks(*m_instance.function);
  defineParameters();
  for (const spirv::Block &block : m_source.blocks)
    if (Error error = translateBlock(block))
      return error;
  Error error = completePhis();
  if (!error)
    holdLoops();
  m_t.m_function = nullptr;
  return error;
}

/// Applies holdLoopExits; the functions with subgroup operations are found once for the module.
void FunctionTranslator::holdLoops() {
  if (!m_t.m_subgroupFunctions)
    m_t.m_subgroupFunctions = findSubgroupFunctions(m_t.m_spirv);
  holdLoopExits(m_t.m_builder, m_source, {m_t.m_blocks, m_t.m_blockEnds}, *m_t.m_subgroupFunctions);
}

/// Returns the labels that \p terminator may branch to. \p selectorBits is the width of an
/// OpSwitch's selector, which is that of its literals.
static SmallVector<Id, 4> successors(const Inst &terminator, unsigned selectorBits) {
  SmallVector<Id, 4> labels;
  if (terminator.opcode == spv::Op::OpBranch)
    labels.push_back(terminator.operand(0));
  else if (terminator.opcode == spv::Op::OpBranchConditional)
    labels.append({terminator.operand(1), terminator.operand(2)});
  else if (terminator.opcode == spv::Op::OpSwitch)
    for (size_t i = 1; i < terminator.size(); i += selectorBits > 32 ? 3 : 2)
      labels.push_back(terminator.operand(i));
  return labels;
}

/// The width of the OpSwitch \p terminator's selector, or 0. Found in the module, as nothing of the
/// function is translated yet.
unsigned FunctionTranslator::selectorWidth(const Inst &terminator) const {
  if (terminator.opcode != spv::Op::OpSwitch)
    return 0;
  Id selector = terminator.operand(0);
  Id typeId = m_t.typeOf(selector);
  for (const Inst &parameter : m_source.parameters)
    if (parameter.resultId == selector)
      typeId = parameter.typeId;
  for (const spirv::Block &block : m_source.blocks)
    for (const Inst &inst : block.instructions)
      if (inst.resultId == selector)
        typeId = inst.typeId;
  const spirv::Type *type = m_t.m_spirv.findType(typeId);
  return type ? type->width : 0;
}

/// Counts for each id how often it is a word of an instruction of this function. Literals count,
/// too: the count may be too high, but never too low.
void FunctionTranslator::countMentions() {
  m_t.m_mentions.clear();
  for (const spirv::Block &block : m_source.blocks)
    for (const Inst &inst : block.instructions)
      for (uint32_t word : inst.operands)
        if (word < m_t.m_spirv.idBound)
          ++m_t.m_mentions[word];
}

/// Collects the labels that control flow from the first block reaches in m_reachable. InvalidInput
/// where a branch leads to no block of the function, or to the first one.
Error FunctionTranslator::findReachable() {
  DenseMap<Id, const spirv::Block *> byLabel;
  for (const spirv::Block &block : m_source.blocks)
    byLabel[block.label] = &block;
  SmallVector<const spirv::Block *, 16> work = {&m_source.blocks.front()};
  m_reachable.insert(m_source.blocks.front().label);
  while (!work.empty()) {
    const spirv::Block *block = work.pop_back_val();
    const Inst &terminator = block->terminator();
    for (Id label : successors(terminator, selectorWidth(terminator))) {
      const spirv::Block *next = byLabel.lookup(label);
      if (!next || next == &m_source.blocks.front())
        return invalidInput("%" + Twine(label) + " can't be branched to");
      if (m_reachable.insert(label).second)
        work.push_back(next);
    }
  }
  return Error::success();
}

/// Creates a prologue, which gets allocas and addresses of resources, and one LLVM block for each
/// reachable SPIR-V block; the prologue branches to the first.
void FunctionTranslator::createBlocks(Function &function) {
  m_t.m_prologue = BasicBlock::Create(m_t.m_context, "", &function);
  for (const spirv::Block &block : m_source.blocks)
    if (m_reachable.contains(block.label))
      m_t.m_blocks[block.label] =
          BasicBlock::Create(m_t.m_context, m_t.m_spirv.name(block.label), &function);
  m_t.m_builder.SetInsertPoint(m_t.m_prologue);
  m_t.m_builder.CreateBr(m_t.m_blocks[m_source.blocks.front().label]);
}

/// Binds the parameters, and for pointers what the instance knows of them. A pointer to an input or
/// an array of descriptors has no address: its LLVM argument is unused.
void FunctionTranslator::defineParameters() {
  Argument *passed = m_instance.function->arg_begin() + m_source.parameters.size();
  for (unsigned i = 0; i < m_source.parameters.size(); ++i) {
    const Inst &parameter = m_source.parameters[i];
    Argument *argument = m_instance.function->getArg(i);
    argument->setName(m_t.m_spirv.name(parameter.resultId));
    m_t.m_values[parameter.resultId] = argument;
    m_t.m_valueTypes[parameter.resultId] = parameter.typeId;
    if (m_t.m_spirv.type(parameter.typeId).kind != spirv::TypeKind::Pointer)
      continue;
    PointerInfo info = m_instance.parameters[i];
    for (Value **place : info.values())
      *place = passed++;
    info.isVolatile |= m_t.m_spirv.hasDecoration(parameter.resultId, spv::Decoration::Volatile) ||
                       m_t.m_spirv.hasDecoration(parameter.resultId, spv::Decoration::Coherent);
    if (info.input || (info.buffer && !info.buffer->index))
      m_t.m_values[parameter.resultId] = nullptr;
    m_t.m_pointers[parameter.resultId] = info;
  }
}

/// Translates one block in the builder's block; handlers may add blocks. m_blockEnds notes the LLVM
/// block that has the terminator.
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

/// Keeps \p phi for completePhis(), because its incoming values may be defined later.
Error Translator::addPhi(const Inst &inst, PHINode *phi) {
  m_phis.emplace_back(&inst, phi);
  return Error::success();
}

/// Returns Unsupported where the incoming pointer has another layout than the phi. The infos of the
/// phi were chosen before those of later blocks were known; it is volatile if any memory is.
Error FunctionTranslator::checkPointer(const Inst &inst, Id incoming) {
  Expected<Pointer> phi = m_t.pointer(inst.resultId);
  if (!phi)
    return phi.takeError();
  Expected<Pointer> pointer = m_t.pointer(incoming);
  if (!pointer)
    return pointer.takeError();
  const PointerInfo &a = phi->info;
  const PointerInfo &b = pointer->info;
  if (b.input || a.componentStride != b.componentStride ||
      a.matrix.matrixStride != b.matrix.matrixStride || a.matrix.rowMajor != b.matrix.rowMajor)
    return unsupported("a choice between pointers of different layout");
  return Error::success();
}

/// Adds the incoming values to \p phi, one for each edge from a reachable predecessor. InvalidInput
/// where one has another type or a predecessor has none.
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
    if (isa<ConstantInt, ConstantFP>(*value) && faultPlanted(Fault::PhiConstant))
      *value = Constant::getNullValue(phi->getType());
    for (unsigned count = edges[end]; count > 0; --count)
      phi->addIncoming(*value, end);
    edges.erase(end);
  }
  if (!edges.empty())
    return invalidInput("no incoming value for one of its predecessors");
  return Error::success();
}

/// Completes all phis of the function. Call it after the last block; errors name the phi.
Error FunctionTranslator::completePhis() {
  for (auto [inst, phi] : m_t.m_phis)
    if (Error error = completePhi(*inst, phi))
      return addContext(std::move(error), describe(*inst));
  return Error::success();
}
