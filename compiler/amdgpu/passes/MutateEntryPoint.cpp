// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/MutateEntryPoint.h"

#include "compiler/amdgpu/passes/EntryPoints.h"
#include "compiler/amdgpu/passes/UserDataReads.h"
#include "compiler/amdgpu/passes/UserDataValues.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/HashChain.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// The entry point between its two signatures.
class Mutation {
public:
  Mutation(Function &old, TrackedState &state, const ComputeMode &mode, const UserDataReads &reads)
      : m_old(old), m_state(state), m_mode(mode), m_reads(reads),
        m_userData(makeUserDataLayout(reads.use, getMinimumUserSgprs(state))),
        m_floatMode(chooseFloatMode(getFloatMode(old))),
        m_readsWorkgroupId(readsWorkgroupId(reads)), m_builder(old.getContext()) {}

  void run() {
    createFunction();
    setAttributes();
    m_builder.SetInsertPoint(&m_new->getEntryBlock(), m_new->getEntryBlock().begin());
    setRounding(m_builder, m_floatMode);
    UserDataValues values(*m_new, m_builder, m_userData);
    values.replacePushConstants(m_reads, m_dead);
    for (DescriptorTableOp *op : m_reads.tables)
      replace(*op, values.makePointer(values.getEntry(findTableEntry(*op))));
    for (ReadBuiltInOp *op : m_reads.builtIns)
      replace(*op, getBuiltIn(static_cast<BuiltIn>(op->getBuiltIn())));
    for (Instruction *instruction : m_dead)
      instruction->eraseFromParent();
    pal::setModuleMetadata(*m_new->getParent(), makeMetadata());
  }

private:
  /// Targets with that bug initialize wave32 correctly only if all user SGPRs are requested.
  static unsigned getMinimumUserSgprs(TrackedState &state) {
    bool needsAll = state.getTarget().userSgprInitBug && state.getWaveSize() == 32;
    return needsAll ? pal::maxComputeUserSgprs : 0;
  }
  /// The hardware provides the workgroup id only if it is enabled.
  static bool readsWorkgroupId(const UserDataReads &reads) {
    return any_of(reads.builtIns, [](const ReadBuiltInOp *op) {
      return op->getBuiltIn() == static_cast<uint64_t>(BuiltIn::WorkgroupId);
    });
  }
  /// Returns 1 to 3: components after the last dimension above 1 are always 0.
  unsigned getLocalIdComponents() const {
    return m_mode.workgroupSize[2] > 1 ? 3 : m_mode.workgroupSize[1] > 1 ? 2 : 1;
  }
  uint32_t findTableEntry(const DescriptorTableOp &op) {
    return *m_state.findTableEntry(static_cast<uint32_t>(op.getSet()));
  }

  /// Moves the body into a function with the final signature: user data, workgroup id (all in
  /// SGPRs), then local ids in VGPRs.
  void createFunction();
  void limitLocalIds();
  /// Names are for readers of the IR only.
  void nameArguments();
  void setAttributes();
  /// Returns one of the three built-ins that hardware and driver provide; each is made once.
  Value *getBuiltIn(BuiltIn builtIn);
  /// <3 x i32> from the argument, or from trap registers where the target has it there.
  Value *makeWorkgroupId();
  /// <3 x i32>. Packed ids have ten bits a component.
  Value *makeLocalInvocationId();
  /// <3 x i32>, loaded from the address in two SGPRs.
  Value *makeNumWorkgroups();
  /// Describes the entry point to PAL; several faults are planted here.
  pal::Metadata makeMetadata();

  /// Ops go at the end: the place where new code is put may be one of them.
  void replace(Instruction &old, Value *value) {
    old.replaceAllUsesWith(value);
    m_dead.push_back(&old);
  }

  Function &m_old;
  TrackedState &m_state;
  const ComputeMode m_mode;
  const UserDataReads &m_reads;
  const UserDataLayout m_userData;
  const FloatMode m_floatMode;
  const bool m_readsWorkgroupId;
  IRBuilder<> m_builder;
  Function *m_new = nullptr;
  /// Index of the argument; equal to m_localIdArgument where there is none.
  unsigned m_workgroupIdArgument = 0;
  unsigned m_localIdArgument = 0;
  /// By BuiltIn, null until the first use.
  std::array<Value *, 3> m_builtIns = {};
  SmallVector<Instruction *, 16> m_dead;
};
} // namespace

/// All arguments in SGPRs are inreg. The hash chain moves to the new function; the old one is
/// erased.
void Mutation::createFunction() {
  Type *i32 = m_builder.getInt32Ty();
  SmallVector<Type *, 24> types(m_userData.registers.size(), i32);
  m_workgroupIdArgument = types.size();
  if (m_readsWorkgroupId && !m_state.getTarget().workgroupIdInTtmp)
    types.push_back(FixedVectorType::get(i32, 3));
  m_localIdArgument = types.size();
  types.append(m_state.getTarget().packedLocalId ? 1 : getLocalIdComponents(), i32);

  auto *type = FunctionType::get(m_builder.getVoidTy(), types, false);
  m_old.setName("");
  m_new =
      Function::Create(type, Function::ExternalLinkage, pal::computeEntryPoint, *m_old.getParent());
  moveHashChain(m_old, *m_new);
  m_new->splice(m_new->begin(), &m_old);
  m_new->setCallingConv(CallingConv::AMDGPU_CS);
  for (unsigned i = 0; i < m_localIdArgument; ++i)
    m_new->addParamAttr(i, Attribute::InReg);
  limitLocalIds();
  nameArguments();
  m_old.eraseFromParent();
}

/// Says how far local ids go. In a packed one the fields of components that are always 0 are 0
/// (LLVM's SIISelLowering.cpp, allocateSpecialEntryInputVGPRs, masks the first only if there is
/// a second).
void Mutation::limitLocalIds() {
  auto setLimit = [&](unsigned index, uint64_t limit) {
    ConstantRange range(APInt(32, 0), APInt(32, limit));
    m_new->addParamAttr(m_localIdArgument + index,
                        Attribute::get(m_new->getContext(), Attribute::Range, range));
  };
  uint64_t last = 0;
  for (unsigned i = 0; i < getLocalIdComponents(); ++i) {
    last |= uint64_t(m_mode.workgroupSize[i] - 1) << (10 * i);
    if (!m_state.getTarget().packedLocalId)
      setLimit(i, m_mode.workgroupSize[i]);
  }
  if (m_state.getTarget().packedLocalId)
    setLimit(0, last + 1);
}

/// The first register always has the global table.
void Mutation::nameArguments() {
  for (auto [index, mapping] : enumerate(m_userData.registers)) {
    if (mapping < m_state.getUserDataEntries())
      m_new->getArg(index)->setName("userData" + Twine(mapping));
  }
  m_new->getArg(0)->setName("globalTable");
  if (m_userData.spillTable != UserDataLayout::none)
    m_new->getArg(m_userData.spillTable)->setName("spillTable");
  if (m_workgroupIdArgument != m_localIdArgument)
    m_new->getArg(m_workgroupIdArgument)->setName("workgroupId");
  m_new->getArg(m_localIdArgument)->setName("localId");
}

/// The workgroup size is exact: the minimum equals the maximum.
void Mutation::setAttributes() {
  m_new->addFnAttr(Attribute::NoUnwind);
  std::string size = std::to_string(m_mode.getInvocations());
  m_new->addFnAttr("amdgpu-flat-work-group-size", size + "," + size);
  setTargetAttributes(*m_new, m_floatMode, m_state);
}

Value *Mutation::getBuiltIn(BuiltIn builtIn) {
  Value *&value = m_builtIns[static_cast<unsigned>(builtIn)];
  if (value)
    return value;
  if (builtIn == BuiltIn::WorkgroupId)
    value = makeWorkgroupId();
  else if (builtIn == BuiltIn::LocalInvocationId)
    value = makeLocalInvocationId();
  else
    value = makeNumWorkgroups();
  return value;
}

/// All three components are made, whether they are read or not.
Value *Mutation::makeWorkgroupId() {
  if (!m_state.getTarget().workgroupIdInTtmp)
    return m_new->getArg(m_workgroupIdArgument);
  Type *i32 = m_builder.getInt32Ty();
  Value *result = PoisonValue::get(FixedVectorType::get(i32, 3));
  unsigned index = 0;
  for (Intrinsic::ID id : {Intrinsic::amdgcn_workgroup_id_x, Intrinsic::amdgcn_workgroup_id_y,
                           Intrinsic::amdgcn_workgroup_id_z})
    result = m_builder.CreateInsertElement(result, m_builder.CreateIntrinsic(i32, id, {}), index++);
  return result;
}

/// The component of a dimension of size 1 is the constant 0.
Value *Mutation::makeLocalInvocationId() {
  Value *result = PoisonValue::get(FixedVectorType::get(m_builder.getInt32Ty(), 3));
  for (unsigned i = 0; i < 3; ++i) {
    Value *component = m_builder.getInt32(0);
    bool varies = m_mode.workgroupSize[i] > 1;
    unsigned source = i == 1 && varies && faultPlanted(Fault::LocalIdComponent) ? 0 : i;
    if (varies && m_state.getTarget().packedLocalId) {
      Value *packed = m_new->getArg(m_localIdArgument);
      component = m_builder.CreateAnd(m_builder.CreateLShr(packed, uint64_t(source) * 10), 0x3FF);
    } else if (varies) {
      component = m_new->getArg(m_localIdArgument + source);
    }
    result = m_builder.CreateInsertElement(result, component, i);
  }
  return result;
}

/// The first of the two registers has the low dword of the address. The load is invariant.
Value *Mutation::makeNumWorkgroups() {
  Type *i64 = m_builder.getInt64Ty();
  Value *low = m_builder.CreateZExt(m_new->getArg(m_userData.numWorkgroups), i64);
  Value *high = m_builder.CreateZExt(m_new->getArg(m_userData.numWorkgroups + 1), i64);
  Value *address = m_builder.CreateOr(m_builder.CreateShl(high, 32), low);
  address = m_builder.CreateIntToPtr(address, m_builder.getPtrTy(ConstantAddressSpace));
  return loadInvariant(m_builder, FixedVectorType::get(m_builder.getInt32Ty(), 3), address);
}

pal::Metadata Mutation::makeMetadata() {
  pal::Metadata metadata;
  metadata.pipelineHash = m_state.getPipelineHash();
  metadata.shaderHash = m_state.getShaderHash();
  metadata.userDataLimit = m_state.getUserDataEntries();
  if (metadata.userDataLimit && faultPlanted(Fault::UserDataLimit))
    --metadata.userDataLimit;
  metadata.spillThreshold = m_userData.spillThreshold;
  pal::ComputeStage &stage = metadata.compute;
  stage.wavefrontSize = m_state.getWaveSize();
  copy(m_mode.workgroupSize, stage.threadgroupDimensions.begin());
  if (m_mode.workgroupSize[0] != m_mode.workgroupSize[2] && faultPlanted(Fault::WorkgroupSize))
    std::swap(stage.threadgroupDimensions[0], stage.threadgroupDimensions[2]);
  stage.userSgprs = m_userData.registers.size();
  copy(m_userData.registers, stage.userDataRegMap.begin());
  if (std::optional<unsigned> other = m_userData.findEntry(1);
      other && m_userData.findEntry(0) && faultPlanted(Fault::UserDataOrder))
    std::swap(stage.userDataRegMap[*m_userData.findEntry(0)], stage.userDataRegMap[*other]);
  stage.floatMode = encodeDenormals(m_floatMode);
  if (faultPlanted(Fault::DenormalMode))
    stage.floatMode ^= 0xF0;
  stage.sgprLimit = getSgprLimit(m_state.getTarget());
  stage.vgprLimit = 256;
  stage.workgroupIdEnabled = m_readsWorkgroupId && !faultPlanted(Fault::WorkgroupIdOff);
  stage.localIdComponents = static_cast<uint8_t>(getLocalIdComponents());
  return metadata;
}

/// InvalidInput where the module has no unique compute entry point of type void(), or a read does
/// not fit the layout.
static Error mutate(Module &module) {
  Function *entry = findComputeEntryPoint(module);
  if (!entry || entry->isDeclaration() || !entry->use_empty())
    return invalidInput("there must be one entry point, which nothing calls");
  if (!entry->arg_empty() || !entry->getReturnType()->isVoidTy())
    return invalidInput("the entry point must be void()");
  Expected<ComputeMode> mode = getComputeMode(*entry);
  if (!mode)
    return mode.takeError();
  Expected<TrackedState> state = TrackedState::open(module, "mutate-entry-point");
  if (!state)
    return state.takeError();
  Expected<UserDataReads> reads = collectUserDataReads(*entry, *state);
  if (!reads)
    return reads.takeError();
  Mutation(*entry, *state, *mode, *reads).run();
  return Error::success();
}

/// A module without an entry point is an error.
PreservedAnalyses amdgpu::MutateEntryPoint::run(Module &module, ModuleAnalysisManager &) {
  if (findEntryPoint(module) && !findComputeEntryPoint(module))
    return PreservedAnalyses::all(); // A graphics stage: MutateStageEntryPoint's.
  if (Error error = mutate(module))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
