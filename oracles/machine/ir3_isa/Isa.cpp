// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir3_isa/Isa.h"

#include "oracles/machine/ir3_isa/Slots.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Mesa 25.0: src/freedreno/common/freedreno_devices.py (registers, alignment),
/// src/freedreno/ir3/ir3_compiler.c (predicates, merged registers), src/freedreno/ir3/ir3_delay.c
/// (slots; a7xx needs one less than a6xx).
static constexpr ChipFacts Chips[ChipCount] = {
    {"a420", 400, 3, 6, 1, 0, false, 1, false, false, 48, 16},
    {"a540", 500, 3, 6, 1, 0, false, 1, false, false, 48, 16},
    {"a630", 600, 3, 6, 1, 3, true, 4, true, false, 96, 16},
    {"a660", 600, 3, 6, 1, 3, true, 4, true, true, 64, 16},
    {"a740", 700, 2, 5, 1, 3, true, 4, true, true, 96, 16},
};

const ChipFacts &adreno::factsOf(Chip chip) {
  return Chips[unsigned(chip)];
}

std::optional<Chip> adreno::findChip(StringRef name) {
  for (unsigned i = 0; i < ChipCount; ++i)
    if (Chips[i].name == name)
      return Chip(i);
  return std::nullopt;
}

/// Names of fields in the order of Field.
static constexpr StringLiteral FieldNames[] = {
#define FIELD(ENUM, NAME) NAME,
#include "oracles/machine/ir3_isa/Fields.def"
};

Field adreno::findField(StringRef name) {
  for (unsigned i = 0; i < FieldCount; ++i)
    if (FieldNames[i] == name)
      return Field(i);
  return Field::Count;
}

StringRef adreno::fieldName(Field field) {
  return FieldNames[unsigned(field)];
}

SyncFlag adreno::resultSync(Unit unit) {
  switch (unit) {
  case Unit::Sfu:
  case Unit::LocalLoad:
  case Unit::LocalAtomic:
  case Unit::ConstStore:
    return SyncFlag::Ss;
  case Unit::Texture:
  case Unit::Load:
  case Unit::Atomic:
  case Unit::ConstLoad:
    return SyncFlag::Sy;
  case Unit::Flow:
  case Unit::Alu:
  case Unit::Store:
  case Unit::Barrier:
    break;
  }
  return SyncFlag::None;
}

/// The tables are the program's own: whatever is wrong in them is a bug that any run shows.
[[noreturn]] static void reportBadTable(const Twine &what) {
  report_fatal_error("ir3 tables: " + what);
}

/// Returns the field called \p name. A name that does not exist is an error of the tables and ends
/// the program.
static Field fieldCalled(StringRef name) {
  Field field = findField(name);
  if (field == Field::Count)
    reportBadTable("no field '" + name + "'");
  return field;
}

/// "39-32" or "7".
static std::pair<uint8_t, uint8_t> parseBits(StringRef text) {
  auto [high, low] = text.split('-');
  unsigned highest = 0, lowest = 0;
  bool bad = high.getAsInteger(10, highest);
  lowest = highest;
  if (!low.empty())
    bad |= low.getAsInteger(10, lowest);
  if (bad || highest > 63 || lowest > highest)
    reportBadTable("bits '" + text + "'");
  return {uint8_t(lowest), uint8_t(highest - lowest + 1)};
}

/// Returns a mask of \p width bits from bit \p low on.
static uint64_t bitsOf(unsigned low, unsigned width) {
  return (width == 64 ? ~0ull : (1ull << width) - 1) << low;
}

/// Enters the fields of \p text ("dst:39-32 off:13-9,39-32") into \p form. The first of two ranges
/// has the more significant bits.
static void addFields(Form &form, StringRef text) {
  SmallVector<StringRef, 32> words;
  text.split(words, ' ', -1, false);
  for (StringRef word : words) {
    auto [name, bits] = word.split(':');
    auto [first, second] = bits.split(',');
    FieldPlace &place = form.places[unsigned(fieldCalled(name))];
    std::tie(place.low, place.width) = parseBits(first);
    form.fields |= bitsOf(place.low, place.width);
    if (second.empty())
      continue;
    std::tie(place.low2, place.width2) = parseBits(second);
    form.fields |= bitsOf(place.low2, place.width2);
  }
}

/// "31-27=00xxx": the first digit is the highest bit.
static void addFixed(Form &form, StringRef text) {
  SmallVector<StringRef, 8> words;
  text.split(words, ' ', -1, false);
  for (StringRef word : words) {
    auto [bits, digits] = word.split('=');
    auto [low, width] = parseBits(bits);
    if (digits.size() != width)
      reportBadTable("digits '" + word + "'");
    for (unsigned i = 0; i < width; ++i) {
      uint64_t bit = 1ull << (low + width - 1 - i);
      if (digits[i] == 'x')
        continue;
      form.mask |= bit;
      form.value |= digits[i] == '1' ? bit : 0;
    }
  }
}

/// Parses "field=value", "field!=value" or a comparison of two fields. A value may be decimal or
/// hexadecimal.
static TextCondition parseCondition(StringRef word) {
  TextCondition condition;
  auto [name, value] = word.split('=');
  condition.equal = !name.consume_back("!");
  condition.field = fieldCalled(name);
  if (value.getAsInteger(0, condition.value))
    condition.other = fieldCalled(value);
  return condition;
}

/// Splits the text of \p row into letters and slots. In a slot, the part after the field's name and
/// '=' or a space is the slot's argument. An unknown slot or field ends the program.
static Text parseText(const TextRow &row) {
  Text text;
  SmallVector<StringRef, 4> words;
  StringRef(row.conditions).split(words, ' ', -1, false);
  for (StringRef word : words)
    text.conditions.push_back(parseCondition(word));
  StringRef rest = row.text;
  while (!rest.empty()) {
    size_t brace = rest.find('{');
    if (brace)
      text.pieces.push_back({rest.take_front(brace), nullptr, Field::Count, ""});
    if (brace == StringRef::npos)
      break;
    size_t end = rest.find('}', brace);
    auto [kind, operand] = rest.slice(brace + 1, end).split(' ');
    auto [field, argument] = operand.split(operand.contains('=') ? '=' : ' ');
    TextPiece piece{"", findSlotKind(kind), field.empty() ? Field::Count : fieldCalled(field),
                    argument};
    if (!piece.kind)
      reportBadTable("no slot '" + kind + "'");
    text.pieces.push_back(piece);
    rest = rest.drop_front(end + 1);
  }
  return text;
}

/// Combines a row and its format. Bits 63-61 are the category. Ends the program when a fixed bit is
/// also a bit of a field.
static Form makeForm(const FormatRow &format, const InstRow &row) {
  Form form;
  form.format = &format;
  form.row = &row;
  form.mask = 7ull << 61;
  form.value = uint64_t(format.category) << 61;
  addFields(form, format.fields);
  addFixed(form, format.fixed);
  addFixed(form, row.fixed);
  if (form.fields & form.mask)
    reportBadTable("fixed bits in fields of '" + row.name + "'");
  for (const TextRow &text : format.texts)
    form.texts.push_back(parseText(text));
  SmallVector<StringRef, 2> words;
  StringRef(format.defaults).split(words, ' ', -1, false);
  for (StringRef word : words) {
    TextCondition condition = parseCondition(word);
    form.defaults.push_back({condition.field, condition.value});
  }
  return form;
}

/// Appends one form per row, in the order of \p rows. A row with an unknown format ends the
/// program.
static void addForms(std::vector<Form> &forms, ArrayRef<FormatRow> formats,
                     ArrayRef<InstRow> rows) {
  for (const InstRow &row : rows) {
    const auto *format =
        find_if(formats, [&](const FormatRow &format) { return format.name == row.format; });
    if (format == formats.end())
      reportBadTable("no format '" + row.format + "'");
    forms.push_back(makeForm(*format, row));
  }
}

ArrayRef<Form> adreno::allForms() {
  static const std::vector<Form> Forms = [] {
    std::vector<Form> forms;
    addForms(forms, flowFormats(), flowRows());
    addForms(forms, moveFormats(), moveRows());
    addForms(forms, aluFormats(), aluRows());
    addForms(forms, textureFormats(), textureRows());
    addForms(forms, memoryFormats(), memoryRows());
    addForms(forms, boundFormats(), boundRows());
    addForms(forms, barrierFormats(), barrierRows());
    return forms;
  }();
  return Forms;
}

IsaTable::IsaTable(Chip chip) : m_chip(chip), m_buckets(1024) {
  unsigned generation = factsOf(chip).generation;
  for (const Form &form : allForms()) {
    if (generation < form.row->firstGeneration || generation > form.row->lastGeneration)
      continue;
    m_forms.push_back(&form);
    for (uint64_t key = 0; key < m_buckets.size(); ++key)
      if (((key << 54 ^ form.value) & form.mask) >> 54 == 0)
        m_buckets[key].push_back(&form);
  }
}

const IsaTable &IsaTable::of(Chip chip) {
  static const std::vector<IsaTable> Tables = [] {
    std::vector<IsaTable> tables;
    for (unsigned i = 0; i < ChipCount; ++i)
      tables.emplace_back(Chip(i));
    return tables;
  }();
  return Tables[unsigned(chip)];
}
