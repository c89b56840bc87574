// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/ElfParts.h"

#include "oracles/pal_elf/ElfView.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Files with more sections are refused.
static constexpr uint64_t MaxSections = 64;
/// Larger alignments of sections are reduced to this, so that a mutated one does not fill memory.
static constexpr uint64_t MaxAlign = 256;

uint64_t fuzz::getField(ArrayRef<uint8_t> record, RecordField field) {
  uint64_t value = 0;
  for (unsigned i = field.size; i-- > 0;)
    value = value << 8 | record[field.offset + i];
  return value;
}

void fuzz::setField(MutableArrayRef<uint8_t> record, RecordField field, uint64_t value) {
  for (unsigned i = 0; i < field.size; ++i)
    record[field.offset + i] = static_cast<uint8_t>(value >> 8 * i);
}

SectionPart *ElfParts::find(uint32_t type) {
  auto found = find_if(sections, [&](const SectionPart &part) { return part.type() == type; });
  return found == sections.end() ? nullptr : &*found;
}

/// True if \p size bytes at \p offset fit into \p total, without overflow.
static bool isInside(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

/// Sections without bytes in the file are kept as headers. Contents of overlapping sections are
/// copied for each of them.
std::optional<ElfParts> fuzz::tryReadParts(ArrayRef<uint8_t> bytes) {
  static constexpr uint8_t Magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (bytes.size() < ElfHeaderBytes || bytes.take_front(6) != ArrayRef<uint8_t>(Magic))
    return std::nullopt;
  ElfParts parts;
  copy(bytes.take_front(ElfHeaderBytes), parts.header.begin());
  uint64_t table = getField(parts.header, header_field::TableOffset);
  uint64_t count = getField(parts.header, header_field::Count);
  if (count == 0 || count > MaxSections || !isInside(table, count * ElfHeaderBytes, bytes.size()))
    return std::nullopt;
  for (uint64_t i = 0; i < count; ++i) {
    SectionPart part;
    copy(bytes.slice(table + i * ElfHeaderBytes, ElfHeaderBytes), part.header.begin());
    uint64_t offset = getField(part.header, section_field::Offset);
    uint64_t size = getField(part.header, section_field::Size);
    bool hasBytes = part.type() != elf::ShtNull && part.type() != elf::ShtNobits;
    part.isInFile = hasBytes && isInside(offset, size, bytes.size());
    if (part.isInFile)
      part.contents = bytes.slice(offset, size).vec();
    parts.sections.push_back(std::move(part));
  }
  return parts;
}

/// Pads with zeros to \p align, at most MaxAlign; does nothing if it is not a power of two.
static void pad(Bytes &bytes, uint64_t align) {
  if (isPowerOf2_64(align))
    bytes.resize(alignTo(bytes.size(), std::min(align, MaxAlign)));
}

/// Offsets, sizes, the table's position and the number of sections are set; all other fields are
/// kept.
Bytes fuzz::writeParts(const ElfParts &parts) {
  Bytes bytes(parts.header.begin(), parts.header.end());
  std::vector<std::array<uint8_t, ElfHeaderBytes>> table;
  for (const SectionPart &part : parts.sections) {
    table.push_back(part.header);
    if (!part.isInFile)
      continue;
    pad(bytes, getField(part.header, section_field::Align));
    setField(table.back(), section_field::Offset, bytes.size());
    setField(table.back(), section_field::Size, part.contents.size());
    append_range(bytes, part.contents);
  }
  pad(bytes, 8);
  setField(bytes, header_field::TableOffset, bytes.size());
  setField(bytes, header_field::Count, table.size());
  for (const auto &entry : table)
    append_range(bytes, entry);
  return bytes;
}
