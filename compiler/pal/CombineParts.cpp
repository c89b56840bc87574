// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/CombineParts.h"

#include "compiler/pal/ElfWriter.h"
#include "compiler/pal/Glue.h"
#include "compiler/pal/Metadata.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::pal;
using File = object::ELF64LEFile;

namespace {

/// A relocation of the result. Its offset is from the start of the joined section, and its symbol
/// an index into Combiner's symbols.
struct Relocation {
  uint64_t offset;
  uint32_t type;
  size_t symbol;
  int64_t addend; ///< Of RELA.
};

/// A section of the result. It has the contents of the sections with this name in all parts.
struct JoinedSection {
  std::string name;
  uint64_t flags = 0, align = 1;
  std::string bytes;
  std::vector<Relocation> relocations;
  bool hasAddends = false;
};

/// A symbol of the result; symbols of one name that are not local are one.
struct JoinedSymbol {
  std::string name;
  uint8_t info = 0, other = 0;
  size_t section = 0; ///< Index into the joined sections, plus one; 0: undefined.
  uint64_t value = 0, size = 0;
  uint8_t binding() const { return info >> 4; }
};

/// The place of a part's section in the result.
struct Placement {
  size_t section;
  uint64_t shift;
};

/// Code that is placed before and after the one function of a part; empty for none.
struct CodeGlue {
  std::string before, after;
};

/// Collects the sections, symbols and notes of parts and writes one relocatable ELF.
class Combiner {
public:
  /// Parts are added in the order vertex, fragment.
  Error addPart(ArrayRef<uint8_t> bytes, const CodeGlue &glue);
  /// Returns the ELF of one part or two; \p glue are metadata of glue.
  Expected<std::vector<uint8_t>> write(const Hash128 &pipeline, ArrayRef<std::string> glue);

private:
  using Placements = std::map<size_t, Placement>; ///< By index of the part's section.
  /// Indices into m_symbols by symbol of a part; nothing for a symbol that is left out.
  using SymbolMap = std::vector<std::optional<size_t>>;

  Error addSections(const File &file, const CodeGlue &glue, Placements &places);
  Expected<SymbolMap> addSymbols(const File &file, const CodeGlue &glue, const Placements &places);
  Expected<size_t> addSymbol(JoinedSymbol symbol);
  Error addRelocations(const File &file, const Placements &places, const SymbolMap &symbols);
  Error addNotes(const File &file);
  uint32_t writeSymbols(ElfWriter &writer, ArrayRef<uint32_t> sections);
  void writeRelocations(ElfWriter &writer, const JoinedSection &section, uint32_t index,
                        uint32_t symbols);

  ELF::Elf64_Ehdr m_header{};
  std::vector<JoinedSection> m_sections;
  std::vector<JoinedSymbol> m_symbols;
  std::map<std::string, size_t> m_globals;
  std::string m_otherNotes; ///< Of the first part: what is no metadata.
  std::vector<std::string> m_metadata;
  std::vector<uint32_t> m_newIndex; ///< Of each symbol, in the result.
};

} // namespace

/// s_nop 0, which joins the code of two parts and is never executed.
static constexpr uint32_t filler = 0xbf800000;

/// Pads to a multiple of \p align: code with whole instructions, anything else with zeros.
static void padTo(std::string &bytes, uint64_t align, bool isCode) {
  while (isCode && isAligned(Align(4), bytes.size()) && !isAligned(Align(align), bytes.size()))
    bytes += bytesOf(filler);
  bytes.resize(alignTo(bytes.size(), align));
}

/// Returns \p value; its error becomes InvalidInput with LLVM's message.
template <typename Value> static Expected<Value> wrap(Expected<Value> value) {
  if (!value)
    return invalidInput(toString(value.takeError()));
  return value;
}

/// Adds all of one ELF. InvalidInput where it is not relocatable, or is for another GPU than the
/// first. Also InvalidInput for broken tables and without a metadata note.
Error Combiner::addPart(ArrayRef<uint8_t> bytes, const CodeGlue &glue) {
  Expected<File> file = wrap(File::create(toStringRef(bytes)));
  if (!file)
    return file.takeError();
  ELF::Elf64_Ehdr header;
  memcpy(&header, bytes.data(), sizeof(header));
  if (header.e_machine != ELF::EM_AMDGPU || header.e_type != ELF::ET_REL)
    return invalidInput("it is no relocatable ELF for AMD GPUs");
  if (!m_sections.empty() && header.e_flags != m_header.e_flags)
    return invalidInput("the parts are for different GPUs");
  m_header = header;
  Placements places;
  if (Error bad = addSections(*file, glue, places))
    return bad;
  Expected<SymbolMap> symbols = addSymbols(*file, glue, places);
  if (!symbols)
    return symbols.takeError();
  if (Error bad = addRelocations(*file, places, *symbols))
    return bad;
  return addNotes(*file);
}

/// Returns the offset after the last function in section \p index of \p file, or 0 where it has
/// none.
static Expected<uint64_t> findEndOfCode(const File &file, size_t index) {
  auto sections = wrap(file.sections());
  if (!sections)
    return sections.takeError();
  uint64_t end = 0;
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = wrap(file.symbols(&section));
    if (!symbols)
      return symbols.takeError();
    for (const auto &symbol : *symbols)
      if (symbol.getType() == ELF::STT_FUNC && symbol.st_shndx == index)
        end = std::max<uint64_t>(end, symbol.st_value + symbol.st_size);
  }
  return end;
}

/// Appends the loaded sections of \p file to those of the same name, with the code of \p glue
/// around its function. Unsupported for sections without contents. The alignment of a joined
/// section is the largest of its parts. \p places receives each section's place.
Error Combiner::addSections(const File &file, const CodeGlue &glue, Placements &places) {
  auto sections = wrap(file.sections());
  if (!sections)
    return sections.takeError();
  for (auto [index, section] : enumerate(*sections)) {
    if (!(section.sh_flags & ELF::SHF_ALLOC) || section.sh_type == ELF::SHT_NOTE)
      continue;
    auto name = wrap(file.getSectionName(section));
    auto bytes = wrap(file.getSectionContents(section));
    if (!name || !bytes)
      return joinErrors(name.takeError(), bytes.takeError());
    if (section.sh_type != ELF::SHT_PROGBITS)
      return unsupported("section '" + *name + "' of a part");
    auto found = find_if(m_sections, [&](const auto &one) { return one.name == *name; });
    JoinedSection *joined = found == m_sections.end() ? nullptr : &*found;
    if (!joined) {
      joined = &m_sections.emplace_back();
      joined->name = name->str();
    }
    uint64_t align = std::max<uint64_t>(section.sh_addralign, 1);
    if (!isPowerOf2_64(align))
      return invalidInput("section '" + *name + "' has alignment " + Twine(align));
    joined->align = std::max(joined->align, align);
    joined->flags |= section.sh_flags & ~uint64_t(ELF::SHF_MERGE | ELF::SHF_STRINGS);
    padTo(joined->bytes, align, section.sh_flags & ELF::SHF_EXECINSTR);
    bool isCode = section.sh_flags & ELF::SHF_EXECINSTR;
    if (isCode)
      joined->bytes += glue.before;
    places[index] = {size_t(joined - m_sections.data()), joined->bytes.size()};
    if (!isCode || glue.after.empty()) {
      joined->bytes += toStringRef(*bytes);
      continue;
    }
    auto end = findEndOfCode(file, index);
    if (!end)
      return end.takeError();
    // What follows the function is padding to fetch ahead.
    StringRef code = toStringRef(*bytes);
    joined->bytes += (code.take_front(*end) + glue.after + code.drop_front(*end)).str();
  }
  return Error::success();
}

/// Returns the index of the symbol. A definition replaces an undefined one; two definitions are
/// InvalidInput. Local symbols are never joined.
Expected<size_t> Combiner::addSymbol(JoinedSymbol symbol) {
  if (symbol.binding() == ELF::STB_LOCAL) {
    m_symbols.push_back(std::move(symbol));
    return m_symbols.size() - 1;
  }
  auto [found, isNew] = m_globals.try_emplace(symbol.name, m_symbols.size());
  if (isNew) {
    m_symbols.push_back(std::move(symbol));
    return found->second;
  }
  JoinedSymbol &old = m_symbols[found->second];
  if (old.section != 0 && symbol.section != 0)
    return invalidInput("both parts define '" + symbol.name + "'");
  if (symbol.section != 0)
    old = std::move(symbol);
  return found->second;
}

/// Symbols of sections that are left out have no index. Functions grow by the glue; section symbols
/// become local ones at the part's place. Symbols of functions begin with the glue that precedes
/// them.
Expected<Combiner::SymbolMap> Combiner::addSymbols(const File &file, const CodeGlue &glue,
                                                   const Placements &places) {
  SymbolMap map;
  auto sections = wrap(file.sections());
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto symbols = wrap(file.symbols(&section));
    auto names = wrap(file.getStringTableForSymtab(section));
    if (!symbols || !names)
      return joinErrors(symbols.takeError(), names.takeError());
    for (const auto &symbol : *symbols) {
      map.emplace_back();
      auto place = places.find(symbol.st_shndx);
      bool isUndefined = symbol.st_shndx == ELF::SHN_UNDEF;
      if (map.size() == 1 || (!isUndefined && place == places.end()))
        continue; // The null symbol, or one of a section that is left out.
      auto name = wrap(symbol.getName(*names));
      if (!name)
        return name.takeError();
      JoinedSymbol joined;
      joined.name = name->str();
      joined.info = symbol.st_info;
      joined.other = symbol.st_other;
      joined.size = symbol.st_size;
      if (!isUndefined) {
        joined.section = place->second.section + 1;
        joined.value = symbol.st_value + place->second.shift;
      }
      if (symbol.getType() == ELF::STT_FUNC) {
        joined.value -= glue.before.size();
        joined.size += glue.before.size() + glue.after.size();
      }
      // A section symbol would name the joined section's start.
      if (symbol.getType() == ELF::STT_SECTION) {
        joined.name = m_sections[place->second.section].name;
        joined.info = ELF::STB_LOCAL << 4 | ELF::STT_NOTYPE;
      }
      Expected<size_t> index = addSymbol(std::move(joined));
      if (!index)
        return index.takeError();
      map.back() = *index;
    }
  }
  return map;
}

/// Moves relocations to the place of their section in the result. Those of sections that are left
/// out are dropped. InvalidInput for a symbol that has no place in the result.
Error Combiner::addRelocations(const File &file, const Placements &places,
                               const SymbolMap &symbols) {
  auto add = [&](const Placement &place, uint64_t offset, uint32_t type, uint32_t symbol,
                 int64_t addend) -> Error {
    if (symbol >= symbols.size() || !symbols[symbol])
      return invalidInput("a relocation of a part has no symbol");
    m_sections[place.section].relocations.push_back(
        {offset + place.shift, type, *symbols[symbol], addend});
    return Error::success();
  };
  auto sections = wrap(file.sections());
  if (!sections)
    return sections.takeError();
  for (const auto &section : *sections) {
    auto place = places.find(section.sh_info);
    if (place == places.end())
      continue;
    if (section.sh_type == ELF::SHT_REL) {
      auto entries = wrap(file.rels(section));
      if (!entries)
        return entries.takeError();
      for (const auto &entry : *entries)
        if (Error bad =
                add(place->second, entry.r_offset, entry.getType(false), entry.getSymbol(false), 0))
          return bad;
    } else if (section.sh_type == ELF::SHT_RELA) {
      auto entries = wrap(file.relas(section));
      if (!entries)
        return entries.takeError();
      m_sections[place->second.section].hasAddends = true;
      for (const auto &entry : *entries)
        if (Error bad = add(place->second, entry.r_offset, entry.getType(false),
                            entry.getSymbol(false), entry.r_addend))
          return bad;
    }
  }
  return Error::success();
}

/// Takes the metadata note, of which there must be one; other notes are kept of the first part
/// only.
Error Combiner::addNotes(const File &file) {
  auto sections = wrap(file.sections());
  if (!sections)
    return sections.takeError();
  bool isFirst = m_metadata.empty();
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (File::Elf_Note note : file.notes(section, error)) {
      StringRef desc = toStringRef(note.getDesc(section.sh_addralign));
      if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
        m_metadata.push_back(desc.str());
      else if (isFirst)
        m_otherNotes += makeNote(note.getName(), note.getType(), desc);
    }
    if (error)
      return invalidInput(toString(std::move(error)));
  }
  return m_metadata.size() == (isFirst ? 1 : 2) ? Error::success()
                                                : invalidInput("a part needs one metadata note");
}

/// Adds .strtab and .symtab, and sets m_newIndex. Returns the index of .symtab.
uint32_t Combiner::writeSymbols(ElfWriter &writer, ArrayRef<uint32_t> sections) {
  std::string names(1, '\0'), table(sizeof(ELF::Elf64_Sym), '\0');
  m_newIndex.resize(m_symbols.size());
  uint32_t count = 1, locals = 1;
  for (bool isLocal : {true, false}) { // Local symbols come first.
    for (auto [old, symbol] : enumerate(m_symbols)) {
      if ((symbol.binding() == ELF::STB_LOCAL) != isLocal)
        continue;
      m_newIndex[old] = count++;
      ELF::Elf64_Sym entry{};
      entry.st_name = names.size();
      entry.st_info = symbol.info;
      entry.st_other = symbol.other;
      entry.st_shndx = symbol.section ? sections[symbol.section - 1] : uint32_t(ELF::SHN_UNDEF);
      entry.st_value = symbol.value;
      entry.st_size = symbol.size;
      names += symbol.name + '\0';
      table += bytesOf(entry);
    }
    if (isLocal)
      locals = count;
  }
  SectionSpec strings;
  strings.name = ".strtab";
  strings.type = ELF::SHT_STRTAB;
  SectionSpec symbols;
  symbols.name = ".symtab";
  symbols.type = ELF::SHT_SYMTAB;
  symbols.align = 8;
  symbols.link = writer.addSection(strings, names);
  symbols.info = locals;
  symbols.entrySize = sizeof(ELF::Elf64_Sym);
  return writer.addSection(symbols, table);
}

/// Writes the relocations of \p section, whose index is \p index; nothing where it has none.
void Combiner::writeRelocations(ElfWriter &writer, const JoinedSection &section, uint32_t index,
                                uint32_t symbols) {
  std::string entries;
  for (const Relocation &relocation : section.relocations) {
    uint64_t info = uint64_t(m_newIndex[relocation.symbol]) << 32 | relocation.type;
    entries += bytesOf(relocation.offset) + bytesOf(info);
    if (section.hasAddends)
      entries += bytesOf(relocation.addend);
  }
  if (entries.empty())
    return;
  SectionSpec spec;
  spec.name = (section.hasAddends ? ".rela" : ".rel") + section.name;
  spec.type = section.hasAddends ? ELF::SHT_RELA : ELF::SHT_REL;
  spec.flags = ELF::SHF_INFO_LINK;
  spec.align = 8;
  spec.link = symbols;
  spec.info = index;
  spec.entrySize = section.hasAddends ? sizeof(ELF::Elf64_Rela) : sizeof(ELF::Elf64_Rel);
  writer.addSection(spec, entries);
}

/// Sections: those that are loaded, notes, string and symbol table, relocations.
Expected<std::vector<uint8_t>> Combiner::write(const Hash128 &pipeline,
                                               ArrayRef<std::string> glue) {
  Expected<std::string> metadata =
      m_metadata.size() == 1 ? addGlueMetadata(m_metadata[0], pipeline, glue)
                             : combineMetadata(m_metadata[0], m_metadata[1], pipeline, glue);
  if (!metadata)
    return metadata.takeError();
  ElfWriter writer(m_header);
  std::vector<uint32_t> indices;
  for (const JoinedSection &section : m_sections) {
    SectionSpec spec;
    spec.name = section.name;
    spec.flags = section.flags;
    spec.align = section.align;
    indices.push_back(writer.addSection(spec, section.bytes));
  }
  SectionSpec note;
  note.name = ".note";
  note.type = ELF::SHT_NOTE;
  note.align = 4;
  writer.addSection(note, m_otherNotes + makeNote("AMDGPU", ELF::NT_AMDGPU_METADATA, *metadata));
  uint32_t symbols = writeSymbols(writer, indices);
  for (auto [section, index] : zip(m_sections, indices))
    writeRelocations(writer, section, index, symbols);
  return writer.finish();
}

/// Moves the code of the glue \p elf to \p code and appends its metadata to \p metadata. Does
/// nothing where \p elf is empty. Errors are those of the ELF.
static Error readGlue(ArrayRef<uint8_t> elf, std::string &code,
                      std::vector<std::string> &metadata) {
  if (elf.empty())
    return Error::success();
  if (Error bad = readGlueCode(elf).moveInto(code))
    return addContext(std::move(bad), "glue");
  return addContext(readMetadataNote(elf).moveInto(metadata.emplace_back()), "glue");
}

Expected<std::vector<uint8_t>> pal::combineParts(ArrayRef<uint8_t> vertex,
                                                 ArrayRef<uint8_t> fragment,
                                                 const Hash128 &pipeline, const PartGlue &glue) {
  CodeGlue ofVertex, ofFragment;
  std::vector<std::string> metadata;
  if (Error bad = readGlue(glue.vertex, ofVertex.before, metadata))
    return std::move(bad);
  if (Error bad = readGlue(glue.fragment, ofFragment.after, metadata))
    return std::move(bad);
  if (!ofVertex.before.empty())
    ofVertex.before += glue.junction;
  if (!ofFragment.after.empty())
    ofFragment.after.insert(0, glue.junction);
  Combiner combiner;
  if (!vertex.empty())
    if (Error bad = combiner.addPart(vertex, ofVertex))
      return addContext(std::move(bad), "vertex part");
  if (Error bad = combiner.addPart(fragment, ofFragment))
    return addContext(std::move(bad), "fragment part");
  return combiner.write(pipeline, metadata);
}
