// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ELF taken apart so that a part can change its size: sections with their contents, laid out
// again when it is put together. Keeps what it does not understand.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::fuzz {

using Bytes = std::vector<uint8_t>;

/// A little-endian number in a record: ELF64 header, section header, symbol or relocation.
struct RecordField {
  uint8_t offset;
  uint8_t size; ///< 1, 2, 4 or 8.
};
/// elf(5), Elf64_Ehdr.
namespace header_field {
constexpr RecordField OsAbi = {7, 1}, AbiVersion = {8, 1}, Type = {16, 2}, Machine = {18, 2},
                      Version = {20, 4}, Entry = {24, 8}, TableOffset = {40, 8}, Flags = {48, 4},
                      HeaderSize = {52, 2}, EntrySize = {58, 2}, Count = {60, 2}, Names = {62, 2};
} // namespace header_field
/// elf(5), Elf64_Shdr.
namespace section_field {
constexpr RecordField Name = {0, 4}, Type = {4, 4}, Flags = {8, 8}, Address = {16, 8},
                      Offset = {24, 8}, Size = {32, 8}, Link = {40, 4}, Info = {44, 4},
                      Align = {48, 8}, EntrySize = {56, 8};
} // namespace section_field
/// elf(5), Elf64_Sym.
namespace symbol_field {
constexpr RecordField Name = {0, 4}, Info = {4, 1}, Other = {5, 1}, Section = {6, 2},
                      Value = {8, 8}, Size = {16, 8};
} // namespace symbol_field
/// elf(5), Elf64_Rel and Elf64_Rela: r_info is the symbol in its upper half, the type in its lower.
namespace relocation_field {
constexpr RecordField Offset = {0, 8}, Type = {8, 4}, Symbol = {12, 4}, Addend = {16, 8};
} // namespace relocation_field

/// \p field of \p record, which must be long enough.
uint64_t getField(llvm::ArrayRef<uint8_t> record, RecordField field);
/// Writes the low bytes of \p value.
void setField(llvm::MutableArrayRef<uint8_t> record, RecordField field, uint64_t value);

constexpr size_t ElfHeaderBytes = 64; ///< Also of a section header.
constexpr size_t SymbolBytes = 24;

struct SectionPart {
  std::array<uint8_t, ElfHeaderBytes> header{};
  Bytes contents;
  /// The file has bytes for it; else its offset and size are left as they are.
  bool isInFile = false;

  uint32_t type() const { return uint32_t(getField(header, section_field::Type)); }
};

struct ElfParts {
  std::array<uint8_t, ElfHeaderBytes> header{};
  std::vector<SectionPart> sections;

  /// The first section of that type, or null.
  SectionPart *find(uint32_t type);
};

/// Nothing for what has no ELF64 header with a section table in the file, or more than 64 sections.
std::optional<ElfParts> tryReadParts(llvm::ArrayRef<uint8_t> bytes);
/// Header, contents in the order of the sections (aligned as they ask for, up to 256), table.
Bytes writeParts(const ElfParts &parts);

} // namespace assay::fuzz
