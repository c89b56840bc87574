// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/sanitizer/HazardTrackers.h"

#include "oracles/machine/gcn/Program.h"
#include "oracles/machine/gcn/sanitizer/Hazards.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

HazardTracker::~HazardTracker() = default;

namespace {

/// DS, a branch, VMEM or the reverse, without s_waitcnt_vscnt null, 0 (LLVM and ACO,
/// LdsBranchVmemWARHazard). Cache controls of this generation are VMEM here (LLVM,
/// GCNHazardRecognizer::fixLdsBranchVmemWARHazard, SIInstrInfo::isVMEM).
class LdsBranchVmem final : public HazardTracker {
public:
  explicit LdsBranchVmem(uint32_t bit) : HazardTracker(bit) {}

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override {
    bool isVmem = facts.is(ClassVmem | ClassCacheControl) && !facts.is(ClassFlat);
    if (isVmem || facts.is(ClassLds)) {
      if (const MicroOp *before = isVmem ? m_ldsThenBranch : m_vmemThenBranch)
        reportHazard(wave, op, SanitizerRule::HazLdsBranchVmem, before->inst, std::nullopt);
      m_vmemThenBranch = m_ldsThenBranch = nullptr;
      m_vmem = isVmem ? &op : nullptr;
      m_lds = isVmem ? nullptr : &op;
    } else if (facts.is(ClassBranch)) {
      m_vmemThenBranch = m_vmem ? m_vmem : m_vmemThenBranch;
      m_ldsThenBranch = m_lds ? m_lds : m_ldsThenBranch;
      m_vmem = m_lds = nullptr;
    } else if (op.limits.max[unsigned(WaitCounter::Store)] == 0) {
      m_vmem = m_lds = m_vmemThenBranch = m_ldsThenBranch = nullptr;
    }
  }

private:
  const MicroOp *m_vmem = nullptr; ///< Last VMEM without a branch after it, or null.
  const MicroOp *m_lds = nullptr;  ///< The same of LDS.
  const MicroOp *m_vmemThenBranch = nullptr;
  const MicroOp *m_ldsThenBranch = nullptr;
};

/// NSA instructions in a clause (LLVM, NSAClauseBug).
class NsaClause final : public HazardTracker {
public:
  explicit NsaClause(uint32_t bit) : HazardTracker(bit) {}

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override {
    if (op.inst->mnemonic == "s_clause") {
      m_left = (op.simm16 & 63) + 1;
      return;
    }
    if (m_left && facts.is(ClassNsa))
      reportHazard(wave, op, SanitizerRule::HazNsaClause, nullptr, std::nullopt);
    m_left -= m_left != 0;
  }

private:
  unsigned m_left = 0; ///< Instructions of the clause to come.
};

/// Single instructions that the chip does not do right: Offset3fBug, FlatSegmentOffsetBug.
class ForbiddenForms final : public HazardTracker {
public:
  explicit ForbiddenForms(uint32_t bit) : HazardTracker(bit) {}

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override {
    bool isFlat = facts.is(ClassFlat);
    reportHazard(wave, op, isFlat ? SanitizerRule::HazFlatOffset : SanitizerRule::HazOffset3f,
                 nullptr, std::nullopt);
  }

  /// Whether \p op has such a form: a direct branch with an offset of 0x3f dwords, or FLAT with an
  /// offset.
  static bool concerns(const MicroOp &op, const OpFacts &facts) {
    constexpr uint16_t BadDistance = 0x3f;
    bool isDirect = facts.is(ClassBranch) && op.target != NoTarget;
    return (isDirect && op.simm16 == BadDistance) || (facts.is(ClassFlat) && op.inst->mods.offset);
  }
};

/// s_sendmsg(MSG_DEALLOC_VGPRS) straight after what is no s_nop (ACO; LLVM puts one there, too).
class Dealloc final : public HazardTracker {
public:
  explicit Dealloc(uint32_t bit) : HazardTracker(bit) {}

  void step(Wave &wave, const MicroOp &op, const OpFacts &facts) override {
    if (isDealloc(op) && !m_afterNop)
      reportHazard(wave, op, SanitizerRule::HazDealloc, nullptr, std::nullopt);
    m_afterNop = facts.is(ClassSnop);
  }

  /// The message is in bits 7:0 of the constant.
  static bool isDealloc(const MicroOp &op) {
    constexpr uint16_t DeallocVgprs = 3;
    return op.inst->mnemonic == "s_sendmsg" && (op.simm16 & 0xff) == DeallocVgprs;
  }

private:
  bool m_afterNop = false;
};

using Watches = bool (*)(const MicroOp &op, const OpFacts &facts);
using Maker = std::unique_ptr<HazardTracker> (*)(uint32_t bit, const Program &program);

/// Maker of a tracker that needs no program.
template <class Tracker> std::unique_ptr<HazardTracker> makeSimple(uint32_t bit, const Program &) {
  return std::make_unique<Tracker>(bit);
}

/// A tracker is there when \p needs holds for some instruction of the program; then it sees those
/// that \p watches holds for.
struct TrackerRow {
  ChipNumber firstChip;
  ChipNumber lastChip;
  unsigned waveSize; ///< 0: both.
  Watches needs;
  Watches watches;
  Maker make;
};

bool watchesAll(const MicroOp &, const OpFacts &) {
  return true;
}
bool isNsa(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassNsa);
}
bool isVmem(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassVmem);
}
bool isMemoryBranchOrWait(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassVmem | ClassCacheControl | ClassLds | ClassBranch | ClassCounterWait);
}
bool isDealloc(const MicroOp &op, const OpFacts &) {
  return Dealloc::isDealloc(op);
}
bool writesExecByScalar(const OpFacts &facts) {
  return facts.is(ClassSalu) && facts.writes.hasScalar(sreg::ExecLo);
}
bool isTransOrLdsDirect(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassTrans | ClassLdsDirect);
}
bool isLdsDirect(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassLdsDirect);
}
/// What a ValuHistory of waves of 64 lanes reports on.
bool isForWave64(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassLdsDirect | ClassTrans) || writesExecByScalar(facts);
}
/// What a ValuHistory has to see.
bool isForHistory(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassValu | ClassVmem | ClassLds | ClassLdsDirect | ClassExport) ||
         writesExecByScalar(facts) || facts.resolves & ByVaVdst;
}
bool isMaskReader(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassMaskReader);
}
bool isValu(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassValu);
}
bool isAluOrMemory(const MicroOp &, const OpFacts &facts) {
  return facts.is(ClassSalu | ClassValu | ClassSmem | ClassVmem | ClassLds | ClassExport);
}

/// ds_nop is of no memory.
bool isAluMemoryOrNop(const MicroOp &op, const OpFacts &facts) {
  return isAluOrMemory(op, facts) || facts.is(ClassCacheControl);
}

constexpr TrackerRow TrackerRows[] = {
    {101, 101, 0, isVmem, isMemoryBranchOrWait, makeSimple<LdsBranchVmem>},
    {101, 101, 0, isNsa, watchesAll, makeSimple<NsaClause>},
    {101, 101, 0, ForbiddenForms::concerns, ForbiddenForms::concerns, makeSimple<ForbiddenForms>},
    {110, 120, 0, isDealloc, watchesAll, makeSimple<Dealloc>},
    {110, 110, 32, isTransOrLdsDirect, isForHistory, makeValuHistory},
    {110, 115, 64, isForWave64, isForHistory, makeValuHistory},
    {115, 115, 32, isLdsDirect, isForHistory, makeValuHistory},
    {120, 120, 0, isLdsDirect, isForHistory, makeValuHistory},
    {110, 115, 64, isMaskReader, isAluOrMemory, makeMaskWrites},
    {120, 120, 0, isValu, isAluMemoryOrNop, makeReadSgprs},
};

} // namespace

void gcn::markTrackers(MutableArrayRef<OpFacts> facts, ArrayRef<MicroOp> ops,
                       const ProgramOptions &options, unsigned chip) {
  for (auto [index, row] : enumerate(TrackerRows)) {
    if (chip < row.firstChip || chip > row.lastChip ||
        (row.waveSize && row.waveSize != options.waveSize))
      continue;
    bool isNeeded = any_of(zip(facts, ops), [&](const auto &each) {
      return row.needs(std::get<1>(each), std::get<0>(each));
    });
    if (!isNeeded)
      continue;
    for (auto [fact, op] : zip(facts, ops))
      if (row.watches(op, fact))
        fact.watchers |= 1u << index;
  }
}

std::vector<std::unique_ptr<HazardTracker>> gcn::makeTrackers(const Program &program) {
  uint32_t watched = 0;
  for (const OpFacts &facts : program.facts())
    watched |= facts.watchers;
  std::vector<std::unique_ptr<HazardTracker>> trackers;
  for (auto [index, row] : enumerate(TrackerRows))
    if (watched >> index & 1)
      trackers.push_back(row.make(1u << index, program));
  return trackers;
}
