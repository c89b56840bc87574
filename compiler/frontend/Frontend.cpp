// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The front-end's driver: what of a module is looked at, in which order.

#include "compiler/frontend/Frontend.h"
#include "compiler/frontend/FunctionTranslator.h"
#include "compiler/frontend/Translator.h"
#include "compiler/spirv/Capabilities.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using Inst = spirv::Instruction;
using spirv::Id;

Translator::Translator(const ShaderDescription &shader, const spirv::Module &spirv,
                       LLVMContext &context, Builder &builder, const FrontendState &state)
    : m_shader(shader), m_spirv(spirv), m_context(context), m_builder(builder), m_state(state),
      m_module(std::make_unique<llvm::Module>("shader", context)) {
  initializeModule(*m_module, m_state.getArchitecture());
}

/// Execution modes that need nothing here, or that other code reads. All others are Unsupported.
static constexpr spv::ExecutionMode KeptModes[] = {
    spv::ExecutionMode::LocalSize,
    spv::ExecutionMode::LocalSizeId,
    spv::ExecutionMode::SubgroupUniformControlFlowKHR,
    // LLVM's default: no flag is set that would break it.
    spv::ExecutionMode::SignedZeroInfNanPreserve,
    // Of fragment shaders.
    spv::ExecutionMode::OriginUpperLeft,
    spv::ExecutionMode::EarlyFragmentTests,
    spv::ExecutionMode::DepthReplacing,
    spv::ExecutionMode::DepthGreater,
    spv::ExecutionMode::DepthLess,
    spv::ExecutionMode::DepthUnchanged,
    spv::ExecutionMode::PostDepthCoverage,
    // That a stencil reference is written shows in the outputs.
    spv::ExecutionMode::StencilRefReplacingEXT,
};

namespace {
/// The float controls of one width. The rounding mode is empty where the module leaves it open.
struct WidthControls {
  Denormals denormals = Denormals::Any;
  std::optional<bool> towardZero;
};

/// The float controls of an entry point.
class FloatControls {
public:
  explicit FloatControls(Id entryPoint) : m_entryPoint(entryPoint) {}

  /// False when \p mode is none.
  bool add(const spirv::ExecutionMode &mode);
  Expected<FloatMode> combine() const;

private:
  Id m_entryPoint;
  WidthControls m_16, m_32, m_64;
};
} // namespace

/// Adds \p mode and returns true if it is one of the float controls, which have one operand: the
/// width in bits.
bool FloatControls::add(const spirv::ExecutionMode &mode) {
  if (mode.operands.size() != 1)
    return false;
  uint32_t width = mode.operands[0];
  WidthControls &controls = width == 16 ? m_16 : width == 32 ? m_32 : m_64;
  switch (mode.mode) {
  case spv::ExecutionMode::DenormPreserve:
    controls.denormals = Denormals::Preserve;
    return true;
  case spv::ExecutionMode::DenormFlushToZero:
    controls.denormals = Denormals::Flush;
    return true;
  case spv::ExecutionMode::RoundingModeRTE:
    controls.towardZero = false;
    return true;
  case spv::ExecutionMode::RoundingModeRTZ:
    controls.towardZero = true;
    return true;
  default:
    return false;
  }
}

/// Returns the float mode of the entry point. The hardware has one mode for 16 and 64 bits, so
/// different modes for these widths are Unsupported.
Expected<FloatMode> FloatControls::combine() const {
  bool bothDenormals = m_16.denormals != Denormals::Any && m_64.denormals != Denormals::Any;
  if (bothDenormals && m_16.denormals != m_64.denormals)
    return unsupported("OpExecutionMode %" + Twine(m_entryPoint) +
                       ": denormals of 16 and of 64 bits treated differently");
  if (m_16.towardZero && m_64.towardZero && m_16.towardZero != m_64.towardZero)
    return unsupported("OpExecutionMode %" + Twine(m_entryPoint) +
                       ": floats of 16 and of 64 bits rounded differently");
  FloatMode mode;
  mode.single = {m_32.denormals, m_32.towardZero.value_or(false)};
  mode.others = {m_16.denormals != Denormals::Any ? m_16.denormals : m_64.denormals,
                 m_16.towardZero ? *m_16.towardZero : m_64.towardZero.value_or(false)};
  return mode;
}

/// Checks capabilities, addressing model and the execution modes of \p entry, and sets the float
/// mode of the module and the Builder. Unsupported for anything that is not in a table.
Error Translator::checkModule(const spirv::EntryPoint &entry) {
  if (Error error = checkCapabilities(m_spirv, spirv::CapabilityUser::Compiler, m_shader.stage))
    return error;
  if (m_spirv.addressingModel != spv::AddressingModel::Logical &&
      m_spirv.addressingModel != spv::AddressingModel::PhysicalStorageBuffer64)
    return unsupported("addressing model " + Twine(unsigned(m_spirv.addressingModel)));
  FloatControls controls(entry.function);
  for (const spirv::ExecutionMode &mode : m_spirv.executionModes) {
    if (mode.entryPoint != entry.function)
      continue;
    if (!controls.add(mode) && !is_contained(KeptModes, mode.mode))
      return unsupported("OpExecutionMode %" + Twine(entry.function) + ": execution mode " +
                         spirv::executionModeName(mode.mode));
  }
  // A specialization of an id that no constant has does nothing, as in Vulkan.
  Expected<FloatMode> floatMode = controls.combine();
  if (!floatMode)
    return floatMode.takeError();
  m_floatMode = *floatMode;
  m_builder.setFloatMode(m_floatMode);
  return Error::success();
}

/// Returns the workgroup size. The constant decorated WorkgroupSize takes precedence over
/// LocalSizeId, and that over LocalSize. InvalidInput for a size of 0.
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

/// InvalidInput when a function that \p entry reaches calls itself, perhaps through others.
static Error checkRecursion(const spirv::Module &module, const spirv::Function &entry) {
  /// A function on the path from the entry point, and the callees that remain to be visited.
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
  DenseMap<Id, bool> isDone; // Absent: not seen; false: on the stack.
  std::vector<Frame> stack;
  stack.push_back({&entry, calleesOf(entry)});
  isDone[entry.id] = false;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.callees.empty()) {
      isDone[frame.function->id] = true;
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
  return Error::success();
}

/// Translates the entry point, then the instances that calls need, until there are no more. All but
/// the entry point are marked to be inlined. InvalidInput for recursion.
Error Translator::translateFunctions(const spirv::Function &entry, const ComputeMode &mode) {
  if (Error error = checkRecursion(m_spirv, entry))
    return error;
  if (Expected<Function *> main = instance(entry.id, {}); !main)
    return main.takeError();
  for (size_t i = 0; i < m_instances.size(); ++i) {
    const FunctionInstance &instance = *m_instances[i];
    if (Error error = FunctionTranslator(*this, instance).run())
      return error;
    if (i != 0)
      instance.function->addFnAttr(Attribute::AlwaysInline);
    else if (Error error = isGraphicsStage(m_shader.stage) ? addInterface(*instance.function)
                                                           : initializeWorkgroupMemory(mode))
      return error;
  }
  m_builder.SetInsertPoint(m_instances.front()->function->getEntryBlock().getTerminator());
  fillWeightPlanes();
  return Error::success();
}

/// Attaches the metadata that marks \p main as entry point: the workgroup size, or the mode of its
/// graphics stage.
Error Translator::markEntryPoint(Function &main, const ComputeMode &mode) {
  if (!isGraphicsStage(m_shader.stage)) {
    setComputeEntryPoint(main, mode);
    return Error::success();
  }
  Expected<StageMode> stage = stageMode();
  if (stage)
    setStageEntryPoint(main, *stage);
  return stage.takeError();
}

/// Plants Fault::NameOfRun (the module's name differs in each run of the process) and
/// Fault::BlockWithoutEnd (the last block loses its terminator).
static void plantInModule(llvm::Module &module, Function &main) {
  if (faultPlanted(Fault::NameOfRun)) {
    static unsigned run = 0;
    module.setModuleIdentifier("shader" + std::to_string(++run));
  }
  if (faultPlanted(Fault::BlockWithoutEnd))
    main.back().getTerminator()->eraseFromParent();
}

/// With Fault::FrontEndRefusesThird planted, returns true for every third module of the process.
static bool isRefusedThird() {
  static unsigned run = 0;
  return faultPlanted(Fault::FrontEndRefusesThird) && ++run % 3 == 0;
}

/// Translates globals first, then the entry point and what it calls. Only Compute, Vertex and
/// Fragment are supported.
Expected<std::unique_ptr<llvm::Module>> Translator::run() {
  StringRef stageName = getStageName(m_shader.stage);
  if (m_shader.stage != ShaderStage::Compute && m_shader.stage != ShaderStage::Vertex &&
      m_shader.stage != ShaderStage::Fragment)
    return unsupported(stageName + " shaders");
  const spirv::EntryPoint *entry = m_spirv.findEntryPoint(
      m_shader.entryPoint,
      static_cast<spv::ExecutionModel>(getStageInfo(m_shader.stage).executionModel));
  m_entry = entry;
  if (!entry && faultPlanted(Fault::FrontEndBlamesMachine))
    return environmentError("no entry point");
  if (!entry)
    return invalidInput("no " + stageName + " entry point is called '" + m_shader.entryPoint + "'");
  if (Error error = checkModule(*entry))
    return std::move(error);
  if (isRefusedThird())
    return unsupported("a third module");
  surveyMemory();
  if (Error error = translateGlobals())
    return std::move(error);
  if (Error error = createSharedBlocks())
    return std::move(error);
  Expected<ComputeMode> mode = computeMode(*entry);
  if (!mode)
    return mode.takeError();
  const spirv::Function *source = m_spirv.findFunction(entry->function);
  if (!source || !source->parameters.empty())
    return invalidInput("entry point %" + Twine(entry->function) +
                        " is no function without parameters");
  if (Error error = translateFunctions(*source, *mode))
    return std::move(error);
  Function *main = m_instances.front()->function;
  main->setLinkage(GlobalValue::ExternalLinkage);
  main->setName(entry->name);
  if (Error error = markEntryPoint(*main, *mode))
    return std::move(error);
  m_builder.ClearInsertionPoint();
  plantInModule(*m_module, *main);
  return std::move(m_module);
}

Expected<std::unique_ptr<llvm::Module>>
assay::translateShader(const ShaderDescription &shader, const spirv::Module &module,
                       LLVMContext &context, Builder &builder, const FrontendState &state) {
  return Translator(shader, module, context, builder, state).run();
}
