// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of one chip, put together from the rows and layouts of all families.
#include "oracles/machine/gcn_isa/Isa.h"

#include "oracles/machine/gcn_isa/Codec.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// By Chip.
static constexpr StringLiteral ChipNames[ChipCount] = {"gfx900",  "gfx1010", "gfx1030",
                                                       "gfx1100", "gfx1150", "gfx1201"};

/// Nothing for chips without tables.
std::optional<Chip> gcn::findChip(StringRef cpu) {
  const auto *found = find(ChipNames, cpu);
  if (found == std::end(ChipNames))
    return std::nullopt;
  return static_cast<Chip>(found - std::begin(ChipNames));
}

StringRef gcn::chipName(Chip chip) {
  return ChipNames[unsigned(chip)];
}

/// \p width bits from bit \p lsb on, which counts through all dwords; at most 64. Bits after the
/// last dword are 0.
uint64_t Words::get(unsigned lsb, unsigned width) const {
  uint64_t value = 0;
  for (unsigned done = 0; done < width;) {
    unsigned bit = lsb + done;
    unsigned take = std::min(width - done, 32 - bit % 32);
    uint64_t dword = bit / 32 < MaxWords ? dwords[bit / 32] : 0;
    value |= (dword >> bit % 32 & ((uint64_t(1) << take) - 1)) << done;
    done += take;
  }
  return value;
}

/// The reverse of get(); bits after the last dword are dropped.
void Words::set(unsigned lsb, unsigned width, uint64_t value) {
  for (unsigned done = 0; done < width;) {
    unsigned bit = lsb + done;
    unsigned take = std::min(width - done, 32 - bit % 32);
    uint32_t mask = static_cast<uint32_t>(((uint64_t(1) << take) - 1) << bit % 32);
    if (bit / 32 < MaxWords) {
      uint32_t &dword = dwords[bit / 32];
      dword = (dword & ~mask) | (static_cast<uint32_t>((value >> done) << bit % 32) & mask);
    }
    done += take;
  }
}

/// Null when the format does not have the field.
const FieldPlace *FormatLayout::find(Field field) const {
  const auto *found = llvm::find_if(fields, [&](const FieldPlace &p) { return p.field == field; });
  return found == fields.end() ? nullptr : found;
}

/// Null when the chip has no such opcode.
const InstForm *IsaTable::find(Format format, unsigned opcode) const {
  const auto &forms = m_formOf[unsigned(format)];
  return opcode < forms.size() ? forms[opcode] : nullptr;
}

/// Tables of all chips are built at the first call.
const IsaTable &IsaTable::get(Chip chip) {
  static const IsaTable tables[ChipCount] = {IsaTable(Chip::Gfx900),  IsaTable(Chip::Gfx1010),
                                             IsaTable(Chip::Gfx1030), IsaTable(Chip::Gfx1100),
                                             IsaTable(Chip::Gfx1150), IsaTable(Chip::Gfx1201)};
  return tables[unsigned(chip)];
}

/// Collects the layouts and rows of the chip: those with an opcode for it.
IsaTable::IsaTable(Chip chip) : m_chip(chip) {
  addLayouts(aluLayouts());
  addLayouts(memoryLayouts());
  for (ArrayRef<IsaRow> rows : {scalarRows(), vectorRows(), memoryRows()})
    for (const IsaRow &row : rows)
      if (row.opcode[unsigned(chip)] >= 0)
        addRow(row);
}

/// Sorts the layouts by the upper bits of the first dword, for IsaTable::candidates(). Their order
/// is kept.
void IsaTable::addLayouts(ArrayRef<FormatLayout> layouts) {
  for (const FormatLayout &layout : layouts) {
    if (!contains(layout.chips, m_chip))
      continue;
    m_layouts.push_back(&layout);
    for (uint32_t top = 0; top < m_candidates.size(); ++top)
      if (((top << TopShift ^ layout.value) & layout.mask & (~0u << TopShift)) == 0)
        m_candidates[top].push_back(&layout);
    if (!m_layoutOf[unsigned(layout.format)])
      m_layoutOf[unsigned(layout.format)] = &layout;
  }
}

/// The plain form, and one for each variant that the row has (addForm knows which it has not).
void IsaTable::addRow(const IsaRow &row) {
  unsigned opcode = static_cast<unsigned>(row.opcode[unsigned(m_chip)]);
  for (unsigned format = 0; format < FormatCount; ++format)
    if (const FormatLayout *layout = m_layoutOf[format])
      if (std::optional<unsigned> own = opcodeIn(row, opcode, *layout, m_chip))
        addForm(row, *layout, *own);
}

/// Adds one form of a row; an opcode has one row.
void IsaTable::addForm(const IsaRow &row, const FormatLayout &layout, unsigned opcode) {
  InstForm &form = m_storage.emplace_back();
  form.row = &row;
  form.layout = &layout;
  form.opcode = static_cast<uint16_t>(opcode);
  form.name = row.name;
  finishForm(form, m_chip);
  auto &forms = m_formOf[unsigned(layout.format)];
  if (forms.size() <= opcode)
    forms.resize(opcode + 1);
  assert(!forms[opcode] && "two rows of one opcode");
  forms[opcode] = &form;
  m_forms.push_back(&form);
}
