// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data races of a run on IR.
#pragma once

#include "oracles/ir/ExecutionLog.h"
#include <optional>
#include <string>

namespace assay {

/// Rule of a run with a race.
constexpr llvm::StringLiteral irRaceRule = "RACE-IR";

/// Says of two accesses of one byte by different waves, of which one writes, that no barrier orders
/// them: the first of \p log, whatever the order in which they were run. Waves of different
/// workgroups have none. Nothing where there are no two, or where atomic operations may order what
/// barriers do not, or the log is cut. Of one wave nothing is said: its instructions have an order.
std::optional<std::string> findRace(const ir::ExecutionLog &log);

} // namespace assay
