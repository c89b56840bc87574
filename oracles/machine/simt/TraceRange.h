// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of a run TraceOptions ask for.
#pragma once

#include "oracles/api/Machine.h"

namespace assay::simt {

/// Whether \p options ask for wave \p wave of workgroup \p group of dispatch \p dispatch.
bool isTraced(const TraceOptions &options, unsigned dispatch, uint64_t group, unsigned wave);

/// Why waves of \p waveSize lanes cannot be traced as \p options ask; "" when they can.
std::string refuseTrace(const TraceOptions &options, unsigned waveSize);

/// What is wrong when a run with \p options wrote \p bytes of trace; "" when nothing is. An empty
/// trace is an error of the user who filtered it.
std::string explainTrace(const TraceOptions &options, uint64_t bytes);

} // namespace assay::simt
