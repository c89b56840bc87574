// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code to instructions by the project's own tables: safe on any bytes.
#include "oracles/machine/gcn_isa/TableDecoder.h"

#include "llvm/Support/Endian.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Whether the fixed bits of a layout are those of the words.
static bool matches(const FormatLayout &layout, const Words &words) {
  return (words.dwords[0] & layout.mask) == layout.value &&
         ((words.dwords[1] ^ layout.value1) & layout.mask1) == 0;
}

/// Decodes the slots of one form. False when one of them refuses; \p inst is then undefined.
bool TableDecoder::decodeForm(const InstForm &form, const Words &words, Inst &inst) const {
  DecodeState state{m_table, form, words, m_waveSize, form.layout->size, inst};
  inst.form = &form;
  inst.mnemonic = form.name.str();
  inst.isVop3 = form.isVop3;
  for (const Slot &slot : form.slots)
    if (slot.kind->decode && !slot.kind->decode(state, slot))
      return false;
  inst.size = state.size * 4;
  return true;
}

/// The two halves of VOPD share the literal.
bool TableDecoder::decodeSecondHalf(const InstForm &first, const Words &words, Inst &inst) const {
  const FieldPlace *place = first.layout->find(Field::Op2);
  auto opcode = static_cast<unsigned>(words.get(place->lsb, place->width));
  const InstForm *form = m_table.find(Format::VopdY, opcode);
  Inst half;
  if (!form || !decodeForm(*form, words, half))
    return false;
  half.valid = true;
  inst.size = std::max(inst.size, half.size);
  inst.dual.push_back(std::move(half));
  return true;
}

/// Tries the layouts in the order of the tables. False when no form matches.
bool TableDecoder::decodeWords(const Words &words, Inst &inst) const {
  for (const FormatLayout *layout : m_table.candidates(words.dwords[0])) {
    if (!matches(*layout, words))
      continue;
    const FieldPlace *place = layout->find(Field::Op);
    unsigned opcode = place ? unsigned(words.get(place->lsb, place->width)) : 0;
    if (place && place->highWidth)
      opcode |= unsigned(words.get(place->highLsb, place->highWidth)) << place->width;
    const InstForm *form = m_table.find(layout->format, opcode);
    if (!form || form->layout != layout)
      continue;
    Inst attempt;
    if (!decodeForm(*form, words, attempt))
      continue;
    // Pairs are for waves of 32 lanes (manuals, "VOPD").
    if (layout->format == Format::VopdX && m_waveSize != 32)
      continue;
    if (layout->format == Format::VopdX && !decodeSecondHalf(*form, words, attempt))
      continue;
    attempt.valid = true;
    inst = std::move(attempt);
    return true;
  }
  return false;
}

/// \p offset is inside \p code. What cannot be decoded, or is cut off by the end of the code, is an
/// invalid instruction of four bytes.
Inst TableDecoder::decode(ArrayRef<uint8_t> code, uint64_t offset) {
  Words words;
  uint64_t left = code.size() - offset;
  uint8_t bytes[MaxWords * 4] = {};
  std::memcpy(bytes, code.data() + offset, std::min<uint64_t>(left, sizeof(bytes)));
  for (unsigned i = 0; i < MaxWords; ++i)
    words.dwords[i] = support::endian::read32le(bytes + 4 * i);

  Inst inst;
  if (!decodeWords(words, inst) || inst.size > left) {
    inst = Inst();
    inst.size = 4;
  }
  inst.pc = offset;
  std::copy(words.dwords.begin(), words.dwords.end(), inst.words);
  for (Inst &half : inst.dual) {
    half.pc = inst.pc;
    half.size = inst.size;
    std::copy(words.dwords.begin(), words.dwords.end(), half.words);
  }
  if (inst.valid)
    inst.text = printInst(inst, m_table.chip(), m_waveSize);
  for (Inst &half : inst.dual)
    half.text = printInst(half, m_table.chip(), m_waveSize);
  return inst;
}
