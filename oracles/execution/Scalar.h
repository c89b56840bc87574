// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scalars in buffers: from bytes to numbers, to text, and where in a buffer each one is.
#pragma once

#include "oracles/api/Case.h"
#include <cstdint>
#include <string>

namespace assay {

bool isFloatScalar(ScalarKind kind);
bool isSignedScalar(ScalarKind kind);

/// \p size little-endian bytes at \p data, zero-extended; \p size is 1, 2, 4 or 8.
uint64_t loadScalarBits(const uint8_t *data, unsigned size);

/// The value of a float of 2, 4 or 8 bytes; exact.
double floatFromBits(uint64_t bits, unsigned bytes);
/// The value of an integer of \p kind, sign-extended where it has a sign.
int64_t signedFromBits(ScalarKind kind, uint64_t bits);

/// "3", "-7", "1.5", "nan (0x7fc00001)". Floats as the shortest text that reads back as the same.
std::string printScalar(ScalarKind kind, uint64_t bits);
/// A double as the shortest text that reads back as the same.
std::string printDouble(double value);

/// The scalar that a byte of a buffer belongs to, by the buffer's own format.
struct ScalarPosition {
  uint64_t element = 0;
  unsigned component = 0;  ///< In the element, columns first.
  uint64_t byteOffset = 0; ///< Of the scalar's first byte, or of the byte itself when padding.
  bool padding = false;    ///< Between elements or columns, or an incomplete last scalar.
};
/// \p bufferBytes is the size of the buffer, which may end in an incomplete element.
ScalarPosition locateScalar(const DataFormat &format, uint64_t byteOffset, uint64_t bufferBytes);

} // namespace assay
