// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/SettingChanges.h"

#include "fuzz/elf/StageMetadata.h"
#include "oracles/pal_elf/Metadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <array>

using namespace llvm;
using namespace assay;

namespace {

using Values = std::vector<MsgValue>;

/// Keys of the table that are also compared by name.
constexpr StringLiteral waveSizeKey = ".wavefront_size", ldsSizeKey = ".lds_size",
                        scratchSizeKey = ".scratch_memory_size";

/// A key of the metadata and how it may be wrong.
struct SettingRow {
  StringLiteral stage; ///< SettingChange::stage.
  /// Keys of maps in the pipeline, outermost first; of two maps or one.
  std::array<StringLiteral, 2> maps;
  StringLiteral key;
  /// Adds what \p value may have been meant to be.
  void (*vary)(const MsgValue &value, Values &others);
};

} // namespace

/// Adds those of \p numbers that \p value is not; none for a value that is not a number.
static void addNumbers(const MsgValue &value, ArrayRef<uint64_t> numbers, Values &others) {
  for (uint64_t number : numbers)
    if (value.asUint() && value.asUint() != number)
      others.push_back(MsgValue::makeUint(number));
}

/// 32 for 64 and the reverse.
static void takeOtherWaveSize(const MsgValue &value, Values &others) {
  addNumbers(value, {32, 64}, others);
}

/// Of a limit that is too low: higher ones.
template <uint64_t... Limits> static void raise(const MsgValue &value, Values &others) {
  for (uint64_t limit : {Limits...})
    if (value.asUint().value_or(UINT64_MAX) < limit)
      others.push_back(MsgValue::makeUint(limit));
}

/// Denormals kept or flushed (MODE[7:4]), of single precision (bits 5:4), of the others, of all.
static void flipDenormals(const MsgValue &value, Values &others) {
  for (uint64_t bits : {0x30, 0xc0, 0xf0})
    if (std::optional<uint64_t> mode = value.asUint())
      others.push_back(MsgValue::makeUint(*mode ^ bits));
}

/// User data are in registers in their order, so that two of which the first has the higher entry
/// may have been exchanged. Any two others are as they should be, whatever would pass with them.
static void orderEntries(const MsgValue &value, Values &others) {
  auto entryAt = [&](size_t number) { return value.items[number].asUint().value_or(UINT64_MAX); };
  if (value.kind != MsgKind::Array)
    return;
  for (size_t first = 0; first < value.items.size(); ++first)
    for (size_t second = first + 1; second < value.items.size(); ++second) {
      if (entryAt(first) >= user_data::MaxEntries || entryAt(first) <= entryAt(second))
        continue;
      others.push_back(value);
      std::swap(others.back().items[first], others.back().items[second]);
    }
}

/// The values of draws, of which PAL wants the base vertex first.
static void orderDrawValues(const MsgValue &value, Values &others) {
  if (value.kind != MsgKind::Array)
    return;
  auto isEntry = [](uint64_t entry) {
    return [=](const MsgValue &each) { return each.asUint() == entry; };
  };
  auto vertex = find_if(value.items, isEntry(user_data::BaseVertex));
  auto instance = find_if(value.items, isEntry(user_data::BaseInstance));
  if (vertex == value.items.end() || instance == value.items.end() || vertex < instance)
    return;
  MsgValue &other = others.emplace_back(value);
  std::swap(other.items[size_t(vertex - value.items.begin())],
            other.items[size_t(instance - value.items.begin())]);
}

/// A flag that is missing counts as false.
static void flip(const MsgValue &value, Values &others) {
  others.push_back({MsgKind::Bool, value.kind == MsgKind::Nil || value.bits == 0, 0, {}, {}});
}

/// Numbers that are not written are 0.
static void raiseToAll(const MsgValue &value, Values &others) {
  constexpr uint64_t All = 3;
  if (value.kind == MsgKind::Nil || value.asUint().value_or(All) < All)
    others.push_back(MsgValue::makeUint(All));
}

/// Outermost maps of the pipeline.
static constexpr StringLiteral stages = ".hardware_stages", registers = ".graphics_registers";

static constexpr SettingRow rows[] = {
    {"", {stages, ".cs"}, waveSizeKey, takeOtherWaveSize},
    {"", {stages, ".cs"}, ".user_data_reg_map", orderEntries},
    {"", {stages, ".cs"}, ".float_mode", flipDenormals},
    {"", {stages, ".cs"}, ldsSizeKey, raise<1 << 10, 64 << 10>},
    {"", {stages, ".cs"}, scratchSizeKey, raise<256, 4096>},
    {"", {stages, ".cs"}, ".vgpr_count", raise<32, 128, 256>},
    {"", {stages, ".cs"}, ".sgpr_count", raise<32, 102, 106>},
    {"vertex", {stages, ".vs"}, ".user_data_reg_map", orderDrawValues},
    {"vertex", {stages, ".gs"}, ".user_data_reg_map", orderDrawValues},
    {"vertex", {registers, ""}, ".vs_vgpr_comp_cnt", raiseToAll},
    {"vertex", {registers, ""}, ".es_vgpr_comp_cnt", raiseToAll},
    {"fragment", {registers, ".db_shader_control"}, ".depth_before_shader", flip},
};

/// Of an array up to the last register that something is in.
static std::string print(const MsgValue &value) {
  if (value.kind != MsgKind::Array)
    return std::to_string(value.asUint().value_or(0));
  auto used = drop_end(value.items, 0);
  while (!used.empty() && std::prev(used.end())->asUint() == user_data::NotMapped)
    used = drop_end(used);
  return "[" + join(map_range(used, print), ", ") + "]";
}

/// The keys of \p row, outermost first.
static SmallVector<StringRef, 3> pathOf(const SettingRow &row) {
  SmallVector<StringRef, 3> path;
  for (StringRef map : row.maps)
    if (!map.empty())
      path.push_back(map);
  path.push_back(row.key);
  return path;
}

std::vector<SettingChange> assay::listSettingChanges(ArrayRef<uint8_t> elf) {
  std::vector<SettingChange> changes;
  for (const SettingRow &row : rows) {
    Values others;
    fuzz::changeMetadata(elf, pathOf(row), [&](const MsgValue &value) {
      row.vary(value, others);
      return false;
    });
    for (const MsgValue &other : others)
      if (auto changed = fuzz::changeMetadata(elf, pathOf(row), [&](MsgValue &value) {
            value = other;
            return true;
          }))
        changes.push_back({row.key, print(other), std::move(*changed), row.stage});
  }
  return changes;
}

/// In front of LLVM's own layout, which may do with fewer.
static uint64_t countLds(const Module &module) {
  constexpr unsigned Lds = 3;
  const DataLayout &layout = module.getDataLayout();
  uint64_t bytes = 0;
  for (const GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == Lds)
      bytes = alignTo(bytes, layout.getPreferredAlign(&variable)) +
              layout.getTypeAllocSize(variable.getValueType());
  return bytes;
}

/// What LLVM adds are spilled registers.
static uint64_t countScratch(const Module &module) {
  uint64_t bytes = 0;
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (const auto *variable = dyn_cast<AllocaInst>(&instruction))
        if (auto size = variable->getAllocationSize(module.getDataLayout()))
          bytes += size->getKnownMinValue();
  return bytes;
}

/// Whether \p key of \p elf says less than \p count makes of \p text. Without any, no address fits.
static bool saysTooLittle(ArrayRef<uint8_t> elf, StringRef key, StringRef text,
                          uint64_t (*count)(const Module &)) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseAssemblyString(text, problem, context);
  uint64_t has = 0;
  fuzz::changeStage(elf, key, [&](const MsgValue &value) {
    has = value.asUint().value_or(0);
    return false;
  });
  return !module || has == 0 || count(*module) > has;
}

bool assay::mayBeMeant(const SettingChange &change, ArrayRef<uint8_t> elf, StringRef module) {
  if (change.key == ldsSizeKey)
    return saysTooLittle(elf, change.key, module, countLds);
  if (change.key == scratchSizeKey)
    return saysTooLittle(elf, change.key, module, countScratch);
  if (change.key != waveSizeKey)
    return true;
  constexpr StringLiteral feature = "+wavefrontsize"; // None on targets that have 64 alone.
  return module.contains(feature) ? module.contains(feature.str() + change.changed)
                                  : change.changed == "64";
}
