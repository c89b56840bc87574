// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/ElfWriter.h"

#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

/// Section 0 is the null section. \p header is completed by finish().
ElfWriter::ElfWriter(const ELF::Elf64_Ehdr &header)
    : m_header(header), m_sections(1), m_names(1, '\0'), m_bytes(sizeof(ELF::Elf64_Ehdr), '\0') {}

/// Appends the section at the next offset with its alignment and returns its index.
uint32_t ElfWriter::addSection(const SectionSpec &spec, StringRef bytes) {
  m_bytes.resize(alignTo(m_bytes.size(), spec.align));
  ELF::Elf64_Shdr header{};
  header.sh_name = m_names.size();
  header.sh_type = spec.type;
  header.sh_flags = spec.flags;
  header.sh_offset = m_bytes.size();
  header.sh_size = bytes.size();
  header.sh_link = spec.link;
  header.sh_info = spec.info;
  header.sh_addralign = spec.align;
  header.sh_entsize = spec.entrySize;
  m_names += spec.name + '\0';
  m_bytes += bytes;
  m_sections.push_back(header);
  return m_sections.size() - 1;
}

/// Adds the section names and the section headers. Call it once.
std::vector<uint8_t> ElfWriter::finish() {
  std::string names = m_names + ".shstrtab" + '\0';
  SectionSpec spec;
  spec.name = ".shstrtab";
  spec.type = ELF::SHT_STRTAB;
  m_header.e_shstrndx = addSection(spec, names);
  m_bytes.resize(alignTo(m_bytes.size(), 8));
  m_header.e_shoff = m_bytes.size();
  m_header.e_shnum = m_sections.size();
  for (const ELF::Elf64_Shdr &section : m_sections)
    m_bytes += bytesOf(section);
  memcpy(m_bytes.data(), &m_header, sizeof(m_header));
  return {m_bytes.begin(), m_bytes.end()};
}

/// Returns an ELF note. Name and description are padded to four bytes each; the size of the name
/// counts its final zero.
std::string pal::makeNote(StringRef owner, uint32_t type, StringRef desc) {
  std::string note = bytesOf(static_cast<uint32_t>(owner.size() + 1)) +
                     bytesOf(static_cast<uint32_t>(desc.size())) + bytesOf(type) + owner.str();
  note.resize(alignTo(note.size() + 1, 4));
  note += desc;
  note.resize(alignTo(note.size(), 4));
  return note;
}
