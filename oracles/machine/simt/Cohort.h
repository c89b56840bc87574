// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unit of scheduling: the workgroups that are in flight together. Their waves have turns; when
// all are done, the next cohort runs. A machine derives from CohortModel; runCohort() chooses the
// turns.
#pragma once

#include "oracles/machine/simt/Choices.h"
#include "oracles/machine/simt/Failure.h"
#include "oracles/machine/simt/Overlay.h"
#include "oracles/machine/simt/RaceEvents.h"
#include "oracles/machine/simt/RunContext.h"
#include "oracles/machine/simt/WaveStatus.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>

namespace assay::simt {

/// The half-open range of addresses of which each workgroup has its own memory: private memory.
struct PrivateRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Memory for one cohort at a time: the dispatch's, and private memory for each workgroup.
class CohortMemory {
public:
  /// For \p groups workgroups. \p overlaid: writes to the dispatch's memory stay in overlay() until
  /// they are committed. \p origin outlives this.
  CohortMemory(AddressSpace &origin, PrivateRange range, unsigned groups, bool overlaid);
  /// What workgroup number \p place of the cohort sees.
  AddressSpace &ofGroup(unsigned place) { return m_spaces[place]; }
  Overlay &overlay() { return m_overlay; }
  /// As if no cohort had used it.
  void reset();

private:
  AddressSpace &m_origin;
  std::vector<AddressSpace> m_spaces;
  Overlay m_overlay;
};

/// One cohort to run.
struct CohortTask {
  RunContext &context;
  unsigned dispatch = 0;               ///< From 1 on.
  std::array<uint32_t, 3> counts = {}; ///< Workgroups of the dispatch in x, y and z.
  llvm::ArrayRef<uint64_t> groups;     ///< The numbers of the cohort's workgroups.
  uint64_t budget = 0;                 ///< Instructions.
  Choices choices;                     ///< Also of what observers may choose.
  RaceSink *races = nullptr;           ///< Null: races are not looked for.
  llvm::raw_ostream *trace = nullptr;  ///< Null: there is none.
  /// Asked now and then, with the number of instructions so far; null: always true.
  llvm::function_ref<bool(uint64_t instructions)> mayContinue = nullptr;

  /// The id of workgroup number \p group, whose numbers go through x first.
  std::array<uint32_t, 3> idOf(uint64_t group) const;
};

/// The workgroups of one cohort on some machine. Waves are numbered from 0 on, those of the first
/// workgroup first.
class CohortModel {
public:
  virtual ~CohortModel();
  virtual unsigned waveCount() const = 0;
  /// A power of two.
  virtual unsigned laneCount() const = 0;
  /// What \p wave can do now. A wave that waited is Running again once what it waits for has
  /// happened.
  virtual WaveStatus poll(unsigned wave) = 0;
  /// Adds the waves that are Running to \p ready. By default it polls each of them.
  virtual void appendReady(llvm::SmallVectorImpl<unsigned> &ready);
  /// Lanes of \p wave that conflict in memory access it in the order of their numbers XORed with
  /// \p flip, which is below laneCount(). At the beginning that is 0.
  virtual void setLaneOrder(unsigned wave, unsigned flip) = 0;
  /// Executes at most \p limit instructions of \p wave, which is Running, until it stops. False: it
  /// has failed. Adds the number of executed instructions to \p executed.
  virtual bool run(unsigned wave, uint64_t limit, uint64_t &executed) = 0;
  /// No wave can run, and some are AtBarrier: records a failure.
  virtual void failStuck() = 0;
  /// The budget is spent before the next turn of \p wave: records a Timeout.
  virtual void failBudget(unsigned wave) = 0;
  /// All waves have ended or been stopped. Race observers send what they still hold, and that the
  /// workgroups have ended (RaceEventKind::Leave).
  virtual void end() = 0;
  /// The first recorded failure, or null.
  virtual const Failure *failure() const = 0;
  /// The findings of sanitizers; the run continued after them.
  virtual void appendReports(std::vector<Finding> &reports) const = 0;
};

/// The result of one cohort.
struct CohortResult {
  Failure failure;
  std::vector<Finding> reports;
  uint64_t instructions = 0;
  std::vector<Choice> choices; ///< If they were to be kept.
  bool isOff = false;          ///< A replayed log was not of this run.
  bool wasStopped = false;     ///< By CohortTask::mayContinue; the rest means nothing.
};

/// Runs the waves of \p model, which was made for \p task, to their end. Fixed choices give all
/// waves turns in one order, in rounds.
CohortResult runCohort(CohortTask &task, CohortModel &model);

} // namespace assay::simt
