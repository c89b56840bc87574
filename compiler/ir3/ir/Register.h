// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A source or destination of an ir3 instruction (ir3_register of the notes).
#pragma once

#include "compiler/ir3/isa/Opcode.h"

namespace assay::ir3 {

class Instruction;

namespace registerflag {
constexpr uint32_t Const = 1;     ///< number is a dword of the const file.
constexpr uint32_t Immediate = 2; ///< value holds the bits.
constexpr uint32_t Half = 4;      ///< 16 bits.
constexpr uint32_t Repeats = 8;   ///< (r): the number increases with (rptN).
constexpr uint32_t Negate = 16;   ///< Of bitwise opcodes: not.
constexpr uint32_t Absolute = 32;
constexpr uint32_t Ssa = 64;         ///< A source: def produces the value. A result: it is a value.
constexpr uint32_t Relative = 128;   ///< a0.x is added: r<a0.x + value>, c<a0.x + value>.
constexpr uint32_t Array = 256;      ///< An element, arrayOffset, of array arrayId.
constexpr uint32_t Predicate = 512;  ///< In p0.
constexpr uint32_t Shared = 1024;    ///< In a register that the fibers of a wave share.
constexpr uint32_t Address = 2048;   ///< In a0.x.
constexpr uint32_t Address1 = 4096;  ///< In a1.x.
constexpr uint32_t Undefined = 8192; ///< A source without a value: any register will do.
/// Register files other than that of vector registers.
constexpr uint32_t Special = Predicate | Shared | Address | Address1;
} // namespace registerflag

struct Register {
  static constexpr uint16_t NoNumber = 0xffff;

  uint32_t flags = 0;
  /// 4 * vector + component; of a constant, the dword. NoNumber until assigned.
  uint16_t number = NoNumber;
  uint8_t size = 1;  ///< Consecutive scalars.
  int32_t value = 0; ///< Bits of an immediate; what is added to a0.x.
  uint16_t arrayId = 0, arrayOffset = 0;
  Instruction *def = nullptr; ///< Of an SSA source.

  bool is(uint32_t flag) const { return flags & flag; }
  bool isSsa() const { return is(registerflag::Ssa); }
  bool isHalf() const { return is(registerflag::Half); }
  bool isConst() const { return is(registerflag::Const); }
  bool isImmediate() const { return is(registerflag::Immediate); }
  bool isArray() const { return is(registerflag::Array); }
  bool isRelative() const { return is(registerflag::Relative); }
  bool isAssigned() const { return number != NoNumber; }
  /// No destination, or a source that is not there.
  bool isNone() const { return !flags && !isAssigned(); }

  Register with(uint32_t more) const {
    Register copy = *this;
    copy.flags |= more;
    return copy;
  }

  /// \name Sources and destinations, by kind.
  /// @{
  static Register constant(unsigned dword, bool half = false);
  /// The bits of an integer or a float.
  static Register immediate(uint32_t bits, bool half = false);
  /// c<a0.x + offset>; the instruction needs an address.
  static Register relativeConst(int32_t offset, bool half = false);
  /// Element \p offset of array \p id; with \p isRelative, a0.x is added.
  static Register array(unsigned id, unsigned offset, bool isRelative, bool half = false);
  /// A register of the machine, for tests and for what is assigned by hand.
  static Register physical(unsigned number, bool half = false);
  static Register undefined(bool half = false);
  /// @}
};

} // namespace assay::ir3
