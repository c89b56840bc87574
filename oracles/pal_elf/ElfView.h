// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bounds-checked view of an ELF64 little-endian file: sections, symbols, relocations and notes as
// plain data. It never casts the bytes to structs, reads on after damage, and writes down what was
// damaged; what that means is the business of the rules.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay {

/// The numbers of the ELF and AMDGPU ABI that this module uses (elf(5), LLVM's AMDGPUUsage).
namespace elf {
enum HeaderField : uint16_t { OsAbiPal = 65, TypeRel = 1, MachineAmdgpu = 224 };
enum SectionType : uint32_t {
  ShtNull = 0,
  ShtProgbits = 1,
  ShtSymtab = 2,
  ShtStrtab = 3,
  ShtRela = 4,
  ShtNote = 7,
  ShtNobits = 8,
  ShtRel = 9
};
enum SectionFlag : uint64_t { ShfWrite = 1, ShfAlloc = 2, ShfExecInstr = 4 };
enum SymbolType : uint8_t {
  SttNoType = 0,
  SttObject = 1,
  SttFunc = 2,
  SttSection = 3,
  SttFile = 4
};
enum SymbolBinding : uint8_t { StbLocal = 0, StbGlobal = 1, StbWeak = 2 };
enum SpecialSection : uint16_t { ShnUndef = 0, ShnLoReserve = 0xff00, ShnAbs = 0xfff1 };
enum NoteType : uint32_t {
  NoteAmdIsaName = 11,     ///< Owner "AMD": "amdgcn-amd-amdpal--gfx1100".
  NoteAmdPalMetadata = 12, ///< Owner "AMD": the legacy list of register pairs.
  NoteAmdgpuMetadata = 32, ///< Owner "AMDGPU": msgpack.
};
} // namespace elf

struct ElfHeader {
  uint8_t osAbi = 0;
  uint8_t abiVersion = 0;
  uint16_t type = 0;
  uint16_t machine = 0;
  uint32_t version = 0;
  uint64_t entry = 0;
  uint64_t sectionTableOffset = 0;
  uint32_t flags = 0;
  uint16_t headerSize = 0;
  uint16_t programHeaderCount = 0;
  uint16_t sectionEntrySize = 0;
  uint16_t sectionCount = 0;
  uint16_t nameSection = 0;
};

struct ElfSection {
  unsigned index = 0;
  llvm::StringRef name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t address = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  uint64_t align = 0;
  uint64_t entrySize = 0;
  bool inFile = false;           ///< [offset, offset + size) lies within the file, or NOBITS.
  llvm::ArrayRef<uint8_t> bytes; ///< Empty for NOBITS and when not inFile.

  bool isAlloc() const { return flags & elf::ShfAlloc; }
};

struct ElfSymbol {
  unsigned index = 0;
  llvm::StringRef name;
  uint8_t type = 0;     ///< STT_*
  uint8_t binding = 0;  ///< STB_*
  uint16_t section = 0; ///< Section index, or SHN_UNDEF, SHN_ABS, ...
  uint64_t value = 0;   ///< From the start of the section (ET_REL).
  uint64_t size = 0;

  bool isUndefined() const { return section == elf::ShnUndef; }
  bool hasSection() const { return section != elf::ShnUndef && section < elf::ShnLoReserve; }
};

struct ElfRelocation {
  unsigned table = 0;  ///< Index of the SHT_REL or SHT_RELA section it is in.
  unsigned target = 0; ///< Index of the section it changes.
  uint64_t offset = 0; ///< From the start of the target section.
  uint32_t type = 0;   ///< R_AMDGPU_*
  uint32_t symbol = 0; ///< Index of the symbol; may be out of range.
  bool hasAddend = false;
  int64_t addend = 0; ///< RELA only; for REL it is in the target's bytes.
};

struct ElfNote {
  unsigned section = 0;
  uint64_t offset = 0; ///< Of its header, in the file.
  llvm::StringRef owner;
  uint32_t type = 0;
  llvm::ArrayRef<uint8_t> desc;
  bool paddingIsZero = true;
};

/// What kind of damage was met while reading.
enum class ElfProblemKind { Header, SectionTable, Note, SymbolTable, Relocation };

struct ElfProblem {
  ElfProblemKind kind;
  uint64_t offset; ///< In the file.
  std::string text;
};

/// The read file. Holds references into the bytes given to read(), which must outlive it.
class ElfView {
public:
  /// Fails (InvalidInput) only if there is no ELF64 little-endian header to start from. All other
  /// damage is in problems(); what it touches is left out or empty.
  static llvm::Expected<ElfView> read(llvm::ArrayRef<uint8_t> bytes);

  const ElfHeader &header() const { return m_header; }
  llvm::ArrayRef<uint8_t> bytes() const { return m_bytes; }
  llvm::ArrayRef<ElfSection> sections() const { return m_sections; }
  llvm::ArrayRef<ElfSymbol> symbols() const { return m_symbols; }
  llvm::ArrayRef<ElfRelocation> relocations() const { return m_relocations; }
  llvm::ArrayRef<ElfNote> notes() const { return m_notes; }
  llvm::ArrayRef<ElfProblem> problems() const { return m_problems; }
  /// InvalidInput with the first problem, if there is one.
  llvm::Error verify() const;

  /// The section of that index or name (the first), or null.
  const ElfSection *section(unsigned index) const;
  const ElfSection *findSection(llvm::StringRef name) const;
  /// The defined symbol of that name (the last, as PAL takes it), or null.
  const ElfSymbol *findSymbol(llvm::StringRef name) const;
  /// The bytes [value, value + size) of \p symbol's section. InvalidInput when they are not there.
  llvm::Expected<llvm::ArrayRef<uint8_t>> symbolBytes(const ElfSymbol &symbol) const;

private:
  llvm::Error readHeader();
  void readSections();
  void readSectionNames();
  void readSymbols(const ElfSection &table);
  void readRelocations(const ElfSection &table);
  void readNotes(const ElfSection &section);
  void addProblem(ElfProblemKind kind, uint64_t offset, const llvm::Twine &text);

  llvm::ArrayRef<uint8_t> m_bytes;
  ElfHeader m_header;
  std::vector<ElfSection> m_sections;
  std::vector<ElfSymbol> m_symbols;
  std::vector<ElfRelocation> m_relocations;
  std::vector<ElfNote> m_notes;
  std::vector<ElfProblem> m_problems;
};

} // namespace assay
