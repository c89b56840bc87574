// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ELF around code and metadata, wrong.
#include "fuzz/elf/ElfParts.h"
#include "harness/faults/CompiledElf.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

static constexpr unsigned dwordBytes = 4;

/// A copy of the file in which \p field of the record at \p offset is \p value.
static ElfBytes withField(const CompiledElf &file, uint64_t offset, RecordField field,
                          uint64_t value) {
  ElfBytes bytes = file.view.bytes().vec();
  setField(MutableArrayRef(bytes).drop_front(offset), field, value);
  return bytes;
}

/// Where the entry point's symbol is in the file.
static uint64_t symbolOffset(const CompiledElf &file) {
  const auto *table = find_if(file.view.sections(), [](const ElfSection &section) {
    return section.type == elf::ShtSymtab;
  });
  return table->offset + file.entry->index * SymbolBytes; // It is there: the entry is of it.
}

/// Leaves the last dword of the code outside of the entry point's symbol.
static std::optional<ElfBytes> shortenSymbol(const CompiledElf &file) {
  if (file.entry->size <= dwordBytes)
    return std::nullopt;
  return withField(file, symbolOffset(file), symbol_field::Size, file.entry->size - dwordBytes);
}

/// Leaves the first dword out; the end of the symbol stays.
static std::optional<ElfBytes> beginLate(const CompiledElf &file) {
  if (file.entry->size <= dwordBytes)
    return std::nullopt;
  ElfBytes bytes =
      withField(file, symbolOffset(file), symbol_field::Size, file.entry->size - dwordBytes);
  setField(MutableArrayRef(bytes).drop_front(symbolOffset(file)), symbol_field::Value,
           file.entry->value + dwordBytes);
  return bytes;
}

/// Gives the metadata's note the next type, so that no metadata is found.
static std::optional<ElfBytes> otherNote(const CompiledElf &file) {
  constexpr RecordField type = {8, 4}; // elf(5): after the sizes of owner and contents.
  const auto *note = find_if(
      file.view.notes(), [](const ElfNote &each) { return each.type == elf::NoteAmdgpuMetadata; });
  if (note == file.view.notes().end())
    return std::nullopt;
  return withField(file, note->offset, type, note->type + 1);
}

/// Names a chip of another generation in the header.
static std::optional<ElfBytes> otherChip(const CompiledElf &file) {
  uint32_t flags = file.view.header().flags;
  constexpr uint32_t machBits = 0xff; // LLVM's AMDGPUUsage, "ELF Header".
  uint32_t other = findElfMachine(file.machine->major == 9 ? "gfx1100" : "gfx900")->mach;
  return withField(file, 0, header_field::Flags, (flags & ~machBits) | other);
}

/// Nothing where the code section has no larger alignment.
static std::optional<ElfBytes> alignToDwords(const CompiledElf &file) {
  std::optional<ElfParts> parts = tryReadParts(file.view.bytes());
  if (!parts || file.text->align <= dwordBytes)
    return std::nullopt;
  setField(parts->sections[file.text->index].header, section_field::Align, dwordBytes);
  return writeParts(*parts);
}

ArrayRef<ElfEdit> assay::containerEdits() {
  // The symbol's size after its place, and the note last: nothing is found after these.
  static constexpr ElfEdit edits[] = {{Fault::SectionAlign, alignToDwords},
                                      {Fault::SymbolSize, shortenSymbol},
                                      {Fault::EntryOffset, beginLate},
                                      {Fault::MachineFlags, otherChip},
                                      {Fault::NoteType, otherNote}};
  return edits;
}
