// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which machine the options of `assay run` are for: it follows from them where it is not named, and
// what it would not look at is refused, not lost without a word.
#pragma once

#include "harness/cli/Cli.h"

namespace assay {

/// The machine that \p verb, whose options were read, is about: \p named by --machine or, where
/// that is empty, gcn when an option asks for it, else spirv. InvalidInput for a machine that there
/// is not, and for an option, or a command after `--`, that is for others.
llvm::Expected<std::string> chooseMachine(const CLI::App &verb, const std::string &named,
                                          const Invocation &invocation);

} // namespace assay
