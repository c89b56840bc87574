// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end's driver: what of a module is looked at, in which order.

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/FunctionTranslator.h"
#include "compiler/frontend/Translator.h"
#include "compiler/spirv/Capabilities.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;

Translator::Translator(const ShaderDescription &shader, const spirv::Module &spirv,
                       LLVMContext &context, Builder &builder)
    : m_shader(shader), m_spirv(spirv), m_context(context), m_builder(builder),
      m_module(std::make_unique<llvm::Module>("shader", context)) {
  initializeModule(*m_module);
}

/// Execution modes we keep; the rest is refused by number. Those of float controls stand for one
/// width; the widths that we lack compute nothing.
struct ModeRow {
  spv::ExecutionMode mode;
  bool isFloatControl = false;
};

static constexpr ModeRow KeptModes[] = {
    {spv::ExecutionMode::LocalSize},
    {spv::ExecutionMode::LocalSizeId},
    {spv::ExecutionMode::SubgroupUniformControlFlowKHR},
    // LLVM's defaults: nothing is done that would break them.
    {spv::ExecutionMode::SignedZeroInfNanPreserve, true},
    {spv::ExecutionMode::DenormPreserve, true},
    {spv::ExecutionMode::RoundingModeRTE, true},
    {spv::ExecutionMode::DenormFlushToZero, true}, // By an attribute of every function.
};

static bool isFlushing(const spirv::ExecutionMode &mode) {
  return mode.mode == spv::ExecutionMode::DenormFlushToZero && mode.operands[0] == 32;
}

static bool isKept(const spirv::ExecutionMode &mode) {
  constexpr uint32_t OurWidth = 32;
  bool isOtherWidth = mode.mode == spv::ExecutionMode::RoundingModeRTZ && !mode.operands.empty() &&
                      mode.operands[0] != OurWidth;
  return isOtherWidth || any_of(KeptModes, [&](const ModeRow &row) {
           return row.mode == mode.mode && (!row.isFloatControl || !mode.operands.empty());
         });
}

Error Translator::checkModule(const spirv::EntryPoint &entry) {
  if (Error error = checkCapabilities(m_spirv, spirv::CapabilityUser::Compiler))
    return error;
  if (m_spirv.addressingModel != spv::AddressingModel::Logical)
    return unsupported("addressing model " + Twine(unsigned(m_spirv.addressingModel)));
  for (const spirv::ExecutionMode &mode : m_spirv.executionModes) {
    if (mode.entryPoint != entry.function)
      continue;
    if (!isKept(mode))
      return unsupported("execution mode " + Twine(unsigned(mode.mode)));
    m_flushesDenormals |= isFlushing(mode);
  }

  DenseSet<uint32_t> specIds;
  for (const Inst &inst : m_spirv.globals)
    if (auto specId = m_spirv.decorationValue(inst.resultId, spv::Decoration::SpecId))
      specIds.insert(*specId);
  for (const SpecializationValue &value : m_shader.specialization)
    if (!specIds.contains(value.id))
      return invalidInput("no specialization constant has SpecId " + Twine(value.id));
  return Error::success();
}

/// The constant decorated WorkgroupSize goes before LocalSizeId, that before LocalSize.
Expected<ComputeMode> Translator::computeMode(const spirv::EntryPoint &entry) {
  ComputeMode result;
  for (const spirv::ExecutionMode &mode : m_spirv.executionModes) {
    bool isSize =
        mode.mode == spv::ExecutionMode::LocalSize || mode.mode == spv::ExecutionMode::LocalSizeId;
    if (mode.entryPoint != entry.function || !isSize || mode.operands.size() < 3)
      continue;
    for (unsigned i = 0; i < 3; ++i) {
      Expected<uint32_t> size = mode.byId ? constantInt(mode.operands[i]) : mode.operands[i];
      if (!size)
        return size.takeError();
      result.workgroupSize[i] = *size;
    }
  }
  for (const Inst &inst : m_spirv.globals) {
    if (m_spirv.decorationValue(inst.resultId, spv::Decoration::BuiltIn) !=
        static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize))
      continue;
    Constant *size = m_constants.lookup(inst.resultId);
    if (!size) // An Input variable.
      continue;
    for (unsigned i = 0; i < 3; ++i) {
      auto *element = dyn_cast_or_null<ConstantInt>(size->getAggregateElement(i));
      if (!element)
        return invalidInput("WorkgroupSize is no vector of three constants");
      result.workgroupSize[i] = static_cast<unsigned>(element->getZExtValue());
    }
  }
  for (unsigned size : result.workgroupSize)
    if (size == 0)
      return invalidInput("a workgroup size of 0");
  return result;
}

/// The functions that \p entry reaches, callers before callees, so that a callee's body is made
/// when all is known of what its parameters point at.
static Expected<std::vector<const spirv::Function *>> callersFirst(const spirv::Module &module,
                                                                   const spirv::Function &entry) {
  struct Frame {
    const spirv::Function *function;
    std::vector<Id> callees;
  };
  auto calleesOf = [](const spirv::Function &function) {
    std::vector<Id> callees;
    for (const spirv::Block &block : function.blocks)
      for (const Inst &inst : block.instructions)
        if (inst.opcode == spv::Op::OpFunctionCall)
          callees.push_back(inst.operand(0));
    return callees;
  };
  std::vector<const spirv::Function *> done;
  DenseMap<Id, bool> isDone; // Absent: not seen; false: on the stack.
  std::vector<Frame> stack;
  stack.push_back({&entry, calleesOf(entry)});
  isDone[entry.id] = false;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.callees.empty()) {
      isDone[frame.function->id] = true;
      done.push_back(frame.function);
      stack.pop_back();
      continue;
    }
    Id callee = frame.callees.back();
    frame.callees.pop_back();
    auto seen = isDone.find(callee);
    if (seen != isDone.end() && !seen->second)
      return invalidInput("function %" + Twine(callee) + " calls itself");
    if (seen != isDone.end())
      continue;
    const spirv::Function *function = module.findFunction(callee);
    if (!function)
      return invalidInput("%" + Twine(callee) + " is no function");
    isDone[callee] = false;
    stack.push_back({function, calleesOf(*function)});
  }
  std::reverse(done.begin(), done.end());
  return done;
}

/// Zeroes the Workgroup variables that ask for it: the first invocation does, the others wait.
Error Translator::initializeWorkgroupMemory() {
  if (m_zeroedShared.empty())
    return Error::success();
  Instruction *end = m_prologue->getTerminator();
  BasicBlock *first = cast<BranchInst>(end)->getSuccessor(0);
  end->eraseFromParent();
  Function *function = m_prologue->getParent();
  BasicBlock *zero = BasicBlock::Create(m_context, "zero.shared", function, first);
  BasicBlock *join = BasicBlock::Create(m_context, "zeroed", function, first);

  m_builder.SetInsertPoint(m_prologue);
  Value *index = m_builder.createReadBuiltIn(BuiltIn::LocalInvocationIndex);
  m_builder.CreateCondBr(m_builder.CreateICmpEQ(index, m_builder.getInt32(0)), zero, join);
  m_builder.SetInsertPoint(zero);
  for (GlobalVariable *variable : m_zeroedShared) {
    uint64_t bytes = m_module->getDataLayout().getTypeAllocSize(variable->getValueType());
    m_builder.CreateMemSet(variable, m_builder.getInt8(0), bytes, Align(4));
  }
  m_builder.CreateBr(join);
  m_builder.SetInsertPoint(join);
  SyncScope::ID scope = m_context.getOrInsertSyncScopeID("workgroup");
  m_builder.CreateFence(AtomicOrdering::Release, scope);
  m_builder.createBarrier();
  m_builder.CreateFence(AtomicOrdering::Acquire, scope);
  m_builder.CreateBr(first);
  return Error::success();
}

Expected<std::unique_ptr<llvm::Module>> Translator::run() {
  const spirv::EntryPoint *entry =
      m_spirv.findEntryPoint(m_shader.entryPoint, spv::ExecutionModel::GLCompute);
  if (!entry)
    return invalidInput("no compute entry point is called '" + Twine(m_shader.entryPoint) + "'");
  if (Error error = checkModule(*entry))
    return std::move(error);
  if (Error error = translateGlobals())
    return std::move(error);
  Expected<ComputeMode> mode = computeMode(*entry);
  if (!mode)
    return mode.takeError();
  const spirv::Function *source = m_spirv.findFunction(entry->function);
  if (!source || !source->parameters.empty())
    return invalidInput("entry point %" + Twine(entry->function) +
                        " is no function without parameters");
  auto functions = callersFirst(m_spirv, *source);
  if (!functions)
    return functions.takeError();
  for (const spirv::Function *function : *functions) {
    if (Error error = FunctionTranslator(*this, *function).run())
      return std::move(error);
    if (function != source)
      m_functions[function->id]->addFnAttr(Attribute::AlwaysInline);
    else if (Error error = initializeWorkgroupMemory())
      return std::move(error);
  }
  Function *main = m_functions[source->id];
  main->setLinkage(GlobalValue::ExternalLinkage);
  main->setName(entry->name);
  setComputeEntryPoint(*main, *mode);
  m_builder.ClearInsertionPoint();
  return std::move(m_module);
}

Expected<std::unique_ptr<llvm::Module>> assay::translateShader(const ShaderDescription &shader,
                                                               const spirv::Module &module,
                                                               LLVMContext &context,
                                                               Builder &builder) {
  return Translator(shader, module, context, builder).run();
}
