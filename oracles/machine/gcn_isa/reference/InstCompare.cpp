// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/reference/InstCompare.h"

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/machine/gcn_isa/reference/AsmText.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

InstCompare::InstCompare(Chip chip, unsigned waveSize, std::unique_ptr<LlvmReference> reference)
    : m_chip(chip), m_waveSize(waveSize), m_reference(std::move(reference)),
      m_decoder(std::make_unique<TableDecoder>(chip, waveSize)) {}

/// Fails when LLVM does not know the chip.
Expected<InstCompare> InstCompare::create(Chip chip, unsigned waveSize) {
  StringRef features = waveSize == 64 ? "+wavefrontsize64" : "+wavefrontsize32";
  auto reference = LlvmReference::create(chipName(chip), features);
  if (!reference)
    return reference.takeError();
  return InstCompare(chip, waveSize, std::move(*reference));
}

/// By the project's decoder.
Inst InstCompare::decode(const Words &words) const {
  uint8_t bytes[MaxWords * 4];
  for (unsigned i = 0; i < MaxWords; ++i)
    support::endian::write32le(bytes + 4 * i, words.dwords[i]);
  return m_decoder->decode(bytes, 0);
}

/// The bits of \p own's encoding that mean something, and the words it encodes to.
static bool encodeKnown(const Inst &own, Chip chip, unsigned waveSize, Words &encoded, Words &known,
                        std::string &message) {
  auto words = encodeInst(own, chip, waveSize, &known);
  if (!words) {
    message = takeError(words.takeError()).message;
    return false;
  }
  encoded = Words();
  std::copy(words->begin(), words->end(), encoded.dwords.begin());
  if (words->size() * 4 == own.size)
    return true;
  message = "encodes to another size";
  return false;
}

/// The words with all bits that mean nothing as the encoder writes them; unchanged if they do not
/// decode.
Words InstCompare::clearReserved(const Words &words) const {
  Inst own = decode(words);
  Words encoded;
  Words known;
  std::string message;
  if (!own.valid || !encodeKnown(own, m_chip, m_waveSize, encoded, known, message))
    return words;
  return encoded;
}

/// A finding: the words, what both decoders say, and \p what differs.
std::string InstCompare::describe(const Words &words, const Inst &own,
                                  const ReferenceResult &reference, const Twine &what) const {
  std::string text;
  raw_string_ostream os(text);
  os << chipName(m_chip) << " wave" << m_waveSize << ':';
  for (uint32_t dword : words.dwords)
    os << ' ' << format_hex_no_prefix(dword, 8);
  static constexpr StringLiteral Status[] = {"fail", "soft", "good", "crash"};
  os << ": " << what << "\n  own:  " << own.size << ' ' << (own.valid ? own.text : "(invalid)")
     << "\n  LLVM: " << reference.size << ' ' << Status[unsigned(reference.status)] << ' '
     << reference.text;
  return text;
}

/// encode(decode(w)) = w except for reserved bits, and decodes to the same again.
std::string InstCompare::checkRoundTrip(const Words &words, const Inst &own) {
  Words encoded;
  Words known;
  std::string message;
  if (!encodeKnown(own, m_chip, m_waveSize, encoded, known, message))
    return message;
  for (unsigned i = 0; i < own.size / 4; ++i)
    if ((words.dwords[i] ^ encoded.dwords[i]) & known.dwords[i])
      return "encodes to other words";
  ++m_counts.encoded;
  return "";
}

/// Whether bits that mean nothing are set otherwise than the encoder does.
static bool hasReservedBits(const Inst &own, const Words &words, Chip chip, unsigned waveSize) {
  Words encoded;
  Words known;
  std::string message;
  if (!encodeKnown(own, chip, waveSize, encoded, known, message))
    return false;
  for (unsigned i = 0; i < own.size / 4; ++i)
    if (words.dwords[i] != encoded.dwords[i])
      return true;
  return false;
}

/// The printer says in a comment what the decoder should have refused.
static bool isComplaint(StringRef text) {
  return text.contains("/*Invalid") || text.contains("/* Invalid") ||
         text.contains("is not supported");
}

/// Empty when both decoders agree, or the difference is known. Counts the outcome.
std::string InstCompare::compareOne(const Words &words, const ReferenceResult &reference) {
  Inst own = decode(words);
  bool isGood =
      reference.status == ReferenceStatus::Good && !isComplaint(reference.text) && reference.size;
  if (own.valid)
    if (std::string message = checkRoundTrip(words, own); !message.empty())
      return describe(words, own, reference, message);
  if (!isGood && !own.valid) {
    ++m_counts.invalid;
    return "";
  }
  std::string what;
  if (isGood && own.valid) {
    Inst parsed;
    parseAsmText(reference.text, parsed);
    if (own.size != reference.size)
      what = "the size differs";
    else if (own.text != reference.text)
      what = "the text differs";
    else
      what = compareInst(own, parsed);
    if (what.empty()) {
      ++m_counts.valid;
      ++m_counts.validByForm[own.form];
      for (const Inst &second : own.dual)
        ++m_counts.validByForm[second.form];
      return "";
    }
  } else if (own.valid && hasReservedBits(own, words, m_chip, m_waveSize)) {
    ++m_counts.reserved;
    return "";
  } else {
    what = isGood ? "LLVM alone decodes it" : "LLVM does not decode it";
  }
  bool isReserved = own.valid && hasReservedBits(own, words, m_chip, m_waveSize);
  for (ArrayRef<KnownDifference> rows : {knownDifferences(), knownMemoryDifferences()})
    for (const KnownDifference &row : rows) {
      if (!row.explains({m_chip, own, reference, isReserved}))
        continue;
      ++m_counts.known[row.id];
      return "";
    }
  if (isReserved)
    what += " (reserved bits are set)";
  return describe(words, own, reference, what);
}

/// At most \p limit differences; all words are counted.
std::vector<std::string> InstCompare::compare(ArrayRef<Words> words, size_t limit) {
  std::vector<std::string> differences;
  std::vector<ReferenceResult> references = m_reference->decode(words);
  for (size_t i = 0; i < words.size(); ++i) {
    ++m_counts.words;
    std::string difference = compareOne(words[i], references[i]);
    if (!difference.empty() && differences.size() < limit)
      differences.push_back(std::move(difference));
  }
  return differences;
}

//===- Inst against Inst ----------------------------------------------------------------------===//

/// Inline integers and literals.
static bool isNumber(const Operand &operand) {
  return operand.type == OperandType::Integer || operand.type == OperandType::Literal;
}

/// Whether the text can mean the decoded operand.
static bool sameOperand(const Operand &own, const Operand &parsed) {
  if (own.neg != parsed.neg || own.abs != parsed.abs || own.sext != parsed.sext)
    return false;
  // Texts cut literals of 16 bits, and write inline constants of 16-bit integers like literals.
  if (isNumber(own) && isNumber(parsed))
    return uint32_t(own.value) == uint32_t(parsed.value) || (own.value & 0xffff) == parsed.value;
  if (own.type == OperandType::Literal && parsed.type == OperandType::Float)
    return uint32_t(own.value) == bit_cast<uint32_t>(static_cast<float>(parsed.number));
  // LLVM's texts are read as Text where they are no plain operand.
  if (own.type == OperandType::Text || parsed.type == OperandType::Text)
    return own.type == parsed.type || isNumber(own) || isNumber(parsed);
  if (own.type != parsed.type)
    return false;
  if (own.type == OperandType::Float)
    return own.number == parsed.number;
  return own.index == parsed.index && own.half == parsed.half &&
         (own.dwords == parsed.dwords || !own.isRegister());
}

namespace {
/// A member of Modifiers that AsmText fills.
struct ModifierCheck {
  StringLiteral name;
  bool (*same)(const Modifiers &own, const Modifiers &parsed);
};
} // namespace

#define SAME(MEMBER)                                                                               \
  {#MEMBER,                                                                                        \
   [](const Modifiers &own, const Modifiers &parsed) { return own.MEMBER == parsed.MEMBER; }}
/// Modifiers that both decoders must agree on.
static constexpr ModifierCheck Checks[] = {
    SAME(clamp),      SAME(omod),    SAME(opSel),    SAME(opSelCount), SAME(opSelHi),
    SAME(hasOpSelHi), SAME(negLo),   SAME(negHi),    SAME(dpp),        SAME(dppValue),
    SAME(dppLanes),   SAME(rowMask), SAME(bankMask), SAME(boundCtrl),  SAME(fetchInactive),
    SAME(sdwa),       SAME(dstSel),  SAME(srcSel),   SAME(dstUnused),  SAME(offen),
    SAME(idxen),      SAME(tfe),     SAME(lds),      SAME(gds),        SAME(dmask),
    SAME(dimension),  SAME(d16),     SAME(a16),      SAME(lwe),        SAME(r128),
    SAME(returnsOld), SAME(offset),  SAME(offset0),  SAME(offset1),
};
#undef SAME

/// Scalar instructions print words that belong to their operand.
static bool comparesOther(const Inst &own) {
  return !StringRef(own.mnemonic).starts_with("s_");
}

/// What differs first, or an empty string.
std::string gcn::compareInst(const Inst &own, const Inst &parsed) {
  if (!parsed.valid)
    return "LLVM's text is not understood";
  if (own.mnemonic != parsed.mnemonic || own.isVop3 != parsed.isVop3)
    return "the mnemonic differs";
  if (own.dual.size() != parsed.dual.size())
    return "the second half differs";
  if (own.operands.size() != parsed.operands.size())
    return "the number of operands differs";
  for (size_t i = 0; i < own.operands.size(); ++i)
    if (!sameOperand(own.operands[i], parsed.operands[i]))
      return "operand " + std::to_string(i) + " differs";
  for (const ModifierCheck &check : Checks)
    if (!check.same(own.mods, parsed.mods))
      return ("modifier " + check.name + " differs").str();
  if (comparesOther(own) && own.mods.other != parsed.mods.other)
    return "further words differ";
  for (size_t i = 0; i < own.dual.size(); ++i)
    if (std::string what = compareInst(own.dual[i], parsed.dual[i]); !what.empty())
      return "second half: " + what;
  return "";
}
