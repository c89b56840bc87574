// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the slots of a form: to encode and to print. Decoder.cpp walks them to decode.
#include "oracles/machine/gcn_isa/Codec.h"

#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// A field may have two parts; the second is its upper one.
static uint64_t readField(const Words &words, const FieldPlace &place) {
  uint64_t value = words.get(place.lsb, place.width);
  if (place.highWidth)
    value |= words.get(place.highLsb, place.highWidth) << place.width;
  return value;
}

/// 0 for a field that the layout does not have.
uint64_t DecodeState::field(Field field) const {
  const FieldPlace *place = form.layout->find(field);
  return place ? readField(words, *place) : 0;
}

/// The field's highest bit is a sign.
int64_t DecodeState::signedField(Field field) const {
  const FieldPlace *place = form.layout->find(field);
  return place ? SignExtend64(readField(words, *place), place->width + place->highWidth) : 0;
}

/// The dword after the encoding; the instruction is then longer by it.
uint32_t DecodeState::literal() {
  unsigned at = form.layout->size;
  size = std::max(size, at + 1);
  return at < MaxWords ? words.dwords[at] : 0;
}

/// Higher bits of \p value are dropped.
static void writeField(Words &words, const FieldPlace &place, uint64_t value) {
  words.set(place.lsb, place.width, value);
  if (place.highWidth)
    words.set(place.highLsb, place.highWidth, value >> place.width);
}

/// Writes a field and marks it as known. False when the value does not fit, or is not 0 and there
/// is no such field.
bool EncodeState::setField(Field field, uint64_t value) {
  const FieldPlace *place = form.layout->find(field);
  if (!place)
    return value == 0;
  if (!isUIntN(place->width + place->highWidth, value))
    return false;
  writeField(words, *place, value);
  writeField(known, *place, ~uint64_t(0));
  return true;
}

/// Returns 0 for fields that the format lacks.
uint64_t EncodeState::getField(Field field) const {
  const FieldPlace *place = form.layout->find(field);
  return place ? readField(words, *place) : 0;
}

/// As setField(), but only the bits of \p used mean something. The value is cut to the field.
bool EncodeState::setBits(Field field, uint64_t value, uint64_t used) {
  const FieldPlace *place = form.layout->find(field);
  if (!place)
    return value == 0;
  writeField(words, *place, value);
  writeField(known, *place, readField(known, *place) | used);
  return true;
}

/// Returns false where the value does not fit, or where the format lacks the field and the value is
/// not 0.
bool EncodeState::setSignedField(Field field, int64_t value) {
  const FieldPlace *place = form.layout->find(field);
  if (!place)
    return value == 0;
  unsigned width = place->width + place->highWidth;
  return isIntN(width, value) &&
         setField(field, static_cast<uint64_t>(value) & maskTrailingOnes<uint64_t>(width));
}

/// False when another literal is there already: halves of a pair share it.
bool EncodeState::setLiteral(uint32_t value) {
  unsigned at = form.layout->size;
  if (at >= MaxWords || (size > at && words.dwords[at] != value))
    return false;
  words.dwords[at] = value;
  known.dwords[at] = ~0u;
  size = at + 1;
  return true;
}

/// The next operand, or null after the last one.
const Operand *EncodeState::takeOperand() {
  return nextOperand < inst.operands.size() ? &inst.operands[nextOperand++] : nullptr;
}

/// Prints the separator of the next operand, too.
const Operand &PrintState::takeOperand() {
  static const Operand none;
  os << (anyOperand ? ", " : " ");
  anyOperand = true;
  return nextOperand < inst.operands.size() ? inst.operands[nextOperand++] : none;
}

/// Null for an unknown name.
const SlotKind *gcn::findSlotKind(StringRef name) {
  static const StringMap<const SlotKind *> kinds = [] {
    StringMap<const SlotKind *> map;
    for (ArrayRef<SlotKind> part :
         {aluSlotKinds(), scalarSlotKinds(), modifierSlotKinds(), memorySlotKinds()})
      for (const SlotKind &kind : part)
        map[kind.name] = &kind;
    return map;
  }();
  return kinds.lookup(name);
}

/// Parses "name:x32 name": slots separated by blanks, each with a letter and a number or neither.
std::vector<Slot> gcn::parseSlots(StringRef signature) {
  std::vector<Slot> slots;
  SmallVector<StringRef, 8> parts;
  signature.split(parts, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, type] = part.split(':');
    Slot slot;
    slot.kind = findSlotKind(name);
    if (!type.empty() && !isDigit(type.front())) {
      slot.letter = type.front();
      type = type.drop_front();
    }
    if (!type.empty() && type.getAsInteger(10, slot.number))
      slot.kind = nullptr;
    assert(slot.kind && "a signature names no slot");
    slots.push_back(slot);
  }
  return slots;
}

/// Sets what of a form follows from its row and layout.
void gcn::finishForm(InstForm &form, Chip chip) {
  if (isAluFormat(form.layout->format))
    finishAluForm(form, chip);
  else
    finishMemoryForm(form, chip);
}

/// Every operand must be taken by a slot.
static Error encodeSlots(EncodeState &state) {
  for (const Slot &slot : state.form.slots)
    if (slot.kind->encode && !slot.kind->encode(state, slot))
      return invalidInput("encoder: " + state.inst.mnemonic + " cannot hold its " +
                          slot.kind->name);
  if (state.nextOperand != state.inst.operands.size())
    return invalidInput("encoder: " + state.inst.mnemonic + " has too many operands");
  return Error::success();
}

/// Adds \p inst, the whole or one half of a pair, to \p words.
static Error encodePart(const Inst &inst, Chip chip, unsigned waveSize, Words &words, Words &known,
                        unsigned &size) {
  if (!inst.form)
    return invalidInput("encoder: not a decoded instruction");
  EncodeState state{IsaTable::get(chip), *inst.form, inst, waveSize, words, known, size};
  if (!state.setField(Field::Op, inst.form->opcode))
    return invalidInput("encoder: the opcode does not fit");
  if (Error error = encodeSlots(state))
    return error;
  words = state.words;
  known = state.known;
  size = state.size;
  return Error::success();
}

/// The dwords of an instruction that was decoded. Sets \p known, if it is not null, to the bits
/// that mean something.
Expected<std::vector<uint32_t>> gcn::encodeInst(const Inst &inst, Chip chip, unsigned waveSize,
                                                Words *known) {
  if (!inst.form)
    return invalidInput("encoder: not a decoded instruction");
  const FormatLayout &layout = *inst.form->layout;
  Words words;
  words.dwords[0] = layout.value;
  words.dwords[1] = layout.value1;
  Words used;
  used.dwords[0] = layout.mask;
  used.dwords[1] = layout.mask1;
  unsigned size = layout.size;
  if (Error error = encodePart(inst, chip, waveSize, words, used, size))
    return std::move(error);
  for (const Inst &half : inst.dual)
    if (Error error = encodePart(half, chip, waveSize, words, used, size))
      return std::move(error);
  if (known)
    *known = used;
  return std::vector<uint32_t>(words.dwords.begin(), words.dwords.begin() + size);
}

/// The text as LLVM prints it; empty for an invalid instruction.
std::string gcn::printInst(const Inst &inst, Chip chip, unsigned waveSize) {
  std::string text;
  raw_string_ostream os(text);
  if (!inst.form)
    return text;
  os << inst.form->name << inst.form->suffix;
  PrintState state{IsaTable::get(chip), *inst.form, inst, waveSize, os};
  for (const Slot &slot : inst.form->slots)
    if (slot.kind->print)
      slot.kind->print(state, slot);
  for (const Inst &half : inst.dual)
    os << " :: " << printInst(half, chip, waveSize);
  return text;
}
