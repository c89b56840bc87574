// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/adreno/Definedness.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// General registers are undefined at the start; predicates and addresses are taken for 0.
Definedness::Definedness() {
  for (unsigned number = 0; number < CellCount; ++number) {
    bool isOther = (number >= reg::SharedEnd && number < reg::SharedEnd + 8) || number == ConstCell;
    m_isDirty[number] = !isOther;
    m_cells[number].undefined[0] = m_cells[number].undefined[1] = isOther ? 0 : ~LaneMask(0);
  }
}

/// A full register of any file is the cell of its number.
void Definedness::define(unsigned number) {
  if (number >= reg::SharedEnd)
    return;
  m_cells[number] = {};
  m_isDirty[number] = false;
}

/// Lanes without a fiber do not count.
void Definedness::begin(const Wave &wave) {
  m_hasBegun = true;
  m_used = wave.here() | wave.elsewhere();
  for (unsigned number = 0; number < CellCount; ++number) {
    Cell &cell = m_cells[number];
    for (LaneMask &part : cell.undefined)
      part &= m_used;
    m_isDirty[number] = cell.undefined[0] || cell.undefined[1];
  }
}

/// Those of \p lanes in which some part of the register has no value.
LaneMask Definedness::undefined(const Touch &touch, LaneMask lanes) const {
  if (touch.file == RegisterFile::Const)
    return 0;
  const Cell &cell = m_cells[touch.cell];
  LaneMask found = 0;
  for (unsigned part = 0; part < 2; ++part)
    if (touch.parts >> part & 1)
      found |= cell.undefined[part];
  return found & lanes;
}

/// Of \p written, \p lanes are undefined afterwards. Shared registers have one value for all lanes.
void Definedness::set(const Touch &touch, LaneMask written, LaneMask lanes) {
  bool isShared = touch.file == RegisterFile::Shared;
  if (isShared || !written)
    written = ~LaneMask(0);
  LaneMask value = isShared && lanes ? ~LaneMask(0) : lanes;
  Cell &cell = m_cells[touch.cell];
  for (unsigned part = 0; part < 2; ++part)
    if (touch.parts >> part & 1)
      cell.undefined[part] = ((cell.undefined[part] & ~written) | (value & written)) & m_used;
  m_isDirty[touch.cell] = cell.undefined[0] || cell.undefined[1];
}

/// sel: where the condition is defined, the source that it chooses counts alone.
LaneMask Definedness::selected(const Flow &flow, unsigned step) const {
  const Operand &condition = flow.op.sources[1];
  unsigned number = condition.number + (condition.repeats ? step : 0);
  LaneMask chosen = 0;
  for (unsigned lane = 0; lane < flow.wave.lanes(); ++lane)
    if (flow.wave.read(lane, number, condition.half))
      chosen |= LaneMask(1) << lane;
  auto of = [&](unsigned index) {
    LaneMask lanes = 0;
    for (const Touch &touch : flow.touches)
      if (!touch.writes && touch.step == step && touch.source == index)
        lanes |= undefined(touch, flow.lanesOf(touch));
    return lanes;
  };
  return of(1) | (of(0) & chosen) | (of(2) & ~chosen);
}

/// Lanes in which the result of one step has no value.
LaneMask Definedness::ofStep(const Flow &flow, unsigned step) const {
  LaneMask lanes = 0;
  for (const Touch &touch : flow.touches)
    if (!touch.writes && touch.step == step)
      lanes |= undefined(touch, flow.lanesOf(touch));
  const Op &op = flow.op;
  bool isSelect = lanes && op.inst.name().starts_with("sel.") && op.sources.size() == 3 &&
                  op.sources[1].file == Operand::File::Gpr;
  return isSelect ? selected(flow, step) : lanes;
}

/// Reports first, since an instruction may overwrite what it uses.
void Definedness::step(const Wave &wave, const Op &op, ArrayRef<Touch> touches, LaneMask lanes,
                       function_ref<void(UndefinedUse)> report) {
  Flow flow{wave, op, touches, lanes};
  for (const Touch &touch : touches) {
    if (touch.writes || touch.role == TouchRole::Value || !undefined(touch, flow.lanesOf(touch)))
      continue;
    report(touch.role == TouchRole::Predicate ? UndefinedUse::Branch
           : touch.role == TouchRole::Address ? UndefinedUse::Address
                                              : UndefinedUse::Store);
  }
  // Exchanges take from other lanes, loads from memory.
  bool propagates = op.inst.category() >= 1 && op.inst.category() <= 4;
  unsigned last = ~0U;
  LaneMask found = 0;
  for (const Touch &touch : touches) {
    if (!touch.writes || touch.file == RegisterFile::Const)
      continue;
    if (propagates && touch.step != last) {
      found = ofStep(flow, touch.step);
      last = touch.step;
    }
    set(touch, flow.lanesOf(touch), propagates ? found : 0);
  }
}
