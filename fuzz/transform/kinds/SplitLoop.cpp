// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// split-loop: a copy of a loop runs its first turns, at most a given number; if it was not left by
// then, the loop itself goes on from there. With one turn it is the first iteration that is peeled.
// Precondition: a loop with one way in, one back edge, and a head that ends with a plain branch or
// with one of which a target leaves the loop or ends the turn; inside, only branches that stay or
// go to the merge block, which nothing else goes to or names; what others use of it can go through
// phis. Effect: none. Numbers: the label of the loop's head, the number of turns (1 to 8).
#include "fuzz/transform/Cloning.h"
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A loop that can be split.
struct SplittableLoop {
  size_t function = 0;
  Flow::Construct construct;
  Id head = 0, merge = 0, next = 0; ///< Labels; next: the continue target.
  Id before = 0, latch = 0;         ///< Where the head's phis come from.
};
} // namespace

/// True for places in the loop's construct, the head included, the merge block not.
static bool isInside(const SplittableLoop &loop, const Place &place) {
  return place.function == loop.function && loop.construct.blocks[place.block];
}

/// True for phis of the loop's merge block.
static bool isMergePhi(const Context &context, const SplittableLoop &loop, const Place &place) {
  return place.function == loop.function && place.block == loop.construct.merge &&
         context.at(place)->opcode == spv::Op::OpPhi;
}

/// Whether a use is after the loop; phis of the merge block belong to the ways out of it.
static bool isAfter(const Context &context, const SplittableLoop &loop, const Use &use) {
  return !isInside(loop, use.place) && !isMergePhi(context, loop, use.place);
}

/// Whether all that leads out of the loop is a return or goes to its merge block, whether nobody
/// else goes there, and whether constructs inside have their ends inside.
static bool isClosed(const Function &function, const Flow &flow, const SplittableLoop &loop) {
  const BitVector &blocks = loop.construct.blocks;
  for (auto [index, block] : enumerate(function.blocks)) {
    bool isMine = blocks[index];
    for (size_t target : flow.successors(index))
      if (isMine ? !blocks[target] && target != loop.construct.merge
                 : target == loop.construct.merge)
        return false;
    const Instruction *merge = block.merge();
    if (!merge || index == loop.construct.header)
      continue;
    unsigned labels = merge->opcode == spv::Op::OpLoopMerge ? 2 : 1;
    for (unsigned i = 0; i < labels; ++i) {
      size_t target = flow.index(merge->word(i));
      if (target == loop.construct.merge || (isMine && !blocks[target]))
        return false;
    }
  }
  return true;
}

/// After the new head the end of the old one has no merge instruction.
static bool mayEndWithoutMerge(const Instruction &terminator, const SplittableLoop &loop) {
  if (terminator.opcode == spv::Op::OpBranch)
    return true;
  return terminator.opcode == spv::Op::OpBranchConditional &&
         any_of(drop_begin(terminator.operands), [&](const Operand &target) {
           return target.isId && (target.word == loop.merge || target.word == loop.next);
         });
}

/// Returns the loop with this head, or nothing where it does not meet the precondition.
static std::optional<SplittableLoop> findLoop(const Context &context, Id label) {
  std::optional<Place> head = context.findBlock(label);
  if (!head || !context.isReachable(*head))
    return std::nullopt;
  const Flow &flow = context.flow(head->function);
  const auto *construct = find_if(flow.constructs(), [&](const Flow::Construct &each) {
    return each.isLoop && each.header == head->block;
  });
  if (construct == flow.constructs().end() || construct->continueTarget == head->block ||
      !flow.isReachable(construct->merge) || !flow.isReachable(construct->continueTarget) ||
      flow.predecessors(head->block).size() != 2)
    return std::nullopt;
  const Function &function = context.program().functions[head->function];
  SplittableLoop loop{head->function,
                      *construct,
                      label,
                      function.blocks[construct->merge].label,
                      function.blocks[construct->continueTarget].label,
                      0,
                      0};
  for (size_t source : flow.predecessors(head->block))
    (construct->blocks[source] ? loop.latch : loop.before) = function.blocks[source].label;
  const Block &merge = function.blocks[construct->merge];
  Place after{head->function, construct->merge, firstInsertion(merge)};
  if (!loop.before || !loop.latch || !isSplittable(context, after) ||
      !isClosed(function, flow, loop) ||
      !mayEndWithoutMerge(function.blocks[head->block].terminator(), loop))
    return std::nullopt;
  return loop;
}

/// Results of the loop, and phis of its merge block, that others use.
static std::vector<Id> resultsOf(const Context &context, const SplittableLoop &loop) {
  const Function &function = context.program().functions[loop.function];
  std::vector<Id> results;
  auto isOutside = [&](const Use &use) { return isAfter(context, loop, use); };
  for (size_t block : loop.construct.blocks.set_bits())
    for (const Instruction &each : function.blocks[block].body)
      if (each.result && any_of(context.usesOf(each.result), isOutside))
        results.push_back(each.result);
  for (const Instruction &each : function.blocks[loop.construct.merge].body)
    if (each.opcode == spv::Op::OpPhi)
      results.push_back(each.result);
  return results;
}

/// Proposes one to three iterations; steps from a log may have up to eight.
std::optional<Step> SplitLoop::propose(const Context &context, Random &random) {
  std::vector<Id> heads;
  for (const Function &function : context.program().functions)
    for (const Block &block : function.blocks)
      if (block.merge() && findLoop(context, block.label))
        heads.push_back(block.label);
  if (heads.empty())
    return std::nullopt;
  Step step;
  step.numbers = {random.pick(ArrayRef(heads)), random.between(1, 3)};
  return step;
}

bool SplitLoop::isApplicable(const Context &context, const Step &step) {
  constexpr uint64_t MostTurns = 8;
  std::optional<SplittableLoop> loop = findLoop(context, step.id(0));
  return loop && step.number(1) >= 1 && step.number(1) <= MostTurns &&
         all_of(resultsOf(context, *loop), [&](Id value) { return mayBePhi(context, value); });
}

namespace {
/// Writes the copy in front of the loop, and what decides between the two.
class LoopSplitter {
public:
  LoopSplitter(Context &context, SplittableLoop loop, uint32_t turns)
      : m_context(context), m_loop(std::move(loop)), m_turns(turns),
        m_program(context.edit().program), m_function(m_program.functions[m_loop.function]),
        m_emitter(context), m_names(m_program), m_results(resultsOf(context, m_loop)) {}

  void run();

private:
  /// A block of the function; blocks keep their indices until run() inserts the copy.
  Block &original(size_t block) { return m_function.blocks[block]; }
  /// Gives new ids to all that is copied. The copy leaves to the decision in place of the merge
  /// block.
  void nameCopies();
  void copyBlocks();
  void writeCopiedHead(const Block &head);
  void writeDecision();
  void joinResults();
  void redirectEntry();

  Context &m_context;
  SplittableLoop m_loop;
  uint32_t m_turns;
  Program &m_program;
  Function &m_function;
  Emitter m_emitter;
  Cloner m_names;
  std::vector<Id> m_results;
  std::vector<Id> m_early;                       ///< Of each result, what it is after the copy.
  Id m_inside = 0, m_decision = 0, m_behind = 0; ///< Labels of new blocks.
  Id m_counter = 0, m_increased = 0;             ///< Turns of the copy.
  std::vector<Block> m_blocks;                   ///< The copy, the decision last.
};
} // namespace

void LoopSplitter::nameCopies() {
  for (size_t block : m_loop.construct.blocks.set_bits())
    m_names.renewAll(original(block));
  for (const Instruction &each : original(m_loop.construct.merge).body)
    if (each.opcode == spv::Op::OpPhi)
      m_names.renew(each.result);
  m_inside = m_program.fresh();
  m_decision = m_program.fresh();
  m_behind = m_program.fresh();
  m_names.rename(m_loop.merge, m_decision);
}

/// The head gets a counter and leaves when all turns are done; what it did is in a block
/// after.
void LoopSplitter::writeCopiedHead(const Block &head) {
  Pool &pool = m_emitter.pool();
  Id u32 = pool.intType(32, false);
  m_counter = m_program.fresh();
  m_increased = m_program.fresh();
  Block first{m_names.nameOf(head.label), {}}, rest{m_inside, {}};
  for (const Instruction &each : head.body)
    if (each.opcode == spv::Op::OpPhi)
      first.body.push_back(m_names.clone(each));
    else if (!isMerge(each.opcode))
      rest.body.push_back(m_names.clone(each));
  first.body.push_back(
      {spv::Op::OpPhi,
       u32,
       m_counter,
       {id(pool.number(0)), id(m_loop.before), id(m_increased), id(m_names.nameOf(m_loop.latch))}});
  Id more = m_program.fresh();
  first.body.push_back(
      {spv::Op::OpULessThan, pool.boolType(), more, {id(m_counter), id(pool.number(m_turns))}});
  first.body.push_back(m_names.clone(*head.merge()));
  first.body.push_back(
      {spv::Op::OpBranchConditional, 0, 0, {id(more), id(m_inside), id(m_decision)}});
  m_blocks.push_back(std::move(first));
  m_blocks.push_back(std::move(rest));
}

void LoopSplitter::copyBlocks() {
  writeCopiedHead(original(m_loop.construct.header));
  for (size_t block : m_loop.construct.blocks.set_bits())
    if (block != m_loop.construct.header)
      m_blocks.push_back(m_names.clone(original(block)));
  // Whoever came from the head comes from the block after it now.
  Id head = m_names.nameOf(m_loop.head);
  for (Block &block : drop_begin(m_blocks))
    renamePhiSources(block, head, m_inside);
  Id latch = m_names.nameOf(m_loop.latch);
  Block &last = *find_if(m_blocks, [&](const Block &each) { return each.label == latch; });
  Pool &pool = m_emitter.pool();
  last.body.insert(
      last.body.begin() + static_cast<ptrdiff_t>(lastInsertion(last)),
      {spv::Op::OpIAdd, pool.intType(32, false), m_increased, {id(m_counter), id(pool.number(1))}});
}

/// The copy's merge block: phis of what it made, and the way to the loop or past it.
void LoopSplitter::writeDecision() {
  Pool &pool = m_emitter.pool();
  Block decision{m_decision, {}};
  std::vector<Id> sources; // Labels of those that leave the copy otherwise.
  for (const Block &block : drop_begin(m_blocks))
    if (is_contained(block.successors(), m_decision))
      sources.push_back(block.label);
  Id head = m_names.nameOf(m_loop.head);
  auto join = [&](Id type, Id fromHead, function_ref<Id(Id)> valueFrom) {
    Instruction phi{spv::Op::OpPhi, type, m_program.fresh(), {id(fromHead), id(head)}};
    for (Id source : sources) {
      phi.operands.push_back(id(valueFrom(source)));
      phi.operands.push_back(id(source));
    }
    decision.body.push_back(std::move(phi));
    return decision.body.back().result;
  };
  for (Id result : m_results) {
    const Instruction &made = *m_context.definitions().find(result);
    const Place &place = *m_context.definitions().place(result);
    bool isJoin = isMergePhi(m_context, m_loop, place);
    bool isHeadPhi = made.opcode == spv::Op::OpPhi && place.block == m_loop.construct.header;
    Id copy = m_names.nameOf(result);
    Id fromHead = isHeadPhi ? copy : m_emitter.undefined(made.type);
    Instruction copied = m_names.clone(made);
    m_early.push_back(join(made.type, fromHead, [&](Id source) {
      if (isJoin)
        for (size_t i = 0; i + 1 < copied.operands.size(); i += 2) {
          Id from = copied.word(i + 1) == head ? m_inside : copied.word(i + 1);
          if (from == source)
            return copied.word(i);
        }
      return copy;
    }));
  }
  Id yes = pool.constantBool(!m_context.isBroken()), no = pool.constantBool(false);
  Id stopped = join(pool.boolType(), yes, [&](Id) { return no; });
  decision.body.push_back({spv::Op::OpSelectionMerge, 0, 0, {id(m_behind), literal(0)}});
  decision.body.push_back(
      {spv::Op::OpBranchConditional, 0, 0, {id(stopped), id(m_loop.head), id(m_behind)}});
  m_blocks.push_back(std::move(decision));
}

/// After both, each result is the one's or the other's.
void LoopSplitter::joinResults() {
  std::vector<Instruction> phis;
  std::vector<std::pair<Use, Id>> uses;
  for (auto [result, early] : zip_equal(m_results, m_early)) {
    Id joined = m_program.fresh();
    phis.push_back({spv::Op::OpPhi,
                    m_context.definitions().typeOf(result),
                    joined,
                    {id(early), id(m_decision), id(result), id(m_loop.merge)}});
    for (const Use &use : m_context.usesOf(result))
      if (isAfter(m_context, m_loop, use))
        uses.push_back({use, joined});
  }
  for (const auto &[use, joined] : uses)
    replaceUse(m_program, use, joined);
  size_t merge = m_loop.construct.merge;
  splitBlock(m_function, merge, firstInsertion(original(merge)), m_behind);
  std::vector<Instruction> &body = original(merge + 1).body;
  body.insert(body.begin(), std::make_move_iterator(phis.begin()),
              std::make_move_iterator(phis.end()));
}

/// Who went to the loop goes to the copy; the loop begins with what the copy ended with.
void LoopSplitter::redirectEntry() {
  Id head = m_names.nameOf(m_loop.head);
  for (auto [index, block] : enumerate(m_function.blocks)) {
    bool isMine = index < m_loop.construct.blocks.size() && m_loop.construct.blocks[index];
    for (Instruction &each : block.body)
      if (!isMine && (isTerminator(each.opcode) || isMerge(each.opcode)))
        for (Operand &operand : each.operands)
          if (operand == id(m_loop.head))
            operand = id(head);
  }
  for (Instruction &each : original(m_loop.construct.header).body)
    if (each.opcode == spv::Op::OpPhi)
      for (size_t i = 0; i + 1 < each.operands.size(); i += 2)
        if (each.word(i + 1) == m_loop.before) {
          each.operands[i] = id(m_names.nameOf(each.result));
          each.operands[i + 1] = id(m_decision);
        }
}

void LoopSplitter::run() {
  nameCopies();
  copyBlocks();
  writeDecision();
  m_names.cloneDecorations();
  for (size_t block : m_loop.construct.blocks.set_bits())
    if (m_context.deadBlocks().count(original(block).label))
      m_context.addDeadBlock(m_names.nameOf(original(block).label));
  redirectEntry();
  joinResults();
  insertBefore(m_function, m_loop.head, std::move(m_blocks));
}

/// Broken: after the copy the loop is always passed by.
void SplitLoop::apply(Context &context, const Step &step) {
  LoopSplitter(context, *findLoop(context, step.id(0)), static_cast<uint32_t>(step.number(1)))
      .run();
}

} // namespace assay::fuzz
