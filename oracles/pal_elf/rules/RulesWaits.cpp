// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rule on waits (MC-14): along all ways of control, which results are still under way where a
// register is touched. When events retire is the machine's rule; here it is applied to how old an
// event is at least and at most, so that ways can be joined.
#include "oracles/machine/gcn_isa/WeakWait.h"
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A result under way.
struct Pending {
  uint32_t producer = 0; ///< Index of the instruction.
  RegisterSpan registers;
  WaitOrder order = WaitOrder::Vmem;
  VmemUnit unit = VmemUnit::Plain;
  uint8_t counters = 0; ///< Those that it was issued with.
  uint8_t perhaps = 0;  ///< Those that some way has not seen come down,
  uint8_t surely = 0;   ///< and those that no way has.
  /// Events of its order at or after it, for each counter: on the way with the fewest, and on the
  /// one with the most.
  std::array<uint8_t, WaitCounterCount> youngest{}, oldest{};
  bool lanesKept = true;   ///< Its lanes are among those of EXEC,
  bool lanesInside = true; ///< EXEC's are among its lanes. Neither: nobody knows.

  /// False where a touch may be by other lanes than those that wait for the result.
  bool touchesLanes() const { return !registers.vector || lanesKept || lanesInside; }
  bool operator==(const Pending &) const = default;
  /// True when both bring the same registers and retire by the same rules; their producers may
  /// differ.
  bool sameKind(const Pending &other) const {
    return registers.vector == other.registers.vector && registers.first == other.registers.first &&
           registers.count == other.registers.count && order == other.order && unit == other.unit &&
           counters == other.counters;
  }
};

/// What is under way at one place: ordered by producer.
/// Entries are bounded by MaxPending; code with more loads in flight is judged by the latest ones.
class PendingState {
public:
  explicit PendingState(unsigned gfxMajor) : m_gfxMajor(gfxMajor) {}

  /// Applies a wait instruction. Results that are complete on all paths are dropped.
  void wait(const WaitLimits &limits);
  /// Adds the event of instruction \p producer and makes the others one event older. Without
  /// registers, as for stores, only the ages change.
  void issue(const ResultOrder &issued, uint32_t producer, const RegisterSpan &registers);
  /// Records how the lanes of pending results relate to the new EXEC.
  void changeExec(ExecChange change);
  void clear() { m_pending.clear(); }
  /// Takes in another path. Returns true when the state changed.
  bool join(const PendingState &other);
  ArrayRef<Pending> pending() const { return m_pending; }

private:
  /// More than any code needs: the oldest are forgotten, which is silence.
  static constexpr size_t MaxPending = 256;

  void lower(unsigned counter, unsigned limit);
  void removeComplete() {
    erase_if(m_pending, [](const Pending &each) { return each.perhaps == 0; });
  }
  /// The entry of \p like's kind that no way has waited for, or null.
  const Pending *findSure(const Pending &like) const;
  void takeSides(const PendingState &other);

  unsigned m_gfxMajor;
  SmallVector<Pending, 4> m_pending;
};

} // namespace

/// After this, no more than \p limit events of \p counter are outstanding.
void PendingState::lower(unsigned counter, unsigned limit) {
  auto bit = static_cast<uint8_t>(1u << counter);
  for (Pending &each : m_pending) {
    if (!(each.perhaps & bit))
      continue;
    WaitOrder order = orderIn(each.order, WaitCounter(counter), m_gfxMajor);
    if (waitCompletes(order, each.oldest[counter], limit))
      each.surely &= ~bit;
    if (waitCompletes(order, each.youngest[counter], limit))
      each.perhaps &= ~bit;
  }
}

/// Applies the limits of a wait instruction and forgets what is complete on all paths.
void PendingState::wait(const WaitLimits &limits) {
  for (unsigned counter = 0; counter < WaitCounterCount; ++counter)
    if (limits.max[counter] != WaitLimits::NoLimit)
      lower(counter, limits.max[counter]);
  removeComplete();
}

/// Makes older events of the same counters and order older by one, and notes the new one if it
/// writes registers. An event that repeats in a loop replaces its earlier one. Above MaxPending
/// entries the one with the lowest producer is dropped.
void PendingState::issue(const ResultOrder &issued, uint32_t producer,
                         const RegisterSpan &registers) {
  const WaitEvent &event = issued.event;
  for (unsigned number = 0; number < WaitCounterCount; ++number) {
    auto counter = WaitCounter(number);
    if (!(event.counters & counterBit(counter)))
      continue;
    WaitOrder order = orderIn(event.order, counter, m_gfxMajor);
    for (Pending &each : m_pending) {
      if (!(each.counters & counterBit(counter)) ||
          orderIn(each.order, counter, m_gfxMajor) != order)
        continue;
      each.youngest[number] = SaturatingAdd<uint8_t>(each.youngest[number], 1);
      each.oldest[number] = SaturatingAdd<uint8_t>(each.oldest[number], 1);
    }
    if (completesInOrder(order)) // A full counter stalls.
      lower(number, waitCounterMax(counter, m_gfxMajor));
  }
  removeComplete();
  if (registers.count == 0)
    return;
  erase_if(m_pending, [&](const Pending &each) { return each.producer == producer; });
  Pending added;
  added.producer = producer;
  added.registers = registers;
  added.order = event.order;
  added.unit = issued.unit;
  added.counters = added.perhaps = added.surely = event.counters;
  added.youngest.fill(1);
  added.oldest.fill(1);
  m_pending.insert(
      upper_bound(m_pending, added,
                  [](const Pending &a, const Pending &b) { return a.producer < b.producer; }),
      added);
  if (m_pending.size() > MaxPending)
    m_pending.erase(m_pending.begin());
}

/// Notes for each pending event whether its lanes may differ from those of EXEC now.
void PendingState::changeExec(ExecChange change) {
  if (change == ExecChange::None)
    return;
  for (Pending &each : m_pending) {
    each.lanesKept &= change == ExecChange::Widens;
    each.lanesInside &= change == ExecChange::Narrows;
  }
}

/// Returns an event of the same kind that is surely outstanding on some counter, or null.
const Pending *PendingState::findSure(const Pending &like) const {
  const auto *found =
      find_if(m_pending, [&](const Pending &each) { return each.surely && each.sameKind(like); });
  return found == m_pending.end() ? nullptr : found;
}

using Ages = std::array<uint8_t, WaitCounterCount>;

/// Returns the larger age of each counter.
static Ages larger(Ages a, const Ages &b) {
  for (auto [mine, its] : zip(a, b))
    mine = std::max(mine, its);
  return a;
}

/// Of what only this side has under way, keeps for sure what the other has from another producer.
void PendingState::takeSides(const PendingState &other) {
  for (Pending &each : m_pending) {
    if (is_contained(map_range(other.m_pending, [](const Pending &p) { return p.producer; }),
                     each.producer))
      continue;
    const Pending *like = each.surely ? other.findSure(each) : nullptr;
    each.surely = like ? each.surely & like->surely : 0;
    if (like)
      each.oldest = larger(each.oldest, like->oldest);
  }
}

/// Joins two states of the same result, which both have the same producer.
static Pending merge(const Pending &a, const Pending &b) {
  Pending both = a;
  both.perhaps |= b.perhaps;
  both.surely &= b.surely;
  for (auto [mine, its] : zip(both.youngest, b.youngest))
    mine = std::min(mine, its);
  both.oldest = larger(a.oldest, b.oldest);
  both.lanesKept &= b.lanesKept;
  both.lanesInside &= b.lanesInside;
  return both;
}

/// Merges the events of two paths by their producers, which both states are sorted by. Returns
/// whether anything changed.
bool PendingState::join(const PendingState &other) {
  PendingState left = *this;
  PendingState right = other;
  left.takeSides(other);
  right.takeSides(*this);
  SmallVector<Pending, 4> joined;
  const Pending *a = left.m_pending.begin();
  const Pending *b = right.m_pending.begin();
  while (a != left.m_pending.end() || b != right.m_pending.end()) {
    if (b == right.m_pending.end() || (a != left.m_pending.end() && a->producer < b->producer))
      joined.push_back(*a++);
    else if (a == left.m_pending.end() || b->producer < a->producer)
      joined.push_back(*b++);
    else
      joined.push_back(merge(*a++, *b++));
  }
  if (joined.size() > MaxPending)
    joined.erase(joined.begin(), joined.end() - MaxPending);
  bool changed = joined != m_pending;
  m_pending = std::move(joined);
  return changed;
}

/// What a memory instruction brings and a counter counts; count 0 for stores, and for loads of
/// less than a register, which leave the rest of it alone.
static RegisterSpan broughtBy(const Inst &inst) {
  bool isOdd = inst.mods.lds || inst.mods.gds || inst.mods.d16 ||
               StringRef(inst.mnemonic).contains("d16") || countResults(inst) != 1 ||
               inst.operands[0].half != RegisterHalf::Whole;
  return isOdd ? RegisterSpan() : registersOf(inst.operands[0], /*withVcc=*/true);
}

/// The data of an atomic that returns is what it brings and what it takes, in one operand: of
/// buffers and images. Flat and global ones have two.
static bool readsItsResult(const Inst &inst) {
  StringRef name = inst.mnemonic;
  return name.starts_with("buffer_atomic_") || name.starts_with("image_atomic_");
}

/// The order of the results of \p inst and those of others; nothing where it raises no counter.
static std::optional<ResultOrder> orderOf(const Inst &inst, unsigned gfxMajor) {
  std::optional<WaitEvent> event = classifyWaitEvent(inst, gfxMajor);
  if (!event)
    return std::nullopt;
  return ResultOrder{*event, vmemUnit(inst)};
}

namespace {
/// What an instruction touches too early.
struct Touch {
  const Pending *pending = nullptr;
  RegisterSpan registers;
};
} // namespace

/// Looks for what operand \p index of \p inst touches of \p state; what is sure comes first.
static void findTouched(const PendingState &state, const Inst &inst, size_t index,
                        const std::optional<ResultOrder> &order, Touch &touch) {
  RegisterSpan registers = registersOf(inst.operands[index], /*withVcc=*/true);
  if (registers.count == 0)
    return;
  bool isResult = index < countResults(inst) && !readsItsResult(inst);
  for (const Pending &each : state.pending()) {
    if (!each.registers.overlaps(registers) || !each.touchesLanes())
      continue;
    // One load may overwrite what another brings, when they return in order.
    if (isResult && order && writesAfter(*order, {{each.counters, each.order}, each.unit}))
      continue;
    if (!touch.pending || (each.surely && !touch.pending->surely))
      touch = {&each, registers};
  }
}

/// Returns the first touch of any operand of \p inst, both halves of a dual instruction included; a
/// sure one takes precedence. Its pending is null when there is none.
static Touch findTouched(const PendingState &state, const Inst &inst, unsigned gfxMajor) {
  std::optional<ResultOrder> order = orderOf(inst, gfxMajor);
  Touch touch;
  for (size_t index = 0; index < inst.operands.size(); ++index)
    findTouched(state, inst, index, order, touch);
  for (const Inst &half : inst.dual) {
    Touch other = findTouched(state, half, gfxMajor);
    if (other.pending && (!touch.pending || !touch.pending->surely))
      touch = other;
  }
  return touch;
}

/// Advances \p state over \p inst: its wait, its effect on EXEC, then the event that it issues.
static void step(PendingState &state, uint32_t index, const Inst &inst, unsigned gfxMajor) {
  if (std::optional<WaitLimits> limits = decodeWait(inst, gfxMajor))
    state.wait(*limits);
  if (isCall(inst) || namesRegistersIndirectly(inst))
    state.clear(); // Who is called waits for everything first.
  state.changeExec(execChangeOf(inst));
  if (std::optional<ResultOrder> order = orderOf(inst, gfxMajor))
    state.issue(*order, index, broughtBy(inst));
}

namespace {
/// A function as findWeakWait() looks at it.
class FunctionWaits final : public WaitedCode {
public:
  explicit FunctionWaits(const FunctionCode &function) : m_function(function) {}

  uint32_t size() const override { return static_cast<uint32_t>(m_function.insts.size()); }
  const Inst &inst(uint32_t index) const override { return m_function.insts[index]; }
  PendingRegisters result(uint32_t index) const override { return broughtBy(inst(index)); }
  /// Returns the following instruction, or the first ones of the successors at the end of a block.
  SmallVector<uint32_t, 2> next(uint32_t index) const override {
    ArrayRef<Block> blocks = m_function.graph->blocks();
    const Block &block = blocks[m_function.graph->blockOf(index)];
    if (index + 1 < block.end)
      return {index + 1};
    SmallVector<uint32_t, 2> first;
    for (uint32_t successor : block.successors)
      first.push_back(blocks[successor].first);
    return first;
  }

private:
  const FunctionCode &m_function;
};
} // namespace

/// "vmcnt": a counter that \p pending is not surely done with.
static StringRef nameCounter(const Pending &pending, unsigned gfxMajor) {
  return waitCounterName(WaitCounter(countr_zero(pending.surely)), gfxMajor);
}

/// What is between who brings a result and who touches it.
static std::string describeWait(const std::optional<WeakWait> &weak, const Pending &pending,
                                unsigned gfxMajor) {
  if (!weak)
    return ("no wait for " + nameCounter(pending, gfxMajor) + " is between them").str();
  return "the wait for " + printWait(weak->counter, weak->limit, gfxMajor) + " at +0x" +
         utohexstr(weak->pc) + " lets it be in flight, " +
         printWait(weak->counter, weak->needed, gfxMajor) + " would not";
}

/// Reports \p touch at instruction \p index: an error with the wait that is too weak or missing
/// when all paths lack it, a warning otherwise.
static void reportTouch(const FunctionCode &function, uint32_t index, const Touch &touch,
                        unsigned gfxMajor, RuleReporter &out) {
  const Inst &producer = function.insts[touch.pending->producer];
  std::string what = "it touches " + nameOf(touch.registers) + ", which the '" + producer.mnemonic +
                     "' at +0x" + utohexstr(producer.pc) + " still brings: ";
  StringRef kind = touch.registers.vector ? "vector" : "scalar";
  if (touch.pending->surely) {
    std::optional<WeakWait> weak =
        findWeakWait(FunctionWaits(function), touch.pending->producer, index, gfxMajor);
    return out.report(codeLocation(function, index), weak ? (kind + "-weak").str() : kind.str(),
                      what + describeWait(weak, *touch.pending, gfxMajor));
  }
  out.report(RuleLevel::Warning, codeLocation(function, index),
             touch.registers.vector ? "vector-on-a-way" : "scalar-on-a-way",
             what + "on some way through the code, no wait is between them");
}

/// MC-14. The walk applies a wait before the instruction's own reads: interpolation instructions
/// contain one.
static void checkWaits(const ElfModel &model, RuleReporter &out) {
  if (!model.code)
    return;
  unsigned major = getGfxMajor(model);
  for (const auto &function : model.code->functions) {
    DenseSet<uint32_t> told; // One missing wait is one finding.
    walkFlow(
        *function, PendingState(major),
        [&](PendingState &state, uint32_t index, const Inst &inst) {
          step(state, index, inst, major);
        },
        [&](const PendingState &state, uint32_t index, const Inst &inst) {
          PendingState waited = state;
          if (std::optional<WaitLimits> limits = decodeWait(inst, major))
            waited.wait(*limits); // Interpolation waits before it reads.
          Touch touch = findTouched(waited, inst, major);
          if (touch.pending && told.insert(touch.pending->producer).second)
            reportTouch(*function, index, touch, major, out);
        });
  }
}

static constexpr RuleInfo waitsRules[] = {
    {"MC-14",
     RuleLevel::Error,
     "Results are waited for",
     {EnforcerKind::Hardware,
      "AMD ISA manuals, Data dependency resolution: S_WAITCNT (LLVM AMDGPUUsage, memory counters)"},
     "Nothing reads or overwrites a register that a load still brings. Judged by the machine's "
     "rule of when counters retire, along all ways of control: an error where every way that leads "
     "there lacks the wait, a warning where some way does. An error says whether nothing waits or "
     "what waits lets too many be in flight. Where other lanes may be switched on in between, and "
     "for loads of half a register, it says nothing.",
     checkWaits,
     RuleScope::Code},
};

ArrayRef<RuleInfo> assay::getWaitRules() {
  return waitsRules;
}
