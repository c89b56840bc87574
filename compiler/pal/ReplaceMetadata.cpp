// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/ElfWriter.h"
#include "compiler/pal/Metadata.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include <cstring>
#include <utility>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {
/// The file header and the section headers of an ELF.
struct ElfHeaders {
  ELF::Elf64_Ehdr file;
  std::vector<ELF::Elf64_Shdr> sections;
};
} // namespace

/// Copies the headers out of \p elf; InvalidInput where a table or a section exceeds it.
static Expected<ElfHeaders> readHeaders(ArrayRef<uint8_t> elf) {
  ElfHeaders headers;
  if (elf.size() < sizeof(headers.file))
    return invalidInput("the ELF is too short");
  std::memcpy(&headers.file, elf.data(), sizeof(headers.file));
  headers.sections.resize(headers.file.e_shnum);
  size_t bytes = headers.sections.size() * sizeof(ELF::Elf64_Shdr);
  if (headers.file.e_shoff > elf.size() || elf.size() - headers.file.e_shoff < bytes)
    return invalidInput("the ELF's sections are outside of it");
  std::memcpy(headers.sections.data(), elf.data() + headers.file.e_shoff, bytes);
  for (const ELF::Elf64_Shdr &section : headers.sections)
    if (section.sh_type != ELF::SHT_NOBITS &&
        (section.sh_offset > elf.size() || elf.size() - section.sh_offset < section.sh_size))
      return invalidInput("a section is outside of the ELF");
  return headers;
}

/// Returns \p notes with \p metadata in place of the descriptor of the metadata note. InvalidInput
/// for a truncated note and where there is no metadata.
static Expected<std::string> replaceInNotes(StringRef notes, StringRef metadata) {
  std::string result;
  bool isReplaced = false;
  while (!notes.empty()) {
    ELF::Elf64_Nhdr header;
    if (notes.size() < sizeof(header))
      return invalidInput("a note is cut off");
    std::memcpy(&header, notes.data(), sizeof(header));
    uint64_t name = alignTo(header.n_namesz, 4), desc = alignTo(header.n_descsz, 4);
    if (header.n_namesz == 0 || notes.size() < sizeof(header) + name + desc)
      return invalidInput("a note is cut off");
    StringRef owner = notes.substr(sizeof(header), header.n_namesz - 1);
    bool isMetadata = owner == "AMDGPU" && header.n_type == ELF::NT_AMDGPU_METADATA;
    result +=
        makeNote(owner, header.n_type,
                 isMetadata ? metadata : notes.substr(sizeof(header) + name, header.n_descsz));
    isReplaced |= isMetadata;
    notes = notes.drop_front(sizeof(header) + name + desc);
  }
  return isReplaced ? Expected<std::string>(std::move(result))
                    : invalidInput("the ELF has no metadata");
}

/// Returns \p elf with \p notes as the contents of section \p noteIndex. Sections are placed as
/// LLVM places them: in the order of their offsets, followed by their table.
static std::vector<uint8_t> writeAgain(ArrayRef<uint8_t> elf, ElfHeaders headers, size_t noteIndex,
                                       StringRef notes) {
  std::vector<ELF::Elf64_Shdr *> order;
  for (ELF::Elf64_Shdr &section : headers.sections)
    order.push_back(&section);
  sort(order, [](const auto *left, const auto *right) {
    return std::pair(left->sh_offset, left) < std::pair(right->sh_offset, right);
  });
  std::string bytes(sizeof(headers.file), '\0');
  for (ELF::Elf64_Shdr *section : order) {
    if (section->sh_type == ELF::SHT_NULL)
      continue;
    bytes.resize(alignTo(bytes.size(), std::max<uint64_t>(section->sh_addralign, 1)));
    uint64_t offset = std::exchange(section->sh_offset, bytes.size());
    if (section->sh_type == ELF::SHT_NOBITS)
      continue;
    StringRef content = notes;
    if (static_cast<size_t>(section - headers.sections.data()) != noteIndex)
      content = toStringRef(elf.slice(offset, section->sh_size));
    section->sh_size = content.size();
    bytes += content;
  }
  bytes.resize(alignTo(bytes.size(), 8));
  headers.file.e_shoff = bytes.size();
  for (const ELF::Elf64_Shdr &section : headers.sections)
    bytes += bytesOf(section);
  std::memcpy(bytes.data(), &headers.file, sizeof(headers.file));
  return {bytes.begin(), bytes.end()};
}

Expected<std::vector<uint8_t>> pal::replaceMetadata(ArrayRef<uint8_t> elf, StringRef metadata) {
  Expected<ElfHeaders> headers = readHeaders(elf);
  if (!headers)
    return headers.takeError();
  auto note = find_if(headers->sections, [](const ELF::Elf64_Shdr &section) {
    return section.sh_type == ELF::SHT_NOTE;
  });
  if (note == headers->sections.end())
    return invalidInput("the ELF has no notes");
  Expected<std::string> notes =
      replaceInNotes(toStringRef(elf.slice(note->sh_offset, note->sh_size)), metadata);
  if (!notes)
    return notes.takeError();
  return writeAgain(elf, *headers, size_t(note - headers->sections.begin()), *notes);
}
