// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/code/Ir3RoundTrip.h"

#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;
using namespace assay::adreno;

/// Returns what is wrong with one 64-bit instruction word: it decodes to another word, or its text
/// does not parse back to the same text. Empty for correct and for invalid words.
static std::string checkWord(Chip chip, uint64_t word) {
  Inst inst = decode(word, chip);
  if (!inst.isValid())
    return "";
  if (inst.word() != word)
    return "decodes to another word";
  std::string text = print(inst);
  Expected<Inst> again = parse(text, chip);
  if (!again)
    return "prints what does not parse: " + takeError(again.takeError()).message;
  if (std::string other = print(*again); other != text)
    return "prints '" + text + "', which parses to '" + other + "'";
  return "";
}

std::string fuzz::checkIr3Words(Chip chip, ArrayRef<uint8_t> code) {
  for (size_t at = 0; at + 8 <= code.size(); at += 8) {
    uint64_t word = support::endian::read64le(code.data() + at);
    std::string wrong = checkWord(chip, word);
    if (!wrong.empty())
      return factsOf(chip).name.str() + ", " + utohexstr(word) + ": " + wrong;
  }
  return "";
}

std::string fuzz::checkIr3Text(Chip chip, StringRef text) {
  Expected<std::vector<uint64_t>> words = assemble(text, chip);
  if (!words) {
    consumeError(words.takeError());
    return "";
  }
  std::string printed = disassemble(*words, chip);
  Expected<std::vector<uint64_t>> again = assemble(printed, chip);
  if (!again)
    return factsOf(chip).name.str() + ": " + takeError(again.takeError()).message;
  return disassemble(*again, chip) == printed
             ? ""
             : factsOf(chip).name.str() + ": another text the second time";
}
