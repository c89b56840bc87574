// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows uninitialized values through a wave's registers, LDS and scratch, and reports where it
// decides something: UNDEF-*. Copies and arithmetic are no finding; global memory counts as
// defined, since a case gives it its contents.
#pragma once

#include "oracles/machine/gcn/OpFacts.h"
#include "oracles/machine/gcn/sanitizer/Shadow.h"
#include <optional>

namespace assay::gcn {

class Definedness {
public:
  /// \p lds is the workgroup's, and outlives this.
  Definedness(const Wave &wave, simt::ShadowBytes &lds);

  /// As WaveObserver. Inline is the common case: nothing undefined near.
  void before(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (facts.flow == OpFlow::Memory)
      beginMemory();
    if (facts.touched.intersects(m_shadow.flagged()) || facts.isDynamic || wave.gprIndexMode)
      check(wave, op, facts);
    if (op.whole)
      mirrorHalves(wave, op);
  }
  /// Whether before() does nothing with a quiet instruction (OpFacts).
  bool isDefined(const Wave &wave, const OpFacts &facts) const {
    return !facts.touched.intersects(m_shadow.flagged()) && !wave.gprIndexMode;
  }
  void access(Wave &wave, const MicroOp &op, const OpFacts &facts, const MemoryEvent &event);
  void after(Wave &wave, const MicroOp &op, const OpFacts &facts) {
    if (facts.flow == OpFlow::Memory)
      finishMemory(wave, op, facts);
  }

private:
  void mirrorHalves(const Wave &wave, const MicroOp &op);
  void check(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void checkUses(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void checkUse(Wave &wave, const MicroOp &op, const DefinedUse &use);
  bool isDecided(const Wave &wave, const DefinedUse &use) const;
  void report(Wave &wave, const MicroOp &op, SanitizerRule rule, unsigned slot, uint64_t bits,
              int lane = -1);
  void checkExec(Wave &wave, const MicroOp &op);

  MaybeBits readSource(const Wave &wave, const MicroOp &op, unsigned index, unsigned lane) const;
  MaybeBits readUniformSource(const Wave &wave, const MicroOp &op, unsigned index) const;
  bool mayMatter(const Wave &wave, const OpFacts &facts) const;

  struct VectorResult;
  void computeVector(const Wave &wave, const MicroOp &op, FlowFunction flow,
                     VectorResult &result) const;
  void commitVector(const Wave &wave, const MicroOp &op, const VectorResult &result);
  void runVector(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void runScalar(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void runExecMask(Wave &wave, const MicroOp &op);
  uint64_t moveShadows(Wave &wave, const MicroOp &op, const OpFacts &facts);
  void runMove(Wave &wave, const MicroOp &op, const OpFacts &facts);

  using BytePointers = llvm::SmallVector<uint8_t *, 16>;
  void beginMemory() {
    m_lane = -1;
    m_loaded = false;
  }
  void finishMemory(Wave &wave, const MicroOp &op, const OpFacts &facts);
  BytePointers findBytes(const Wave &wave, const MemoryEvent &event);
  void noteLoaded(unsigned lane, unsigned position, llvm::ArrayRef<uint8_t *> bytes);
  struct DataPlace {
    unsigned index; ///< Of the vector register.
    unsigned shift; ///< Of the byte in it, in bits.
  };
  std::optional<DataPlace> findData(const MicroOp &op, unsigned position) const;
  uint8_t dataShadow(const MicroOp &op, unsigned lane, unsigned position) const;
  uint8_t atomicShadow(const Wave &wave, const MicroOp &op, unsigned lane, unsigned position,
                       uint8_t old) const;
  bool anyDataUndefined(const MicroOp &op, unsigned lane) const;
  bool dataDecides(const Wave &wave, const MicroOp &op, unsigned lane) const;
  void noteStored(const Wave &wave, const MicroOp &op, const MemoryEvent &event,
                  llvm::ArrayRef<uint8_t *> bytes);
  /// Of what a store stores: of a vector of dwords, or of halves.
  struct Component {
    unsigned number, bytes;
  };
  bool isGap(const Wave &wave, const MicroOp &op, unsigned lane, Component component,
             unsigned count) const;
  void checkStored(Wave &wave, const MicroOp &op, const MemoryEvent &event);
  uint32_t loadedDword(const MemoryAccess &access, unsigned lane, unsigned position,
                       uint32_t old) const;

  ShadowRegisters m_shadow;
  simt::ShadowBytes &m_lds;
  simt::ShadowBytes m_scratch;
  uint64_t m_scratchBase;
  /// Of the memory instruction that executes: bytes of a lane seen so far, and what was loaded.
  int m_lane = -1;
  unsigned m_position = 0;
  bool m_loaded = false; ///< Undefined bytes were.
  std::array<std::array<uint8_t, 64>, MaxLanes> m_bytes;
};

} // namespace assay::gcn
