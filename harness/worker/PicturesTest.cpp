// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Pictures.h"

#include "oracles/input/Picture.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

static unsigned addImage(Case &input, const char *name, const char *format, uint32_t samples,
                         std::vector<uint8_t> bytes) {
  Buffer image;
  image.name = name;
  image.texelFormat = findTexelFormat(StringRef(format));
  image.image = ImageShape();
  image.image->width = 2;
  image.image->samples = samples;
  image.bytes = std::move(bytes);
  EXPECT_EQ(image.bytes.size(), getImageBytes(*image.image, *image.texelFormat));
  input.buffers.push_back(std::move(image));
  return static_cast<unsigned>(input.buffers.size() - 1);
}

static std::vector<uint8_t> readTexels(const std::string &path) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(path, 1 << 20);
  if (!bytes) {
    ADD_FAILURE() << takeError(bytes.takeError()).message;
    return {};
  }
  Expected<input::Picture> picture =
      input::readPng(StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()));
  if (!picture) {
    ADD_FAILURE() << takeError(picture.takeError()).message;
    return {};
  }
  EXPECT_EQ(picture->width, 2u);
  EXPECT_EQ(picture->height, 1u);
  return picture->texels;
}

TEST(Pictures, ShowColoursDepthAndSamples) {
  Case input;
  CasePipeline &pipeline = input.pipelines.emplace_back();
  pipeline.draw.color.resize(3);
  pipeline.draw.color[0] = Attachment{
      addImage(input, "color", "B8G8R8A8_UNORM", 1, {1, 2, 3, 4, 50, 60, 70, 80}), 0, {}};
  pipeline.draw.color[2] = Attachment{addImage(input, "many", "R8_UINT", 2, {9, 8, 7, 6}), 0, {}};
  pipeline.draw.depthStencil =
      Attachment{addImage(input, "depth", "D16_UNORM", 1, {0, 0, 0xff, 0xff}), 0, {}};
  addImage(input, "texture", "R8_UNORM", 1, {1, 2}); // Attached nowhere.
  Outcome outcome;
  for (int checkpoint = 0; checkpoint < 2; ++checkpoint) {
    outcome.checkpoints.emplace_back();
    for (const Buffer &buffer : input.buffers)
      outcome.checkpoints.back().push_back(BufferState{buffer.bytes});
  }
  outcome.checkpoints[1][0].bytes[0] = 99;

  SmallString<64> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("pictures", folder));
  scope_exit clean([&] { sys::fs::remove_directories(folder); });
  Error error = writePictures(input, outcome, "sub/case.amber", (folder + "/new").str());
  ASSERT_FALSE(static_cast<bool>(error)) << toString(std::move(error));
  std::string prefix = (folder + "/new/sub-case.amber.").str();
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(readTexels(prefix + "1.color.png"), (Bytes{3, 2, 1, 4, 70, 60, 50, 80}));
  EXPECT_EQ(readTexels(prefix + "2.color.png"), (Bytes{3, 2, 99, 4, 70, 60, 50, 80}));
  EXPECT_EQ(readTexels(prefix + "1.many.sample1.png"), (Bytes{8, 0, 0, 255, 6, 0, 0, 255}));
  EXPECT_EQ(readTexels(prefix + "1.depth.png"), (Bytes{0, 0, 0, 255, 255, 255, 255, 255}));
  EXPECT_FALSE(sys::fs::exists(prefix + "1.texture.png"));
}

static std::vector<uint8_t> decode(Expected<std::string> png) {
  if (!png) {
    ADD_FAILURE() << takeError(png.takeError()).message;
    return {};
  }
  Expected<input::Picture> picture = input::readPng(*png);
  EXPECT_TRUE(bool(picture));
  return picture ? picture->texels : std::vector<uint8_t>();
}

TEST(Pictures, ShowWhereTexelsDiffer) {
  Case input;
  CasePipeline &pipeline = input.pipelines.emplace_back();
  std::vector<uint8_t> bytes = {1, 2, 3, 255, 50, 60, 70, 255};
  pipeline.draw.color = {Attachment{addImage(input, "color", "R8G8B8A8_UNORM", 1, bytes), 0, {}}};
  addImage(input, "texture", "R8_UNORM", 1, {1, 2});
  const Buffer &image = input.buffers[0];
  EXPECT_TRUE(isDrawnInto(input, 0, 0));
  EXPECT_FALSE(isDrawnInto(input, 0, 1) || isDrawnInto(input, 1, 0));
  BufferState reference{bytes}, machine{bytes};
  EXPECT_EQ(decode(makePicture(image, machine, {})), bytes);
  using Bytes = std::vector<uint8_t>;
  EXPECT_EQ(decode(makeDifferencePicture(image, reference, machine, {})),
            (Bytes{0, 0, 0, 255, 0, 0, 0, 255}));
  machine.bytes[1] = 3; // By one: red, though dark.
  machine.bytes[4] = 51;
  reference.fields[32] = {49, 52, 8, false}; // This one is permitted.
  EXPECT_EQ(decode(makeDifferencePicture(image, reference, machine, {})),
            (Bytes{194, 0, 0, 255, 0, 0, 128, 255}));
  machine.bytes[1] = 255;
  Bytes far = decode(makeDifferencePicture(image, reference, machine, {}));
  ASSERT_EQ(far.size(), 8u);
  EXPECT_EQ(far[0], 255);
  EXPECT_GT(far[1], 200);
  Error error = makePicture(image, BufferState{{1, 2, 3}}, {}).takeError();
  EXPECT_EQ(takeError(std::move(error)).kind, ErrorKind::InvalidInput);
}
