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
