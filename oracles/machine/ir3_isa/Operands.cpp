// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources of categories 1 to 4. Mesa 25.0, ir3-common.xml (#multisrc), ir3-cat3.xml (#cat3-src),
// ir3-cat1.xml.
#include "oracles/machine/ir3_isa/Defect.h"
#include "oracles/machine/ir3_isa/Inst.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// In the order of their numbers in the encoding.
static constexpr TableFloat Floats[] = {
    {"0.0", 0.0F},
    {"0.5", 0.5F},
    {"1.0", 1.0F},
    {"2.0", 2.0F},
    {"e", 0x1.5bf0a8p+1F},
    {"pi", 0x1.921fb6p+1F},
    {"1/pi", 0x1.45f306p-2F},
    {"1/log2(e)", 0x1.62e430p-1F},
    {"log2(e)", 0x1.715476p+0F},
    {"1/log2(10)", 0x1.344136p-2F},
    {"log2(10)", 0x1.a934f0p+1F},
    {"4.0", 4.0F},
};

ArrayRef<TableFloat> adreno::tableFloats() {
  return Floats;
}

using File = Operand::File;

/// A relative operand: what is added to a0.x has ten bits.
static Operand relative(bool isConst, uint32_t bits) {
  Operand operand;
  operand.file = isConst ? File::RelativeConst : File::RelativeGpr;
  operand.value = SignExtend64<10>(bits & 0x3ff);
  return operand;
}

/// A register or constant by its number, 4 * vector + component.
static Operand inFile(File file, uint32_t number) {
  Operand operand;
  operand.file = file;
  operand.number = uint16_t(number);
  return operand;
}

/// An immediate value, or an index of the float table.
static Operand immediate(File file, int64_t value) {
  Operand operand;
  operand.file = file;
  operand.value = value;
  return operand;
}

/// Sixteen bits, categories 2 and 4.
static std::optional<Operand> readMulti(const Inst &inst, uint32_t bits, bool repeats) {
  std::optional<Operand> operand;
  switch (bits >> 11 & 7) {
  case 0:
    if (bits >> 8 & 3)
      return std::nullopt;
    operand = inFile(File::Gpr, bits & 0xff);
    operand->last = bits >> 10 & 1;
    break;
  case 1:
    operand = relative(bits >> 10 & 1, bits);
    break;
  case 2:
  case 6:
    operand = inFile(File::Const, bits & 0x7ff);
    break;
  case 4:
    operand = immediate(File::Immediate, hasDefect(Defect::ImmediateUnsigned)
                                             ? int64_t(bits & 0x7ff)
                                             : SignExtend64<11>(bits & 0x7ff));
    break;
  case 5:
    if ((bits & 0x3ff) >= std::size(Floats))
      return std::nullopt;
    operand = immediate(File::FloatTable, bits & 0x3ff);
    operand->half = bits >> 10 & 1;
    break;
  default:
    return std::nullopt;
  }
  if (operand->file != File::FloatTable)
    operand->half = inst.hasHalfSources();
  operand->neg = bits >> 14 & 1;
  operand->abs = bits >> 15 & 1 && !hasDefect(Defect::AbsoluteIgnored);
  operand->repeats = repeats;
  return operand;
}

/// The reverse of readMulti(). False for an immediate beyond 11 signed bits or an offset beyond 10.
/// Whether (r) is possible is checked by the caller.
static bool writeMulti(Inst &inst, Field field, const Operand &operand) {
  uint32_t bits = uint32_t(operand.neg) << 14 | uint32_t(operand.abs) << 15;
  switch (operand.file) {
  case File::Gpr:
    bits |= operand.number | uint32_t(operand.last) << 10;
    break;
  case File::Const:
    bits |= operand.number | 2u << 11;
    break;
  case File::Immediate:
    if (!isInt<11>(operand.value))
      return false;
    bits |= uint32_t(operand.value & 0x7ff) | 4u << 11;
    break;
  case File::FloatTable:
    bits |= uint32_t(operand.value) | uint32_t(operand.half) << 10 | 5u << 11;
    break;
  case File::RelativeGpr:
  case File::RelativeConst:
    if (!isInt<10>(operand.value))
      return false;
    bits |= uint32_t(operand.value & 0x3ff) | uint32_t(operand.file == File::RelativeConst) << 10 |
            1u << 11;
    break;
  }
  return inst.set(field, bits);
}

/// Thirteen bits, category 3.
static std::optional<Operand> readThird(const Inst &inst, uint32_t bits) {
  std::optional<Operand> operand;
  if (bits >> 12 & 1) {
    if (inst.form().hasFlag(rowflags::Immediate))
      operand = immediate(File::Immediate, bits & 0xfff);
    else if (bits >> 11 & 1)
      return std::nullopt;
    else
      operand = inFile(File::Const, bits & 0x7ff);
  } else if (bits >> 11 & 1) {
    operand = relative(bits >> 10 & 1, bits);
  } else {
    if (bits >> 8 & 3)
      return std::nullopt;
    operand = inFile(File::Gpr, bits & 0xff);
    operand->last = bits >> 10 & 1;
  }
  operand->half = inst.hasHalfSources();
  return operand;
}

/// The reverse of readThird(). Constants and immediates exclude each other: rowflags::Immediate
/// decides which the row has. The float table is not possible.
static bool writeThird(Inst &inst, Field field, const Operand &operand) {
  uint32_t bits = 0;
  bool takesImmediates = inst.form().hasFlag(rowflags::Immediate);
  switch (operand.file) {
  case File::Gpr:
    bits = operand.number | uint32_t(operand.last) << 10;
    break;
  case File::Const:
    if (takesImmediates)
      return false;
    bits = operand.number | 1u << 12;
    break;
  case File::Immediate:
    if (!takesImmediates || !isUInt<12>(uint64_t(operand.value)))
      return false;
    bits = uint32_t(operand.value) | 1u << 12;
    break;
  case File::FloatTable:
    return false;
  case File::RelativeGpr:
  case File::RelativeConst:
    if (!isInt<10>(operand.value))
      return false;
    bits = uint32_t(operand.value & 0x3ff) | uint32_t(operand.file == File::RelativeConst) << 10 |
           1u << 11;
    break;
  }
  return inst.set(field, bits);
}

/// Fields by source, for categories 2 to 4.
static constexpr Field Sources[] = {Field::Src1, Field::Src2, Field::Src3};
static constexpr Field Repeats[] = {Field::Repeat1, Field::Repeat2, Field::Repeat3};
static constexpr Field Negations[] = {Field::Neg1, Field::Neg2, Field::Neg3};

/// (r) of a source; the bits count nops when the instruction has (nopN).
static bool repeatsAt(const Inst &inst, unsigned index) {
  return !inst.nopCount() && inst.get(Repeats[index]);
}

/// Which file category 1 reads: each has a format.
static File movedFile(const Inst &inst) {
  StringRef format = inst.form().format->name;
  if (format == "move-immediate")
    return File::Immediate;
  if (format == "move-const")
    return File::Const;
  if (format == "move-relative-gpr")
    return File::RelativeGpr;
  return format == "move-relative-const" ? File::RelativeConst : File::Gpr;
}

/// The source of a move. Immediates are the raw 32 bits, whatever the type.
static Operand readMoved(const Inst &inst) {
  File file = movedFile(inst);
  uint32_t bits = inst.get(Field::Src1);
  Operand operand = file == File::Immediate ? immediate(file, bits)
                    : file == File::RelativeGpr || file == File::RelativeConst
                        ? relative(file == File::RelativeConst, bits)
                        : inFile(file, bits);
  operand.half = inst.hasHalfSources();
  operand.repeats = inst.get(Field::Repeat1);
  operand.last = inst.get(Field::Last);
  return operand;
}

/// The reverse of readMoved(). False when the row is of another file, and for modifiers that
/// category 1 does not have.
static bool writeMoved(Inst &inst, const Operand &operand) {
  if (operand.file != movedFile(inst) || operand.neg || operand.abs ||
      (operand.last && !inst.has(Field::Last)))
    return false;
  inst.set(Field::Repeat1, operand.repeats);
  if (operand.last)
    inst.set(Field::Last, 1);
  switch (operand.file) {
  case File::Gpr:
  case File::Const:
    return inst.set(Field::Src1, operand.number);
  case File::Immediate:
    return inst.set(Field::Src1, uint32_t(operand.value));
  case File::RelativeGpr:
  case File::RelativeConst:
    return inst.setSigned(Field::Src1, operand.value);
  case File::FloatTable:
    break;
  }
  return false;
}

unsigned adreno::sourceCount(const Inst &inst) {
  switch (inst.category()) {
  case 1:
  case 4:
    return 1;
  case 2:
    return inst.form().hasFlag(rowflags::OneSource) ? 1 : 2;
  case 3:
    return 3;
  default:
    return 0;
  }
}

std::optional<Operand> adreno::readSource(const Inst &inst, unsigned index) {
  assert(index < sourceCount(inst) && "no such source");
  if (inst.category() == 1)
    return readMoved(inst);
  uint32_t bits = inst.get(Sources[index]);
  bool repeats = repeatsAt(inst, index);
  if (inst.category() != 3)
    return readMulti(inst, bits, repeats);
  std::optional<Operand> operand = index == 1 ? inFile(File::Gpr, bits) : readThird(inst, bits);
  if (!operand)
    return std::nullopt;
  operand->half = inst.hasHalfSources();
  operand->neg = inst.get(Negations[index]);
  operand->repeats = repeats;
  return operand;
}

bool adreno::writeSource(Inst &inst, unsigned index, const Operand &operand) {
  assert(index < sourceCount(inst) && "no such source");
  if (inst.category() == 1)
    return writeMoved(inst, operand);
  bool countsNops = inst.form().hasFlag(rowflags::NopCount) && !inst.repeat() && index < 2;
  if (operand.repeats && (countsNops || !inst.set(Repeats[index], 1)))
    return false;
  if (inst.category() != 3)
    return writeMulti(inst, Sources[index], operand);
  if (operand.abs || (operand.neg && !inst.set(Negations[index], 1)))
    return false;
  if (index != 1)
    return writeThird(inst, Sources[index], operand);
  return operand.file == File::Gpr && !operand.last && inst.set(Field::Src2, operand.number);
}
