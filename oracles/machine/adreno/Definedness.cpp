// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Definedness.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

static Touch touchOf(unsigned number) {
  Touch touch;
  touch.file = number < reg::Shared ? RegisterFile::Gpr : RegisterFile::Shared;
  touch.number = uint16_t(number);
  return touch;
}

/// General registers are undefined at the start; predicates and addresses are taken for 0.
Definedness::Definedness(const ChipFacts &facts) : m_facts(facts) {
  CellRange last = cellsOf(touchOf(reg::SharedEnd - 1), facts);
  m_cells.assign(last.first + last.count, 0);
  for (unsigned number = 0; number < reg::SharedEnd; ++number) {
    CellRange cells = cellsOf(touchOf(number), facts);
    for (uint32_t i = 0; i < cells.count; ++i)
      m_cells[cells.first + i] = ~LaneMask(0);
  }
}

void Definedness::define(unsigned number) {
  if (number < reg::SharedEnd)
    set(touchOf(number), 0);
}

LaneMask Definedness::undefined(const Touch &touch) const {
  CellRange cells = cellsOf(touch, m_facts);
  LaneMask lanes = 0;
  for (uint32_t i = 0; i < cells.count && cells.first + i < m_cells.size(); ++i)
    lanes |= m_cells[cells.first + i];
  return lanes & touch.lanes;
}

/// Shared registers have one value for all lanes.
void Definedness::set(const Touch &touch, LaneMask lanes) {
  CellRange cells = cellsOf(touch, m_facts);
  bool isShared = touch.file == RegisterFile::Shared;
  LaneMask written = isShared || !touch.lanes ? ~LaneMask(0) : touch.lanes;
  LaneMask value = isShared && lanes ? ~LaneMask(0) : lanes;
  if (cells.first + cells.count > m_cells.size())
    m_cells.resize(cells.first + cells.count, 0);
  for (uint32_t i = 0; i < cells.count; ++i) {
    LaneMask &cell = m_cells[cells.first + i];
    cell = (cell & ~written) | (value & written);
  }
}

/// sel: where the condition is defined, the source that it chooses counts alone.
LaneMask Definedness::selected(const Wave &wave, const Op &op, ArrayRef<Touch> touches,
                               unsigned step) const {
  const Operand &condition = op.sources[1];
  unsigned number = condition.number + (condition.repeats ? step : 0);
  LaneMask chosen = 0;
  for (unsigned lane = 0; lane < wave.lanes(); ++lane)
    if (wave.read(lane, number, condition.half))
      chosen |= LaneMask(1) << lane;
  auto of = [&](unsigned index) {
    LaneMask lanes = 0;
    for (const Touch &touch : touches)
      if (!touch.writes && touch.step == step && touch.source == index)
        lanes |= undefined(touch);
    return lanes;
  };
  return of(1) | (of(0) & chosen) | (of(2) & ~chosen);
}

LaneMask Definedness::ofStep(const Wave &wave, const Op &op, ArrayRef<Touch> touches,
                             unsigned step) const {
  LaneMask lanes = 0;
  for (const Touch &touch : touches)
    if (!touch.writes && touch.step == step)
      lanes |= undefined(touch);
  bool isSelect = op.inst.name().starts_with("sel.") && op.sources.size() == 3 &&
                  op.sources[1].file == Operand::File::Gpr;
  return lanes && isSelect ? selected(wave, op, touches, step) : lanes;
}

void Definedness::step(const Wave &wave, const Op &op, ArrayRef<Touch> touches,
                       function_ref<void(UndefinedUse)> report) {
  unsigned category = op.inst.category();
  for (const Touch &touch : touches) {
    if (touch.writes || touch.role == TouchRole::Value || !undefined(touch))
      continue;
    report(touch.role == TouchRole::Predicate ? UndefinedUse::Branch
           : touch.role == TouchRole::Address ? UndefinedUse::Address
                                              : UndefinedUse::Store);
  }
  // Exchanges take from other lanes, loads from memory.
  bool propagates = category >= 1 && category <= 4;
  unsigned last = ~0U;
  LaneMask lanes = 0;
  for (const Touch &touch : touches) {
    if (!touch.writes || touch.file == RegisterFile::Const)
      continue;
    if (propagates && touch.step != last) {
      lanes = ofStep(wave, op, touches, touch.step);
      last = touch.step;
    }
    set(touch, propagates ? lanes : 0);
  }
}
