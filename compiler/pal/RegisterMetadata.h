// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata 2.6: values of hardware registers by dword offset, where 3.0 has named fields. Nothing
// else of the compiler knows this version: metadata are written as 3.0 and converted here.
#pragma once

#include "compiler/api/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// Version 2.6 of the 3.0 metadata \p blob, which this module wrote. Its registers have the bits
/// that LLVM's back-end does not add by itself, and those that \p blob has in '.registers'.
/// InvalidInput when \p blob is no such metadata.
/// PAL's versions that read 2.x do not know GFX12: \p target must be older.
llvm::Expected<std::string> convertToRegisters(llvm::StringRef blob, const TargetInfo &target);

/// The same for the metadata of \p module. Metadata that say 2.6 already are those of a part, which
/// keeps its fields until the parts are joined (CombineParts.h); they stay as they are.
llvm::Error useRegisterMetadata(llvm::Module &module, const TargetInfo &target);

/// \p elf with metadata in version 2.6: a part whose version is hidden (CombineParts.h), or several
/// of them joined. InvalidInput where it can't be read.
llvm::Expected<std::vector<uint8_t>> useRegisterMetadata(llvm::ArrayRef<uint8_t> elf,
                                                         const TargetInfo &target);

} // namespace assay::pal
