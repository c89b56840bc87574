// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/syncs/SyncTruth.h"

#include "oracles/machine/ir3_isa/Codec.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::syncs;

/// Older results are there.
static constexpr unsigned OldestAge = 16;

SyncTruth::SyncTruth(ArrayRef<uint64_t> code, adreno::Chip chip, uint32_t entry)
    : m_isNew(adreno::factsOf(chip).generation >= 700),
      m_hasScalarAlu(chip == adreno::Chip::A660 || chip == adreno::Chip::A740), m_chip(chip),
      m_entry(entry), m_texts(code.size()), m_insts(code.size()), m_jumps(code.size()) {
  // Mesa, ir3_compiler.c, delay_slots.
  m_alu = m_isNew ? 2 : 3;
  m_far = m_isNew ? 5 : 6;
  m_third = 1;
  for (auto [pc, word] : enumerate(code)) {
    read(uint32_t(pc), word);
    if (m_insts[pc].usesRelative && m_refusal.empty())
      m_refusal = "registers that a0.x chooses";
  }
  findSides();
}

void SyncTruth::replace(uint32_t pc, uint64_t word) {
  read(pc, word);
}

/// Aliases since the texture instruction before it are those of a texture instruction.
void SyncTruth::read(uint32_t pc, uint64_t word) {
  m_texts[pc] = adreno::printWord(word, m_chip);
  TextInst &inst = m_insts[pc];
  inst = readText(m_texts[pc], unsigned(word >> 61));
  if (inst.category == 5) {
    uint32_t first = pc;
    while (first && m_insts[first - 1].category != 5)
      --first;
    SmallVector<TextAlias, 8> aliases;
    for (uint32_t i = first; i < pc; ++i)
      if (m_insts[i].alias)
        aliases.push_back(*m_insts[i].alias);
    applyAliases(inst, aliases);
  }
  adreno::Inst decoded = adreno::decode(word, m_chip);
  bool jumps =
      decoded.isValid() && decoded.category() == 0 && decoded.has(adreno::Field::Immediate);
  m_jumps[pc] = jumps ? decoded.getSigned(adreno::Field::Immediate) : 0;
}

/// In the order of the text, which is that of turnip's code.
void SyncTruth::findSides() {
  Side side = Side::Both;
  for (const TextInst &inst : m_insts) {
    if (inst.name == "predt")
      side = Side::True;
    else if (inst.name == "predf")
      side = Side::False;
    else if (inst.name == "prede")
      side = Side::Both;
    m_sides.push_back(side);
  }
}

/// A jump leads to one place more; end leads nowhere, and its wave to where others wait.
SyncPaths SyncTruth::paths() const {
  SyncPaths paths;
  auto anywhere = uint32_t(m_insts.size());
  for (uint32_t pc = 0; pc < m_insts.size(); ++pc) {
    const TextInst &inst = m_insts[pc];
    uint32_t target = pc + uint32_t(m_jumps[pc]);
    bool jumps = m_jumps[pc] && target < m_insts.size();
    bool continues =
        inst.isInstruction && inst.name != "end" && inst.name != "jump" && pc + 1 < m_insts.size();
    if (jumps)
      paths.fibers.insert({pc, target});
    if (continues)
      paths.fibers.insert({pc, pc + 1});
    if (jumps || inst.name == "end")
      paths.waves.insert({pc, anywhere});
    if (jumps) {
      paths.waves.insert({anywhere, target});
      paths.waves.insert({target - 1, anywhere});
    }
    if (jumps && continues)
      paths.waves.insert({anywhere, pc + 1});
  }
  paths.waves.insert(paths.fibers.begin(), paths.fibers.end());
  return paths;
}

static constexpr uint32_t FileCells = 4096;

/// Of the wave, and not of a fiber.
static bool isShared(uint32_t cell) {
  return cell / FileCells == uint32_t(TextFile::Shared);
}

/// Half registers are cells; a full one has two.
static std::pair<uint32_t, uint32_t> cellsOf(const RegisterUse &use) {
  uint32_t base = uint32_t(use.file) * FileCells;
  switch (use.file) {
  case TextFile::Gpr:
  case TextFile::Shared: {
    uint32_t number = use.number - (use.file == TextFile::Shared ? 4U * 48 : 0);
    return use.half ? std::pair(base + number, 1U) : std::pair(base + 2 * number, 2U);
  }
  case TextFile::Predicate:
    return {base + use.number % 4, 1};
  case TextFile::Address:
  case TextFile::Address1:
  case TextFile::Const:
    break;
  }
  return {base, 1};
}

/// Categories 1 to 3.
static bool isAlu(const TextInst &inst) {
  return inst.category >= 1 && inst.category <= 3;
}

/// Its result is shared, and no source is a vector register (Mesa, ir3.h, is_scalar_alu).
bool SyncTruth::isScalar(const TextInst &inst) const {
  auto isVector = [](const RegisterUse &use) {
    return !use.writes && (use.file == TextFile::Gpr || use.file == TextFile::Predicate);
  };
  bool isShared = any_of(
      inst.uses, [](const RegisterUse &use) { return use.writes && use.file == TextFile::Shared; });
  bool isMove = inst.name.starts_with("swz.") || inst.name.starts_with("gat.") ||
                inst.name.starts_with("sct.") || inst.name.starts_with("movmsk");
  return m_hasScalarAlu && isAlu(inst) && isShared && !isMove && none_of(inst.uses, isVector);
}

/// Mesa, ir3_delay.c, ir3_delayslots.
unsigned SyncTruth::neededSlots(const TextInst &inst, const RegisterUse &use, bool half) const {
  bool isSpecial = use.file == TextFile::Predicate || use.file == TextFile::Address ||
                   use.file == TextFile::Address1;
  if (isSpecial || !isAlu(inst))
    return m_far;
  bool isMad = inst.name.starts_with("mad");
  unsigned slots = use.isThird && (isMad || m_isNew) ? m_third : m_alu;
  return slots + (use.half != half ? 3 : 0);
}

/// Without (nopN) (Mesa, ir3_legalize.c, count_instruction).
unsigned SyncTruth::slotsOf(const TextInst &inst) const {
  if (inst.name.starts_with("swz."))
    return 2;
  if (inst.name.starts_with("gat.") || inst.name.starts_with("sct."))
    return 4;
  static constexpr StringLiteral Branches[] = {"br", "braa", "brao", "jump"};
  bool isFree = inst.category >= 4 || is_contained(Branches, inst.name) || isScalar(inst);
  return isFree ? 0 : 1 + inst.repeat;
}

/// (ss) and (sy) wait for all of their kind.
void SyncTruth::applyFlags(const TextInst &inst, State &state) const {
  std::erase_if(state, [&](const auto &entry) {
    switch (entry.first.pending) {
    case Pending::Slots:
      return inst.ss && entry.second.endsBySs;
    case Pending::Ss:
    case Pending::ReadSs:
      return inst.ss;
    case Pending::Sy:
      return inst.sy;
    case Pending::ReadAny:
      return inst.ss || inst.sy;
    }
    return false;
  });
}

bool SyncTruth::isEarly(uint32_t pc, const RegisterUse &use, const Key &key,
                        const Value &value) const {
  const TextInst &inst = m_insts[pc];
  switch (key.pending) {
  case Pending::Slots:
    return !use.writes && value.age + use.step < 1 + neededSlots(inst, use, value.half);
  case Pending::Ss:
    return !(value.isScalar && isScalar(inst) && value.half == use.half);
  case Pending::Sy:
    return true;
  case Pending::ReadSs:
  case Pending::ReadAny:
    return use.writes && key.producer != pc && !(value.isScalar && isScalar(inst));
  }
  return false;
}

/// Cells of a full register are asked one by one.
void SyncTruth::check(uint32_t pc, const State &state, bool certain,
                      std::set<SyncPair> &pairs) const {
  for (const RegisterUse &use : m_insts[pc].uses) {
    if ((use.file == TextFile::Const && use.writes) || (certain && use.isMaybe))
      continue;
    auto [first, count] = cellsOf(use);
    auto it = partition_point(
        state, [begin = first](const auto &entry) { return entry.first.cell < begin; });
    for (; it != state.end() && it->first.cell < first + count; ++it) {
      Side side = it->second.side;
      bool isOther = side != Side::Both && m_sides[pc] != Side::Both && side != m_sides[pc];
      isOther |= certain && it->second.isMaybe;
      if (!isOther && isEarly(pc, use, it->first, it->second))
        pairs.insert({it->first.producer, pc});
    }
  }
}

/// What the instruction leaves pending.
void SyncTruth::addPending(uint32_t pc, State &state) const {
  const TextInst &inst = m_insts[pc];
  unsigned slots = slotsOf(inst) + inst.nops;
  auto add = [&](const RegisterUse &use, Pending pending) {
    Value value;
    value.age = slots - std::min<unsigned>(slots, use.step);
    value.half = use.half;
    value.isScalar = isScalar(inst);
    value.endsBySs = use.file == TextFile::Address1 && m_isNew;
    value.side = m_sides[pc];
    value.isMaybe = use.isMaybe;
    auto [first, count] = cellsOf(use);
    for (uint32_t i = 0; i < count; ++i) {
      Key key = {first + i, pc, pending};
      auto place = partition_point(state, [&](const auto &entry) { return entry.first < key; });
      if (place != state.end() && place->first == key)
        place->second = value;
      else
        state.insert(place, {key, value});
    }
  };
  // Mesa, ir3.h, is_war_hazard_producer.
  bool readsLate = (inst.category >= 4 && inst.category <= 6) ||
                   (isAlu(inst) && any_of(inst.uses, [](const RegisterUse &use) {
                      return use.writes && use.file == TextFile::Shared;
                    }));
  for (const RegisterUse &use : inst.uses)
    if (!use.writes && readsLate && use.file != TextFile::Const)
      add(use, inst.result == Wait::Sy ? Pending::ReadAny : Pending::ReadSs);
  for (const RegisterUse &use : inst.uses) {
    if (!use.writes)
      continue;
    auto [first, count] = cellsOf(use);
    // Of predicated instructions, some fibers keep what they had.
    if (m_sides[pc] == Side::Both && use.file != TextFile::Const)
      std::erase_if(state, [&, begin = first, cells = count](const auto &entry) {
        uint32_t cell = entry.first.cell;
        return cell >= begin && cell < begin + cells && entry.first.producer != pc;
      });
    bool isShared = use.file == TextFile::Shared;
    add(use, isShared || inst.result == Wait::Ss ? Pending::Ss
             : inst.result == Wait::Sy           ? Pending::Sy
                                                 : Pending::Slots);
  }
}

void SyncTruth::leave(uint32_t pc, State &state, const SyncPaths &paths) const {
  const TextInst &inst = m_insts[pc];
  unsigned slots = slotsOf(inst) + inst.nops;
  for (auto &[key, value] : state) {
    value.age = std::min(OldestAge, value.age + slots);
    if (inst.name == "prede")
      value.side = Side::Both;
  }
  std::erase_if(state, [](const auto &entry) {
    return entry.first.pending == Pending::Slots && entry.second.age >= OldestAge;
  });
  if (isActive(pc, paths))
    addPending(pc, state);
}

/// Adds what is wanted of \p from to \p to, both sorted; true when that changes it.
template <typename State, typename Wanted>
static bool join(State &to, const State &from, Wanted isWanted) {
  bool changes = false;
  State added;
  auto place = to.begin();
  for (const auto &entry : from) {
    if (!isWanted(entry.first))
      continue;
    while (place != to.end() && place->first < entry.first)
      ++place;
    if (place == to.end() || entry.first < place->first) {
      added.push_back(entry);
    } else if (entry.second.age < place->second.age) {
      place->second.age = entry.second.age;
      changes = true;
    }
  }
  if (added.empty())
    return changes;
  State merged(to.size() + added.size());
  std::merge(to.begin(), to.end(), added.begin(), added.end(), merged.begin(),
             [](const auto &a, const auto &b) { return a.first < b.first; });
  to = std::move(merged);
  return true;
}

/// The edges of paths, by the instruction where they begin.
struct SyncTruth::Graph {
  /// Of which a wave's part of the state takes one that fibers do not.
  struct Successor {
    uint32_t pc = 0;
    bool isOfWave = false;
  };
  std::vector<SmallVector<Successor, 2>> successors;
  /// Control reaches it from the preceding instruction alone, by a path of fibers.
  std::vector<char> continues;

  /// The place \p anywhere of SyncPaths is the last one.
  Graph(const SyncPaths &paths, uint32_t anywhere, uint32_t entry);
};

SyncTruth::Graph::Graph(const SyncPaths &paths, uint32_t anywhere, uint32_t entry)
    : successors(anywhere + 1), continues(anywhere + 1) {
  std::vector<unsigned> predecessors(anywhere + 1);
  auto add = [&](const Edge &edge, bool isOfWave) {
    auto [from, to] = edge;
    if (from > anywhere || to > anywhere)
      return;
    successors[from].push_back({to, isOfWave});
    continues[to] |= char(!isOfWave && to == from + 1 && to != anywhere);
    ++predecessors[to];
  };
  for (const Edge &edge : paths.fibers)
    add(edge, false);
  for (const Edge &edge : paths.waves)
    if (!paths.fibers.contains(edge))
      add(edge, true);
  for (uint32_t pc = 0; pc <= anywhere; ++pc)
    continues[pc] &= char(predecessors[pc] == 1 && pc != entry);
}

/// The states before instructions that are reached in several ways are computed until they stay
/// the same; then each path from one to the next is checked. The flags of an instruction help
/// itself.
std::set<SyncPair> SyncTruth::findPairs(const SyncPaths &paths, bool certain) const {
  auto isAny = [](const Key &) { return true; };
  auto isOfWave = [](const Key &key) { return isShared(key.cell); };
  auto anywhere = uint32_t(m_insts.size());
  Graph graph(paths, anywhere, m_entry);
  std::vector<std::optional<State>> before(anywhere + 1);
  std::set<uint32_t> work = {m_entry};
  before[m_entry].emplace();
  auto pass = [&](uint32_t pc, const State &after) {
    for (const Graph::Successor &to : graph.successors[pc]) {
      if (graph.continues[to.pc])
        continue;
      bool isNew = !before[to.pc];
      if (isNew)
        before[to.pc].emplace();
      bool changes =
          to.isOfWave ? join(*before[to.pc], after, isOfWave) : join(*before[to.pc], after, isAny);
      if (isNew || changes)
        work.insert(to.pc);
    }
  };
  auto walk = [&](uint32_t pc, auto visit, auto end) {
    State state = *before[pc];
    do {
      if (pc < anywhere && !m_insts[pc].isInstruction)
        return;
      if (pc < anywhere) {
        applyFlags(m_insts[pc], state);
        visit(pc, state);
        leave(pc, state, paths);
      }
      end(pc, state);
    } while (++pc <= anywhere && graph.continues[pc]);
  };
  while (!work.empty()) {
    uint32_t pc = *work.begin();
    work.erase(work.begin());
    walk(pc, [](uint32_t, const State &) {}, pass);
  }
  std::set<SyncPair> pairs;
  auto visit = [&](uint32_t pc, const State &state) {
    if (isActive(pc, paths))
      check(pc, state, certain, pairs);
  };
  for (uint32_t pc = 0; pc <= anywhere; ++pc)
    if (before[pc])
      walk(pc, visit, [](uint32_t, const State &) {});
  return pairs;
}
