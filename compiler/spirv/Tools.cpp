// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembling, disassembling and validating, by SPIRV-Tools.
#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/Module.h"
#include "compiler/spirv/ToolsContext.h"
#include "support/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <array>

using namespace llvm;

namespace assay::spirv {

ToolsContext::ToolsContext() : m_context(spvContextCreate(SPV_ENV_VULKAN_1_3)) {}
ToolsContext::~ToolsContext() {
  spvContextDestroy(m_context);
}

ToolsMessage::~ToolsMessage() {
  spvDiagnosticDestroy(m_diagnostic);
}

// The words by which SPIRV-Tools says that it has never heard of something. An enumerant may be
// merely new, or plain nonsense; nobody can tell without a newer grammar, so it is unsupported.
static bool saysUnknown(StringRef text) {
  for (StringRef phrase :
       {"Invalid opcode: ", "Invalid Opcode name", "Unknown extended instruction",
        "Invalid capability ", "Invalid storage class ", "Invalid execution mode ",
        "Invalid decoration ", "Invalid built-in "})
    if (text.contains(phrase))
      return true;
  return false;
}

/// The place is a line of text or a word of the module, if SPIRV-Tools names one.
Error ToolsMessage::toError(const Twine &what) const {
  if (!m_diagnostic)
    return invalidInput(what + ": SPIRV-Tools rejects it without a reason");
  StringRef text = m_diagnostic->error;
  text = text.rtrim();
  if (saysUnknown(text))
    return unsupported("spirv-tools " + spirvToolsVersion() + ": " + text);
  std::string place;
  if (m_diagnostic->isTextSource)
    place = "line " + std::to_string(m_diagnostic->position.line + 1) + ": ";
  else if (m_diagnostic->position.index)
    place = "word " + std::to_string(m_diagnostic->position.index) + ": ";
  return invalidInput(what + ": " + place + text);
}

/// Languages of OpSource that the installed SPIRV-Tools have a name for, a bit for each number.
static uint64_t findKnownLanguages() {
  ToolsContext context;
  uint64_t known = 0;
  for (uint32_t language = 0; language < 64; ++language) {
    uint32_t opcode = 3u << 16 | static_cast<uint32_t>(spv::Op::OpSource);
    std::array<uint32_t, 8> words = {spv::MagicNumber, 0x00010000, 0, 1, 0, opcode, language, 0};
    spv_text text = nullptr;
    spv_result_t result = spvBinaryToText(context.get(), words.data(), words.size(),
                                          SPV_BINARY_TO_TEXT_OPTION_NONE, &text, nullptr);
    spvTextDestroy(text);
    if (result == SPV_SUCCESS)
      known |= uint64_t(1) << language;
  }
  return known;
}

static bool isKnownLanguage(uint32_t language) {
  static const uint64_t known = findKnownLanguages();
  return language < 64 && (known >> language & 1) != 0;
}

/// OpSource precedes the first type. One of less than three words is left to the parser.
ParsableWords::ParsableWords(ArrayRef<uint32_t> words) : m_words(words) {
  constexpr size_t HeaderWords = 5;
  for (size_t place = HeaderWords; place + 1 < words.size();) {
    auto opcode = spv::Op(words[place] & 0xffff);
    size_t length = words[place] >> 16;
    if (length == 0 || opcode == spv::Op::OpTypeVoid || opcode == spv::Op::OpFunction)
      return;
    if (opcode == spv::Op::OpSource && length >= 3 && !isKnownLanguage(words[place + 1])) {
      if (m_changed.empty())
        m_changed = words.vec();
      m_changed[place + 1] = static_cast<uint32_t>(spv::SourceLanguage::Unknown);
      m_words = m_changed;
    }
    place += length;
  }
}

/// Friendly names are what messages call ids; making them takes a third of the whole time.
static Error validateOnce(const ParsableWords &words, bool hasFriendlyNames) {
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  spv_const_binary_t binary{words.data(), words.size()};
  // The features scalarBlockLayout and workgroupMemoryExplicitLayoutScalarBlockLayout.
  std::unique_ptr<spv_validator_options_t, decltype(&spvValidatorOptionsDestroy)> options(
      spvValidatorOptionsCreate(), spvValidatorOptionsDestroy);
  spvValidatorOptionsSetScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetWorkgroupScalarBlockLayout(options.get(), true);
  spvValidatorOptionsSetFriendlyNames(options.get(), hasFriendlyNames);
  spv_result_t result = spvValidateWithOptions(context.get(), options.get(), &binary, &diagnostic);
  ToolsMessage message(diagnostic);
  return result == SPV_SUCCESS ? Error::success() : message.toError("spirv-val");
}

/// Validates a second time for the message where the first run fails.
Error validate(ArrayRef<uint32_t> module) {
  ParsableWords words(module);
  Error error = validateOnce(words, /*hasFriendlyNames=*/false);
  if (!error)
    return error;
  consumeError(std::move(error));
  return validateOnce(words, /*hasFriendlyNames=*/true);
}

/// The text's words, or an Error. Sets \p unknownLanguage to the place of the language of an
/// OpSource that the assembler does not know, if that is the reason.
static Expected<std::vector<uint32_t>> assembleOnce(StringRef text,
                                                    std::optional<size_t> &unknownLanguage) {
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  spv_binary binary = nullptr;
  spv_result_t result =
      spvTextToBinaryWithOptions(context.get(), text.data(), text.size(),
                                 SPV_TEXT_TO_BINARY_OPTION_NONE, &binary, &diagnostic);
  ToolsMessage message(diagnostic);
  if (diagnostic && StringRef(diagnostic->error).contains("Invalid source language"))
    unknownLanguage = diagnostic->position.index;
  if (result != SPV_SUCCESS) {
    spvBinaryDestroy(binary);
    return message.toError("SPIR-V assembly");
  }
  std::vector<uint32_t> words(binary->code, binary->code + binary->wordCount);
  spvBinaryDestroy(binary);
  return words;
}

/// Numeric ids are not preserved. Languages that are newer than the assembler become Unknown.
Expected<std::vector<uint32_t>> assemble(StringRef text) {
  std::string changed; // Empty as long as the text is the original one.
  for (size_t from = 0;;) {
    std::optional<size_t> place;
    Expected<std::vector<uint32_t>> words =
        assembleOnce(changed.empty() ? text : StringRef(changed), place);
    // Each turn is after the last one, so that there is an end.
    if (!place || *place < from || *place >= text.size() + changed.size())
      return words;
    consumeError(words.takeError());
    if (changed.empty())
      changed = text.str();
    size_t end = *place;
    while (end < changed.size() && !isSpace(changed[end]))
      ++end;
    constexpr StringRef Unknown = "Unknown";
    changed.replace(*place, end - *place, Unknown.data(), Unknown.size());
    from = *place + Unknown.size();
  }
}

/// Instructions are indented, and ids have friendly names.
Expected<std::string> disassemble(ArrayRef<uint32_t> module) {
  ParsableWords words(module);
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  spv_text text = nullptr;
  uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  spv_result_t result =
      spvBinaryToText(context.get(), words.data(), words.size(), options, &text, &diagnostic);
  ToolsMessage message(diagnostic);
  if (result != SPV_SUCCESS) {
    spvTextDestroy(text);
    return message.toError("SPIR-V module");
  }
  std::string string(text->str, text->length);
  spvTextDestroy(text);
  return string;
}

/// Accepts either byte order, which the magic number shows.
Expected<std::vector<uint32_t>> wordsFromBytes(ArrayRef<uint8_t> bytes) {
  if (bytes.size() % 4 != 0 || bytes.size() < 20)
    return invalidInput("SPIR-V module: has " + Twine(bytes.size()) +
                        " bytes, at least 20 and a multiple of 4 were expected");
  std::vector<uint32_t> words(bytes.size() / 4);
  uint32_t magic = support::endian::read32le(bytes.data());
  bool swapped = magic == byteswap(uint32_t(spv::MagicNumber));
  if (!swapped && magic != spv::MagicNumber)
    return invalidInput("SPIR-V module: begins with 0x" + utohexstr(magic) +
                        ", the magic number 0x7230203 was expected");
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = swapped ? support::endian::read32be(&bytes[4 * i])
                       : support::endian::read32le(&bytes[4 * i]);
  return words;
}

std::string opcodeName(spv::Op opcode) {
  const char *name = spvOpcodeString(static_cast<uint32_t>(opcode));
  if (!name || StringRef(name) == "unknown")
    return "Op<" + std::to_string(static_cast<uint32_t>(opcode)) + ">";
  return std::string("Op") + name;
}

// SPIRV-Tools offers its grammar only through the disassembler: word \p word of the text of one
// instruction is the name.
static std::string nameFromText(ArrayRef<uint32_t> instruction, unsigned word, uint32_t value) {
  std::vector<uint32_t> words = {spv::MagicNumber, 0x00010600, 0, 3, 0};
  words.insert(words.end(), instruction.begin(), instruction.end());
  Expected<std::string> text = disassemble(words);
  if (!text) {
    consumeError(text.takeError());
    return std::to_string(value);
  }
  SmallVector<StringRef> parts;
  SplitString(StringRef(*text).rtrim().rsplit('\n').second, parts);
  return word < parts.size() ? parts[word].str() : std::to_string(value);
}

std::string builtInName(spv::BuiltIn builtIn) {
  auto value = static_cast<uint32_t>(builtIn);
  uint32_t opcode = 4u << 16 | static_cast<uint32_t>(spv::Op::OpDecorate);
  return nameFromText({opcode, 1, static_cast<uint32_t>(spv::Decoration::BuiltIn), value}, 3,
                      value);
}

std::string storageClassName(spv::StorageClass storageClass) {
  auto value = static_cast<uint32_t>(storageClass);
  uint32_t opcode = 4u << 16 | static_cast<uint32_t>(spv::Op::OpTypePointer);
  return nameFromText({opcode, 1, value, 2}, 3, value);
}

/// Modes have up to three operands, without which they do not disassemble.
std::string executionModeName(spv::ExecutionMode mode) {
  auto value = static_cast<uint32_t>(mode);
  std::string number = std::to_string(value);
  std::vector<uint32_t> instruction = {0, 1, value};
  for (unsigned operands = 0; operands <= 3; ++operands, instruction.push_back(1)) {
    instruction[0] = uint32_t(instruction.size()) << 16 | uint32_t(spv::Op::OpExecutionMode);
    if (std::string name = nameFromText(instruction, 2, value); name != number)
      return name;
  }
  return number;
}

std::string capabilityName(spv::Capability capability) {
  auto value = static_cast<uint32_t>(capability);
  uint32_t opcode = 2u << 16 | static_cast<uint32_t>(spv::Op::OpCapability);
  return nameFromText({opcode, value}, 1, value);
}

std::string spirvToolsVersion() {
  // "SPIRV-Tools v2023.1 ..." or "v2023.1".
  StringRef version = spvSoftwareVersionString();
  return version.str();
}

} // namespace assay::spirv
