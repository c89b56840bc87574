// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as the scripts write them. Messages say what was expected, not where: callers add the
// line.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace assay::input {

bool isFloat(ScalarKind kind);
bool isSignedInt(ScalarKind kind);

/// The bits of literal \p text as a \p kind, zero-extended. Integers: decimal, or 0x hexadecimal
/// that represents the bits; a negative number of an unsigned type represents its two's complement,
/// and a number that is too large for its lower bits, as in Amber; a whole number may be written
/// "4.0". Floats: decimal, nan, inf with a sign, or 0x hexadecimal that stands
/// for the number (as Amber has it), rounded to nearest even. InvalidInput when \p text is not such
/// a literal, or when a float can't hold it.
llvm::Expected<uint64_t> parseScalar(llvm::StringRef text, ScalarKind kind);

/// The same, but InvalidInput also for an integer that is too large for \p kind.
llvm::Expected<uint64_t> parseInRange(llvm::StringRef text, ScalarKind kind);

/// An unsigned number, decimal or 0x hexadecimal, at most \p max. \p what names it in the message.
llvm::Expected<uint64_t> parseUnsigned(llvm::StringRef text, uint64_t max, llvm::StringRef what);

/// A finite or infinite decimal number.
llvm::Expected<double> parseReal(llvm::StringRef text, llvm::StringRef what);

/// A number that is not negative, with an optional % at its end.
llvm::Expected<Tolerance> parseTolerance(llvm::StringRef text);

/// The value \p number as a \p kind, bits zero-extended; \p kind must be a float. InvalidInput when
/// a finite number becomes infinite.
llvm::Expected<uint64_t> bitsOfReal(double number, ScalarKind kind);

/// Appends the \p kind whose bits are \p bits at \p offset of \p bytes, little endian. The place
/// must exist.
void storeScalar(std::vector<uint8_t> &bytes, uint64_t offset, ScalarKind kind, uint64_t bits);

} // namespace assay::input
