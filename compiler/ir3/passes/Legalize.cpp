// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A forward dataflow over the code with registers: when each cell was written by the ALU, and which
// flag waits for it. Rules: Mesa 25.0, ir3_legalize.c and ir3_delay.c.
#include "compiler/ir3/passes/Legalize.h"

#include "compiler/ir3/passes/Touches.h"
#include "support/Ir3Fault.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Long enough ago that no delay is left.
constexpr int Past = -32;

/// What is known of one half register at a place in the code. Times are slots relative to the start
/// of the block.
struct CellState {
  int fullWrite = Past, halfWrite = Past; ///< When the ALU wrote it, as a full or a half register.
  bool needsSs = false, needsSy = false;  ///< To use its result.
  bool readSs = false, readAny = false;   ///< To overwrite it: (ss); (ss) or (sy).
  bool operator==(const CellState &) const = default;
};

/// The state of all cells, of writes to the const file that a flag waits for, and whether a barrier
/// has just been passed.
struct State {
  std::array<CellState, cell::Count> cells;
  bool constSs = false, constSy = false;
  bool afterBarrier = false;

  bool operator==(const State &) const = default;

  /// Times become relative to \p now.
  void rebase(int now) {
    for (CellState &each : cells) {
      each.fullWrite = std::max(each.fullWrite - now, Past);
      each.halfWrite = std::max(each.halfWrite - now, Past);
    }
  }
  /// The worse of both for each cell: the later write, and all waits.
  void join(const State &other) {
    for (auto [mine, theirs] : zip(cells, other.cells)) {
      mine.fullWrite = std::max(mine.fullWrite, theirs.fullWrite);
      mine.halfWrite = std::max(mine.halfWrite, theirs.halfWrite);
      if (theirs.needsSy && !mine.needsSy && faultPlanted(Ir3Fault::JoinForgets))
        continue;
      mine.needsSs |= theirs.needsSs;
      mine.needsSy |= theirs.needsSy;
      mine.readSs |= theirs.readSs;
      mine.readAny |= theirs.readAny;
    }
    constSs |= other.constSs;
    constSy |= other.constSy;
    afterBarrier |= other.afterBarrier;
  }
  /// What (ss) waits for is there. Every earlier read is over, too.
  void applySs() {
    for (CellState &each : cells)
      each.needsSs = each.readSs = each.readAny = false;
    constSs = afterBarrier = false;
  }
  /// What (sy) waits for is there.
  void applySy() {
    for (CellState &each : cells)
      each.needsSy = each.readAny = false;
    constSy = false;
  }
};

/// Legalizes one block from the state at its beginning.
class BlockLegalizer {
public:
  BlockLegalizer(Program &program, const LegalizeOptions &options, State state)
      : m_program(program), m_options(options), m_state(std::move(state)) {}
  /// Returns the state at the end; \p list receives the instructions with flags and nops, when it
  /// is not null.
  State run(const Block &block, std::vector<Instruction *> *list);

private:
  /// Adds the waits and nops that \p inst needs in front of it, then notes what it touches.
  void process(Instruction &inst);
  /// Sets \p ss and \p sy where the instruction needs the flag; neither is cleared.
  void findWaits(const Instruction &inst, bool &ss, bool &sy) const;
  /// Slots that must still pass before all sources of ALU results can be read; at most 0: none.
  int missingSlots(const Instruction &inst) const;
  int plantedDelay(const Instruction &inst, const Touch &touch, int delay) const;
  /// Fills \p count slots: first in the (nopN) or repeat count of the last instruction, then with
  /// nops of up to six slots.
  void addNops(int count, Block *block);
  void addWait(Block *block);
  /// Updates the state with what \p inst writes, and with what it reads late: categories 4 to 6 may
  /// read after later instructions have begun.
  void note(const Instruction &inst);
  /// Whether a source is in the const file.
  bool readsConst(const Instruction &inst) const;

  Program &m_program;
  const LegalizeOptions &m_options;
  State m_state;
  std::vector<Instruction *> *m_list = nullptr;
  int m_now = 0; ///< Slots since the start of the block.
  /// The last instruction to which nops can be added: how many fit, and into what.
  int m_nopRoom = 0;
  Instruction *m_last = nullptr;
  SmallVector<Touch, 32> m_touches;
};

bool BlockLegalizer::readsConst(const Instruction &inst) const {
  return any_of(inst.sources(), [](const Register &source) { return source.isConst(); });
}

void BlockLegalizer::findWaits(const Instruction &inst, bool &ss, bool &sy) const {
  bool waitsForAny = false;
  for (const Touch &touch : m_touches) {
    for (unsigned i = 0; i < touch.count; ++i) {
      const CellState &each = m_state.cells[touch.cell + i];
      ss |= each.needsSs;
      sy |= each.needsSy;
      ss |= touch.writes && each.readSs;
      waitsForAny |= touch.writes && each.readAny;
    }
  }
  if (readsConst(inst)) {
    ss |= m_state.constSs;
    sy |= m_state.constSy;
  }
  // A barrier itself waits for no result (Mesa, ir3_required_sync_flags); what follows it does.
  ss |= m_state.afterBarrier || m_options.fullSync;
  sy |= m_state.afterBarrier || m_options.fullSync;
  ss |= waitsForAny && !sy;
}

/// \p delay, or what faults make of it.
int BlockLegalizer::plantedDelay(const Instruction &inst, const Touch &touch, int delay) const {
  const Compiler &compiler = m_program.compiler();
  if (inst.info().category == 3 && !touch.isThird && faultPlanted(Ir3Fault::DelayThird))
    return int(compiler.thirdDelay);
  if (inst.opcode == Opcode::Br && faultPlanted(Ir3Fault::DelayBranch))
    return int(compiler.aluDelay);
  return delay;
}

int BlockLegalizer::missingSlots(const Instruction &inst) const {
  int missing = 0;
  for (const Touch &touch : m_touches) {
    if (touch.writes)
      continue;
    for (unsigned i = 0; i < touch.count; ++i) {
      const CellState &each = m_state.cells[touch.cell + i];
      int at = m_now + touch.step;
      for (bool half : {false, true}) {
        int written = half ? each.halfWrite : each.fullWrite;
        int delay =
            plantedDelay(inst, touch, int(delayOf(m_program.compiler(), inst, touch, half)));
        missing = std::max(missing, written + 1 + delay - at);
      }
    }
  }
  return m_options.fullNop ? std::max(missing, 6) : missing;
}

void BlockLegalizer::addNops(int count, Block *block) {
  constexpr int MaxRepeat = 5;
  if (count > 0 && m_nopRoom > 0) {
    int added = std::min(count, m_nopRoom);
    if (m_list && m_last) {
      int32_t Fields::*member = m_last->opcode == Opcode::Nop ? &Fields::repeat : &Fields::nops;
      m_last->fields.*member += added;
    }
    m_nopRoom -= added;
    m_now += added;
    count -= added;
  }
  while (count > 0) {
    int repeat = std::min(count - 1, MaxRepeat);
    if (m_list) {
      m_last = m_program.createInstruction(Opcode::Nop);
      m_last->block = block;
      m_last->fields.repeat = repeat;
      m_list->push_back(m_last);
    }
    m_nopRoom = MaxRepeat - repeat;
    m_now += repeat + 1;
    count -= repeat + 1;
  }
}

/// A nop that carries the (ss) which categories 5 and 6 have no bit for.
void BlockLegalizer::addWait(Block *block) {
  addNops(0, block);
  if (m_list) {
    m_last = m_program.createInstruction(Opcode::Nop);
    m_last->block = block;
    m_last->fields.shortSync = 1;
    m_list->push_back(m_last);
  }
  m_nopRoom = 5;
  m_now += 1;
  m_state.applySs();
}

void BlockLegalizer::note(const Instruction &inst) {
  const OpcodeInfo &info = inst.info();
  bool ss = info.has(property::ResultSs), sy = info.has(property::ResultSy);
  if (ss && info.category == 4 && faultPlanted(Ir3Fault::WaitSpecial))
    ss = false;
  if (sy && faultPlanted(Ir3Fault::WaitLoads))
    sy = false;
  bool writesShared = any_of(m_touches, [](const Touch &touch) {
    return touch.writes && touch.cell >= cell::Shared && touch.cell < cell::Address;
  });
  // Mesa, ir3.h, is_war_hazard_producer.
  bool readsLate =
      (info.category >= 4 && info.category <= 6) || (info.category <= 3 && writesShared);
  for (const Touch &touch : m_touches) {
    for (unsigned i = 0; i < touch.count; ++i) {
      CellState &each = m_state.cells[touch.cell + i];
      if (touch.writes) {
        bool isShared = touch.cell >= cell::Shared && touch.cell < cell::Address;
        each = CellState();
        each.needsSs = ss || isShared;
        each.needsSy = sy && !isShared;
        if (!each.needsSs && !each.needsSy)
          (touch.half ? each.halfWrite : each.fullWrite) = m_now + touch.step;
      }
    }
  }
  for (const Touch &touch : m_touches) {
    if (touch.writes || !readsLate)
      continue;
    for (unsigned i = 0; i < touch.count; ++i) {
      CellState &each = m_state.cells[touch.cell + i];
      // What the instruction itself overwrites is waited for as its result.
      if (!each.needsSs && !each.needsSy && !faultPlanted(Ir3Fault::OverwriteRead))
        (sy ? each.readAny : each.readSs) = true;
    }
  }
  m_state.constSs |= inst.opcode == Opcode::Stc;
  m_state.constSy |= inst.opcode == Opcode::LdcK;
  m_state.afterBarrier = info.category == 7;
}

void BlockLegalizer::process(Instruction &inst) {
  m_touches.clear();
  collectTouches(inst, m_program, m_touches);
  bool ss = false, sy = false;
  findWaits(inst, ss, sy);
  bool hasBit = inst.info().category != 5 && inst.info().category != 6;
  if (ss && !hasBit)
    addWait(inst.block);
  else if (ss)
    m_state.applySs();
  if (sy)
    m_state.applySy();
  addNops(missingSlots(inst), inst.block);
  if (m_list) {
    inst.fields.shortSync |= ss && hasBit;
    inst.fields.sync |= sy;
    m_list->push_back(&inst);
  }
  note(inst);
  m_now += int(slotsOf(m_program.compiler(), inst));
  unsigned category = inst.info().category;
  bool takesNops = (category == 2 || category == 3) && m_program.compiler().hasNopCount &&
                   !inst.fields.repeat && !inst.info().has(property::NoNopCount);
  m_nopRoom = takesNops ? 3 : 0;
  m_last = &inst;
}

State BlockLegalizer::run(const Block &block, std::vector<Instruction *> *list) {
  m_list = list;
  for (Instruction *inst : block.instructions)
    process(*inst);
  m_state.rebase(m_now);
  return std::move(m_state);
}

/// Marks the last use of each value of a0.x: (ul). Each is used in the block of its writer alone
/// (Mesa, ir3_legalize_relative.c).
void markLastAddresses(const Block &block) {
  auto usesAddress = [](const Instruction *inst) {
    return any_of(inst->registers, [](const Register &each) { return each.isRelative(); });
  };
  auto writesAddress = [](const Instruction *inst) {
    return inst->hasDst() && inst->dst().number == reg::Address && !inst->dst().isRelative();
  };
  bool isLast = true;
  for (Instruction *inst : reverse(block.instructions)) {
    if (usesAddress(inst) && isLast) {
      inst->fields.lastAddress = 1;
      isLast = false;
    }
    isLast |= writesAddress(inst);
  }
}

/// The blocks that loops are left to, by number. A loop is what lies from the target of a branch
/// backwards to that branch. Fibers that leave it early wait there for the others, even where the
/// block has one predecessor.
std::vector<bool> findLoopExits(const Program &program) {
  std::vector<bool> isExit(program.blocks.size());
  for (const auto &last : program.blocks)
    for (const Block *first : last->successorList()) {
      auto isInLoop = [&](unsigned number) {
        return first->number <= number && number <= last->number;
      };
      for (unsigned number = first->number; number <= last->number; ++number)
        for (const Block *successor : program.blocks[number]->successorList())
          if (!isInLoop(successor->number))
            isExit[successor->number] = true;
    }
  return isExit;
}

/// Marks places where fibers meet - with \p fullJoin, the beginnings of all blocks - and gives
/// branches their distances.
void finishCode(Program &program, bool fullJoin) {
  std::vector<uint32_t> begins;
  std::vector<Instruction *> code;
  for (auto &block : program.blocks) {
    begins.push_back(uint32_t(code.size()));
    code.insert(code.end(), block->instructions.begin(), block->instructions.end());
  }
  auto setTarget = [&](Instruction &branch, uint32_t at, const Block *target) {
    branch.fields.target = int32_t(begins[target->number]) - int32_t(at);
    if (fullJoin || !faultPlanted(Ir3Fault::JoinMissing))
      code[begins[target->number]]->fields.join = 1;
  };
  std::vector<bool> isLoopExit = findLoopExits(program);
  for (auto &block : program.blocks) {
    bool meets = (block->predecessors.size() > 1 || isLoopExit[block->number]) &&
                 !faultPlanted(Ir3Fault::JoinMissing);
    if (meets || (fullJoin && begins[block->number] < code.size()))
      code[begins[block->number]]->fields.join = 1;
    uint32_t at = begins[block->number];
    for (Instruction *inst : block->instructions) {
      bool isBranch = inst->isTerminator() && inst->opcode != Opcode::End;
      // A jump that follows a branch goes to the second successor.
      bool isSecond = inst->opcode == Opcode::Jump && block->successors[1];
      if (isBranch)
        setTarget(*inst, at, block->successors[isSecond ? 1 : 0]);
      ++at;
    }
  }
}

/// The hardware fetches ahead: nops follow the end (Mesa, ir3_legalize.c: at least four).
void padEnd(Program &program) {
  size_t count = 0;
  for (auto &block : program.blocks)
    count += block->instructions.size();
  size_t padded = alignTo(count + 4, program.compiler().instructionAlign);
  Block &last = *program.blocks.back();
  for (; count < padded; ++count) {
    last.instructions.push_back(program.createInstruction(Opcode::Nop));
    last.instructions.back()->block = &last;
  }
}

} // namespace

/// Iterates over blocks until no state at a beginning changes, without changing code; then inserts
/// flags and nops once.
void legalize(Program &program, const LegalizeOptions &options) {
  size_t count = program.blocks.size();
  std::vector<State> entries(count);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &block : program.blocks) {
      State end = BlockLegalizer(program, options, entries[block->number]).run(*block, nullptr);
      for (const Block *successor : block->successorList()) {
        State joined = entries[successor->number];
        joined.join(end);
        if (joined == entries[successor->number])
          continue;
        entries[successor->number] = std::move(joined);
        changed = true;
      }
    }
  }
  for (auto &block : program.blocks) {
    std::vector<Instruction *> list;
    BlockLegalizer(program, options, entries[block->number]).run(*block, &list);
    block->instructions = std::move(list);
    markLastAddresses(*block);
  }
  finishCode(program, options.fullJoin);
  padEnd(program);
}

} // namespace assay::ir3
