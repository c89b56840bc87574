// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Builder.h"

#include <cassert>

using namespace llvm;

namespace assay::ir3 {

/// An SSA destination of \p size scalars with the flags \p more in addition; it has no register
/// yet.
static Register resultOf(bool half, unsigned size, uint32_t more = 0) {
  Register result;
  result.flags = registerflag::Ssa | (half ? registerflag::Half : 0) | more;
  result.size = uint8_t(size);
  return result;
}

/// The block must not have a terminator yet.
Instruction *Builder::append(Instruction *inst) {
  assert(!m_block->terminator() && "the block has ended");
  inst->block = m_block;
  m_block->instructions.push_back(inst);
  return inst;
}

/// Category 6 gets \p size as its field size, and category 5 a write mask of as many components.
Instruction *Builder::create(Opcode opcode, ArrayRef<Register> sources, bool half, unsigned size) {
  Instruction *inst = m_program.createInstruction(opcode);
  if (inst->info().has(property::HasDst))
    inst->dst() = resultOf(half, size);
  inst->registers.append(sources.begin(), sources.end());
  if (inst->info().category == 6)
    inst->fields.size = int32_t(size);
  if (inst->info().category == 5)
    inst->fields.writeMask = int32_t((1U << size) - 1);
  return append(inst);
}

Instruction *Builder::createFlat(Opcode opcode, std::initializer_list<Instruction *> sources,
                                 bool half) {
  SmallVector<Register, 4> registers;
  for (Instruction *source : sources)
    registers.push_back(source->value());
  return create(opcode, registers, half);
}

/// The source keeps its width; the types must agree with it.
Instruction *Builder::move(Register source, Type from, Type to) {
  Instruction *inst = create(Opcode::Mov, {source}, isHalfType(to));
  inst->fields.sourceType = from;
  inst->fields.type = to;
  return inst;
}

Instruction *Builder::move(Register source, bool half) {
  Type type = half ? U16 : U32;
  return move(source, type, type);
}

/// The destination is p0, without a component yet.
Instruction *Builder::compare(Opcode opcode, Condition condition, Register left, Register right) {
  Instruction *inst = create(opcode, {left, right});
  inst->dst() = resultOf(false, 1, registerflag::Predicate);
  inst->fields.condition = condition;
  return inst;
}

Instruction *Builder::compareValue(Opcode opcode, Condition condition, Register left,
                                   Register right, bool half) {
  Instruction *inst = create(opcode, {left, right}, half);
  inst->fields.condition = condition;
  return inst;
}

/// Numbers in the range of shared registers make the value a shared one.
Instruction *Builder::input(unsigned number, unsigned size, bool half) {
  Instruction *inst = create(Opcode::MetaInput, {}, half, size);
  inst->dst().number = uint16_t(number);
  if (number >= reg::Shared && number < reg::SharedEnd)
    inst->dst().flags |= registerflag::Shared;
  return inst;
}

/// The first source decides whether the result is half.
Instruction *Builder::collect(ArrayRef<Register> sources) {
  bool half = !sources.empty() && sources[0].isHalf();
  return create(Opcode::MetaCollect, sources, half, unsigned(sources.size()));
}

/// A component of a shared vector is shared, too.
Instruction *Builder::split(Instruction *vector, unsigned index) {
  Instruction *inst = create(Opcode::MetaSplit, {vector->value()}, vector->dst().isHalf());
  inst->dst().flags |= vector->dst().flags & registerflag::Shared;
  inst->fields.index = int32_t(index);
  return inst;
}

SmallVector<Instruction *, 4> Builder::splitAll(Instruction *vector) {
  SmallVector<Instruction *, 4> result;
  for (unsigned i = 0; i < vector->dst().size; ++i)
    result.push_back(split(vector, i));
  return result;
}

/// Inserted after the phis that the block has. The block may have other instructions already.
Instruction *Builder::phi(bool half) {
  Instruction *inst = m_program.createInstruction(Opcode::MetaPhi);
  inst->dst() = resultOf(half, 1);
  inst->block = m_block;
  auto place = find_if(m_block->instructions,
                       [](Instruction *other) { return other->opcode != Opcode::MetaPhi; });
  m_block->instructions.insert(place, inst);
  return inst;
}

void Builder::addPhiSource(Instruction *phi, Register source, Block *predecessor) {
  phi->registers.push_back(source);
  phi->phiBlocks.push_back(predecessor);
}

Instruction *Builder::moveAddress(Register source) {
  Instruction *inst = move(source, S16, S16);
  inst->dst() = resultOf(true, 1, registerflag::Address);
  return inst;
}

Instruction *Builder::moveAddress1(Register source) {
  Instruction *inst = move(source, U16, U16);
  inst->dst() = resultOf(true, 1, registerflag::Address1);
  return inst;
}

Instruction *Builder::loadArray(unsigned id, unsigned offset, Instruction *address) {
  bool half = m_program.arrays[id].half;
  Instruction *inst = move(Register::array(id, offset, address, half), half);
  inst->address = address;
  return inst;
}

/// The stored element is the destination of a move; \p address null means a fixed element.
Instruction *Builder::storeArray(unsigned id, unsigned offset, Instruction *address,
                                 Register source) {
  bool half = m_program.arrays[id].half;
  Instruction *inst = move(source, half);
  inst->dst() = Register::array(id, offset, address, half);
  inst->address = address;
  return inst;
}

void Builder::jump(Block *target) {
  create(Opcode::Jump, {});
  m_block->successors = {target, nullptr};
}

/// Ends the block. \p other may be null and set later.
Instruction *Builder::branch(Register predicate, Block *taken, Block *other, bool invert,
                             Opcode opcode) {
  Instruction *inst = create(opcode, {predicate});
  inst->fields.invert1 = invert;
  m_block->successors = {taken, other};
  return inst;
}

/// getone jumps with all fibers but one.
void Builder::getOne(Block *one, Block *others) {
  create(Opcode::Getone, {});
  m_block->successors = {others, one};
}

Instruction *Builder::output(Register source, unsigned number) {
  Instruction *inst = create(Opcode::MetaOutput, {source}, source.isHalf(), source.size);
  inst->dst().number = uint16_t(number);
  return inst;
}

void Builder::token() {
  create(Opcode::MetaToken, {});
}

void Builder::end(ArrayRef<Register> outputs) {
  create(Opcode::End, outputs);
}

} // namespace assay::ir3
