// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of a relocatable ELF64, little endian, section by section.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::pal {

/// A section's header, without what follows from its contents.
struct SectionSpec {
  std::string name;
  uint32_t type = llvm::ELF::SHT_PROGBITS;
  uint64_t flags = 0;
  uint64_t align = 1;
  uint32_t link = 0, info = 0;
  uint64_t entrySize = 0;
};

/// Writes sections one after the other, each at its alignment, then the table of their headers.
class ElfWriter {
public:
  /// \p header gives machine, type and flags.
  explicit ElfWriter(const llvm::ELF::Elf64_Ehdr &header);
  /// Adds a section and returns its index.
  uint32_t addSection(const SectionSpec &spec, llvm::StringRef bytes);
  /// The file, with its table of section names.
  std::vector<uint8_t> finish();

private:
  llvm::ELF::Elf64_Ehdr m_header;
  std::vector<llvm::ELF::Elf64_Shdr> m_sections;
  std::string m_names;
  std::string m_bytes;
};

/// A note as it is in a section of notes.
std::string makeNote(llvm::StringRef owner, uint32_t type, llvm::StringRef desc);

/// The bytes of \p value as it is in memory.
template <typename Value> std::string bytesOf(const Value &value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  return std::string(reinterpret_cast<const char *>(&value), sizeof(value));
}

} // namespace assay::pal
