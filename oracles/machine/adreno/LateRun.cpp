// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/LateRun.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

using simt::ChoiceKind;

/// The largest number of instructions until the next one completes early.
static constexpr uint64_t MaxEarlyGap = 16;

/// Shared registers and a1.x have one value for all lanes.
static LaneMask lanesOf(const Touch &touch) {
  bool isOne = touch.file == RegisterFile::Shared || touch.file == RegisterFile::Address1;
  return isOne && touch.lanes ? LaneMask(1) << firstLane(touch.lanes) : touch.lanes;
}

/// What \p touch names, in one lane.
static uint32_t readRegister(const Wave &wave, const Touch &touch, unsigned lane) {
  switch (touch.file) {
  case RegisterFile::Gpr:
  case RegisterFile::Shared:
    return wave.read(lane, touch.number, touch.half);
  case RegisterFile::Address:
    return uint32_t(int32_t(wave.address[lane]));
  case RegisterFile::Address1:
    return wave.address1;
  case RegisterFile::Predicate:
    return hasLane(wave.predicates[touch.number], lane);
  case RegisterFile::Const:
    break;
  }
  return 0;
}

/// The reverse.
static void writeRegister(Wave &wave, const Touch &touch, unsigned lane, uint32_t value) {
  unsigned number = touch.number;
  switch (touch.file) {
  case RegisterFile::Gpr:
  case RegisterFile::Shared:
    return wave.write(lane, number, touch.half, value);
  case RegisterFile::Address:
    return wave.write(lane, reg::Address, /*half=*/false, value);
  case RegisterFile::Address1:
    return wave.write(lane, reg::Address + 1, /*half=*/false, value);
  case RegisterFile::Predicate:
    return wave.write(lane, reg::Predicate + number, /*half=*/false, value);
  case RegisterFile::Const: // An instruction that writes constants runs at its (ss) or (sy).
    return;
  }
}

/// Calls \p each with each lane of each of \p writes, and a running number.
template <typename Each> static void forValues(ArrayRef<Touch> writes, Each each) {
  size_t next = 0;
  for (const Touch &touch : writes)
    for (LaneMask left = lanesOf(touch); left; left &= left - 1)
      each(touch, firstLane(left), next++);
}

template <typename Chosen> void LateRun::completeIf(Wave &wave, Chosen isChosen) {
  erase_if(m_held, [&](Held &held) {
    if (!isChosen(held))
      return false;
    forValues(held.writes, [&](const Touch &touch, unsigned lane, size_t index) {
      writeRegister(wave, touch, lane, held.values[index]);
    });
    return true;
  });
}

/// Whether they are the same storage in the same lanes.
static bool overlap(const Touch &one, const Touch &other) {
  bool shares = one.lanes & other.lanes || one.file == RegisterFile::Shared ||
                one.file == RegisterFile::Address1;
  return one.file != RegisterFile::Const && other.file != RegisterFile::Const && shares &&
         one.overlapsWith(other);
}

/// What (ss) and (sy) wait for, and what comes before that in the order of memory accesses.
void LateRun::wait(Wave &wave, const Inst &inst) {
  bool ss = inst.get(Field::Short), sy = inst.get(Field::Sync);
  if (!ss && !sy)
    return;
  size_t count = m_deferred.size();
  if (!ss)
    while (count && resultSync(m_deferred[count - 1].op->inst.unit()) != SyncFlag::Sy)
      --count;
  runDeferred(wave, count);
  completeIf(wave, [&](const Held &held) {
    return held.kind == WaitKind::Sy ? sy : ss && (held.kind == WaitKind::Ss || held.endsBySs);
  });
}

/// Whether what is held is there for \p op: its slots have passed, or it is of the scalar ALU,
/// whose instructions do not wait for each other's results of the same width. Results of the ALU
/// arrive in their order.
bool LateRun::isDue(const Held &held, const Op &op, ArrayRef<Touch> touches) const {
  if (held.kind == WaitKind::Ss && held.isScalar && op.facts.isScalar)
    return true;
  if (held.kind != WaitKind::Slots)
    return false;
  if (m_now > held.time + m_facts.farDelay + m_facts.widthDelay)
    return true;
  bool isUsed = false, hasPassed = true;
  for (const Touch &touch : touches)
    for (const Touch &write : held.writes) {
      if (!overlap(write, touch))
        continue;
      if (touch.writes)
        return true;
      isUsed = true;
      hasPassed &= m_now + touch.step > held.time + write.step + neededSlots(touch, write.half);
    }
  return isUsed && hasPassed;
}

/// Those that are used, or that have been there for long.
void LateRun::settle(Wave &wave, const Op &op, ArrayRef<Touch> touches) {
  completeIf(wave, [&](const Held &held) { return isDue(held, op, touches); });
}

/// Whether a source of \p op is a result of the ALU whose slots have not passed.
bool LateRun::waitsForSlots(const Op &, ArrayRef<Touch> touches) const {
  return any_of(m_held, [&](const Held &held) {
    return held.kind == WaitKind::Slots && any_of(touches, [&](const Touch &touch) {
             return !touch.writes &&
                    any_of(held.writes, [&](const Touch &write) { return overlap(write, touch); });
           });
  });
}

/// Executes \p op; registers keep their old values.
void LateRun::run(Wave &wave, const Op &op, ArrayRef<Touch> touches) {
  Held held;
  held.time = m_now;
  held.isScalar = op.facts.isScalar;
  SyncFlag sync = op.facts.result;
  held.kind = sync == SyncFlag::Sy   ? WaitKind::Sy
              : sync == SyncFlag::Ss ? WaitKind::Ss
                                     : WaitKind::Slots;
  for (const Touch &touch : touches) {
    if (!touch.writes || touch.file == RegisterFile::Const)
      continue;
    held.writes.push_back(touch);
    if (touch.file == RegisterFile::Shared && held.kind == WaitKind::Slots)
      held.kind = WaitKind::Ss;
    // In early preambles a1.x is waited for by (ss) (Mesa, ir3.h, is_ss_producer).
    held.endsBySs |= touch.file == RegisterFile::Address1 && m_facts.generation >= 700;
  }
  forValues(held.writes, [&](const Touch &touch, unsigned lane, size_t) {
    held.values.push_back(readRegister(wave, touch, lane));
  });
  wave.execute(op);
  if (wave.status == simt::WaveStatus::Failed || held.writes.empty())
    return;
  std::vector<uint32_t> results(held.values.size());
  forValues(held.writes, [&](const Touch &touch, unsigned lane, size_t index) {
    results[index] = readRegister(wave, touch, lane);
  });
  forValues(held.writes, [&](const Touch &touch, unsigned lane, size_t index) {
    writeRegister(wave, touch, lane, held.values[index]);
  });
  held.values = std::move(results);
  m_held.push_back(std::move(held));
}

/// In the order of the program. Each sees a1.x and the table of aliases as they were. A result that
/// arrives now, which may be a1.x, is not what it sees.
void LateRun::runDeferred(Wave &wave, size_t count) {
  for (size_t i = 0; i < count && wave.status != simt::WaveStatus::Failed; ++i) {
    Deferred &each = m_deferred[i];
    std::swap(wave.aliases, each.aliases);
    wave.visit(each.pc, each.lanes, [&] {
      SmallVector<Touch, 16> touches;
      collectTouches(wave, *each.op, touches);
      settle(wave, *each.op, touches);
      std::swap(wave.address1, each.address1);
      run(wave, *each.op, touches);
      wave.address1 = each.address1;
    });
    std::swap(wave.aliases, each.aliases);
  }
  m_deferred.erase(m_deferred.begin(), m_deferred.begin() + ptrdiff_t(count));
}

/// Hardware may be faster than the code requires.
void LateRun::completeEarly(Wave &wave) {
  size_t results =
      size_t(count_if(m_held, [](const Held &held) { return held.kind != WaitKind::Slots; }));
  size_t choices = results + (m_deferred.empty() ? 0 : 1);
  if (!m_choices.isFree() || !choices)
    return;
  if (m_untilEarly == 0)
    m_untilEarly = 1 + m_choices.choose(ChoiceKind::Early, MaxEarlyGap);
  if (--m_untilEarly)
    return;
  size_t chosen = m_choices.choose(ChoiceKind::Event, choices);
  if (chosen == results)
    return runDeferred(wave, 1);
  completeIf(wave, [&](const Held &held) { return held.kind != WaitKind::Slots && chosen-- == 0; });
}

/// What the flags wait for, and results of the ALU that are due.
void LateRun::prepare(Wave &wave, const Op &op) {
  m_isPrepared = true;
  if (!op.inst.isValid() || !op.handler)
    return;
  completeEarly(wave);
  wait(wave, op.inst);
  // Twice: a0.x, which may arrive now, says which registers are used.
  for (unsigned i = 0; i < 2; ++i) {
    SmallVector<Touch, 16> touches;
    collectTouches(wave, op, touches);
    settle(wave, op, touches);
  }
}

/// Categories 4 to 6 wait until a flag or the order of memory makes them run; all else runs now,
/// and its results are held.
void LateRun::execute(Wave &wave, const Op &op) {
  if (!m_isPrepared)
    prepare(wave, op);
  m_isPrepared = false;
  if (!op.inst.isValid() || !op.handler)
    return wave.execute(op);
  SmallVector<Touch, 16> touches;
  collectTouches(wave, op, touches);
  // A result of the ALU that is not there yet is missed now, not when the source is read.
  bool isLate =
      op.facts.readsLate && !waitsForSlots(op, touches) && !hasDefect(Defect::ReadsAtOnce);
  if (isLate) {
    m_deferred.push_back({&op, wave.pc(), wave.active(), wave.address1, std::move(wave.aliases)});
    wave.aliases.clear();
    wave.advance();
  } else {
    bool isOrder =
        (op.inst.category() == 7 && op.inst.name() != "alias") || op.inst.name() == "end";
    if (isOrder || op.facts.readsLate)
      runDeferred(wave, m_deferred.size());
    run(wave, op, touches);
    if (op.inst.name() == "end")
      completeIf(wave, [](const Held &held) { return held.kind == WaitKind::Slots; });
  }
  m_now += op.facts.slots;
}
