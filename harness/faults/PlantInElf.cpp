// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/faults/PlantInElf.h"

#include "harness/faults/CompiledElf.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/pal_elf/Metadata.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

/// InvalidInput for an ELF without a compute shader, or for a chip without tables. The result
/// refers to \p bytes.
static Expected<CompiledElf> readElf(ArrayRef<uint8_t> bytes) {
  Expected<ElfView> view = ElfView::read(bytes);
  if (!view)
    return view.takeError();
  CompiledElf elf;
  elf.view = std::move(*view);
  if (Error error = elf.view.verify())
    return std::move(error);
  Expected<PalMetadata> metadata = readPalMetadata(elf.view);
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *stage = metadata->find(".cs");
  elf.entry = stage ? elf.view.findSymbol(stage->entryPoint) : nullptr;
  elf.text = elf.entry ? elf.view.section(elf.entry->section) : nullptr;
  if (!elf.text)
    return invalidInput("the ELF has no compute shader");
  elf.machine = findElfMachine(static_cast<uint8_t>(elf.view.header().flags));
  std::optional<gcn::Chip> chip = elf.machine ? gcn::findChip(elf.machine->name) : std::nullopt;
  if (!chip)
    return invalidInput("the ELF is for a chip without tables");
  elf.chip = *chip;
  elf.waveSize = stage->wavefrontSize.value_or(elf.waveSize);
  Expected<ArrayRef<uint8_t>> code = elf.view.symbolBytes(*elf.entry);
  if (!code)
    return code.takeError();
  elf.insts = gcn::TableDecoder(elf.chip, elf.waveSize).decodeRange(*code, 0, code->size());
  return std::move(elf);
}

/// What \p edit makes of \p bytes, if it was planted and has a place in it.
static Expected<std::optional<ElfBytes>> plantEdit(const ElfEdit &edit, ArrayRef<uint8_t> bytes) {
  Expected<CompiledElf> elf = readElf(bytes);
  if (!elf)
    return elf.takeError();
  std::optional<ElfBytes> changed = edit.make(*elf);
  return changed && faultPlanted(edit.fault) ? std::move(changed) : std::nullopt;
}

/// Whether the edits have a place in \p bytes: they change compute shaders.
static bool hasComputeShader(ArrayRef<uint8_t> bytes) {
  Expected<ElfView> view = ElfView::read(bytes);
  if (!view) {
    consumeError(view.takeError());
    return true; // readElf says what is wrong.
  }
  Expected<PalMetadata> metadata = readPalMetadata(*view);
  if (!metadata) {
    consumeError(metadata.takeError());
    return true;
  }
  return !metadata->find(".vs") && !metadata->find(".gs");
}

Error assay::plantInElf(std::vector<uint8_t> &elf) {
  if (!faultsCompiledIn() || !hasComputeShader(elf))
    return Error::success();
  bool isChanged = false;
  // The container last: it may hide everything else.
  for (ArrayRef<ElfEdit> table : {codeEdits(), metadataEdits(), containerEdits()})
    for (const ElfEdit &edit : table) {
      Expected<std::optional<ElfBytes>> changed = plantEdit(edit, elf);
      if (!changed && isChanged) {
        consumeError(changed.takeError()); // One fault leaves no place for another.
        return Error::success();
      }
      if (!changed)
        return changed.takeError();
      isChanged |= changed->has_value();
      if (*changed)
        elf = std::move(**changed);
    }
  return Error::success();
}
