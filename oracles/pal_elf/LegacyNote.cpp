// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/LegacyNote.h"

#include "oracles/pal_elf/ElfView.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;

namespace {

/// A stage, and its key among seven for each purpose (LLVM, AMDGPUMetadata.h, PALMD::Key).
constexpr StringLiteral stages[] = {".ls", ".hs", ".es", ".gs", ".vs", ".ps", ".cs"};
constexpr uint32_t StageCount = std::size(stages);

/// A metadata 2.x key of a hardware stage, which the legacy note has under one number per stage.
struct Purpose {
  uint32_t firstKey; ///< Of stage .ls; the others follow.
  StringLiteral key;
};
constexpr Purpose purposes[] = {
    {0x10000021, ".vgpr_count"}, {0x10000028, ".sgpr_count"}, {0x10000044, ".scratch_memory_size"}};

constexpr uint32_t FirstKey = 0x10000000; ///< Registers are below.
constexpr size_t MaxPairs = 4096;         ///< More than there are registers; hostile notes have.

} // namespace

/// Adds an entry to \p map without looking for an earlier one.
static void append(MsgValue &map, StringRef key, MsgValue value) {
  map.items.push_back(MsgValue::makeString(key));
  map.items.push_back(std::move(value));
}

/// The map of stage number \p stage in \p all, made when it is missing.
static MsgValue &stageMap(MsgValue &all, uint32_t stage) {
  for (size_t i = 0; i + 1 < all.items.size(); i += 2)
    if (all.items[i].text == stages[stage])
      return all.items[i + 1];
  append(all, stages[stage], MsgValue::makeEmpty(MsgKind::Map));
  return all.items.back();
}

/// Adds one pair of the note: a register to \p registers, a known key to the map of its stage in \p
/// hardware. Unknown keys are dropped.
static void addPair(uint32_t key, uint32_t value, MsgValue &hardware, MsgValue &registers) {
  if (key < FirstKey) {
    registers.items.push_back(MsgValue::makeUint(key));
    registers.items.push_back(MsgValue::makeUint(value));
    return;
  }
  for (const Purpose &purpose : purposes)
    if (key >= purpose.firstKey && key < purpose.firstKey + StageCount)
      append(stageMap(hardware, key - purpose.firstKey), purpose.key, MsgValue::makeUint(value));
}

/// Returns the pairs of little-endian dwords in \p bytes as a metadata tree with `amdpal.pipelines`
/// only. At most MaxPairs are read.
static MsgValue readPairs(ArrayRef<uint8_t> bytes) {
  MsgValue hardware = MsgValue::makeEmpty(MsgKind::Map);
  MsgValue registers = MsgValue::makeEmpty(MsgKind::Map);
  for (size_t at = 0; at + 8 <= std::min(bytes.size(), MaxPairs * 8); at += 8)
    addPair(support::endian::read32le(bytes.data() + at),
            support::endian::read32le(bytes.data() + at + 4), hardware, registers);
  MsgValue pipeline = MsgValue::makeEmpty(MsgKind::Map);
  append(pipeline, ".hardware_stages", std::move(hardware));
  append(pipeline, ".registers", std::move(registers));
  MsgValue pipelines = MsgValue::makeEmpty(MsgKind::Array);
  pipelines.items.push_back(std::move(pipeline));
  MsgValue root = MsgValue::makeEmpty(MsgKind::Map);
  append(root, "amdpal.pipelines", std::move(pipelines));
  return root;
}

/// Nothing without the note, and for a note that does not consist of whole pairs.
std::optional<MsgValue> assay::readLegacyNote(const ElfView &elf) {
  for (const ElfNote &note : elf.notes())
    if (note.owner == "AMD" && note.type == elf::NoteAmdPalMetadata)
      return note.desc.size() % 8 == 0 ? std::optional(readPairs(note.desc)) : std::nullopt;
  return std::nullopt;
}
