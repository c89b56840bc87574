// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What BufferMemory notes per byte; for its own files alone.
#pragma once

#include "oracles/machine/spirv/Value.h"

namespace assay::reference {

// States of a byte. An undefined byte keeps its cause in bits 4 to 6.
constexpr uint8_t OpenUndef = 1;
constexpr uint8_t OpenAmbiguous = 2;
constexpr uint8_t OpenRangeFirst = 4; ///< First byte of a float with an interval.
constexpr uint8_t OpenRangeRest = 8;
constexpr uint8_t OpenField = 0x80; ///< Has bits of a field with an interval.

constexpr uint8_t openByCause(Cause cause) {
  return OpenUndef | static_cast<uint8_t>(static_cast<unsigned>(cause) << 4);
}
constexpr Cause causeOfByte(uint8_t open) {
  return static_cast<Cause>(open >> 4 & 7);
}

} // namespace assay::reference
