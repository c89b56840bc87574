// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of VkScript.
#include "oracles/input/VkScriptReader.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

Expected<Case> input::readVkScript(StringRef text, StringRef path) {
  return VkScriptReader(text, path).read();
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
    SmallVector<StringRef, 8> words = splitWords(*line);
    if (words.empty())
      continue;
    StringRef header = line->take_until([](char c) { return c == '#'; }).trim();
    if (!isHeader(*line))
      return errorAt(m_lines.line(), "expected a section such as [test] instead of '" +
                                         words.front().take_front(40) + "'");
    if (!header.consume_front("[") || !header.consume_back("]"))
      return errorAt(m_lines.line(), "expected ] at the end of the section's name");
    if (Error error = readSection(header, m_lines.line()))
      return error;
  }
  if (!m_testSeen)
    return errorAt(m_lines.line(), "the script has no [test] section");
  VkReplay replay(m_case, m_shader ? &*m_shader : nullptr);
  if (Error error = replay.run(m_commands))
    return error;
  return std::move(m_case.get());
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
  ShaderText source{row->second, text, line + 1, 0x00010000};
  Expected<Shader> shader = makeShader(source, m_files);
  if (!shader)
    return m_case.noteUnsupported(shader.takeError(), line);
  m_shader = std::move(*shader);
  return Error::success();
}

/// Features and extensions are not asked of a model; the rest sets up graphics.
Error VkScriptReader::readRequire() {
  static constexpr StringRef withArguments[] = {"framebuffer",   "depthstencil",  "fbsize",
                                                "fence_timeout", "subgroup_size", "vulkan"};
  while (std::optional<StringRef> physical = nextInSection()) {
    SmallVector<StringRef, 8> words = splitWords(*physical);
    if (words.empty())
      continue;
    bool takesMore = is_contained(withArguments, words.front());
    if (takesMore && words.size() == 1)
      return errorAt(m_lines.line(), "expected a value after " + words.front());
    if (!takesMore && words.size() != 1)
      return errorAt(m_lines.line(), "expected one feature or extension on a line");
    if (words.front() == "subgroup_size")
      m_case.addUnsupported("subgroup size control", m_lines.line());
  }
  return Error::success();
}

/// Steps over lines without words, so that the next logical line begins inside the section.
void VkScriptReader::skipBlankLines() {
  while (std::optional<StringRef> line = m_lines.peekPhysical()) {
    if (!splitWords(*line).empty())
      return;
    m_lines.nextPhysical();
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
