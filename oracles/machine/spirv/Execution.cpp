// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/Execution.h"

#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <numeric>
#include <utility>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

Execution::Execution(const Program &program, std::vector<View> views,
                     const ExecutionOptions &options)
    : m_program(program), m_views(std::move(views)), m_options(options),
      m_random(options.scheduleSeed * 0x9e3779b97f4a7c15ull + options.schedule) {}

/// splitmix64.
uint64_t Execution::nextRandom() {
  uint64_t z = m_random += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}

/// Fills \p order with 0, 1, ... and permutes it, except in schedule 0.
void Execution::shuffle(std::vector<uint32_t> &order) {
  std::iota(order.begin(), order.end(), 0u);
  if (m_options.schedule == 0)
    return;
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[nextRandom() % i]);
}

/// From this schedule on, workgroups run side by side, so many at a time.
static constexpr unsigned FirstMixedSchedule = 2;
static constexpr size_t MixedGroups = 3;

Workgroup::Workgroup() = default;
Workgroup::~Workgroup() = default;

/// Unsupported for 2^24 workgroups and more. From FirstMixedSchedule on, several workgroups take
/// turns.
bool Execution::run(const uint32_t groups[3]) {
  std::copy_n(groups, 3, m_groups);
  uint64_t count = uint64_t(groups[0]) * groups[1] * groups[2];
  if (count >= (1u << 24)) {
    stopUnsupported("dispatch of " + std::to_string(count) + " workgroups");
    return false;
  }
  m_tracksRaces = count * m_program.getInvocationsPerGroup() > 1;
  std::vector<uint32_t> order(count);
  shuffle(order);
  size_t next = 0, atATime = m_options.schedule < FirstMixedSchedule ? 1 : MixedGroups;
  while (next < order.size() || !m_open.empty()) {
    if (next < order.size() && m_open.size() < atATime)
      openGroup(order[next++]);
    else if (!advance(m_open.size() == 1 ? 0 : nextRandom() % m_open.size()))
      return false;
  }
  return true;
}

/// Prepares a run of one group. The group count only has to include the group.
void Execution::startRun(uint32_t index, const InvocationHooks &hooks) {
  m_hooks = &hooks;
  m_tracksRaces = !m_expectsNoWrites;
  m_groups[0] = index + 1;
  m_tangles = m_tanglesBeforeChoice = 0;
  m_hasChosen = false;
}

/// Goes on to the end of the group, if it has come so far.
bool Execution::endRun(bool isGood) {
  while (isGood && !m_open.empty())
    isGood = advance(0);
  m_hooks = nullptr;
  return isGood;
}

/// Runs one workgroup from its start to its end, without any of the others of the dispatch.
bool Execution::runGroup(uint32_t index, uint32_t present, const InvocationHooks &hooks) {
  startRun(index, hooks);
  openGroup(index, present);
  return endRun(true);
}

/// Stacks are returned for later groups.
void Execution::abandonGroup() {
  for (const std::unique_ptr<Workgroup> &group : m_open)
    for (Invocation &invocation : group->invocations)
      if (invocation.stack)
        m_freeStacks.push_back(std::exchange(invocation.stack, nullptr));
  m_open.clear();
  m_ending = Ending();
}

/// Bytes of variables and values that all invocations of a workgroup may have together.
static constexpr size_t MaxStackBytes = size_t(1) << 30;

/// Returns the memory of an invocation that has ended, or new memory. Null, with the run stopped,
/// beyond MaxStackBytes.
Scalar *Execution::takeStack() {
  if (m_freeStacks.empty()) {
    size_t slots = m_program.privateSlots + m_program.functions[m_program.entry].stackSlots;
    if ((m_stacks.size() + 1) * (slots + 1) * sizeof(Scalar) > MaxStackBytes) {
      stopUnsupported("the variables of a workgroup take more than 1 GiB");
      return nullptr;
    }
    // Left uninitialized: SSA form writes every slot before it is read.
    m_stacks.push_back(std::unique_ptr<Scalar[]>(new Scalar[slots + 1]));
    m_freeStacks.push_back(m_stacks.back().get());
  }
  Scalar *stack = m_freeStacks.back();
  m_freeStacks.pop_back();
  return stack;
}

/// A range of bits of a subgroup mask, [from, to): its part in 32-bit word \p word.
static uint32_t maskWord(unsigned word, uint32_t from, uint32_t to) {
  uint32_t mask = 0;
  for (uint32_t bit = 0; bit < 32; ++bit)
    mask |= uint32_t(word * 32 + bit >= from && word * 32 + bit < to) << bit;
  return mask;
}

/// Subgroups are made of invocations with consecutive LocalInvocationIndex: see
/// docs/reference-machine.md.
static uint32_t subgroupInput(BuiltInput kind, unsigned component, const Invocation &invocation) {
  uint32_t size = invocation.execution->subgroupSize(), lane = invocation.localIndex % size;
  switch (kind) {
  case BuiltInput::SubgroupSize:
    return size;
  case BuiltInput::NumSubgroups:
    return static_cast<uint32_t>(invocation.group->subgroups.size());
  case BuiltInput::SubgroupId:
    return invocation.localIndex / size;
  case BuiltInput::SubgroupEqMask:
    return maskWord(component, lane, lane + 1);
  case BuiltInput::SubgroupGeMask:
    return maskWord(component, lane, size);
  case BuiltInput::SubgroupGtMask:
    return maskWord(component, lane + 1, size);
  case BuiltInput::SubgroupLeMask:
    return maskWord(component, 0, lane + 1);
  case BuiltInput::SubgroupLtMask:
    return maskWord(component, 0, lane);
  default:
    return lane;
  }
}

/// Component \p component of a built-in input of compute shaders.
static uint32_t inputComponent(BuiltInput kind, unsigned component, const Invocation &invocation) {
  const uint32_t *size = invocation.program().localSize;
  uint32_t local[3] = {invocation.localIndex % size[0], invocation.localIndex / size[0] % size[1],
                       invocation.localIndex / size[0] / size[1]};
  switch (kind) {
  case BuiltInput::NumWorkgroups:
    return invocation.execution->groupCounts()[component];
  case BuiltInput::WorkgroupId:
    return invocation.group->id[component];
  case BuiltInput::LocalInvocationId:
    return local[component];
  case BuiltInput::GlobalInvocationId:
    return invocation.group->id[component] * size[component] + local[component];
  case BuiltInput::LocalInvocationIndex:
    return invocation.localIndex;
  case BuiltInput::DeviceIndex:
    return 0; // Device groups have one device here.
  default:
    return subgroupInput(kind, component, invocation);
  }
}

/// Assigns memory to an invocation and sets its inputs before its first instruction. False: there
/// is no memory.
bool Execution::startInvocation(Invocation &invocation) {
  invocation.stack = takeStack();
  if (!invocation.stack)
    return false;
  invocation.base[1] = const_cast<Scalar *>(m_program.constants.data());
  for (uint32_t i = 0; i < m_program.privateSlots; ++i)
    invocation.stack[i] = Scalar::undefined(Cause::Uninitialized);
  for (const VariableInit &init : m_program.privateInits)
    std::copy_n(invocation.at(init.src), init.n, invocation.stack + init.slot);
  fillInputs(invocation);
  if (m_hooks)
    m_hooks->start(invocation);
  invocation.frameBase = m_program.privateSlots;
  invocation.base[0] = invocation.stack + invocation.frameBase;
  invocation.function = m_program.entry;
  invocation.pc = m_program.functions[m_program.entry].code.data();
  return true;
}

/// Starts an invocation that is in no workgroup. It may not wait for others: barriers and subgroup
/// operations need a group.
bool Execution::startAlone(Invocation &invocation) {
  m_hasChosen = false;
  invocation.execution = this;
  return startInvocation(invocation);
}

/// Takes the stack back for later invocations. Harmless for an invocation that did not start.
void Execution::endAlone(Invocation &invocation) {
  if (invocation.stack)
    m_freeStacks.push_back(std::exchange(invocation.stack, nullptr));
}

/// Sets the built-in inputs of compute shaders. Those of graphics stages are set by the hooks.
void Execution::fillInputs(Invocation &invocation) {
  for (const InputVariable &input : m_program.inputs)
    for (unsigned i = 0; i < input.slots; ++i)
      invocation.stack[input.slot + i] = Scalar::exact(inputComponent(input.kind, i, invocation));
}

/// Workgroup memory with explicit layout, uninitialized unless an initializer zeroes it.
static std::unique_ptr<BufferMemory> makeBlock(const Program &program, bool tracksRaces) {
  BufferState state;
  state.bytes.resize(program.workgroupBlockBytes);
  auto block = std::make_unique<BufferMemory>(state, tracksRaces ? program.granule : 0);
  if (!program.zeroesWorkgroupBlock)
    block->markUninitialized();
  return block;
}

/// Returns the buffer range that holds the address, or null where no buffer is.
const DeviceRange *Execution::findDeviceRange(uint64_t address) const {
  for (const DeviceRange &range : m_deviceRanges)
    if (address >= range.base && address - range.base < range.size)
      return &range;
  return nullptr;
}

/// Resets a workgroup that may have run before. Vectors keep their memory.
void Execution::startInvocations(Workgroup &group) {
  std::vector<Invocation> &invocations = group.invocations;
  invocations.resize(m_program.getInvocationsPerGroup());
  for (uint32_t i = 0; i < invocations.size(); ++i) {
    Invocation fresh;
    fresh.localIndex = i;
    fresh.execution = this;
    fresh.group = &group;
    fresh.calls = std::move(invocations[i].calls); // For their memory.
    fresh.loops = std::move(invocations[i].loops);
    fresh.calls.clear();
    fresh.loops.clear();
    invocations[i] = std::move(fresh);
  }
  uint32_t size = m_options.subgroupSize, total = static_cast<uint32_t>(invocations.size());
  group.subgroups.clear();
  for (uint32_t first = 0; first < total; first += size)
    group.subgroups.push_back({first, std::min(size, total - first)});
  group.memory.resize(m_program.workgroupSlots);
  group.memoryPhase = group.bufferPhase = group.fences[0] = group.fences[1] = 0;
  group.availablePhase = group.visiblePhase = 0;
  std::fill(group.memory.begin(), group.memory.end(), Scalar::undefined(Cause::Uninitialized));
  for (const VariableInit &init : m_program.workgroupInits)
    std::copy_n(m_program.constants.begin() + (init.src & ~ConstantBit), init.n,
                group.memory.begin() + init.slot);
  if (m_tracksRaces)
    group.accesses.assign(m_program.workgroupSlots, AccessHistory());
  group.chosenDescriptors.clear();
  if (m_program.workgroupBlockBytes)
    group.block = makeBlock(m_program, m_tracksRaces);
}

/// Creates the record at the first use. Most invocations execute no atomics and need none.
InvocationOrder &Invocation::getOrder() {
  if (!order)
    order = std::make_unique<InvocationOrder>();
  return *order;
}

/// Invocations are numbered over all workgroups. The phases are those of the workgroup, one for
/// each kind of memory.
OrderPlace Invocation::getPlace() const {
  OrderPlace place;
  place.group = group->index;
  place.phases[0] = group->memoryPhase;
  place.phases[1] = group->bufferPhase;
  place.invocation = uint64_t(group->index) * program().getInvocationsPerGroup() + localIndex;
  return place;
}

/// Names an invocation for messages: compute invocations by their global id, fragments by their
/// place. Without a group, the instruction is a constant that is evaluated.
std::string Execution::describe(const Invocation &invocation) const {
  if (!invocation.group)
    return "a constant";
  if (m_program.stage == ShaderStage::Vertex)
    return "vertex invocation " + std::to_string(invocation.group->index);
  if (invocation.fragment)
    return describeFragment(invocation);
  const uint32_t *size = m_program.localSize, *group = invocation.group->id;
  uint32_t index = invocation.localIndex;
  std::string result = "invocation (";
  uint32_t local[3] = {index % size[0], index / size[0] % size[1], index / size[0] / size[1]};
  for (unsigned i = 0; i < 3; ++i)
    result += std::to_string(group[i] * size[i] + local[i]) + (i < 2 ? ", " : ")");
  return result;
}

/// Names an instruction by opcode, result id, word offset in the module and, where the module has
/// line numbers, line.
std::string reference::describeInstruction(const Inst &inst) {
  const spirv::Instruction &source = *inst.source;
  std::string result = spirv::opcodeName(source.opcode);
  if (source.resultId)
    result += " %" + std::to_string(source.resultId);
  result += " at word " + std::to_string(source.wordOffset);
  if (source.line)
    result += ", line " + std::to_string(source.line);
  return result;
}

/// Ends the run with a finding. The signature has the rule and the opcode only, so that it is the
/// same for all invocations and ids.
Status Execution::undefinedBehavior(const char *rule, const Invocation &invocation,
                                    const Inst &inst, const std::string &message) {
  m_ending.kind = OutcomeKind::UndefinedBehavior;
  Finding finding;
  finding.rule = rule;
  finding.location = describeInstruction(inst);
  finding.message = finding.location + ": " + describe(invocation) + ": " + message;
  finding.signature = finding.rule + " " + spirv::opcodeName(inst.source->opcode);
  m_ending.reason = finding.rule + ": " + finding.message;
  m_ending.findings.push_back(std::move(finding));
  return Status::Stop;
}

/// Rule and description, in the order of Cause.
static const std::pair<const char *, const char *> causeRules[] = {
    {"UB-UNINIT", "an undefined value"},
    {"UB-SHIFT", "the result of a shift by too much"},
    {"UB-CONVERT", "the result of a conversion out of range"},
    {"UB-BITFIELD", "the result of a bit-field operation out of range"},
    {"UB-OOB", "what lies out of range"},
    {"UB-MATH", "the result of a function outside its domain"},
    {"UB-UNINIT", "memory that was never written"},
    {"UB-SUBGROUP", "the value of an invocation that takes no part in the subgroup operation"}};

Status Execution::poisonUsed(const Scalar &value, const char *use, const Invocation &invocation,
                             const Inst &inst) {
  if (value.flags & Ambiguous)
    return stopUnsupported("imprecise: " + describeInstruction(inst) + ": " + use +
                           " depends on how the implementation rounds");
  const auto &[rule, what] = causeRules[static_cast<size_t>(value.cause)];
  return undefinedBehavior(rule, invocation, inst, std::string(use) + " depends on " + what);
}

/// Ends the run without a finding: the machine cannot judge the case.
Status Execution::stopUnsupported(const std::string &reason) {
  m_ending.kind = OutcomeKind::Unsupported;
  m_ending.reason = reason;
  return Status::Stop;
}

/// Unsupported where atomics may have ordered the accesses in a way that is not modelled.
Status Execution::race(const Invocation &invocation, const Inst &inst, const char *memory) {
  if (m_sawOrdering && m_sawAtomics)
    return stopUnsupported("possible data race in " + std::string(memory) + " at " +
                           describeInstruction(inst) +
                           ": ordering through atomics is not modelled");
  return undefinedBehavior("UB-RACE", invocation, inst,
                           std::string("conflicts with an unordered access to ") + memory +
                               " by another invocation");
}

/// False, with \p reason, where the instruction would end a run.
bool Execution::evaluate(Program &program, const Inst &inst, std::string &reason) {
  Execution execution(program, {}, {});
  Invocation invocation;
  invocation.base[0] = nullptr;
  invocation.base[1] = program.constants.data();
  invocation.execution = &execution;
  Status status = inst.run(invocation, inst);
  reason = execution.m_ending.reason;
  return status == Status::Next;
}
