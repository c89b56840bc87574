// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LLVM writes into the PAL metadata, wrong.
#include "fuzz/elf/StageMetadata.h"
#include "harness/faults/CompiledElf.h"

using namespace llvm;
using namespace assay;

using ChangeValue = function_ref<bool(MsgValue &)>;

/// Applies \p change to the value of \p key in the compute stage; nothing where it returns false.
static std::optional<ElfBytes> changeStage(const CompiledElf &file, StringRef key,
                                           ChangeValue change) {
  return fuzz::changeStage(file.view.bytes(), key, change);
}

namespace {
/// A key with a number that is lowered.
struct NumberKey {
  StringLiteral name;
  uint64_t wrong; ///< What it becomes where it is more.
};
} // namespace
/// For lowerNumber().
static constexpr NumberKey vgprCount = {".vgpr_count", 1}, sgprCount = {".sgpr_count", 1},
                           scratchSize = {".scratch_memory_size", 0}, ldsSize = {".lds_size", 0};

/// Nothing where the number is as low already.
template <const NumberKey &Key>
static std::optional<ElfBytes> lowerNumber(const CompiledElf &file) {
  return changeStage(file, Key.name, [](MsgValue &value) {
    if (value.asUint().value_or(0) <= Key.wrong)
      return false;
    value = MsgValue::makeUint(Key.wrong);
    return true;
  });
}

/// 32 for 64, and 64 for anything else.
static std::optional<ElfBytes> otherWaveSize(const CompiledElf &file) {
  return changeStage(file, ".wavefront_size", [](MsgValue &value) {
    value = MsgValue::makeUint(value.asUint() == 64 ? 32 : 64);
    return true;
  });
}

/// A name that no symbol has.
static std::optional<ElfBytes> otherSymbol(const CompiledElf &file) {
  return changeStage(file, ".entry_point_symbol", [](MsgValue &value) {
    value = MsgValue::makeString("_amdgpu_cs_other");
    return true;
  });
}

ArrayRef<ElfEdit> assay::metadataEdits() {
  static constexpr ElfEdit edits[] = {{Fault::VgprCount, lowerNumber<vgprCount>},
                                      {Fault::SgprCount, lowerNumber<sgprCount>},
                                      {Fault::ScratchSize, lowerNumber<scratchSize>},
                                      {Fault::LdsSize, lowerNumber<ldsSize>},
                                      {Fault::WaveSize, otherWaveSize},
                                      {Fault::EntrySymbol, otherSymbol}};
  return edits;
}
