// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PAL metadata as text.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

/// Writes the metadata of the ELF, or of each member of the archive, in \p bytes as LGC and LLVM's
/// assembler have it: `.amdgpu_pal_metadata`, YAML with hexadecimal numbers, and
/// `.end_amdgpu_pal_metadata`. InvalidInput for what has no metadata or broken ones.
llvm::Error dumpMetadata(llvm::ArrayRef<uint8_t> bytes, llvm::raw_ostream &os);

} // namespace assay
