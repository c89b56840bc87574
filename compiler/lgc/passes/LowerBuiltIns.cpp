// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/LowerBuiltIns.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/LaneMask.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Fault.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace llvm;
using namespace assay;

namespace {
/// Makes each built-in at most once, at the start of the entry point.
class BuiltInValues {
public:
  BuiltInValues(Function &entry, const ComputeMode &mode, TrackedState &state)
      : m_mode(mode), m_state(state),
        m_builder(&entry.getEntryBlock(), entry.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  Value *get(BuiltIn builtIn) {
    Value *&value = m_values[static_cast<unsigned>(builtIn)];
    if (!value)
      value = make(builtIn);
    return value;
  }

private:
  /// Computes \p builtIn from others, or reads it.
  Value *make(BuiltIn builtIn);
  Value *makeGlobalInvocationId();
  Value *makeLocalInvocationIndex();
  Value *makeSubgroupId();
  Value *makeLaneId();
  Value *makeLaneMask(BuiltIn builtIn);
  Value *makeWorkgroupSize() {
    return ConstantDataVector::get(m_builder.getContext(), ArrayRef(m_mode.workgroupSize));
  }

  const ComputeMode m_mode;
  TrackedState &m_state;
  IRBuilder<> m_builder;
  std::array<Value *, 16> m_values = {};
};
} // namespace

/// The first three remain ops, which the architecture lowers.
Value *BuiltInValues::make(BuiltIn builtIn) {
  switch (builtIn) {
  case BuiltIn::NumWorkgroups:
  case BuiltIn::WorkgroupId:
  case BuiltIn::LocalInvocationId:
    return ReadBuiltInOp::create(m_builder, getBuiltInType(m_builder.getContext(), builtIn),
                                 static_cast<uint64_t>(builtIn));
  case BuiltIn::GlobalInvocationId:
    return makeGlobalInvocationId();
  case BuiltIn::LocalInvocationIndex:
    return makeLocalInvocationIndex();
  case BuiltIn::WorkgroupSize:
    return makeWorkgroupSize();
  case BuiltIn::SubgroupSize:
    return m_builder.getInt32(m_state.getWaveSize());
  case BuiltIn::SubgroupLocalInvocationId:
    return makeLaneId();
  case BuiltIn::SubgroupId:
    return makeSubgroupId();
  case BuiltIn::NumSubgroups:
    return m_builder.getInt32(
        static_cast<uint32_t>(divideCeil(m_mode.getInvocations(), m_state.getWaveSize())));
  case BuiltIn::SubgroupEqMask:
  case BuiltIn::SubgroupGeMask:
  case BuiltIn::SubgroupGtMask:
  case BuiltIn::SubgroupLeMask:
  case BuiltIn::SubgroupLtMask:
    return makeLaneMask(builtIn);
  }
  llvm_unreachable("the numbers were checked");
}

/// Workgroup id * workgroup size + local id, component by component.
Value *BuiltInValues::makeGlobalInvocationId() {
  Value *group = get(BuiltIn::WorkgroupId);
  Value *local = get(BuiltIn::LocalInvocationId);
  if (faultPlanted(Fault::GlobalIdSwapped))
    std::swap(group, local);
  return m_builder.CreateAdd(m_builder.CreateMul(group, makeWorkgroupSize()), local);
}

/// (z * height + y) * width + x of the local id.
Value *BuiltInValues::makeLocalInvocationIndex() {
  Value *local = get(BuiltIn::LocalInvocationId);
  if (m_mode.workgroupSize[0] > 1 && m_mode.workgroupSize[1] > 1 &&
      faultPlanted(Fault::LocalIndexOrder))
    local = m_builder.CreateShuffleVector(local, {1, 0, 2});
  Value *rows = m_builder.CreateMul(m_builder.CreateExtractElement(local, uint64_t(2)),
                                    m_builder.getInt32(m_mode.workgroupSize[1]));
  rows = m_builder.CreateAdd(rows, m_builder.CreateExtractElement(local, uint64_t(1)));
  Value *before = m_builder.CreateMul(rows, m_builder.getInt32(m_mode.workgroupSize[0]));
  return m_builder.CreateAdd(before, m_builder.CreateExtractElement(local, uint64_t(0)));
}

// The hardware fills waves with invocations in the order of their index. All lanes of a wave
// compute the same value. LLVM knows that of a value read from the first lane.
Value *BuiltInValues::makeSubgroupId() {
  Value *index = get(BuiltIn::LocalInvocationIndex);
  Value *wave = m_builder.CreateLShr(index, Log2_32(m_state.getWaveSize()));
  return SubgroupBroadcastFirstOp::create(m_builder, wave);
}

/// The number of lanes below this one.
Value *BuiltInValues::makeLaneId() {
  Type *words = FixedVectorType::get(m_builder.getInt32Ty(), 4);
  return SubgroupCountBelowOp::create(m_builder, Constant::getAllOnesValue(words));
}

/// The lanes that compare so with this one; no bit represents a lane that the wave does not have.
Value *BuiltInValues::makeLaneMask(BuiltIn builtIn) {
  Type *type = m_builder.getIntNTy(m_state.getWaveSize());
  Value *lane = m_builder.CreateZExt(get(BuiltIn::SubgroupLocalInvocationId), type);
  Value *own = m_builder.CreateShl(ConstantInt::get(type, 1), lane);
  Value *fromOwn = m_builder.CreateShl(ConstantInt::getAllOnesValue(type), lane);
  Value *mask = own;
  if (builtIn == BuiltIn::SubgroupGeMask)
    mask = fromOwn;
  else if (builtIn == BuiltIn::SubgroupGtMask)
    mask = m_builder.CreateXor(fromOwn, own);
  else if (builtIn == BuiltIn::SubgroupLeMask)
    mask = m_builder.CreateOr(m_builder.CreateNot(fromOwn), own);
  else if (builtIn == BuiltIn::SubgroupLtMask)
    mask = faultPlanted(Fault::LaneMask) ? m_builder.CreateOr(m_builder.CreateNot(fromOwn), own)
                                         : m_builder.CreateNot(fromOwn);
  return makeMaskWords(m_builder, mask);
}

/// Whether \p op asks for a built-in that exists, with its right type.
static bool isValid(const ReadBuiltInOp &op) {
  return op.getBuiltIn() <= static_cast<uint64_t>(BuiltIn::SubgroupLtMask) &&
         op.getType() == getBuiltInType(op.getContext(), static_cast<BuiltIn>(op.getBuiltIn()));
}

/// Those that do not depend on a workgroup.
static bool isOfGraphics(BuiltIn builtIn) {
  return builtIn == BuiltIn::SubgroupSize || builtIn == BuiltIn::SubgroupLocalInvocationId ||
         builtIn >= BuiltIn::SubgroupEqMask;
}

/// InvalidInput for built-ins that do not exist with the op's type; Unsupported for those of a
/// workgroup in a graphics stage, and for reads outside the entry point.
static Error lowerOps(Module &module, ArrayRef<ReadBuiltInOp *> ops) {
  Function *entry = findEntryPoint(module);
  if (!entry || entry->isDeclaration())
    return invalidInput("built-ins need one entry point");
  bool isCompute = findComputeEntryPoint(module) != nullptr;
  Expected<ComputeMode> mode = isCompute ? getComputeMode(*entry) : ComputeMode();
  if (!mode)
    return mode.takeError();
  Expected<TrackedState> state = TrackedState::open(module, "lower-built-ins");
  if (!state)
    return state.takeError();
  for (const ReadBuiltInOp *op : ops) {
    if (!isValid(*op))
      return invalidInput("built-in " + Twine(op->getBuiltIn()) + " does not exist with this type");
    if (!isCompute && !isOfGraphics(static_cast<BuiltIn>(op->getBuiltIn())))
      return unsupported("built-in " + Twine(op->getBuiltIn()) + " in a graphics stage");
    if (op->getFunction() != entry)
      return unsupported("a built-in is read outside the entry point");
  }
  BuiltInValues values(*entry, *mode, *state);
  for (ReadBuiltInOp *op : ops)
    op->replaceAllUsesWith(values.get(static_cast<BuiltIn>(op->getBuiltIn())));
  // Last: the point at which values are made may be one of the ops.
  for (ReadBuiltInOp *op : ops)
    op->eraseFromParent();
  return Error::success();
}

/// All ops are checked before the first one is replaced.
PreservedAnalyses LowerBuiltIns::run(Module &module, ModuleAnalysisManager &) {
  struct Collector : LgcVisitor<Collector> {
    SmallVector<ReadBuiltInOp *, 8> ops;
    void visitReadBuiltInOp(ReadBuiltInOp &op) { ops.push_back(&op); }
  };
  Collector collector;
  collector.visit(module);
  if (collector.ops.empty())
    return PreservedAnalyses::all();
  if (Error error = lowerOps(module, collector.ops))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
