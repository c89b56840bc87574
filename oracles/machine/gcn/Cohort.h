// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The unit of scheduling: the workgroups that are in flight together. Their waves have turns; when
// all are done, the next cohort runs.
#pragma once

#include "oracles/machine/gcn/Choices.h"
#include "oracles/machine/gcn/Launch.h"
#include "oracles/machine/gcn/Overlay.h"
#include "oracles/machine/gcn/RaceEvents.h"
#include "oracles/machine/gcn/RunContext.h"
#include <atomic>

namespace assay::gcn {

/// Memory for one cohort at a time: what is the dispatch's, and scratch for each workgroup.
class CohortMemory {
public:
  /// \p overlaid: writes stay in overlay() until they are committed.
  CohortMemory(Launch &launch, unsigned groups, bool overlaid);
  AddressSpace &ofGroup(unsigned place) { return m_spaces[place]; }
  Overlay &overlay() { return m_overlay; }
  /// As if nobody had used it.
  void reset();

private:
  AddressSpace &m_origin;
  std::vector<AddressSpace> m_spaces;
  Overlay m_overlay;
};

/// What came of one cohort.
struct CohortResult {
  Failure failure;
  std::vector<Finding> reports;
  uint64_t instructions = 0;
  std::vector<Choice> choices; ///< If they were to be kept.
  bool isOff = false;          ///< A replayed log was not of this run.
  bool wasStopped = false;     ///< By CohortTask::mayGoOn; the rest means nothing.
};

struct CohortTask {
  Launch &launch;
  const uint32_t *groupCounts; ///< Workgroups of the dispatch in x, y and z.
  RunContext &context;
  llvm::ArrayRef<uint64_t> groups; ///< Their numbers.
  uint64_t budget = 0;             ///< Instructions.
  Choices choices;
  RaceSink *races = nullptr;          ///< Null: races are not looked for.
  llvm::raw_ostream *trace = nullptr; ///< Null: there is none.
  /// Asked now and then, with the instructions so far; null: always.
  llvm::function_ref<bool(uint64_t instructions)> mayGoOn = nullptr;
};

CohortResult runCohort(CohortTask task, CohortMemory &memory);

} // namespace assay::gcn
