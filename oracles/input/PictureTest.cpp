// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PNG files are put together here chunk by chunk, so that every filter and every fault can be had.
#include "oracles/input/Picture.h"
#include "support/Error.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

std::string bigEndian(uint32_t value) {
  char bytes[4];
  support::endian::write32be(bytes, value);
  return std::string(bytes, 4);
}

std::string chunk(const std::string &type, const std::string &data) {
  std::string body = type + data;
  return bigEndian(static_cast<uint32_t>(data.size())) + body +
         bigEndian(llvm::crc32(arrayRefFromStringRef(body)));
}

std::string header(uint32_t width, uint32_t height, char colorType, char depth = 8,
                   char interlace = 0) {
  return chunk("IHDR", bigEndian(width) + bigEndian(height) + depth + colorType +
                           std::string(2, '\0') + interlace);
}

std::string pixels(const std::vector<uint8_t> &rows) {
  SmallVector<uint8_t, 0> packed;
  compression::zlib::compress(rows, packed);
  return chunk("IDAT", std::string(packed.begin(), packed.end()));
}

const std::string signature("\x89PNG\r\n\x1a\n", 8);
const std::string end = chunk("IEND", "");

std::vector<uint8_t> decode(const std::string &bytes) {
  Expected<Picture> picture = readPng(bytes);
  if (picture)
    return picture->texels;
  ADD_FAILURE() << assay::takeError(picture.takeError()).message;
  return {};
}

TEST(Picture, DecodesEveryFilter) {
  // One row a filter, two gray pixels wide; undone by hand:
  // none 10 20; sub 5 (5 + 5); up (+1) 6, 11; average 1 + 6/2, 1 + (4 + 11)/2; Paeth.
  std::vector<uint8_t> rows = {0, 10, 20, 1, 5, 5, 2, 1, 1, 3, 1, 1, 4, 1, 1};
  // Average: 4, then (4 + 11)/2 = 7 and 1: 8. Paeth: up of 0, 4, 0 is 4: 5; then left 5, up 8,
  // corner 4: estimate 9 is nearest to up: 9.
  std::string bytes = signature + header(2, 5, 0) + pixels(rows) + end;
  std::vector<uint8_t> texels = decode(bytes);
  ASSERT_EQ(texels.size(), 40u);
  std::vector<uint8_t> gray;
  for (size_t i = 0; i < texels.size(); i += 4) {
    gray.push_back(texels[i]);
    EXPECT_EQ(texels[i + 2], texels[i]);
    EXPECT_EQ(texels[i + 3], 255);
  }
  EXPECT_EQ(gray, (std::vector<uint8_t>{10, 20, 5, 10, 6, 11, 4, 8, 5, 9}));
}

TEST(Picture, DecodesEveryColorType) {
  auto one = [](char type, std::vector<uint8_t> row, const std::string &palette = "",
                char depth = 8) {
    row.insert(row.begin(), 0);
    return decode(signature + header(1, 1, type, depth) + palette + pixels(row) + end);
  };
  EXPECT_EQ(one(0, {7}), (std::vector<uint8_t>{7, 7, 7, 255}));
  EXPECT_EQ(one(4, {7, 9}), (std::vector<uint8_t>{7, 7, 7, 9}));
  EXPECT_EQ(one(2, {1, 2, 3}), (std::vector<uint8_t>{1, 2, 3, 255}));
  EXPECT_EQ(one(6, {1, 2, 3, 4}), (std::vector<uint8_t>{1, 2, 3, 4}));
  std::string palette = chunk("PLTE", std::string("\x01\x02\x03\x04\x05\x06", 6));
  EXPECT_EQ(one(3, {1}, palette), (std::vector<uint8_t>{4, 5, 6, 255}));
  EXPECT_EQ(one(3, {1}, palette + chunk("tRNS", std::string("\x08\x09", 2))),
            (std::vector<uint8_t>{4, 5, 6, 9}));
  EXPECT_EQ(one(0, {0x80}, "", 1), (std::vector<uint8_t>{255, 255, 255, 255}));
  // 0x8080 of 16 bits is 128 of 255 exactly.
  EXPECT_EQ(one(0, {0x80, 0x80}, "", 16), (std::vector<uint8_t>{128, 128, 128, 255}));
}

TEST(Picture, IgnoresGamma) {
  std::string bytes =
      signature + header(1, 1, 0) + chunk("gAMA", bigEndian(100000)) + pixels({0, 90}) + end;
  EXPECT_EQ(decode(bytes), (std::vector<uint8_t>{90, 90, 90, 255}));
}

TEST(Picture, DecodesInterlacing) {
  // Adam7 of 2 x 2: the first pass has (0, 0), the sixth (1, 0), the seventh the second row.
  std::string bytes = signature + header(2, 2, 0, 8, 1) + pixels({0, 1, 0, 2, 0, 3, 4}) + end;
  std::vector<uint8_t> texels = decode(bytes);
  ASSERT_EQ(texels.size(), 16u);
  EXPECT_EQ((std::vector<uint8_t>{texels[0], texels[4], texels[8], texels[12]}),
            (std::vector<uint8_t>{1, 2, 3, 4}));
}

TEST(Picture, RefusesDamage) {
  const std::string body = pixels({0, 1, 0, 1});
  struct Row {
    std::string bytes;
    ErrorKind kind;
    const char *message;
  };
  std::string torn = signature + header(1, 2, 0) + body + end;
  torn[torn.size() - 20] ^= 1;
  const Row rows[] = {
      {"", ErrorKind::InvalidInput, "no PNG"},
      {signature, ErrorKind::InvalidInput, "ends too early"},
      {signature + "\xff\xff\xff\xff" + body, ErrorKind::InvalidInput, "PNG: "},
      {signature + body + end, ErrorKind::InvalidInput, "PNG: "},
      {signature + header(0, 2, 0) + body + end, ErrorKind::InvalidInput, "Invalid IHDR"},
      {signature + header(60000, 60000, 0) + body + end, ErrorKind::Limit, "pixels"},
      {signature + header(1, 2, 3) + body + end, ErrorKind::InvalidInput, "PLTE"},
      {signature + header(1, 2, 5) + body + end, ErrorKind::InvalidInput, "Invalid IHDR"},
      {signature + header(1, 3, 0) + body + end, ErrorKind::InvalidInput, "Not enough image data"},
      {signature + header(1, 2, 0) + pixels({0, 1, 9, 1}) + end, ErrorKind::InvalidInput, "filter"},
      {signature + header(1, 2, 0) + chunk("IDAT", "junk") + end, ErrorKind::InvalidInput, "PNG: "},
      {torn, ErrorKind::InvalidInput, "IDAT"},
      {signature + header(1, 2, 0) + body, ErrorKind::InvalidInput, "ends too early"},
  };
  for (const Row &row : rows) {
    Expected<Picture> picture = readPng(row.bytes);
    ASSERT_FALSE(!!picture) << row.message;
    ErrorParts parts = assay::takeError(picture.takeError());
    EXPECT_EQ(parts.kind, row.kind) << parts.message;
    EXPECT_NE(parts.message.find(row.message), std::string::npos) << parts.message;
  }
}

} // namespace
