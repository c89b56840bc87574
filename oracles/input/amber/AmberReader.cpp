// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Top level of AmberScript: the statement table, shaders, files, REPEAT, and what is stepped over.
#include "oracles/input/amber/AmberReader.h"

#include "oracles/input/Directives.h"
#include "oracles/input/amber/AmberNames.h"
#include "support/Error.h"
#include "support/Fault.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

Expected<Case> input::readAmber(StringRef text, StringRef path, const ReadOptions &options) {
  return AmberReader(text, path, options).read();
}

/// The statements of a script, their readers, and whether REPEAT may contain them.
ArrayRef<AmberReader::HandlerRow> AmberReader::handlers() {
  using R = AmberReader;
  static constexpr HandlerRow rows[] = {
      {"DEVICE_FEATURE", &R::readDeviceRequirement, false},
      {"DEVICE_EXTENSION", &R::readDeviceRequirement, false},
      {"DEVICE_PROPERTY", &R::readDeviceRequirement, false},
      {"INSTANCE_EXTENSION", &R::readInstanceExtension, false},
      {"SET", &R::readSet, false},
      {"VIRTUAL_FILE", &R::readVirtualFile, false},
      {"SHADER", &R::readShader, false},
      {"BUFFER", &R::readBuffer, false},
      {"IMAGE", &R::readImage, false},
      {"SAMPLER", &R::readSampler, false},
      {"STRUCT", &R::readStruct, false},
      {"ACCELERATION_STRUCTURE", &R::readForeignBlock, false},
      {"PIPELINE", &R::readPipeline, false},
      {"DERIVE_PIPELINE", &R::readDerivedPipeline, false},
      {"RUN", &R::readRun, true},
      {"COPY", &R::readCopy, true},
      {"EXPECT", &R::readExpect, true},
      {"CLEAR", &R::readClear, true},
      {"CLEAR_COLOR", &R::readClearColor, true},
      {"CLEAR_DEPTH", &R::readClearDepth, true},
      {"CLEAR_STENCIL", &R::readClearStencil, true},
      {"REPEAT", &R::readRepeat, false},
  };
  return rows;
}

/// Reads up to the line #!amber and notes the directives before it. The header is a comment to the
/// line reader, so it is looked for in the physical lines. InvalidInput for a script without the
/// header and for one without anything after it.
Error AmberReader::readHeader() {
  while (std::optional<StringRef> line = m_lines.nextPhysical()) {
    StringRef text = line->trim();
    if (text.starts_with("#!amber"))
      return m_lines.peekPhysical() ? Error::success()
                                    : errorAt(m_lines.line(), "expected statements after #!amber");
    if (!text.empty() && !text.starts_with("#"))
      return errorAt(m_lines.line(), "expected #!amber before the first statement");
    m_lines.noteDirective(*line);
  }
  return errorAt(m_lines.line(), "expected #!amber and statements");
}

/// Reads the whole script. What the case cannot express becomes a reason in Case::unsupported; an
/// error is malformed text. Call it once.
Expected<Case> AmberReader::read() {
  if (Error error = readHeader())
    return std::move(error);
  while (std::optional<LineCursor> line = m_lines.nextLogical())
    if (Error error = readStatement(*line, false))
      return std::move(error);
  if (Error error = finish())
    return std::move(error);
  return std::move(m_case.get());
}

/// Applies what concerns the whole script and may be anywhere in it: the directives, which may name
/// any buffer, and the robustness of all pipelines.
Error AmberReader::finish() {
  auto findBuffer = [this](LineCursor &line) -> Expected<unsigned> {
    Expected<AmberBuffer> buffer = bufferNamed(line);
    if (!buffer)
      return buffer.takeError();
    if (buffer->unsized)
      return line.error("images have no address");
    return buffer->index;
  };
  if (Error error = applyDirectives(m_lines.directives(), m_case.get(), findBuffer))
    return error;
  m_case.applyRobustness();
  return Error::success();
}

/// Reads one statement by its keyword, to the end of its last line. InvalidInput for an unknown
/// keyword and for words that are left. In REPEAT, only commands are allowed.
Error AmberReader::readStatement(LineCursor &line, bool insideRepeat) {
  Expected<StringRef> keyword = line.word("a statement");
  if (!keyword)
    return keyword.takeError();
  for (const HandlerRow &row : handlers()) {
    if (row.keyword != *keyword)
      continue;
    if (insideRepeat && !row.repeatable)
      return line.error(*keyword + " is not allowed inside REPEAT");
    if (Error error = (this->*row.handler)(line))
      return error;
    return line.expectEnd();
  }
  return line.error("unknown statement '" + keyword->take_front(40) + "'");
}

/// Reads a name, which becomes a feature of the case, whatever the kind of requirement.
Error AmberReader::readDeviceRequirement(LineCursor &line) {
  Expected<StringRef> name = line.word("a name");
  if (!name)
    return name.takeError();
  m_case.addFeature(*name);
  return Error::success();
}

/// Reads and ignores a name, because extensions of the instance make no difference to a shader.
Error AmberReader::readInstanceExtension(LineCursor &line) {
  return line.word("a name").takeError();
}

/// Reads ENGINE_DATA fence_timeout_ms n and ignores it: it has no meaning for a machine.
Error AmberReader::readSet(LineCursor &line) {
  if (Error error = line.expect("ENGINE_DATA"))
    return error;
  if (Error error = line.expect("fence_timeout_ms"))
    return error;
  return line.number("milliseconds", ~0u).takeError();
}

/// Returns the lines up to one with END as its last word; what precedes it on that line is text.
/// InvalidInput for words after a leading END and for a script that ends first, with \p what and \p
/// firstLine in the message.
Expected<std::string> AmberReader::readRawBlock(StringRef what, unsigned firstLine) {
  std::string text;
  while (std::optional<StringRef> line = m_lines.nextPhysical()) {
    // Few lines are split: most blocks are long.
    SmallVector<StringRef, 8> words;
    if (line->contains("END"))
      words = splitWords(*line);
    if (!words.empty() && words.back() == "END") {
      text += line->take_front(static_cast<size_t>(words.back().data() - line->data()));
      return text;
    }
    if (!words.empty() && words.front() == "END")
      return errorAt(m_lines.line(), "expected the end of the line after END");
    text += *line;
    text += '\n';
  }
  return errorAt(firstLine, what + " has no END");
}

/// Reads a name, and the text of the file up to END. InvalidInput for a name that is declared
/// already.
Error AmberReader::readVirtualFile(LineCursor &line) {
  Expected<std::string> name = line.fileName();
  if (!name)
    return name.takeError();
  if (Error error = line.expectEnd())
    return error;
  Expected<std::string> text = readRawBlock("VIRTUAL_FILE " + *name, line.line());
  if (!text)
    return text.takeError();
  if (!m_files.addVirtual(*name, *text))
    return line.error("file '" + *name + "' was declared before");
  return Error::success();
}

/// The stages by Amber's names. Of two names the first is the documented one.
static constexpr NamedValue<ShaderStage> stages[] = {
    {"vertex", ShaderStage::Vertex},
    {"fragment", ShaderStage::Fragment},
    {"geometry", ShaderStage::Geometry},
    {"tessellation_evaluation", ShaderStage::TessellationEvaluation},
    {"tessellation_control", ShaderStage::TessellationControl},
    {"compute", ShaderStage::Compute},
    {"task", ShaderStage::Task},
    {"mesh", ShaderStage::Mesh},
    {"ray_generation", ShaderStage::RayGeneration},
    {"raygen", ShaderStage::RayGeneration},
    {"any_hit", ShaderStage::AnyHit},
    {"closest_hit", ShaderStage::ClosestHit},
    {"miss", ShaderStage::Miss},
    {"intersection", ShaderStage::Intersection},
    {"callable", ShaderStage::Callable},
    {"call", ShaderStage::Callable}};

std::optional<ShaderStage> input::findAmberStage(StringRef name) {
  for (const NamedValue<ShaderStage> &row : stages)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

StringRef input::amberStageName(ShaderStage stage) {
  return nameOfValue(stages, stage);
}

/// Reads stage, name and the shader itself, after SHADER. "multi" has no stage: each pipeline that
/// attaches it names one. InvalidInput for an unknown stage and for a name that is declared
/// already.
Error AmberReader::readShader(LineCursor &line) {
  Expected<StringRef> stage = line.word("a shader stage");
  if (!stage)
    return stage.takeError();
  AmberShader declared{stage->str(), findAmberStage(*stage), std::nullopt};
  if (!declared.stage && *stage != "multi")
    return line.error("unknown shader stage '" + *stage + "'");
  Expected<StringRef> name = line.word("a shader name");
  if (!name)
    return name.takeError();
  if (m_shaders.contains(*name))
    return line.error("shader '" + *name + "' was declared before");
  Expected<AmberShader> shader = readShaderBody(line, *name, std::move(declared));
  if (!shader)
    return shader.takeError();
  m_shaders[*name] = std::move(*shader);
  return Error::success();
}

/// Returns the text of shader \p name: a file, or the lines up to END, which later shaders may name
/// as a virtual file. \p firstLine receives the line of the script on which the text begins, 1 for
/// a file.
Expected<std::string> AmberReader::readShaderText(LineCursor &line, StringRef name,
                                                  unsigned &firstLine) {
  if (line.tryWord("FILE") || line.tryWord("VIRTUAL_FILE")) {
    Expected<std::string> name = line.fileName();
    if (!name)
      return name.takeError();
    firstLine = 1;
    Expected<std::string> text = m_files.load(*name);
    if (!text)
      return atLine(line.line(), text.takeError());
    return text;
  }
  if (Error error = line.expectEnd())
    return error;
  firstLine = m_lines.line() + 1;
  Expected<std::string> text = readRawBlock("SHADER", line.line());
  if (text)
    m_files.addVirtual(("embedded-shaders/" + name).str(), *text);
  return text;
}

/// Reads [TARGET_ENV e] and returns the versions of SPIR-V that the text may have: the stated one,
/// or else those of the script. GLSL is always compiled for 1.6.
Expected<VersionCandidates> AmberReader::readTargetEnvironment(LineCursor &line) const {
  if (!line.tryWord("TARGET_ENV"))
    return m_versions;
  Expected<StringRef> environment = line.word("a target environment");
  if (!environment)
    return environment.takeError();
  StringRef unquoted = *environment;
  unquoted.consume_front("\"") && unquoted.consume_back("\"");
  Expected<uint32_t> version = parseTargetEnvironment(unquoted);
  if (!version)
    return atLine(line.line(), version.takeError());
  return saidVersion(*version, "TARGET_ENV says so");
}

/// Reads the language and the text of \p shader. Without a module it is one that Assay does not
/// read; except for ray tracing stages, the case is then unsupported.
Expected<AmberShader> AmberReader::readShaderBody(LineCursor &line, StringRef name,
                                                  AmberShader shader) {
  static constexpr std::pair<StringRef, std::optional<ShaderLanguage>> languages[] = {
      {"GLSL", ShaderLanguage::Glsl},
      {"SPIRV-ASM", ShaderLanguage::SpirvAssembly},
      {"SPIRV-HEX", ShaderLanguage::SpirvHex},
      {"HLSL", std::nullopt},
      {"OPENCL-C", std::nullopt},
      {"SPIRV-BIN", ShaderLanguage::SpirvBinary}};
  if (line.tryWord("PASSTHROUGH")) {
    if (shader.stage != ShaderStage::Vertex)
      return line.error("PASSTHROUGH is for vertex shaders");
    shader.module = passthroughShader();
    return shader;
  }
  Expected<StringRef> language = line.word("a shader language");
  if (!language)
    return language.takeError();
  const auto *row = find_if(languages, [&](const auto &entry) { return entry.first == *language; });
  if (row == std::end(languages))
    return line.error("unknown shader language '" + *language + "'");
  Expected<VersionCandidates> versions = readTargetEnvironment(line);
  if (!versions)
    return versions.takeError();
  ShaderText source;
  source.versions = std::move(*versions);
  bool fromFile = line.peek() == "FILE" || line.peek() == "VIRTUAL_FILE";
  if (!fromFile && row->second == ShaderLanguage::SpirvBinary)
    return line.error("expected FILE after SPIRV-BIN");
  Expected<std::string> text = readShaderText(line, name, source.firstLine);
  if (!text)
    return text.takeError();
  source.stage = shader.stage.value_or(ShaderStage::Compute);
  if (source.stage != ShaderStage::Compute && !isGraphicsStage(source.stage))
    return shader;
  if (!row->second) {
    m_case.addUnsupported(*language + " shaders", line.line());
    return shader;
  }
  source.language = *row->second;
  source.text = *text;
  Expected<Shader> module = makeShader(source, m_files);
  if (module) {
    shader.module = std::move(*module);
    return shader;
  }
  Error error = addContext(module.takeError(), "shader " + name);
  if (Error left = m_case.noteUnsupported(std::move(error), line.line()))
    return fromFile ? atLine(line.line(), std::move(left)) : std::move(left);
  return shader;
}

/// Reads the statements of REPEAT, and its END. Sets m_clearChanged when a statement changes what
/// CLEAR writes. \p line is that of REPEAT.
Error AmberReader::readRepeated(const LineCursor &line) {
  m_clearChanged = false;
  while (std::optional<LineCursor> inner = m_lines.nextLogical()) {
    bool ended = inner->tryWord("END");
    if (Error error = ended ? inner->expectEnd() : readStatement(*inner, true))
      return error;
    if (ended)
      return Error::success();
  }
  return line.error("REPEAT has no END");
}

/// n, and statements up to END. The body is read once and its commands are copied. It is read a
/// second time when it changes what CLEAR writes, since the first repetition then differs.
Error AmberReader::readRepeat(LineCursor &line) {
  Expected<uint64_t> count = line.number("a count", ~0u);
  if (!count)
    return count.takeError();
  if (*count == 0)
    return line.error("REPEAT 0 repeats nothing");
  if (Error error = line.expectEnd())
    return error;
  size_t first = m_case.get().commands.size();
  size_t reasons = m_case.get().unsupported.size();
  ScriptLines start = m_lines;
  if (Error error = readRepeated(line))
    return error;
  // Only what CLEAR writes is a state: from the second repetition on it is the same at the start.
  if (m_clearChanged && *count > 1) {
    m_lines = start;
    m_case.get().unsupported.resize(reasons);
    first = m_case.get().commands.size();
    --*count;
    if (Error error = readRepeated(line))
      return error;
  }
  std::vector<Command> body(m_case.get().commands.begin() + static_cast<ptrdiff_t>(first),
                            m_case.get().commands.end());
  if (body.empty()) {
    if (m_case.get().unsupported.size() == reasons && !m_clearChanged)
      return line.error("REPEAT has no statements");
    return Error::success();
  }
  if (faultPlanted(Fault::ReaderLosesRepeat))
    *count = 1;
  for (uint64_t i = 1; i < *count; ++i)
    for (const Command &command : body)
      if (Error error = m_case.addCommand(command))
        return atLine(line.line(), std::move(error));
  return Error::success();
}

/// Steps over ACCELERATION_STRUCTURE: a block up to END, with blocks inside. It makes the case
/// unsupported.
Error AmberReader::readForeignBlock(LineCursor &line) {
  m_case.addUnsupported("acceleration structures", line.line());
  line.skipRest();
  return skipToEnd("ACCELERATION_STRUCTURE", line.line());
}

/// Steps over a block that is not read, and over the blocks in it. InvalidInput at \p firstLine if
/// the script ends before the block.
Error AmberReader::skipToEnd(StringRef what, unsigned firstLine) {
  static constexpr StringRef openers[] = {"DEPTH",
                                          "STENCIL",
                                          "BLEND",
                                          "SUBGROUP",
                                          "SHADER_OPTIMIZATION",
                                          "COMPILE_OPTIONS",
                                          "GEOMETRY",
                                          "BOTTOM_LEVEL",
                                          "SHADER_BINDING_TABLE",
                                          "BOTTOM_LEVEL_INSTANCE"};
  unsigned depth = 1;
  while (std::optional<LineCursor> line = m_lines.nextLogical()) {
    if (line->tryWord("END"))
      --depth;
    else if (is_contained(openers, line->peek()))
      ++depth;
    if (depth == 0)
      return Error::success();
  }
  return errorAt(firstLine, what + " has no END");
}
