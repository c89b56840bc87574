// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/Shadow.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// \p slot is a slot of RegisterSet.
std::string gcn::registerName(unsigned slot) {
  if (slot == RegisterSet::Scc)
    return "scc";
  if (slot < RegisterSet::FirstScalar)
    return "v" + utostr(slot);
  unsigned index = slot - RegisterSet::FirstScalar;
  static constexpr struct {
    unsigned index;
    const char *name;
  } Named[] = {{sreg::VccLo, "vcc_lo"},
               {sreg::VccLo + 1, "vcc_hi"},
               {sreg::M0, "m0"},
               {sreg::ExecLo, "exec_lo"},
               {sreg::ExecLo + 1, "exec_hi"}};
  for (const auto &row : Named)
    if (row.index == index)
      return row.name;
  if (index >= sreg::Ttmp0 && index < sreg::Ttmp0 + 16)
    return "ttmp" + utostr(index - sreg::Ttmp0);
  return "s" + utostr(index);
}

ShadowRegisters::ShadowRegisters(const Wave &wave)
    : m_wave(m_group, wave.waveSize, static_cast<unsigned>(wave.v.size()), wave.gfxMajor, 0),
      m_lanes(wave.v.size()) {
  m_group.program = wave.group->program;
  m_group.memory = wave.group->memory;
  m_wave.s.fill(0);
  for (unsigned index = 0; index < sreg::Count; ++index)
    if (wave.s[index] == wave.unwritten)
      setScalar(index, ~0u);
  setScalar(sreg::VccLo, ~0u);
  setScalar(sreg::VccLo + 1, ~0u);
  setScc(true);
  for (unsigned index = 0; index < wave.v.size(); ++index)
    for (unsigned lane = 0; lane < wave.waveSize; ++lane)
      if (wave.v[index][lane] == wave.unwritten)
        setVector(index, lane, ~0u);
}

/// Keeps the set of registers with undefined bits up to date.
void ShadowRegisters::flag(unsigned slot, bool undefined) {
  if (undefined)
    m_flagged.add(slot);
  else
    m_flagged.remove(slot);
}

/// \p bits are the undefined ones; 0 makes the register defined in this lane.
void ShadowRegisters::setVector(unsigned index, unsigned lane, uint32_t bits) {
  m_wave.v[index][lane] = bits;
  uint64_t bit = uint64_t(1) << lane;
  m_lanes[index] = bits ? m_lanes[index] | bit : m_lanes[index] & ~bit;
  flag(index, m_lanes[index]);
}

void ShadowRegisters::defineVector(unsigned index, uint64_t lanes) {
  if (!(m_lanes[index] & lanes))
    return;
  for (unsigned lane = 0; lane < m_wave.waveSize; ++lane)
    if (lanes >> lane & 1)
      m_wave.v[index][lane] = 0;
  m_lanes[index] &= ~lanes;
  flag(index, m_lanes[index]);
}

/// Ignores the null register and indices without a register.
void ShadowRegisters::setScalar(unsigned index, uint32_t bits) {
  if (index == sreg::Null || index >= sreg::Count)
    return;
  m_wave.s[index] = bits;
  flag(RegisterSet::FirstScalar + index, bits);
}

/// In waves of 32 lanes the upper half is dropped.
void ShadowRegisters::setScalarMask(unsigned index, uint64_t bits) {
  setScalar(index, static_cast<uint32_t>(bits));
  if (m_wave.waveSize == 64 && index != sreg::Null)
    setScalar(index + 1, static_cast<uint32_t>(bits >> 32));
}

void ShadowRegisters::setScc(bool undefined) {
  m_wave.scc = undefined;
  flag(RegisterSet::Scc, undefined);
}

/// Makes scalars and SCC in \p registers defined as a whole, vector registers in \p lanes.
void ShadowRegisters::define(const RegisterSet &registers, uint64_t lanes) {
  RegisterSet affected = registers & m_flagged;
  while (!affected.empty()) {
    unsigned slot = affected.first();
    affected.remove(slot);
    if (slot == RegisterSet::Scc)
      setScc(false);
    else if (slot >= RegisterSet::FirstScalar)
      setScalar(slot - RegisterSet::FirstScalar, 0);
    else
      defineVector(slot, lanes);
  }
}

/// Recomputes what is derived from the shadows of \p written.
void ShadowRegisters::refresh(const RegisterSet &written) {
  for (unsigned index = 0; index < m_lanes.size(); ++index) {
    if (!written.hasVector(index))
      continue;
    m_lanes[index] = 0;
    for (unsigned lane = 0; lane < m_wave.waveSize; ++lane)
      m_lanes[index] |= uint64_t(m_wave.v[index][lane] != 0) << lane;
    flag(index, m_lanes[index]);
  }
  for (unsigned index = 0; index < sreg::Count; ++index)
    if (written.hasScalar(index))
      flag(RegisterSet::FirstScalar + index, m_wave.s[index]);
  if (written.has(RegisterSet::Scc))
    flag(RegisterSet::Scc, m_wave.scc);
}
