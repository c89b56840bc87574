// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/OptBufferLoads.h"

#include "compiler/lgc/Builder.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace assay;

static constexpr unsigned resourceSpace = 8;

namespace {
/// A load as a descriptor and steps from the start of its buffer, outermost first.
struct BufferLoad {
  LoadInst *load = nullptr;
  Value *resource = nullptr;
  SmallVector<GEPOperator *, 4> steps;
};
} // namespace

/// How many dwords a scalar load of \p type fetches, or 0 where there is none.
static unsigned getDwords(Type *type, const DataLayout &layout) {
  Type *scalar = type->getScalarType();
  if ((!scalar->isIntegerTy() && !scalar->isFloatingPointTy()) || type->isScalableTy())
    return 0;
  uint64_t bits = layout.getTypeSizeInBits(type);
  bool isWhole = scalar->getScalarSizeInBits() == 32 || scalar->getScalarSizeInBits() == 64;
  return isWhole && is_contained({32u, 64u, 96u, 128u, 256u}, bits) ? unsigned(bits / 32) : 0;
}

/// Whether \p load may be scalar if its address is the same in all lanes.
static bool isCandidate(const LoadInst &load) {
  return load.getPointerAddressSpace() == BufferFatPointerSpace &&
         load.hasMetadata(LLVMContext::MD_invariant_load) && load.isSimple() &&
         load.getAlign() >= Align(4) && getDwords(load.getType(), load.getDataLayout());
}

/// The descriptor and the steps of a candidate, where they are the same in all lanes.
static std::optional<BufferLoad> findSource(LoadInst &load, const UniformityInfo &uniformity) {
  auto isUniform = [&](const Use &value) { return uniformity.isUniform(value.get()); };
  BufferLoad result;
  result.load = &load;
  Value *pointer = load.getPointerOperand();
  while (auto *step = dyn_cast<GEPOperator>(pointer)) {
    if (!step->getType()->isPointerTy() || !all_of(step->indices(), isUniform))
      return std::nullopt;
    result.steps.push_back(step);
    pointer = step->getPointerOperand();
  }
  auto *cast = dyn_cast<AddrSpaceCastInst>(pointer);
  if (!cast || cast->getSrcAddressSpace() != resourceSpace || !isUniform(cast->getOperandUse(0)))
    return std::nullopt;
  result.resource = cast->getOperand(0);
  return result;
}

static void makeScalar(const BufferLoad &source) {
  LoadInst *load = source.load;
  IRBuilder<> builder(load);
  const DataLayout &layout = load->getDataLayout();
  Value *offset = builder.getInt32(0);
  for (GEPOperator *step : source.steps)
    offset = builder.CreateAdd(offset, emitGEPOffset(&builder, layout, step));
  Type *dwords = FixedVectorType::get(builder.getInt32Ty(), 4);
  Value *resource = builder.CreateBitCast(
      builder.CreatePtrToInt(source.resource, builder.getIntNTy(128)), dwords);
  unsigned count = getDwords(load->getType(), layout);
  Type *type = count == 1 ? builder.getInt32Ty()
                          : static_cast<Type *>(FixedVectorType::get(builder.getInt32Ty(), count));
  Value *loaded = builder.CreateIntrinsic(Intrinsic::amdgcn_s_buffer_load, {type},
                                          {resource, offset, builder.getInt32(0)});
  load->replaceAllUsesWith(builder.CreateBitCast(loaded, load->getType()));
  RecursivelyDeleteTriviallyDeadInstructions(load);
}

PreservedAnalyses OptBufferLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  SmallVector<LoadInst *, 8> candidates;
  for (Instruction &instruction : instructions(function))
    if (auto *load = dyn_cast<LoadInst>(&instruction); load && isCandidate(*load))
      candidates.push_back(load);
  if (candidates.empty())
    return PreservedAnalyses::all();
  const UniformityInfo &uniformity = analyses.getResult<UniformityInfoAnalysis>(function);
  SmallVector<BufferLoad, 8> loads;
  for (LoadInst *load : candidates)
    if (std::optional<BufferLoad> source = findSource(*load, uniformity))
      loads.push_back(std::move(*source));
  if (loads.empty())
    return PreservedAnalyses::all();
  for (const BufferLoad &source : loads)
    makeScalar(source);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
