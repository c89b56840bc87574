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

/// Does \p change to the value at \p path of the first pipeline of \p root; false where nothing is
/// changed.
static bool changeValue(MsgValue &root, ArrayRef<StringRef> path,
                        function_ref<bool(MsgValue &)> change) {
  MsgValue *pipelines = findValue(&root, "amdpal.pipelines");
  MsgValue *map = pipelines && !pipelines->items.empty() ? &pipelines->items.front() : nullptr;
  for (StringRef key : path.drop_back())
    map = findValue(map, key);
  if (!map || map->kind != MsgKind::Map)
    return false;
  if (MsgValue *value = findValue(map, path.back()))
    return change(*value);
  MsgValue added;
  if (!change(added))
    return false;
  map->items.push_back(MsgValue::makeString(path.back()));
  map->items.push_back(std::move(added));
  return true;
}

std::optional<Bytes> changeMetadata(ArrayRef<uint8_t> elf, ArrayRef<StringRef> path,
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
  if (!changeValue(*root, path, change))
    return std::nullopt;
  note->contents = writeMsgPack(*root);
  section->contents = writeNoteParts(notes);
  return writeParts(*parts);
}

std::optional<Bytes> changeStage(ArrayRef<uint8_t> elf, StringRef key,
                                 function_ref<bool(MsgValue &)> change) {
  return changeMetadata(elf, {".hardware_stages", ".cs", key}, [&](MsgValue &value) {
    return value.kind != MsgKind::Nil && change(value);
  });
}

} // namespace assay::fuzz
