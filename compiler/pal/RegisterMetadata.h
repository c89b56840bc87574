// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata 2.6: values of hardware registers by dword offset, where 3.0 has named fields. Nothing
// else of the compiler knows this version: metadata are written as 3.0 and converted here.
#pragma once

#include "compiler/api/Target.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// Version 2.6 of the 3.0 metadata \p blob, which this module wrote. Its registers have the bits
/// that LLVM's back-end does not add by itself. InvalidInput when \p blob is no such metadata.
/// PAL's versions that read 2.x do not know GFX12: \p target must be older.
llvm::Expected<std::string> convertToRegisters(llvm::StringRef blob, const TargetInfo &target);

/// The same for the metadata of \p module.
llvm::Error useRegisterMetadata(llvm::Module &module, const TargetInfo &target);

} // namespace assay::pal
