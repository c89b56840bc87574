// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/ElfMutation.h"

#include "fuzz/elf/CodeParts.h"
#include "fuzz/elf/NoteParts.h"
#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ElfView.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Archives are cut to this many members, so that inputs do not grow without bound.
static constexpr size_t MaxMembers = 4;

/// Changes one field of the ELF header. Flags, which has the chip, is listed twice to be chosen
/// more often. The section table's position is not listed: writeParts() sets it.
static bool mutateHeader(ElfParts &parts, Random &random) {
  static constexpr RecordField Fields[] = {
      header_field::OsAbi,     header_field::AbiVersion, header_field::Type,
      header_field::Machine,   header_field::Version,    header_field::Entry,
      header_field::Flags,     header_field::Flags,      header_field::HeaderSize,
      header_field::EntrySize, header_field::Names};
  RecordField field = random.pick<RecordField>(Fields);
  uint64_t old = getField(parts.header, field);
  setField(parts.header, field, random.number(old, parts.sections.size()));
  return true;
}

/// Sets a field of a section header; a section with another offset or size is no longer laid out.
static bool mutateSectionField(ElfParts &parts, Random &random) {
  static constexpr RecordField Fields[] = {
      section_field::Name,      section_field::Type, section_field::Flags, section_field::Address,
      section_field::Offset,    section_field::Size, section_field::Link,  section_field::Info,
      section_field::EntrySize, section_field::Align};
  SectionPart &part = parts.sections[random.below(parts.sections.size())];
  size_t which = random.below(std::size(Fields));
  uint64_t old = getField(part.header, Fields[which]);
  setField(part.header, Fields[which], random.number(old, part.contents.size()));
  if (Fields[which].offset == section_field::Offset.offset ||
      Fields[which].offset == section_field::Size.offset)
    part.isInFile = false;
  return true;
}

/// Removes, duplicates, swaps, resizes or renames one section. Indices in links and symbols are not
/// adapted: that is part of the mutation.
static bool mutateSectionList(ElfParts &parts, Random &random) {
  size_t which = random.below(parts.sections.size());
  SectionPart &part = parts.sections[which];
  switch (random.below(5)) {
  case 0:
    if (parts.sections.size() > 1)
      parts.sections.erase(parts.sections.begin() + static_cast<ptrdiff_t>(which));
    return true;
  case 1:
    parts.sections.push_back(SectionPart(part));
    return true;
  case 2:
    std::swap(part, parts.sections[random.below(parts.sections.size())]);
    return true;
  case 3:
    part.contents.resize(random.below(part.contents.size() + 9));
    return true;
  default: { // Another section's name.
    const SectionPart &other = parts.sections[random.below(parts.sections.size())];
    setField(part.header, section_field::Name, getField(other.header, section_field::Name));
    return true;
  }
  }
}

/// Changes the first symbol table: a copied symbol, a truncated table, or one field with another
/// symbol's value or a random one. False if there is no symbol.
static bool mutateSymbols(ElfParts &parts, Random &random) {
  SectionPart *table = parts.find(elf::ShtSymtab);
  size_t count = table ? table->contents.size() / SymbolBytes : 0;
  if (count == 0)
    return false;
  static constexpr RecordField Fields[] = {symbol_field::Name,  symbol_field::Info,
                                           symbol_field::Other, symbol_field::Section,
                                           symbol_field::Value, symbol_field::Size};
  Bytes &contents = table->contents;
  auto entry = [&](size_t i) {
    return MutableArrayRef<uint8_t>(contents).slice(i * SymbolBytes, SymbolBytes);
  };
  size_t which = random.below(count), other = random.below(count);
  RecordField field = random.pick<RecordField>(Fields);
  uint64_t old = getField(entry(which), field);
  switch (random.below(5)) {
  case 0: {
    Bytes copied = entry(which).vec();
    append_range(contents, copied);
    return true;
  }
  case 1:
    contents.resize(contents.size() - random.below(2 * SymbolBytes + 1) % contents.size());
    return true;
  case 2:
    setField(entry(which), field, getField(entry(other), field));
    return true;
  default:
    setField(entry(which), field, random.number(old, parts.sections.size()));
    return true;
  }
}

/// A relocation section for the code, with one entry.
static void addRelocations(ElfParts &parts, Random &random) {
  SectionPart part;
  bool hasAddends = random.oneIn(2);
  size_t target = random.below(parts.sections.size());
  size_t symbols = random.below(parts.sections.size());
  for (auto [index, section] : enumerate(parts.sections))
    if (section.type() == elf::ShtSymtab)
      symbols = index;
    else if (getField(section.header, section_field::Flags) & elf::ShfExecInstr)
      target = index;
  setField(part.header, section_field::Type, hasAddends ? elf::ShtRela : elf::ShtRel);
  setField(part.header, section_field::Link, symbols);
  setField(part.header, section_field::Info, target);
  setField(part.header, section_field::Align, 8);
  setField(part.header, section_field::EntrySize, hasAddends ? 24 : 16);
  part.contents.resize(hasAddends ? 24 : 16);
  setField(part.contents, relocation_field::Type, 1 + random.below(14));
  setField(part.contents, relocation_field::Symbol, random.below(8));
  part.isInFile = true;
  parts.sections.push_back(std::move(part));
}

/// Changes one field of a relocation; adds a relocation section if there is none. Always true.
static bool mutateRelocations(ElfParts &parts, Random &random) {
  SectionPart *table = parts.find(elf::ShtRel);
  if (!table)
    table = parts.find(elf::ShtRela);
  size_t size = table && table->type() == elf::ShtRela ? 24 : 16;
  size_t count = table ? table->contents.size() / size : 0;
  if (count == 0) {
    addRelocations(parts, random);
    return true;
  }
  static constexpr RecordField Fields[] = {relocation_field::Offset, relocation_field::Type,
                                           relocation_field::Symbol, relocation_field::Addend};
  MutableArrayRef<uint8_t> entry = table->contents;
  entry = entry.slice(random.below(count) * size, size);
  RecordField field = Fields[random.below(size == 24 ? 4 : 3)];
  setField(entry, field, random.number(getField(entry, field), 16));
  return true;
}

/// Bytes of a section that has some: tables of strings, data, text.
static bool mutateContents(ElfParts &parts, Random &random) {
  Bytes &contents = parts.sections[random.below(parts.sections.size())].contents;
  if (contents.empty())
    return false;
  size_t at = random.below(contents.size());
  contents[at] = static_cast<uint8_t>(random.number(contents[at], 0xff));
  return true;
}

/// Replaces one to four random bytes, after appending one to an empty file or to one file in four.
/// For input that has no structure to mutate.
static Bytes mutateBytes(ArrayRef<uint8_t> file, Random &random) {
  Bytes bytes = file.vec();
  if (bytes.empty() || random.oneIn(4))
    bytes.push_back(static_cast<uint8_t>(random.next()));
  for (size_t count = 1 + random.below(4); count > 0; --count)
    bytes[random.below(bytes.size())] = static_cast<uint8_t>(random.next());
  return bytes;
}

/// Applies one mutation; tries up to four when a mutation finds nothing to change. A file that is
/// no readable ELF gets random bytes.
static Bytes mutateOneElf(ArrayRef<uint8_t> file, Random &random) {
  using Mutation = bool (*)(ElfParts &, Random &);
  // One as often as it stands here: what lies deepest most.
  static constexpr Mutation Mutations[] = {
      mutateNotes,        mutateNotes,       mutateNotes,       mutateNotes,
      mutateNotes,        mutateNotes,       mutateFunction,    mutateFunction,
      mutateFunction,     mutateFunction,    mutateHeader,      mutateSymbols,
      mutateSectionField, mutateSectionList, mutateRelocations, mutateContents};
  std::optional<ElfParts> parts = tryReadParts(file);
  if (!parts)
    return mutateBytes(file, random);
  for (unsigned tries = 0; tries < 4; ++tries)
    if (random.pick<Mutation>(Mutations)(*parts, random))
      break;
  return writeParts(*parts);
}

namespace {
/// A member of an archive: its name and the bytes of the file.
struct Member {
  std::string name;
  Bytes bytes;
};
} // namespace

/// The members of an archive, or the file as the only one; none for a broken archive.
static std::vector<Member> readMembers(ArrayRef<uint8_t> file) {
  if (!isArchive(file))
    return {{"a.o", file.vec()}};
  Expected<std::vector<ArchiveEntry>> entries = readArchive(file);
  std::vector<Member> members;
  if (!entries) {
    consumeError(entries.takeError());
    return members;
  }
  for (const ArchiveEntry &entry : *entries)
    members.push_back({entry.name, entry.bytes.vec()});
  return members;
}

/// The System V form (ar(5)), names of up to 15 letters in place.
static Bytes writeMembers(ArrayRef<Member> members) {
  std::string text = "!<arch>\n";
  raw_string_ostream os(text);
  for (const Member &member : members) {
    std::string name = StringRef(member.name).take_front(15).str() + "/";
    os << left_justify(name, 16) << left_justify("0", 12) << left_justify("0", 6)
       << left_justify("0", 6) << left_justify("644", 8)
       << left_justify(std::to_string(member.bytes.size()), 10) << "`\n"
       << toStringRef(member.bytes);
    if (member.bytes.size() % 2)
      os << "\n";
  }
  return Bytes(text.begin(), text.end());
}

/// Duplicates, removes or mutates one member. A broken archive, and one in eight others, gets
/// random bytes.
static Bytes mutateArchive(ArrayRef<uint8_t> file, Random &random) {
  std::vector<Member> members = readMembers(file);
  if (members.empty() || random.oneIn(8))
    return mutateBytes(file, random);
  size_t which = random.below(members.size());
  if (random.oneIn(8))
    members.push_back(Member(members[which]));
  else if (random.oneIn(8))
    members.erase(members.begin() + static_cast<ptrdiff_t>(which));
  else
    members[which].bytes = mutateOneElf(members[which].bytes, random);
  if (members.size() > MaxMembers)
    members.resize(MaxMembers);
  return writeMembers(members);
}

Bytes fuzz::mutateElf(ArrayRef<uint8_t> file, uint64_t seed) {
  Random random(seed);
  return isArchive(file) ? mutateArchive(file, random) : mutateOneElf(file, random);
}

/// Appends one member of \p from to those of \p into; a plain ELF counts as an archive of one. The
/// first member is dropped where there would be too many.
static Bytes mixArchives(ArrayRef<uint8_t> into, ArrayRef<uint8_t> from, Random &random) {
  std::vector<Member> members = readMembers(into);
  std::vector<Member> others = readMembers(from);
  if (others.empty())
    return into.vec();
  members.push_back(others[random.below(others.size())]);
  if (members.size() > MaxMembers)
    members.erase(members.begin());
  return writeMembers(members);
}

/// A section of \p from in the place of one of the same type, or as one more.
static void mixSections(ElfParts &into, const ElfParts &from, Random &random) {
  const SectionPart &other = from.sections[random.below(from.sections.size())];
  if (SectionPart *old = into.find(other.type()))
    *old = other;
  else
    into.sections.push_back(other);
}

/// Prefers notes and functions; a whole section where there is nothing of these to mix.
Bytes fuzz::mixElfs(ArrayRef<uint8_t> into, ArrayRef<uint8_t> from, uint64_t seed) {
  Random random(seed);
  if (isArchive(into) || isArchive(from) || random.oneIn(64))
    return mixArchives(into, from, random);
  std::optional<ElfParts> parts = tryReadParts(into);
  std::optional<ElfParts> others = tryReadParts(from);
  if (!parts || !others)
    return into.vec();
  size_t kind = random.below(8);
  bool isDone = kind < 4 ? mixNotes(*parts, *others, random)
                         : kind < 7 && mixFunctions(*parts, *others, random);
  if (!isDone)
    mixSections(*parts, *others, random);
  return writeParts(*parts);
}
