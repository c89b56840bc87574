// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows uninitialized values through a wave's registers, LDS and scratch, and reports where it
// decides something: UNDEF-*. Copies and arithmetic are no finding; global memory counts as
// defined, since a case gives it its contents.
#pragma once

#include "oracles/machine/gcn/OpFacts.h"
#include "oracles/machine/gcn/sanitizer/Shadow.h"
#include <optional>

namespace assay::gcn {

/// One value follows one wave. It owns the shadow of the wave's registers and scratch; the shadow
/// of LDS is shared by the waves of a workgroup.
class Definedness {
public:
  /// \p lds is the workgroup's, and outlives this.
  Definedness(const Wave &wave, simt::ShadowBytes &lds);

  /// As WaveObserver. Inline is the common case: nothing undefined near.
  void before(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (facts.flow == OpFlow::Memory)
      beginMemory();
    if (facts.touched.intersects(m_shadow.flagged()) || facts.isDynamic || wave.gprIndexMode())
      check(wave, op, facts);
    if (op.whole)
      mirrorHalves(wave, op);
  }
  /// Whether before() does nothing with a quiet instruction (OpFacts).
  bool isDefined(const Wave &wave, const OpFacts &facts) const {
    return !facts.touched.intersects(m_shadow.flagged()) && !wave.gprIndexMode();
  }
  /// Moves shadows between registers and LDS or scratch, and checks data that is stored to other
  /// memory. Called once for each access of a lane, in the order of the bytes; does nothing when
  /// the operation is not of OpFlow::Memory.
  void access(Wave &wave, const MicroOp &op, const OpFacts &facts, const MemoryEvent &event);
  void after(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (facts.flow == OpFlow::Memory)
      finishMemory(wave, op, facts);
  }

private:
  /// Joins the shadows of shared registers that \p op wrote in both halves of a wave of 64 lanes.
  void mirrorHalves(const Wave &wave, const MicroOp &op);
  /// The slow path of before(): reports bad uses of undefined bits, then computes the shadows of
  /// the results. Results of memory instructions follow in finishMemory().
  void check(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Reports each of the operation's uses (OpFacts::uses) that reads an undefined bit.
  void checkUses(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Reports at most one register of \p use. Only bits in its mask count and, of vector registers,
  /// only active lanes.
  void checkUse(Wave &wave, const MicroOp &op, const DefinedUse &use);
  bool isDecided(const Wave &wave, const DefinedUse &use) const;
  /// Reports a use of \p bits of the register in \p slot (a slot of RegisterSet). \p lane is -1 for
  /// a scalar register.
  void report(Wave &wave, const MicroOp &op, SanitizerRule rule, unsigned slot, uint64_t bits,
              int lane = -1);
  /// Reports UNDEF-EXEC when a bit of EXEC is undefined after \p op.
  void checkExec(Wave &wave, const MicroOp &op);

  /// The value and the undefined bits of source \p index in one lane, after the selection of halves
  /// and bytes. Registers beyond the wave's count read as defined zeros.
  MaybeBits readSource(const Wave &wave, const MicroOp &op, unsigned index, unsigned lane) const;
  /// The same for a source that is equal in all lanes, without the selection. Constants are
  /// defined.
  MaybeBits readUniformSource(const Wave &wave, const MicroOp &op, unsigned index) const;
  /// Whether the operation may read undefined bits in active lanes. May be true without such bits,
  /// for DPP and indexed registers.
  bool mayMatter(const Wave &wave, const OpFacts &facts) const;

  struct VectorResult;
  /// Computes the undefined bits of a VALU result in each active lane. Writes no shadow, so that
  /// both halves of a dual instruction read the shadows of earlier instructions.
  void computeVector(const Wave &wave, const MicroOp &op, FlowFunction flow,
                     VectorResult &result) const;
  /// Writes the shadows of a VALU operation's results: of a vector register, a lane mask, or a
  /// scalar.
  void commitVector(const Wave &wave, const MicroOp &op, const VectorResult &result);
  /// Shadows of a VALU operation, or of both operations of a dual one.
  void runVector(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Shadows of a SALU operation's destination and of SCC; checks EXEC when it is written.
  void runScalar(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Shadows of s_and_saveexec and its kind. EXEC is checked, and the destination and SCC become
  /// defined.
  void runExecMask(Wave &wave, const MicroOp &op);
  /// See runMove(). Needs a handler that copies bits and computes nothing.
  uint64_t moveShadows(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// Shadows of an operation that moves bits between lanes or registers: its handler runs on the
  /// shadows. Lanes with an undefined selector become undefined.
  void runMove(Wave &wave, const MicroOp &op, const OpFacts &facts);

  using BytePointers = llvm::SmallVector<uint8_t *, 16>;
  /// Forgets what the previous memory instruction loaded. \c m_bytes is cleared by the first
  /// undefined byte.
  void beginMemory() {
    m_lane = -1;
    m_loaded = false;
  }
  /// Writes the shadows of a memory instruction's destination, from the bytes that access() saw.
  void finishMemory(Wave &wave, const MicroOp &op, const OpFacts &facts);
  /// One pointer for each byte of \p event, or an empty list when a byte has no shadow.
  BytePointers findBytes(const Wave &wave, const MemoryEvent &event);
  /// Records the shadows of loaded bytes for finishMemory(). \p position counts bytes of what the
  /// lane loads; bytes from 64 on are dropped.
  void noteLoaded(unsigned lane, unsigned position, llvm::ArrayRef<uint8_t *> bytes);
  struct DataPlace {
    unsigned index; ///< Of the vector register.
    unsigned shift; ///< Of the byte in it, in bits.
  };
  /// Where byte \p position of a lane's stored data comes from.
  std::optional<DataPlace> findData(const MicroOp &op, unsigned position) const;
  uint8_t dataShadow(const MicroOp &op, unsigned lane, unsigned position) const;
  /// The shadow of one byte in memory after an atomic that treats bits apart.
  uint8_t atomicShadow(const Wave &wave, const MicroOp &op, unsigned lane, unsigned position,
                       uint8_t old) const;
  /// Whether a byte of the lane's data has an undefined bit; for a compare-and-swap, both operands
  /// count.
  bool anyDataUndefined(const MicroOp &op, unsigned lane) const;
  /// Whether the result of an atomic is the same for every old value in memory.
  bool dataDecides(const Wave &wave, const MicroOp &op, unsigned lane) const;
  /// Writes the shadows of stored bytes; an atomic joins them with the shadow of its old value.
  void noteStored(const Wave &wave, const MicroOp &op, const MemoryEvent &event,
                  llvm::ArrayRef<uint8_t *> bytes);
  /// Of what a store stores: of a vector of dwords, or of halves.
  struct Component {
    unsigned number, bytes;
  };
  /// Whether an undefined component of a stored vector is one that the shader never wrote, of \p
  /// count components.
  bool isGap(const Wave &wave, const MicroOp &op, unsigned lane, Component component,
             unsigned count) const;
  /// Reports the first undefined byte that a lane stores to memory that outlives the wave.
  void checkStored(Wave &wave, const MicroOp &op, const MemoryEvent &event);
  /// The shadow of one destination register, extended or merged with \p old as the load does with
  /// its data.
  uint32_t loadedDword(const MemoryAccess &access, unsigned lane, unsigned position,
                       uint32_t old) const;

  /// Of the registers of the wave.
  ShadowRegisters m_shadow;
  simt::ShadowBytes &m_lds;    ///< Of the workgroup.
  simt::ShadowBytes m_scratch; ///< Of all lanes of the wave; undefined at launch.
  uint64_t m_scratchBase;      ///< Address of the wave's scratch in bytes.
  /// Of the memory instruction that executes: bytes of a lane seen so far, and what was loaded.
  int m_lane = -1;
  unsigned m_position = 0;                               ///< Bytes of the lane's data seen so far.
  bool m_loaded = false;                                 ///< Undefined bytes were.
  std::array<std::array<uint8_t, 64>, MaxLanes> m_bytes; ///< Shadows of loaded bytes, by lane.
};

} // namespace assay::gcn
