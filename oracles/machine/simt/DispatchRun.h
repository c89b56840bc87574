// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the workgroups of one dispatch, cohort after cohort; or several cohorts at the same time on
// threads, with the same results. A machine derives from DispatchModel.
#pragma once

#include "oracles/machine/simt/Cohort.h"
#include "oracles/machine/simt/RaceDetector.h"

namespace assay::simt {

/// One dispatch on some machine.
class DispatchModel {
public:
  virtual ~DispatchModel();
  virtual unsigned wavesPerGroup() const = 0;
  /// All that is mapped for the dispatch. Waves reach whatever they share through the AddressSpace
  /// of their CohortMemory, or results would depend on threads.
  virtual AddressSpace &memory() = 0;
  virtual PrivateRange privateRange() const = 0;
  virtual RaceOptions raceOptions() const = 0;
  /// The workgroups of \p task, ready to run on \p memory; both outlive it. Called by several
  /// threads at the same time.
  virtual std::unique_ptr<CohortModel> createCohort(CohortTask &task, CohortMemory &memory) = 0;
};

/// The result of a dispatch.
struct DispatchResult {
  Failure failure;              ///< Completed: all waves ended as they should.
  std::vector<Finding> reports; ///< Of sanitizers; the run continued.
  uint64_t instructions = 0;    ///< Wave instructions executed.
};

/// Schedule seed 0 runs workgroups one after the other and waves in rounds, all in ascending order;
/// other seeds choose. The log of \p context gets the choices, or makes them. Results do not depend
/// on RunOptions::threads.
DispatchResult runDispatch(DispatchModel &model, const uint32_t groups[3], RunContext &context);

} // namespace assay::simt
