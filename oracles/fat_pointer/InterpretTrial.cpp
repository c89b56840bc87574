// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A trial on the interpreter, and whether it has one meaning.
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/fat_pointer/TrialNeeds.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using ir::RunState;

/// Alone, from the same start, lanes touch what they touch together unless one reads what another
/// writes; and whoever touches nothing that another writes does the same in any order.
static bool haveRace(Function &function, const Trial &trial, const MeaningOptions &options) {
  if (trial.arguments.size() == 1 || findTrialNeeds(function).looksAcrossLanes)
    return false;
  std::vector<uint8_t> touched;
  for (const std::vector<ir::Value> &arguments : trial.arguments) {
    ir::Memory own = trial.memory;
    own.wantsFootprint = true;
    ir::run(function, {arguments}, own, options.limits);
    touched.resize(own.footprint.size());
    for (auto [flags, all] : zip_equal(own.footprint, touched)) {
      if ((flags & ir::WriteTouch && all) || (flags && all & ir::WriteTouch))
        return true;
      all |= flags;
    }
  }
  return false;
}

TrialMeaning assay::interpretTrial(Function &function, const Trial &trial,
                                   const MeaningOptions &options) {
  TrialMeaning meaning;
  meaning.memory = trial.memory;
  meaning.result = ir::run(function, trial.arguments, meaning.memory, options.limits);
  bool isReturned = meaning.result.state == RunState::Returned;
  if (!isReturned && meaning.result.state != RunState::Trapped)
    meaning.open = ir::toString(meaning.result.state).str() + ": " + meaning.result.reason;
  else if (isReturned && haveRace(function, trial, options))
    meaning.open = "lanes touch what others write";
  else if (meaning.result.frozePoison)
    meaning.open = freezesPoison;
  return meaning;
}
