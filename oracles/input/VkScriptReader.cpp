// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of VkScript.
#include "oracles/input/VkScriptReader.h"

#include "oracles/input/Directives.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

Expected<Case> input::readVkScript(StringRef text, StringRef path, const ReadOptions &options) {
  return VkScriptReader(text, path, options).read();
}

/// A header stands at the start of a line: "[compute shader]".
static bool isHeader(StringRef line) {
  return line.starts_with("[");
}

bool VkScriptReader::atSectionEnd() const {
  std::optional<StringRef> line = m_lines.peekPhysical();
  return !line || isHeader(*line);
}

std::optional<StringRef> VkScriptReader::nextInSection() {
  return atSectionEnd() ? std::nullopt : m_lines.nextPhysical();
}

std::string VkScriptReader::takeSectionText() {
  std::string text;
  while (std::optional<StringRef> line = nextInSection()) {
    text += *line;
    text += '\n';
  }
  return text;
}

Expected<Case> VkScriptReader::read() {
  while (std::optional<StringRef> line = m_lines.nextPhysical()) {
    m_lines.noteDirective(*line);
    SmallVector<StringRef, 8> words = splitWords(*line);
    if (words.empty())
      continue;
    if (!isHeader(*line))
      return errorAt(m_lines.line(), "expected a section such as [test] instead of '" +
                                         words.front().take_front(40) + "'");
    // As in Amber, whatever follows the last bracket is a comment.
    size_t end = line->rfind(']');
    if (end == StringRef::npos)
      return errorAt(m_lines.line(), "expected ] at the end of the section's name");
    if (Error error = readSection(line->slice(1, end), m_lines.line()))
      return error;
  }
  if (!m_testSeen)
    return errorAt(m_lines.line(), "the script has no [test] section");
  VkReplay replay(m_case, m_shader ? &*m_shader : nullptr);
  if (Error error = replay.run(m_commands))
    return std::move(error);
  if (Error error = finish(replay))
    return std::move(error);
  return std::move(m_case.get());
}

/// What concerns the whole script: directives, robustness, and the subgroup size.
Error VkScriptReader::finish(VkReplay &replay) {
  auto findBuffer = [&](LineCursor &line) -> Expected<unsigned> {
    StringRef kind = line.peek();
    if (!line.tryWord("ssbo") && !line.tryWord("ubo"))
      return line.error("expected ssbo or ubo");
    Expected<VkBinding> binding = readBinding(line);
    if (!binding)
      return binding.takeError();
    std::optional<unsigned> index =
        replay.find({kind == "ssbo" ? VkBufferKind::Ssbo : VkBufferKind::Ubo, *binding});
    if (!index)
      return line.error("the script has no such buffer");
    return *index;
  };
  if (Error error = applyDirectives(m_lines.directives(), m_case.get(), findBuffer))
    return error;
  m_case.applyRobustness();
  for (CasePipeline &pipeline : m_case.get().pipelines)
    for (ShaderDescription &shader : pipeline.description.stages)
      shader.requiredSubgroupSize = m_subgroupSize;
  return Error::success();
}

Error VkScriptReader::readSection(StringRef header, unsigned line) {
  if (header == "comment") {
    takeSectionText();
    return Error::success();
  }
  if (header == "require")
    return readRequire();
  if (header == "test") {
    m_testSeen = true;
    return readTest();
  }
  if (header == "vertex data" || header == "indices") {
    m_case.addUnsupported("[" + header + "]", line);
    takeSectionText();
    return Error::success();
  }
  if (header.contains(" shader"))
    return readShaderSection(header, line);
  return errorAt(line, "unknown section [" + header.take_front(40) + "]");
}

Error VkScriptReader::readShaderSection(StringRef header, unsigned line) {
  static constexpr StringRef foreign[] = {"vertex", "fragment", "geometry", "tessellation control",
                                          "tessellation evaluation"};
  static constexpr std::pair<StringRef, ShaderLanguage> languages[] = {
      {"", ShaderLanguage::Glsl},
      {"spirv", ShaderLanguage::SpirvAssembly},
      {"spirv hex", ShaderLanguage::SpirvHex}};
  auto [stage, language] = header.split(" shader");
  language = language.trim();
  std::string text = takeSectionText();
  if (is_contained(foreign, stage)) {
    m_case.addUnsupported(stage + " shaders", line);
    return Error::success();
  }
  const auto *row =
      find_if(languages, [&, named = language](const auto &entry) { return entry.first == named; });
  if (stage != "compute" || row == std::end(languages))
    return errorAt(line, "unknown kind of shader [" + header.take_front(60) + "]");
  if (m_shaderSeen)
    return errorAt(line, "the script has a compute shader already");
  m_shaderSeen = true;
  ShaderText source{row->second, text, line + 1, m_versions};
  Expected<Shader> shader = makeShader(source, m_files);
  if (!shader)
    return m_case.noteUnsupported(shader.takeError(), line);
  m_shader = std::move(*shader);
  return Error::success();
}

/// Features and extensions are kept; the rest sets up graphics, apart from the subgroup size.
Error VkScriptReader::readRequire() {
  static constexpr StringRef withArguments[] = {"framebuffer", "depthstencil", "fbsize",
                                                "fence_timeout", "vulkan"};
  for (skipBlankLines(); !atSectionEnd(); skipBlankLines()) {
    std::optional<LineCursor> line = m_lines.nextLogical();
    if (!line)
      break;
    StringRef word = cantFail(line->word(""));
    if (word == "subgroup_size") {
      Expected<uint64_t> size = line->number("a subgroup size", 128);
      if (!size)
        return size.takeError();
      if (!isPowerOf2_64(*size))
        return line->error("subgroup size " + Twine(*size) + " is no power of two");
      m_subgroupSize = static_cast<uint32_t>(*size);
    } else if (is_contained(withArguments, word)) {
      if (line->atEnd())
        return line->error("expected a value after " + word);
      line->skipRest();
    } else if (!line->atEnd()) {
      return line->error("expected one feature or extension on a line");
    } else {
      m_case.addFeature(word);
    }
    if (Error error = line->expectEnd())
      return error;
  }
  return Error::success();
}

/// Steps over lines without words, so that the next logical line begins inside the section.
void VkScriptReader::skipBlankLines() {
  while (std::optional<StringRef> line = m_lines.peekPhysical()) {
    if (!splitWords(*line).empty())
      return;
    m_lines.nextPhysical();
    m_lines.noteDirective(*line);
  }
}

Error VkScriptReader::readTest() {
  for (skipBlankLines(); !atSectionEnd(); skipBlankLines()) {
    std::optional<LineCursor> line = m_lines.nextLogical();
    if (!line)
      break;
    if (Error error = readCommand(*line))
      return error;
    if (Error error = line->expectEnd())
      return error;
  }
  return Error::success();
}
