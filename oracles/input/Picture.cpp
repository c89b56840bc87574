// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PNG specification, third edition; section numbers below are its.
#include "oracles/input/Picture.h"

#include "oracles/input/Limits.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include <cstdlib>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
struct Header {
  uint32_t width = 0;
  uint32_t height = 0;
  unsigned channels = 0;
};

struct Chunk {
  StringRef type;
  StringRef data;
};
} // namespace

/// 5.3: length, type, data, CRC of type and data.
static Expected<Chunk> takeChunk(StringRef &bytes) {
  if (bytes.size() < 12)
    return invalidInput("PNG: ends inside a chunk");
  uint32_t length = support::endian::read32be(bytes.data());
  if (length > bytes.size() - 12)
    return invalidInput("PNG: a chunk is longer than the file");
  Chunk chunk{bytes.substr(4, 4), bytes.substr(8, length)};
  uint32_t sum = support::endian::read32be(bytes.data() + 8 + length);
  if (llvm::crc32(arrayRefFromStringRef(bytes.substr(4, 4 + length))) != sum)
    return invalidInput("PNG: a chunk is damaged (CRC)");
  bytes = bytes.drop_front(12 + size_t(length));
  return chunk;
}

/// 11.2.1.
static Expected<Header> readHeader(const Chunk &chunk) {
  if (chunk.type != "IHDR" || chunk.data.size() != 13)
    return invalidInput("PNG: does not begin with a header");
  Header header;
  header.width = support::endian::read32be(chunk.data.data());
  header.height = support::endian::read32be(chunk.data.data() + 4);
  if (header.width == 0 || header.height == 0)
    return invalidInput("PNG: a picture without pixels");
  if (header.width > maxImageExtent || header.height > maxImageExtent ||
      uint64_t(header.width) * header.height > maxPicturePixels)
    return limitExceeded("PNG: more than " + Twine(maxPicturePixels) + " pixels");
  unsigned colorType = static_cast<uint8_t>(chunk.data[9]);
  static constexpr unsigned channels[] = {1, 0, 3, 0, 2, 0, 4};
  header.channels = colorType < std::size(channels) ? channels[colorType] : 0;
  if (chunk.data[8] != 8 || header.channels == 0 || chunk.data[12] != 0)
    return unsupported("PNG with a palette, interlacing or another depth than 8 bits");
  return header;
}

/// 9.4.
static uint8_t predictPaeth(int left, int up, int corner) {
  int estimate = left + up - corner;
  int toLeft = std::abs(estimate - left);
  int toUp = std::abs(estimate - up);
  int toCorner = std::abs(estimate - corner);
  if (toLeft <= toUp && toLeft <= toCorner)
    return static_cast<uint8_t>(left);
  return static_cast<uint8_t>(toUp <= toCorner ? up : corner);
}

/// Undoes filter \p kind of \p row in place; \p above is the row before, decoded (9.2).
static void unfilter(unsigned kind, MutableArrayRef<uint8_t> row, ArrayRef<uint8_t> above,
                     unsigned channels) {
  for (size_t i = 0; i < row.size(); ++i) {
    unsigned left = i < channels ? 0 : row[i - channels];
    unsigned up = above[i];
    unsigned corner = i < channels ? 0 : above[i - channels];
    unsigned guess = 0;
    if (kind == 1)
      guess = left;
    else if (kind == 2)
      guess = up;
    else if (kind == 3)
      guess = (left + up) / 2;
    else if (kind == 4)
      guess = predictPaeth(static_cast<int>(left), static_cast<int>(up), static_cast<int>(corner));
    row[i] = static_cast<uint8_t>(row[i] + guess);
  }
}

static void appendRow(ArrayRef<uint8_t> row, unsigned channels, std::vector<uint8_t> &texels) {
  for (size_t i = 0; i < row.size(); i += channels) {
    bool isGray = channels < 3;
    texels.push_back(row[i]);
    texels.push_back(row[isGray ? i : i + 1]);
    texels.push_back(row[isGray ? i : i + 2]);
    texels.push_back(channels % 2 == 0 ? row[i + channels - 1] : 255);
  }
}

static Expected<Picture> decodeRows(const Header &header, MutableArrayRef<uint8_t> data) {
  Picture picture{header.width, header.height, {}};
  size_t rowBytes = size_t(header.width) * header.channels;
  std::vector<uint8_t> above(rowBytes, 0);
  for (uint32_t y = 0; y < header.height; ++y) {
    unsigned kind = data.front();
    if (kind > 4)
      return invalidInput("PNG: a filter that does not exist");
    MutableArrayRef<uint8_t> row = data.slice(1, rowBytes);
    unfilter(kind, row, above, header.channels);
    appendRow(row, header.channels, picture.texels);
    above.assign(row.begin(), row.end());
    data = data.drop_front(rowBytes + 1);
  }
  return picture;
}

Expected<Picture> input::readPng(StringRef bytes) {
  if (!bytes.consume_front(StringRef("\x89PNG\r\n\x1a\n", 8)))
    return invalidInput("the file is no PNG");
  std::optional<Header> header;
  std::string packed;
  bool ended = false;
  while (!ended) {
    Expected<Chunk> chunk = takeChunk(bytes);
    if (!chunk)
      return chunk.takeError();
    if (!header) {
      Expected<Header> read = readHeader(*chunk);
      if (!read)
        return read.takeError();
      header = *read;
    } else if (chunk->type == "IDAT") {
      packed += chunk->data;
    }
    ended = chunk->type == "IEND";
  }
  if (!compression::zlib::isAvailable())
    return unsupported("PNG (this LLVM has no zlib)");
  size_t wanted = (size_t(header->width) * header->channels + 1) * header->height;
  SmallVector<uint8_t, 0> data;
  if (Error error = compression::zlib::decompress(arrayRefFromStringRef(packed), data, wanted)) {
    consumeError(std::move(error));
    return invalidInput("PNG: the pixels are damaged");
  }
  if (data.size() != wanted)
    return invalidInput("PNG: there are too few pixels");
  return decodeRows(*header, data);
}
