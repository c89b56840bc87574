// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/code/CodeMutation.h"

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <random>

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;
using namespace assay::gcn;

/// The standard fixes its sequence, so a seed makes the same change everywhere.
using Generator = std::mt19937_64;

/// Small, all ones, a single bit, or anything.
static uint64_t randomField(Generator &random) {
  switch (random() % 8) {
  case 0:
    return random();
  case 1:
    return ~uint64_t(0);
  case 2:
    return uint64_t(1) << random() % 32;
  case 3:
    return 128 + random() % 16; // As a source: 0 and small constants.
  case 4:
    return 256 + random() % 16; // As a source: a vector register.
  default:
    return random() % 16;
  }
}

/// Encodes a random form of the chip with random fields. The bits that identify the format and the
/// opcode are set last, so the words decode as that form. One result in eight has a further random
/// dword: a literal, or the beginning of another instruction.
static std::vector<uint32_t> makeInst(Chip chip, Generator &random) {
  ArrayRef<const InstForm *> forms = IsaTable::get(chip).forms();
  const InstForm &form = *forms[random() % forms.size()];
  const FormatLayout &layout = *form.layout;
  Words words;
  for (const FieldPlace &place : layout.fields)
    words.set(place.lsb, place.width, randomField(random));
  words.dwords[0] = (words.dwords[0] & ~layout.mask) | layout.value;
  words.dwords[1] = (words.dwords[1] & ~layout.mask1) | layout.value1;
  if (const FieldPlace *place = layout.find(Field::Op)) {
    words.set(place->lsb, place->width, form.opcode);
    if (place->highWidth)
      words.set(place->highLsb, place->highWidth, form.opcode >> place->width);
  }
  std::vector<uint32_t> result(words.dwords.begin(), words.dwords.begin() + layout.size);
  if (random() % 8 == 0) // A literal, or a new instruction.
    result.push_back(static_cast<uint32_t>(randomField(random)));
  return result;
}

std::vector<uint32_t> fuzz::randomInst(Chip chip, uint64_t seed) {
  Generator random(seed);
  return makeInst(chip, random);
}

/// Words that descriptors and addresses are made of.
static uint32_t randomWord(Generator &random) {
  static constexpr uint32_t Words[] = {0,          0x2345,     0x1234,     0x8000,     0xffff,
                                       0x10000,    0x20000,    4096,       64,         0x00042345,
                                       0xffffffff, 0x80000000, 0x7fffffff, 0x9fac0000, 0x3fffffff};
  return random() % 4 ? Words[random() % std::size(Words)] : static_cast<uint32_t>(random());
}

/// Changes one user SGPR, or one header byte except the first: the chip and the code stay.
static void mutateLaunch(HostileCode &code, Generator &random) {
  std::vector<uint8_t> bytes = writeHostileCode(code);
  if (random() % 2) {
    code.sgprs[random() % code.sgprs.size()] = randomWord(random);
    return;
  }
  bytes[1 + random() % 7] = static_cast<uint8_t>(random());
  code = readHostileCode(bytes);
}

/// Decodes all words as instructions of the code's chip and wave size; pc is in bytes from the
/// first word.
static std::vector<Inst> decodeInsts(const HostileCode &code) {
  std::vector<uint8_t> bytes = writeHostileCode(code);
  ArrayRef<uint8_t> text = ArrayRef(bytes).drop_front(HeaderBytes);
  return TableDecoder(code.chip, code.waveSize).decodeRange(text, 0, text.size());
}

/// Where an instruction begins, and how many words it has; the end of the code has none.
static std::pair<size_t, size_t> pickInst(const HostileCode &code, Generator &random) {
  std::vector<Inst> insts = decodeInsts(code);
  size_t which = random() % (insts.size() + 1);
  if (which == insts.size())
    return {code.words.size(), 0};
  return {insts[which].pc / 4, insts[which].size / 4};
}

/// One change in four is to the launch. Of the others five in eight insert or replace an
/// instruction by a random one; the rest moves one to the end, flips a bit, or removes one.
void fuzz::mutateCode(HostileCode &code, uint32_t seed) {
  Generator random(seed);
  if (random() % 4 == 0)
    return mutateLaunch(code, random);
  auto [at, size] = pickInst(code, random);
  auto begin = code.words.begin() + ptrdiff_t(at);
  unsigned kind = random() % 8;
  if (kind == 0 && size) {
    std::rotate(begin, begin + ptrdiff_t(size), code.words.end());
    return;
  }
  if (kind == 1 && size) {
    uint32_t &word = code.words[at + random() % size];
    word ^= 1u << random() % 32;
    return;
  }
  if (kind >= 2 && kind <= 4)
    begin = code.words.erase(begin, begin + ptrdiff_t(size));
  if (kind == 2)
    return;
  std::vector<uint32_t> inst = makeInst(code.chip, random);
  code.words.insert(begin, inst.begin(), inst.end());
  if (code.words.size() > fuzz::MaxWords)
    code.words.resize(fuzz::MaxWords);
}

/// The words from one instruction to another one, neither of which is cut; maybe none.
static std::pair<size_t, size_t> pickRange(const HostileCode &code, Generator &random) {
  size_t one = pickInst(code, random).first, other = pickInst(code, random).first;
  return std::minmax(one, other);
}

/// Cuts both codes between instructions. The result is cut to MaxWords.
HostileCode fuzz::mixCode(const HostileCode &into, const HostileCode &from, uint32_t seed) {
  Generator random(seed);
  auto [first, last] = pickRange(into, random);
  auto [begin, end] = pickRange(from, random);
  HostileCode result = into.chip == from.chip ? into : from;
  result.words = into.words;
  auto at = result.words.begin() + ptrdiff_t(first);
  if (random() % 2)
    at = result.words.erase(at, result.words.begin() + ptrdiff_t(last));
  result.words.insert(at, from.words.begin() + ptrdiff_t(begin),
                      from.words.begin() + ptrdiff_t(end));
  if (result.words.size() > fuzz::MaxWords)
    result.words.resize(fuzz::MaxWords);
  return result;
}
