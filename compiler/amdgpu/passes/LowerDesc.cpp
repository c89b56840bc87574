// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/LowerDesc.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "compiler/lgc/TrackedState.h"
#include "support/Fault.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// A raw buffer's V#: dword 2 is the number of records, which are bytes where the stride is 0
/// (LLVM's AMDGPUUsage, "Buffer Resource Descriptors"; the same on GFX9 to GFX12).
static constexpr unsigned numRecordsByte = 8;
static constexpr unsigned bufferResourceSpace = 8;

namespace {
/// Replaces ops by loads from descriptor tables, or by addresses in them. Tables are read once for
/// each function and set.
class Lowering : public LgcVisitor<Lowering> {
public:
  explicit Lowering(TrackedState &state) : m_state(state) {}

  void visitLoadBufferDescOp(LoadBufferDescOp &op) {
    IRBuilder<> builder(&op);
    if (Value *address = makeAddress(op, builder)) {
      Type *resource = builder.getPtrTy(bufferResourceSpace);
      Value *descriptor = loadInvariant(builder, resource, address, "descriptor");
      replace(op, builder.CreateAddrSpaceCast(descriptor, op.getType()));
    }
  }
  void visitBufferLengthOp(BufferLengthOp &op) {
    IRBuilder<> builder(&op);
    if (Value *address = makeAddress(op, builder)) {
      Value *records = builder.CreateConstInBoundsGEP1_32(
          builder.getInt8Ty(), address,
          faultPlanted(Fault::BoundsRecord) ? numRecordsByte + 4 : numRecordsByte);
      replace(op, loadInvariant(builder, op.getType(), records, "length"));
    }
  }
  void visitDescriptorPtrOp(DescriptorPtrOp &op) {
    IRBuilder<> builder(&op);
    Value *address = makeAddress(op, builder);
    if (!address)
      return;
    bool isSampler = op.getPart() == static_cast<uint64_t>(DescriptorPart::Sampler);
    if (isSampler && m_state.isCombined(static_cast<uint32_t>(op.getSet()),
                                        static_cast<uint32_t>(op.getBinding())))
      address =
          builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), address, combinedSamplerOffset);
    replace(op, address);
  }

  Error takeError() { return std::move(m_error); }

private:
  /// The address of the descriptor that \p op names, or null after an error.
  template <typename OpT> Value *makeAddress(OpT &op, IRBuilder<> &builder) {
    uint32_t set = static_cast<uint32_t>(op.getSet());
    auto node = m_state.findDescriptor(set, static_cast<uint32_t>(op.getBinding()));
    if (!node) {
      fail(invalidInput("the resource layout has no set " + Twine(set) + ", binding " +
                        Twine(op.getBinding())));
      return nullptr;
    }
    Value *stride = builder.getInt32(node->strideInDwords * 4);
    bool isFirst =
        isa<ConstantInt>(op.getArrayIndex()) && cast<ConstantInt>(op.getArrayIndex())->isZero();
    if (!isFirst && faultPlanted(Fault::DescriptorIndex))
      stride = builder.getInt32(0);
    uint32_t first = node->offsetInDwords * 4;
    if (first && faultPlanted(Fault::DescriptorOffset))
      first -= 4;
    Value *offset = builder.CreateMul(op.getArrayIndex(), stride);
    offset = builder.CreateAdd(offset, builder.getInt32(first));
    return builder.CreateGEP(builder.getInt8Ty(), getTable(*op.getFunction(), set), offset);
  }

  /// Returns the address of the table of \p set, read once at the start of \p function.
  Value *getTable(Function &function, uint32_t set) {
    Value *&table = m_tables[{&function, set}];
    if (!table) {
      BasicBlock &entry = function.getEntryBlock();
      IRBuilder<> builder(&entry, entry.begin());
      table = DescriptorTableOp::create(builder, set);
      table->setName("set" + Twine(set));
    }
    return table;
  }

  /// Emits a load of descriptor memory, which does not change while the shader runs.
  static Value *loadInvariant(IRBuilder<> &builder, Type *type, Value *address, StringRef name) {
    LoadInst *load = builder.CreateAlignedLoad(type, address, Align(4), name);
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
    return load;
  }

  static void replace(CallInst &op, Value *value) {
    op.replaceAllUsesWith(value);
    op.eraseFromParent();
  }

  /// Notes an error; all of them are reported at the end.
  void fail(Error error) { m_error = joinErrors(std::move(m_error), std::move(error)); }

  TrackedState &m_state;
  /// By function and set.
  std::map<std::pair<Function *, uint32_t>, Value *> m_tables;
  Error m_error = Error::success();
};

/// Finds out whether a module has any op of this pass, so that others read no state.
struct Finder : LgcVisitor<Finder> {
  bool found = false;
  void visitLoadBufferDescOp(LoadBufferDescOp &) { found = true; }
  void visitBufferLengthOp(BufferLengthOp &) { found = true; }
  void visitDescriptorPtrOp(DescriptorPtrOp &) { found = true; }
};
} // namespace

/// Reads the pipeline state only if the module has descriptors.
PreservedAnalyses amdgpu::LowerDesc::run(Module &module, ModuleAnalysisManager &) {
  Finder finder;
  finder.visit(module);
  if (!finder.found)
    return PreservedAnalyses::all();
  Expected<TrackedState> state = TrackedState::open(module, "lower-desc");
  if (!state) {
    reportError(module.getContext(), state.takeError());
    return PreservedAnalyses::all();
  }
  Lowering lowering(*state);
  lowering.visit(module);
  handleAllErrors(lowering.takeError(), [&](std::unique_ptr<AssayError> error) {
    reportError(module.getContext(), Error(std::move(error)));
  });
  return PreservedAnalyses::none();
}
