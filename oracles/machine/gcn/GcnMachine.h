// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "gcn": runs the machine code in PAL ELFs on a model of an AMD GPU.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/api/Machine.h"
#include "oracles/machine/gcn/DrawModel.h"
#include <memory>

namespace assay {

/// A machine for \p target, which must outlive it. Run it in a worker process: LLVM's decoder,
/// which it uses, does not survive all bytes. \p loadDraws: how graphics pipelines are run; null:
/// cases with draws are unsupported.
std::unique_ptr<Machine> createGcnMachine(const TargetInfo &target,
                                          gcn::LoadDraws loadDraws = nullptr);

} // namespace assay
