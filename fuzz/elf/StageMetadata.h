// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of the PAL metadata in a whole ELF.
#pragma once

#include "fuzz/elf/ElfParts.h"
#include "oracles/pal_elf/MsgPack.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace assay::fuzz {

/// \p elf with what \p change makes of the value of \p key in `.hardware_stages` `.cs` of its first
/// pipeline; nothing when that is not there, or \p change says no.
std::optional<Bytes> changeStage(llvm::ArrayRef<uint8_t> elf, llvm::StringRef key,
                                 llvm::function_ref<bool(MsgValue &)> change);

/// The same for the value at \p path, keys of nested maps in the first pipeline. A last key that is
/// not there has the value Nil, and is added when \p change says yes.
std::optional<Bytes> changeMetadata(llvm::ArrayRef<uint8_t> elf,
                                    llvm::ArrayRef<llvm::StringRef> path,
                                    llvm::function_ref<bool(MsgValue &)> change);

} // namespace assay::fuzz
