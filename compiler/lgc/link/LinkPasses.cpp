// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/LinkPasses.h"

#include "compiler/dialect/Lgc.h"
#include "compiler/lgc/Builder.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace assay;

namespace {
/// Those that read inputs are of three kinds.
struct Ops : LgcVisitor<Ops> {
  SmallVector<CallInst *, 16> reads;
  SmallVector<WriteOutputOp *, 16> writes;
  void visitReadInputOp(ReadInputOp &op) { reads.push_back(&op); }
  void visitInterpolateInputOp(InterpolateInputOp &op) { reads.push_back(&op); }
  void visitReadVertexInputOp(ReadVertexInputOp &op) { reads.push_back(&op); }
  void visitWriteOutputOp(WriteOutputOp &op) { writes.push_back(&op); }

  explicit Ops(Module &module) { visit(module); }
};

/// What the ops share that read an input.
struct InputRead {
  InOutPlace place;
  InOutType type = InOutType::F32;
  bool isInterpolated = false;

  /// \p op is one of the three that Ops collects as reads.
  explicit InputRead(const CallInst &op);

private:
  template <class Op> void take(const Op &op, bool interpolated) {
    place = {uint32_t(op.getLocation()), uint32_t(op.getComponent()), 0};
    type = static_cast<InOutType>(op.getFormat());
    isInterpolated = interpolated;
  }
};
} // namespace

InputRead::InputRead(const CallInst &op) {
  if (const auto *read = dyn_cast<ReadInputOp>(&op))
    take(*read, assay::isInterpolated(static_cast<Interpolation>(read->getInterpolation())));
  else if (const auto *explicitly = dyn_cast<InterpolateInputOp>(&op))
    take(*explicitly, true);
  else
    take(cast<ReadVertexInputOp>(op), false);
}

/// Returns the place that \p op writes.
static InOutPlace placeOf(const WriteOutputOp &op) {
  return {uint32_t(op.getLocation()), uint32_t(op.getComponent()), uint32_t(op.getIndex())};
}

/// Whether interpolation between vertices that all have \p bits is \p bits. With infinities and
/// NaNs the products with weights of zero are NaN.
static bool survivesInterpolation(const InputRead &read, uint32_t bits) {
  if (!read.isInterpolated)
    return true;
  switch (read.type) {
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

namespace {
/// A built-in that travels between stages as an input and output of its own.
struct TravellingBuiltIn {
  uint32_t number; ///< Of spv::BuiltIn.
  InOutType type;
  Interpolation interpolation;
};
} // namespace

/// PrimitiveId is last: hardware provides it to the vertex stage.
static constexpr TravellingBuiltIn travelling[] = {
    {3, InOutType::F32, Interpolation::Smooth}, // ClipDistance
    {4, InOutType::F32, Interpolation::Smooth}, // CullDistance
    {9, InOutType::I32, Interpolation::Flat},   // Layer
    {10, InOutType::I32, Interpolation::Flat},  // ViewportIndex
    {7, InOutType::I32, Interpolation::Flat},   // PrimitiveId
};
static constexpr uint32_t primitiveId = 7;

/// Returns the row of built-in \p number, or null for one that stays a built-in.
static const TravellingBuiltIn *findTravelling(uint64_t number) {
  const auto *row =
      find_if(travelling, [&](const TravellingBuiltIn &each) { return each.number == number; });
  return row == std::end(travelling) ? nullptr : row;
}

/// After all locations that shaders can have; two locations a built-in.
static InOutPlace placeOfBuiltIn(uint32_t number, uint32_t scalar) {
  constexpr uint32_t First = 1000;
  return {First + 2 * number + scalar / 4, scalar % 4, 0};
}

void assay::importBuiltIns(Module &module) {
  struct Importer : LgcVisitor<Importer> {
    void visitReadStageBuiltInOp(ReadStageBuiltInOp &op) {
      const TravellingBuiltIn *row = findTravelling(op.getBuiltIn());
      if (!row)
        return;
      InOutPlace place = placeOfBuiltIn(row->number, uint32_t(op.getElement()));
      IRBuilder<> builder(&op);
      op.replaceAllUsesWith(ReadInputOp::create(builder, place.location, place.component,
                                                uint64_t(row->type), uint64_t(row->interpolation)));
      op.eraseFromParent();
    }
  };
  Importer().visit(module);
}

/// Writes scalar \p scalar of the built-in as an output by location.
static void createOutput(IRBuilder<> &builder, const TravellingBuiltIn &row, uint32_t scalar,
                         Value *value) {
  InOutPlace place = placeOfBuiltIn(row.number, scalar);
  WriteOutputOp::create(builder, place.location, place.component, 0, uint64_t(row.type), value);
}

void assay::exportBuiltIns(Module &module) {
  struct Exporter : LgcVisitor<Exporter> {
    void visitWriteStageBuiltInOp(WriteStageBuiltInOp &op) {
      const TravellingBuiltIn *row = findTravelling(op.getBuiltIn());
      IRBuilder<> builder(&op);
      if (row)
        createOutput(builder, *row, uint32_t(op.getElement()), op.getValue());
    }
  };
  Exporter().visit(module);
  if (Function *entry = findEntryPoint(module)) {
    BasicBlock &block = entry->getEntryBlock();
    IRBuilder<> builder(&block, block.getFirstNonPHIOrDbgOrAlloca());
    Value *number = ReadStageBuiltInOp::create(builder, primitiveId, 0);
    createOutput(builder, *findTravelling(primitiveId), 0, number);
  }
}

void assay::linkInputs(Module &module, TrackedView &view) {
  for (CallInst *op : Ops(module).reads) {
    InputRead read(*op);
    std::optional<TrackedView::Written> written = view.findWritten(read.place);
    uint32_t bits = 0;
    if (written) {
      if (!written->constant || !survivesInterpolation(read, *written->constant))
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

/// A copy of \p op that reads at \p place.
static Value *readAt(CallInst &op, const InOutPlace &place) {
  IRBuilder<> builder(&op);
  uint64_t location = place.location, component = place.component;
  if (auto *read = dyn_cast<ReadInputOp>(&op))
    return ReadInputOp::create(builder, location, component, read->getFormat(),
                               read->getInterpolation());
  if (auto *read = dyn_cast<InterpolateInputOp>(&op))
    return InterpolateInputOp::create(builder, location, component, read->getFormat(), read->getI(),
                                      read->getJ());
  auto &read = cast<ReadVertexInputOp>(op);
  return ReadVertexInputOp::create(builder, location, component, read.getFormat(),
                                   read.getVertex());
}

void assay::packOwnInputs(Module &module, const OwnInterface &own) {
  for (CallInst *op : Ops(module).reads) {
    const auto *input = find_if(own.getInputs(), [&](const InputRecord &each) {
      return each.place == InputRead(*op).place;
    });
    assert(input != own.getInputs().end() && "the interface is of another module");
    op->replaceAllUsesWith(readAt(*op, input->packed));
    op->eraseFromParent();
  }
}
