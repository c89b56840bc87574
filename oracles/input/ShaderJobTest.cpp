// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shader jobs of GraphicsFuzz: uniforms from a JSON file, and what is drawn with them.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

/// A job in a folder of its own.
class ShaderJob : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("shaderjob", m_folder)); }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  std::string pathOf(StringRef name) const {
    SmallString<128> path(m_folder);
    sys::path::append(path, name);
    return path.str().str();
  }
  void put(StringRef name, StringRef text) const {
    std::error_code code;
    raw_fd_ostream(pathOf(name), code) << text;
    ASSERT_FALSE(code);
  }
  Expected<Case> read() const { return readCase(pathOf("job.frag"), "job"); }

private:
  SmallString<128> m_folder;
};

const char *const shader = R"(#version 320 es
precision highp float;
layout(location = 0) out vec4 color;
// uniform vec4 commented;
uniform vec2 resolution;
uniform highp mat2 turn;
uniform sampler2D tex;
void main() { color = texture(tex, turn * gl_FragCoord.xy / resolution); }
)";

TEST_F(ShaderJob, BindsUniformsAndDrawsEverything) {
  put("job.frag", shader);
  put("job.json", R"({"resolution": {"func": "glUniform2f", "args": [256.0, 128]},
                      "turn": {"func": "glUniformMatrix2fv", "args": [1, 2, 3, 4]},
                      "tex": {"func": "sampler2D", "texture": "DEFAULT"},
                      "$framebuffer": {"width": 32, "height": 16}})");
  Expected<Case> result = read();
  ASSERT_TRUE(!!result) << takeError(result.takeError()).message;
  ASSERT_EQ(result->pipelines.size(), 1u);
  const CasePipeline &pipeline = result->pipelines[0];
  EXPECT_TRUE(pipeline.description.isGraphics());
  EXPECT_EQ(pipeline.draw.width, 32u);
  EXPECT_EQ(pipeline.draw.height, 16u);
  ASSERT_EQ(pipeline.bindings.size(), 3u);
  float values[2] = {};
  std::memcpy(values, result->buffers[pipeline.bindings[0].buffer].bytes.data(), sizeof(values));
  EXPECT_EQ(values[1], 128.0f);
  // Columns of a matrix are spread in std140.
  const Buffer &turn = result->buffers[pipeline.bindings[1].buffer];
  ASSERT_EQ(turn.bytes.size(), 32u);
  std::memcpy(values, turn.bytes.data() + 16, sizeof(values));
  EXPECT_EQ(values[0], 3.0f);
  EXPECT_EQ(pipeline.bindings[2].kind, BindingKind::CombinedImageSampler);
  EXPECT_EQ(pipeline.bindings[2].binding, 2u);
  const Buffer &texture = result->buffers[pipeline.bindings[2].buffer];
  const uint8_t *texel = texture.bytes.data() + (3 * 256 + 5) * 4;
  EXPECT_EQ(std::vector<uint8_t>(texel, texel + 4), (std::vector<uint8_t>{3, 6, 5, 255}));
  ASSERT_EQ(result->commands.size(), 2u);
  EXPECT_EQ(std::get<Clear>(result->commands[0]).color[3], 1.0f);
  EXPECT_EQ(std::get<Draw>(result->commands[1]).vertexCount, 4u);
}

/// Then nothing gives values to uniforms, and nothing is drawn.
TEST_F(ShaderJob, IsAShaderAloneWithoutValues) {
  put("job.frag", shader);
  Expected<Case> alone = read();
  ASSERT_FALSE(!!alone);
  EXPECT_NE(takeError(alone.takeError()).message.find("uniforms outside a block"),
            std::string::npos);
  const char *constant = "#version 320 es\nprecision highp float;\n"
                         "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n";
  put("job.frag", constant);
  Expected<Case> result = read();
  ASSERT_TRUE(!!result) << takeError(result.takeError()).message;
  EXPECT_TRUE(result->commands.empty());
  put("job.json", "{}");
  result = read();
  ASSERT_TRUE(!!result) << takeError(result.takeError()).message;
  EXPECT_EQ(result->commands.size(), 2u);
}

TEST_F(ShaderJob, DoesNotCountNestedArraysElementByElement) {
  put("job.frag",
      "#version 450\nlayout(location = 0) in float a[32][32][32][32][32][32];\n"
      "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(a[0][0][0][0][0][0]); }\n");
  Expected<Case> result = read();
  EXPECT_TRUE(!!result) << takeError(result.takeError()).message;
}

TEST_F(ShaderJob, RefusesBrokenJobs) {
  put("job.frag", shader);
  const std::pair<const char *, const char *> rows[] = {
      {"[", "job.json"},
      {"[]", "expected an object"},
      {"{}", "'resolution' has no value"},
      {R"({"resolution": {"func": "glUniform9f", "args": [1]}})", "uniforms by glUniform9f"},
      {R"({"resolution": {"func": "glUniform2f", "args": ["a", 1]}})", "not a number"},
      {R"({"$framebuffer": {"width": 0, "height": 1}})", "no width between"}};
  for (const auto &[text, message] : rows) {
    put("job.json", text);
    Expected<Case> result = read();
    ASSERT_FALSE(!!result) << text;
    std::string error = takeError(result.takeError()).message;
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

} // namespace
