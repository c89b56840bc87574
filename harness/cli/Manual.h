// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verb manual.
#pragma once

// NOLINTNEXTLINE(readability-identifier-naming): CLI11's own name.
namespace CLI {
class App;
} // namespace CLI

namespace assay {

struct Invocation;

/// Adds the verb that prints the manual page and the completion for bash, as AddVerb. It describes
/// all verbs of \p app at the time it runs.
void addManual(CLI::App &app, Invocation &invocation);

} // namespace assay
