// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LGC wrote over the years (lgc/*.s: its keys and its habits, code and values of our own): no
// error and no warning, and what it relies on PAL to convert is seen by the rules after.
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

static std::vector<std::string> listShapes() {
  std::error_code code;
  std::vector<std::string> names;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/oracles/pal_elf/lgc", code), end;
       it != end && !code; it.increment(code))
    names.push_back(sys::path::stem(it->path()).str());
  llvm::sort(names);
  return names;
}

static std::vector<Finding> judge(const Bytes &bytes, bool strict = false) {
  ValidateOptions options;
  options.strict = strict;
  return cantFail(validateElf(bytes, options));
}

static unsigned countOf(ArrayRef<Finding> findings, StringRef rule) {
  return static_cast<unsigned>(
      count_if(findings, [&](const Finding &finding) { return finding.rule == rule; }));
}

TEST(LgcShapes, AreNotObjectedTo) {
  std::vector<std::string> names = listShapes();
  EXPECT_GE(names.size(), 10u);
  for (const std::string &name : names)
    for (bool strict : {false, true})
      for (const Finding &finding : judge(assemble(lgcBase(name)), strict))
        EXPECT_EQ(finding.severity, Severity::Note)
            << name << ": " << finding.rule << " " << finding.location << ": " << finding.message;
}

TEST(LgcShapes, NumbersForBoolsAreToldWithStrictOnly) {
  Bytes bytes = assemble(lgcBase("ngg-2023"));
  EXPECT_EQ(countOf(judge(bytes), "MD-06"), 0u);
  EXPECT_GE(countOf(judge(bytes, true), "MD-06"), 10u);
}

/// Whole numbers for floats, and streams that only count primitives.
TEST(LgcShapes, HabitsOfOtherStagesAreAccepted) {
  Bytes tessellation =
      assemble(tessellationBase(), {{"_min_tess_level: 0.0", "_min_tess_level: 1"},
                                    {"_max_tess_level: 64.0", "_max_tess_level: 64"}});
  EXPECT_EQ(show(judge(tessellation)), "");
  EXPECT_EQ(countOf(judge(tessellation, true), "MD-06"), 2u);
  for (const Finding &finding :
       judge(assemble(legacyBase(), {{".streamout_0_en: false", ".streamout_0_en: true"}})))
    EXPECT_EQ(finding.severity, Severity::Note) << finding.rule << ": " << finding.message;
}

/// A wrong value of a converted one is still seen.
TEST(LgcShapes, ConvertedValuesAreJudged) {
  Bytes bytes = assemble(lgcBase("ngg-2023"), {{".z_export_enable: 0", ".z_export_enable: 1"}});
  EXPECT_NE(countOf(judge(bytes), "PS-08"), 0u);
  EXPECT_NE(countOf(judge(bytes), "PS-12"), 0u);
}

TEST(LgcShapes, AMapThatIsTooNewIsToldOnce) {
  Bytes bytes = assemble(graphicsBase, {{"[3, 0]", "[2, 6]"}});
  std::vector<Finding> findings = judge(bytes);
  EXPECT_EQ(count_if(findings,
                     [](const Finding &finding) {
                       return finding.rule == "MD-08" &&
                              StringRef(finding.location).starts_with(".graphics_registers");
                     }),
            1);
}

TEST(LgcShapes, RegistersOf2xGiveAllStagesTheirUserData) {
  Bytes bytes = assemble(lgcBase("ngg-registers-2021"));
  PalMetadata metadata = cantFail(readPalMetadata(cantFail(ElfView::read(bytes))));
  for (StringRef name : {".gs", ".ps"}) {
    const HardwareStageMetadata *stage = metadata.find(name);
    ASSERT_NE(stage, nullptr) << name.str();
    EXPECT_EQ(stage->userDataRegMap[0], user_data::GlobalTable) << name.str();
    EXPECT_EQ(stage->userDataRegMap[1], user_data::SpillTable) << name.str();
    EXPECT_EQ(stage->userSgprs, name == ".gs" ? 8u : 4u);
    EXPECT_EQ(stage->floatMode, 0xc0);
  }
  bytes = assemble(lgcBase("geometry-registers-2020"));
  metadata = cantFail(readPalMetadata(cantFail(ElfView::read(bytes))));
  const HardwareStageMetadata *gs = metadata.find(".gs");
  ASSERT_NE(gs, nullptr);
  EXPECT_EQ(gs->userDataRegMap[1], user_data::EsGsLdsSize) << "GFX9 has ES-GS in ES's registers";
}
