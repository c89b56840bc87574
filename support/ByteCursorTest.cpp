// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/ByteCursor.h"

#include "gtest/gtest.h"

using namespace assay;

TEST(ByteCursor, ReadsWhatWasWritten) {
  for (CountSize size : {CountSize::Word, CountSize::Wide}) {
    ByteWriter writer(size);
    writer.raw("MAGIC");
    writer.number(0x1234567, 3);
    writer.word(7);
    writer.wide(uint64_t(1) << 40);
    writer.text("text");
    writer.bytes(std::vector<uint8_t>{1, 2});
    std::vector<uint8_t> bytes = writer.take();
    EXPECT_EQ(bytes.size(), 5 + 3 + 4 + 8 + 4 + 2 + 2 * static_cast<size_t>(size));
    ByteReader reader(std::span(bytes).subspan(5), size);
    EXPECT_EQ(reader.number(3), 0x234567u);
    EXPECT_EQ(reader.word(), 7u);
    EXPECT_EQ(reader.wide(), uint64_t(1) << 40);
    EXPECT_EQ(reader.text(), "text");
    EXPECT_EQ(reader.bytes().size(), 2u);
    EXPECT_TRUE(reader.isGood() && reader.atEnd());
  }
}

TEST(ByteCursor, EverythingIsEmptyAfterAFailure) {
  const std::vector<uint8_t> bytes = {9, 0, 0, 0, 1, 2, 3};
  ByteReader reader(bytes, CountSize::Word);
  EXPECT_EQ(reader.text(), "") << "nine bytes do not follow";
  EXPECT_EQ(reader.number(1), 0u);
  EXPECT_FALSE(reader.isGood());
  ByteReader choice(std::span(bytes), CountSize::Word);
  EXPECT_EQ(choice.choice(9), 0u);
  EXPECT_FALSE(choice.isGood());
  ByteReader count(std::span(bytes).subspan(1), CountSize::Word);
  EXPECT_EQ(count.count(4), 0u) << "0x1000000 things do not fit";
  EXPECT_FALSE(count.isGood());
}
