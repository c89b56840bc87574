// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For this folder's tests: every row of an instruction table on the real handlers against its
// definition (definitions/Effect.h), and the exchange of each row with every other one that takes
// the same operands, which must be noticed. Texts are assembled by LLVM, so that the tables of the
// decoder are judged, too.
#pragma once

#include "oracles/machine/gcn/ExportTesting.h"
#include "oracles/machine/gcn/WaveTesting.h"
#include "oracles/machine/gcn/definitions/Effect.h"
#include "oracles/machine/gcn/memory/Share.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <map>
#include <set>

namespace assay::gcn {

using definitions::Effect;
using definitions::Region;
using definitions::Request;
using definitions::World;

/// One way to write an instruction: what is after its mnemonic, and what that means.
struct EffectForm {
  std::string operands;
  Request request;
  unsigned worlds = 0; ///< Which of the family's sets of worlds it is tried in.
};

/// A family of instructions: what its tables have, and how to try them.
struct EffectFamily {
  std::vector<Format> formats;
  std::function<std::optional<Effect>(llvm::StringRef name)> find;
  /// The forms of \p effect on \p chip; those of one effect differ in \ref EffectForm::operands.
  std::function<std::vector<EffectForm>(llvm::StringRef name, const Effect &effect, Chip chip)>
      forms;
  /// The worlds of set \p index.
  std::function<std::vector<World>(Chip chip, unsigned waveSize, unsigned index)> worlds;
  /// Why two mnemonics may be one another, or null. Data, with its reason.
  std::function<const char *(llvm::StringRef a, llvm::StringRef b)> sameness;
  /// False: a row of these formats that is not the family's (its beginnings are somebody else's, or
  /// it has no semantics: docs/gcn-machine.md says why).
  std::function<bool(llvm::StringRef name, Chip chip)> takes = [](llvm::StringRef, Chip) {
    return true;
  };
};

inline unsigned gfxMajorOf(Chip chip) {
  static constexpr unsigned Majors[] = {9, 10, 10, 11, 11, 12};
  return Majors[unsigned(chip)];
}

/// "v5", "v[5:7]".
inline std::string registers(char file, unsigned first, unsigned count) {
  std::string name(1, file);
  if (count == 1)
    return name + std::to_string(first);
  return name + "[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

/// The registers and memories of a world on the real machine.
class WorldBench {
public:
  WorldBench(Chip chip, unsigned waveSize, llvm::StringRef text)
      : m_bench(chipName(chip), waveSize, text) {
    m_bench.group().memory = &m_space;
    mapGlobalShare(m_space);
  }
  bool isReady() { return m_bench.wave != nullptr; }
  llvm::ArrayRef<MicroOp> ops() const { return m_bench.ops(); }

  /// What \p op makes of \p world.
  World run(const MicroOp &op, const World &world);
  std::string failure() const { return m_bench.failure(); }

private:
  void load(const World &world);
  World save(const World &before);
  void loadBarriers(const World &world);
  void saveBarriers(World &world);
  /// The bytes of \p region, mapped where it says.
  llvm::MutableArrayRef<uint8_t> mapped(const Region &region, const char *name);

  AddressSpace m_space;
  std::map<uint64_t, llvm::MutableArrayRef<uint8_t>> m_mapped;
  WaveBench m_bench;
};

inline llvm::MutableArrayRef<uint8_t> WorldBench::mapped(const Region &region, const char *name) {
  if (region.bytes.empty())
    return {};
  auto [place, isNew] = m_mapped.try_emplace(region.base);
  if (isNew)
    place->second = m_space.allocate(region.base, region.bytes.size(), name, true);
  return place->second;
}

/// Where GlobalShare.cpp keeps its registers and resources: after the share.
constexpr uint64_t StreamsAt = GlobalShareBase + GlobalShareBytes;
constexpr uint64_t ResourcesAt = StreamsAt + 4 * GsRegisterCount;

inline void WorldBench::load(const World &world) {
  Wave &wave = *m_bench.wave;
  Workgroup &group = m_bench.group();
  for (unsigned i = 0; i < definitions::WorldVgprs; ++i)
    std::copy(world.v[i].begin(), world.v[i].end(), wave.v[i].begin());
  wave.s = world.s;
  wave.setMode(world.mode);
  wave.status = WaveStatus::Running;
  wave.number = world.waveNumber;
  wave.blockKey = 0;
  wave.scc = world.scc;
  wave.setGprIndexMode(static_cast<uint8_t>(world.gprIndexMode));
  wave.scheduleMode = world.scheduleMode;
  wave.instructions = world.instructions;
  wave.messages.clear();
  wave.exports.clear();
  loadBarriers(world);
  group.waveCount = world.waveCount;
  group.orderedServed = world.served;
  group.failure = Failure();
  group.lds = world.lds.bytes;
  group.visibility = Visibility();
  wave.scratchBase = world.scratch.base;
  group.scratchBytesPerLane = world.scratchBytes;
  llvm::copy(world.memory.bytes, mapped(world.memory, "memory").begin());
  llvm::copy(world.scratch.bytes, mapped(world.scratch, "scratch").begin());
  auto put = [&](const Region &region, uint64_t at) {
    if (!region.bytes.empty())
      llvm::copy(region.bytes, m_space.find(at, region.bytes.size(), Access::Write));
  };
  put(world.share, GlobalShareBase);
  put(world.streams, StreamsAt);
  put(world.resources, ResourcesAt);
}

inline World WorldBench::save(const World &before) {
  const Wave &wave = *m_bench.wave;
  const Workgroup &group = m_bench.group();
  World world = before;
  for (unsigned i = 0; i < definitions::WorldVgprs; ++i)
    std::copy(wave.v[i].begin(), wave.v[i].end(), world.v[i].begin());
  world.s = wave.s;
  world.mode = wave.getMode();
  world.served = group.orderedServed;
  world.faults = group.failure.kind != OutcomeKind::Completed;
  world.waits = wave.status == WaveStatus::AtBarrier;
  world.isDone = wave.status == WaveStatus::Done;
  world.scc = wave.scc;
  world.gprIndexMode = wave.gprIndexMode();
  world.scheduleMode = wave.scheduleMode;
  for (const MessageRecord &message : wave.messages)
    world.messages.push_back(message.message + (uint64_t(message.m0) << 16));
  for (const ExportRecord &record : wave.exports)
    world.exports.push_back(exportOf(record));
  world.next = m_bench.ops()[wave.next].pc;
  saveBarriers(world);
  world.lds.bytes = group.lds;
  auto get = [&](Region &region, uint64_t at) {
    if (!region.bytes.empty())
      std::copy_n(m_space.find(at, region.bytes.size(), Access::Read), region.bytes.size(),
                  region.bytes.begin());
  };
  get(world.memory, world.memory.base);
  get(world.scratch, world.scratch.base);
  get(world.share, GlobalShareBase);
  get(world.streams, StreamsAt);
  get(world.resources, ResourcesAt);
  world.scratch.base = wave.scratchBase;
  return world;
}

inline void WorldBench::loadBarriers(const World &world) {
  Wave &wave = *m_bench.wave;
  Workgroup &group = m_bench.group();
  group.barrierArrived = world.barrier.arrived;
  group.barrierPhase = world.barrier.phase;
  wave.signaled = world.hasSignaled;
  wave.waitPhase = world.awaitedPhase;
  wave.namedBarrier = world.joined;
  wave.namedPhase = world.joinedPhase;
  for (auto [from, to] : llvm::zip_equal(world.named, group.namedBarriers))
    to = {uint8_t(from.members), uint8_t(from.arrived), from.isValid, from.phase};
}

inline void WorldBench::saveBarriers(World &world) {
  const Wave &wave = *m_bench.wave;
  const Workgroup &group = m_bench.group();
  world.barrier.arrived = group.barrierArrived;
  world.barrier.phase = group.barrierPhase;
  world.hasSignaled = wave.signaled;
  world.awaitedPhase = wave.waitPhase;
  world.joined = wave.namedBarrier;
  world.joinedPhase = wave.namedPhase;
  for (auto [to, from] : llvm::zip_equal(world.named, group.namedBarriers))
    to = {from.memberCount, from.signalCount, from.isValid, from.phase};
}

inline World WorldBench::run(const MicroOp &op, const World &world) {
  load(world);
  m_bench.wave->next = op.next;
  op.run(*m_bench.wave, op);
  return save(world);
}

/// A number for all that counts of \p world.
inline uint64_t digest(const World &world) {
  if (world.faults)
    return 1;
  uint64_t sum = 0;
  auto add = [&](const void *data, size_t bytes) {
    llvm::ArrayRef<uint8_t> all(static_cast<const uint8_t *>(data), bytes);
    sum = sum * 0x9e3779b97f4a7c15 + llvm::xxh3_64bits(all);
  };
  auto addBarrier = [&](const definitions::Barrier &barrier) {
    uint32_t words[] = {barrier.members, barrier.arrived, barrier.isValid, barrier.phase};
    add(words, sizeof words);
  };
  // Trials are at different places: what counts is whether they go on, or are done again.
  uint64_t jump = world.next == world.following ? 0 : world.next == world.pc ? 1 : world.next;
  uint64_t state[] = {world.waits,        world.served,       world.mode,
                      world.scc,          world.isDone,       jump,
                      world.gprIndexMode, world.scheduleMode, world.scratch.base,
                      world.hasSignaled,  world.awaitedPhase, world.joined,
                      world.joinedPhase};
  add(state, sizeof state);
  addBarrier(world.barrier);
  for (const definitions::Barrier &barrier : world.named)
    addBarrier(barrier);
  add(world.messages.data(), world.messages.size() * sizeof(uint64_t));
  for (const definitions::Export &sent : world.exports)
    addExport(sent, add);
  add(world.v.data(), world.v.size() * sizeof(world.v[0]));
  add(world.s.data(), sizeof(world.s));
  for (const Region *region :
       {&world.memory, &world.lds, &world.scratch, &world.share, &world.streams, &world.resources})
    add(region->bytes.data(), region->bytes.size());
  return sum;
}

/// Where \p got is not \p wanted, in words; "" where they agree.
inline std::string firstDifference(const World &got, const World &wanted) {
  auto show = [](const std::string &what, uint64_t a, uint64_t b) {
    return what + " is 0x" + llvm::utohexstr(a) + ", not 0x" + llvm::utohexstr(b);
  };
  if (got.faults != wanted.faults)
    return got.faults ? "it ends the run" : "it does not end the run";
  if (got.waits != wanted.waits)
    return got.waits ? "it waits" : "it does not wait";
  const std::pair<const char *, std::pair<uint64_t, uint64_t>> numbers[] = {
      {"SCC", {got.scc, wanted.scc}},
      {"the end", {got.isDone, wanted.isDone}},
      {"the next address", {got.next, wanted.next}},
      {"MODE", {got.mode, wanted.mode}},
      {"the index mode", {got.gprIndexMode, wanted.gprIndexMode}},
      {"the schedule mode", {got.scheduleMode, wanted.scheduleMode}},
      {"the base of scratch", {got.scratch.base, wanted.scratch.base}},
      {"the number of messages", {got.messages.size(), wanted.messages.size()}},
      {"the number of exports", {got.exports.size(), wanted.exports.size()}},
      {"arrivals", {got.barrier.arrived, wanted.barrier.arrived}},
      {"the joined barrier", {got.joined, wanted.joined}}};
  for (const auto &[name, values] : numbers)
    if (values.first != values.second)
      return show(name, values.first, values.second);
  for (const auto &[one, other] : llvm::zip_equal(got.exports, wanted.exports))
    if (std::string difference = exportDifference(one, other); !difference.empty())
      return difference;
  for (unsigned i = 0; i < got.s.size(); ++i)
    if (got.s[i] != wanted.s[i])
      return show("s" + std::to_string(i), got.s[i], wanted.s[i]);
  for (unsigned i = 0; i < got.v.size(); ++i)
    for (unsigned lane = 0; lane < got.v[i].size(); ++lane)
      if (got.v[i][lane] != wanted.v[i][lane])
        return show("v" + std::to_string(i) + " of lane " + std::to_string(lane), got.v[i][lane],
                    wanted.v[i][lane]);
  static constexpr std::pair<const char *, Region World::*> Regions[] = {
      {"memory", &World::memory},        {"LDS", &World::lds},
      {"scratch", &World::scratch},      {"the global share", &World::share},
      {"GS registers", &World::streams}, {"GWS resources", &World::resources}};
  for (auto [name, region] : Regions)
    for (size_t i = 0; i < (got.*region).bytes.size(); ++i)
      if ((got.*region).bytes[i] != (wanted.*region).bytes[i])
        return show(std::string("byte ") + std::to_string(i) + " of " + name,
                    (got.*region).bytes[i], (wanted.*region).bytes[i]);
  return "something else differs";
}

/// A reason why \p a and \p b, of one family, are one another: a swap whose old value nobody asks
/// for is a store. \p withWide: of 64 bits, too; SMEM aligns these in two ways, buffers may scatter
/// a store.
inline const char *sameAsStore(llvm::StringRef a, llvm::StringRef b, bool withWide) {
  static constexpr const char *Pairs[][2] = {{"atomic_swap", "store_dword"},
                                             {"atomic_swap_b32", "store_b32"},
                                             {"atomic_swap_x2", "store_dwordx2"},
                                             {"atomic_swap_b64", "store_b64"}};
  for (const auto &[swap, store] : llvm::ArrayRef(Pairs).take_front(withWide ? 4 : 2))
    for (auto [one, other] : {std::pair(a, b), std::pair(b, a)})
      if (one.ends_with(swap) && other.ends_with(store) &&
          one.drop_back(llvm::StringRef(swap).size()) ==
              other.drop_back(llvm::StringRef(store).size()))
        return "a swap whose old value nobody asks for is a store";
  return nullptr;
}

/// Runs all rows of \p family on every chip and wave size, and exchanges those that take the same
/// operands. Defined in EffectDriverTest.cpp.
void checkEffects(const EffectFamily &family);

/// Registers and memories full of chance, and of \p edges one time in two.
World randomWorld(Chip chip, unsigned waveSize, unsigned seed, bool withEdges);

} // namespace assay::gcn
