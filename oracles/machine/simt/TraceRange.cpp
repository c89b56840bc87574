// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/TraceRange.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

bool simt::isTraced(const TraceOptions &options, unsigned dispatch, uint64_t group, unsigned wave) {
  return (!options.dispatch || *options.dispatch == dispatch) &&
         (!options.group || *options.group == group) && (!options.wave || *options.wave == wave);
}

std::string simt::refuseTrace(const TraceOptions &options, unsigned waveSize) {
  if (!options.lane || *options.lane < waveSize)
    return "";
  return "there is no lane " + utostr(*options.lane) + " to trace: waves have " + utostr(waveSize);
}

std::string simt::explainTrace(const TraceOptions &options, uint64_t bytes) {
  bool isFiltered = options.breakPc || options.group || options.wave || options.dispatch;
  if (bytes || !isFiltered)
    return "";
  std::string what;
  if (options.wave)
    what += " wave " + utostr(*options.wave);
  if (options.group)
    what += (what.empty() ? " workgroup " : " of workgroup ") + utostr(*options.group);
  if (options.dispatch)
    what += (what.empty() ? " dispatch " : " of dispatch ") + utostr(*options.dispatch);
  std::string where =
      options.breakPc ? " that comes to pc 0x" + utohexstr(*options.breakPc, true) : "";
  return "there is nothing to trace: no" + (what.empty() ? " wave" : what) + where;
}
