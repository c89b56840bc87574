// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the project's passes, for textual pipelines and for the opt plugin.
#pragma once

namespace llvm {
class PassBuilder;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace assay {

/// Makes all passes of Passes.def known to \p builder, and the pipelines middle-end-o0 and
/// middle-end-o2, which are the whole middle-end. \p builder must outlive their parsing.
void registerPasses(llvm::PassBuilder &builder);

/// Makes the names of Passes.def known to \p callbacks, which know those of LLVM's passes.
void namePasses(llvm::PassInstrumentationCallbacks &callbacks);

} // namespace assay
