// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;

static uint64_t littleEndian(StringRef bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

static MsgValue makeFloat(double number) {
  return {MsgKind::Float, 0, number, {}, {}};
}

static Conversion toBool(MsgValue &value) {
  bool isTruth = value.kind == MsgKind::Float ? value.number != 0 : value.bits != 0;
  bool isKept = value.kind == MsgKind::Float ? value.number == 0 || value.number == 1
                                             : value.kind != MsgKind::Int && value.bits <= 1;
  Conversion made = value.kind == MsgKind::Uint ? Conversion::Loose : Conversion::Exact;
  value = {MsgKind::Bool, isTruth, 0, {}, {}};
  return isKept ? made : Conversion::Lossy;
}

static Conversion toUint(MsgValue &value, unsigned bytes) {
  if (value.kind == MsgKind::Int) {
    if (bytes != 8)
      return Conversion::None;
    value.kind = MsgKind::Uint;
    return Conversion::Exact;
  }
  if (value.kind != MsgKind::Float) {
    Conversion made = value.kind == MsgKind::Bool ? Conversion::Loose : Conversion::Exact;
    value = MsgValue::makeUint(value.bits);
    return made;
  }
  constexpr double limit = 18446744073709551616.0; // 2^64
  double number = value.number;
  if (!(number >= 0 && number < limit))
    return Conversion::Refused; // The cast in PAL has no defined result.
  value = MsgValue::makeUint(static_cast<uint64_t>(number));
  return std::trunc(number) == number ? Conversion::Exact : Conversion::Lossy;
}

static Conversion toFloat(MsgValue &value) {
  double number = value.kind == MsgKind::Int ? static_cast<double>(static_cast<int64_t>(value.bits))
                                             : static_cast<double>(value.bits);
  Conversion made = value.kind == MsgKind::Nil ? Conversion::Exact : Conversion::Loose;
  value = makeFloat(number);
  return static_cast<double>(static_cast<float>(number)) == number ? made : Conversion::Lossy;
}

static Conversion convertNumber(MsgValue &value, MsgKind kind, unsigned bytes) {
  switch (kind) {
  case MsgKind::Bool:
    return toBool(value);
  case MsgKind::Uint:
    return toUint(value, bytes);
  default:
    return toFloat(value);
  }
}

static bool isNumber(const MsgValue &value) {
  static constexpr MsgKind kinds[] = {MsgKind::Nil, MsgKind::Bool, MsgKind::Uint, MsgKind::Int,
                                      MsgKind::Float};
  return is_contained(kinds, value.kind);
}

Conversion assay::convertScalar(MsgValue &value, MsgKind kind, unsigned bytes) {
  if (value.kind == kind)
    return Conversion::None;
  if (kind == MsgKind::String) {
    if (value.kind != MsgKind::Nil)
      return Conversion::Refused;
    value = MsgValue::makeString("");
    return Conversion::Exact;
  }
  bool isWrapped = value.kind == MsgKind::Array && value.items.size() == 1;
  MsgValue made = isWrapped ? value.items[0] : value;
  if (made.kind == MsgKind::Binary && made.text.size() == bytes) {
    isWrapped = true;
    uint64_t bits = littleEndian(made.text);
    made = kind == MsgKind::Float ? makeFloat(llvm::bit_cast<float>(static_cast<uint32_t>(bits)))
                                  : MsgValue::makeUint(bits);
  }
  if (!isNumber(made))
    return Conversion::Refused;
  Conversion how = made.kind == kind ? Conversion::None : convertNumber(made, kind, bytes);
  if (how == Conversion::Refused || (how == Conversion::None && !isWrapped))
    return how;
  value = std::move(made);
  return how == Conversion::Lossy ? how : isWrapped ? Conversion::Exact : how;
}

Conversion assay::convertArray(MsgValue &value, unsigned bytes) {
  if (value.kind == MsgKind::Array)
    return Conversion::None;
  MsgValue array = MsgValue::makeEmpty(MsgKind::Array);
  bool isUint = value.kind == MsgKind::Uint;
  if (value.kind == MsgKind::Binary) {
    for (StringRef rest = value.text; !rest.empty(); rest = rest.drop_front(bytes)) {
      if (rest.size() < bytes)
        return Conversion::Refused; // PAL would take half an element.
      array.items.push_back(MsgValue::makeUint(littleEndian(rest.take_front(bytes))));
    }
  } else if (isNumber(value)) {
    array.items.push_back(value);
  } else {
    return Conversion::Refused;
  }
  value = std::move(array);
  return isUint ? Conversion::Loose : Conversion::Exact;
}
