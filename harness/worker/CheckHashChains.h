// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a HashChains job does: pairs of pipelines to the oracle of hash chains.
#pragma once

#include "harness/run/Job.h"
#include "oracles/api/Case.h"

namespace assay {

class Compiler;

/// Sets state, reason, findings and statistics of \p verdict. Fail: a law is broken.
void checkHashChains(const Job &job, const Case &input, Compiler &compiler, Verdict &verdict);

} // namespace assay
