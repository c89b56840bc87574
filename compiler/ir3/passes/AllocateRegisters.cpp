// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sets are placed one after the other, at the first base where they fit. When one does not
// fit, values are spilled where too many are live, and all begins again: prepareAllocation has
// made every constraint a matter of copies, therefore fewer live values always help.
#include "compiler/ir3/passes/AllocateRegisters.h"

#include "compiler/ir3/passes/RegisterFiles.h"
#include "compiler/ir3/passes/Spill.h"
#include "support/Error.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Allocates the registers of one program, and changes it where it spills. Copies may be merged or
/// not; required sets always are.
class Allocator {
public:
  Allocator(Program &program, const AllocationOptions &options)
      : m_program(program), m_options(options), m_spiller(program),
        m_vectors(options.vectors ? options.vectors : program.compiler().registerVectors()) {}
  Expected<AllocationResult> run();
  /// Each value, or what must be together, in registers of its own; nothing where they are too few.
  std::optional<AllocationResult> runSimple();

private:
  /// Where each merge set is, if it fits, and what was used.
  struct Assignment {
    std::vector<std::optional<unsigned>> bases; ///< By set; nothing: it did not fit.
    unsigned fullVectors = 0, halfVectors = 0;
    std::vector<unsigned> failures;
  };
  /// Places sets one after another: fixed ones first, then with \p vectorsFirst the largest, then
  /// by where they begin to live. Continues after a set that does not fit.
  Assignment place(ArrayRef<LiveRange> ranges, ArrayRef<MergeSet> sets, bool vectorsFirst) const;
  /// Writes the registers of all values, arrays and array operands into the program. Every set must
  /// have a base.
  void assign(ArrayRef<MergeSet> sets, const Assignment &assignment);
  /// Lowers the pressure after a failed round: predicates and addresses are computed again at their
  /// uses; otherwise values are spilled. Limit where nothing is left to do.
  Error relieve(ArrayRef<LiveRange> ranges, ArrayRef<MergeSet> sets, const Assignment &failed);
  /// The Limit error, with the number of vectors that may be used.
  Error outOfRegisters(const Twine &reason) const;

  Program &m_program;
  const AllocationOptions &m_options;
  Spiller m_spiller;      ///< Keeps its counts over all rounds.
  unsigned m_vectors;     ///< Of full registers that may be used.
  unsigned m_reserve = 0; ///< Units that stay free, for what does not fit though there is room.
};

} // namespace

Allocator::Assignment Allocator::place(ArrayRef<LiveRange> ranges, ArrayRef<MergeSet> sets,
                                       bool vectorsFirst) const {
  std::vector<unsigned> order(sets.size());
  std::vector<uint32_t> begins(sets.size(), UINT32_MAX);
  for (unsigned i = 0; i < sets.size(); ++i) {
    order[i] = i;
    for (const MergeSet::Member &member : sets[i].members)
      begins[i] = std::min(begins[i], ranges[member.value].begin());
  }
  sort(order, [&](unsigned left, unsigned right) {
    if (sets[left].fixedBase.has_value() != sets[right].fixedBase.has_value())
      return sets[left].fixedBase.has_value();
    if (vectorsFirst && sets[left].size != sets[right].size)
      return sets[left].size > sets[right].size;
    return std::tuple(begins[left], left) < std::tuple(begins[right], right);
  });
  Assignment result;
  result.bases.resize(sets.size());
  RegisterFiles files(m_program, ranges, m_vectors);
  for (unsigned i : order) {
    result.bases[i] = files.place(sets[i]);
    if (!result.bases[i])
      result.failures.push_back(i);
  }
  result.fullVectors = files.fullVectors();
  result.halfVectors = files.halfVectors();
  return result;
}

void Allocator::assign(ArrayRef<MergeSet> sets, const Assignment &assignment) {
  std::vector<uint16_t> numbers(m_program.nextName(), Register::NoNumber);
  for (auto [set, base] : zip(sets, assignment.bases)) {
    for (const MergeSet::Member &member : set.members) {
      auto number = uint16_t(*base + member.offset);
      if (member.value < m_program.nextName())
        numbers[member.value] = number;
      else
        m_program.arrays[member.value - m_program.nextName()].base = number;
    }
  }
  for (Instruction *inst : m_program.instructions()) {
    if (inst->dst().isSsa())
      inst->dst().number = numbers[inst->name];
    for (Register &source : inst->sources())
      if (source.isSsa())
        source.number = numbers[source.def->name];
    for (Register &operand : inst->registers) {
      if (!operand.isArray())
        continue;
      unsigned number = m_program.arrays[operand.arrayId].base + operand.arrayOffset;
      operand.number = uint16_t(number);
      operand.value = operand.isRelative() ? int32_t(number) : 0;
    }
  }
}

Error Allocator::outOfRegisters(const Twine &reason) const {
  return limitExceeded("the values that are live at the same time do not fit into " +
                       Twine(m_vectors) + " vectors of registers: " + reason);
}

/// Each round of spilling reserves more units than the last one, so that it ends.
Error Allocator::relieve(ArrayRef<LiveRange> ranges, ArrayRef<MergeSet> sets,
                         const Assignment &failed) {
  bool hasChanged = false, isVectorFile = false;
  std::vector<Instruction *> defs(m_program.nextName());
  for (Instruction *inst : m_program.instructions())
    defs[inst->name] = inst;
  for (unsigned i : failed.failures) {
    bool isHalf = sets[i].registerClass == RegisterClass::Half;
    if (sets[i].registerClass == RegisterClass::Full || isHalf) {
      isVectorFile = true;
      continue;
    }
    for (const MergeSet::Member &member : sets[i].members)
      if (m_spiller.rematerialize(*defs[member.value]))
        hasChanged = true;
  }
  if (hasChanged)
    return Error::success();
  if (!isVectorFile)
    return outOfRegisters("predicates or addresses");
  if (!m_program.compiler().hasPrivateMemory)
    return outOfRegisters("spilling is not possible on this chip");
  unsigned units = 4 * m_vectors * unitsOf(m_program, RegisterClass::Full);
  constexpr unsigned Step = 4, Bases = 2;
  for (m_reserve += Bases; m_reserve < units; m_reserve += Step)
    if (m_spiller.reduce(ranges, sets, units - m_reserve))
      return Error::success();
  return outOfRegisters("nothing is left to spill");
}

/// Tries two orders in each round and takes the better one: fewer failures, then fewer vectors.
Expected<AllocationResult> Allocator::run() {
  if (m_options.spillAll && m_program.compiler().hasPrivateMemory)
    m_spiller.spillAll(computeLiveRanges(m_program));
  constexpr unsigned MaxRounds = 100, MergeLimit = 16;
  for (unsigned round = 0; round < MaxRounds; ++round) {
    std::vector<LiveRange> ranges = computeLiveRanges(m_program);
    MergeSets merged(m_program, ranges, MergeLimit);
    Assignment best = place(ranges, merged.sets(), /*vectorsFirst=*/false);
    Assignment other = place(ranges, merged.sets(), /*vectorsFirst=*/true);
    bool isBetter =
        other.failures.size() < best.failures.size() ||
        (other.failures.size() == best.failures.size() && other.fullVectors < best.fullVectors);
    if (isBetter)
      best = std::move(other);
    if (best.failures.empty()) {
      assign(merged.sets(), best);
      return AllocationResult{best.fullVectors, best.halfVectors, m_spiller.spills,
                              m_spiller.reloads, m_spiller.rematerialized};
    }
    if (Error error = relieve(ranges, merged.sets(), best))
      return error;
  }
  return outOfRegisters("spilling does not end");
}

/// All values are taken to live everywhere. Only what must be merged is.
std::optional<AllocationResult> Allocator::runSimple() {
  std::vector<LiveRange> ranges = computeLiveRanges(m_program);
  uint32_t end = 2 * m_program.numberInstructions() + 2;
  for (LiveRange &range : ranges) {
    if (range.isEmpty())
      continue;
    range = {};
    range.add(0, end);
  }
  MergeSets merged(m_program, ranges, /*limit=*/0, /*onlyRequired=*/true);
  Assignment all = place(ranges, merged.sets(), /*vectorsFirst=*/true);
  if (!all.failures.empty())
    return std::nullopt;
  assign(merged.sets(), all);
  return AllocationResult{all.fullVectors, all.halfVectors};
}

/// The simple allocation falls back to the usual one where registers are too few.
Expected<AllocationResult> allocateRegisters(Program &program, const AllocationOptions &options) {
  if (options.isSimple)
    if (std::optional<AllocationResult> result = Allocator(program, options).runSimple())
      return *result;
  return Allocator(program, options).run();
}

/// A move between registers of the machine, in no block.
static Instruction *createMove(Program &program, unsigned to, unsigned from, bool half) {
  Instruction *move = program.createInstruction(Opcode::Mov);
  move->fields.type = move->fields.sourceType = half ? U16 : U32;
  move->dst() = Register::physical(to, half);
  move->registers.push_back(Register::physical(from, half));
  return move;
}

/// Moves of \p count registers that may overlap: each source is read before it is overwritten.
static void addMoves(Program &program, Block &block, const Instruction &copy, unsigned from,
                     std::vector<Instruction *> &list) {
  unsigned to = copy.dst().number, count = copy.dst().size;
  if (to == from)
    return;
  for (unsigned i = 0; i < count; ++i) {
    unsigned at = to < from ? i : count - 1 - i;
    list.push_back(createMove(program, to + at, from + at, copy.dst().isHalf()));
    list.back()->block = &block;
  }
}

/// Whether lowerCopies() removes the opcode without a move: the operands are in place.
static bool isRemoved(Opcode opcode) {
  return opcode == Opcode::MetaInput || opcode == Opcode::MetaPhi || opcode == Opcode::MetaCollect;
}

/// Splits, outputs and plain copies of values become a move for each scalar, or nothing where
/// source and result have one register. Afterwards no operand is an SSA value.
void lowerCopies(Program &program) {
  for (auto &block : program.blocks) {
    std::vector<Instruction *> list;
    for (Instruction *inst : block->instructions) {
      if (isRemoved(inst->opcode))
        continue;
      if (inst->opcode == Opcode::MetaSplit) {
        unsigned from = inst->registers[1].number + unsigned(inst->fields.index);
        addMoves(program, *block, *inst, from, list);
        continue;
      }
      bool isCopy = inst->isPlainMove() || inst->opcode == Opcode::MetaOutput;
      const Register *source = isCopy ? &inst->registers[1] : nullptr;
      if (source && source->isSsa() && inst->dst().isSsa()) {
        addMoves(program, *block, *inst, source->number, list);
        continue;
      }
      list.push_back(inst);
    }
    block->instructions = std::move(list);
    for (Instruction *inst : block->instructions)
      for (Register &operand : inst->registers)
        operand.flags &= ~registerflag::Ssa;
  }
}

void removeTokens(Program &program) {
  for (auto &block : program.blocks)
    erase_if(block->instructions,
             [](const Instruction *inst) { return inst->opcode == Opcode::MetaToken; });
}

} // namespace assay::ir3
