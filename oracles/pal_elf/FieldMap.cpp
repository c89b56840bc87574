// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/FieldMap.h"

#include "oracles/pal_elf/rules/Rules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

/// Returns an empty map where the key is missing or is no map, so that paths can be followed
/// without checks.
FieldMap FieldMap::at(StringRef key) const {
  const MsgValue *value = find(key);
  return FieldMap(value && value->kind == MsgKind::Map ? value : nullptr);
}

/// Returns an unsigned integer, or 0 and 1 for a bool. Nullopt for other kinds.
static std::optional<uint64_t> asNumber(const MsgValue &value) {
  return value.kind == MsgKind::Bool ? value.bits : value.asUint();
}

std::optional<uint64_t> FieldMap::number(StringRef key) const {
  const MsgValue *value = find(key);
  return value ? asNumber(*value) : std::nullopt;
}

/// Accepts integers, too.
std::optional<double> FieldMap::real(StringRef key) const {
  const MsgValue *value = find(key);
  if (value && value->kind == MsgKind::Float)
    return value->number;
  std::optional<uint64_t> number = value ? asNumber(*value) : std::nullopt;
  return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
}

/// Empty where the key is missing or is no array.
ArrayRef<MsgValue> FieldMap::items(StringRef key) const {
  const MsgValue *value = find(key);
  if (value && value->kind == MsgKind::Array)
    return value->items;
  return {};
}

FieldMap assay::pipelineFields(const ElfModel &model) {
  return FieldMap(model.launch ? model.pipeline : nullptr);
}

/// Returns the map of 3.x metadata, or what 2.x registers decode to.
FieldMap assay::graphicsRegisters(const ElfModel &model) {
  FieldMap fields = pipelineFields(model).at(".graphics_registers");
  if (fields.exists() || !model.launch)
    return fields;
  return FieldMap(model.decodedRegisters ? &*model.decodedRegisters : nullptr);
}

FieldMap assay::stageFields(const ElfModel &model, StringRef stage) {
  return pipelineFields(model).at(".hardware_stages").at(stage);
}

/// Fields of the stage, or, for a library's function, its entry in '.shader_functions'.
FieldMap assay::functionFields(const ElfModel &model, const FunctionCode &function) {
  if (!function.stage.empty())
    return stageFields(model, function.stage);
  return pipelineFields(model).at(".shader_functions").at(function.symbol->name);
}

std::string assay::graphicsPlace(StringRef key) {
  return (".graphics_registers" + key).str();
}

uint64_t assay::numberOf(const MsgValue &value) {
  return value.asUint().value_or(0);
}

StringRef assay::pipelineType(const ElfModel &model) {
  return model.launch ? StringRef(model.launch->type) : "";
}

bool assay::isMeshPipeline(const ElfModel &model) {
  return pipelineType(model).ends_with("Mesh");
}

bool assay::hasApiShader(const ElfModel &model, StringRef name) {
  return pipelineFields(model).at(".shaders").has(name);
}

namespace {

/// A bit field of a register that metadata 3.x have as a key of its own (Registers.def).
struct FieldRow {
  uint32_t offset;
  StringLiteral map;
  StringLiteral key;
  uint8_t low, high;
};
constexpr FieldRow Fields[] = {
#define FIELD(OFFSET, MAP, KEY, LOW, HIGH) {OFFSET, MAP, KEY, LOW, HIGH},
#include "oracles/pal_elf/Registers.def"
};

/// A bit field of a register that metadata 3.x have as an element of an array (Registers.def).
struct ElementRow {
  uint32_t offset;
  StringLiteral array;
  uint8_t index, low, high;
};
constexpr ElementRow Elements[] = {
#define ELEMENT(OFFSET, ARRAY, INDEX, LOW, HIGH) {OFFSET, ARRAY, INDEX, LOW, HIGH},
#include "oracles/pal_elf/Registers.def"
};

/// SPI_PS_INPUT_CNTL_0 and the 31 after it: one struct each.
constexpr uint32_t InputControl = 0xa191;
/// Relative to one input control register: neither offset nor map is used.
constexpr FieldRow InputFields[] = {
    {0, "", ".offset", 0, 5},          {0, "", ".default_val", 8, 9},
    {0, "", ".flat_shade", 10, 10},    {0, "", ".cyl_wrap", 13, 16},
    {0, "", ".pt_sprite_tex", 17, 17}, {0, "", ".fp16_interp_mode", 19, 19},
    {0, "", ".attr0_valid", 24, 24},   {0, "", ".attr1_valid", 25, 25},
};

using Registers = std::map<uint32_t, uint32_t>;

} // namespace

/// Returns bits row.low to row.high, both inclusive, of the register \p value.
static MsgValue extract(uint32_t value, const FieldRow &row) {
  return MsgValue::makeUint(value >> row.low & maskTrailingOnes<uint32_t>(row.high - row.low + 1u));
}

/// The value of \p key in \p map, of \p kind; made when it is missing.
static MsgValue &getOrMake(MsgValue &map, StringRef key, MsgKind kind) {
  for (size_t i = 0; i + 1 < map.items.size(); i += 2)
    if (map.items[i].text == key)
      return map.items[i + 1];
  map.items.push_back(MsgValue::makeString(key));
  map.items.push_back(MsgValue::makeEmpty(kind));
  return map.items.back();
}

/// Sets \p key of \p map, replacing an earlier value.
static void addField(MsgValue &map, StringRef key, MsgValue value) {
  getOrMake(map, key, MsgKind::Uint) = std::move(value);
}

/// Returns the 2.x register map \p registers by dword offset. Entries with a key or value that is
/// not a 32-bit unsigned integer are left out; of equal keys the last one counts.
static Registers readRegisters(const MsgValue &registers) {
  Registers result;
  for (size_t i = 0; i + 1 < registers.items.size(); i += 2) {
    std::optional<uint64_t> key = registers.items[i].asUint();
    std::optional<uint64_t> value = registers.items[i + 1].asUint();
    if (key && value && isUInt<32>(*key) && isUInt<32>(*value))
      result[static_cast<uint32_t>(*key)] = static_cast<uint32_t>(*value);
  }
  return result;
}

/// Adds one map for each SPI_PS_INPUT_CNTL register to the array `.spi_ps_input_cntl` of \p result,
/// up to the first register that is missing.
static void decodeInputControls(const Registers &registers, MsgValue &result) {
  for (uint32_t i = 0; i < 32; ++i) {
    auto it = registers.find(InputControl + i);
    if (it == registers.end())
      return;
    MsgValue input = MsgValue::makeEmpty(MsgKind::Map);
    for (const FieldRow &row : InputFields)
      addField(input, row.key, extract(it->second, row));
    getOrMake(result, ".spi_ps_input_cntl", MsgKind::Array).items.push_back(std::move(input));
  }
}

/// Returns what 3.x metadata would say. Registers that are missing leave their fields out.
MsgValue assay::decodeGraphicsRegisters(const MsgValue &map) {
  Registers registers = readRegisters(map);
  MsgValue result = MsgValue::makeEmpty(MsgKind::Map);
  for (const FieldRow &row : Fields) {
    auto it = registers.find(row.offset);
    if (it == registers.end())
      continue;
    MsgValue &to = row.map.empty() ? result : getOrMake(result, row.map, MsgKind::Map);
    addField(to, row.key, extract(it->second, row));
  }
  for (const ElementRow &row : Elements) {
    auto it = registers.find(row.offset);
    if (it == registers.end())
      continue;
    MsgValue &array = getOrMake(result, row.array, MsgKind::Array);
    array.items.resize(std::max<size_t>(array.items.size(), row.index + 1u), MsgValue::makeUint(0));
    array.items[row.index] = extract(it->second, {0, "", "", row.low, row.high});
  }
  decodeInputControls(registers, result);
  return result;
}

/// Returns \p number, cut off to the width of the field, shifted to its bits.
static uint32_t insert(uint64_t number, const FieldRow &row) {
  return static_cast<uint32_t>(number & maskTrailingOnes<uint32_t>(row.high - row.low + 1u))
         << row.low;
}

/// Fields that are missing count as 0.
uint32_t assay::encodeGraphicsRegister(const FieldMap &graphics, uint32_t offset) {
  uint32_t value = 0;
  for (const FieldRow &row : Fields)
    if (row.offset == offset)
      value |= insert((row.map.empty() ? graphics : graphics.at(row.map)).numberOr(row.key), row);
  for (const ElementRow &row : Elements) {
    ArrayRef<MsgValue> items = graphics.items(row.array);
    if (row.offset == offset && row.index < items.size())
      value |= insert(numberOf(items[row.index]), {offset, "", "", row.low, row.high});
  }
  ArrayRef<MsgValue> inputs = graphics.items(".spi_ps_input_cntl");
  if (offset >= InputControl && offset - InputControl < inputs.size())
    for (const FieldRow &row : InputFields)
      value |= insert(FieldMap(&inputs[offset - InputControl]).numberOr(row.key), row);
  return value;
}
