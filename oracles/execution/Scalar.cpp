// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/execution/Scalar.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>

using namespace llvm;
using namespace assay;

bool assay::isFloatScalar(ScalarKind kind) {
  return kind == ScalarKind::Float16 || kind == ScalarKind::Float32 || kind == ScalarKind::Float64;
}

bool assay::isSignedScalar(ScalarKind kind) {
  return kind == ScalarKind::Int8 || kind == ScalarKind::Int16 || kind == ScalarKind::Int32 ||
         kind == ScalarKind::Int64;
}

/// Little-endian, 1 to 8 bytes.
uint64_t assay::loadScalarBits(const uint8_t *data, unsigned size) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < size; ++i)
    bits |= uint64_t(data[i]) << (8 * i);
  return bits;
}

/// Converts exactly. A NaN keeps its payload in the upper bits.
static double doubleFromHalf(uint16_t bits) {
  uint64_t sign = uint64_t(bits >> 15) << 63;
  uint64_t exponent = bits >> 10 & 31;
  uint64_t mantissa = bits & 1023;
  if (exponent == 31)
    return std::bit_cast<double>(sign | uint64_t(2047) << 52 | mantissa << 42);
  if (exponent == 0) {
    // A multiple of 2^-24: exact in a double.
    double magnitude = static_cast<double>(mantissa) * 0x1p-24;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<double>(sign | (exponent + 1023 - 15) << 52 | mantissa << 42);
}

double assay::floatFromBits(uint64_t bits, unsigned bytes) {
  if (bytes == 2)
    return doubleFromHalf(static_cast<uint16_t>(bits));
  if (bytes == 4)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return std::bit_cast<double>(bits);
}

/// Sign-extends signed kinds; other bits stay.
int64_t assay::signedFromBits(ScalarKind kind, uint64_t bits) {
  if (!isSignedScalar(kind))
    return static_cast<int64_t>(bits);
  unsigned shift = 64 - 8 * scalarBytes(kind);
  return static_cast<int64_t>(bits << shift) >> shift;
}

/// Returns the shortest decimal text that is read as \p value again.
template <typename T> static std::string shortest(T value) {
  std::array<char, 64> text;
  auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), result.ptr);
}

/// Returns \p bits as "0x1f", without leading zeros.
static std::string printHex(uint64_t bits) {
  std::array<char, 20> text;
  auto result = std::to_chars(text.data(), text.data() + text.size(), bits, 16);
  return "0x" + std::string(text.data(), result.ptr);
}

std::string assay::printDouble(double value) {
  if (std::isnan(value))
    return "nan";
  return shortest(value);
}

/// Prints the shortest text that reads back as the value; NaN comes with its bits.
std::string assay::printScalar(ScalarKind kind, uint64_t bits) {
  if (!isFloatScalar(kind))
    return isSignedScalar(kind) ? shortest(signedFromBits(kind, bits)) : shortest(bits);
  double value = floatFromBits(bits, scalarBytes(kind));
  if (std::isnan(value))
    return "nan (" + printHex(bits) + ")";
  return kind == ScalarKind::Float64 ? shortest(value) : shortest(static_cast<float>(value));
}

/// Bytes between components, after them and beyond the buffer are padding.
ScalarPosition assay::locateScalar(const DataFormat &format, uint64_t byteOffset,
                                   uint64_t bufferBytes) {
  ScalarPosition position;
  uint64_t stride = format.stride ? format.stride : 1;
  position.element = byteOffset / stride;
  uint64_t inside = byteOffset % stride;
  unsigned size = scalarBytes(format.scalar);
  unsigned column = format.columns > 1 && format.columnStride
                        ? static_cast<unsigned>(inside / format.columnStride)
                        : 0;
  uint64_t inColumn = inside - uint64_t(column) * (format.columns > 1 ? format.columnStride : 0);
  unsigned row = static_cast<unsigned>(inColumn / size);
  uint64_t start = position.element * stride + format.componentOffset(column, row);
  position.padding = column >= format.columns || row >= format.rows || start + size > bufferBytes;
  position.component = position.padding ? 0 : column * format.rows + row;
  position.byteOffset = position.padding ? byteOffset : start;
  return position;
}
