// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of VkScript.
#include "oracles/input/vkscript/VkScriptReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Directives.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

Expected<Case> input::readVkScript(StringRef text, StringRef path, const ReadOptions &options) {
  return VkScriptReader(text, path, options).read();
}

/// A header is at the start of a line: "[compute shader]".
static bool isHeader(StringRef line) {
  return line.starts_with("[");
}

/// True at the end of the script or at the next header.
bool VkScriptReader::atSectionEnd() const {
  std::optional<StringRef> line = m_lines.peekPhysical();
  return !line || isHeader(*line);
}

/// Takes the next physical line of the section; nullopt at its end.
std::optional<StringRef> VkScriptReader::nextInSection() {
  return atSectionEnd() ? std::nullopt : m_lines.nextPhysical();
}

/// Takes the rest of the section as it is written. Each line ends with a line feed.
std::string VkScriptReader::takeSectionText() {
  std::string text;
  while (std::optional<StringRef> line = nextInSection()) {
    text += *line;
    text += '\n';
  }
  return text;
}

/// Reads all sections, then replays the commands. InvalidInput where there is no [test] section.
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
  VkReplay replay(m_case, m_program);
  if (Error error = replay.run(m_commands))
    return std::move(error);
  if (Error error = finish(replay))
    return std::move(error);
  return std::move(m_case.get());
}

/// What concerns the whole script: directives, robustness, and the subgroup size.
/// Each stage of each pipeline requires the subgroup size of the script; 0 requires none.
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

/// Reads the section called \p header, the text in its brackets. InvalidInput for an unknown name.
/// Sections may be in any order.
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
  if (header == "vertex data")
    return readVertices(line);
  if (header == "indices")
    return readIndices(line);
  if (header.contains(" shader"))
    return readShaderSection(header, line);
  return errorAt(line, "unknown section [" + header.take_front(40) + "]");
}

/// "STAGE shader [LANGUAGE]". A stage has one shader. One that is unsupported is a reason why the
/// case cannot run, and the rest of the script is still read.
Error VkScriptReader::readShaderSection(StringRef header, unsigned line) {
  static constexpr std::pair<StringRef, ShaderLanguage> languages[] = {
      {"", ShaderLanguage::Glsl},
      {"spirv", ShaderLanguage::SpirvAssembly},
      {"spirv hex", ShaderLanguage::SpirvHex}};
  auto [stage, language] = header.split(" shader");
  language = language.trim();
  std::string text = takeSectionText();
  bool isPassthrough = stage == "vertex" && language == "passthrough";
  auto stageRow = find_if(getShaderStages(), [&, named = stage](const ShaderStageInfo &info) {
    return info.name == named && !(info.stage > ShaderStage::Fragment);
  });
  const auto *row =
      find_if(languages, [&, named = language](const auto &entry) { return entry.first == named; });
  if (stageRow == getShaderStages().end() || (row == std::end(languages) && !isPassthrough))
    return errorAt(line, "unknown kind of shader [" + header.take_front(60) + "]");
  if (m_stagesSeen & stageBit(stageRow->stage))
    return errorAt(line, "the script has a " + stage + " shader already");
  m_stagesSeen |= stageBit(stageRow->stage);
  bool isGraphics = isGraphicsStage(stageRow->stage);
  m_program.hasGraphics |= isGraphics;
  if (isPassthrough) {
    m_program.shaders[stageRow->stage] = passthroughShader();
    return Error::success();
  }
  ShaderText source{row->second, text, line + 1, m_versions, stageRow->stage};
  Expected<Shader> shader = makeShader(source, m_files);
  if (!shader) {
    m_program.hasUnreadShader |= isGraphics;
    return m_case.noteUnsupported(shader.takeError(), line);
  }
  m_program.shaders[stageRow->stage] = std::move(*shader);
  return Error::success();
}

/// FORMAT of the framebuffer, or of depth and stencil.
/// InvalidInput for a format of the other kind. Formats of three components make the case
/// unsupported.
Error VkScriptReader::readAttachmentFormat(LineCursor &line, bool isDepth) {
  Expected<StringRef> name = line.word("a format");
  if (!name)
    return name.takeError();
  std::optional<TexelFormat> format = findTexelFormat(*name);
  if (!format)
    return line.error("unknown format '" + name->take_front(40) + "'");
  const TexelFormatInfo &info = getTexelFormatInfo(*format);
  bool hasDepth = info.find('D') || info.find('S');
  if (hasDepth != isDepth)
    return line.error(info.name + (isDepth ? " has neither depth nor stencil" : " has no colours"));
  if (dataFormatOf(*format).rows == 3)
    m_case.addUnsupported("images of " + info.name, line.line());
  (isDepth ? m_program.depthFormat : m_program.colorFormat) = *format;
  m_program.requireLine = line.line();
  return Error::success();
}

/// width height, from 1 to maxImageExtent.
Error VkScriptReader::readFramebufferSize(LineCursor &line) {
  for (uint32_t *extent : {&m_program.width, &m_program.height}) {
    Expected<uint64_t> number = line.number("a framebuffer's size", maxImageExtent);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return line.error("the framebuffer's size must be positive");
    *extent = static_cast<uint32_t>(*number);
  }
  m_program.requireLine = line.line();
  return Error::success();
}

/// The columns "location/FORMAT" of [vertex data].
/// InvalidInput for a location above 31 or one that is given twice.
Error VkScriptReader::readVertexHeader(LineCursor &line) {
  while (!line.atEnd()) {
    auto [number, name] = cantFail(line.word("")).split('/');
    VkVertices column;
    if (number.getAsInteger(10, column.location) || column.location > 31 || name.empty())
      return line.error("expected columns such as 0/R32G32_SFLOAT, with locations up to 31");
    std::optional<TexelFormat> format = findTexelFormat(name);
    if (!format)
      return line.error("unknown format '" + name.take_front(40) + "'");
    column.format = *format;
    for (const VkVertices &other : m_program.vertices)
      if (other.location == column.location)
        return line.error("location " + Twine(column.location) + " is given twice");
    m_program.vertices.push_back(std::move(column));
  }
  return Error::success();
}

/// Whole rows of values. A line has one row or several, each complete.
Error VkScriptReader::readVertexRows(LineCursor &line) {
  while (!line.atEnd())
    for (VkVertices &column : m_program.vertices) {
      DataFormat format = dataFormatOf(column.format);
      for (unsigned row = 0; row < format.rows; ++row) {
        Expected<StringRef> word = line.word("a value for each component of each column");
        if (!word)
          return word.takeError();
        Expected<uint64_t> bits = parseScalar(*word, format.scalar);
        if (!bits)
          return atLine(line.line(), bits.takeError());
        column.values.push_back(*bits);
      }
    }
  return Error::success();
}

/// [vertex data]: a row of columns, then rows of values. A script has one such section.
Error VkScriptReader::readVertices(unsigned line) {
  if (m_program.vertexLine)
    return errorAt(line, "the script has [vertex data] already");
  m_program.vertexLine = line;
  for (skipBlankLines(); !atSectionEnd(); skipBlankLines()) {
    std::optional<LineCursor> row = m_lines.nextLogical();
    if (!row)
      break;
    if (Error error = m_program.vertices.empty() ? readVertexHeader(*row) : readVertexRows(*row))
      return error;
  }
  return Error::success();
}

/// [indices]: numbers up to 65535, on any number of lines.
Error VkScriptReader::readIndices(unsigned line) {
  if (m_program.indexLine)
    return errorAt(line, "the script has [indices] already");
  m_program.indexLine = line;
  for (skipBlankLines(); !atSectionEnd(); skipBlankLines()) {
    std::optional<LineCursor> row = m_lines.nextLogical();
    while (row && !row->atEnd()) {
      Expected<uint64_t> index = row->number("an index", 0xffff);
      if (!index)
        return index.takeError();
      m_program.indices.push_back(*index);
    }
  }
  return Error::success();
}

/// Features and extensions are kept; the rest sets up attachments, apart from the subgroup size.
Error VkScriptReader::readRequire() {
  static constexpr StringRef withArguments[] = {"fence_timeout", "vulkan"};
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
    } else if (word == "framebuffer" || word == "depthstencil") {
      if (Error error = readAttachmentFormat(*line, word == "depthstencil"))
        return error;
    } else if (word == "fbsize") {
      if (Error error = readFramebufferSize(*line))
        return error;
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

/// [test]: one command a line.
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
