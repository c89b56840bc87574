// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine "ir": runs what the compiler has made of a shader at any point of its middle-end, so
// that a wrong result can be traced to a pass. Artifacts are modules of LLVM IR as text.
#pragma once

#include "compiler/api/Target.h"
#include "oracles/api/Machine.h"
#include <memory>

namespace assay {

/// Before the entry point has its signature it is launched as the ops of the dialect describe it;
/// after that, by the PAL metadata in the module, with memory and registers as machine gcn has
/// them. oracles/ir runs each wave: undefined behaviour is a trap, what it does not know ends the
/// run as Unsupported. \p target must outlive it.
std::unique_ptr<Machine> createIrMachine(const TargetInfo &target);

} // namespace assay
