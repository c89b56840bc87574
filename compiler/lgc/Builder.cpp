// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/Builder.h"

#include "compiler/dialect/Lgc.h"
#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral computeModeName = "lgc.compute.mode";

static constexpr StringLiteral stageName = "lgc.stage";

static constexpr StringLiteral fencedMemoryName = "lgc.fenced.memory";
static constexpr StringLiteral workgroupName = "workgroup";

Builder::~Builder() = default;

Value *Builder::createReadClock(bool isDevice) {
  return ReadClockOp::create(*this, isDevice);
}

Value *Builder::createBufferPtrDifference(Value *x, Value *y) {
  return BufferPtrDifferenceOp::create(*this, x, y);
}

/// All memory is the default and needs no metadata.
void assay::setFencedMemory(FenceInst &fence, FencedMemory memory) {
  LLVMContext &context = fence.getContext();
  MDNode *node = nullptr;
  if (memory == FencedMemory::Workgroup)
    node = MDNode::get(context, MDString::get(context, workgroupName));
  fence.setMetadata(fencedMemoryName, node);
}

/// Metadata that cannot be read mean all memory, which is always right.
FencedMemory assay::getFencedMemory(const FenceInst &fence) {
  const MDNode *node = fence.getMetadata(fencedMemoryName);
  if (!node || node->getNumOperands() != 1)
    return FencedMemory::All;
  auto *name = dyn_cast<MDString>(node->getOperand(0));
  return name && name->getString() == workgroupName ? FencedMemory::Workgroup : FencedMemory::All;
}

/// Returns i32 or a vector of i32.
Type *assay::getBuiltInType(LLVMContext &context, BuiltIn builtIn) {
  Type *i32 = Type::getInt32Ty(context);
  switch (builtIn) {
  case BuiltIn::NumWorkgroups:
  case BuiltIn::WorkgroupId:
  case BuiltIn::LocalInvocationId:
  case BuiltIn::GlobalInvocationId:
  case BuiltIn::WorkgroupSize:
    return FixedVectorType::get(i32, 3);
  case BuiltIn::LocalInvocationIndex:
  case BuiltIn::SubgroupSize:
  case BuiltIn::SubgroupLocalInvocationId:
  case BuiltIn::SubgroupId:
  case BuiltIn::NumSubgroups:
    return i32;
  case BuiltIn::SubgroupEqMask:
  case BuiltIn::SubgroupGeMask:
  case BuiltIn::SubgroupGtMask:
  case BuiltIn::SubgroupLeMask:
  case BuiltIn::SubgroupLtMask:
    return FixedVectorType::get(i32, 4);
  }
  llvm_unreachable("a number that is no BuiltIn");
}

/// Sets triple and data layout. An architecture without a layout of its own has that of its triple.
void assay::initializeModule(Module &module, Architecture architecture) {
  const ArchitectureInfo &info = *findArchitectureInfo(architecture);
  Triple triple(info.triple);
  module.setTargetTriple(triple);
  module.setDataLayout(info.dataLayout.empty() ? StringRef(triple.computeDataLayout())
                                               : StringRef(info.dataLayout));
}

/// Writes the mode as metadata of the function.
void assay::setComputeEntryPoint(Function &entry, const ComputeMode &mode) {
  LLVMContext &context = entry.getContext();
  SmallVector<Metadata *, 3> sizes;
  for (unsigned size : mode.workgroupSize)
    sizes.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), size)));
  entry.setMetadata(computeModeName, MDNode::get(context, sizes));
}

/// Returns null where there is none or more than one.
Function *assay::findComputeEntryPoint(Module &module) {
  Function *found = nullptr;
  for (Function &function : module) {
    if (!function.hasMetadata(computeModeName))
      continue;
    if (found)
      return nullptr;
    found = &function;
  }
  return found;
}

/// InvalidInput where a size is 0 or does not fit 16 bits.
Expected<ComputeMode> assay::getComputeMode(const Function &entry) {
  const MDNode *node = entry.getMetadata(computeModeName);
  if (!node || node->getNumOperands() != 3)
    return invalidInput("'" + entry.getName() + "' needs !" + computeModeName +
                        " with three numbers");
  ComputeMode mode;
  for (unsigned i = 0; i < 3; ++i) {
    auto *size = mdconst::dyn_extract_or_null<ConstantInt>(node->getOperand(i));
    if (!size || size->getValue().getActiveBits() > 16 || size->isZero())
      return invalidInput("'" + entry.getName() + "': the workgroup's size must be 1 to 65535");
    mode.workgroupSize[i] = static_cast<unsigned>(size->getZExtValue());
  }
  return mode;
}

/// Writes the stage and one flag for each execution mode as metadata of the function.
void assay::setStageEntryPoint(Function &entry, const StageMode &mode) {
  LLVMContext &context = entry.getContext();
  uint32_t flags = unsigned(mode.earlyFragmentTests) | unsigned(mode.depthGreater) << 1 |
                   unsigned(mode.depthLess) << 2 | unsigned(mode.sampleShading) << 3 |
                   unsigned(mode.postDepthCoverage) << 4;
  Type *i32 = Type::getInt32Ty(context);
  Metadata *operands[] = {
      ConstantAsMetadata::get(ConstantInt::get(i32, static_cast<uint64_t>(mode.stage))),
      ConstantAsMetadata::get(ConstantInt::get(i32, flags))};
  entry.setMetadata(stageName, MDNode::get(context, operands));
}

/// Flags: 1 early tests, 2 depth greater, 4 depth less, 8 sample shading, 16 post-depth coverage.
/// Any other bit is InvalidInput.
Expected<StageMode> assay::getStageMode(const Function &entry) {
  const MDNode *node = entry.getMetadata(stageName);
  auto number = [&](unsigned i) {
    return node && node->getNumOperands() == 2
               ? mdconst::dyn_extract_or_null<ConstantInt>(node->getOperand(i))
               : nullptr;
  };
  const ConstantInt *stage = number(0), *flags = number(1);
  if (!stage || !flags || stage->uge(getShaderStages().size()) || flags->uge(32) ||
      !isGraphicsStage(static_cast<ShaderStage>(stage->getZExtValue())))
    return invalidInput("'" + entry.getName() + "' needs !" + stageName +
                        " with a graphics stage and its flags");
  uint64_t bits = flags->getZExtValue();
  return StageMode{static_cast<ShaderStage>(stage->getZExtValue()),
                   (bits & 1) != 0,
                   (bits & 2) != 0,
                   (bits & 4) != 0,
                   (bits & 8) != 0,
                   (bits & 16) != 0};
}

/// Returns the entry point of any stage; null where there is none or more than one.
Function *assay::findEntryPoint(Module &module) {
  Function *found = nullptr;
  for (Function &function : module) {
    if (!function.hasMetadata(computeModeName) && !function.hasMetadata(stageName))
      continue;
    if (found)
      return nullptr;
    found = &function;
  }
  return found;
}
