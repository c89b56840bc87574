// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/MetadataMutation.h"

#include "oracles/pal_elf/Schema.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

namespace {
/// An entry of a map, with what the schema knows of it.
struct Place {
  MsgValue *map;
  size_t key; ///< Index of its key in map->items; the value is after it.
  SchemaName owner;
  const SchemaKey *row; ///< Null for a key that no row has.

  MsgValue &value() const { return map->items[key + 1]; }
};

/// A map whose keys the schema knows.
struct KnownMap {
  MsgValue *map;
  SchemaName owner;
};

/// All places of one tree. Invalid after any change of its items: the maps are pointers into it.
struct Places {
  std::vector<Place> entries;
  std::vector<KnownMap> maps;
};
} // namespace

static void collectPlaces(MsgValue &map, SchemaName owner, Places &places);

/// Collects the maps that a value contains according to its schema row; values of another kind than
/// the row demands have none.
static void collectChildren(MsgValue &value, const SchemaKey &row, Places &places) {
  if (row.type == SchemaType::Struct)
    return collectPlaces(value, row.child, places);
  if (row.type == SchemaType::StructArray && value.kind == MsgKind::Array)
    for (MsgValue &item : value.items)
      collectPlaces(item, row.child, places);
  if (row.type == SchemaType::StructMap && value.kind == MsgKind::Map)
    for (size_t i = 1; i < value.items.size(); i += 2)
      collectPlaces(value.items[i], row.child, places);
}

/// Collects the map, its entries and those of all nested maps that the schema knows. Does nothing
/// for a value that is not a map.
static void collectPlaces(MsgValue &map, SchemaName owner, Places &places) {
  if (map.kind != MsgKind::Map)
    return;
  places.maps.push_back({&map, owner});
  for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const SchemaKey *row = findSchemaKey(owner, map.items[i].text);
    places.entries.push_back({&map, i, owner, row});
    if (row)
      collectChildren(map.items[i + 1], *row, places);
  }
}

/// Returns a float at a limit of its use: small integers, 64 and 65, huge, NaN or infinity.
static MsgValue makeFloat(Random &random) {
  static constexpr double Numbers[] = {
      0, 1, 64, 65, -1, 1e300, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL};
  MsgValue result;
  result.kind = MsgKind::Float;
  result.number = random.pick<double>(Numbers);
  return result;
}

/// The names that the keys of a StructMap may have.
static ArrayRef<StringRef> mapNames(const SchemaKey &row) {
  return getSchemaEnum(row.child == SchemaName::Shader ? SchemaName::ShaderName
                                                       : SchemaName::HardwareStageName);
}

static MsgValue makeValue(const SchemaKey &row, Random &random);

/// Returns a number for a row with a maximum: small, a user-data mapping, or one related to \p old
/// and the maximum. It may exceed the maximum.
static MsgValue makeNumber(const SchemaKey &row, uint64_t old, Random &random) {
  if (random.oneIn(4))
    return MsgValue::makeUint(random.below(16));
  if (random.oneIn(8)) // What registers of user data are mapped to: palPipelineAbi.h.
    return MsgValue::makeUint(0x10000000 + random.below(32));
  return MsgValue::makeUint(random.number(old, row.max));
}

/// Appends a random key of the schema's struct \p owner with a fitting value. The key may already
/// be there. Does nothing if the struct has no keys.
static void addEntry(MsgValue &map, SchemaName owner, Random &random) {
  std::vector<const SchemaKey *> rows;
  for (const SchemaKey &row : getSchemaKeys())
    if (row.owner == owner)
      rows.push_back(&row);
  if (rows.empty())
    return;
  const SchemaKey &row = *rows[random.below(rows.size())];
  map.items.push_back(MsgValue::makeString(row.name));
  map.items.push_back(makeValue(row, random));
}

/// Returns an array or map for the row: one entry for a struct, up to four items otherwise.
static MsgValue makeContainer(const SchemaKey &row, Random &random) {
  MsgValue result;
  bool isMap = row.type == SchemaType::Struct || row.type == SchemaType::StructMap;
  result.kind = isMap ? MsgKind::Map : MsgKind::Array;
  if (row.type == SchemaType::Struct) {
    addEntry(result, row.child, random);
    return result;
  }
  size_t count = random.below(5);
  for (size_t i = 0; i < count; ++i) {
    MsgValue item;
    if (row.type == SchemaType::UintArray)
      item = makeNumber(row, i, random);
    else if (row.type == SchemaType::EnumArray)
      item = MsgValue::makeString(random.pick(getSchemaEnum(row.child)));
    else
      item.kind = MsgKind::Map;
    if (item.kind == MsgKind::Map)
      addEntry(item, row.child, random);
    if (row.type == SchemaType::StructMap)
      result.items.push_back(MsgValue::makeString(random.pick(mapNames(row))));
    result.items.push_back(std::move(item));
  }
  return result;
}

/// Returns a value of the type that the row demands, possibly out of its range.
static MsgValue makeValue(const SchemaKey &row, Random &random) {
  MsgValue result;
  switch (row.type) {
  case SchemaType::Bool:
    result.kind = MsgKind::Bool;
    result.bits = random.below(2);
    return result;
  case SchemaType::Uint:
    return makeNumber(row, 0, random);
  case SchemaType::Float:
    return makeFloat(random);
  case SchemaType::Enum:
    return MsgValue::makeString(random.pick(getSchemaEnum(row.child)));
  case SchemaType::String:
    return MsgValue::makeString(random.pick(getSchemaEnum(SchemaName::PipelineSymbol)));
  case SchemaType::Binary:
    result.kind = MsgKind::Binary;
    result.text = row.name;
    return result;
  case SchemaType::Opaque:
    result.kind = MsgKind::Map;
    return result;
  case SchemaType::EnumArray:
  case SchemaType::UintArray:
  case SchemaType::Struct:
  case SchemaType::StructArray:
  case SchemaType::StructMap:
    return makeContainer(row, random);
  }
  llvm_unreachable("a type of value that does not exist");
}

/// Returns a value of any kind, without regard to the schema; text has bytes that reports must
/// escape.
static MsgValue makeAnything(Random &random) {
  MsgValue result;
  result.kind = static_cast<MsgKind>(random.below(10));
  result.bits = random.number(0, 0xffffffff);
  result.number = static_cast<double>(result.bits);
  if (result.kind == MsgKind::Bool)
    result.bits &= 1;
  if (result.kind == MsgKind::Int)
    result.bits |= uint64_t(1) << 63;
  bool isText = result.kind == MsgKind::String || result.kind == MsgKind::Binary ||
                result.kind == MsgKind::Extension;
  if (isText)
    result.text = StringRef("\xff\0<&\"]]>\n", random.below(9));
  if (result.kind == MsgKind::Array || result.kind == MsgKind::Map)
    for (size_t i = random.below(3) * 2; i > 0; --i)
      result.items.push_back(MsgValue::makeUint(i));
  return result;
}

/// Changes, copies or removes one element of a non-empty array.
static void changeElement(MsgValue &array, const SchemaKey &row, Random &random) {
  MsgValue &item = array.items[random.below(array.items.size())];
  if (item.kind == MsgKind::Uint)
    item = makeNumber(row, item.bits, random);
  else if (row.type == SchemaType::EnumArray)
    item = MsgValue::makeString(random.pick(getSchemaEnum(row.child)));
  else if (random.oneIn(2))
    array.items.push_back(MsgValue(item));
  else
    array.items.pop_back();
}

/// Another value of the same kind where there is one.
static void changeValue(MsgValue &value, const SchemaKey &row, Random &random) {
  if (value.kind == MsgKind::Bool)
    value.bits ^= 1;
  else if (value.kind == MsgKind::Uint)
    value = makeNumber(row, value.bits, random);
  else if (value.kind == MsgKind::Array && !value.items.empty())
    changeElement(value, row, random);
  else if (row.type == SchemaType::StructMap && value.kind == MsgKind::Map && !value.items.empty())
    value.items[random.below(value.mapSize()) * 2] =
        MsgValue::makeString(random.pick(mapNames(row)));
  else
    value = makeValue(row, random);
}

/// A register of a pipeline: the windows of persistent, context and user-config registers.
static void changeRegisters(MsgValue &registers, Random &random) {
  static constexpr uint32_t Windows[] = {0x2c00, 0x2e00, 0xa000, 0xa1b0, 0xa200, 0xa2c0, 0xc240};
  if (registers.kind != MsgKind::Map)
    return;
  if (registers.mapSize() && random.oneIn(2)) {
    MsgValue &value = registers.items[random.below(registers.mapSize()) * 2 + 1];
    value = MsgValue::makeUint(value.bits ^ uint64_t(1) << random.below(33));
    return;
  }
  uint32_t window = random.pick<uint32_t>(Windows); // One draw after the other.
  registers.items.push_back(MsgValue::makeUint(window + random.below(64)));
  registers.items.push_back(MsgValue::makeUint(random.number(0, 0xffffffff)));
}

/// Replaces an entry's key by another one of the same struct, or, one time in eight, by any value.
static void changeKey(const Place &place, Random &random) {
  MsgValue &key = place.map->items[place.key];
  if (random.oneIn(8)) {
    key = makeAnything(random);
    return;
  }
  MsgValue other;
  addEntry(other, place.owner, random);
  if (!other.items.empty())
    key = other.items[0];
}

/// Erases key and value; the indices of following entries of this map are then wrong.
static void removeEntry(const Place &place) {
  auto at = place.map->items.begin() + static_cast<ptrdiff_t>(place.key);
  place.map->items.erase(at, at + 2);
}

/// Appends the entry to its map a second time: the same key twice is an error that a rule finds.
static void duplicateEntry(const Place &place) {
  MsgValue key = place.map->items[place.key];
  MsgValue value = place.value();
  place.map->items.push_back(std::move(key));
  place.map->items.push_back(std::move(value));
}

/// Changes one value, key or entry; a tree without a known map becomes a random value. Collects the
/// places first, as each change invalidates them.
static void changeOnce(MsgValue &root, Random &random) {
  Places places;
  collectPlaces(root, SchemaName::CodeObject, places);
  if (places.entries.empty()) {
    root = makeAnything(random);
    return;
  }
  const Place &place = places.entries[random.below(places.entries.size())];
  const KnownMap &known = places.maps[random.below(places.maps.size())];
  size_t action = random.below(16);
  if (place.row && place.row->name == ".registers" && action < 14)
    return changeRegisters(place.value(), random);
  if (action < 8 && place.row)
    return changeValue(place.value(), *place.row, random);
  if (action < 11)
    return addEntry(*known.map, known.owner, random);
  if (action < 13)
    return removeEntry(place);
  if (action == 13)
    return duplicateEntry(place);
  if (action == 14)
    return changeKey(place, random);
  place.value() = makeAnything(random);
}

Bytes fuzz::mutateMetadata(ArrayRef<uint8_t> metadata, Random &random) {
  Expected<MsgValue> root = readMsgPack(metadata);
  if (!root) {
    consumeError(root.takeError());
    return metadata.vec();
  }
  for (size_t count = 1 + random.below(3); count > 0; --count)
    changeOnce(*root, random);
  return writeMsgPack(*root);
}

/// \p value under \p key, in the place of the first entry that has it.
static void putEntry(MsgValue &map, const MsgValue &key, const MsgValue &value) {
  for (size_t i = 0; i + 1 < map.items.size(); i += 2)
    if (map.items[i].isString(key.text)) {
      map.items[i + 1] = value;
      return;
    }
  map.items.push_back(key);
  map.items.push_back(value);
}

/// One time in four, and where either is no MessagePack, the result is \p from as a whole.
Bytes fuzz::mixMetadata(ArrayRef<uint8_t> into, ArrayRef<uint8_t> from, Random &random) {
  Expected<MsgValue> first = readMsgPack(into);
  Expected<MsgValue> second = readMsgPack(from);
  bool areBoth = bool(first) && bool(second);
  if (!first)
    consumeError(first.takeError());
  if (!second)
    consumeError(second.takeError());
  if (!areBoth || random.oneIn(4))
    return from.vec();
  Places places, others;
  collectPlaces(*first, SchemaName::CodeObject, places);
  collectPlaces(*second, SchemaName::CodeObject, others);
  if (others.entries.empty())
    return from.vec();
  const Place &other = others.entries[random.below(others.entries.size())];
  const MsgValue &key = other.map->items[other.key];
  for (const KnownMap &known : places.maps) {
    if (known.owner != other.owner)
      continue;
    putEntry(*known.map, key, other.value());
    break;
  }
  return writeMsgPack(*first);
}
