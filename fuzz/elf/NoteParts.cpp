// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/NoteParts.h"

#include "fuzz/elf/MetadataMutation.h"
#include "oracles/pal_elf/ElfView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// elf(5), Elf64_Nhdr: three words in front of the owner's name.
static constexpr RecordField OwnerSize = {0, 4}, ContentsSize = {4, 4}, NoteType = {8, 4};
/// Of the three words.
static constexpr size_t NoteHeaderBytes = 12;

std::vector<NotePart> fuzz::readNoteParts(ArrayRef<uint8_t> section) {
  std::vector<NotePart> notes;
  while (section.size() >= NoteHeaderBytes) {
    uint64_t ownerSize = getField(section, OwnerSize);
    uint64_t contentsSize = getField(section, ContentsSize);
    uint64_t contents = NoteHeaderBytes + alignTo(ownerSize, 4);
    if (contents > section.size() || contentsSize > section.size() - contents)
      break;
    NotePart note;
    note.owner = section.slice(NoteHeaderBytes, ownerSize).vec();
    note.type = static_cast<uint32_t>(getField(section, NoteType));
    note.contents = section.slice(contents, contentsSize).vec();
    notes.push_back(std::move(note));
    section =
        section.drop_front(std::min<uint64_t>(contents + alignTo(contentsSize, 4), section.size()));
  }
  return notes;
}

Bytes fuzz::writeNoteParts(ArrayRef<NotePart> notes) {
  Bytes bytes;
  for (const NotePart &note : notes) {
    uint8_t header[NoteHeaderBytes] = {};
    setField(header, OwnerSize, note.owner.size());
    setField(header, ContentsSize, note.contents.size());
    setField(header, NoteType, note.type);
    append_range(bytes, header);
    append_range(bytes, note.owner);
    bytes.resize(alignTo(bytes.size(), 4));
    append_range(bytes, note.contents);
    bytes.resize(alignTo(bytes.size(), 4));
  }
  return bytes;
}

/// Returns the first note with MessagePack metadata, or null.
static NotePart *findMetadata(std::vector<NotePart> &notes) {
  auto found =
      find_if(notes, [](const NotePart &note) { return note.type == elf::NoteAmdgpuMetadata; });
  return found == notes.end() ? nullptr : &*found;
}

/// Changes which notes there are, and what they are called.
static void mutateList(std::vector<NotePart> &notes, Random &random) {
  if (notes.empty() || random.oneIn(6)) {
    NotePart legacy;
    legacy.owner = {'A', 'M', 'D', 0};
    legacy.type = elf::NoteAmdPalMetadata;
    legacy.contents.resize(random.below(5) * 4, 0x12);
    notes.push_back(std::move(legacy));
    return;
  }
  size_t which = random.below(notes.size());
  NotePart &note = notes[which];
  switch (random.below(6)) {
  case 0:
    notes.erase(notes.begin() + static_cast<ptrdiff_t>(which));
    return;
  case 1:
    notes.push_back(NotePart(note));
    return;
  case 2:
    note.type = static_cast<uint32_t>(random.number(note.type, elf::NoteAmdgpuMetadata));
    return;
  case 3:
    note.owner.resize(random.below(12), 'A');
    return;
  case 4:
    note.contents.resize(random.below(note.contents.size() + 2));
    return;
  default:
    std::reverse(notes.begin(), notes.end());
  }
}

/// Mostly mutates the metadata; one time in sixteen a byte of the section, so that sizes become
/// wrong.
bool fuzz::mutateNotes(ElfParts &parts, Random &random) {
  SectionPart *section = parts.find(elf::ShtNote);
  if (!section)
    return false;
  if (random.oneIn(16) && !section->contents.empty()) { // Sizes that lie.
    Bytes &bytes = section->contents;
    size_t at = random.below(bytes.size()) & ~size_t(3);
    bytes[at] = static_cast<uint8_t>(random.number(bytes[at], 0xff));
    return true;
  }
  std::vector<NotePart> notes = readNoteParts(section->contents);
  NotePart *metadata = findMetadata(notes);
  if (metadata && !random.oneIn(8))
    metadata->contents = mutateMetadata(metadata->contents, random);
  else
    mutateList(notes, random);
  section->contents = writeNoteParts(notes);
  return true;
}

bool fuzz::mixNotes(ElfParts &into, ElfParts &from, Random &random) {
  SectionPart *section = into.find(elf::ShtNote);
  SectionPart *other = from.find(elf::ShtNote);
  if (!section || !other)
    return false;
  std::vector<NotePart> notes = readNoteParts(section->contents);
  std::vector<NotePart> others = readNoteParts(other->contents);
  NotePart *metadata = findMetadata(notes);
  NotePart *otherMetadata = findMetadata(others);
  if (metadata && otherMetadata && !random.oneIn(16))
    metadata->contents = mixMetadata(metadata->contents, otherMetadata->contents, random);
  else if (!others.empty())
    notes.push_back(others[random.below(others.size())]);
  section->contents = writeNoteParts(notes);
  return true;
}
