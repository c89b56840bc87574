// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One ir3 instruction: a row of the tables and its 64 bits.
#pragma once

#include "oracles/machine/ir3_isa/Isa.h"

namespace assay::adreno {

/// Numbers of registers as fields have them: 4 * vector + component.
namespace reg {
constexpr unsigned Shared = 4 * 48;    ///< r48.x, the first that all fibers of a wave share,
constexpr unsigned SharedEnd = 4 * 56; ///< and the number after the last.
constexpr unsigned Address = 4 * 61;   ///< a0.x; a1.x is one more.
constexpr unsigned Predicate = 4 * 62; ///< p0.x.
constexpr unsigned None = 4 * 63;      ///< r63.x: no register.
} // namespace reg

/// A row of the tables with its word and chip. A default-constructed value is invalid and has no
/// form.
class Inst {
public:
  Inst() = default;
  /// The instruction of \p form with all fields 0 but those with a default.
  Inst(const Form &form, Chip chip);
  Inst(const Form &form, Chip chip, uint64_t word) : m_form(&form), m_chip(chip), m_word(word) {}

  bool isValid() const { return m_form; }
  const Form &form() const { return *m_form; }
  llvm::StringRef name() const { return m_form->row->name; }
  unsigned category() const { return m_form->format->category; }
  Unit unit() const { return m_form->row->unit; }
  Chip chip() const { return m_chip; }
  /// The encoding.
  uint64_t word() const { return m_word; }
  /// Bits that are set although neither the row nor a field has them; the hardware is taken to
  /// ignore them.
  uint64_t strayBits() const { return m_word & ~(m_form->mask | m_form->fields); }

  bool has(Field field) const { return m_form->has(field); }
  /// 0 when the format has no such field.
  uint32_t get(Field field) const;
  /// The field sign-extended from its width; 0 when the format has no such field.
  int32_t getSigned(Field field) const;
  /// False when there is no such field, or \p value has more bits than it.
  bool set(Field field, uint32_t value);
  /// False when there is no such field, or \p value is out of the range of a signed field.
  bool setSigned(Field field, int64_t value);

  /// Nops that follow the instruction by its (nopN).
  unsigned nopCount() const;
  /// (rptN): how often it runs again.
  unsigned repeat() const;
  /// Whether the source registers are half registers: from the format's Width and the fields it
  /// names.
  bool hasHalfSources() const;
  /// The same for the result register.
  bool hasHalfResult() const;

private:
  const Form *m_form = nullptr;
  Chip m_chip = Chip::A630;
  uint64_t m_word = 0;
};

/// Values of the fields stype, dtype and type.
enum class DataType : uint8_t { F16, F32, U16, U32, S16, S32, U8, U8In32 };
/// The value of field type that means u64 in atomics (Mesa 25.0, ir3.h, TYPE_ATOMIC_U64).
constexpr DataType WideAtomicType = DataType::U8;
/// Whether values of \p type are in half registers.
bool isHalf(DataType type);

/// A source of categories 1 to 4.
struct Operand {
  enum class File : uint8_t { Gpr, Const, Immediate, FloatTable, RelativeGpr, RelativeConst };
  File file = File::Gpr;
  /// A half register, or a 16-bit entry of the float table.
  bool half = false;
  bool neg = false;
  bool abs = false;
  bool repeats = false; ///< (r): its number increases with (rptN).
  bool last = false;
  /// 4 * vector + component, of registers and constants.
  uint16_t number = 0;
  int64_t value = 0; ///< Of an immediate; of a relative operand, what is added to a0.x.

  bool isRelative() const { return file == File::RelativeGpr || file == File::RelativeConst; }
};

/// Source \p index (from 0) of an instruction of category 1 to 4, other than swz, gat, sct and
/// movmsk. Nothing for bits that are no operand.
std::optional<Operand> readSource(const Inst &inst, unsigned index);
/// Puts \p operand there; false when the format cannot hold it.
bool writeSource(Inst &inst, unsigned index, const Operand &operand);
/// Sources that readSource() knows: 0 for categories other than 1 to 4.
unsigned sourceCount(const Inst &inst);

/// The floats that category 2 has numbers for (Mesa, ir3-common.xml, #flut), as the text names
/// them.
struct TableFloat {
  llvm::StringLiteral name;
  float value;
};
/// Indexed by the value of a FloatTable operand.
llvm::ArrayRef<TableFloat> tableFloats();

} // namespace assay::adreno
