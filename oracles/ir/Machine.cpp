// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the lanes that run next, runs them, and keeps the stacks.
#include "oracles/ir/Machine.h"

#include "oracles/ir/ExecutionLog.h"
#include "llvm/ADT/ScopeExit.h"

using namespace llvm;
using namespace assay;

namespace assay::ir {

Machine::Machine(Function &function, Memory &memory, const RunLimits &limits,
                 const Environment *environment)
    : m_function(function), m_limits(limits), m_environment(environment),
      m_layout(function.getParent()->getDataLayout()),
      m_spaces(std::make_unique<Spaces>(memory, *function.getParent())),
      m_program(std::make_unique<Program>(*this, m_layout, *m_spaces)) {}

Machine::~Machine() = default;

void Machine::stop(RunState state, const Twine &reason) {
  if (isStopped())
    return;
  m_state = state;
  m_reason = reason.str();
}

/// Keeps an event for the result and for the log.
void Machine::record(const Event &event) {
  m_events.push_back(event);
  if (auto [log, thread] = logOf(event.lane); log)
    log->addEvent(thread, event);
}

std::pair<ExecutionLog *, uint64_t> Machine::logOf(unsigned lane) const {
  if (!m_environment || !m_environment->log())
    return {nullptr, 0};
  return {m_environment->log(), m_environment->firstThread() + lane};
}

/// Counts \p amount instructions more, and stops the run above the limit. An instruction counts
/// once for each lane.
void Machine::charge(uint64_t amount) {
  m_instructions += amount;
  if (m_instructions > m_limits.instructions)
    stop(RunState::TimedOut, "more than " + Twine(m_limits.instructions) + " instructions");
}

/// Order of positions: outermost frame first; a lane that has yet to make a call that the other is
/// in comes first. 0: they are at the same place.
/// Negative when \p a comes first.
static int comparePositions(const Lane &a, const Lane &b) {
  unsigned common = std::min(a.depth, b.depth);
  for (unsigned i = 0; i < common; ++i) {
    const Frame &x = a.frames[i], &y = b.frames[i];
    if (x.code != y.code)
      return x.code->number < y.code->number ? -1 : 1;
    if (x.place != y.place)
      return x.place < y.place ? -1 : 1;
  }
  return a.depth == b.depth ? 0 : a.depth < b.depth ? -1 : 1;
}

/// Puts the lanes that are earliest in the order of positions, all at one place, into the group.
/// False when all are done. The other lanes wait until they are the earliest.
bool Machine::selectGroup() {
  m_group.clear();
  for (Lane &lane : m_lanes) {
    if (lane.isDone)
      continue;
    int order = m_group.empty() ? 0 : comparePositions(lane, *m_group.front());
    if (order < 0)
      m_group.clear();
    if (order <= 0)
      m_group.push_back(&lane);
  }
  return !m_group.empty();
}

/// Runs the group until its lanes may be at different places.
/// Each instruction runs for all lanes of the group before the next one. A pause or a stop also
/// ends the loop.
void Machine::runGroup() {
  const Frame &frame = m_group.front()->top();
  uint32_t place = frame.place;
  const std::vector<Inst> &insts = frame.code->insts;
  while (true) {
    const Inst &inst = insts[place];
    charge(m_group.size());
    if (isStopped())
      return;
    m_current = &inst;
    if (inst.ends) {
      for (Lane *lane : m_group)
        lane->top().place = place;
      inst.run(*this, inst);
      return;
    }
    inst.run(*this, inst);
    if (!m_writes.empty())
      settleWrites();
    ++place;
    if (isStopped())
      return;
    if (m_isPaused) {
      for (Lane *lane : m_group)
        lane->top().place = place;
      return;
    }
  }
}

/// Reports a write, and keeps it until settleWrites() where several lanes may write the same byte.
/// \p data and \p poison have \p bytes entries and are copied.
void Machine::noteWrite(const Lane &lane, const Place &place, uint64_t bytes, unsigned part,
                        const uint8_t *data, const uint8_t *poison) {
  if (m_environment && !place.isPrivate)
    m_environment->didWrite(*m_current, lane, place.address, bytes);
  if (auto [log, thread] = logOf(lane.number); log && !place.isPrivate)
    log->addWrite(thread, place.address, ArrayRef(data, bytes), ArrayRef(poison, bytes));
  if (m_group.size() < 2 || place.isPrivate)
    return;
  m_writes.push_back({place, bytes, lane.number, part, m_written.size()});
  m_written.insert(m_written.end(), data, data + bytes);
  m_written.insert(m_written.end(), poison, poison + bytes);
}

void Machine::tellRead(const Lane &lane, uint64_t address, uint64_t bytes) const {
  if (auto [log, thread] = logOf(lane.number); log)
    log->addRead(thread, address, bytes);
}

void Machine::tellWrite(const Lane &lane, uint64_t address, ArrayRef<uint8_t> bytes) const {
  if (!m_environment)
    return;
  m_environment->didWrite(*m_current, lane, address, bytes.size());
  if (auto [log, thread] = logOf(lane.number); log)
    log->addWrite(thread, address, bytes, SmallVector<uint8_t, 16>(bytes.size(), 0));
}

/// Makes poison of the bytes that \p a and \p b (which begins no earlier) both wrote, and
/// differently.
/// The same part at the same place is no conflict.
static void settlePair(const WriteNote &a, const WriteNote &b,
                       const std::vector<uint8_t> &written) {
  bool isSamePart = a.place.data == b.place.data && a.bytes == b.bytes && a.part == b.part;
  if (a.lane == b.lane || isSamePart)
    return;
  uint64_t skipped = b.place.data - a.place.data;
  uint64_t common = std::min(a.bytes - skipped, b.bytes);
  const uint8_t *first = written.data() + a.copy + skipped, *second = written.data() + b.copy;
  for (uint64_t i = 0; i < common; ++i)
    if (first[i] != second[i] || first[a.bytes + i] != second[b.bytes + i])
      b.place.flags[i] |= PoisonByte;
}

/// Makes poison of bytes to which lanes of one instruction wrote different values.
void Machine::settleWrites() {
  if (m_writes.size() > 1) {
    sort(m_writes,
         [](const WriteNote &a, const WriteNote &b) { return a.place.data < b.place.data; });
    for (size_t i = 0; i < m_writes.size(); ++i)
      for (size_t j = i + 1; j < m_writes.size() &&
                             m_writes[j].place.data < m_writes[i].place.data + m_writes[i].bytes;
           ++j)
        settlePair(m_writes[i], m_writes[j], m_written);
  }
  m_writes.clear();
  m_written.clear();
}

/// Pushes a frame for \p code with its arguments. Stops the run at the limits of depth and
/// registers.
void Machine::enter(Lane &lane, const Code &code, ArrayRef<const Scalar *> arguments) {
  if (!code.problem.empty())
    return stop(RunState::Unsupported,
                "function " + code.function->getName() + ": " + code.problem);
  if (lane.depth >= m_limits.callDepth)
    return stop(RunState::TimedOut, "calls deeper than " + Twine(m_limits.callDepth));
  m_registers += code.slots;
  if (m_registers > m_limits.registers)
    return stop(RunState::TimedOut, "more than " + Twine(m_limits.registers) + " registers");
  if (lane.frames.size() == lane.depth)
    lane.frames.emplace_back();
  Frame &frame = lane.frames[lane.depth++];
  frame.code = &code;
  frame.place = 0;
  frame.allocas = lane.scratch.allocas.size();
  frame.slots.resize(code.slots);
  for (auto [parameter, argument] : zip_equal(code.parameters, arguments))
    std::copy_n(argument, parameter.count, frame.slots.begin() + parameter.slot);
  lane.slots = frame.slots.data();
}

/// Pops the frame, and continues after the call or finishes the lane. Allocas of the frame end.
void Machine::leave(Lane &lane, const Scalar *value, uint32_t count) {
  Frame &frame = lane.top();
  m_registers -= frame.code->slots;
  lane.scratch.allocas.resize(frame.allocas);
  if (--lane.depth == 0) {
    lane.isDone = true;
    lane.result.assign(value, value + count);
    return;
  }
  Frame &caller = lane.top();
  lane.slots = caller.slots.data();
  const Inst &call = caller.code->insts[caller.place];
  std::copy_n(value, std::min(count, call.count), lane.slots + call.slot);
  ++caller.place;
}

/// Moves all values of phis at once, then continues at the edge's target.
void Machine::takeEdge(Lane &lane, const Edge &edge) {
  lane.top().place = edge.target;
  if (edge.moves.size() == 1) {
    const Edge::Move &move = edge.moves.front();
    const Scalar *source = lane.get(move.source);
    if (source != lane.slots + move.slot)
      std::copy_n(source, move.source.count, lane.slots + move.slot);
    return;
  }
  m_moved.clear();
  for (const Edge::Move &move : edge.moves) {
    const Scalar *source = lane.get(move.source);
    m_moved.insert(m_moved.end(), source, source + move.source.count);
  }
  auto next = m_moved.begin();
  for (const Edge::Move &move : edge.moves) {
    std::move(next, next + move.source.count, lane.slots + move.slot);
    next += move.source.count;
  }
}

void Machine::runFor(ArrayRef<Lane *> lanes, const Inst &inst) {
  SmallVector<Lane *, 64> group(lanes);
  std::swap(group, m_group);
  inst.run(*this, inst);
  std::swap(group, m_group);
}

bool Machine::runAlone(const Inst &inst, MutableArrayRef<Scalar> slots, std::string &problem) {
  Lane lane;
  lane.slots = slots.data();
  SmallVector<Lane *, 64> group{&lane};
  std::swap(group, m_group);
  RunState state = m_state;
  m_state = RunState::Returned;
  std::string reason = std::move(m_reason);
  inst.run(*this, inst);
  bool isGood = !isStopped();
  if (!isGood)
    problem = "constant expression: " + m_reason;
  m_state = state;
  m_reason = std::move(reason);
  std::swap(group, m_group);
  return isGood;
}

/// Whether there are 1 to 64 lanes, each with arguments of the function's types. Compares the
/// number of scalars and their bits, not their types.
bool Machine::checkArguments(const Code &code, ArrayRef<std::vector<Value>> arguments) {
  if (arguments.empty() || arguments.size() > 64)
    return false;
  for (const std::vector<Value> &lane : arguments) {
    if (lane.size() != code.parameters.size())
      return false;
    for (auto [argument, value] : zip_equal(code.function->args(), lane)) {
      const Shape *shape = m_program->shapes().get(argument.getType());
      if (!shape || shape->elements.size() != value.size())
        return false;
      for (auto [element, scalar] : zip_equal(shape->elements, value))
        if (element.bits != scalar.bits.getBitWidth())
          return false;
    }
  }
  return true;
}

/// Sets up memory and lanes. False with the machine stopped for a data layout or arguments that do
/// not fit. Each lane gets its private globals and a frame of the function.
bool Machine::start(ArrayRef<std::vector<Value>> arguments) {
  constexpr std::pair<unsigned, unsigned> Widths[] = {{7, 160}, {8, 128}, {9, 192}, {5, 32}};
  for (auto [space, bits] : Widths)
    if (m_layout.getPointerSizeInBits(space) != bits) {
      stop(RunState::Unsupported, "a data layout that is not amdgcn's");
      return false;
    }
  m_spaces->initialize(*m_program, *m_function.getParent(), *this);
  if (isStopped())
    return false;
  const Code &code = m_program->get(m_function);
  if (code.problem.empty() && !checkArguments(code, arguments)) {
    stop(RunState::Unsupported, "arguments that are not the function's");
    return false;
  }
  m_lanes.resize(arguments.size());
  for (unsigned i = 0; i < m_lanes.size(); ++i) {
    m_lanes[i].number = i;
    std::vector<const Scalar *> pointers;
    for (const Value &value : arguments[i])
      pointers.push_back(value.data());
    if (!m_spaces->addPrivateGlobals(*m_program, m_lanes[i], m_limits.scratchBytes)) {
      stop(RunState::Unsupported, "private globals");
      return false;
    }
    enter(m_lanes[i], code, pointers);
  }
  return !isStopped();
}

void Machine::begin(ArrayRef<std::vector<Value>> arguments) {
  if (m_function.isDeclaration())
    stop(RunState::Unsupported, "a declaration");
  else
    start(arguments);
}

bool Machine::resume() {
  m_isPaused = false;
  while (!isStopped() && !m_isPaused && selectGroup())
    runGroup();
  return m_isPaused && !isStopped();
}

void Machine::pause() {
  auto isWaiting = [](const Lane &lane) { return !lane.isDone; };
  if (static_cast<size_t>(count_if(m_lanes, isWaiting)) != m_group.size())
    return stop(RunState::Unsupported, "a barrier that only a part of a wave has come to");
  m_isPaused = true;
}

RunResult Machine::run(ArrayRef<std::vector<Value>> arguments) {
  begin(arguments);
  while (resume())
    continue;
  return finish();
}

RunResult Machine::finish() {
  m_spaces->finish();
  if (isStopped())
    for (const Lane *lane : m_group)
      if (auto [log, thread] = logOf(lane->number); log)
        log->addEnd(thread, m_state);
  RunResult result;
  result.state = m_state;
  result.reason = m_reason;
  result.events = std::move(m_events);
  result.frozePoison = m_frozePoison;
  result.readLostWrite = m_readLostWrite;
  result.instructions = m_instructions;
  if (m_state == RunState::Returned && !m_function.getReturnType()->isVoidTy())
    for (Lane &lane : m_lanes)
      result.returned.push_back(std::move(lane.result));
  return result;
}

RunResult run(Function &function, ArrayRef<std::vector<Value>> arguments, Memory &memory,
              const RunLimits &limits) {
  return Machine(function, memory, limits).run(arguments);
}

} // namespace assay::ir
