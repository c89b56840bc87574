// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/StageMetadata.h"

#include "fuzz/elf/MetadataMutation.h"
#include "fuzz/elf/NoteParts.h"
#include "oracles/pal_elf/ElfView.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// The value of \p key in \p map, or null.
static MsgValue *findValue(MsgValue *map, StringRef key) {
  return map ? const_cast<MsgValue *>(map->find(key)) : nullptr;
}

static MsgValue *findStage(MsgValue &root) {
  MsgValue *pipelines = findValue(&root, "amdpal.pipelines");
  if (!pipelines || pipelines->items.empty())
    return nullptr;
  return findValue(findValue(&pipelines->items.front(), ".hardware_stages"), ".cs");
}

std::optional<Bytes> changeStage(ArrayRef<uint8_t> elf, StringRef key,
                                 function_ref<bool(MsgValue &)> change) {
  std::optional<ElfParts> parts = tryReadParts(elf);
  SectionPart *section = parts ? parts->find(elf::ShtNote) : nullptr;
  if (!section)
    return std::nullopt;
  std::vector<NotePart> notes = readNoteParts(section->contents);
  auto note =
      find_if(notes, [](const NotePart &each) { return each.type == elf::NoteAmdgpuMetadata; });
  if (note == notes.end())
    return std::nullopt;
  Expected<MsgValue> root = readMsgPack(note->contents);
  if (!root) {
    consumeError(root.takeError()); // Somebody has broken it.
    return std::nullopt;
  }
  MsgValue *value = findValue(findStage(*root), key);
  if (!value || !change(*value))
    return std::nullopt;
  note->contents = writeMsgPack(*root);
  section->contents = writeNoteParts(notes);
  return writeParts(*parts);
}

} // namespace assay::fuzz
