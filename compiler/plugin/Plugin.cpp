// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The project's passes for LLVM's own opt: opt -load-pass-plugin=AssayPasses.so -passes=lower-desc.
#include "compiler/driver/Passes.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

/// Called by opt when it loads the library. The name and the linkage are LLVM's.
extern "C" LLVM_ATTRIBUTE_WEAK ::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {.APIVersion = LLVM_PLUGIN_API_VERSION,
          .PluginName = "Assay",
          .PluginVersion = "0.1",
          .RegisterPassBuilderCallbacks = assay::registerPasses};
}
