// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/ElfCode.h"

#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "oracles/pal_elf/CodeFlow.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// Chips that execute what another one does, which there are tables for.
struct SameIsaRow {
  StringLiteral chip;   ///< Name by e_flags: "gfx1031".
  StringLiteral tables; ///< The chip in the instruction tables: "gfx1030".
};
/// Chips, and the chip of whose tables their instructions are decoded.
constexpr SameIsaRow SameIsa[] = {
    {"gfx900", "gfx900"},   {"gfx902", "gfx900"},   {"gfx909", "gfx900"},   {"gfx90c", "gfx900"},
    {"gfx1010", "gfx1010"}, {"gfx1030", "gfx1030"}, {"gfx1031", "gfx1030"}, {"gfx1032", "gfx1030"},
    {"gfx1033", "gfx1030"}, {"gfx1034", "gfx1030"}, {"gfx1035", "gfx1030"}, {"gfx1036", "gfx1030"},
    {"gfx1100", "gfx1100"}, {"gfx1101", "gfx1100"}, {"gfx1102", "gfx1100"}, {"gfx1103", "gfx1100"},
    {"gfx1150", "gfx1150"}, {"gfx1151", "gfx1150"}, {"gfx1152", "gfx1150"}, {"gfx1153", "gfx1150"},
    {"gfx1200", "gfx1201"}, {"gfx1201", "gfx1201"},
};

/// More than any shader has; hostile ELFs may claim more.
constexpr size_t MaxCodeBytes = size_t(16) << 20;
/// More callees than any pipeline has.
constexpr size_t MaxCallees = 4096;
/// No larger function is tried by the tables of other chips.
constexpr size_t MaxOtherBytes = size_t(1) << 20;

} // namespace

/// Returns the chip with the instruction tables for \p chip, "" if there are none.
static StringRef tablesFor(StringRef chip) {
  const auto *row = find_if(SameIsa, [&](const SameIsaRow &each) { return each.chip == chip; });
  return row == std::end(SameIsa) ? StringRef() : StringRef(row->tables);
}

/// The target of an export, by its text: "exp mrt0 v0, ...".
static std::string exportTarget(const gcn::Inst &inst) {
  StringRef text = inst.text;
  text = text.drop_front(std::min(text.find_first_of(" \t"), text.size())).ltrim();
  return text.take_while([](char c) { return isAlnum(c) || c == '_'; }).str();
}

/// Returns the fields of the export instruction \p inst, nullopt for other instructions. \p index
/// is its index in FunctionCode::insts.
static std::optional<ExportFacts> readExport(const gcn::Inst &inst, uint32_t index,
                                             unsigned gfxMajor) {
  if (inst.mnemonic != "exp" && inst.mnemonic != "export")
    return std::nullopt;
  ExportFacts facts;
  facts.inst = index;
  facts.target = exportTarget(inst);
  // EXP (all generations): EN in bits 3:0, COMPR in 10 up to GFX10, DONE in 11, VM in 12 up to
  // GFX10.
  facts.mask = inst.words[0] & 15;
  facts.done = inst.words[0] >> 11 & 1;
  facts.compressed = gfxMajor <= 10 && (inst.words[0] >> 10 & 1);
  facts.valid = gfxMajor <= 10 && (inst.words[0] >> 12 & 1);
  return facts;
}

/// The code of \p symbol, decoded for \p tables and \p waveSize; null for what is no code, and for
/// chips without tables.
static std::unique_ptr<FunctionCode> decodeFunction(const ElfModel &model, const ElfSymbol &symbol,
                                                    StringRef stage, StringRef tables,
                                                    unsigned waveSize) {
  auto decoder = gcn::Decoder::create(tables, waveSize);
  if (!decoder) {
    consumeError(decoder.takeError());
    return nullptr;
  }
  Expected<ArrayRef<uint8_t>> bytes = model.elf->symbolBytes(symbol);
  if (!bytes) {
    consumeError(bytes.takeError()); // ELF-14 says so.
    return nullptr;
  }
  size_t size = bytes->size() / 4 * 4;
  if (size == 0 || size > MaxCodeBytes)
    return nullptr;
  auto function = std::make_unique<FunctionCode>();
  function->stage = stage.str();
  function->symbol = &symbol;
  function->waveSize = waveSize;
  function->insts = (*decoder)->decodeRange(*bytes, 0, size);
  if (function->insts.empty())
    return nullptr;
  function->graph.emplace(function->insts, 0);
  return function;
}

/// Returns true when control reaches bytes that are no instruction of the chip.
static bool hasIllegal(const FunctionCode &function) {
  return any_of(function.graph->blocks(),
                [](const gcn::Block &block) { return block.leaving == gcn::BlockEnd::Illegal; });
}

/// The tables by which all that control reaches in \p symbol is code that stays inside; empty when
/// there are none.
static std::string findOtherChip(const ElfModel &model, const FunctionCode &function) {
  auto isSound = [](const gcn::Block &block) {
    return block.leaving != gcn::BlockEnd::Illegal && block.leaving != gcn::BlockEnd::BadBranch &&
           block.leaving != gcn::BlockEnd::FallsOff;
  };
  for (unsigned chip = 0; chip < gcn::ChipCount; ++chip) {
    StringRef name = gcn::chipName(static_cast<gcn::Chip>(chip));
    auto other = decodeFunction(model, *function.symbol, function.stage, name, function.waveSize);
    if (other && all_of(other->graph->blocks(), isSound))
      return name.str();
  }
  return "";
}

/// Decodes the code of \p symbol and collects its reachable exports. Null when it cannot be decoded
/// at all (decodeFunction). Without \p waveSize it is decoded for 64 lanes, and in plain LLVM
/// output for 32 if only that yields legal code.
static std::unique_ptr<FunctionCode> readFunction(const ElfModel &model, const ElfSymbol &symbol,
                                                  StringRef stage, StringRef tables,
                                                  std::optional<unsigned> waveSize) {
  auto function = decodeFunction(model, symbol, stage, tables, waveSize.value_or(64));
  // Plain LLVM does not say for which size kernels are: some instructions are for one only.
  if (function && !waveSize && model.isPlain && hasIllegal(*function)) {
    auto narrow = decodeFunction(model, symbol, stage, tables, 32);
    if (narrow && !hasIllegal(*narrow))
      function = std::move(narrow);
  }
  if (!function)
    return nullptr;
  function->waveSizeSaid = waveSize.has_value();
  if (hasIllegal(*function) && symbol.size <= MaxOtherBytes)
    function->otherChip = findOtherChip(model, *function);
  for (auto [index, inst] : enumerate(function->insts)) {
    auto number = static_cast<uint32_t>(index);
    if (!function->isReached(number))
      continue;
    if (auto facts = readExport(inst, number, getGfxMajor(model)))
      function->exports.push_back(std::move(*facts));
  }
  return function;
}

/// The wave size that the metadata give \p stage: 2.x metadata have it in a bit of a register.
/// Nothing when nothing is said, which PAL takes for 64.
static std::optional<unsigned> waveSizeOf(const ElfModel &model, const StageModel &stage) {
  struct Row {
    StringLiteral stage; ///< ".cs".
    uint32_t offset;     ///< Dword offset of the register.
    uint8_t bit;         ///< Set: waves of 32 lanes.
  };
  // COMPUTE_DISPATCH_INITIATOR.CS_W32_EN, SPI_PS_IN_CONTROL.PS_W32_EN,
  // VGT_SHADER_STAGES_EN.*_W32_EN.
  static constexpr Row Rows[] = {{".cs", 0x2e00, 15}, {".ps", 0xa1b6, 15}, {".hs", 0xa2d5, 21},
                                 {".ls", 0xa2d5, 21}, {".gs", 0xa2d5, 22}, {".es", 0xa2d5, 22},
                                 {".vs", 0xa2d5, 23}};
  if (stage.typed->wavefrontSize)
    return *stage.typed->wavefrontSize;
  const auto *row = find_if(Rows, [&](const Row &each) { return each.stage == stage.name(); });
  auto found = row == std::end(Rows) ? model.launch->registers.end()
                                     : model.launch->registers.find(row->offset);
  if (found == model.launch->registers.end())
    return std::nullopt;
  return found->second >> row->bit & 1 ? 32 : 64;
}

/// Adds the functions that '.shader_functions' declares, which entry points call or hand over to.
/// They are for the wave size of stage '.cs'.
static void readCallees(const ElfModel &model, StringRef tables, ElfCode &code) {
  const MsgValue *declared = model.pipeline ? model.pipeline->find(".shader_functions") : nullptr;
  if (!model.launch || !declared || declared->kind != MsgKind::Map)
    return;
  std::optional<unsigned> waveSize;
  for (const StageModel &stage : getStages(model))
    if (stage.isCompute())
      waveSize = waveSizeOf(model, stage);
  for (size_t i = 0; i + 1 < declared->items.size() && i / 2 < MaxCallees; i += 2) {
    const ElfSymbol *symbol = model.elf->findSymbol(declared->items[i].text);
    bool isKnown = symbol && any_of(code.functions, [&](const auto &function) {
                     return function->symbol->section == symbol->section &&
                            function->symbol->value == symbol->value;
                   });
    if (!symbol || isKnown)
      continue; // A function may be elsewhere.
    if (auto function = readFunction(model, *symbol, "", tables, waveSize))
      code.functions.push_back(std::move(function));
  }
}

/// The functions of the stages come first, in the order of the metadata; callees follow. A stage
/// without a symbol or without decodable bytes has no function.
ElfCode assay::readCode(const ElfModel &model) {
  ElfCode code;
  if (!model.elf || !model.machine)
    return code;
  StringRef chip = tablesFor(model.machine->name);
  code.tables = chip.str();
  for (const StageModel &stage : getStages(model)) {
    const ElfSymbol *symbol = model.elf->findSymbol(stage.typed->entryPoint);
    if (!symbol)
      continue; // TOP-01 says so.
    if (chip.empty()) {
      code.undecoded = model.machine->name.str();
      return code;
    }
    if (auto function = readFunction(model, *symbol, stage.name(), chip, waveSizeOf(model, stage)))
      code.functions.push_back(std::move(function));
  }
  if (!chip.empty())
    readCallees(model, chip, code);
  return code;
}

/// Returns the first function of the stage, or null.
const FunctionCode *ElfCode::find(StringRef stage) const {
  for (const auto &function : functions)
    if (!stage.empty() && function->stage == stage)
      return function.get();
  return nullptr;
}

/// True if reachable code calls other code or continues there.
bool FunctionCode::leaves() const {
  for (uint32_t i = 0; i < insts.size(); ++i)
    if (isReached(i) && isCall(insts[i]))
      return true;
  return any_of(graph->blocks(),
                [](const gcn::Block &block) { return block.leaving == gcn::BlockEnd::Leaves; });
}

const FunctionCode *assay::findCode(const ElfModel &model, StringRef stage) {
  return model.code ? model.code->find(stage) : nullptr;
}

/// Prints symbol, offset in hexadecimal digits, and the instruction.
std::string assay::codeLocation(const FunctionCode &function, uint32_t index) {
  const gcn::Inst &inst = function.insts[index];
  std::string place = "'" + function.symbol->name.str() + "'+0x" + utohexstr(inst.pc, true);
  return inst.text.empty() ? place : place + " (" + StringRef(inst.text).trim().str() + ")";
}
