// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Conversion.h"

#include "oracles/pal_elf/Metadata.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static MsgValue makeNil() {
  return MsgValue::makeEmpty(MsgKind::Nil);
}
static MsgValue makeBool(bool value) {
  return {MsgKind::Bool, value, 0, {}, {}};
}
static MsgValue makeUint(uint64_t value) {
  return MsgValue::makeUint(value);
}
static MsgValue makeInt(int64_t value) {
  return {MsgKind::Int, static_cast<uint64_t>(value), 0, {}, {}};
}
static MsgValue makeFloat(double value) {
  return {MsgKind::Float, 0, value, {}, {}};
}
static MsgValue makeBinary(StringRef bytes) {
  return {MsgKind::Binary, 0, 0, bytes, {}};
}
static MsgValue makeArray(std::vector<MsgValue> items) {
  return {MsgKind::Array, 0, 0, {}, std::move(items)};
}

/// "float 1.500000", "array [unsigned integer 7]".
static std::string print(const MsgValue &value) {
  std::string text = msgKindName(value.kind).str() + " ";
  switch (value.kind) {
  case MsgKind::Float:
    return text + std::to_string(value.number);
  case MsgKind::String:
  case MsgKind::Binary:
    return text + "'" + value.text.str() + "'";
  case MsgKind::Array:
    text += "[";
    for (const MsgValue &item : value.items)
      text += (text.back() == '[' ? "" : ", ") + print(item);
    return text + "]";
  default:
    return text + std::to_string(value.bits);
  }
}

namespace {
struct Row {
  MsgValue from;
  unsigned bytes;
  Conversion how;
  MsgValue to = {}; ///< Of what is refused: nothing is said.
};
} // namespace

static void expectScalars(MsgKind kind, ArrayRef<Row> rows) {
  for (const Row &row : rows) {
    MsgValue value = row.from;
    std::string name = print(row.from) + " as " + msgKindName(kind).str() + " of " +
                       std::to_string(row.bytes) + " bytes";
    EXPECT_EQ(convertScalar(value, kind, row.bytes), row.how) << name;
    bool isKept = row.how == Conversion::Refused;
    EXPECT_EQ(print(value), print(isKept ? row.from : row.to)) << name;
  }
}

TEST(Conversion, ToBools) {
  using enum Conversion;
  const Row rows[] = {{makeBool(true), 1, None, makeBool(true)},
                      {makeUint(0), 1, Loose, makeBool(false)},
                      {makeUint(1), 1, Loose, makeBool(true)},
                      {makeUint(2), 1, Lossy, makeBool(true)},
                      {makeInt(-1), 1, Lossy, makeBool(true)},
                      {makeFloat(0), 1, Exact, makeBool(false)},
                      {makeFloat(1), 1, Exact, makeBool(true)},
                      {makeFloat(0.5), 1, Lossy, makeBool(true)},
                      {makeNil(), 1, Exact, makeBool(false)},
                      {makeArray({makeBool(true)}), 1, Exact, makeBool(true)},
                      {makeArray({makeUint(1)}), 1, Exact, makeBool(true)},
                      {makeArray({makeUint(2)}), 1, Lossy, makeBool(true)},
                      {makeBinary("\1"), 1, Exact, makeBool(true)},
                      {makeBinary("\1\1"), 1, Refused},
                      {makeArray({}), 1, Refused},
                      {makeArray({makeUint(1), makeUint(1)}), 1, Refused},
                      {makeArray({makeArray({makeUint(1)})}), 1, Refused},
                      {MsgValue::makeString("true"), 1, Refused},
                      {MsgValue::makeEmpty(MsgKind::Map), 1, Refused}};
  expectScalars(MsgKind::Bool, rows);
}

TEST(Conversion, ToIntegers) {
  using enum Conversion;
  const double tooMuch = std::ldexp(1.0, 64);
  const Row rows[] = {
      {makeUint(7), 4, None, makeUint(7)},
      {makeBool(true), 4, Loose, makeUint(1)},
      {makeNil(), 4, Exact, makeUint(0)},
      {makeFloat(7), 4, Exact, makeUint(7)},
      {makeFloat(7.5), 4, Lossy, makeUint(7)},
      {makeFloat(std::nextafter(tooMuch, 0.0)), 8, Exact, makeUint(~uint64_t(2047))},
      {makeFloat(tooMuch), 8, Refused},
      {makeFloat(-1), 4, Refused},
      {makeFloat(NAN), 4, Refused},
      {makeInt(-1), 4, None, makeInt(-1)},
      {makeInt(-1), 8, Exact, makeUint(~uint64_t(0))},
      {makeArray({makeUint(7)}), 4, Exact, makeUint(7)},
      {makeArray({makeInt(-1)}), 4, Exact, makeInt(-1)},
      {makeArray({makeFloat(7.5)}), 4, Lossy, makeUint(7)},
      {makeArray({makeFloat(-1)}), 4, Refused},
      {makeBinary(StringRef("\1\2\0\xff", 4)), 4, Exact, makeUint(0xff000201)},
      {makeBinary("\7"), 1, Exact, makeUint(7)},
      {makeBinary("\7"), 4, Refused},
      {MsgValue::makeString("7"), 4, Refused}};
  expectScalars(MsgKind::Uint, rows);
}

TEST(Conversion, ToFloats) {
  using enum Conversion;
  constexpr uint64_t TooFine = (1 << 24) + 1;
  const Row rows[] = {{makeFloat(1.5), 4, None, makeFloat(1.5)},
                      {makeUint(3), 4, Loose, makeFloat(3)},
                      {makeInt(-3), 4, Loose, makeFloat(-3)},
                      {makeBool(true), 4, Loose, makeFloat(1)},
                      {makeNil(), 4, Exact, makeFloat(0)},
                      {makeUint(TooFine), 4, Lossy, makeFloat(TooFine)},
                      {makeArray({makeFloat(1.5)}), 4, Exact, makeFloat(1.5)},
                      {makeArray({makeUint(3)}), 4, Exact, makeFloat(3)},
                      {makeBinary(StringRef("\0\0\xc0\x3f", 4)), 4, Exact, makeFloat(1.5)},
                      {MsgValue::makeString("1.5"), 4, Refused}};
  expectScalars(MsgKind::Float, rows);
}

TEST(Conversion, ToStringsOfNothingElseThanNil) {
  using enum Conversion;
  const Row rows[] = {{MsgValue::makeString("x"), 1, None, MsgValue::makeString("x")},
                      {makeNil(), 1, Exact, MsgValue::makeString("")},
                      {makeUint(7), 1, Refused},
                      {makeBinary("x"), 1, Refused},
                      {makeArray({MsgValue::makeString("x")}), 1, Refused}};
  expectScalars(MsgKind::String, rows);
}

TEST(Conversion, ToArrays) {
  using enum Conversion;
  const MsgValue strings = makeArray({MsgValue::makeString("x")});
  const Row rows[] = {{strings, 4, None, strings},
                      {makeUint(7), 4, Loose, makeArray({makeUint(7)})},
                      {makeBool(true), 4, Exact, makeArray({makeBool(true)})},
                      {makeNil(), 4, Exact, makeArray({makeNil()})},
                      {makeBinary(""), 4, Exact, makeArray({})},
                      {makeBinary("\1\2"), 1, Exact, makeArray({makeUint(1), makeUint(2)})},
                      {makeBinary(StringRef("\1\0\0\0\0\0\0\2", 8)), 4, Exact,
                       makeArray({makeUint(1), makeUint(2 << 24)})},
                      {makeBinary("\1\2\3\4\5"), 4, Refused},
                      {MsgValue::makeString("x"), 4, Refused},
                      {MsgValue::makeEmpty(MsgKind::Map), 4, Refused}};
  for (const Row &row : rows) {
    MsgValue value = row.from;
    EXPECT_EQ(convertArray(value, row.bytes), row.how) << print(row.from);
    EXPECT_EQ(print(value), print(row.how == Refused ? row.from : row.to)) << print(row.from);
  }
}

/// What is read of a stage in which \p key is \p value.
static Expected<HardwareStageMetadata> readStage(StringRef key, const MsgValue &value) {
  auto makeMap = [](StringRef key, MsgValue value) -> MsgValue {
    return {MsgKind::Map, 0, 0, {}, {MsgValue::makeString(key), std::move(value)}};
  };
  MsgValue root =
      makeMap("amdpal.pipelines",
              makeArray({makeMap(".hardware_stages", makeMap(".cs", makeMap(key, value)))}));
  root.items.push_back(MsgValue::makeString("amdpal.version"));
  root.items.push_back(makeArray({makeUint(3), makeUint(0)}));
  Expected<PalMetadata> metadata = decodePalMetadata(root);
  if (!metadata)
    return metadata.takeError();
  return metadata->stages.front();
}

TEST(PalMetadata, TakesBytesOfTheSizeThatAFieldHas) {
  EXPECT_EQ(cantFail(readStage(".float_mode", makeBinary("\xc0"))).floatMode, 0xc0);
  EXPECT_EQ(cantFail(readStage(".lds_size", makeBinary(StringRef("\0\1\0\0", 4)))).ldsSize, 256u);
  EXPECT_EQ(cantFail(readStage(".float_mode", makeUint(0x1c0))).floatMode, 0xc0);
  const std::pair<const char *, MsgValue> refused[] = {
      {".float_mode", makeBinary(StringRef("\xc0\0\0\0", 4))}, {".lds_size", makeBinary("\7")}};
  for (const auto &[key, value] : refused) {
    Expected<HardwareStageMetadata> stage = readStage(key, value);
    ASSERT_FALSE(static_cast<bool>(stage)) << key;
    EXPECT_EQ(takeError(stage.takeError()).kind, ErrorKind::InvalidInput) << key;
  }
}
