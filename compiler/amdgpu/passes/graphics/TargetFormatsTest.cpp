// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/graphics/TargetFormats.h"

#include "compiler/amdgpu/passes/graphics/LowerColorExport.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

static FormatInfo formatOf(unsigned vulkanNumber) {
  return findFormat(static_cast<TexelFormat>(vulkanNumber)).value_or(FormatInfo());
}

static unsigned bufferFormat(unsigned vulkanNumber, StringRef target) {
  FormatInfo info = formatOf(vulkanNumber);
  return findBufferFormat(info, info.channels, *cantFail(findAmdTarget(target))).value_or(0);
}

TEST(TargetFormats, HaveTheNumbersOfEachGeneration) {
  // R8G8B8A8_UNORM, A2B10G10R10_SINT, R32G32B32_SFLOAT, B10G11R11_UFLOAT.
  EXPECT_EQ(bufferFormat(37, "gfx900"), 10u);
  EXPECT_EQ(bufferFormat(37, "gfx1030"), 56u);
  EXPECT_EQ(bufferFormat(37, "gfx1201"), 42u);
  EXPECT_EQ(bufferFormat(69, "gfx900"), 9u | 5u << 4);
  EXPECT_EQ(bufferFormat(69, "gfx1030"), 55u);
  EXPECT_EQ(bufferFormat(69, "gfx1100"), 41u);
  EXPECT_EQ(bufferFormat(106, "gfx900"), 13u | 7u << 4);
  EXPECT_EQ(bufferFormat(106, "gfx1010"), 74u);
  EXPECT_EQ(bufferFormat(106, "gfx1150"), 60u);
  EXPECT_EQ(bufferFormat(122, "gfx1010"), 36u);
  EXPECT_EQ(bufferFormat(122, "gfx1100"), 30u);
}

TEST(TargetFormats, LackWhatTypedLoadsLack) {
  EXPECT_EQ(bufferFormat(23, "gfx1030"), 0u) << "three bytes";
  EXPECT_EQ(bufferFormat(112, "gfx1030"), 0u) << "64 bits";
  EXPECT_FALSE(findFormat(static_cast<TexelFormat>(124))) << "depth";
  EXPECT_TRUE(formatOf(44).isBgr);
  EXPECT_FALSE(formatOf(51).isBgr) << "red has the lowest bits";
}

TEST(TargetFormats, ChooseExportsByTarget) {
  auto choose = [](unsigned number, bool blends, ColorUse use) {
    auto answer = [&] { return blends; };
    return chooseExportFormat(formatOf(number), use, {answer, answer});
  };
  ColorUse alpha{.writesAlpha = true};
  EXPECT_EQ(choose(37, true, alpha), pal::ExportFormat::Fp16Abgr);
  EXPECT_EQ(choose(41, false, alpha), pal::ExportFormat::Uint16Abgr);
  EXPECT_EQ(choose(91, false, alpha), pal::ExportFormat::Unorm16Abgr);
  EXPECT_EQ(choose(91, true, alpha), pal::ExportFormat::Abgr32) << "16 bits do not blend";
  EXPECT_EQ(choose(100, false, alpha), pal::ExportFormat::R32);
  EXPECT_EQ(choose(100, true, alpha), pal::ExportFormat::Ar32) << "blending reads alpha";
  EXPECT_EQ(choose(103, false, {}), pal::ExportFormat::Gr32);
  EXPECT_EQ(choose(109, false, alpha), pal::ExportFormat::Abgr32);
}
