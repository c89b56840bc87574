// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests of this folder: a case made of a GLSL shader, its buffers, images and samplers.
#pragma once

#include "oracles/input/Glsl.h"
#include "oracles/machine/spirv/AssembledCase.h"

namespace assay::reference::testing {

/// Binding 0 of set 0 is for a buffer of results, outWords words, all 0xcc: buffer 0.
class GlslCase {
public:
  /// \p text: what follows "#version 460". \p outWords: of the results.
  explicit GlslCase(const std::string &text, uint32_t outWords = 16) {
    llvm::Expected<std::vector<uint32_t>> words =
        input::compileGlsl("#version 460\n" + text, 1, input::ScriptFiles(""));
    CasePipeline pipeline;
    pipeline.name = "glsl";
    if (words)
      pipeline.description.addShader(ShaderStage::Compute).spirv = std::move(*words);
    else
      ADD_FAILURE() << takeError(words.takeError()).message << "\n" << text;
    m_case.pipelines.push_back(std::move(pipeline));
    m_case.commands.push_back(Dispatch{});
    bind(BindingKind::Storage, 0, addBuffer(std::vector<uint8_t>(size_t(outWords) * 4, 0xcc)));
  }

  /// Returns the number of the buffer.
  unsigned addBuffer(std::vector<uint8_t> bytes) {
    Buffer buffer;
    buffer.name = "buffer" + std::to_string(m_case.buffers.size());
    buffer.bytes = std::move(bytes);
    m_case.buffers.push_back(std::move(buffer));
    return static_cast<unsigned>(m_case.buffers.size() - 1);
  }
  /// Without a shape: for a texel buffer.
  unsigned addImage(const char *format, std::vector<uint8_t> bytes,
                    std::optional<ImageShape> shape = std::nullopt) {
    unsigned index = addBuffer(std::move(bytes));
    m_case.buffers[index].texelFormat = findTexelFormat(llvm::StringRef(format));
    m_case.buffers[index].image = shape;
    EXPECT_TRUE(m_case.buffers[index].texelFormat) << format;
    return index;
  }
  unsigned addSampler(const Sampler &sampler) {
    m_case.samplers.push_back(sampler);
    return static_cast<unsigned>(m_case.samplers.size() - 1);
  }
  /// Binds a resource to binding \p place of set 0. The reference is valid until the next call.
  BufferBinding &bind(BindingKind kind, uint32_t place, unsigned buffer, unsigned sampler = 0) {
    BufferBinding binding;
    binding.kind = kind;
    binding.binding = place;
    binding.buffer = buffer;
    binding.sampler = sampler;
    m_case.pipelines[0].bindings.push_back(binding);
    return m_case.pipelines[0].bindings.back();
  }
  Case &input() { return m_case; }
  PipelineDescription &description() { return m_case.pipelines[0].description; }
  void setGroups(uint32_t groups) { std::get<Dispatch>(m_case.commands[0]).groups[0] = groups; }
  Outcome run() const { return runCase(m_case); }

private:
  Case m_case;
};

/// A 2D image with one sample.
inline ImageShape shape2D(uint32_t width, uint32_t height, uint32_t layers = 1,
                          uint32_t mipLevels = 1) {
  ImageShape shape;
  shape.width = width;
  shape.height = height;
  shape.layers = layers;
  shape.mipLevels = mipLevels;
  return shape;
}

} // namespace assay::reference::testing
