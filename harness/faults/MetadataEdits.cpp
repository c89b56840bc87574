// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM writes into the PAL metadata, wrong.
#include "fuzz/elf/MetadataMutation.h"
#include "fuzz/elf/NoteParts.h"
#include "harness/faults/CompiledElf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// The value of \p key in \p map, or null.
static MsgValue *findValue(MsgValue *map, StringRef key) {
  return map ? const_cast<MsgValue *>(map->find(key)) : nullptr;
}

/// `.hardware_stages` `.cs` of the only pipeline, or null.
static MsgValue *findStage(MsgValue &root) {
  MsgValue *pipelines = findValue(&root, "amdpal.pipelines");
  if (!pipelines || pipelines->items.empty())
    return nullptr;
  return findValue(findValue(&pipelines->items.front(), ".hardware_stages"), ".cs");
}

/// \p file with what \p change makes of the compute stage's value of \p key; nothing when that is
/// not there, or \p change says no.
static std::optional<ElfBytes> changeStage(const CompiledElf &file, StringRef key,
                                           function_ref<bool(MsgValue &)> change) {
  std::optional<ElfParts> parts = tryReadParts(file.view.bytes());
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
    consumeError(root.takeError()); // Another fault was here.
    return std::nullopt;
  }
  MsgValue *value = findValue(findStage(*root), key);
  if (!value || !change(*value))
    return std::nullopt;
  note->contents = writeMsgPack(*root);
  section->contents = writeNoteParts(notes);
  return writeParts(*parts);
}

namespace {
struct NumberKey {
  StringLiteral name;
  uint64_t wrong; ///< What it becomes where it is more.
};
} // namespace
static constexpr NumberKey vgprCount = {".vgpr_count", 1}, sgprCount = {".sgpr_count", 1},
                           scratchSize = {".scratch_memory_size", 0}, ldsSize = {".lds_size", 0};

template <const NumberKey &Key>
static std::optional<ElfBytes> lowerNumber(const CompiledElf &file) {
  return changeStage(file, Key.name, [](MsgValue &value) {
    if (value.asUint().value_or(0) <= Key.wrong)
      return false;
    value = MsgValue::makeUint(Key.wrong);
    return true;
  });
}

static std::optional<ElfBytes> otherWaveSize(const CompiledElf &file) {
  return changeStage(file, ".wavefront_size", [](MsgValue &value) {
    value = MsgValue::makeUint(value.asUint() == 64 ? 32 : 64);
    return true;
  });
}

static std::optional<ElfBytes> otherSymbol(const CompiledElf &file) {
  return changeStage(file, ".entry_point_symbol", [](MsgValue &value) {
    value = MsgValue::makeString("_amdgpu_cs_other");
    return true;
  });
}

ArrayRef<ElfEdit> assay::metadataEdits() {
  static constexpr ElfEdit edits[] = {{Fault::VgprCount, lowerNumber<vgprCount>},
                                      {Fault::SgprCount, lowerNumber<sgprCount>},
                                      {Fault::ScratchSize, lowerNumber<scratchSize>},
                                      {Fault::LdsSize, lowerNumber<ldsSize>},
                                      {Fault::WaveSize, otherWaveSize},
                                      {Fault::EntrySymbol, otherSymbol}};
  return edits;
}
