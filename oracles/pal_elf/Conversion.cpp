// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;

/// Returns \p bytes as an unsigned integer. At most 8 bytes are meaningful: the high bytes of more
/// are shifted out.
static uint64_t littleEndian(StringRef bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

static MsgValue makeFloat(double number) {
  return {MsgKind::Float, 0, number, {}, {}};
}

/// Replaces the number \p value by a Bool that is true for anything but 0. Lossy for every number
/// except 0 and 1.
static Conversion toBool(MsgValue &value) {
  bool isTruth = value.kind == MsgKind::Float ? value.number != 0 : value.bits != 0;
  bool isKept = value.kind == MsgKind::Float ? value.number == 0 || value.number == 1
                                             : value.kind != MsgKind::Int && value.bits <= 1;
  Conversion made = value.kind == MsgKind::Uint ? Conversion::Loose : Conversion::Exact;
  value = {MsgKind::Bool, isTruth, 0, {}, {}};
  return isKept ? made : Conversion::Lossy;
}

/// Replaces the number \p value by a Uint. Floats are truncated, and Refused outside of 0 to 2^64.
/// A negative integer is reinterpreted where PAL reads 8 bytes; for a smaller type it is left as it
/// is (None), so that the caller reports its range.
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

/// Replaces the number \p value by a Float. Lossy when a C float cannot represent it exactly.
static Conversion toFloat(MsgValue &value) {
  double number = value.kind == MsgKind::Int ? static_cast<double>(static_cast<int64_t>(value.bits))
                                             : static_cast<double>(value.bits);
  Conversion made = value.kind == MsgKind::Nil ? Conversion::Exact : Conversion::Loose;
  value = makeFloat(number);
  return static_cast<double>(static_cast<float>(number)) == number ? made : Conversion::Lossy;
}

/// Converts \p value in place to \p kind, which is Bool, Uint or Float and not the kind that it
/// has.
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

/// Returns true for the scalars that PAL casts to each other. Nil is one of them and counts as 0.
static bool isNumber(const MsgValue &value) {
  static constexpr MsgKind kinds[] = {MsgKind::Nil, MsgKind::Bool, MsgKind::Uint, MsgKind::Int,
                                      MsgKind::Float};
  return is_contained(kinds, value.kind);
}

/// Converts the value in place as PAL's reader would; \p bytes is the size of the member. A refused
/// value stays.
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

/// Makes an array of a number, or of bytes in elements of \p bytes bytes. A refused value stays.
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
