// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata 3.0 of pixel shaders without LLVM's part in them. LLVM 22 keeps a reference to the
// graphics registers of a pixel shader beyond the module (AMDGPUPALMetadata::reset forgets neither
// GraphicsRegisters nor Version), so a code generator can't be used again after one with metadata
// 3.0. With metadata 2.x it writes values of registers, which are turned into fields here. Such a
// code generator must not see another version.
#pragma once

#include "compiler/api/Target.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace assay::pal {

/// Calls the metadata 3.0 of \p module, which has one pixel shader alone or is a part in
/// version 2.6 (CombineParts.h), version 2.6. InvalidInput where it has no such metadata.
llvm::Error hideVersion(llvm::Module &module);

/// \p elf, which LLVM made of such a module for \p target, with the metadata that LLVM would have
/// written for version 3.0. The result has the bytes of an ELF that LLVM made so. InvalidInput
/// where the ELF or its metadata are not LLVM's.
llvm::Expected<std::vector<uint8_t>> restoreVersion(llvm::ArrayRef<uint8_t> elf,
                                                    const TargetInfo &target);

} // namespace assay::pal
