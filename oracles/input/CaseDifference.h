// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two texts say the same case: for the judges of readers and writers.
#pragma once

#include "oracles/api/Case.h"
#include <string>

namespace assay {

/// What a machine or a judge could see of \p a that \p b has not; empty: nothing. Names, line
/// numbers, and how the values of an EXPECT are spread over lines do not count. Of SPIR-V it looks
/// at the version and at each instruction's opcode and length, not at operands: ids may have other
/// numbers.
std::string describeDifference(const Case &a, const Case &b);

} // namespace assay
