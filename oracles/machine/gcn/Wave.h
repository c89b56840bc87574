// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of one wave, and of the workgroup it belongs to.
#pragma once

#include "oracles/machine/gcn/Events.h"
#include "oracles/machine/gcn/Observer.h"
#include "oracles/machine/gcn/sanitizer/Visibility.h"
#include "oracles/machine/gcn_alu/Alu.h"
#include "oracles/machine/gcn_alu/Kernel.h"
#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/WaitRule.h"
#include "oracles/machine/simt/AddressSpace.h"
#include "oracles/machine/simt/Failure.h"
#include "oracles/machine/simt/WaveStatus.h"
#include <array>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace assay::gcn {

using simt::Access;
using simt::AddressSpace;
using simt::Failure;
using simt::WaveStatus;

constexpr unsigned MaxLanes = 64;
/// A register's lanes, in lines of the cache of their own: kernels go over them in wide vectors.
struct alignas(64) LaneArray : std::array<uint32_t, MaxLanes> {};

/// Memory has addresses of 48 bits. What stands above is theirs sign-extended, or does not count.
constexpr uint64_t AddressMask = 0xffff'ffff'ffff;
/// The high 32 bits of a flat address that mean LDS and scratch.
constexpr uint32_t SharedAperture = 0x10000;
constexpr uint32_t PrivateAperture = 0x20000;

/// "'s_nop 0' (pc 0x10)": how findings name an instruction that is not where they are.
std::string describeProducer(const Inst &inst);

/// A finding of a sanitizer, with what its finding needs beyond rule and instruction.
struct Violation {
  const char *rule;
  std::string text;               ///< What is wrong, without the place.
  std::string signature = {};     ///< After rule and mnemonic; no ids, addresses or counts.
  const Inst *producer = nullptr; ///< The instruction that caused it, where another one did.
  std::string subject = {};       ///< The register, counter or byte concerned: "v5", "vmcnt".
  std::string wait = {};          ///< What of waits is there, where that is what is wrong.
};

class Program;
class Sanitizer;
class ShadowLds;
struct ExportPlan;
struct MicroOp;

/// GFX12: a barrier of some of a workgroup's waves, those that joined it.
struct NamedBarrier {
  uint8_t memberCount = 0;
  uint8_t signalCount = 0;
  bool isValid = false;
  unsigned phase = 0; ///< Times that all members had signaled.
};
constexpr unsigned NamedBarrierCount = 32;

/// What the waves of one workgroup share.
struct Workgroup {
  const Program *program = nullptr;
  AddressSpace *memory = nullptr;
  std::vector<uint8_t> lds;
  uint32_t filledLds = 0;              ///< Bytes from 0 on that hold values from the beginning.
  uint64_t ringBegin = 0, ringEnd = 0; ///< Addresses of the attribute ring.
  Visibility visibility;
  uint32_t scratchBytesPerLane = 0;
  unsigned waveCount = 0;
  uint64_t index = 0; ///< In the dispatch, x first.
  std::array<uint32_t, 3> id{};
  unsigned barrierArrived = 0;
  unsigned barrierPhase = 0;
  std::array<NamedBarrier, NamedBarrierCount> namedBarriers{};
  unsigned orderedServed = 0;  ///< ds_ordered_count: waves that had their turn.
  bool sanitize = true;        ///< Waits are checked.
  bool survivesFaults = false; ///< RunOptions::survivesFaults.
  Failure failure;
  std::vector<Finding> reports; ///< Of sanitizers; one for each rule, instruction and producer.
  /// Of those in reports: rule, instruction, producer (or null), subject.
  std::set<std::tuple<std::string, const Inst *, const Inst *, std::string>> reported;
  std::vector<std::unique_ptr<GroupObserver>> observers;
  ExportPlan *exportPlan = nullptr; ///< One of the observers, of graphics (ExportRules.h).
  ShadowLds *shadowLds = nullptr;   ///< One of the observers: uninitialized bytes of LDS.
};

/// One wave. Handlers read and write it freely; what they may not do is go outside the registers
/// that the program was checked for (Program.h).
class Wave {
public:
  /// \p unwritten is what registers hold until they are written.
  Wave(Workgroup &group, unsigned waveSize, unsigned vgprCount, unsigned gfxMajor,
       uint32_t unwritten = 0x7fa0dead);

  uint64_t exec() const { return readMask(sreg::ExecLo); }
  void setExec(uint64_t value) { writeMask(sreg::ExecLo, value); }
  uint64_t vcc() const { return readMask(sreg::VccLo); }
  void setVcc(uint64_t value) { writeMask(sreg::VccLo, value); }
  /// A lane mask in scalar registers: one register in wave32, two in wave64.
  uint64_t readMask(unsigned index) const {
    return waveSize == 64 ? readScalar64(index) : s[index];
  }
  void writeMask(unsigned index, uint64_t value);
  /// NULL is a pair of its own, though EXEC is after it here.
  uint64_t readScalar64(unsigned index) const {
    return index == sreg::Null ? 0 : s[index] | uint64_t(s[index + 1]) << 32;
  }
  void writeScalar(unsigned index, uint32_t value) {
    if (index != sreg::Null)
      s[index] = value;
  }
  void writeScalar64(unsigned index, uint64_t value);
  void setMode(uint32_t bits);
  uint32_t getMode() const { return m_modeBits; }
  /// GFX9, s_set_gpr_idx: to which operands M0 is added, a bit per source, bit 3 for the
  /// destination.
  uint8_t gprIndexMode() const { return m_gprIndexMode; }
  void setGprIndexMode(uint8_t mode);
  /// Which kernels run in the present mode; Other also while M0 is added to register numbers.
  KernelMode kernelMode() const { return m_kernelMode; }
  uint64_t laneMask() const { return waveSize == 64 ? ~uint64_t(0) : 0xffffffffull; }

  /// Ends the run, unless it survives faults and \p rule is about an access: \p rule is the
  /// finding's, \p text says what is wrong at \p op, which has no effect from here on.
  void fail(OutcomeKind kind, llvm::StringRef rule, const MicroOp &op, const llvm::Twine &text);
  /// Reports what hardware may forgive; the run goes on. The same rule at the same instruction and
  /// producer is reported once a workgroup.
  void report(const MicroOp &op, const Violation &violation);
  /// True where report() would do nothing: who finds out more only for that need not.
  bool isReported(const MicroOp &op, const Violation &violation) const;
  /// Puts the wave to sleep before \p op, which runs again once \p isBlocked says no.
  void block(const MicroOp &op, bool (*isBlocked)(const Wave &));

  /// Ends the run as unsupported. \p what is short: "opcode v_foo on gfx1100".
  void failUnsupported(const llvm::Twine &what);

  // Hot state first.
  uint32_t next = 0; ///< Index of the next micro-op.
  WaveStatus status = WaveStatus::Running;
  bool scc = false;
  /// Lanes that conflict in memory do so in the order of their numbers XORed with this
  /// (LaneWalk.h).
  uint8_t laneFlip = 0;
  unsigned waveSize;
  unsigned gfxMajor;
  std::array<uint32_t, sreg::Count + 2> s{};
  AluMode mode;
  std::vector<LaneArray> v;
  WaitScoreboard scoreboard;
  uint64_t instructions = 0;
  uint32_t unwritten;    ///< What registers hold until they are written.
  uint32_t sequence = 1; ///< The number that the next counted event gets.
  Workgroup *group;
  unsigned number = 0;         ///< In the workgroup.
  uint64_t scratchBase = 0;    ///< Address of this wave's scratch.
  BarrierHistory barrierViews; ///< Of the last barriers.
  bool signaled = false;       ///< Barrier: arrived and not yet waited.
  unsigned waitPhase = 0;      ///< Barrier phase that lets this wave go on.
  /// What a wave AtBarrier waits for, if it is not the workgroup's barrier.
  bool (*isBlocked)(const Wave &) = nullptr;
  unsigned namedBarrier = 0; ///< The named barrier that the wave has joined; 0: none.
  unsigned namedPhase = 0;   ///< That barrier's phase when the wave joined or last waited.
  uint32_t blockKey = 0;     ///< For isBlocked: what the wave waits for.
  uint32_t scheduleMode = 0; ///< GFX11+: SCHED_MODE, which code may write and read.
  std::vector<ExportRecord> exports;
  std::vector<MessageRecord> messages;
  ObserverList observers;         ///< Asked in this order around each instruction.
  Sanitizer *sanitizer = nullptr; ///< One of the observers.

private:
  void chooseKernelMode();

  uint32_t m_modeBits = 0;
  uint8_t m_gprIndexMode = 0;
  KernelMode m_kernelMode = kernelModeOf(AluMode());
};

} // namespace assay::gcn
