// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/ExpandMacros.h"

#include "support/Ir3Fault.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Replaces one macro in block number \p at. Its block ends in front of the macro; new blocks
/// follow it.
class Expander {
public:
  Expander(Program &program, size_t at, Instruction &macro)
      : m_program(program), m_at(at), m_macro(macro), m_before(*program.blocks[at]) {}

  void run() {
    splitAfter();
    if (m_macro.opcode == Opcode::MacroScan)
      scan();
    else
      executeWhere();
  }

private:
  void splitAfter();
  /// A new block in the code after the one that was added last. Numbers of blocks are updated at
  /// the end of the pass.
  Block *addBlock();
  void executeWhere();
  void scan();
  void reduce(Block &block, const Register &inclusive, const Register &exclusive,
              const Register &scratch);
  /// Appends an instruction with registers to \p block.
  Instruction *append(Block &block, Opcode opcode, const Register &dst, ArrayRef<Register> sources);
  void move(Block &block, const Register &dst, const Register &source) {
    append(block, Opcode::Mov, dst, {source});
  }
  void jump(Block &block, Block *target) {
    append(block, Opcode::Jump, {}, {});
    block.successors = {target, nullptr};
  }
  /// Scalar \p index of \p group.
  static Register part(const Register &group, unsigned index) {
    Register result = group;
    result.number = uint16_t(group.number + index);
    result.size = 1;
    result.flags &= ~registerflag::Ssa;
    result.def = nullptr;
    return result;
  }

  Program &m_program;
  size_t m_at;          ///< Where the next block goes: after blocks[m_at].
  Instruction &m_macro; ///< Not in a block any more after splitAfter().
  Block &m_before;
  Block *m_after = nullptr; ///< What follows the macro.
};

} // namespace

Block *Expander::addBlock() {
  auto block = std::make_unique<Block>(0);
  Block *result = block.get();
  m_program.blocks.insert(m_program.blocks.begin() + ptrdiff_t(++m_at), std::move(block));
  return result;
}

/// What follows the macro becomes a block of its own.
void Expander::splitAfter() {
  auto &list = m_before.instructions;
  auto place = find(list, &m_macro);
  std::vector<Instruction *> rest(place + 1, list.end());
  list.erase(place, list.end());
  m_after = addBlock();
  --m_at; // The blocks of the macro go between.
  for (Instruction *inst : rest)
    inst->block = m_after;
  m_after->instructions = std::move(rest);
  m_after->successors = m_before.successors;
  m_before.successors = {};
}

Instruction *Expander::append(Block &block, Opcode opcode, const Register &dst,
                              ArrayRef<Register> sources) {
  Instruction *inst = m_program.createInstruction(opcode);
  inst->dst() = dst;
  inst->registers.append(sources.begin(), sources.end());
  inst->block = &block;
  block.instructions.push_back(inst);
  return inst;
}

/// Fibers in which the predicate holds write the result.
void Expander::executeWhere() {
  const Register dst = m_macro.dst();
  bool isBallot = m_macro.opcode == Opcode::MacroBallot;
  if (isBallot)
    for (unsigned i = 0; i < dst.size; ++i)
      move(m_before, part(dst, i), Register::immediate(0));
  Block *then = addBlock();
  Instruction *branch = append(m_before, Opcode::Br, {}, {m_macro.registers[1]});
  branch->fields.invert1 = 1;
  m_before.successors = {m_after, then};
  if (isBallot)
    append(*then, Opcode::Movmsk, dst, {});
  else
    move(*then, part(dst, 0), m_macro.registers[2]);
  jump(*then, m_after);
}

/// The instruction that combines two values. MulU is only the first of three: see reduce().
static Opcode opcodeOf(Reduction reduction) {
  static constexpr Opcode Opcodes[] = {Opcode::AddU, Opcode::AddF, Opcode::MullU, Opcode::MulF,
                                       Opcode::MinS, Opcode::MinU, Opcode::MinF,  Opcode::MaxS,
                                       Opcode::MaxU, Opcode::MaxF, Opcode::AndB,  Opcode::OrB,
                                       Opcode::XorB};
  return Opcodes[unsigned(reduction)];
}

/// inclusive = inclusive op exclusive.
void Expander::reduce(Block &block, const Register &inclusive, const Register &exclusive,
                      const Register &scratch) {
  auto reduction = Reduction(m_macro.fields.reduction);
  if (reduction != Reduction::MulU) {
    append(block, opcodeOf(reduction), inclusive, {inclusive, exclusive});
    return;
  }
  append(block, Opcode::MullU, scratch, {inclusive, exclusive});
  append(block, Opcode::MadshM16, scratch, {inclusive, exclusive, scratch});
  append(block, Opcode::MadshM16, inclusive, {exclusive, inclusive, scratch});
}

/// One fiber after the other takes the shared register, combines it with its value, and puts it
/// back.
void Expander::scan() {
  const Register group = m_macro.dst(), shared = part(m_macro.registers[2], 0);
  Register exclusive = part(group, 0), inclusive = part(group, 1), total = part(group, 2);
  Block *header = addBlock(), *exit = addBlock(), *footer = addBlock();
  jump(m_before, header);
  append(*header, Opcode::Getone, {}, {});
  header->successors = {footer, exit};
  // The fiber before this one has just written it, in a block that does not lead here.
  append(*exit, Opcode::Mov, exclusive, {shared})->fields.shortSync = 1;
  reduce(*exit, inclusive, exclusive, total);
  if (faultPlanted(Ir3Fault::ScanInclusive))
    move(*exit, exclusive, inclusive);
  move(*exit, shared, inclusive);
  jump(*exit, m_after);
  jump(*footer, header);
  Instruction *copy = m_program.createInstruction(Opcode::Mov);
  copy->dst() = total;
  copy->registers.push_back(shared);
  copy->block = m_after;
  m_after->instructions.insert(m_after->instructions.begin(), copy);
}

/// Whether expandMacros() replaces \p inst.
static bool isMacro(const Instruction *inst) {
  return inst->opcode == Opcode::MacroBallot || inst->opcode == Opcode::MacroRead ||
         inst->opcode == Opcode::MacroScan;
}

/// A block with several macros is split at each: the rest of it is visited as the block that
/// follows.
void expandMacros(Program &program) {
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    auto &list = program.blocks[i]->instructions;
    auto found = find_if(list, isMacro);
    if (found != list.end())
      Expander(program, i, **found).run();
  }
  program.updatePredecessors();
}

} // namespace assay::ir3
