// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/SettingChanges.h"

#include "compiler/driver/Compiler.h"
#include "fuzz/elf/StageMetadata.h"
#include "oracles/input/CaseReader.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Elf = std::vector<uint8_t>;

Elf compileCase(StringRef name) {
  Compiler compiler;
  Case input =
      cantFail(readCase((ASSAY_SOURCE_DIR "/corpora/compute/" + name + ".amber").str(), name));
  CompileOptions options;
  options.target = cantFail(findTarget("gfx1100"));
  const PipelineDescription &pipeline = input.pipelines.front().description;
  return cantFail(compiler.compile(pipeline, options, EmitPhase::Elf)).output;
}

HardwareStageMetadata readStage(const Elf &elf) {
  return *cantFail(readPalMetadata(cantFail(ElfView::read(elf)))).find(".cs");
}

std::vector<SettingChange> changesOf(const Elf &elf, StringRef key) {
  std::vector<SettingChange> changes = listSettingChanges(elf);
  erase_if(changes, [&](const SettingChange &each) { return each.key != key; });
  return changes;
}

/// Two entries of the register map, which are in their order, exchanged.
Elf exchangeEntries(const Elf &elf, size_t first, size_t second) {
  return *fuzz::changeStage(elf, ".user_data_reg_map", [&](MsgValue &map) {
    std::swap(map.items[first], map.items[second]);
    return true;
  });
}

} // namespace

TEST(SettingChanges, TryTheOtherWaveSize) {
  Elf elf = compileCase("saxpy");
  ASSERT_EQ(readStage(elf).wavefrontSize, 32u);
  std::vector<SettingChange> changes = changesOf(elf, ".wavefront_size");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].changed, "64");
  EXPECT_EQ(readStage(changes[0].elf).wavefrontSize, 64u);
}

TEST(SettingChanges, RaiseLimitsThatMayBeTooLow) {
  Elf elf = compileCase("saxpy");
  ASSERT_LT(readStage(elf).vgprCount, 32u);
  std::vector<uint32_t> counts;
  for (const SettingChange &change : changesOf(elf, ".vgpr_count"))
    counts.push_back(readStage(change.elf).vgprCount);
  EXPECT_THAT(counts, ElementsAre(32, 128, 256));
}

TEST(SettingChanges, FlipDenormals) {
  Elf elf = compileCase("saxpy");
  uint8_t mode = readStage(elf).floatMode;
  std::vector<uint8_t> modes;
  for (const SettingChange &change : changesOf(elf, ".float_mode"))
    modes.push_back(readStage(change.elf).floatMode ^ mode);
  EXPECT_THAT(modes, ElementsAre(0x30, 0xc0, 0xf0));
}

TEST(SettingChanges, OrderUserDataAndNeverTheReverse) {
  Elf elf = compileCase("saxpy");
  HardwareStageMetadata stage = readStage(elf);
  EXPECT_THAT(changesOf(elf, ".user_data_reg_map"), IsEmpty()) << "they stand as they should";
  // Entries are what the first registers hold that are no tables.
  size_t first = 0;
  while (stage.userDataRegMap[first] >= user_data::MaxEntries)
    ++first;
  ASSERT_LT(stage.userDataRegMap[first], stage.userDataRegMap[first + 1]);
  ASSERT_LT(stage.userDataRegMap[first + 1], user_data::MaxEntries);
  std::vector<SettingChange> changes =
      changesOf(exchangeEntries(elf, first, first + 1), ".user_data_reg_map");
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(readStage(changes[0].elf).userDataRegMap, stage.userDataRegMap);
  EXPECT_EQ(StringRef(changes[0].changed).count("4294967295"), 0u) << changes[0].changed;
}

TEST(SettingChanges, OfWhatIsNoElfThereAreNone) {
  EXPECT_THAT(listSettingChanges(Elf{1, 2, 3}), IsEmpty());
  EXPECT_THAT(listSettingChanges({}), IsEmpty());
  Elf elf = compileCase("saxpy");
  EXPECT_THAT(listSettingChanges(ArrayRef(elf).drop_back(elf.size() / 2)), IsEmpty());
}

TEST(SettingChanges, AreMeantWhereTheIrAsksForThem) {
  Elf elf = compileCase("saxpy");
  auto isMeant = [&](StringRef key, StringRef changed, StringRef module) {
    return mayBeMeant({key, changed.str(), elf}, elf, module);
  };
  constexpr StringLiteral wide = "attributes #0 = { \"target-features\"=\"+wavefrontsize64,\" }";
  EXPECT_TRUE(isMeant(".wavefront_size", "64", wide));
  EXPECT_FALSE(isMeant(".wavefront_size", "32", wide)) << "the code is for waves of 64";
  EXPECT_TRUE(isMeant(".wavefront_size", "64", "")) << "there are no others";
  EXPECT_FALSE(isMeant(".wavefront_size", "32", ""));
  EXPECT_TRUE(isMeant(".lds_size", "1024", "")) << "there is none";
  EXPECT_TRUE(isMeant(".float_mode", "240", ""));
}

TEST(SettingChanges, AreMeantWhereTheIrHasMore) {
  auto isMeant = [&](StringRef key, StringRef module) {
    Elf elf = compileCase("saxpy");
    elf = *fuzz::changeStage(elf, key, [](MsgValue &value) {
      value = MsgValue::makeUint(16);
      return true;
    });
    return mayBeMeant({key, "4096", elf}, elf, module);
  };
  EXPECT_TRUE(isMeant(".lds_size", "@s = internal addrspace(3) global [5 x i32] poison"));
  EXPECT_FALSE(isMeant(".lds_size", "@s = internal addrspace(3) global [4 x i32] poison"));
  EXPECT_FALSE(isMeant(".lds_size", "@s = internal addrspace(1) global [5 x i32] poison"));
  EXPECT_TRUE(isMeant(".scratch_memory_size",
                      "define void @f() {\n  %a = alloca [5 x i32]\n  ret void\n}\n"));
  EXPECT_FALSE(isMeant(".scratch_memory_size",
                       "define void @f() {\n  %a = alloca [4 x i32]\n  ret void\n}\n"));
}
