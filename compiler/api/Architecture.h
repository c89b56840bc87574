// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The targets of an architecture that are used when none is named.
#pragma once

#include "compiler/api/Target.h"
#include <optional>

namespace assay {

/// All of them.
llvm::ArrayRef<Architecture> architectures();
/// The architecture of \p target, whether Assay can compile for it or not. Nothing for a name that
/// is not known.
std::optional<Architecture> findArchitecture(llvm::StringRef target);

/// Whether Assay compiles for \p target.
bool canCompileFor(const TargetInfo &target);

/// The targets that are used when none is named: a few generations that differ.
llvm::ArrayRef<llvm::StringLiteral> defaultTargets(Architecture architecture);
/// The target of a command that takes one and was given none.
llvm::StringLiteral defaultTarget(Architecture architecture);

} // namespace assay
