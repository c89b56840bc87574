// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "gcn": runs the machine code in PAL ELFs on a model of an AMD GPU.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/api/Machine.h"
#include <memory>

namespace assay {

/// A machine for \p target, which must outlive it. Run it in a worker process: LLVM's decoder,
/// which it uses, does not survive all bytes.
std::unique_ptr<Machine> createGcnMachine(const TargetInfo &target);

} // namespace assay
