// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/ir3_isa/Inst.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

Inst::Inst(const Form &form, Chip chip) : m_form(&form), m_chip(chip), m_word(form.value) {
  for (auto [field, value] : form.defaults)
    set(field, value);
}

/// Returns a mask of the \p width lowest bits; \p width is at most 64.
static uint64_t maskOf(unsigned width) {
  return width == 64 ? ~0ull : (1ull << width) - 1;
}

uint32_t Inst::get(Field field) const {
  const FieldPlace &place = m_form->places[unsigned(field)];
  uint64_t value = m_word >> place.low & maskOf(place.width);
  if (place.width2 && hasDefect(Defect::SplitFieldSwapped))
    value |= (m_word >> place.low2 & maskOf(place.width2)) << place.width;
  else if (place.width2)
    value = value << place.width2 | (m_word >> place.low2 & maskOf(place.width2));
  return uint32_t(value);
}

int32_t Inst::getSigned(Field field) const {
  unsigned bits = m_form->places[unsigned(field)].bits();
  return bits ? int32_t(SignExtend64(get(field), bits)) : 0;
}

bool Inst::set(Field field, uint32_t value) {
  const FieldPlace &place = m_form->places[unsigned(field)];
  if (!place.width || (value & ~maskOf(place.bits())))
    return false;
  uint64_t high = uint64_t(value) >> place.width2;
  m_word = (m_word & ~(maskOf(place.width) << place.low)) | high << place.low;
  if (place.width2) {
    uint64_t low = value & maskOf(place.width2);
    m_word = (m_word & ~(maskOf(place.width2) << place.low2)) | low << place.low2;
  }
  return true;
}

bool Inst::setSigned(Field field, int64_t value) {
  unsigned bits = m_form->places[unsigned(field)].bits();
  if (!bits || value < minIntN(bits) || value > maxIntN(bits))
    return false;
  return set(field, uint32_t(value & int64_t(maskOf(bits))));
}

unsigned Inst::repeat() const {
  return hasDefect(Defect::RepeatIgnored) ? 0 : get(Field::Repeat);
}

unsigned Inst::nopCount() const {
  if (!m_form->hasFlag(rowflags::NopCount) || repeat())
    return 0;
  return get(Field::Repeat1) | get(Field::Repeat2) << 1;
}

bool adreno::isHalf(DataType type) {
  return type == DataType::F16 || type == DataType::U16 || type == DataType::S16 ||
         type == DataType::U8;
}

/// Category 1 has bytes in half registers under either name.
static bool isHalfMove(uint32_t type) {
  return isHalf(DataType(type)) || DataType(type) == DataType::U8In32;
}

/// Mesa, ir3-common.xml, #dest-half: registers from p0 on are never half.
static bool isHalfConverted(const Inst &inst, bool fullSources) {
  if (hasDefect(Defect::HalfResultIgnored))
    return !fullSources;
  return fullSources == bool(inst.get(Field::Convert)) && inst.get(Field::Dst) < reg::Predicate;
}

bool Inst::hasHalfSources() const {
  switch (m_form->format->width) {
  case Width::Converted:
    if (m_form->hasFlag(rowflags::FullSources | rowflags::HalfSources))
      return m_form->hasFlag(rowflags::HalfSources);
    return !get(Field::Full);
  case Width::Typed:
    return isHalfMove(get(Field::SrcType));
  case Width::Texture:
  case Width::Multiply:
    return !get(Field::Full);
  case Width::Memory:
    return isHalf(DataType(get(Field::Type)));
  case Width::Table:
    return !get(Field::TableWidth);
  case Width::None:
    break;
  }
  return false;
}

bool Inst::hasHalfResult() const {
  switch (m_form->format->width) {
  case Width::Converted:
    return isHalfConverted(*this, !hasHalfSources());
  case Width::Typed:
    return isHalfMove(get(Field::DstType));
  case Width::Texture:
  case Width::Memory:
    return isHalf(DataType(get(Field::Type)));
  case Width::Multiply:
    return !get(Field::Convert);
  case Width::Table:
    return hasHalfSources();
  case Width::None:
    break;
  }
  return false;
}
