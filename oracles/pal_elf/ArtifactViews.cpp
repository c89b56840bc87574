// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/ArtifactViews.h"

using namespace llvm;
using namespace assay;

/// Made once for each artifact; so are the other views.
Expected<const ElfView &> assay::viewElf(const Artifact &artifact) {
  return artifact.view<ElfView>(ElfView::read);
}

/// InvalidInput for ELFs without metadata note, and for malformed msgpack.
Expected<const MsgValue &> assay::viewMetadataTree(const Artifact &artifact) {
  return artifact.view<MsgValue>([&](ArrayRef<uint8_t>) -> Expected<MsgValue> {
    Expected<const ElfView &> elf = viewElf(artifact);
    if (!elf)
      return elf.takeError();
    Expected<ArrayRef<uint8_t>> note = findMetadataNote(*elf);
    if (!note)
      return note.takeError();
    return readMsgPack(*note);
  });
}

Expected<const PalMetadata &> assay::viewMetadata(const Artifact &artifact) {
  return artifact.view<PalMetadata>([&](ArrayRef<uint8_t>) -> Expected<PalMetadata> {
    Expected<const MsgValue &> tree = viewMetadataTree(artifact);
    if (!tree)
      return tree.takeError();
    return decodePalMetadata(*tree);
  });
}
