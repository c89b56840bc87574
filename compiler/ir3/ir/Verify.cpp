// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/ir/Verify.h"

#include "compiler/ir3/ir/Printer.h"
#include "support/Error.h"
#include "llvm/ADT/BitVector.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Checks one program, and stops at the first violation.
class Verifier {
public:
  explicit Verifier(Program &program) : m_program(program) {}
  Error run();

private:
  /// The terminator and the number of its successors, the place of phis, and each instruction.
  Error checkBlock(const Block &block);
  /// The destination, the generation of the chip, and the agreement of each source with its
  /// definition; then the checks that follow.
  Error checkInstruction(const Instruction &inst);
  /// One source of the size of the result for each predecessor, available at the end of it.
  Error checkPhi(const Instruction &phi);
  /// The number and widths of the sources of categories 2 to 4, and the sizes of splits, collects
  /// and tied sources.
  Error checkWidths(const Instruction &inst);
  /// The types of a move agree with the widths of its operands. Immediates and undefined values
  /// have any width, as have predicates and addresses as results.
  Error checkMove(const Instruction &inst);
  /// An instruction has an address exactly if an operand is relative, except for a1.x, which has no
  /// operand; its writer is in the same block.
  Error checkAddress(const Instruction &inst);
  /// Each producer is in the program and comes earlier in the block, or its block dominates this
  /// one. Sources of phis are left to checkPhi().
  Error checkDominance(const Instruction &inst);
  /// Computes the dominators of each block by iteration. Unreachable blocks are dominated by all.
  void findDominators();
  /// InvalidInput with the text of \p inst.
  Error reject(const Instruction &inst, const Twine &reason) const {
    return invalidInput("'" + print(inst, m_program) + "': " + reason);
  }

  Program &m_program;
  std::vector<BitVector> m_dominators;      ///< By block: the blocks that dominate it.
  std::vector<const Instruction *> m_known; ///< By name.
};

} // namespace

void Verifier::findDominators() {
  auto count = unsigned(m_program.blocks.size());
  m_dominators.assign(count, BitVector(count, true));
  m_dominators[0].reset();
  m_dominators[0].set(0);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : drop_begin(m_program.blocks)) {
      BitVector dominators(count, true);
      for (const Block *predecessor : block->predecessors)
        dominators &= m_dominators[predecessor->number];
      dominators.set(block->number);
      changed |= dominators != m_dominators[block->number];
      m_dominators[block->number] = std::move(dominators);
    }
  }
}

Error Verifier::checkPhi(const Instruction &phi) {
  const Block &block = *phi.block;
  if (phi.sources().size() != phi.phiBlocks.size() ||
      phi.phiBlocks.size() != block.predecessors.size())
    return reject(phi, "a phi has one source for each predecessor");
  for (auto [source, from] : zip(phi.sources(), phi.phiBlocks)) {
    if (!is_contained(block.predecessors, from))
      return reject(phi, "block " + Twine(from->number) + " is no predecessor");
    if (source.isSsa() && !m_dominators[from->number].test(source.def->block->number))
      return reject(phi, "a source does not dominate the end of its predecessor");
    if (source.isSsa() && source.size != phi.dst().size)
      return reject(phi, "a source has another size");
  }
  return Error::success();
}

Error Verifier::checkMove(const Instruction &inst) {
  bool isSpecial = inst.dst().is(registerflag::Special & ~registerflag::Shared);
  if (inst.registers.size() != 2)
    return reject(inst, "a move has one source");
  if (!isSpecial && inst.dst().isHalf() != isHalfType(Type(inst.fields.type)))
    return reject(inst, "the result does not have the width of its type");
  const Register &source = inst.registers[1];
  if (!source.isImmediate() && !source.is(registerflag::Undefined) &&
      source.isHalf() != isHalfType(Type(inst.fields.sourceType)))
    return reject(inst, "the source does not have the width of its type");
  return Error::success();
}

Error Verifier::checkWidths(const Instruction &inst) {
  const OpcodeInfo &info = inst.info();
  if (inst.opcode == Opcode::Mov)
    return checkMove(inst);
  if (info.category >= 2 && info.category <= 4) {
    if (inst.sources().size() != info.sources)
      return reject(inst, Twine(unsigned(info.sources)) + " sources are needed");
    for (const Register &source : inst.sources())
      if (source.isHalf() != inst.registers[1].isHalf())
        return reject(inst, "sources of different widths");
    bool half = inst.registers[1].isHalf();
    if ((half && info.has(property::FullSources)) || (!half && info.has(property::HalfSources)))
      return reject(inst, "the opcode has sources of the other width");
  }
  if (inst.opcode == Opcode::MetaSplit) {
    const Register &source = inst.registers[1];
    bool isInside = source.isSsa() && inst.fields.index < source.size;
    if (!isInside)
      return reject(inst, "no such component");
  }
  if (inst.opcode == Opcode::MetaCollect) {
    unsigned size = 0;
    for (const Register &source : inst.sources())
      size += source.size;
    if (size != inst.dst().size)
      return reject(inst, "the sources do not add up to the result");
  }
  if (info.has(property::Tied) && inst.registers[1].size != inst.dst().size)
    return reject(inst, "the tied source has another size than the result");
  return Error::success();
}

Error Verifier::checkAddress(const Instruction &inst) {
  bool isRelative =
      any_of(inst.registers, [](const Register &operand) { return operand.isRelative(); });
  if (!inst.address)
    return isRelative ? reject(inst, "a relative operand without an address") : Error::success();
  const Register &writer = inst.address->dst();
  if (!writer.is(registerflag::Address | registerflag::Address1))
    return reject(inst, "its address is no write of a0.x or a1.x");
  if (writer.is(registerflag::Address) && !isRelative)
    return reject(inst, "an address without a relative operand");
  if (inst.address->block != inst.block)
    return reject(inst, "its address is in another block");
  return Error::success();
}

Error Verifier::checkDominance(const Instruction &inst) {
  for (const Instruction *source : inst.ssaSources()) {
    if (!source->block || source->name >= m_known.size() || m_known[source->name] != source)
      return reject(inst, "source ssa_" + Twine(source->name) + " is not in the program");
    if (inst.opcode == Opcode::MetaPhi)
      continue;
    bool isBefore = source->block == inst.block
                        ? source->position < inst.position
                        : m_dominators[inst.block->number].test(source->block->number);
    if (!isBefore)
      return reject(inst, "source ssa_" + Twine(source->name) + " does not dominate it");
  }
  return Error::success();
}

/// Whether two sources of end are outputs whose registers, chosen by the caller, overlap.
static bool isSamePlace(const Register &left, const Register &right) {
  auto isOutput = [](const Register &source) {
    return source.isSsa() && source.def->opcode == Opcode::MetaOutput;
  };
  if (!isOutput(left) || !isOutput(right) || left.isHalf() != right.isHalf())
    return false;
  unsigned one = left.def->dst().number, other = right.def->dst().number;
  return one < other + right.size && other < one + left.size;
}

Error Verifier::checkInstruction(const Instruction &inst) {
  bool needsDst = inst.info().has(property::HasDst);
  if (needsDst != inst.hasDst())
    return reject(inst, needsDst ? "it needs a result" : "it has no result");
  if (!inst.info().isOn(m_program.compiler().generation))
    return reject(inst, Twine("not available on ") + m_program.compiler().name);
  for (const Register &source : inst.sources()) {
    if (source.isArray() && source.arrayId >= m_program.arrays.size())
      return reject(inst, "no such array");
    if (!source.isSsa())
      continue;
    if (!source.def || !source.def->dst().isSsa())
      return reject(inst, "a source is no value");
    if (source.def->opcode == Opcode::MetaOutput && inst.opcode != Opcode::End)
      return reject(inst, "only end reads outputs");
    const Register &dst = source.def->dst();
    constexpr uint32_t Same = registerflag::Half | registerflag::Special;
    if ((dst.flags & Same) != (source.flags & Same) || dst.size != source.size)
      return reject(inst, "source ssa_" + Twine(source.def->name) +
                              " has another width, size or file than its definition");
  }
  if (inst.opcode == Opcode::End)
    for (auto [index, source] : enumerate(inst.sources()))
      for (const Register &other : inst.sources().drop_front(index + 1))
        if (isSamePlace(source, other))
          return reject(inst, "two outputs are in one register");
  if (Error error = checkWidths(inst))
    return error;
  if (Error error = checkAddress(inst))
    return error;
  if (Error error = checkDominance(inst))
    return error;
  return inst.opcode == Opcode::MetaPhi ? checkPhi(inst) : Error::success();
}

Error Verifier::checkBlock(const Block &block) {
  const Instruction *terminator = block.terminator();
  if (!terminator)
    return invalidInput("block " + Twine(block.number) + " does not end in a terminator");
  unsigned needed = terminator->opcode == Opcode::End    ? 0
                    : terminator->opcode == Opcode::Jump ? 1
                                                         : 2;
  for (unsigned i = 0; i < 2; ++i)
    if ((block.successors[i] != nullptr) != (i < needed))
      return reject(*terminator, Twine(needed) + " successors are needed");
  bool hasOthers = false;
  for (const Instruction *inst : block.instructions) {
    if (inst->block != &block)
      return reject(*inst, "it is in the list of another block");
    if (inst->isTerminator() && inst != terminator)
      return reject(*inst, "a terminator inside a block");
    if (inst->opcode == Opcode::MetaPhi && hasOthers)
      return reject(*inst, "phis come first");
    hasOthers |= inst->opcode != Opcode::MetaPhi;
    if (Error error = checkInstruction(*inst))
      return error;
  }
  return Error::success();
}

/// Numbers blocks and instructions first; names must be unique over the whole program.
Error Verifier::run() {
  if (m_program.blocks.empty())
    return invalidInput("a program without blocks");
  m_program.updatePredecessors();
  m_program.numberInstructions();
  m_known.resize(m_program.nextName());
  for (const Instruction *inst : m_program.instructions()) {
    if (m_known[inst->name])
      return reject(*inst, "its name is not unique, or it is in two places");
    m_known[inst->name] = inst;
  }
  findDominators();
  for (auto &block : m_program.blocks)
    if (Error error = checkBlock(*block))
      return error;
  return Error::success();
}

Error verifyProgram(Program &program) {
  return Verifier(program).run();
}

} // namespace assay::ir3
