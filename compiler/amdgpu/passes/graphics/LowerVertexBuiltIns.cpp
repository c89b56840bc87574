// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/LowerVertexBuiltIns.h"

#include "compiler/amdgpu/passes/graphics/StageInputs.h"
#include "compiler/lgc/Builder.h"
#include "compiler/lgc/PassDiagnostics.h"
#include "support/Error.h"
#include "support/Fault.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// A built-in is the sum of one or two registers.
struct BuiltInRow {
  spv::BuiltIn builtIn;
  StageInput input;
  std::optional<StageInput> base = std::nullopt;
};
} // namespace

/// VertexIndex and InstanceIndex count from the base of the draw.
static constexpr BuiltInRow rows[] = {
    {spv::BuiltIn::VertexIndex, StageInput::VertexId, StageInput::BaseVertex},
    {spv::BuiltIn::InstanceIndex, StageInput::InstanceId, StageInput::BaseInstance},
    {spv::BuiltIn::BaseVertex, StageInput::BaseVertex},
    {spv::BuiltIn::BaseInstance, StageInput::BaseInstance},
    {spv::BuiltIn::DrawIndex, StageInput::DrawIndex},
    {spv::BuiltIn::ViewIndex, StageInput::ViewIndex},
    {spv::BuiltIn::PrimitiveId, StageInput::PrimitiveId},
};

/// Unsupported for a built-in without a row.
static Error lower(Function &entry, ArrayRef<ReadStageBuiltInOp *> ops) {
  for (ReadStageBuiltInOp *op : ops) {
    const auto *row = find_if(
        rows, [&](const BuiltInRow &each) { return uint64_t(each.builtIn) == op->getBuiltIn(); });
    if (row == std::end(rows)) {
      const StageBuiltIn *known = findStageBuiltIn(op->getBuiltIn());
      return unsupported(Twine("built-in ") + (known ? known->name : "input") +
                         " in a vertex shader");
    }
    IRBuilder<> builder(&entry.getEntryBlock(), getStartOf(entry));
    Value *value = createStageInput(builder, row->input);
    if (row->base && !faultPlanted(Fault::VertexBase))
      value = builder.CreateAdd(value, createStageInput(builder, *row->base));
    op->replaceAllUsesWith(value);
    op->eraseFromParent();
  }
  return Error::success();
}

PreservedAnalyses amdgpu::LowerVertexBuiltIns::run(Module &module, ModuleAnalysisManager &) {
  struct Collector : LgcVisitor<Collector> {
    SmallVector<ReadStageBuiltInOp *, 8> ops;
    void visitReadStageBuiltInOp(ReadStageBuiltInOp &op) { ops.push_back(&op); }
  };
  Function *entry = findStage(module, ShaderStage::Vertex);
  if (!entry)
    return PreservedAnalyses::all();
  Collector collector;
  collector.visit(*entry);
  if (collector.ops.empty())
    return PreservedAnalyses::all();
  if (Error error = lower(*entry, collector.ops))
    reportError(module.getContext(), std::move(error));
  return PreservedAnalyses::none();
}
