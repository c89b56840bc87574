// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Program.h"

#include "support/Ir3Fault.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace assay::ir3 {

Register Register::constant(unsigned dword, bool half) {
  Register result;
  result.flags = registerflag::Const | (half ? registerflag::Half : 0);
  result.number = uint16_t(dword);
  return result;
}

Register Register::immediate(uint32_t bits, bool half) {
  Register result;
  result.flags = registerflag::Immediate | (half ? registerflag::Half : 0);
  result.value = int32_t(bits);
  return result;
}

Register Register::relativeConst(int32_t offset, bool half) {
  Register result;
  result.flags = registerflag::Const | registerflag::Relative | (half ? registerflag::Half : 0);
  result.value = offset;
  return result;
}

Register Register::array(unsigned id, unsigned offset, bool isRelative, bool half) {
  Register result;
  result.flags = registerflag::Array | (isRelative ? registerflag::Relative : 0) |
                 (half ? registerflag::Half : 0);
  result.arrayId = uint16_t(id);
  result.arrayOffset = uint16_t(offset);
  return result;
}

Register Register::physical(unsigned number, bool half) {
  Register result;
  result.flags = half ? registerflag::Half : 0;
  result.number = uint16_t(number);
  return result;
}

Register Register::undefined(bool half) {
  Register result;
  result.flags = registerflag::Undefined | (half ? registerflag::Half : 0);
  return result;
}

/// With \p isImage, the bits of buffers become those of images.
BarrierClass BarrierClass::of(Opcode opcode, bool isImage) {
  BarrierClass result(infoOf(opcode).properties);
  unsigned buffer = 2 * unsigned(Memory::Buffer), image = 2 * unsigned(Memory::Image);
  if (isImage) {
    uint32_t bits = result.m_bits >> buffer & 3;
    result.m_bits = (result.m_bits & ~(3u << buffer)) | bits << image;
  }
  return result;
}

/// Writes conflict with reads and writes of the same kind; reads of fibers that are active only
/// with what nothing may pass.
bool BarrierClass::conflictsWith(BarrierClass other) const {
  constexpr uint32_t Everything = uint32_t(property::Everything >> property::BarrierShift);
  constexpr uint32_t Reads = 0x1555, Writes = 0x2aaa;
  if (!m_bits || !other.m_bits)
    return false;
  if ((m_bits | other.m_bits) & Everything)
    return true;
  uint32_t mine = (m_bits & Writes) | (m_bits & Writes) >> 1;
  uint32_t theirs = (other.m_bits & Writes) | (other.m_bits & Writes) >> 1;
  return (mine & (other.m_bits & (Reads | Writes))) || (theirs & m_bits);
}

bool Instruction::isPlainMove() const {
  if (opcode != Opcode::Mov || registers.size() != 2)
    return false;
  bool isTyped = fields.type == fields.sourceType;
  return isTyped && !fields.round && !fields.saturate && !fields.repeat &&
         dst().isHalf() == registers[1].isHalf() && !dst().is(registerflag::Special);
}

/// That of the opcode, and of arrays: operands of arrays are reads and writes of their memory kind.
BarrierClass Instruction::barrierClass() const {
  BarrierClass result = BarrierClass::of(opcode, isImage);
  if (dst().isArray())
    result = result | BarrierClass::writes(Memory::Array);
  if (any_of(sources(), [](const Register &source) { return source.isArray(); }))
    result = result | BarrierClass::reads(Memory::Array);
  return result;
}

SmallVector<Instruction *, 4> Instruction::ssaSources() const {
  SmallVector<Instruction *, 4> result;
  for (const Register &source : sources())
    if (source.isSsa())
      result.push_back(source.def);
  if (address)
    result.push_back(address);
  return result;
}

/// Keeps width, size and file of the destination. The register is not copied: it may not be
/// assigned yet.
Register Instruction::value() {
  constexpr uint32_t Kept = registerflag::Half | registerflag::Special;
  Register result;
  result.flags = registerflag::Ssa | (dst().flags & Kept);
  result.size = dst().size;
  result.def = this;
  return result;
}

/// The different successors, without null.
SmallVector<Block *, 2> Block::successorList() const {
  SmallVector<Block *, 2> result;
  for (Block *successor : successors)
    if (successor && !is_contained(result, successor))
      result.push_back(successor);
  return result;
}

/// \p place must be in this block; otherwise \p inst is appended.
void Block::insertBefore(Instruction *place, Instruction *inst) {
  inst->block = this;
  instructions.insert(find(instructions, place), inst);
}

void Block::insertAfter(Instruction *place, Instruction *inst) {
  inst->block = this;
  auto found = find(instructions, place);
  assert(found != instructions.end());
  instructions.insert(found + 1, inst);
}

void Block::insertAtEnd(Instruction *inst) {
  inst->block = this;
  instructions.insert(terminator() ? instructions.end() - 1 : instructions.end(), inst);
}

void Block::insertAtStart(Instruction *inst) {
  inst->block = this;
  auto found = find_if(instructions, [](Instruction *other) {
    return other->opcode != Opcode::MetaPhi && other->opcode != Opcode::MetaInput;
  });
  instructions.insert(found, inst);
}

Block *Program::createBlock() {
  blocks.push_back(std::make_unique<Block>(unsigned(blocks.size())));
  return blocks.back().get();
}

/// The program owns it until its end, even when no block has it.
Instruction *Program::createInstruction(Opcode opcode) {
  Instruction &inst = m_instructions.emplace_back();
  inst.opcode = opcode;
  inst.registers.emplace_back();
  inst.name = m_nextName++;
  return &inst;
}

Instruction *Program::clone(const Instruction &inst) {
  Instruction &copy = m_instructions.emplace_back(inst);
  copy.name = m_nextName++;
  copy.block = nullptr;
  return &copy;
}

unsigned Program::createArray(unsigned size, bool half) {
  Array array;
  array.id = unsigned(arrays.size());
  array.size = size;
  array.half = half;
  arrays.push_back(array);
  return array.id;
}

/// Immediates begin at the next vector after the dwords of the interface, in the order of their
/// first use.
std::optional<unsigned> Program::constantFor(uint32_t bits) {
  auto found = find_if(constImmediates, [&](uint32_t known) {
    bool isHalfSame = known != bits && uint16_t(known) == uint16_t(bits);
    return known == bits || (isHalfSame && faultPlanted(Ir3Fault::ConstantShared));
  });
  size_t dword = alignTo(constDwords, 4) + size_t(found - constImmediates.begin());
  if (found == constImmediates.end()) {
    if (dword >= 4 * size_t(m_compiler->constVectors))
      return std::nullopt;
    constImmediates.push_back(bits);
  }
  return unsigned(dword);
}

/// A loop is the blocks from the target of a backward edge to its source, in the order of the code.
void Program::updatePredecessors() {
  for (auto [number, block] : enumerate(blocks)) {
    block->number = unsigned(number);
    block->predecessors.clear();
    block->loopDepth = 0;
  }
  for (const std::unique_ptr<Block> &block : blocks) {
    for (Block *successor : block->successorList()) {
      successor->predecessors.push_back(block.get());
      if (successor->number <= block->number)
        for (unsigned i = successor->number; i <= block->number; ++i)
          ++blocks[i]->loopDepth;
    }
  }
}

uint32_t Program::numberInstructions() {
  uint32_t number = 0;
  for (const std::unique_ptr<Block> &block : blocks)
    for (Instruction *inst : block->instructions)
      inst->position = number++;
  return number;
}

std::vector<uint32_t> Program::countUses() const {
  std::vector<uint32_t> uses(m_nextName);
  for (const Instruction *inst : instructions())
    for (const Instruction *source : inst->ssaSources())
      ++uses[source->name];
  return uses;
}

void replaceUses(Program &program, const Instruction *from, const Register &to) {
  for (Instruction *inst : program.instructions()) {
    for (Register &source : inst->sources())
      if (source.isSsa() && source.def == from)
        source = to.with(source.flags & (registerflag::Negate | registerflag::Absolute));
    if (inst->address == from)
      inst->address = to.def;
  }
}

} // namespace assay::ir3
