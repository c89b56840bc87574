// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/MutateStageEntryPoint.h"

#include "compiler/amdgpu/passes/EntryPoints.h"
#include "compiler/amdgpu/passes/Glue.h"
#include "compiler/amdgpu/passes/UserDataReads.h"
#include "compiler/amdgpu/passes/UserDataValues.h"
#include "compiler/amdgpu/passes/graphics/StageMetadata.h"
#include "compiler/amdgpu/passes/graphics/StageSignature.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;
using pal::HardwareStage;

namespace {
/// What remains of the ops of a stage when all other passes have run.
struct StageOps {
  SmallVector<StageInputOp *, 16> inputs;
  /// What the function returns in VGPRs: colors of an unlinked fragment shader, attributes of glue.
  SmallVector<WriteOutputOp *, 16> results;
};

/// The entry point between its two signatures.
class Mutation {
public:
  Mutation(Function &old, TrackedState &state, StageUse use, const UserDataReads &reads,
           const StageOps &ops)
      : m_old(old), m_state(state), m_use(std::move(use)), m_reads(reads), m_inputs(ops.inputs),
        m_results(ops.results), m_isGlue(isGlue(old)), m_userData(layOutUserData()),
        m_signature(makeSignature()), m_floatMode(chooseFloatMode(getFloatMode(old))),
        m_builder(old.getContext()) {}

  Error run(const StageFacts &facts);

private:
  /// Chips with that bug initialize wave32 pixel waves correctly with at least 16 user SGPRs.
  unsigned getMinimumUserSgprs();
  UserDataLayout layOutUserData();
  StageSignature makeSignature();
  Type *getReturnType();
  /// Replaces each return by one of all results; the ops are erased later.
  void returnResults();
  /// Whether the function returns its arguments, too: glue of a vertex part, whose code follows it.
  bool passesArguments() const { return m_isGlue && m_use.mode.stage == ShaderStage::Vertex; }
  /// Numbers for pal::GraphicsMetadata::glue: attributes that a vertex part reads, or four numbers
  /// for each color of a fragment part.
  std::vector<uint32_t> describeGlue() const;
  /// Moves the body into a function with the signature of the hardware stage.
  void createFunction();
  void nameArguments();
  void setAttributes();
  /// Returns the argument that holds the input, or null where the stage has none.
  Value *getInput(const StageInputOp &op);
  /// Describes the hardware stage: user data, float mode, limits, LDS in bytes, and whether it
  /// writes memory.
  pal::GraphicsStage makeStage(const StageFacts &facts);

  void replace(Instruction &old, Value *value) {
    old.replaceAllUsesWith(value);
    m_dead.push_back(&old);
  }

  Function &m_old;
  TrackedState &m_state;
  const StageUse m_use;
  const UserDataReads &m_reads;
  const ArrayRef<StageInputOp *> m_inputs;
  const ArrayRef<WriteOutputOp *> m_results;
  /// Glue has the registers of its part, and no user data entries.
  const bool m_isGlue;
  const UserDataLayout m_userData;
  const StageSignature m_signature;
  const FloatMode m_floatMode;
  IRBuilder<> m_builder;
  Function *m_new = nullptr;
  SmallVector<Instruction *, 16> m_dead; ///< The place where new code is put may be one of them.
};
} // namespace

/// Returns 0 for other stages, targets and wave64.
unsigned Mutation::getMinimumUserSgprs() {
  constexpr unsigned Initialized = 16; // LLVM's feature UserSGPRInit16Bug.
  bool needsAll = m_use.hardware == HardwareStage::Ps && m_state.getTarget().userSgprInitBug &&
                  m_state.getWaveSize() == 32;
  return needsAll ? Initialized : 0;
}

/// Glue finds user data where its part has them.
UserDataLayout Mutation::layOutUserData() {
  if (!m_isGlue)
    return makeUserDataLayout(m_reads.use, getMinimumUserSgprs());
  UserDataLayout layout;
  append_range(layout.registers, getGlueUserData(m_old));
  return layout;
}

/// The glue of a vertex part runs before it, with its registers; one more than the hardware sets on
/// older chips may be the offset of scratch memory, which LLVM puts next to user data. That of a
/// fragment part finds colors in the first VGPRs.
StageSignature Mutation::makeSignature() {
  StageSignature signature =
      makeStageSignature(m_use.hardware, m_state.getTarget(), m_userData.registers.size());
  bool isFragment = m_use.hardware == HardwareStage::Ps;
  if (m_isGlue && isFragment)
    signature.arguments.clear();
  if (m_isGlue && m_use.hardware == HardwareStage::Vs)
    signature.arguments.insert(signature.arguments.begin() + signature.firstUserData +
                                   m_userData.registers.size(),
                               StageArgument{std::nullopt, 1, /*isSgpr=*/true, "scratchOffset"});
  for (StageInput input : m_use.inputs)
    if (isVertexAttribute(input) || input >= StageInput::ColorValue)
      signature.arguments.push_back({input, 1, /*isSgpr=*/false, "value"});
  return signature;
}

/// LLVM returns integers in SGPRs and floats in VGPRs, both from the first one on, where the
/// arguments of the code that follows are.
Type *Mutation::getReturnType() {
  SmallVector<Type *, 48> types;
  if (passesArguments())
    for (const StageArgument &argument : m_signature.arguments)
      types.push_back(argument.isSgpr ? m_builder.getInt32Ty() : m_builder.getFloatTy());
  types.append(m_results.size(), m_builder.getFloatTy());
  if (types.empty())
    return m_builder.getVoidTy();
  return StructType::get(m_builder.getContext(), types);
}

/// Arguments precede results, in the order of getReturnType().
void Mutation::returnResults() {
  auto *type = dyn_cast<StructType>(m_new->getReturnType());
  if (!type)
    return;
  SmallVector<Value *, 48> values;
  if (passesArguments())
    for (Argument &argument : m_new->args())
      values.push_back(&argument);
  for (WriteOutputOp *op : m_results)
    values.push_back(op->getValue());
  for (BasicBlock &block : *m_new) {
    auto *end = dyn_cast<ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    IRBuilder<> builder(end);
    Value *result = PoisonValue::get(type);
    for (auto [i, value] : enumerate(values))
      result = builder.CreateInsertValue(
          result, builder.CreateBitCast(value, type->getElementType(static_cast<unsigned>(i))),
          static_cast<unsigned>(i));
    builder.CreateRet(result);
    end->eraseFromParent();
  }
  m_dead.append(m_results.begin(), m_results.end());
}

std::vector<uint32_t> Mutation::describeGlue() const {
  std::vector<uint32_t> numbers;
  if (m_isGlue)
    return numbers;
  for (StageInput input : m_use.inputs)
    if (isVertexAttribute(input))
      numbers.push_back(static_cast<uint32_t>(input) -
                        static_cast<uint32_t>(StageInput::VertexAttribute));
  for (const WriteOutputOp *op : m_results)
    for (uint64_t number : {op->getLocation(), op->getComponent(), op->getIndex(), op->getFormat()})
      numbers.push_back(static_cast<uint32_t>(number));
  return numbers;
}

/// Returns LLVM's convention for \p stage, by which it decides on registers and metadata.
static CallingConv::ID getCallingConvention(HardwareStage stage) {
  switch (stage) {
  case HardwareStage::Vs:
    return CallingConv::AMDGPU_VS;
  case HardwareStage::Gs:
    return CallingConv::AMDGPU_GS;
  case HardwareStage::Ps:
    return CallingConv::AMDGPU_PS;
  }
  llvm_unreachable("all stages have been named");
}

/// All arguments in SGPRs are inreg. The hash chain moves to the new function; the old one is
/// erased.
void Mutation::createFunction() {
  Type *i32 = m_builder.getInt32Ty();
  SmallVector<Type *, 48> types;
  for (const StageArgument &argument : m_signature.arguments)
    types.push_back(argument.dwords == 1 ? i32 : FixedVectorType::get(i32, argument.dwords));
  auto *type = FunctionType::get(getReturnType(), types, false);
  m_old.setName("");
  m_new = Function::Create(type, Function::ExternalLinkage, pal::getEntryPointName(m_use.hardware),
                           *m_old.getParent());
  moveHashChain(m_old, *m_new);
  m_new->splice(m_new->begin(), &m_old);
  m_new->setCallingConv(getCallingConvention(m_use.hardware));
  for (auto [i, argument] : enumerate(m_signature.arguments))
    if (argument.isSgpr)
      m_new->addParamAttr(static_cast<unsigned>(i), Attribute::InReg);
  nameArguments();
  m_old.eraseFromParent();
}

void Mutation::nameArguments() {
  for (auto [i, argument] : enumerate(m_signature.arguments))
    if (!argument.name.empty())
      m_new->getArg(static_cast<unsigned>(i))->setName(argument.name);
  if (m_isGlue) // It reads no entries; that of a fragment part has no user data.
    return;
  for (auto [i, mapping] : enumerate(m_userData.registers))
    if (mapping < m_state.getUserDataEntries())
      m_new->getArg(m_signature.firstUserData + static_cast<unsigned>(i))
          ->setName("userData" + Twine(mapping));
}

/// An input of fragments that the hardware needs to start a wave, where the code has none (LLVM
/// would take that of samples, with which it would run for each sample).
static constexpr StringLiteral centerAlone = "2";

/// A fragment shader without any weights, or with PositionW and no perspective input, asks for the
/// center.
void Mutation::setAttributes() {
  m_new->addFnAttr(Attribute::NoUnwind);
  setTargetAttributes(*m_new, m_floatMode, m_state);
  // Threads of a workgroup wait for each other; LLVM takes it for one wave otherwise.
  if (m_use.hardware == HardwareStage::Gs && m_use.inputs.count(StageInput::PrimitiveId))
    m_new->addFnAttr("amdgpu-flat-work-group-size", "1,256");
  auto isPerspective = [](StageInput input) {
    return input >= StageInput::PerspectiveSample && input <= StageInput::PerspectivePullModel;
  };
  auto isWeights = [](StageInput input) {
    return input >= StageInput::PerspectiveSample && input <= StageInput::LinearCentroid;
  };
  bool hasWeights = any_of(m_use.inputs, isWeights);
  bool lacksPerspective =
      m_use.inputs.count(StageInput::PositionW) && none_of(m_use.inputs, isPerspective);
  if (m_isGlue && m_use.hardware == HardwareStage::Ps)
    m_new->addFnAttr("InitialPSInputAddr", "65535"); // All arguments have their VGPRs.
  else if (m_use.hardware == HardwareStage::Ps && (!hasWeights || lacksPerspective))
    m_new->addFnAttr("InitialPSInputAddr", centerAlone);
}

/// Draw values are user data entries; all other inputs are arguments of the signature.
Value *Mutation::getInput(const StageInputOp &op) {
  auto input = static_cast<StageInput>(op.getInput());
  if (std::optional<uint32_t> mapping = findMapping(input))
    return m_new->getArg(m_signature.firstUserData + *m_userData.findEntry(*mapping));
  for (auto [i, argument] : enumerate(m_signature.arguments))
    if (argument.input == input)
      return m_new->getArg(static_cast<unsigned>(i));
  return nullptr;
}

/// The LDS size is the sum of the sizes of the module's globals in LDS, without padding between
/// them.
pal::GraphicsStage Mutation::makeStage(const StageFacts &facts) {
  pal::GraphicsStage stage;
  stage.stage = m_use.hardware;
  stage.wavefrontSize = m_state.getWaveSize();
  stage.userSgprs = m_userData.registers.size();
  copy(m_userData.registers, stage.userDataRegMap.begin());
  if (std::optional<unsigned> base = m_userData.findEntry(pal::BaseVertex);
      base && faultPlanted(Fault::DrawValueOrder))
    std::swap(stage.userDataRegMap[*base], stage.userDataRegMap[*base + 1]);
  stage.floatMode = encodeDenormals(m_floatMode);
  stage.sgprLimit = getSgprLimit(m_state.getTarget());
  stage.vgprLimit = 256;
  for (const GlobalVariable &global : m_new->getParent()->globals())
    if (global.getAddressSpace() == LocalAddressSpace)
      stage.ldsSize +=
          static_cast<uint32_t>(m_new->getDataLayout().getTypeAllocSize(global.getValueType()));
  stage.usesUavs = stage.writesUavs = m_use.writesMemory;
  stage.writesDepth = facts.psWritesDepth;
  return stage;
}

/// InvalidInput where an op reads an input of another stage, or the metadata are inconsistent.
Error Mutation::run(const StageFacts &facts) {
  createFunction();
  setAttributes();
  Module &module = *m_new->getParent();
  m_builder.SetInsertPoint(&m_new->getEntryBlock(), m_new->getEntryBlock().begin());
  setRounding(m_builder, m_floatMode);
  UserDataValues values(*m_new, m_builder, m_userData, m_signature.firstUserData);
  values.replacePushConstants(m_reads, m_dead);
  for (DescriptorTableOp *op : m_reads.tables)
    replace(*op, values.makePointer(values.getEntry(
                     *m_state.findTableEntry(static_cast<uint32_t>(op->getSet())))));
  for (StageInputOp *op : m_inputs) {
    Value *value = getInput(*op);
    if (!value || value->getType() != op->getType())
      return invalidInput("input " + Twine(op->getInput()) + " of another stage or type");
    replace(*op, value);
  }
  std::vector<uint32_t> glue = describeGlue();
  returnResults();
  for (Instruction *instruction : m_dead)
    instruction->eraseFromParent();
  pal::GraphicsMetadata metadata = makeStageMetadata(facts, m_use, m_state);
  metadata.spillThreshold = m_userData.spillThreshold;
  metadata.stages.push_back(makeStage(facts));
  metadata.glue = std::move(glue);
  if (Error error = pal::verifyGraphicsMetadata(metadata, m_state.getTarget()))
    return error;
  pal::setModuleMetadata(module, metadata, m_state.getTarget());
  return Error::success();
}

/// Whether \p instruction writes what other invocations or the host can read.
static bool writesMemory(const Instruction &instruction) {
  auto isShared = [](const Value *pointer) {
    unsigned space = pointer->getType()->getPointerAddressSpace();
    return space != PrivateAddressSpace && space != LocalAddressSpace;
  };
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return isShared(store->getPointerOperand());
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return isShared(atomic->getPointerOperand());
  if (const auto *atomic = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isShared(atomic->getPointerOperand());
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || !call->mayWriteToMemory())
    return false;
  StringRef name = call->getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.image.") || name.contains(".buffer.") ||
         (isa<MemIntrinsic>(call) && isShared(cast<MemIntrinsic>(call)->getDest()));
}

/// The user data of draws that \p inputs read. PAL wants BaseInstance next to BaseVertex.
static SmallVector<uint32_t, 4> listValues(const std::set<StageInput> &inputs) {
  std::set<uint32_t> mappings;
  for (StageInput input : inputs)
    if (std::optional<uint32_t> mapping = findMapping(input))
      mappings.insert(*mapping);
  if (mappings.count(pal::BaseVertex) || mappings.count(pal::BaseInstance))
    mappings.insert({pal::BaseVertex, pal::BaseInstance});
  mappings.erase(pal::GlobalTable); // Is always there.
  return {mappings.begin(), mappings.end()};
}

/// Results are in the block that returns, all others gone.
static Error collectOps(Function &entry, StageOps &ops) {
  for (Instruction &instruction : instructions(entry)) {
    if (auto *op = dyn_cast<WriteOutputOp>(&instruction)) {
      if (!isa<ReturnInst>(op->getParent()->getTerminator()) ||
          (!ops.results.empty() && ops.results.front()->getParent() != op->getParent()))
        return invalidInput("a result that is not written where the shader returns");
      ops.results.push_back(op);
    }
    auto *op = dyn_cast<StageInputOp>(&instruction);
    if (op && !isStageInput(op->getInput()))
      return invalidInput("input " + Twine(op->getInput()) + " does not exist");
    if (op)
      ops.inputs.push_back(op);
  }
  return Error::success();
}

/// InvalidInput where the entry point is called or is not void(); Unsupported for built-ins of
/// compute shaders.
static Error mutate(Module &module, Function &entry, const StageMode &mode) {
  if (!entry.use_empty() || !entry.arg_empty() || !entry.getReturnType()->isVoidTy())
    return invalidInput("the entry point must be void(), and nothing may call it");
  Expected<TrackedState> state = TrackedState::open(module, "mutate-stage-entry-point");
  if (!state)
    return state.takeError();
  Expected<UserDataReads> reads = collectUserDataReads(entry, *state);
  if (!reads)
    return reads.takeError();
  if (!reads->builtIns.empty())
    return unsupported("built-ins of compute shaders in a " + getStageName(mode.stage) + " shader");
  Expected<StageFacts> facts = readStageFacts(module);
  if (!facts)
    return facts.takeError();
  StageUse use;
  use.mode = mode;
  use.hardware = getHardwareStage(mode.stage, *state);
  use.writesMemory = any_of(instructions(entry), writesMemory);
  StageOps ops;
  if (Error error = collectOps(entry, ops))
    return error;
  for (const StageInputOp *op : ops.inputs)
    use.inputs.insert(static_cast<StageInput>(op->getInput()));
  if (any_of(use.inputs, isVertexAttribute)) // What glue may read.
    use.inputs.insert({StageInput::VertexBufferTable, StageInput::BaseVertex,
                       StageInput::BaseInstance, StageInput::VertexId, StageInput::InstanceId});
  reads->use.values = listValues(use.inputs);
  reads->use.mostSgprs = pal::maxGraphicsUserSgprs;
  return Mutation(entry, *state, std::move(use), *reads, ops).run(*facts);
}

PreservedAnalyses amdgpu::MutateStageEntryPoint::run(Module &module, ModuleAnalysisManager &) {
  Function *entry = findEntryPoint(module);
  if (!entry)
    return PreservedAnalyses::all();
  Expected<StageMode> mode = getStageMode(*entry);
  if (!mode) {
    consumeError(mode.takeError()); // A compute shader: MutateEntryPoint's.
    return PreservedAnalyses::all();
  }
  if (Error error = mutate(module, *entry, *mode))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
