// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/ElfView.h"

#include "support/Error.h"
#include "support/FileMagic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include <optional>

using namespace llvm;
using namespace assay;

static constexpr uint64_t headerBytes = 64;
static constexpr uint64_t sectionHeaderBytes = 64;
static constexpr uint64_t symbolEntryBytes = 24;
static constexpr size_t maxNameBytes = 4096;
static constexpr size_t maxProblems = 100; ///< A hostile file must not make an endless list.

/// The caller has checked that the field lies within the bytes.
static uint16_t half(ArrayRef<uint8_t> bytes, uint64_t offset) {
  return support::endian::read16le(bytes.data() + offset);
}
static uint32_t word(ArrayRef<uint8_t> bytes, uint64_t offset) {
  return support::endian::read32le(bytes.data() + offset);
}
static uint64_t quad(ArrayRef<uint8_t> bytes, uint64_t offset) {
  return support::endian::read64le(bytes.data() + offset);
}

/// Returns true when \p size bytes at \p offset end within \p total bytes. Does not overflow.
static bool inRange(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

/// The string at \p offset of a string table; nothing if it does not end within the table and
/// within maxNameBytes (so that many names in one long unterminated table stay cheap).
static std::optional<StringRef> stringAt(const ElfSection *table, uint64_t offset) {
  if (!table || offset >= table->bytes.size())
    return std::nullopt;
  StringRef text(reinterpret_cast<const char *>(table->bytes.data()), table->bytes.size());
  text = text.substr(offset, maxNameBytes);
  size_t end = text.find('\0');
  if (end == StringRef::npos)
    return std::nullopt;
  return text.take_front(end);
}

/// Keeps the first maxProblems problems.
void ElfView::addProblem(ElfProblemKind kind, uint64_t offset, const Twine &text) {
  if (m_problems.size() < maxProblems)
    m_problems.push_back({kind, offset, text.str()});
}

/// What \p bytes, which are no ELF, are instead.
static std::string describeOtherFile(ArrayRef<uint8_t> bytes) {
  struct Kind {
    StringLiteral magic;
    StringLiteral what;
  };
  static constexpr Kind kinds[] = {
      {"!<thin>\n", "a thin archive, which has the names of its members, but not the members"},
      {RadvShaderMagic,
       "a shader of RADV (compilers aco and radv-llvm), which has no PAL metadata"},
      {RadvGraphicsMagic,
       "a graphics pipeline of RADV (compilers aco and radv-llvm), which has no PAL metadata"},
      {"BC\xc0\xde", "LLVM bitcode"},
      {"\x03\x02\x23\x07", "SPIR-V"},
  };
  for (const Kind &kind : kinds)
    if (toStringRef(bytes).starts_with(kind.magic))
      return kind.what.str();
  return "the first bytes are not 7f 45 4c 46";
}

/// Fills m_header. InvalidInput for files that are not ELF64, little-endian and version 1: nothing
/// else of them can be read. Other wrong sizes and versions in the header become problems.
Error ElfView::readHeader() {
  static constexpr uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
  if (m_bytes.size() < 4 || m_bytes.take_front(4) != ArrayRef<uint8_t>(magic))
    return invalidInput("not an ELF file: " + describeOtherFile(m_bytes));
  if (m_bytes.size() < headerBytes)
    return invalidInput("truncated ELF header: " + Twine(m_bytes.size()) + " of 64 bytes");
  if (m_bytes[4] != 2 || m_bytes[5] != 1 || m_bytes[6] != 1)
    return invalidInput("not an ELF64 little-endian file of version 1: class " +
                        Twine(unsigned(m_bytes[4])) + ", data " + Twine(unsigned(m_bytes[5])) +
                        ", version " + Twine(unsigned(m_bytes[6])));
  m_header.osAbi = m_bytes[7];
  m_header.abiVersion = m_bytes[8];
  m_header.type = half(m_bytes, 16);
  m_header.machine = half(m_bytes, 18);
  m_header.version = word(m_bytes, 20);
  m_header.entry = quad(m_bytes, 24);
  m_header.sectionTableOffset = quad(m_bytes, 40);
  m_header.flags = word(m_bytes, 48);
  m_header.headerSize = half(m_bytes, 52);
  m_header.programHeaderCount = half(m_bytes, 56);
  m_header.sectionEntrySize = half(m_bytes, 58);
  m_header.sectionCount = half(m_bytes, 60);
  m_header.nameSection = half(m_bytes, 62);
  if (m_header.version != 1)
    addProblem(ElfProblemKind::Header, 20, "e_version is " + Twine(m_header.version) + ", not 1");
  if (m_header.headerSize != headerBytes)
    addProblem(ElfProblemKind::Header, 52,
               "e_ehsize is " + Twine(m_header.headerSize) + ", not 64");
  if (m_header.sectionEntrySize != sectionHeaderBytes)
    addProblem(ElfProblemKind::Header, 58,
               "e_shentsize is " + Twine(m_header.sectionEntrySize) + ", not 64");
  return Error::success();
}

/// Returns the fields of the section header at offset \p at, which must be within \p bytes. Name,
/// bytes and inFile are left to the caller.
static ElfSection readSection(ArrayRef<uint8_t> bytes, uint64_t at, unsigned index) {
  ElfSection section;
  section.index = index;
  section.type = word(bytes, at + 4);
  section.flags = quad(bytes, at + 8);
  section.address = quad(bytes, at + 16);
  section.offset = quad(bytes, at + 24);
  section.size = quad(bytes, at + 32);
  section.link = word(bytes, at + 40);
  section.info = word(bytes, at + 44);
  section.align = quad(bytes, at + 48);
  section.entrySize = quad(bytes, at + 56);
  return section;
}

/// Fills m_sections. Of a table that ends after the end of the file, the complete entries are read.
/// Sections with bytes outside of the file are kept, without bytes, and reported as problems.
void ElfView::readSections() {
  uint64_t table = m_header.sectionTableOffset;
  uint64_t count = m_header.sectionCount;
  if (count == 0) {
    addProblem(ElfProblemKind::SectionTable, 60, "there is no section table");
    return;
  }
  if (!inRange(table, count * sectionHeaderBytes, m_bytes.size())) {
    addProblem(ElfProblemKind::SectionTable, 40,
               "the section table (" + Twine(count) + " entries at offset " + Twine(table) +
                   ") ends after the end of the file (" + Twine(m_bytes.size()) + " bytes)");
    count = table < m_bytes.size() ? (m_bytes.size() - table) / sectionHeaderBytes : 0;
  }
  for (unsigned i = 0; i < count; ++i) {
    uint64_t at = table + i * sectionHeaderBytes;
    ElfSection section = readSection(m_bytes, at, i);
    bool hasBytes = section.type != elf::ShtNull && section.type != elf::ShtNobits;
    section.inFile = !hasBytes || inRange(section.offset, section.size, m_bytes.size());
    if (hasBytes && section.inFile)
      section.bytes = m_bytes.slice(section.offset, section.size);
    if (!section.inFile)
      addProblem(ElfProblemKind::SectionTable, at,
                 "section " + Twine(i) + " (" + Twine(section.size) + " bytes at offset " +
                     Twine(section.offset) + ") ends after the end of the file (" +
                     Twine(m_bytes.size()) + " bytes)");
    m_sections.push_back(section);
  }
}

/// Names the sections by the string table e_shstrndx. A section without a valid name keeps "".
void ElfView::readSectionNames() {
  const ElfSection *names = section(m_header.nameSection);
  if (!names || names->type != elf::ShtStrtab) {
    if (!m_sections.empty())
      addProblem(ElfProblemKind::SectionTable, 62,
                 "e_shstrndx " + Twine(m_header.nameSection) + " is not a string table");
    return;
  }
  for (ElfSection &section : m_sections) {
    uint64_t at = m_header.sectionTableOffset + section.index * sectionHeaderBytes;
    if (std::optional<StringRef> name = stringAt(names, word(m_bytes, at)))
      section.name = *name;
    else if (section.type != elf::ShtNull)
      addProblem(ElfProblemKind::SectionTable, at,
                 "the name of section " + Twine(section.index) + " lies outside the string table");
  }
}

/// Appends the symbols of \p table to m_symbols, the null symbol included. Entries are read as 24
/// bytes whatever sh_entsize says; a rest of less than 24 bytes is ignored.
void ElfView::readSymbols(const ElfSection &table) {
  const ElfSection *strings = section(table.link);
  if (!strings || strings->type != elf::ShtStrtab) {
    addProblem(ElfProblemKind::SymbolTable, table.offset,
               "sh_link " + Twine(table.link) + " of the symbol table is not a string table");
    strings = nullptr;
  }
  if (table.entrySize != symbolEntryBytes)
    addProblem(ElfProblemKind::SymbolTable, table.offset,
               "sh_entsize of the symbol table is " + Twine(table.entrySize) + ", not 24");
  if (table.bytes.size() % symbolEntryBytes != 0)
    addProblem(ElfProblemKind::SymbolTable, table.offset,
               "the symbol table's size " + Twine(table.bytes.size()) + " is no multiple of 24");
  uint64_t count = table.bytes.size() / symbolEntryBytes;
  if (table.info > count)
    addProblem(ElfProblemKind::SymbolTable, table.offset,
               "sh_info " + Twine(table.info) + " is above the number of symbols " + Twine(count));
  for (unsigned i = 0; i < count; ++i) {
    ArrayRef<uint8_t> entry = table.bytes.slice(i * symbolEntryBytes, symbolEntryBytes);
    ElfSymbol symbol;
    symbol.index = i;
    symbol.type = entry[4] & 15;
    symbol.binding = entry[4] >> 4;
    symbol.section = half(entry, 6);
    symbol.value = quad(entry, 8);
    symbol.size = quad(entry, 16);
    if (std::optional<StringRef> name = stringAt(strings, word(entry, 0)))
      symbol.name = *name;
    else if (strings)
      addProblem(ElfProblemKind::SymbolTable, table.offset + i * symbolEntryBytes,
                 "the name of symbol " + Twine(i) + " does not end within the string table");
    m_symbols.push_back(symbol);
  }
}

/// Appends the entries of \p table (SHT_REL or SHT_RELA) to m_relocations. A table without a target
/// section is reported and skipped. Neither types nor symbol indexes are checked.
void ElfView::readRelocations(const ElfSection &table) {
  bool rela = table.type == elf::ShtRela;
  uint64_t size = rela ? 24 : 16;
  if (table.entrySize != size || table.bytes.size() % size != 0)
    addProblem(ElfProblemKind::Relocation, table.offset,
               "relocation section " + Twine(table.index) + " has entries of " +
                   Twine(table.entrySize) + " bytes in " + Twine(table.bytes.size()) +
                   " bytes, expected entries of " + Twine(size));
  if (!section(table.info) || table.info == 0) {
    addProblem(ElfProblemKind::Relocation, table.offset,
               "sh_info " + Twine(table.info) + " of relocation section " + Twine(table.index) +
                   " is no section");
    return;
  }
  for (uint64_t at = 0; inRange(at, size, table.bytes.size()); at += size) {
    ElfRelocation relocation;
    relocation.table = table.index;
    relocation.target = table.info;
    relocation.offset = quad(table.bytes, at);
    relocation.type = word(table.bytes, at + 8);
    relocation.symbol = word(table.bytes, at + 12);
    relocation.hasAddend = rela;
    if (rela)
      relocation.addend = static_cast<int64_t>(quad(table.bytes, at + 16));
    m_relocations.push_back(relocation);
  }
}

/// Appends the notes of \p section to m_notes, with 4-byte alignment of names and descriptors.
/// Stops at the first note that ends after the section and reports it as a problem.
void ElfView::readNotes(const ElfSection &section) {
  ArrayRef<uint8_t> bytes = section.bytes;
  uint64_t at = 0;
  while (at < bytes.size()) {
    if (!inRange(at, 12, bytes.size())) {
      addProblem(ElfProblemKind::Note, section.offset + at, "a note header is cut off");
      return;
    }
    uint64_t nameSize = word(bytes, at);
    uint64_t descSize = word(bytes, at + 4);
    uint64_t name = at + 12;
    uint64_t desc = name + ((nameSize + 3) & ~3ull);
    if (!inRange(name, nameSize, bytes.size()) || !inRange(desc, descSize, bytes.size())) {
      addProblem(ElfProblemKind::Note, section.offset + at,
                 "a note (owner of " + Twine(nameSize) + " bytes, descriptor of " +
                     Twine(descSize) + ") ends after its section");
      return;
    }
    ElfNote note;
    note.section = section.index;
    note.offset = section.offset + at;
    note.type = word(bytes, at + 8);
    note.owner = StringRef(reinterpret_cast<const char *>(bytes.data()) + name, nameSize);
    note.owner = note.owner.take_until([](char c) { return c == '\0'; });
    note.desc = bytes.slice(desc, descSize);
    uint64_t end = std::min<uint64_t>(desc + ((descSize + 3) & ~3ull), bytes.size());
    auto isZero = [](uint8_t byte) { return byte == 0; };
    note.paddingIsZero = all_of(bytes.slice(name + nameSize, desc - name - nameSize), isZero) &&
                         all_of(bytes.slice(desc + descSize, end - desc - descSize), isZero);
    m_notes.push_back(note);
    at = end;
  }
}

/// An error means that the header cannot be read; everything else that is wrong becomes a problem
/// of the view. The view points into \p bytes. Only the first symbol table is read.
Expected<ElfView> ElfView::read(ArrayRef<uint8_t> bytes) {
  ElfView view;
  view.m_bytes = bytes;
  if (Error error = view.readHeader())
    return std::move(error);
  view.readSections();
  view.readSectionNames();
  bool haveSymbols = false;
  for (const ElfSection &section : view.m_sections) {
    if (section.type == elf::ShtSymtab && !haveSymbols) {
      view.readSymbols(section);
      haveSymbols = true;
    } else if (section.type == elf::ShtRel || section.type == elf::ShtRela) {
      view.readRelocations(section);
    } else if (section.type == elf::ShtNote) {
      view.readNotes(section);
    }
  }
  return view;
}

/// Returns the first problem.
Error ElfView::verify() const {
  if (m_problems.empty())
    return Error::success();
  return invalidInput("broken ELF at offset " + Twine(m_problems[0].offset) + ": " +
                      m_problems[0].text);
}

/// Returns null for numbers without a section.
const ElfSection *ElfView::section(unsigned index) const {
  return index < m_sections.size() ? &m_sections[index] : nullptr;
}

const ElfSection *ElfView::findSection(StringRef name) const {
  auto found = find_if(m_sections, [&](const ElfSection &section) { return section.name == name; });
  return found == m_sections.end() ? nullptr : &*found;
}

/// Returns the last defined symbol of this name, or null.
const ElfSymbol *ElfView::findSymbol(StringRef name) const {
  for (const ElfSymbol &symbol : reverse(m_symbols))
    if (!symbol.isUndefined() && symbol.name == name)
      return &symbol;
  return nullptr;
}

/// InvalidInput for symbols that leave their section or have none.
Expected<ArrayRef<uint8_t>> ElfView::symbolBytes(const ElfSymbol &symbol) const {
  const ElfSection *owner = symbol.hasSection() ? section(symbol.section) : nullptr;
  if (!owner || !inRange(symbol.value, symbol.size, owner->bytes.size()))
    return invalidInput("symbol '" + symbol.name + "' (" + Twine(symbol.size) +
                        " bytes at offset " + Twine(symbol.value) + ") lies outside its section");
  return owner->bytes.slice(symbol.value, symbol.size);
}
