// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/DumpMetadata.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "oracles/pal_elf/MetadataYaml.h"
#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

/// Prints the metadata of one ELF with the directives around them. Prints nothing when it returns
/// an error.
static Error dumpElf(ArrayRef<uint8_t> bytes, raw_ostream &os) {
  Artifact artifact(bytes.vec());
  Expected<const MsgValue &> root = viewMetadataTree(artifact);
  if (!root)
    return root.takeError();
  os << "\t.amdgpu_pal_metadata\n";
  printMetadataYaml(*root, os);
  os << "\t.end_amdgpu_pal_metadata\n";
  return Error::success();
}

/// Prints the members of an archive one after the other, each after its name.
Error assay::dumpMetadata(ArrayRef<uint8_t> bytes, raw_ostream &os) {
  if (!isArchive(bytes))
    return dumpElf(bytes, os);
  Expected<std::vector<ArchiveEntry>> entries = readArchive(bytes);
  if (!entries)
    return entries.takeError();
  for (const ArchiveEntry &entry : *entries) {
    os << "# " << entry.name << "\n";
    if (Error error = dumpElf(entry.bytes, os))
      return addContext(std::move(error), "member " + entry.name);
  }
  return Error::success();
}
