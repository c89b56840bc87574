// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wave of fibers: registers, masks, and where each fiber is.
//
// Divergence is a model (docs/ir3-machine.md, "Divergence"): fibers that are at the same place form
// a group; the group that is least far in the code runs; groups at the same place become one at an
// instruction with (jp).
#pragma once

#include "oracles/machine/adreno/Program.h"
#include "oracles/machine/adreno/Rows.h"
#include "oracles/machine/simt/AddressSpace.h"
#include "oracles/machine/simt/MemoryEvent.h"
#include "oracles/machine/simt/WaveStatus.h"
#include "oracles/turnip/TurnipShader.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>

namespace assay::adreno {

class Wave;

/// Hears of the accesses of a wave to memory that others share. At the time of a call, the wave is
/// at the instruction that accesses.
class MemoryListener {
public:
  virtual ~MemoryListener() = default;
  virtual void access(const Wave &wave, const simt::MemoryEvent &event) = 0;
};

/// What a wave shares with others. The owner keeps all of it.
struct WaveEnvironment {
  const Arithmetic *arithmetic = nullptr;
  simt::AddressSpace *memory = nullptr;         ///< Global memory.
  llvm::MutableArrayRef<uint8_t> local;         ///< Of the workgroup.
  llvm::MutableArrayRef<uint8_t> privateMemory; ///< Of all lanes of the wave, lane after lane.
  uint32_t privateBytes = 0;                    ///< Of one lane.
  llvm::ArrayRef<uint64_t> bindlessBases;       ///< Addresses of descriptors, by base; 0: none.
  llvm::ArrayRef<uint32_t> descriptorBytes;     ///< The size of one, by base.
  llvm::ArrayRef<uint32_t> sharedImmediates;    ///< What stsc copies from (a7xx).
  /// Dwords of uniform buffers that are not bindless, by slot.
  llvm::ArrayRef<std::vector<uint32_t>> uniformSlots;
  llvm::ArrayRef<turnip::BufferSlot> slots; ///< Of a4xx.
  uint64_t borderColors = 0;                ///< The address of the table of border colors.
  MemoryListener *listener = nullptr;       ///< Null: accesses are not reported.
};

/// The state of one wave.
class Wave {
public:
  /// Of \p lanes lanes the first \p used have a fiber, and begin at instruction \p entry. Registers
  /// hold \p uninitialized until something is written.
  Wave(const Program &program, const WaveEnvironment &environment, unsigned lanes, unsigned used,
       uint32_t entry, uint32_t uninitialized);

  /// What runs; it outlives the wave, as the environment does.
  const Program &program() const { return *m_program; }
  const WaveEnvironment &environment() const { return *m_environment; }
  const Arithmetic &arithmetic() const { return *m_environment->arithmetic; }
  /// Lanes with and without a fiber.
  unsigned lanes() const { return m_lanes; }
  /// hr2k and hr2k+1 are the halves of rk.
  bool hasMergedRegisters() const { return m_merged; }
  const RowHelpers &rows() const { return *m_rows; }
  /// Lanes access memory in the order of their numbers XORed with this.
  unsigned laneFlip = 0;

  /// \name Registers. Numbers are those of fields.
  /// @{
  uint32_t read(unsigned lane, unsigned number, bool half) const;
  /// Writes any register, also a0.x, a1.x and p0; nothing happens for r63.x.
  void write(unsigned lane, unsigned number, bool half, uint32_t value);
  /// All lanes of full register \p number, which is below reg::Shared.
  const uint32_t *row(unsigned number) const { return m_full[number * m_units].data(); }
  uint32_t *row(unsigned number) { return m_full[number * m_units].data(); }
  std::vector<uint32_t> constants; ///< The const file; a copy of its own, which preambles fill.
  std::array<LaneMask, 4> predicates{};    ///< p0.x to p0.w.
  std::array<int16_t, MaxLanes> address{}; ///< a0.x.
  uint16_t address1 = 0;                   ///< a1.x.
  /// Of a7xx: what the next texture instruction reads in the place of a register (Mesa,
  /// ir3-cat7.xml, alias).
  struct Alias {
    uint16_t number = 0;
    bool half = false;
    Operand source;
  };
  std::vector<Alias> aliases;
  /// @}

  /// \name Where fibers are.
  /// @{
  /// predt, predf, prede.
  enum class Predication : uint8_t { None, WhereTrue, WhereFalse };
  simt::WaveStatus status = simt::WaveStatus::Running;
  uint32_t pc() const { return m_groups[m_current].pc; }
  /// The lanes that an instruction works on.
  LaneMask active() const { return m_predication == Predication::None ? here() : predicated(); }
  /// Those that are at this place, whatever predication says.
  LaneMask here() const { return m_groups[m_current].lanes; }
  /// All lanes work on this instruction.
  bool isWhole() const { return !isPredicated() && here() == m_all; }
  /// Between predt and prede.
  bool isPredicated() const { return m_predication != Predication::None; }
  /// Lanes that wait elsewhere.
  LaneMask elsewhere() const;
  /// How many places there are.
  size_t places() const { return m_groups.size(); }
  /// Places but this one where lanes wait.
  size_t waitingPlaces() const;
  /// The lanes here go on at \p pc,
  void goTo(uint32_t pc) { m_groups[m_current].pc = pc; }
  /// or at the next instruction.
  void advance() { ++m_groups[m_current].pc; }
  /// \p taken of the lanes here go to \p target, the others to the next instruction.
  void split(LaneMask taken, uint32_t target);
  /// The lanes here have ended; without others the wave is done.
  void endLanes();
  /// Calls \p action as if all lanes of \p lanes, and no others, were at \p pc.
  void visit(uint32_t pc, LaneMask lanes, llvm::function_ref<void()> action);
  /// From now on active() leaves out lanes by p0.x of now.
  void predicate(Predication mode);
  void endPredication() { m_predication = Predication::None; }
  /// @}

  /// Ends the wave: what is wrong.
  void fail(const llvm::Twine &reason, bool isUnsupported = false);
  const std::string &failure() const { return m_failure; }
  bool isUnsupported() const { return m_isUnsupported; }

  /// The next instruction; null: the wave has failed, its place is outside the code.
  const Op *fetch() {
    uint32_t next = pc();
    return m_groups.size() == 1 && next < m_opCount ? m_ops + next : fetchSlowly();
  }
  /// Executes \p op, which fetch() gave.
  void execute(const Op &op) {
    if (op.handler)
      op.handler(*this, op);
    else
      failUnknown();
  }
  /// Fetches an instruction and executes it, unless there is none.
  void step() {
    if (const Op *op = fetch())
      execute(*op);
  }

private:
  /// Lanes at one place.
  struct Group {
    uint32_t pc;
    LaneMask lanes;
  };

  uint32_t &wordAt(unsigned number, unsigned lane) {
    return m_full[number * m_units + lane / LaneUnit][lane % LaneUnit];
  }
  uint32_t wordAt(unsigned number, unsigned lane) const {
    return m_full[number * m_units + lane / LaneUnit][lane % LaneUnit];
  }
  /// fetch() where several groups may run, or none.
  const Op *fetchSlowly();
  /// fail() for an instruction without semantics.
  void failUnknown();
  /// The lanes here that predication leaves.
  LaneMask predicated() const;
  /// The group that runs next.
  void choose();
  /// Groups at this place become one.
  void join();

  const Program *m_program;
  const WaveEnvironment *m_environment;
  const Op *m_ops; ///< Those of the program.
  size_t m_opCount;
  unsigned m_lanes;
  size_t m_units; ///< Of LaneUnit lanes.
  LaneMask m_all; ///< So many lanes.
  bool m_merged;
  const RowHelpers *m_rows;
  std::vector<UnitWords> m_full;  ///< [number * units + lane / LaneUnit]
  std::vector<uint32_t> m_halves; ///< Where the files are apart.
  std::array<uint32_t, reg::SharedEnd - reg::Shared> m_shared{};
  std::vector<Group> m_groups;
  size_t m_current = 0;
  Predication m_predication = Predication::None;
  LaneMask m_predicate = 0;
  std::string m_failure;
  bool m_isUnsupported = false;
};

} // namespace assay::adreno
