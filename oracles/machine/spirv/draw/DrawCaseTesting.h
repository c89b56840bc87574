// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests of draws: a case made of GLSL shaders, a colour image and a few vertices.
#pragma once

#include "oracles/input/Glsl.h"
#include "oracles/machine/spirv/AssembledCase.h"
#include "support/Fault.h"

namespace assay::reference::testing {

/// A draw into an image (buffer 0) of 8 x 8 pixels.
class DrawCase {
public:
  static constexpr uint32_t Width = 8, Height = 8;

  /// The texts are what follows "#version 460"; an empty \p fragment: no fragment shader.
  DrawCase(const std::string &vertex, const std::string &fragment,
           const char *format = "R8G8B8A8_UNORM") {
    CasePipeline &pipeline = m_case.pipelines.emplace_back();
    pipeline.name = "draw";
    addShader(ShaderStage::Vertex, vertex);
    if (!fragment.empty())
      addShader(ShaderStage::Fragment, fragment);
    addImage(format);
    pipeline.draw.width = Width;
    pipeline.draw.height = Height;
    pipeline.draw.color.push_back(Attachment{0, 0, std::nullopt});
    GraphicsState &state = pipeline.description.graphics;
    state.viewport = {0, 0, Width, Height, 0, 1};
    state.colorTargets.resize(1);
    state.colorTargets[0].format = *m_case.buffers[0].texelFormat;
    Draw draw;
    draw.vertexCount = 3;
    m_case.commands.push_back(draw);
  }

  /// An image of the framebuffer's size, all zeros. Returns the number of its buffer.
  unsigned addImage(const char *format, uint32_t samples = 1) {
    Buffer buffer;
    buffer.name = "image" + std::to_string(m_case.buffers.size());
    buffer.texelFormat = findTexelFormat(llvm::StringRef(format));
    ImageShape shape;
    shape.width = Width;
    shape.height = Height;
    shape.samples = samples;
    buffer.image = shape;
    buffer.bytes.resize(getImageBytes(shape, *buffer.texelFormat));
    m_case.buffers.push_back(std::move(buffer));
    return static_cast<unsigned>(m_case.buffers.size() - 1);
  }
  /// Returns the number of the buffer.
  unsigned addBuffer(std::vector<uint8_t> bytes) {
    Buffer buffer;
    buffer.name = "buffer" + std::to_string(m_case.buffers.size());
    buffer.bytes = std::move(bytes);
    m_case.buffers.push_back(std::move(buffer));
    return static_cast<unsigned>(m_case.buffers.size() - 1);
  }
  /// Binds \p buffer to binding \p place of set 0. The reference is valid until the next call.
  BufferBinding &bind(BindingKind kind, uint32_t place, unsigned buffer) {
    BufferBinding &binding = m_case.pipelines[0].bindings.emplace_back();
    binding.kind = kind;
    binding.binding = place;
    binding.buffer = buffer;
    return binding;
  }
  CasePipeline &pipeline() { return m_case.pipelines[0]; }
  GraphicsState &state() { return pipeline().description.graphics; }
  Draw &draw() { return std::get<Draw>(m_case.commands[0]); }
  Case &input() { return m_case; }
  Outcome run() const { return runCase(m_case); }

  /// Runs, and returns the red byte of each pixel; all 254 where it did not end well.
  std::vector<uint8_t> runRed() const {
    Outcome outcome = run();
    EXPECT_EQ(outcome.reason, "");
    std::vector<uint8_t> red(Width * Height, 254);
    for (size_t i = 0; i < red.size() && outcome.kind == OutcomeKind::Completed; ++i)
      red[i] = outcome.checkpoints.back()[0].bytes[4 * i];
    return red;
  }

private:
  /// A shader that does not compile fails the test.
  void addShader(ShaderStage stage, const std::string &text) {
    llvm::Expected<std::vector<uint32_t>> words =
        input::compileGlsl(stage, "#version 460\n" + text, 1, input::ScriptFiles(""));
    if (words)
      m_case.pipelines[0].description.addShader(stage).spirv = std::move(*words);
    else
      ADD_FAILURE() << takeError(words.takeError()).message << "\n" << text;
  }

  Case m_case;
};

/// Plants \p fault in this process, which ends with 0 if the draw that \p make returns has other
/// red bytes than without.
[[noreturn]] inline void checkFault(llvm::StringRef fault, llvm::function_ref<DrawCase()> make) {
  std::vector<uint8_t> good = make().runRed();
  cantFail(plantFault(fault));
  exit(make().runRed() == good ? 1 : 0);
}

} // namespace assay::reference::testing
