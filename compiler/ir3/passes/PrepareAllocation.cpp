// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies at phis are Sreedhar's first method ("Translating out of static single assignment
// form", SAS 1999).
#include "compiler/ir3/passes/PrepareAllocation.h"

using namespace llvm;

namespace assay::ir3 {

/// A move of \p source of \p size scalars into a new value; it is in no block yet.
static Instruction *createCopy(Program &program, const Register &source, bool half, unsigned size) {
  Instruction *copy = program.createInstruction(Opcode::Mov);
  copy->fields.type = copy->fields.sourceType = half ? U16 : U32;
  copy->dst().flags = registerflag::Ssa | (half ? registerflag::Half : 0);
  copy->dst().size = uint8_t(size);
  copy->registers.push_back(source);
  return copy;
}

/// Copies each defined source at the end of its predecessor.
static void isolatePhi(Program &program, Instruction &phi) {
  bool half = phi.dst().isHalf();
  for (auto [source, from] : zip(phi.sources(), phi.phiBlocks)) {
    if (source.is(registerflag::Undefined))
      continue;
    Instruction *copy = createCopy(program, source, half, phi.dst().size);
    from->insertAtEnd(copy);
    source = copy->value();
  }
}

using Copies = DenseMap<const Instruction *, Instruction *>;

/// A copy of the result, which all other uses will read.
static Instruction *copyResult(Program &program, Instruction &inst, Copies &copies) {
  Instruction *copy = createCopy(program, inst.value(), inst.dst().isHalf(), inst.dst().size);
  copy->block = inst.block;
  copies[&inst] = copy;
  return copy;
}

/// Replaces copied results in all sources except those of the copies themselves.
static void useCopies(Program &program, const Copies &copies) {
  for (Instruction *inst : program.instructions()) {
    for (Register &source : inst->sources()) {
      Instruction *copy = source.isSsa() ? copies.lookup(source.def) : nullptr;
      if (copy && copy != inst)
        source.def = copy;
    }
  }
}

void isolateSource(Program &program, Instruction &inst, Register &source, bool half) {
  Instruction *copy = createCopy(program, source, half, std::max<unsigned>(source.size, 1));
  inst.block->insertBefore(&inst, copy);
  source = copy->value();
}

/// Makes the defined sources of \p collect copies.
static void isolateGroup(Program &program, Instruction &collect) {
  for (Register &source : collect.sources())
    if (!source.is(registerflag::Undefined))
      isolateSource(program, collect, source, collect.dst().isHalf());
}

void isolateGroups(Program &program) {
  for (Instruction *inst : program.instructions())
    if (inst->opcode == Opcode::MetaCollect)
      isolateGroup(program, *inst);
}

/// Moves the outputs to the end of their block, after the last use of each input, and makes their
/// sources values. Returns whether there are any.
static bool placeOutputs(Program &program) {
  bool hasOutputs = false;
  for (Instruction *inst : program.instructions()) {
    if (inst->opcode != Opcode::MetaOutput)
      continue;
    hasOutputs = true;
    Block &block = *inst->block;
    erase(block.instructions, inst);
    block.insertAtEnd(inst);
    if (!inst->registers[1].isSsa())
      isolateSource(program, *inst, inst->registers[1], inst->dst().isHalf());
  }
  return hasOutputs;
}

/// Copies of results are made in one pass over the program, and their uses are replaced at the end.
void prepareAllocation(Program &program, Grouping grouping) {
  bool hasOutputs = placeOutputs(program);
  for (Instruction *inst : program.instructions())
    if (inst->opcode == Opcode::MetaPhi)
      isolatePhi(program, *inst);
  Copies copies;
  for (Instruction *inst : program.instructions()) {
    if (inst->opcode == Opcode::MetaPhi) {
      auto isPhi = [](Instruction *other) { return other->opcode == Opcode::MetaPhi; };
      auto &list = inst->block->instructions;
      Instruction *copy = copyResult(program, *inst, copies);
      list.insert(std::find_if_not(list.begin(), list.end(), isPhi), copy);
    } else if (inst->opcode == Opcode::MetaInput) {
      bool isFixed = inst->dst().isAssigned() && !inst->dst().is(registerflag::Special);
      if (isFixed && (inst->dst().size == 1 || hasOutputs))
        inst->block->insertAtStart(copyResult(program, *inst, copies));
    } else if (inst->opcode == Opcode::MetaCollect) {
      if (grouping == Grouping::MergeSets)
        isolateGroup(program, *inst);
    } else if (inst->info().has(property::Tied)) {
      isolateSource(program, *inst, inst->registers[1], inst->dst().isHalf());
    }
  }
  useCopies(program, copies);
}

} // namespace assay::ir3
