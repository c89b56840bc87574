// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bits of registers and of memory are uninitialized: a set bit means undefined.
#pragma once

#include "oracles/machine/gcn/RegisterSet.h"
#include "oracles/machine/gcn/Wave.h"
#include "oracles/machine/simt/ShadowBytes.h"

namespace assay::gcn {

/// The shadow of a wave's registers. It is kept in a Wave of its own, so that what moves registers
/// in the machine can move shadows, too.
class ShadowRegisters {
public:
  /// As \p wave is launched: whatever holds Wave::unwritten, and VCC and SCC, which the hardware
  /// does not set.
  explicit ShadowRegisters(const Wave &wave);

  /// Registers that may have undefined bits; no others have.
  const RegisterSet &flagged() const { return m_flagged; }
  /// Of a vector register, the lanes that have undefined bits.
  uint64_t lanes(unsigned index) const { return m_lanes[index]; }
  size_t vectorCount() const { return m_lanes.size(); }
  uint32_t vector(unsigned index, unsigned lane) const { return m_wave.v[index][lane]; }
  uint32_t scalar(unsigned index) const { return m_wave.s[index]; }
  uint64_t scalarMask(unsigned index) const { return m_wave.readMask(index); }
  bool scc() const { return m_wave.scc; }

  void setVector(unsigned index, unsigned lane, uint32_t bits);
  /// \p lanes of the register are defined from now on.
  void defineVector(unsigned index, uint64_t lanes);
  void setScalar(unsigned index, uint32_t bits);
  void setScalarMask(unsigned index, uint64_t bits);
  void setScc(bool undefined);
  void define(const RegisterSet &registers, uint64_t lanes);

  /// The Wave that holds the shadows, for handlers to run on. refresh() must follow, with what
  /// they wrote.
  Wave &wave() { return m_wave; }
  void refresh(const RegisterSet &written);

private:
  void flag(unsigned slot, bool undefined);

  Workgroup m_group;
  Wave m_wave;
  RegisterSet m_flagged;
  std::vector<uint64_t> m_lanes;
};

/// The LDS of a workgroup, whose waves share it.
class ShadowLds final : public GroupObserver {
public:
  simt::ShadowBytes bytes;
};

} // namespace assay::gcn
