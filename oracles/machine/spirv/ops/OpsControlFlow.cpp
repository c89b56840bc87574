// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls and returns ("Control-Flow Instructions", "Function Instructions"). Each
// invocation goes its own way; where it matters who goes together, it counts the loops that it is
// in.
#include "oracles/machine/spirv/ops/Ops.h"

#include "support/Error.h"
#include "support/Fault.h"
#include <algorithm>
#include <cassert>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Phis read all their values before any of them is written.
static void copyInParallel(Invocation &invocation, const PhiCopy *copies, uint32_t count,
                           bool inOrder) {
  if (inOrder) {
    for (uint32_t i = 0; i < count; ++i)
      copyScalars(invocation.at(copies[i].src), copies[i].n, invocation.at(copies[i].dst));
    return;
  }
  SmallVector<Scalar, 32> values;
  for (uint32_t i = 0; i < count; ++i) {
    const Scalar *source = invocation.at(copies[i].src);
    values.append(source, source + copies[i].n);
  }
  const Scalar *next = values.begin();
  for (uint32_t i = 0; i < count; ++i) {
    copyScalars(next, copies[i].n, invocation.at(copies[i].dst));
    next += copies[i].n;
  }
}

/// Keeps Invocation::loops: what the edge leaves, and the loop whose header it goes to.
static void moveLoops(Invocation &invocation, const Edge &edge, const Inst *header) {
  invocation.loops.resize(invocation.loops.size() - edge.loopsLeft);
  if (edge.step == LoopStep::Enter)
    invocation.loops.push_back({header, 0});
  else if (edge.step == LoopStep::Iterate)
    ++invocation.loops.back().iteration;
}

/// Copies the phis of the edge, moves the program counter, and updates the loop records where the
/// edge enters, repeats or leaves a loop.
Status reference::takeEdge(Invocation &invocation, uint32_t index) {
  const Program &program = invocation.program();
  const Edge &edge = program.edges[index];
  if (edge.copyCount)
    copyInParallel(invocation, &program.copies[edge.firstCopy], edge.copyCount, edge.copiesInOrder);
  invocation.pc = edge.to;
  if (edge.movesLoops())
    moveLoops(invocation, edge, invocation.pc);
  return Status::Jump;
}

/// extra: the edge.
static Error prepareBranch(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> edge = decoder.edgeTo(operands[0]);
  if (!edge)
    return edge.takeError();
  inst.extra = *edge;
  return Error::success();
}

/// extra: the edge.
static Status branch(Invocation &invocation, const Inst &inst) {
  return takeEdge(invocation, inst.extra);
}

/// op[0] the condition, op[1] and op[2] the edges.
static Error prepareConditional(Decoder &decoder, Operands operands, Inst &inst) {
  for (unsigned i = 1; i <= 2; ++i) {
    Expected<uint32_t> edge = decoder.edgeTo(operands[i]);
    if (!edge)
      return edge.takeError();
    inst.op[i] = *edge;
  }
  return decoder.refs(operands.take_front(), inst);
}

/// A condition that precision leaves open may be chosen (Execution::chooseWay()). Any other poison
/// ends the run. No constant has such a condition: OpSpecConstantOp compares no floats in shaders.
static Status branchConditional(Invocation &invocation, const Inst &inst) {
  Scalar &condition = *invocation.at(inst.op[0]);
  if (condition.isPoison())
    if (std::optional<bool> choice = invocation.execution->chooseWay(condition, invocation, inst)) {
      assert(!(inst.op[0] & ConstantBit) && "runs share the constants");
      condition = Scalar::boolean(*choice); // For all who look at it later.
    }
  if (condition.isPoison())
    return invocation.execution->poisonUsed(condition, "a branch", invocation, inst);
  return takeEdge(invocation, condition.bits ? inst.op[1] : inst.op[2]);
}

/// op[0] the selector, extra the Switch. Literals of 64 bits have two words, the low one first.
static Error prepareSwitch(Decoder &decoder, Operands operands, Inst &inst) {
  Program &program = decoder.program();
  const spirv::Type &type = decoder.module().type(decoder.typeOf(operands[0]));
  unsigned words = type.width > 32 ? 2 : 1;
  Expected<uint32_t> otherwise = decoder.edgeTo(operands[1]);
  if (!otherwise)
    return otherwise.takeError();
  Switch table{static_cast<uint32_t>(program.cases.size()), 0, *otherwise};
  for (size_t i = 2; i + words < operands.size(); i += words + 1) {
    uint64_t value = operands[i];
    if (words == 2)
      value |= uint64_t(operands[i + 1]) << 32;
    Expected<uint32_t> edge = decoder.edgeTo(operands[i + words]);
    if (!edge)
      return edge.takeError();
    program.cases.push_back({value & maskOf(type.width), *edge});
    ++table.caseCount;
  }
  inst.extra = static_cast<uint32_t>(program.switches.size());
  program.switches.push_back(table);
  return decoder.refs(operands.take_front(), inst);
}

/// Takes the edge of the first case with the selector's value, else the default.
static Status switchTo(Invocation &invocation, const Inst &inst) {
  const Program &program = invocation.program();
  const Scalar &selector = *invocation.at(inst.op[0]);
  if (selector.isPoison())
    return invocation.execution->poisonUsed(selector, "a switch", invocation, inst);
  const Switch &table = program.switches[inst.extra];
  for (uint32_t i = 0; i < table.caseCount; ++i)
    if (const SwitchCase &entry = program.cases[table.firstCase + i];
        entry.value == selector.bits && !faultPlanted(Fault::ReferenceSwitch))
      return takeEdge(invocation, entry.edge);
  return takeEdge(invocation, table.defaultEdge);
}

/// See CallSite::pointees.
static uint32_t pointeeScalars(Decoder &decoder, spirv::Id argument) {
  const spirv::Type *type = decoder.module().findType(decoder.typeOf(argument));
  if (!type || type->kind != spirv::TypeKind::Pointer)
    return type ? 0 : ~0u;
  Expected<uint32_t> memory = decoder.pointeeOf(argument);
  if (!memory) {
    consumeError(memory.takeError()); // Only readers of CallSite::pointees need it.
    return ~0u;
  }
  uint32_t scalars = decoder.program().memoryTypes[*memory].scalars;
  return scalars ? scalars : ~0u;
}

/// extra: the CallSite, with a copy for each argument into the callee's frame.
static Error prepareCall(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> callee = decoder.functionIndex(operands[0]);
  if (!callee)
    return callee.takeError();
  Expected<std::vector<uint32_t>> slots = decoder.parameterSlots(operands[0]);
  if (!slots)
    return slots.takeError();
  if (slots->size() != operands.size() - 1)
    return invalidInput("wrong number of arguments");
  CallSite site;
  site.function = *callee;
  for (size_t i = 0; i < slots->size(); ++i) {
    Expected<uint32_t> source = decoder.ref(operands[i + 1]);
    if (!source)
      return source.takeError();
    Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(operands[i + 1]));
    if (!count)
      return count.takeError();
    site.arguments.push_back({(*slots)[i], *source, *count});
    site.pointees.push_back(pointeeScalars(decoder, operands[i + 1]));
  }
  decoder.noteCall(*callee);
  inst.extra = static_cast<uint32_t>(decoder.program().calls.size());
  decoder.program().calls.push_back(std::move(site));
  return Error::success();
}

/// The callee's frame begins after that of the caller. Recursion is undefined behaviour.
static Status call(Invocation &invocation, const Inst &inst) {
  const Program &program = invocation.program();
  const CallSite &site = program.calls[inst.extra];
  const FunctionCode &callee = program.functions[site.function];
  if (callee.recursive)
    return invocation.execution->undefinedBehavior("UB-RECURSION", invocation, inst,
                                                   "the function can reach itself");
  uint32_t frame = invocation.frameBase + program.functions[invocation.function].frameSlots;
  for (const PhiCopy &argument : site.arguments)
    copyScalars(invocation.at(argument.src), argument.n, invocation.stack + frame + argument.dst);
  invocation.calls.push_back({&inst, invocation.frameBase, invocation.function,
                              static_cast<uint32_t>(invocation.loops.size())});
  invocation.frameBase = frame;
  invocation.base[0] = invocation.stack + frame;
  invocation.function = site.function;
  invocation.pc = callee.code.data();
  return Status::Jump;
}

/// Goes back after the call, with \p n scalars of result from \p value.
static Status leave(Invocation &invocation, const Scalar *value, uint32_t n) {
  if (invocation.calls.empty())
    return Status::Done;
  CallRecord record = invocation.calls.back();
  invocation.calls.pop_back();
  invocation.frameBase = record.frameBase;
  invocation.base[0] = invocation.stack + record.frameBase;
  invocation.function = record.function;
  invocation.loops.resize(record.loopCount);
  copyScalars(value, n, invocation.at(record.call->dst));
  invocation.pc = record.call + 1;
  return Status::Jump;
}

/// For instructions without operands.
static Error prepareNothing(Decoder &, Operands, Inst &) {
  return Error::success();
}

/// Ends the invocation when it leaves the entry point.
static Status returnVoid(Invocation &invocation, const Inst &) {
  return leave(invocation, nullptr, 0);
}

/// n: the scalars of the returned value.
static Error prepareReturn(Decoder &decoder, Operands operands, Inst &inst) {
  Expected<uint32_t> count = decoder.scalarCount(decoder.typeOf(operands[0]));
  if (!count)
    return count.takeError();
  inst.n = *count;
  return decoder.refs(operands, inst);
}

/// op[0]: the value, which is copied to the result of the call.
static Status returnValue(Invocation &invocation, const Inst &inst) {
  return leave(invocation, invocation.at(inst.op[0]), inst.n);
}

/// Undefined behaviour as soon as an invocation gets there.
static Status unreachable(Invocation &invocation, const Inst &inst) {
  return invocation.execution->undefinedBehavior("UB-UNREACHABLE", invocation, inst,
                                                 "control flow gets here");
}

/// OpKill and its kin are in OpsFragment.cpp, phis in the edges.
ArrayRef<OpRow> reference::controlFlowOps() {
  using spv::Op;
  static const OpRow rows[] = {
      {uint32_t(Op::OpBranch), prepareBranch, branch},
      {uint32_t(Op::OpBranchConditional), prepareConditional, branchConditional},
      {uint32_t(Op::OpSwitch), prepareSwitch, switchTo},
      {uint32_t(Op::OpFunctionCall), prepareCall, call},
      {uint32_t(Op::OpReturn), prepareNothing, returnVoid},
      {uint32_t(Op::OpReturnValue), prepareReturn, returnValue},
      {uint32_t(Op::OpUnreachable), prepareNothing, unreachable},
  };
  return rows;
}
