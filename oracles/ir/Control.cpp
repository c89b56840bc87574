// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow: branches, calls, returns; and which handler an instruction has.
#include "oracles/ir/ExecutionLog.h"
#include "oracles/ir/Handlers.h"
#include "oracles/ir/Machine.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

/// br: each lane takes its edge.
static void runBranch(Machine &machine, const Inst &inst) {
  bool isConditional = inst.edges.size() == 2;
  for (Lane *lane : machine.group()) {
    bool isElse = false;
    if (isConditional) {
      const Scalar &condition = *lane->get(inst.operands[0]);
      if (condition.isPoison)
        return machine.stop(RunState::Undefined, "a branch on poison");
      isElse = condition.bits.isZero();
    }
    machine.takeEdge(*lane, inst.edges[isElse]);
  }
}

/// switch: operand 0 is the value, the others are cases; edge 0 is the default.
static void runSwitch(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    const Scalar &value = *lane->get(inst.operands[0]);
    if (value.isPoison)
      return machine.stop(RunState::Undefined, "a switch on poison");
    unsigned chosen = 0;
    for (unsigned i = 1; i < inst.operands.size() && !chosen; ++i)
      if (inst.operands[i].constant->bits == value.bits)
        chosen = i;
    machine.takeEdge(*lane, inst.edges[chosen]);
  }
}

/// ret: leaves the frame of each lane. A lane that leaves its first frame is done.
static void runReturn(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    if (inst.operands.empty())
      machine.leave(*lane, nullptr, 0);
    else
      machine.leave(*lane, lane->get(inst.operands[0]), inst.operands[0].count);
  }
}

/// A lane that comes here has undefined behaviour.
static void runUnreachable(Machine &machine, const Inst &) {
  machine.stop(RunState::Undefined, "unreachable");
}

/// What \p call calls in \p lane; null, and the machine stopped, if that is nothing.
/// An indirect call must match in type and calling convention.
static const Function *findCallee(Machine &machine, Lane &lane, const CallBase &call,
                                  const Inst &inst) {
  const Function *callee = call.getCalledFunction();
  if (!callee) {
    const Operand &operand = inst.operands.back();
    if (operand.count != 1) {
      machine.stop(RunState::Unsupported, "inline assembly");
      return nullptr;
    }
    const Scalar &pointer = *lane.get(operand);
    if (!pointer.isPoison)
      callee = machine.spaces().functionAt(pointer.bits.getZExtValue());
    if (!callee || callee->getFunctionType() != call.getFunctionType() ||
        callee->getCallingConv() != call.getCallingConv()) {
      machine.stop(RunState::Undefined, "a call of what is no such function");
      return nullptr;
    }
  }
  if (callee->isDeclaration()) {
    machine.stop(RunState::Unsupported, "a call of the declaration " + callee->getName());
    return nullptr;
  }
  return callee;
}

/// call of a function with a body. Lanes may call different functions. Unsupported for arguments
/// passed by value and for variable arguments.
static void runCall(Machine &machine, const Inst &inst) {
  const auto &call = *cast<CallBase>(inst.ir);
  unsigned count = call.arg_size();
  for (unsigned i = 0; i < count; ++i)
    if (call.isPassPointeeByValueArgument(i))
      return machine.stop(RunState::Unsupported, "a call with an argument passed by value");
  if (call.getFunctionType()->isVarArg())
    return machine.stop(RunState::Unsupported, "a call with variable arguments");
  SmallVector<const Scalar *, 8> arguments(count);
  for (Lane *lane : machine.group()) {
    const Function *callee = findCallee(machine, *lane, call, inst);
    if (!callee)
      return;
    for (unsigned i = 0; i < count; ++i)
      arguments[i] = lane->get(inst.operands[i]);
    machine.enter(*lane, machine.program().get(*callee), arguments);
    if (machine.isStopped())
      return;
  }
}

/// Inline assembly without text, which only hides a value from the optimiser: "=s,0".
static void runTied(Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group())
    std::copy_n(lane->get(inst.operands[0]), inst.count, lane->slots + inst.slot);
}

/// Inline assembly without operands has no effect.
static void runNothing(Machine &, const Inst &) {}

/// Null where \p call is no inline assembly without text.
/// Handles assembly without operands and that with one tied operand.
static Handler findAssembly(const CallInst &call) {
  const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!text || !text->getAsmString().empty())
    return nullptr;
  if (call.arg_empty() && call.getType()->isVoidTy())
    return runNothing;
  bool isTied = call.arg_size() == 1 && text->getConstraintString().ends_with(",0") &&
                call.getArgOperand(0)->getType() == call.getType();
  return isTied ? runTied : nullptr;
}

/// Stops the machine as unsupported, with the name of the instruction or intrinsic.
static void runUnknown(Machine &machine, const Inst &inst) {
  if (auto *call = dyn_cast<IntrinsicInst>(inst.ir))
    return machine.stop(RunState::Unsupported, "intrinsic " + call->getCalledFunction()->getName());
  machine.stop(RunState::Unsupported, Twine("instruction ") + inst.ir->getOpcodeName());
}

ArrayRef<OpcodeRow> controlOpcodes() {
  static constexpr OpcodeRow Rows[] = {
      {Instruction::Br, runBranch},  {Instruction::Switch, runSwitch},
      {Instruction::Ret, runReturn}, {Instruction::Unreachable, runUnreachable},
      {Instruction::Call, runCall},
  };
  return Rows;
}

namespace {
/// All rows by opcode or intrinsic, built once.
struct HandlerTables {
  DenseMap<unsigned, Handler> opcodes;
  DenseMap<unsigned, Handler> intrinsics;

  HandlerTables() {
    for (ArrayRef<OpcodeRow> rows : {integerOpcodes(), floatOpcodes(), castOpcodes(),
                                     vectorOpcodes(), controlOpcodes(), accessOpcodes()})
      for (const OpcodeRow &row : rows)
        opcodes[row.opcode] = row.run;
    for (ArrayRef<IntrinsicRow> rows :
         {copyIntrinsics(), bufferIntrinsics(), waveIntrinsics(), hintIntrinsics(),
          integerIntrinsics(), floatIntrinsics(), maskedIntrinsics(), vectorIntrinsics(),
          exchangeIntrinsics(), ldsLoadIntrinsics()})
      for (const IntrinsicRow &row : rows)
        intrinsics[row.id] = row.run;
  }
};
} // namespace

/// See probeName.
/// Appends a value, or a mark without one, to the log of each lane; without a log it does nothing.
static void runProbe(Machine &machine, const Inst &inst) {
  unsigned values = cast<CallInst>(inst.ir)->arg_size() - 1;
  for (Lane *lane : machine.group()) {
    auto [log, thread] = machine.logOf(lane->number);
    if (!log)
      return;
    auto number = static_cast<uint32_t>(lane->get(inst.operands[0])->bits.getZExtValue());
    Value value;
    for (const Operand &operand : ArrayRef(inst.operands).slice(1, values))
      value.insert(value.end(), lane->get(operand), lane->get(operand) + operand.count);
    if (values)
      log->addValue(thread, number, std::move(value));
    else
      log->addMark(thread, number);
  }
}

/// Null where neither its text nor \p environment says what \p call does.
/// An environment only decides about declarations.
static Handler findForCall(const CallInst &call, const Environment *environment) {
  if (call.isInlineAsm())
    return findAssembly(call);
  const Function *callee = call.getCalledFunction();
  if (callee && callee->getName().starts_with(probeName))
    return runProbe;
  bool isForeign = environment && callee && callee->isDeclaration();
  return isForeign ? environment->findCall(*callee) : nullptr;
}

/// Returns the handler for an intrinsic or an opcode, null if there is none.
static Handler findInTables(const Instruction &instruction) {
  static const HandlerTables tables;
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction))
    return tables.intrinsics.lookup(intrinsic->getIntrinsicID());
  return tables.opcodes.lookup(instruction.getOpcode());
}

Handler findHandler(const Instruction &instruction, const Environment *environment) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  Handler handler = call ? findForCall(*call, environment) : nullptr;
  if (!handler)
    handler = findInTables(instruction);
  return handler ? handler : runUnknown;
}

} // namespace assay::ir
