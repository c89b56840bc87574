// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules on whether the code is what the ELF says of it: that of this chip (MC-24), that of these
// API shaders (MC-23), that of the disassembly next to it (ELF-24).
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "support/Error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// The chip in an ISA name, "amdgcn-amd-amdpal--gfx1100:xnack-".
static StringRef chipOfIsaName(StringRef name) {
  name = name.take_until([](char c) { return c == 0; });
  size_t at = name.rfind("--gfx");
  return at == StringRef::npos ? StringRef() : name.drop_front(at + 2).split(':').first;
}

/// MC-24, and as an info a note with another chip's ISA name.
static void checkChip(const ElfModel &model, RuleReporter &out) {
  if (model.code)
    for (const auto &function : model.code->functions)
      if (!function->otherChip.empty())
        out.report(codeLocation(*function, 0), "code",
                   "e_flags say " + model.machine->name + ", but the code is that of " +
                       function->otherChip);
  if (!model.elf || !model.machine)
    return;
  for (const ElfNote &note : model.elf->notes()) {
    if (note.owner != "AMD" || note.type != elf::NoteAmdIsaName)
      continue;
    StringRef text(reinterpret_cast<const char *>(note.desc.data()), note.desc.size());
    StringRef chip = chipOfIsaName(text);
    if (!chip.empty() && chip != model.machine->name)
      out.report(RuleLevel::Info, offsetLocation(note.offset), "note",
                 "e_flags say " + model.machine->name + ", the note with the ISA's name '" + chip +
                     "'");
  }
}

/// LGC, setShaderHash: both halves of both words of a hash, XORed. A stage's are XORed in turn.
static uint32_t foldHashes(const ElfModel &model, StringRef stage) {
  uint64_t folded = 0;
  FieldMap shaders = pipelineFields(model).at(".shaders");
  for (StringRef name :
       {".compute", ".task", ".vertex", ".hull", ".domain", ".geometry", ".mesh", ".pixel"}) {
    FieldMap shader = shaders.at(name);
    if (none_of(shader.items(".hardware_mapping"), [&](const MsgValue &mapped) {
          return mapped.kind == MsgKind::String && mapped.text == stage;
        }))
      continue;
    for (const MsgValue &word : shader.items(".api_shader_hash"))
      folded ^= numberOf(word) ^ numberOf(word) >> 32;
  }
  return static_cast<uint32_t>(folded);
}

/// MC-23. Only in ELFs of LGC; a checksum of 0 counts as missing.
static void checkChecksums(const ElfModel &model, RuleReporter &out) {
  if (model.dialect != ElfDialect::Lgc)
    return;
  for (const StageModel &stage : getStages(model)) {
    uint64_t told = FieldMap(stage.map).numberOr(".checksum_value");
    uint32_t expected = foldHashes(model, stage.name());
    if (told && told != expected)
      out.report(stage.location(".checksum_value"), "hash",
                 "it is 0x" + Twine::utohexstr(told) +
                     ", but the hashes of its API shaders give 0x" + Twine::utohexstr(expected));
  }
}

namespace {
/// One instruction of a disassembly.
struct TextInst {
  unsigned line = 0;
  StringRef mnemonic;                ///< Without the encoding's suffix.
  SmallVector<uint32_t, 3> encoding; ///< From a comment; may be empty.
};
} // namespace

/// Returns true for the first word of an instruction, by its prefix.
static bool isMnemonic(StringRef word) {
  static constexpr StringLiteral prefixes[] = {"s_",       "v_",       "ds_",      "buffer_",
                                               "tbuffer_", "image_",   "flat_",    "lds_",
                                               "global_",  "scratch_", "cluster_", "tensor_"};
  return word == "exp" || word == "export" ||
         any_of(prefixes, [&](StringRef prefix) { return word.starts_with(prefix); });
}

/// Returns \p mnemonic without the suffixes for its encoding, which disassemblers write or leave
/// out.
static StringRef dropSuffix(StringRef mnemonic) {
  static constexpr StringLiteral suffixes[] = {"_dpp8", "_dpp", "_sdwa", "_e32", "_e64"};
  for (StringRef suffix : suffixes)
    mnemonic.consume_back(suffix);
  return mnemonic;
}

/// Words of eight hexadecimal digits, which LLVM and AMD's disassemblers put after instructions;
/// an address with a colon may be before them.
static SmallVector<uint32_t, 3> readEncoding(StringRef comment) {
  SmallVector<uint32_t, 3> words;
  SmallVector<StringRef, 4> parts;
  SplitString(comment, parts);
  for (StringRef part : parts) {
    uint32_t word;
    if (part.ends_with(":"))
      continue;
    if (part.size() != 8 || part.getAsInteger(16, word))
      return {};
    words.push_back(word);
  }
  return words;
}

/// The instructions in \p text; labels, directives and other lines are left out.
static std::vector<TextInst> readDisassembly(StringRef text) {
  std::vector<TextInst> insts;
  unsigned number = 0;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    ++number;
    size_t end = std::min(line.find(';'), line.find("//"));
    StringRef code = line.take_front(end).trim();
    StringRef mnemonic = code.take_until([](char c) { return isSpace(c); });
    if (!isMnemonic(mnemonic) || mnemonic.ends_with(":"))
      continue;
    StringRef comment = end == StringRef::npos ? "" : line.drop_front(end).ltrim(";/");
    insts.push_back({number, dropSuffix(mnemonic), readEncoding(comment)});
  }
  return insts;
}

/// LLVM writes what it does not know yet as zeros: how far branches go, and literals that are
/// differences of places.
static bool agrees(const TextInst &text, const Inst &inst) {
  if (text.encoding.empty())
    return text.mnemonic == dropSuffix(inst.mnemonic);
  if (text.encoding.size() * 4 != inst.size)
    return false;
  bool isBranch = branchTarget(inst).has_value();
  bool hasLiteral = any_of(
      inst.operands, [](const Operand &operand) { return operand.type == OperandType::Literal; });
  for (auto [index, word] : enumerate(text.encoding)) {
    bool isOpen = hasLiteral && index + 1 == text.encoding.size() && word == 0;
    if (!isOpen && (word ^ inst.words[index]) >> (isBranch ? 16 : 0) != 0)
      return false;
  }
  return true;
}

/// Compares \p texts with the instructions of \p function, which are all it has. Code may have
/// s_nop where the text has none: assemblers align with it.
static void compare(ArrayRef<TextInst> texts, const FunctionCode &function, RuleReporter &out) {
  uint32_t index = 0;
  auto skipNops = [&] {
    while (index < function.insts.size() && function.insts[index].mnemonic == "s_nop")
      ++index;
  };
  for (const TextInst &text : texts) {
    if (text.mnemonic != "s_nop")
      skipNops();
    if (index == function.insts.size())
      return out.report(codeLocation(function, 0), "length",
                        "line " + Twine(text.line) + " of its disassembly is after its end");
    if (!agrees(text, function.insts[index]))
      return out.report(codeLocation(function, index), "differs",
                        "line " + Twine(text.line) + " of its disassembly says '" + text.mnemonic +
                            "'");
    ++index;
  }
  skipNops();
  if (index != function.insts.size())
    out.report(codeLocation(function, index), "length", "its disassembly ends before it");
}

/// Views \p bytes as text.
static StringRef textOf(ArrayRef<uint8_t> bytes) {
  return StringRef(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}

/// "_amdgpu_cs_disasm" -> ".cs".
static std::string stageOfSymbol(StringRef name) {
  name.consume_front("_amdgpu_");
  name.consume_back("_disasm");
  return ("." + name).str();
}

/// A section without symbols, as LLVM's feature dumpcode writes it: all functions, one after the
/// other. Compared when there is but one.
static void compareWhole(const ElfModel &model, StringRef text, RuleReporter &out) {
  auto functions = count_if(model.elf->symbols(), [](const ElfSymbol &symbol) {
    return symbol.type == elf::SttFunc && symbol.hasSection();
  });
  std::vector<TextInst> texts = readDisassembly(text);
  if (functions == 1 && model.code && model.code->functions.size() == 1 && !texts.empty())
    compare(texts, *model.code->functions[0], out);
}

/// Returns true for printable ASCII, white space, NUL, and bytes of 0x80 and above (UTF-8).
static bool isText(ArrayRef<uint8_t> bytes) {
  return all_of(bytes, [](uint8_t byte) {
    char c = static_cast<char>(byte);
    return byte == 0 || byte >= 0x80 || isPrint(c) || isSpace(c);
  });
}

/// ELF-24. Reports symbols outside of '.AMDGPU.disasm', bytes that are no text, and the first
/// difference between each text and its code.
static void checkDisassembly(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  bool hasSymbols = false;
  for (const ElfSymbol &symbol : model.elf->symbols()) {
    if (!symbol.name.starts_with("_amdgpu_") || !symbol.name.ends_with("_disasm"))
      continue;
    hasSymbols = true;
    std::string place = "symbol " + std::to_string(symbol.index) + " '" + symbol.name.str() + "'";
    const ElfSection *section = symbol.hasSection() ? model.elf->section(symbol.section) : nullptr;
    if (!section || section->name != ".AMDGPU.disasm") {
      out.report(place, "section", "it is not in '.AMDGPU.disasm'");
      continue;
    }
    Expected<ArrayRef<uint8_t>> bytes = model.elf->symbolBytes(symbol);
    if (!bytes) {
      consumeError(bytes.takeError()); // ELF-14 says so.
      continue;
    }
    if (!isText(*bytes)) {
      out.report(place, "text", "its bytes are not text");
      continue;
    }
    const FunctionCode *function =
        model.code ? model.code->find(stageOfSymbol(symbol.name)) : nullptr;
    std::vector<TextInst> texts = readDisassembly(textOf(*bytes));
    if (function && !texts.empty())
      compare(texts, *function, out);
  }
  const ElfSection *section = model.elf->findSection(".AMDGPU.disasm");
  if (section && !hasSymbols && isText(section->bytes))
    compareWhole(model, textOf(section->bytes), out);
}

static constexpr RuleInfo identityRules[] = {
    {"ELF-24",
     RuleLevel::Info,
     "The disassembly is text, in its place, and that of the code",
     {EnforcerKind::Habit, "LLVM AMDGPUAsmPrinter (dumpcode), LGC"},
     "Symbols '_amdgpu_*_disasm' lie in '.AMDGPU.disasm'. Its instructions are compared with those "
     "of the code one by one: by the encoding, where one is written after them, else by the "
     "mnemonic. Text without instructions is accepted, and a section without symbols is compared "
     "when there is one function.",
     checkDisassembly},
    {"MC-23",
     RuleLevel::Info,
     "The checksum is that of the API shaders",
     {EnforcerKind::Habit, "LGC setShaderHash"},
     "Where LGC writes a '.checksum_value', it is the XOR of all words of the hashes of the API "
     "shaders that are mapped to the stage: profilers identify shaders by it. What other writers "
     "put "
     "there is their own.",
     checkChecksums},
    {"MC-24",
     RuleLevel::Fatal,
     "The code is for the chip in e_flags",
     {EnforcerKind::Hardware, "AMD ISA manuals, Microcode Formats"},
     "When code is illegal on its chip, but all of it legal on another one that there are tables "
     "for, this rule says so instead of MC-01. A note with the ISA's name names the same chip "
     "(info).",
     checkChip},
};

ArrayRef<RuleInfo> assay::getIdentityRules() {
  return identityRules;
}
