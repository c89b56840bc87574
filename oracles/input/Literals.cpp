// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/Literals.h"

#include "support/Error.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <cctype>

using namespace llvm;
using namespace assay;

bool input::isFloat(ScalarKind kind) {
  return kind == ScalarKind::Float16 || kind == ScalarKind::Float32 || kind == ScalarKind::Float64;
}

/// Relies on the order of ScalarKind: signed integers come first.
bool input::isSignedInt(ScalarKind kind) {
  return kind <= ScalarKind::Int64;
}

/// True for a prefix "0x"; there is no sign before it.
static bool isHex(StringRef text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

/// InvalidInput: \p text, cut off at 40 characters, is not \p what.
static Error notA(StringRef text, const Twine &what) {
  return invalidInput("'" + text.take_front(40) + "' is not " + what);
}

/// Quotes at most 40 characters.
static Error outOfRange(StringRef text, ScalarKind kind) {
  return invalidInput("'" + text.take_front(40) + "' does not fit in " + scalarName(kind));
}

/// Digits only: StringRef::getAsInteger would accept further prefixes.
static bool onlyDigits(StringRef text, bool hex) {
  return !text.empty() && all_of(text, [hex](unsigned char c) {
    return hex ? std::isxdigit(c) != 0 : std::isdigit(c) != 0;
  });
}

/// The digits of "4.0" or "4." before the point; of another text, the text.
static StringRef wholePart(StringRef text) {
  auto [whole, fraction] = text.split('.');
  return fraction.find_first_not_of('0') == StringRef::npos ? whole : text;
}

/// As strtoull() does, which Amber calls: above 64 bits the largest number.
static Expected<uint64_t> parseInteger(StringRef text, ScalarKind kind) {
  unsigned bits = scalarBytes(kind) * 8;
  bool negative = text.starts_with("-");
  StringRef digits = negative ? text.drop_front() : text;
  bool hex = isHex(digits);
  digits = hex ? digits.drop_front(2) : wholePart(digits);
  if (!onlyDigits(digits, hex))
    return notA(text, Twine("an integer (") + scalarName(kind) + ")");
  uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1;
  uint64_t magnitude = 0;
  if (digits.getAsInteger(hex ? 16 : 10, magnitude))
    return all;
  return (negative ? 0 - magnitude : magnitude) & all;
}

/// \p kind is a float.
static const fltSemantics &semanticsOf(ScalarKind kind) {
  if (kind == ScalarKind::Float16)
    return APFloat::IEEEhalf();
  return kind == ScalarKind::Float32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
}

/// sign, digits with at most one point, exponent. APFloat takes more than that (hexadecimal
/// floats).
static bool isDecimalReal(StringRef text) {
  text.consume_front("-") || text.consume_front("+");
  auto [mantissa, exponent] = text.split(text.contains('e') ? 'e' : 'E');
  bool hasExponent = mantissa.size() != text.size();
  auto [whole, fraction] = mantissa.split('.');
  if (!onlyDigits((whole + fraction).str(), false))
    return false;
  if (!hasExponent)
    return true;
  exponent.consume_front("-") || exponent.consume_front("+");
  return onlyDigits(exponent, false) && exponent.size() <= 6;
}

/// nan, inf and their signed forms.
static std::optional<APFloat> parseSpecial(StringRef text, const fltSemantics &semantics) {
  bool negative = text.consume_front("-");
  if (!negative)
    text.consume_front("+");
  if (text.equals_insensitive("nan"))
    return APFloat::getQNaN(semantics, negative);
  if (text.equals_insensitive("inf") || text.equals_insensitive("infinity"))
    return APFloat::getInf(semantics, negative);
  return std::nullopt;
}

/// Returns \p text rounded to the nearest value of \p kind, ties to even. Hexadecimal text is an
/// integer. InvalidInput for a number that rounds to infinity; "inf" itself is accepted.
static Expected<APFloat> parseFloat(StringRef text, ScalarKind kind) {
  const fltSemantics &semantics = semanticsOf(kind);
  if (std::optional<APFloat> special = parseSpecial(text, semantics))
    return *special;
  APFloat value(semantics);
  if (isHex(text)) {
    Expected<uint64_t> integer = parseInteger(text, ScalarKind::Uint64);
    if (!integer)
      return integer.takeError();
    value.convertFromAPInt(APInt(64, *integer), false, APFloat::rmNearestTiesToEven);
  } else {
    if (!isDecimalReal(text))
      return notA(text, Twine("a number (") + scalarName(kind) + ")");
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status)
      return consumeError(status.takeError()), notA(text, "a number");
  }
  if (value.isInfinity())
    return outOfRange(text, kind);
  return value;
}

/// Returns the bits of the scalar in the low part of the result. Integers out of range wrap as
/// parseInteger() says; see parseInRange().
Expected<uint64_t> input::parseScalar(StringRef text, ScalarKind kind) {
  if (!isFloat(kind))
    return parseInteger(text, kind);
  Expected<APFloat> value = parseFloat(text, kind);
  if (!value)
    return value.takeError();
  return value->bitcastToAPInt().getZExtValue();
}

/// As parseScalar(), but InvalidInput for integers that do not fit. Hexadecimal numbers may use the
/// sign bit of a signed kind.
Expected<uint64_t> input::parseInRange(StringRef text, ScalarKind kind) {
  Expected<uint64_t> value = parseScalar(text, kind);
  if (!value || isFloat(kind))
    return value;
  bool isHexadecimal = isHex(text.ltrim('-'));
  APInt wide(128, 0);
  bool isBroken = wholePart(text.ltrim('-').drop_front(isHexadecimal ? 2 : 0))
                      .getAsInteger(isHexadecimal ? 16 : 10, wide);
  unsigned bits = scalarBytes(kind) * 8;
  bool isNegative = text.starts_with("-");
  unsigned most = isNegative || (isSignedInt(kind) && !isHexadecimal) ? bits - 1 : bits;
  bool isLowest = isNegative && !isBroken && wide.isPowerOf2() && wide.logBase2() == bits - 1;
  if (isBroken || (wide.getActiveBits() > most && !isLowest))
    return outOfRange(text, kind);
  return value;
}

/// Accepts decimal and hexadecimal digits without a sign. \p what names the number in messages.
Expected<uint64_t> input::parseUnsigned(StringRef text, uint64_t max, StringRef what) {
  bool hex = isHex(text);
  StringRef digits = hex ? text.drop_front(2) : text;
  uint64_t value = 0;
  if (!onlyDigits(digits, hex) || digits.getAsInteger(hex ? 16 : 10, value))
    return notA(text, what + " (an unsigned number)");
  if (value > max)
    return invalidInput(what + " " + text + " is above " + Twine(max));
  return value;
}

/// \p what names the number in messages.
Expected<double> input::parseReal(StringRef text, StringRef what) {
  Expected<APFloat> value = parseFloat(text, ScalarKind::Float64);
  if (!value) {
    consumeError(value.takeError());
    return notA(text, what + " (a number)");
  }
  return value->convertToDouble();
}

/// A percent sign after the number makes it relative. InvalidInput for negative numbers and NaN.
Expected<Tolerance> input::parseTolerance(StringRef text) {
  Tolerance tolerance;
  StringRef number = text;
  tolerance.percent = number.consume_back("%");
  Expected<double> value = parseReal(number, "a tolerance");
  if (!value)
    return value.takeError();
  if (!(*value >= 0))
    return invalidInput("tolerance " + text + " is negative or no number");
  tolerance.value = *value;
  return tolerance;
}

/// Rounds to nearest even. InvalidInput for finite numbers beyond the largest one of the kind.
Expected<uint64_t> input::bitsOfReal(double number, ScalarKind kind) {
  APFloat value(number);
  bool finite = value.isFinite();
  bool losesInfo = false;
  value.convert(semanticsOf(kind), APFloat::rmNearestTiesToEven, &losesInfo);
  if (finite && value.isInfinity())
    return invalidInput(Twine("the value does not fit in ") + scalarName(kind));
  return value.bitcastToAPInt().getZExtValue();
}

/// Writes little-endian. The bytes must exist.
void input::storeScalar(std::vector<uint8_t> &bytes, uint64_t offset, ScalarKind kind,
                        uint64_t bits) {
  for (unsigned i = 0; i < scalarBytes(kind); ++i)
    bytes[offset + i] = static_cast<uint8_t>(bits >> (8 * i));
}
