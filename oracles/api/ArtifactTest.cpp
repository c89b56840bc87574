// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Artifact.h"

#include "support/Error.h"
#include "support/FileMagic.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static std::vector<uint8_t> bytesOf(StringRef text) {
  return {text.bytes_begin(), text.bytes_end()};
}

TEST(Artifact, IsOfTheTypeThatItsFirstBytesSay) {
  EXPECT_EQ(Artifact(bytesOf(RadvShaderMagic)).type(), ArtifactType::RadvShader);
  EXPECT_EQ(Artifact(bytesOf(RadvGraphicsMagic)).type(), ArtifactType::RadvGraphics);
  EXPECT_EQ(Artifact(bytesOf(TurnipShaderMagic)).type(), ArtifactType::TurnipShader);
  EXPECT_EQ(Artifact(bytesOf(Ir3VariantMagic)).type(), ArtifactType::Ir3Variant);
  EXPECT_EQ(Artifact(bytesOf("\x7f"
                             "ELF"))
                .type(),
            ArtifactType::PalElf);
  EXPECT_EQ(Artifact(bytesOf("anything else")).type(), ArtifactType::PalElf);
  EXPECT_EQ(Artifact().type(), ArtifactType::PalElf);
  Artifact ir = Artifact::makeIr("define void @f()");
  EXPECT_EQ(ir.type(), ArtifactType::Ir);
  EXPECT_EQ(ir.text(), "define void @f()");
}

TEST(Artifact, ReadsAViewOnceForAllCopies) {
  struct Length {
    size_t bytes;
  };
  Artifact first(bytesOf("four"));
  Artifact second = first;
  unsigned calls = 0;
  auto read = [&](ArrayRef<uint8_t> bytes) -> Expected<Length> {
    ++calls;
    return Length{bytes.size()};
  };
  Expected<const Length &> length = first.view<Length>(read);
  ASSERT_TRUE(static_cast<bool>(length));
  EXPECT_EQ(length->bytes, 4u);
  Expected<const Length &> again = second.view<Length>(read);
  ASSERT_TRUE(static_cast<bool>(again));
  EXPECT_EQ(&*again, &*length);
  EXPECT_EQ(calls, 1u);
}

TEST(Artifact, KeepsNoErrors) {
  Artifact artifact(bytesOf("x"));
  unsigned calls = 0;
  auto refuse = [&](ArrayRef<uint8_t>) -> Expected<int> {
    ++calls;
    return invalidInput("not a number");
  };
  for (unsigned time = 1; time <= 2; ++time) {
    Expected<const int &> number = artifact.view<int>(refuse);
    ASSERT_FALSE(static_cast<bool>(number));
    EXPECT_EQ(takeError(number.takeError()).message, "not a number");
    EXPECT_EQ(calls, time);
  }
}

TEST(Artifact, WithoutAFileHasNoView) {
  Expected<const int &> view =
      Artifact().view<int>([](ArrayRef<uint8_t>) -> Expected<int> { return 1; });
  ASSERT_FALSE(static_cast<bool>(view));
  EXPECT_EQ(takeError(view.takeError()).message, "an artifact without a file");
}
