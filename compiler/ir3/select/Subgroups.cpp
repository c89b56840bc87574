// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchange between the fibers of a wave: the functions that pass LowerSubgroups calls
// (lower/WaveFunctions.h).
#include "compiler/ir3/select/Selector.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// The i1 \p flag in p0.
static Register toPredicate(Selector &selector, Register flag) {
  return selector.builder().compare(Opcode::CmpsU, Ne, flag, Selector::number(0))->value();
}

/// An instruction whose result is in registers that the wave shares.
static ir3::Instruction *createShared(Selector &selector, Opcode opcode, ArrayRef<Register> sources,
                                      unsigned size) {
  ir3::Instruction *inst = selector.builder().create(opcode, sources, false, size);
  inst->dst().flags |= registerflag::Shared;
  return inst;
}

/// \p shared in registers of the fibers.
static Register toFibers(Selector &selector, ir3::Instruction *shared) {
  return selector.builder().move(shared->value())->value();
}

/// The mask of active fibers as two dwords. A condition that is always true needs no branch: movmsk
/// reads the mask.
static void ballot(Selector &selector, CallInst &call) {
  const auto *constant = dyn_cast<ConstantInt>(call.getArgOperand(0));
  bool isAll = constant && constant->isOne();
  ir3::Instruction *mask =
      isAll ? createShared(selector, Opcode::Movmsk, {}, 2)
            : createShared(selector, Opcode::MacroBallot,
                           {toPredicate(selector, selector.getOne(call.getArgOperand(0)))}, 2);
  Scalars result;
  for (ir3::Instruction *part : selector.builder().splitAll(mask))
    result.push_back(toFibers(selector, part));
  selector.set(&call, std::move(result));
}

/// A move into a shared register takes the value of the first active fiber (docs/ir3-machine.md,
/// and Mesa 25.0, ir3_lower_subgroups.c, OPC_READ_FIRST_MACRO).
static void readFirst(Selector &selector, CallInst &call) {
  ir3::Instruction *shared =
      createShared(selector, Opcode::Mov, {selector.getOne(call.getArgOperand(0))}, 1);
  selector.set(&call, {toFibers(selector, shared)});
}

/// The fiber in which the condition holds writes a shared register. It must hold in exactly
/// one active fiber.
static void readWhere(Selector &selector, CallInst &call) {
  Register predicate = toPredicate(selector, selector.getOne(call.getArgOperand(0)));
  ir3::Instruction *shared = createShared(selector, Opcode::MacroRead,
                                          {predicate, selector.getOne(call.getArgOperand(1))}, 1);
  selector.set(&call, {toFibers(selector, shared)});
}

/// One instruction on the arguments of the call; that of shfl is always xor.
template <Opcode Code> static void exchange(Selector &selector, CallInst &call) {
  SmallVector<Register, 2> sources;
  for (const Use &argument : call.args())
    sources.push_back(selector.getOne(argument.get()));
  ir3::Instruction *inst = selector.builder().create(Code, sources);
  inst->fields.type = U32;
  if (Code == Opcode::Shfl)
    inst->fields.shuffle = ShuffleXor;
  selector.set(&call, {inst->value()});
}

/// The shared register begins with the neutral value. The group holds the value in its second
/// register; the others are results.
static void scan(Selector &selector, CallInst &call) {
  ir3::Builder &builder = selector.builder();
  ir3::Instruction *shared =
      createShared(selector, Opcode::Mov, {selector.getOne(call.getArgOperand(1))}, 1);
  Register group = builder
                       .collect({Register::undefined(), selector.getOne(call.getArgOperand(0)),
                                 Register::undefined()})
                       ->value();
  ir3::Instruction *inst =
      builder.create(Opcode::MacroScan, {group, shared->value()}, false, group.size);
  inst->fields.reduction =
      static_cast<int32_t>(cast<ConstantInt>(call.getArgOperand(2))->getZExtValue());
  Scalars result;
  for (ir3::Instruction *part : builder.splitAll(inst))
    result.push_back(part->value());
  selector.set(&call, std::move(result));
}

namespace {
/// A function of lower/WaveFunctions.h by its name.
struct WaveFunctionRow {
  StringLiteral name; ///< Of the function without a body.
  /// Sets the scalars of the call's result.
  void (*select)(Selector &selector, CallInst &call);
};
} // namespace

/// All functions of lower/WaveFunctions.h.
static constexpr WaveFunctionRow rows[] = {
    {"ir3.ballot", ballot},
    {"ir3.read.first", readFirst},
    {"ir3.read.where", readWhere},
    {"ir3.quad.horizontal", exchange<Opcode::QuadShuffleHoriz>},
    {"ir3.quad.vertical", exchange<Opcode::QuadShuffleVert>},
    {"ir3.quad.diagonal", exchange<Opcode::QuadShuffleDiag>},
    {"ir3.quad.broadcast", exchange<Opcode::QuadShuffleBrcst>},
    {"ir3.shuffle.xor", exchange<Opcode::Shfl>},
    {"ir3.scan", scan},
};

/// Returns false for calls of other functions, and true after a failure on a chip without shared
/// registers.
bool ir3::selectWaveFunction(Selector &selector, CallInst &call) {
  const Function *callee = call.getCalledFunction();
  const auto *row = find_if(
      rows, [&](const WaveFunctionRow &each) { return callee && each.name == callee->getName(); });
  if (row == std::end(rows))
    return false;
  if (selector.program().compiler().hasSlots())
    selector.fail(call, "a subgroup operation on a chip without registers that a wave shares");
  else
    row->select(selector, call);
  return true;
}
