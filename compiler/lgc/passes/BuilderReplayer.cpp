// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/passes/BuilderReplayer.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"

using namespace llvm;
using namespace assay;

namespace {
/// Replaces each op by what the builder of createBuilderImpl() makes of it. Extraction of bit
/// fields from 32-bit values stays an op.
class Replayer : public LgcVisitor<Replayer> {
public:
  explicit Replayer(Module &module) : m_builder(createBuilderImpl(module.getContext())) {}

  void visitFModOp(FModOp &op) { replace(op, at(op).createFMod(op.getX(), op.getY())); }
  void visitFClampOp(FClampOp &op) {
    replace(op, at(op).createFClamp(op.getX(), op.getLo(), op.getHi()));
  }
  void visitSinOp(SinOp &op) { replace(op, at(op).createSin(op.getX())); }
  void visitCosOp(CosOp &op) { replace(op, at(op).createCos(op.getX())); }
  void visitExp2Op(Exp2Op &op) { replace(op, at(op).createExp2(op.getX())); }
  void visitLog2Op(Log2Op &op) { replace(op, at(op).createLog2(op.getX())); }
  void visitSModOp(SModOp &op) { replace(op, at(op).createSMod(op.getX(), op.getY())); }
  void visitExtractBitFieldOp(ExtractBitFieldOp &op) {
    if (!op.getType()->getScalarType()->isIntegerTy(32))
      replace(op, at(op).createExtractBitField(op.getBase(), op.getOffset(), op.getCount(),
                                               op.getIsSigned() != 0));
  }
  void visitInsertBitFieldOp(InsertBitFieldOp &op) {
    replace(op, at(op).createInsertBitField(op.getBase(), op.getInsert(), op.getOffset(),
                                            op.getCount()));
  }
  void visitFindMsbOp(FindMsbOp &op) {
    replace(op, at(op).createFindMsb(op.getX(), op.getIsSigned() != 0));
  }

  bool hasChanged() const { return m_hasChanged; }

private:
  /// Returns the builder, placed at \p op, with its fast-math flags and the float mode of its
  /// function.
  Builder &at(CallInst &op) {
    m_builder->SetInsertPoint(&op);
    FastMathFlags flags;
    if (auto *operation = dyn_cast<FPMathOperator>(&op))
      flags = operation->getFastMathFlags();
    m_builder->setFastMathFlags(flags);
    m_builder->setFloatMode(getFloatMode(*op.getFunction()));
    return *m_builder;
  }

  /// Replaces \p op by \p value, which gets its name, and erases it.
  void replace(CallInst &op, Value *value) {
    if (auto *instruction = dyn_cast<Instruction>(value); instruction && op.hasName())
      instruction->takeName(&op);
    op.replaceAllUsesWith(value);
    op.eraseFromParent();
    m_hasChanged = true;
  }

  std::unique_ptr<Builder> m_builder;
  bool m_hasChanged = false;
};
} // namespace

/// Erases declarations of ops that nothing calls any more.
static void eraseUnusedDeclarations(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (function.getName().starts_with("lgc.") && function.use_empty())
      function.eraseFromParent();
  }
}

PreservedAnalyses BuilderReplayer::run(Module &module, ModuleAnalysisManager &) {
  Replayer replayer(module);
  replayer.visit(module);
  if (!replayer.hasChanged())
    return PreservedAnalyses::all();
  eraseUnusedDeclarations(module);
  return PreservedAnalyses::none();
}
