// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The legacy metadata note NT_AMD_PAL_METADATA: pairs of register and value, and keys of its own
// for what no register holds. PAL no longer reads it, LLVM still writes it where a module has
// `!amdgpu.pal.metadata`.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace assay {

class ElfView;

/// What metadata without version say with `.registers` and `.hardware_stages`, from the first such
/// note of \p elf. Nothing when there is none, or it is no list of pairs. Strings in it live
/// forever.
std::optional<MsgValue> readLegacyNote(const ElfView &elf);

} // namespace assay
