// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact as an ELF of PAL: each view is read once for all oracles and machines that look at
// it.
#pragma once

#include "oracles/api/Artifact.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/MsgPack.h"

namespace assay {

/// The ELF. InvalidInput as for ElfView::read.
llvm::Expected<const ElfView &> viewElf(const Artifact &artifact);
/// The MessagePack tree of its metadata note. InvalidInput where there is none, or it is broken.
llvm::Expected<const MsgValue &> viewMetadataTree(const Artifact &artifact);
/// The typed metadata. InvalidInput as for decodePalMetadata.
llvm::Expected<const PalMetadata &> viewMetadata(const Artifact &artifact);

} // namespace assay
