// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/LateResults.h"

#include "oracles/machine/gcn/MicroOp.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// How many memory instructions, at most, until the next event completes early.
static constexpr uint64_t MaxEarlyGap = 16;

/// Scalar loads do not see the wave's own stores before they are in memory; messages and exports
/// look at no memory.
static bool seesStores(const MicroOp &op) {
  static constexpr WaitOrder Blind[] = {WaitOrder::Scalar, WaitOrder::Message, WaitOrder::Export};
  return op.raisesCounter && !is_contained(Blind, op.event.order);
}

void LateResults::before(Wave &wave, const MicroOp &op) {
  m_isShown = seesStores(op);
  if (m_isShown)
    m_stores.show(wave);
  if (!op.raisesCounter)
    return;
  m_current = {};
  m_current.sequence = wave.sequence;
  m_current.event = op.event;
  m_current.lanes = wave.exec();
  if (op.memory.d16 && !op.memory.components)
    m_current.bits = op.memory.high ? 0xffff0000 : 0xffff;
  if (!op.destinationCount || !op.destination.isRegister())
    return;
  bool isVector = op.destination.type == OperandType::Vgpr;
  size_t end = size_t(op.destination.index) + op.destination.dwords;
  if (end > (isVector ? wave.v.size() : wave.s.size()))
    return; // The instruction will end the run.
  m_current.registers = {isVector, op.destination.index, op.destination.dwords};
  for (unsigned i = 0; i < op.destination.dwords; ++i) {
    if (isVector)
      m_current.vectors.push_back(wave.v[op.destination.index + i]);
    else
      m_current.scalars.push_back(wave.s[op.destination.index + i]);
  }
}

void LateResults::access(Wave &wave, const MicroOp &, const MemoryEvent &event) {
  if (m_isShown)
    m_stores.note(wave, event, m_current.sequence);
}

/// Exchanges the registers of \p held with its values, where it writes them.
void LateResults::exchange(Wave &wave, Held &held) {
  for (auto [i, lanes] : enumerate(held.vectors)) {
    LaneArray &to = wave.v[held.registers.first + i];
    for (unsigned lane = 0; lane < wave.waveSize; ++lane) {
      if (!(held.lanes >> lane & 1))
        continue;
      uint32_t changed = (to[lane] ^ lanes[lane]) & held.bits;
      to[lane] ^= changed;
      lanes[lane] ^= changed;
    }
  }
  for (auto [i, value] : enumerate(held.scalars))
    if (held.registers.first + i != sreg::Null)
      std::swap(wave.s[held.registers.first + i], value);
}

void LateResults::hideStores(Wave &wave) {
  if (m_isShown)
    m_stores.hide(wave);
  m_isShown = false;
}

void LateResults::abandoned(Wave &wave, const MicroOp &) {
  hideStores(wave);
}

void LateResults::after(Wave &wave, const MicroOp &op) {
  hideStores(wave);
  if (op.raisesCounter && wave.status != WaveStatus::Failed) {
    exchange(wave, m_current); // Now it holds the new values, and the registers the old ones.
    m_held.push_back(std::move(m_current));
    if (m_choices.isFree())
      completeSome(wave);
  }
  if (wave.status != WaveStatus::Done)
    return;
  m_stores.releaseAll(wave); // Stores happen, waited for or not.
  m_held.clear();
}

/// Where there is a choice, the hardware may be faster than the code needs it to be.
void LateResults::completeSome(Wave &wave) {
  if (m_untilEarly == 0)
    m_untilEarly = 1 + m_choices.choose(ChoiceKind::Early, MaxEarlyGap);
  if (--m_untilEarly)
    return;
  SmallVector<size_t, 16> first;
  for (auto [index, held] : enumerate(m_held)) {
    bool mayBeFirst = !completesInOrder(held.event.order) ||
                      none_of(ArrayRef(m_held).take_front(index), [&](const Held &older) {
                        return older.event.order == held.event.order &&
                               older.event.counters == held.event.counters;
                      });
    if (mayBeFirst)
      first.push_back(index);
  }
  commit(wave, first[m_choices.choose(ChoiceKind::Event, first.size())]);
}

void LateResults::commit(Wave &wave, size_t index) {
  exchange(wave, m_held[index]);
  m_stores.release(wave, m_held[index].sequence);
  m_held.erase(m_held.begin() + ptrdiff_t(index));
}

void LateResults::completed(Wave &wave, const WaitScoreboard::Entry &entry) {
  auto found = find_if(m_held, [&](const Held &held) { return held.sequence == entry.sequence; });
  if (found != m_held.end())
    commit(wave, size_t(found - m_held.begin()));
}
