// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy of a module with its fat pointers lowered: by the project's pass, by LLVM's, or by
// anybody's program.
#pragma once

#include "harness/run/FatPointerJobs.h"
#include "harness/worker/Steps.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace assay {

/// The data layout of the target where \p module has none. InvalidInput where it has one in which a
/// fat pointer is not what the target says.
llvm::Error completeModule(llvm::Module &module);

/// What \p lowering (own, LLVM's or a command) makes of a copy of \p before, which is complete. The
/// copy lives in the same context. A lowering that refuses is a Stop: unsupported; one of LLVM's
/// fatal errors ends the process. The result may break LLVM's rules.
std::optional<Stop> lowerFatPointers(const Job &job, FatLowering lowering,
                                     const llvm::Module &before,
                                     std::unique_ptr<llvm::Module> &after);

/// The module in the file \p path, text or bitcode. InvalidInput if it can't be read or breaks
/// LLVM's rules.
llvm::Expected<std::unique_ptr<llvm::Module>> readModule(llvm::StringRef path,
                                                         llvm::LLVMContext &context);

} // namespace assay
