// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/code/RoundTrip.h"

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "support/Error.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;
using namespace assay::gcn;

/// Encodes a decoded instruction and decodes the result. Returns what differs: the size, a bit that
/// the encoder marks as known, or the text. Empty: nothing. Bits without meaning may differ.
static std::string checkInst(const Inst &inst, Chip chip, unsigned waveSize,
                             TableDecoder &decoder) {
  Words known;
  Expected<std::vector<uint32_t>> words = encodeInst(inst, chip, waveSize, &known);
  if (!words)
    return takeError(words.takeError()).message;
  if (words->size() * 4 != inst.size)
    return "encodes to another size";
  uint8_t bytes[gcn::MaxWords * 4] = {};
  for (size_t i = 0; i < words->size(); ++i) {
    if (((*words)[i] ^ inst.words[i]) & known.dwords[i])
      return "encodes to other words";
    support::endian::write32le(bytes + 4 * i, (*words)[i]);
  }
  Inst again = decoder.decode(ArrayRef(bytes).take_front(inst.size), 0);
  if (!again.valid || again.text != inst.text)
    return "encodes to '" + again.text + "'";
  return "";
}

std::string fuzz::checkRoundTrip(Chip chip, unsigned waveSize, ArrayRef<uint8_t> code) {
  TableDecoder decoder(chip, waveSize);
  for (uint64_t at = 0; at + 4 <= code.size();) {
    Inst inst = decoder.decode(code, at);
    std::string wrong;
    if (inst.size < 4 || inst.size % 4 || inst.size > code.size() - at)
      wrong = "has " + std::to_string(inst.size) + " bytes";
    else if (inst.valid)
      wrong = checkInst(inst, chip, waveSize, decoder);
    if (!wrong.empty())
      return chipName(chip).str() + " wave" + std::to_string(waveSize) + ", byte " +
             std::to_string(at) + ": '" + inst.text + "' " + wrong;
    at += inst.size;
  }
  return "";
}
