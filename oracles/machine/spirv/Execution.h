// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs one dispatch of a decoded program under one schedule.
#pragma once

#include "compiler/api/Pipeline.h"
#include "oracles/api/Outcome.h"
#include "oracles/machine/spirv/Program.h"
#include "oracles/machine/spirv/Ways.h"
#include "oracles/machine/spirv/math/FloatSum.h"
#include "oracles/machine/spirv/memory/BufferMemory.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace assay::reference {

class Execution;

struct CallRecord {
  const Inst *call;
  uint32_t frameBase; ///< Of the caller.
  uint32_t function;  ///< The caller's.
  uint32_t loopCount; ///< The caller's, in Invocation::loops.
};

/// A loop that an invocation is in.
struct LoopRecord {
  const Inst *header;
  uint32_t iteration;
};

/// What an invocation is waiting for, if not for its turn.
enum class WaitsFor : uint8_t { Turn, Barrier, Tangle, Nothing };

/// A part of the workgroup: invocations [first, first + size), of which the last may be absent.
struct Subgroup {
  uint32_t first = 0;
  uint32_t present = 0;
  uint32_t running = 0;    ///< Neither waiting for others nor ended.
  uint32_t phases[2] = {}; ///< Barriers of all of the subgroup so far, per memory.
};

struct Invocation;
struct FragmentPlace;
struct GroupSnapshot;
struct SnapshotLane;

/// A workgroup that is being run.
struct Workgroup {
  uint32_t id[3] = {};
  uint32_t index = 0;
  std::vector<Scalar> memory;
  std::vector<AccessHistory> accesses; ///< One per scalar of \p memory.
  uint32_t memoryPhase = 0;            ///< Barriers so far that order workgroup memory.
  uint32_t bufferPhase = 0;            ///< Barriers so far that order buffers.
  /// Barriers so far that make writes available, and visible (the Vulkan memory model).
  uint32_t availablePhase = 0, visiblePhase = 0;
  uint32_t fences[2] = {};             ///< Invocations with each bit of Invocation::fenced.
  std::unique_ptr<BufferMemory> block; ///< Memory with explicit layout, if there is any.
  /// Descriptors chosen so far by subgroup and place (Uniformity.cpp).
  std::map<std::vector<uint64_t>, uint32_t> chosenDescriptors;

  std::vector<Invocation> invocations;
  std::vector<Subgroup> subgroups;
  std::vector<uint32_t> ready; ///< Invocations that may run; the last goes first.

  Workgroup();
  ~Workgroup();
};

/// One invocation: its registers, its memory, and where it is.
struct Invocation {
  Scalar *base[2] = {}; ///< The current frame; the constants.
  const Inst *pc = nullptr;
  Scalar *stack = nullptr; ///< Own memory: private variables, then frames.
  uint32_t frameBase = 0;
  uint32_t function = 0;
  uint32_t localIndex = 0;
  uint8_t fenced = 0; ///< Memory fenced since the last barrier: OrdersWorkgroup, OrdersBuffers.
  bool wroteOutside = false; ///< A store left its buffer, under robust buffer access.
  WaitsFor waitsFor = WaitsFor::Turn;
  std::unique_ptr<InvocationOrder> order; ///< From its first fence or ordering atomic on.
  std::vector<CallRecord> calls;
  std::vector<LoopRecord> loops; ///< With Program::tracksLoops alone; of all open calls.
  Execution *execution = nullptr;
  Workgroup *group = nullptr;
  bool isHelper = false;                   ///< What it stores has no effect.
  bool isUncertain = false;                ///< A fragment that need not exist.
  bool isKilled = false;                   ///< Its fragment is discarded.
  const FragmentPlace *fragment = nullptr; ///< Of a fragment: for interpolation functions.

  Scalar *at(uint32_t reference) { return base[reference >> 31] + (reference & ~ConstantBit); }
  const Program &program() const;
  InvocationOrder &getOrder();
  OrderPlace getPlace() const;
};

/// What a descriptor refers to.
struct View {
  BufferMemory *buffer = nullptr; ///< Null: nothing is bound.
  uint64_t offset = 0;
  uint64_t range = 0;
  Robustness robustness = Robustness::None;
  uint64_t slack = 0; ///< Bytes after the range that robust access may count as inside.
  std::shared_ptr<const ImageBinding> descriptor = nullptr; ///< Of images and samplers.
  bool isWrongKind = false;                                 ///< What is bound is no buffer.
  /// Tells apart the views of one buffer, texel buffers among them, of which no two may lead to one
  /// byte if one of them writes it; 0 where there is nothing to tell.
  uint32_t variable = 0;
};

/// A buffer that has a device address.
struct DeviceRange {
  uint64_t base = 0;
  uint64_t size = 0;
  BufferMemory *buffer = nullptr;
};

/// How a run ended, when not at its end.
struct Ending {
  OutcomeKind kind = OutcomeKind::Completed;
  std::string reason;
  std::vector<Finding> findings;
};

struct ExecutionOptions {
  uint64_t maxInstructions = 0;
  uint64_t scheduleSeed = 0;
  unsigned schedule = 0; ///< 0 runs everything in ascending order.
  uint32_t subgroupSize = 64;
};

/// What a graphics stage does around an invocation.
struct InvocationHooks {
  llvm::function_ref<void(Invocation &)> start; ///< Before its first instruction: fills inputs.
  llvm::function_ref<void(Invocation &)> end;   ///< After its last: its memory is still there.
};

class Execution {
public:
  Execution(const Program &program, std::vector<View> views, const ExecutionOptions &options);
  /// Runs all workgroups. False when it did not come to its end: see ending().
  bool run(const uint32_t groups[3]);
  /// Runs workgroup \p index alone, of invocations in the mask \p present: a vertex, or a quad of
  /// fragments. Memory is shared with all other runs of this object. False as of run().
  bool runGroup(uint32_t index, uint32_t present, const InvocationHooks &hooks);
  /// Prepares \p invocation, new and of no group, for a caller that executes its instructions:
  /// allocates its memory and sets its first instruction. False: there is no memory. Only for
  /// programs without Program::inputs, when no writes are expected.
  bool startAlone(Invocation &invocation);
  /// Frees its memory.
  void endAlone(Invocation &invocation);
  /// Whether a value of several was chosen or left open since the last call.
  bool takeHasChosen() { return std::exchange(m_hasChosen, false); }
  /// Counts instructions that a caller has executed. False: they exceed the limit, and nothing is
  /// counted.
  bool countInstructions(uint64_t count) {
    bool isGood = count <= m_options.maxInstructions - m_instructions;
    m_instructions += isGood ? count : 0;
    return isGood;
  }
  /// From the next run on, \p snapshot, if it is not null, gets the group before it executes tangle
  /// number \p tangle, from 1 on. Only for groups of one subgroup without effects.
  void keepSnapshots(uint32_t tangle, GroupSnapshot *snapshot) {
    m_keptTangle = tangle;
    m_snapshot = snapshot;
  }
  /// Runs workgroup \p index from \p snapshot on, which is one of it.
  bool resumeGroup(uint32_t index, const GroupSnapshot &snapshot, const InvocationHooks &hooks);
  /// Tangles that the last run executed before it met the first open branch or value of several; 0
  /// where there was none.
  uint32_t tanglesBeforeChoice() const { return m_tanglesBeforeChoice; }
  /// Whether the last run executed a tangle after such a branch or value: invocations may have seen
  /// what others chose.
  bool sharedChoices() const { return m_hasChosen && m_tangles != m_tanglesBeforeChoice; }
  /// From now on, open branches go the ways of \p ways, which may be null.
  void setWays(Ways *ways) { m_ways = ways; }
  /// From now on, this many instructions are allowed, and none is counted yet.
  void restartCount(uint64_t maxInstructions) {
    m_options.maxInstructions = maxInstructions;
    m_instructions = 0;
  }
  /// Nobody writes to buffers and images while runGroup() is used: their accesses need no notes.
  void expectNoWrites() { m_expectsNoWrites = true; }
  bool expectsNoWrites() const { return m_expectsNoWrites; }
  /// After runGroup() was stopped: forgets the group and the ending, so that others can run.
  void abandonGroup();
  /// Runs one instruction on constants alone (OpSpecConstantOp).
  static bool evaluate(Program &program, const Inst &inst, std::string &reason);

  const Ending &ending() const { return m_ending; }
  uint64_t instructions() const { return m_instructions; }
  bool sawAtomics() const { return m_sawAtomics; }
  const Program &program() const { return m_program; }
  const uint32_t *groupCounts() const { return m_groups; }
  uint32_t subgroupSize() const { return m_options.subgroupSize; }
  const Subgroup &subgroupOf(const Invocation &invocation) const {
    return invocation.group->subgroups[invocation.localIndex / m_options.subgroupSize];
  }

  /// Gives the dispatch memory of device addresses.
  void setDeviceRanges(std::vector<DeviceRange> ranges) { m_deviceRanges = std::move(ranges); }

  // What handlers need.
  /// The buffer that has a byte at \p address, or null.
  const DeviceRange *findDeviceRange(uint64_t address) const;
  View &view(uint32_t object) { return m_views[object - FirstDescriptor]; }
  size_t viewCount() const { return m_views.size(); }
  /// Ends the run: undefined behaviour by \p rule at \p inst.
  Status undefinedBehavior(const char *rule, const Invocation &invocation, const Inst &inst,
                           const std::string &message);
  /// Ends the run because of a poison value: undefined behaviour or, if only precision is open,
  /// Unsupported. \p use: "branch", "address", ...
  Status poisonUsed(const Scalar &value, const char *use, const Invocation &invocation,
                    const Inst &inst);
  Status stopUnsupported(const std::string &reason);
  /// The way at branch \p inst with \p condition, if precision alone leaves it open and setWays()
  /// has said that all ways are tried.
  std::optional<bool> chooseWay(const Scalar &condition, const Invocation &invocation,
                                const Inst &inst) {
    bool isOpen = m_ways && (condition.flags & Poison) == Ambiguous;
    if (isOpen)
      noteChoice();
    return isOpen ? m_ways->choose(inst, invocation.localIndex) : std::nullopt;
  }
  /// Which of \p count values \p invocation gets, as of Ways::chooseValue(); 2 to MostValues.
  std::optional<uint32_t> chooseValue(ValueChoice kind, const Invocation &invocation,
                                      uint32_t count) {
    noteChoice();
    return m_ways ? m_ways->chooseValue(kind, invocation.localIndex, count) : std::nullopt;
  }
  static constexpr uint32_t MostValues = 4;
  /// A race, or what looks like one where ordering through atomics was possible.
  Status race(const Invocation &invocation, const Inst &inst, const char *memory);
  void noteAtomic() { m_sawAtomics = true; }
  /// What an access that others can see ends with: now and then, others go first.
  Status yieldSometimes();
  /// After a barrier of \p members, each knows of \p memories what one of them knew, and, with
  /// \p withOwn, did; else phases say so.
  void shareOrder(llvm::ArrayRef<Invocation *> members, uint8_t kinds, bool withOwn);
  /// The same for the whole subgroup of \p member.
  void passSubgroupBarrier(const Invocation &member, uint8_t memories);
  void noteOrdering() { m_sawOrdering = true; }
  bool sawOrdering() const { return m_sawOrdering; }
  bool tracksRaces() const { return m_tracksRaces; }
  PublishedOrder &publishedOrder() { return m_publishedOrder; }
  FloatSums &floatSums() { return m_floatSums; }

private:
  void noteChoice() {
    if (!std::exchange(m_hasChosen, true))
      m_tanglesBeforeChoice = m_tangles;
  }
  void startRun(uint32_t index, const InvocationHooks &hooks);
  bool endRun(bool isGood);
  void keepGroup(const Workgroup &group); // Snapshot.cpp
  bool restoreLane(const SnapshotLane &lane, Invocation &invocation);
  void startInvocations(Workgroup &group);
  bool startInvocation(Invocation &invocation);
  void fillInputs(Invocation &invocation);
  // Scheduling.cpp
  void openGroup(uint32_t index, uint32_t present = ~0u);
  bool advance(size_t open);
  void wakeAll(Workgroup &group);
  Invocation &takeReady(Workgroup &group);
  bool takeTurn(Invocation &invocation);
  bool resolveTangle(Workgroup &group, Subgroup &subgroup);
  bool runTangle(Workgroup &group, Subgroup &subgroup, const Invocation &first);
  Scalar *takeStack();
  Status runInvocation(Invocation &invocation);
  bool passBarrier(Workgroup &group);
  uint64_t nextRandom();
  void shuffle(std::vector<uint32_t> &order);
  std::string describe(const Invocation &invocation) const;
  static std::string describeFragment(const Invocation &invocation);

  const Program &m_program;
  std::vector<View> m_views;
  std::vector<DeviceRange> m_deviceRanges;
  ExecutionOptions m_options;
  uint32_t m_groups[3] = {1, 1, 1};
  const InvocationHooks *m_hooks = nullptr;
  Ways *m_ways = nullptr;
  uint64_t m_instructions = 0;
  uint32_t m_tangles = 0; ///< That the group has executed or begun.
  uint32_t m_tanglesBeforeChoice = 0;
  bool m_hasChosen = false;
  uint32_t m_keptTangle = 0;
  GroupSnapshot *m_snapshot = nullptr;
  uint64_t m_random;
  bool m_sawAtomics = false;
  bool m_sawOrdering = false; ///< A fence or an ordering atomic outside control barriers.
  bool m_tracksRaces = false;
  bool m_expectsNoWrites = false;
  PublishedOrder m_publishedOrder;
  FloatSums m_floatSums;
  Ending m_ending;
  std::vector<std::unique_ptr<Workgroup>> m_open;  ///< Workgroups under way.
  std::vector<std::unique_ptr<Workgroup>> m_spare; ///< Ended ones, for their memory.
  uint32_t m_turnAccesses = 0; ///< Visible accesses of the running invocation in this turn.
  std::vector<std::unique_ptr<Scalar[]>> m_stacks;
  std::vector<Scalar *> m_freeStacks;
};

/// "OpLoad %12 at word 345, line 6".
std::string describeInstruction(const Inst &inst);

inline const Program &Invocation::program() const {
  return execution->program();
}

} // namespace assay::reference
