// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers and messages. Sources: AMD's ISA manuals, S_BARRIER, RDNA 4's S_BARRIER_SIGNAL and its
// kin, S_SENDMSG; LLVM's SendMsg::Id for numbers.
#include "oracles/machine/gcn/definitions/ControlMeaning.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::definitions;

// --- Barriers

/// Completes the phase with its last member. Barriers without members never complete.
static void arrive(Barrier &barrier) {
  ++barrier.arrived;
  if (barrier.members == 0 || barrier.arrived < barrier.members)
    return;
  barrier.arrived = 0;
  ++barrier.phase;
}

/// The workgroup's barrier.
static void signal(World &world) {
  world.hasSignaled = true;
  world.awaitedPhase = world.barrier.phase + 1;
  arrive(world.barrier);
}

/// The wave waits until the phase that it signaled is complete.
static void wait(World &world) {
  world.hasSignaled = false;
  world.waits = world.barrier.phase < world.awaitedPhase;
}

/// In M0 or an inline constant; -1 is the workgroup's, -2 the trap handler's, 0 none.
static int barrierNumber(const Request &request, const World &world) {
  if (request.soffset >= 0)
    return int(world.s[request.soffset] % 32);
  return static_cast<int>(request.immediate);
}

/// Signals the workgroup's barrier or a named one. \p tellsFirst: SCC says whether this is the
/// phase's first arrival.
static void signalNumber(const Request &request, World &world, bool tellsFirst) {
  int number = barrierNumber(request, world);
  if (number == -1) {
    world.faults |= world.hasSignaled;
    if (tellsFirst)
      world.scc = world.barrier.arrived == 0;
    return signal(world);
  }
  if (tellsFirst)
    world.scc = number > 0 && world.named[number].arrived == 0;
  if (number > 0)
    arrive(world.named[number]);
}

/// Waits for the workgroup's barrier, or for the named one that the wave joined.
static void waitNumber(const Request &request, World &world) {
  if (static_cast<int16_t>(request.immediate) == -1) {
    world.faults |= !world.hasSignaled;
    return wait(world);
  }
  if (static_cast<int16_t>(request.immediate) < 0 || !world.joined)
    return;
  const Barrier &barrier = world.named[world.joined];
  if (barrier.phase == world.joinedPhase)
    return world.waitAndRepeat();
  world.joinedPhase = barrier.phase;
}

/// M0[21:16]: how many waves.
static void initialize(const Request &request, World &world) {
  int number = barrierNumber(request, world);
  if (number <= 0)
    return;
  Barrier &barrier = world.named[number];
  barrier.members = world.s[sreg::M0] / 0x10000 % 64;
  barrier.arrived = 0;
  barrier.isValid = true;
}

/// Phases count from the join on. Number 0 and negative ones leave the wave without a barrier.
static void joinNumber(const Request &request, World &world) {
  int number = barrierNumber(request, world);
  world.joined = number > 0 ? unsigned(number) : 0;
  world.joinedPhase = world.named[world.joined].phase;
}

/// Those who stay may be complete now.
static void leave(const Request &, World &world) {
  world.scc = world.joined != 0;
  if (!world.joined)
    return;
  Barrier &barrier = world.named[world.joined];
  if (barrier.members)
    --barrier.members;
  if (barrier.members && barrier.arrived >= barrier.members) {
    barrier.arrived = 0;
    ++barrier.phase;
  }
  world.joined = 0;
}

/// Bit 0 valid, from bit 4 on members, from bit 16 on arrivals; seven bits each.
static void getState(const Request &request, World &world) {
  int number = barrierNumber(request, world);
  Barrier barrier;
  if (number == -1)
    barrier = {world.barrier.members, world.barrier.arrived, true, 0};
  else if (number > 0)
    barrier = world.named[number];
  world.s[request.dst] =
      barrier.isValid + barrier.members % 128 * 16 + barrier.arrived % 128 * 0x10000;
}

// --- Messages

/// Numbers that code of a user may send, for each generation.
static bool isMessage(unsigned id, unsigned gfx) {
  static constexpr StringLiteral Known[] = {"0 1 2 3 4 5 6 7 8 9 10", "0 1 2 3 4 5 6 7 9 10 11",
                                            "0 1 2 3 5 6 9", "0 1 2 3 5 6 9"};
  SmallVector<StringRef, 12> numbers;
  Known[gfx - 9].split(numbers, ' ');
  for (StringRef number : numbers)
    if (number == std::to_string(id))
      return true;
  return false;
}

/// Records the message with M0 from bit 16 on. An unknown message ends the run.
static void send(const Request &request, World &world) {
  unsigned id = request.immediate % (world.gfx >= 11 ? 256 : 16);
  world.faults |= !isMessage(id, world.gfx);
  world.messages.push_back(request.immediate + (uint64_t(world.s[sreg::M0]) << 16));
}

/// Nobody lets the wave go on.
static void sendAndHalt(const Request &request, World &world) {
  send(request, world);
  world.faults = true;
}

/// Only the time has an answer other than 0; 0x84 belongs to trap handlers.
static void ask(const Request &request, World &world, unsigned dwords) {
  unsigned last = world.gfx >= 12 ? 0x87 : 0x86;
  world.faults |= request.immediate < 0x80 || request.immediate > last || request.immediate == 0x84;
  uint64_t answer = request.immediate == 0x83 ? world.instructions : 0;
  for (unsigned i = 0; i < dwords; ++i)
    world.s[request.dst + i] = static_cast<uint32_t>(answer >> (32 * i));
}

#define DO(STATEMENT)                                                                              \
  [](const Request &r, World &w) {                                                                 \
    (void)r;                                                                                       \
    STATEMENT;                                                                                     \
  }

/// Columns as in jumpRows().
ArrayRef<ControlRow> gcn::definitions::syncRows() {
  using F = ScalarForm;
  static const ControlRow Rows[] = {
      {"barrier", F::None, 0, 0, DO(signal(w); wait(w))},
      {"barrier_signal", F::Barrier, 0, 0, DO(signalNumber(r, w, false))},
      {"barrier_signal_isfirst", F::Barrier, 0, 0, DO(signalNumber(r, w, true))},
      {"barrier_wait", F::Immediate, 0, 0, waitNumber},
      {"barrier_init", F::Barrier, 0, 0, initialize},
      {"barrier_join", F::Barrier, 0, 0, joinNumber},
      {"barrier_leave", F::None, 0, 0, leave},
      {"get_barrier_state", F::DstBarrier, 1, 0, getState},
      {"sendmsg", F::Message, 0, 0, send},
      {"sendmsghalt", F::Message, 0, 0, sendAndHalt},
      {"sendmsg_rtn_b32", F::DstMessage, 1, 0, DO(ask(r, w, 1))},
      {"sendmsg_rtn_b64", F::DstMessage, 2, 0, DO(ask(r, w, 2))},
  };
  return Rows;
}
