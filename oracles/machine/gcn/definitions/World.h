// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions that reach memory see and change, as plain values: the registers of one wave
// and a few memories. Definitions (Effect.h) work on it, and know nothing of the machine.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>
#include <vector>

namespace assay::gcn::definitions {

constexpr unsigned WorldVgprs = 128;
/// One vector register: a dword a lane.
using Lanes = std::array<uint32_t, 64>;

/// Bytes at an address.
struct Region {
  uint64_t base = 0;
  std::vector<uint8_t> bytes;

  /// Null when the byte at \p address is not inside.
  uint8_t *at(uint64_t address) {
    return address - base < bytes.size() ? &bytes[address - base] : nullptr;
  }
  /// \p count bytes, the lowest first, at \p offset from the base; they must be inside.
  uint64_t get(uint64_t offset, unsigned count) const;
  void put(uint64_t offset, unsigned count, uint64_t value);
};

struct World {
  unsigned gfx = 9;    ///< Generation: 9 to 12.
  unsigned lanes = 64; ///< Wave size.
  std::vector<Lanes> v = std::vector<Lanes>(WorldVgprs);
  std::array<uint32_t, sreg::Count + 2> s{}; ///< By sreg.
  uint32_t mode = 0xf0;                      ///< MODE.
  Region memory;
  Region lds;                ///< From 0 on.
  Region scratch;            ///< All lanes', interleaved by dwords.
  unsigned scratchBytes = 0; ///< Each lane's.
  Region share;              ///< The first bytes of the global data share.
  Region resources;          ///< 64 of global wave sync: a counter and a flag each.
  Region streams;            ///< GFX11's 8 GS registers of 32 bits, and 8 of 64.
  unsigned waveNumber = 0;   ///< In its workgroup.
  unsigned waveCount = 1;
  unsigned served = 0;              ///< Waves that had their turn at an ordered count.
  bool faults = false;              ///< The instruction ends the run; nothing else counts then.
  bool waits = false;               ///< It waits and is done again later.
  std::vector<unsigned> anyScalars; ///< Registers of \ref s that get no defined value.

  uint64_t exec() const {
    uint64_t low = s[sreg::ExecLo];
    return lanes == 64 ? low | uint64_t(s[sreg::ExecLo + 1]) << 32 : low;
  }
  bool isActive(unsigned lane) const { return exec() >> lane & 1; }
  uint64_t pair(unsigned index) const { return s[index] | uint64_t(s[index + 1]) << 32; }
  uint64_t vectorPair(unsigned index, unsigned lane) const {
    return v[index][lane] | uint64_t(v[index + 1][lane]) << 32;
  }
  /// The lowest active lane; lane 0 where none is.
  unsigned firstLane() const;
  /// Active lanes from 0 up.
  void forLanes(llvm::function_ref<void(unsigned lane)> visit) const;
};

/// The fields of an instruction, as whoever wrote it meant them.
struct Request {
  unsigned dst = 0; ///< First VGPRs.
  unsigned address = 0;
  unsigned data0 = 0;
  unsigned data1 = 0;
  unsigned sdata = 0; ///< First SGPRs.
  unsigned sbase = 0;
  int soffset = -1;       ///< -1: none.
  uint32_t constant = 0;  ///< Where an inline constant stands for soffset.
  bool hasAddress = true; ///< A VGPR with an address; with \ref soffset, an offset of 32 bits.
  int64_t offset = 0;
  unsigned offset0 = 0;
  unsigned offset1 = 0;
  bool gds = false;
  bool lds = false;
  bool returns = false; ///< Of atomics: the old value is asked for.
  bool offen = false;
  bool idxen = false;
  bool tfe = false;
  unsigned format = 0; ///< Of typed buffers, index of bufferFormats().
};

} // namespace assay::gcn::definitions
