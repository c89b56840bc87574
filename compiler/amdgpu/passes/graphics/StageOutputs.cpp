// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/StageOutputs.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

namespace {
/// Each output is a variable until all writes are known.
class Collector : public LgcVisitor<Collector> {
public:
  explicit Collector(Function &function) : m_function(function) {}

  void visitWriteOutputOp(WriteOutputOp &op) {
    InOutPlace place = {uint32_t(op.getLocation()), uint32_t(op.getComponent()),
                        uint32_t(op.getIndex())};
    Variable &variable = m_located[place];
    variable.type = static_cast<InOutType>(op.getFormat());
    store(variable, op, op.getValue());
  }
  void visitWriteStageBuiltInOp(WriteStageBuiltInOp &op) {
    store(m_builtIns[{uint32_t(op.getBuiltIn()), uint32_t(op.getElement())}], op, op.getValue());
  }

  /// Promotes all variables to values, read at \p end. Without an end nothing is read.
  StageOutputs finish(ReturnInst *end);

private:
  /// The memory of an output, null until its first write.
  struct Variable {
    AllocaInst *memory = nullptr;
    InOutType type = InOutType::F32;
  };

  /// Replaces the write \p op by a store; the variable is an uninitialized alloca of i32.
  void store(Variable &variable, CallInst &op, Value *value) {
    if (!variable.memory) {
      BasicBlock &entry = m_function.getEntryBlock();
      IRBuilder<> builder(&entry, entry.begin());
      variable.memory = builder.CreateAlloca(builder.getInt32Ty());
      m_all.push_back(variable.memory);
    }
    IRBuilder<> builder(&op);
    builder.CreateStore(value, variable.memory);
    op.eraseFromParent();
  }

  Function &m_function;
  std::map<InOutPlace, Variable> m_located;
  std::map<std::pair<uint32_t, uint32_t>, Variable> m_builtIns;
  SmallVector<AllocaInst *, 16> m_all;
};
} // namespace

StageOutputs Collector::finish(ReturnInst *end) {
  StageOutputs outputs;
  outputs.end = end;
  SmallVector<WeakTrackingVH, 16> values;
  if (end) {
    // Loads stay in place until they are values: handles follow what replaces them.
    IRBuilder<> builder(end);
    for (auto &[place, variable] : m_located)
      values.push_back(builder.CreateLoad(builder.getInt32Ty(), variable.memory));
    for (auto &[key, variable] : m_builtIns)
      values.push_back(builder.CreateLoad(builder.getInt32Ty(), variable.memory));
  }
  DominatorTree tree(m_function);
  PromoteMemToReg(m_all, tree);
  if (!end)
    return outputs;
  const WeakTrackingVH *next = values.begin();
  for (auto &[place, variable] : m_located)
    outputs.located[place] = {variable.type, *next++};
  for (auto &[key, variable] : m_builtIns)
    outputs.builtIns[key] = *next++;
  return outputs;
}

/// Null when there is none.
static ReturnInst *joinReturns(Function &function) {
  SmallVector<ReturnInst *, 4> returns;
  for (BasicBlock &block : function)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator()))
      returns.push_back(end);
  if (returns.size() <= 1)
    return returns.empty() ? nullptr : returns.front();
  BasicBlock *exit = BasicBlock::Create(function.getContext(), "exit", &function);
  for (ReturnInst *end : returns) {
    IRBuilder<> builder(end);
    builder.CreateBr(exit);
    end->eraseFromParent();
  }
  IRBuilder<> builder(exit);
  return builder.CreateRetVoid();
}

Value *StageOutputs::findBuiltIn(uint32_t number, uint32_t scalar) const {
  auto found = builtIns.find({number, scalar});
  return found == builtIns.end() ? nullptr : found->second;
}

/// Outputs that a path does not write are undefined there.
StageOutputs amdgpu::takeOutputs(Function &function) {
  ReturnInst *end = joinReturns(function);
  Collector collector(function);
  collector.visit(function);
  return collector.finish(end);
}
