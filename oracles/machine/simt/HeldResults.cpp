// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/HeldResults.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// The largest number of held results until the next one completes early.
static constexpr uint64_t MaxEarlyGap = 16;

/// Returns the number of lanes up to the highest active one.
static unsigned widthOf(const RegisterRow &row) {
  return row.lanes ? 64 - unsigned(countl_zero(row.lanes)) : 0;
}

/// Begins a result; addRow() follows for each register, then the instruction, then hold().
void HeldResults::begin(uint32_t sequence, ResultStream stream) {
  m_current.sequence = sequence;
  m_current.stream = stream;
  m_current.rows.clear();
  m_current.values.clear();
}

/// Keeps the present values of the register.
void HeldResults::addRow(const RegisterRow &row) {
  m_current.rows.push_back(row);
  m_current.values.insert(m_current.values.end(), row.words, row.words + widthOf(row));
}

/// Exchanges the registers with the values of \p held, where it writes them.
void HeldResults::exchange(Held &held) {
  uint32_t *values = held.values.data();
  for (const RegisterRow &row : held.rows) {
    for (uint64_t lanes = row.lanes; lanes; lanes &= lanes - 1) {
      auto lane = unsigned(countr_zero(lanes));
      uint32_t changed = (row.words[lane] ^ values[lane]) & row.bits;
      row.words[lane] ^= changed;
      values[lane] ^= changed;
    }
    values += widthOf(row);
  }
}

/// Puts the old values back until the result completes.
void HeldResults::hold() {
  exchange(m_current); // Now it has the new values, and the registers have the old ones.
  m_held.push_back(std::move(m_current));
  m_current = {};
}

/// False where an older result of the same ordered stream is still held.
bool HeldResults::mayBeNext(size_t index) const {
  const Held &held = m_held[index];
  return !held.stream.isOrdered ||
         none_of(ArrayRef(m_held).take_front(index),
                 [&](const Held &older) { return older.stream.id == held.stream.id; });
}

/// If the schedule is free, sometimes completes a result that no instruction waits for. Returns its
/// number. There must be a held result.
std::optional<uint32_t> HeldResults::completeEarly() {
  if (!m_choices.isFree())
    return std::nullopt;
  if (m_untilEarly == 0)
    m_untilEarly = 1 + m_choices.choose(ChoiceKind::Early, MaxEarlyGap);
  if (--m_untilEarly)
    return std::nullopt;
  SmallVector<size_t, 16> first;
  for (size_t index = 0; index < m_held.size(); ++index)
    if (mayBeNext(index))
      first.push_back(index);
  size_t chosen = first[m_choices.choose(ChoiceKind::Event, first.size())];
  uint32_t sequence = m_held[chosen].sequence;
  completeAt(chosen);
  return sequence;
}

void HeldResults::completeAt(size_t index) {
  exchange(m_held[index]);
  m_held.erase(m_held.begin() + ptrdiff_t(index));
}

/// False where no such result is held.
bool HeldResults::complete(uint32_t sequence) {
  auto found = find_if(m_held, [&](const Held &held) { return held.sequence == sequence; });
  if (found == m_held.end())
    return false;
  completeAt(size_t(found - m_held.begin()));
  return true;
}
