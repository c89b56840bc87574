// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions that reach memory see and change, as plain values: the registers of one wave
// and a few memories. Definitions (Effect.h) work on it, and know nothing of the machine.
#pragma once

#include "oracles/machine/gcn/definitions/Image.h"
#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::gcn::definitions {

constexpr unsigned WorldVgprs = 128; ///< Registers that the wave of a world has.
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
  /// The \p count low bytes of \p value, the lowest first, likewise.
  void put(uint64_t offset, unsigned count, uint64_t value);
};

/// One barrier: of the workgroup, or GFX12's with a name.
struct Barrier {
  unsigned members = 0, arrived = 0; ///< Waves.
  bool isValid = false;
  unsigned phase = 0; ///< Times that all had come.
  bool operator==(const Barrier &) const = default;
};

/// What one export leaves.
struct Export {
  std::string target;                ///< exportTarget(); "" for none.
  bool isCompressed = false;         ///< Components are pairs of 16 bits.
  bool isDone = false;               ///< The last one of its kind.
  uint64_t lanes = 0;                ///< Those that export.
  std::optional<uint64_t> validMask; ///< Pixels that go on, where it says.
  std::optional<uint32_t> row;       ///< GFX11+: which row of its target, where it says.
  /// Of components that are enabled: 32 bits, compressed 16; 0 in lanes that do not export, except
  /// for dual source blending also what the neighbours of \p lanes hold.
  std::array<std::optional<Lanes>, 4> components;
};

/// One wave and what it can reach. An effect reads and changes it in place.
struct World {
  unsigned gfx = 9;       ///< Generation: 9 to 12.
  bool isGfx10_3 = false; ///< Of GFX10 the second half.
  unsigned lanes = 64;    ///< Wave size.
  std::vector<Lanes> v = std::vector<Lanes>(WorldVgprs);
  std::array<uint32_t, sreg::Count + 2> s{}; ///< By sreg.
  uint32_t mode = 0xf0;                      ///< MODE.
  Region memory;                             ///< Addresses of buffers, flat and scalar accesses.
  Region lds;                                ///< From 0 on.
  Region scratch;                            ///< All lanes', interleaved by dwords.
  unsigned scratchBytes = 0;                 ///< Each lane's.
  Region share;                              ///< The first bytes of the global data share.
  Region resources;                          ///< 64 of global wave sync: a counter and a flag each.
  Region streams;                            ///< GFX11's 8 GS registers of 32 bits, and 8 of 64.
  ImageShape image;                          ///< What descriptors of images say.
  SamplerShape sampler;
  bool scc = false;
  uint64_t pc = 0;           ///< Of the instruction.
  uint64_t following = 0;    ///< Of the next one.
  uint64_t next = 0;         ///< Of the one that comes then.
  uint64_t entry = 0;        ///< Where registers may jump to: no other is sure to be one.
  bool isDone = false;       ///< The wave has ended.
  unsigned gprIndexMode = 0; ///< GFX9: what M0 is added to.
  unsigned scheduleMode = 0; ///< From GFX11 on.
  unsigned vgprBlocks = 0;   ///< Registers that the wave has: VGPRs in fours, SGPRs in eights.
  unsigned sgprBlocks = 0;
  uint64_t instructions = 0;        ///< The wave has executed; serves as a clock.
  Barrier barrier;                  ///< Of the workgroup.
  bool hasSignaled = false;         ///< Arrived there, and not yet waited,
  unsigned awaitedPhase = 0;        ///< for this phase.
  std::array<Barrier, 32> named{};  ///< GFX12; number 0 is none.
  unsigned joined = 0;              ///< The named barrier that the wave belongs to, and
  unsigned joinedPhase = 0;         ///< its phase when the wave came or last waited.
  std::vector<uint64_t> messages;   ///< The immediate, and M0 above it.
  std::vector<Export> exports;      ///< In their order.
  unsigned waveNumber = 0;          ///< In its workgroup.
  unsigned waveCount = 1;           ///< Of the workgroup.
  unsigned served = 0;              ///< Waves that had their turn at an ordered count.
  bool faults = false;              ///< The instruction ends the run; nothing else counts then.
  bool waits = false;               ///< It waits and is done again later.
  std::vector<unsigned> anyScalars; ///< Registers of \ref s that get no defined value.

  /// The instruction has to wait, and is done again.
  void waitAndRepeat() {
    waits = true;
    next = pc;
  }
  uint64_t exec() const {
    uint64_t low = s[sreg::ExecLo];
    return lanes == 64 ? low | uint64_t(s[sreg::ExecLo + 1]) << 32 : low;
  }
  bool isActive(unsigned lane) const { return exec() >> lane & 1; }
  /// Scalar registers \p index and the next one, the low half first.
  uint64_t pair(unsigned index) const { return s[index] | uint64_t(s[index + 1]) << 32; }
  /// The same of vector registers.
  uint64_t vectorPair(unsigned index, unsigned lane) const {
    return v[index][lane] | uint64_t(v[index + 1][lane]) << 32;
  }
  /// The lowest active lane; lane 0 where none is.
  unsigned firstLane() const;
  /// Active lanes from 0 up.
  void forLanes(llvm::function_ref<void(unsigned lane)> visit) const;
};

/// The fields of an export. A generation without compression, valid mask or row has them false.
struct ExportFields {
  unsigned target = 0;             ///< By the encoding.
  std::array<bool, 4> isEnabled{}; ///< By component.
  bool isCompressed = false, isDone = false, isValidMask = false, hasRow = false;
  std::array<unsigned, 4> sources{}; ///< VGPRs; the first two when compressed.
};

/// The fields of an instruction, as whoever wrote it meant them.
struct Request {
  unsigned dst = 0;     ///< First VGPRs.
  unsigned address = 0; ///< VGPR of the address.
  unsigned data0 = 0;
  unsigned data1 = 0;
  unsigned sdata = 0; ///< First SGPRs.
  unsigned sbase = 0;
  int soffset = -1;       ///< -1: none.
  uint32_t constant = 0;  ///< Where an inline constant represents soffset.
  bool hasAddress = true; ///< A VGPR with an address; with \ref soffset, an offset of 32 bits.
  int64_t offset = 0;
  unsigned offset0 = 0; ///< Of DS with two elements: in elements.
  unsigned offset1 = 0;
  bool gds = false;
  bool lds = false;
  bool returns = false; ///< Of atomics: the old value is asked for.
  bool offen = false;
  bool idxen = false;
  bool tfe = false;
  unsigned format = 0;    ///< Of typed buffers: BufferTexel::number.
  uint32_t immediate = 0; ///< Of scalar instructions: SIMM16, or a literal.
  unsigned hwreg = 0, hwregOffset = 0, hwregWidth = 32; ///< s_getreg, s_setreg.
  unsigned attribute = 0, channel = 0;                  ///< Of interpolation.
  unsigned parameter = 0;                               ///< v_interp_mov: P10, P20, P0.
  std::array<bool, 4> high{}; ///< Halves of sources, and of the result; of parameters: the first.
  unsigned dmask = 0;         ///< Of images: components.
  bool isHalf = false;        ///< d16: two components a register.
  bool a16 = false;           ///< Two addresses a register.
  bool unorm = false;         ///< Coordinates count texels.
  ExportFields exported;
};

} // namespace assay::gcn::definitions
