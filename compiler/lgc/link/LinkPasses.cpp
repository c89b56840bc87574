// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/LinkPasses.h"

#include "compiler/dialect/Lgc.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace assay;

namespace {
struct Ops : LgcVisitor<Ops> {
  SmallVector<ReadInputOp *, 16> reads;
  SmallVector<WriteOutputOp *, 16> writes;
  void visitReadInputOp(ReadInputOp &op) { reads.push_back(&op); }
  void visitWriteOutputOp(WriteOutputOp &op) { writes.push_back(&op); }

  explicit Ops(Module &module) { visit(module); }
};
} // namespace

static InOutPlace placeOf(const ReadInputOp &op) {
  return {uint32_t(op.getLocation()), uint32_t(op.getComponent()), 0};
}

static InOutPlace placeOf(const WriteOutputOp &op) {
  return {uint32_t(op.getLocation()), uint32_t(op.getComponent()), uint32_t(op.getIndex())};
}

/// Whether interpolation between vertices that all have \p bits is \p bits. With infinities and
/// NaNs the products with weights of zero are NaN.
static bool survivesInterpolation(const ReadInputOp &op, uint32_t bits) {
  if (static_cast<Interpolation>(op.getInterpolation()) == Interpolation::Flat)
    return true;
  switch (static_cast<InOutType>(op.getFormat())) {
  case InOutType::F32:
    return APFloat(APFloat::IEEEsingle(), APInt(32, bits)).isFinite();
  case InOutType::F16:
    return APFloat(APFloat::IEEEhalf(), APInt(16, bits & 0xffff)).isFinite();
  case InOutType::I32:
  case InOutType::I16:
    return false;
  }
  llvm_unreachable("the numbers were checked");
}

void assay::linkInputs(Module &module, TrackedView &view) {
  for (ReadInputOp *op : Ops(module).reads) {
    std::optional<TrackedView::Written> written = view.findWritten(placeOf(*op));
    uint32_t bits = 0;
    if (written) {
      if (!written->constant || !survivesInterpolation(*op, *written->constant))
        continue;
      bits = *written->constant;
    }
    op->replaceAllUsesWith(ConstantInt::get(op->getType(), bits));
    op->eraseFromParent();
  }
}

void assay::linkOutputs(Module &module, TrackedView &view) {
  for (WriteOutputOp *op : Ops(module).writes) {
    if (std::optional<InOutPlace> place = view.findReader(placeOf(*op))) {
      IRBuilder<> builder(op);
      WriteOutputOp::create(builder, place->location, place->component, 0, op->getFormat(),
                            op->getValue());
    }
    op->eraseFromParent();
  }
}

void assay::packOwnInputs(Module &module, const OwnInterface &own) {
  for (ReadInputOp *op : Ops(module).reads) {
    const auto *input = find_if(
        own.getInputs(), [&](const InputRecord &each) { return each.place == placeOf(*op); });
    assert(input != own.getInputs().end() && "the interface is of another module");
    IRBuilder<> builder(op);
    op->replaceAllUsesWith(ReadInputOp::create(builder, input->packed.location,
                                               input->packed.component, op->getFormat(),
                                               op->getInterpolation()));
    op->eraseFromParent();
  }
}
