// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/pipe/PipeReader.h"

#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/Shaders.h"
#include "oracles/input/pipe/PipeGraphics.h"
#include "oracles/input/pipe/PipeSpecialization.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

enum class SectionKind {
  Settings, ///< Read over.
  Info,
  State,         ///< Of a compute pipeline.
  GraphicsState, ///< Of a graphics pipeline.
  VertexInput,
  Glsl,
  Assembly,
  GlslFile,
  AssemblyFile,
  SpirvFile,
  Foreign, ///< Known, but not read.
};

/// A section by its header.
struct Section {
  SectionKind kind = SectionKind::Settings;
  ShaderStage stage = ShaderStage::Compute; ///< Of Info and shaders.
  std::string reason;                       ///< Of Foreign.
};

/// One shader of the file.
struct PipeShader {
  std::optional<Shader> shader; ///< Empty: there is an Info section only.
  std::string entryPoint = "main";
  PipeSpecialization constants;
  uint32_t subgroupSize = 0; ///< Lanes; 0: not said.
};

/// Reads the sections of one file in their order, and makes the case at the end.
class PipeReader {
public:
  PipeReader(StringRef text, StringRef path, const ReadOptions &options)
      : m_lines(text), m_files(path), m_options(options) {}
  Expected<Case> read();

private:
  Error readSection(const Section &section, unsigned line);
  Error readSettings(const Section &section);
  Error readSetting(const Section &section, StringRef key, StringRef value);
  Error readInfo(PipeShader &shader, StringRef key, StringRef value);
  Error readOption(PipeShader &shader, StringRef key, StringRef value);
  Error readPipelineOption(StringRef key, StringRef value);
  Error readGroupSize(StringRef axis, StringRef value);
  Error overrideGroupSize(std::vector<uint32_t> &words) const;
  Error readShader(const Section &section, unsigned line);
  Error readShaderFile(const Section &section);
  Error takeShader(const Section &section, ShaderLanguage language, StringRef text,
                   unsigned firstLine);
  Expected<Case> finish();
  Error finishStage(CasePipeline &pipeline, ShaderStage stage, const PipeShader &shader) const;
  Error error(const Twine &message) const { return errorAt(m_lines.line(), message); }

  ScriptLines m_lines;
  ScriptFiles m_files;
  const ReadOptions &m_options;
  std::map<ShaderStage, PipeShader> m_shaders; ///< Also of stages that have an Info section alone.
  PipeGraphics m_graphics;
  Robustness m_robustness = Robustness::None;
  uint32_t m_groupSize[3] = {}; ///< 0 = the shader's.
};

} // namespace

/// Sections of settings, by their whole header.
static constexpr std::pair<StringLiteral, SectionKind> settingSections[] = {
    {"Version", SectionKind::Settings},
    {"ResourceMapping", SectionKind::Settings},
    {"CompileLog", SectionKind::Settings},
    {"ComputePipelineState", SectionKind::State},
    {"GraphicsPipelineState", SectionKind::GraphicsState},
    {"ApiXfbOutInfo", SectionKind::GraphicsState},
    {"VertexInputState", SectionKind::VertexInput}};

/// What follows the stage's prefix in a header.
static constexpr std::pair<StringLiteral, SectionKind> shaderParts[] = {
    {"Info", SectionKind::Info},
    {"Glsl", SectionKind::Glsl},
    {"Spirv", SectionKind::Assembly},
    {"GlslFile", SectionKind::GlslFile},
    {"SpvasmFile", SectionKind::AssemblyFile},
    {"SpvFile", SectionKind::SpirvFile},
    {"Hlsl", SectionKind::Foreign},
    {"HlslFile", SectionKind::Foreign}};

namespace {

/// What the names of a stage's sections begin with.
struct StagePrefix {
  StringLiteral name;
  ShaderStage stage;
};

} // namespace

/// What the names of a stage's sections begin with: LLPC's short forms and the long ones.
static constexpr StagePrefix stagePrefixes[] = {
    {"Cs", ShaderStage::Compute},
    {"ComputeShader", ShaderStage::Compute},
    {"Vs", ShaderStage::Vertex},
    {"VertexShader", ShaderStage::Vertex},
    {"Fs", ShaderStage::Fragment},
    {"FragmentShader", ShaderStage::Fragment},
    {"Tcs", ShaderStage::TessellationControl},
    {"TessControlShader", ShaderStage::TessellationControl},
    {"Tes", ShaderStage::TessellationEvaluation},
    {"TessEvalShader", ShaderStage::TessellationEvaluation},
    {"Gs", ShaderStage::Geometry},
    {"GeometryShader", ShaderStage::Geometry},
    {"Task", ShaderStage::Task},
    {"TaskShader", ShaderStage::Task},
    {"Mesh", ShaderStage::Mesh},
    {"MeshShader", ShaderStage::Mesh},
    {"rgen", ShaderStage::RayGeneration},
    {"sect", ShaderStage::Intersection},
    {"ahit", ShaderStage::AnyHit},
    {"chit", ShaderStage::ClosestHit},
    {"miss", ShaderStage::Miss},
    {"call", ShaderStage::Callable}};

/// Returns a section of a shader stage. Stages that are not read and HLSL are Foreign.
static Section makeStageSection(ShaderStage stage, SectionKind kind) {
  bool isRead = stage == ShaderStage::Compute || stage == ShaderStage::Vertex ||
                stage == ShaderStage::Fragment;
  if (!isRead)
    return {SectionKind::Foreign, stage,
            isGraphicsStage(stage) ? (getStageName(stage) + " shaders").str()
                                   : "ray tracing pipelines"};
  return {kind, stage, kind == SectionKind::Foreign ? "HLSL shaders" : ""};
}

/// The section whose header \p line is; nothing for any other line.
static std::optional<Section> parseSection(StringRef line) {
  static constexpr std::pair<StringLiteral, StringLiteral> foreign[] = {
      {"RayTracingPipelineState", "ray tracing pipelines"},
      {"RayTracingLibrarySummary", "ray tracing pipelines"},
      {"GraphicsLibrary", "graphics pipelines of libraries"},
      {"FsOutput", "graphics pipelines of libraries"}};
  line = line.trim();
  if (!line.consume_front("[") || !line.consume_back("]"))
    return std::nullopt;
  for (const auto &[name, kind] : settingSections)
    if (name == line)
      return Section{kind, ShaderStage::Compute, ""};
  for (const auto &[name, reason] : foreign)
    if (name == line)
      return Section{SectionKind::Foreign, ShaderStage::Compute, reason.str()};
  for (const StagePrefix &prefix : stagePrefixes) {
    StringRef part = line;
    if (part.consume_front(prefix.name))
      for (const auto &[name, kind] : shaderParts)
        if (name == part)
          return makeStageSection(prefix.stage, kind);
  }
  return std::nullopt;
}

/// A comment on a line of its own; before the first section also as in C++.
static bool isComment(StringRef text, bool isPreamble) {
  return text.empty() || text.starts_with(";") || (isPreamble && text.starts_with("//"));
}

/// Unsupported at the first section that is known but not read.
Expected<Case> PipeReader::read() {
  bool isPreamble = true;
  while (std::optional<StringRef> line = m_lines.nextPhysical()) {
    StringRef text = line->trim();
    if (isComment(text, isPreamble))
      continue;
    std::optional<Section> section = parseSection(text);
    if (!section)
      return error("expected a section such as [CsGlsl] instead of '" + text.take_front(40) + "'");
    isPreamble = false;
    if (section->kind == SectionKind::Foreign)
      return unsupported(section->reason + " (line " + Twine(m_lines.line()) + ")");
    if (Error bad = readSection(*section, m_lines.line()))
      return std::move(bad);
  }
  return finish();
}

/// Makes \p shader the \p stage of \p pipeline.
Error PipeReader::finishStage(CasePipeline &pipeline, ShaderStage stage,
                              const PipeShader &shader) const {
  if (!shader.shader)
    return Error::success(); // Only its Info section is there.
  if (Error bad = setStage(pipeline.description, stage, *shader.shader, shader.entryPoint))
    return bad;
  Expected<std::vector<SpecializationValue>> values = shader.constants.finish();
  if (!values)
    return values.takeError();
  ShaderDescription &description = pipeline.description.getShader(stage);
  description.specialization = std::move(*values);
  description.requiredSubgroupSize = shader.subgroupSize;
  pipeline.version = shader.shader->version;
  return Error::success();
}

/// Makes the case of the pipeline. InvalidInput for a file without shaders, or with compute and
/// graphics shaders.
Expected<Case> PipeReader::finish() {
  CasePipeline pipeline;
  pipeline.name = "pipeline";
  for (const auto &[stage, shader] : m_shaders)
    if (Error bad = finishStage(pipeline, stage, shader))
      return std::move(bad);
  PipelineDescription &description = pipeline.description;
  if (description.stages.empty())
    return error("the file has no shader");
  if (description.isGraphics() && description.find(ShaderStage::Compute))
    return error("the file has a compute shader and shaders of a graphics pipeline");
  if (Error bad = updateLayout(description))
    return std::move(bad);
  description.robustness = m_robustness;
  Case result;
  if (description.isGraphics()) {
    Expected<GraphicsState> state = m_graphics.finish();
    if (!state)
      return state.takeError();
    description.graphics = std::move(*state);
    for (const std::string &reason : m_graphics.unsupported())
      result.unsupported.push_back({reason});
  } else if (Error bad = overrideGroupSize(description.getShader(ShaderStage::Compute).spirv)) {
    return std::move(bad);
  }
  result.pipelines.push_back(std::move(pipeline));
  return result;
}

/// Reads the body of \p section, which is not Foreign. \p line is that of its header.
Error PipeReader::readSection(const Section &section, unsigned line) {
  switch (section.kind) {
  case SectionKind::Settings:
  case SectionKind::Info:
  case SectionKind::State:
  case SectionKind::GraphicsState:
  case SectionKind::VertexInput:
    return readSettings(section);
  case SectionKind::Glsl:
  case SectionKind::Assembly:
    return readShader(section, line);
  case SectionKind::GlslFile:
  case SectionKind::AssemblyFile:
  case SectionKind::SpirvFile:
    return readShaderFile(section);
  case SectionKind::Foreign:
    break;
  }
  llvm_unreachable("a kind of section that is not read");
}

/// Lines "key = value" up to the next section; a comment begins with ";".
Error PipeReader::readSettings(const Section &section) {
  while (std::optional<StringRef> line = m_lines.peekPhysical()) {
    if (parseSection(*line))
      return Error::success();
    StringRef text = m_lines.nextPhysical().value_or("").split(';').first.trim();
    if (text.empty())
      continue;
    auto [key, value] = text.split('=');
    key = key.trim();
    value = value.trim();
    if (!text.contains('=') || key.empty())
      return error("expected 'key = value' instead of '" + text.take_front(40) + "'");
    if (Error bad = readSetting(section, key, value))
      return atLine(m_lines.line(), std::move(bad));
  }
  return Error::success();
}

/// Passes one setting to the reader of its section. An empty value is an error except for rtState.
Error PipeReader::readSetting(const Section &section, StringRef key, StringRef value) {
  if (value.empty())
    return key.starts_with("rtState.") ? Error::success()
                                       : invalidInput("expected a value after '" + key + " ='");
  if (section.kind == SectionKind::Settings)
    return Error::success();
  if (section.kind == SectionKind::Info)
    return readInfo(m_shaders[section.stage], key, value);
  if (section.kind == SectionKind::VertexInput)
    return m_graphics.readVertexInput(key, value);
  if (key.consume_front("options."))
    return readPipelineOption(key, value);
  return section.kind == SectionKind::GraphicsState ? m_graphics.readState(key, value)
                                                    : Error::success();
}

/// A setting of a shader's Info section. User data nodes and descriptor ranges are known and
/// ignored.
Error PipeReader::readInfo(PipeShader &shader, StringRef key, StringRef value) {
  // Names that LLPC's files of 2018 have without "options.".
  static constexpr StringLiteral oldOptions[] = {
      "trapPresent", "debugMode", "enablePerformanceData",
      "vgprLimit",   "sgprLimit", "maxThreadGroupsPerComputeUnit"};
  if (key == "entryPoint") {
    shader.entryPoint = value.str();
    return Error::success();
  }
  if (key.consume_front("specConst."))
    return shader.constants.read(key, value);
  if (key.consume_front("options."))
    return readOption(shader, key, value);
  bool isKnown = key.starts_with("userDataNode[") || key.starts_with("descriptorRangeValue[") ||
                 is_contained(oldOptions, key);
  return isKnown ? Error::success()
                 : invalidInput("unknown setting '" + key.take_front(60) + "' of a shader");
}

/// Options of a shader that change the program; all others only say how to compile it.
Error PipeReader::readOption(PipeShader &shader, StringRef key, StringRef value) {
  if (key != "subgroupSize" || value == "0")
    return readPipelineOption(key, value);
  Expected<uint64_t> size = parseUnsigned(value, 128, "a subgroup size");
  if (!size)
    return size.takeError();
  if (!isPowerOf2_64(*size))
    return invalidInput("subgroup size " + Twine(*size) + " is no power of two");
  shader.subgroupSize = static_cast<uint32_t>(*size);
  return Error::success();
}

/// The same for options of the pipeline.
Error PipeReader::readPipelineOption(StringRef key, StringRef value) {
  bool isOff = value == "0" || value == "false";
  if (key.consume_front("overrideShaderThreadGroupSize"))
    return readGroupSize(key, value);
  if ((key == "robustBufferAccess" || key == "enableRobustBufferAccess") && !isOff)
    m_robustness = std::max(m_robustness, Robustness::Access);
  if ((key == "extendedRobustness.robustBufferAccess" ||
       key == "extendedRobustness.robustImageAccess") &&
      !isOff)
    m_robustness = Robustness::Access2;
  return Error::success();
}

/// X, Y or Z of the workgroup; 0 leaves it to the shader.
Error PipeReader::readGroupSize(StringRef axis, StringRef value) {
  if (axis.size() != 1 || axis[0] < 'X' || axis[0] > 'Z')
    return invalidInput("unknown option 'overrideShaderThreadGroupSize" + axis.take_front(40) +
                        "'");
  Expected<uint64_t> size = parseUnsigned(value, 1024, "a workgroup's size");
  if (!size)
    return size.takeError();
  m_groupSize[axis[0] - 'X'] = static_cast<uint32_t>(*size);
  return Error::success();
}

/// The value of 32-bit OpConstant \p id; nothing for any other instruction.
static std::optional<uint32_t> constantValue(ArrayRef<uint32_t> words, uint32_t id) {
  for (size_t i = 5; i + 3 < words.size(); i += std::max(1u, words[i] >> 16))
    if (words[i] == (4u << 16 | static_cast<uint32_t>(spv::Op::OpConstant)) && words[i + 2] == id)
      return words[i + 3];
  return std::nullopt;
}

/// Writes the workgroup's size over LocalSize or LocalSizeId of every entry point.
Error PipeReader::overrideGroupSize(std::vector<uint32_t> &words) const {
  constexpr auto localSize = static_cast<uint32_t>(spv::ExecutionMode::LocalSize);
  constexpr auto localSizeId = static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId);
  constexpr auto plainMode = 6u << 16 | static_cast<uint32_t>(spv::Op::OpExecutionMode);
  constexpr auto modeWithIds = 6u << 16 | static_cast<uint32_t>(spv::Op::OpExecutionModeId);
  constexpr auto builtIn = 4u << 16 | static_cast<uint32_t>(spv::Op::OpDecorate);
  if (all_of(m_groupSize, [](uint32_t size) { return size == 0; }))
    return Error::success();
  for (size_t i = 5; i + 3 < words.size(); i += std::max(1u, words[i] >> 16)) {
    // A size that the shader reads as a constant, or that is specialized, would need more.
    if (words[i] == builtIn && words[i + 2] == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
        words[i + 3] == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize))
      return unsupported("overrideShaderThreadGroupSize of a shader with WorkgroupSize");
    bool hasIds = words[i] == modeWithIds && words[i + 2] == localSizeId;
    if (!hasIds && !(words[i] == plainMode && words[i + 2] == localSize))
      continue;
    for (unsigned axis = 0; axis < 3; ++axis) {
      uint32_t &size = words[i + 3 + axis];
      std::optional<uint32_t> old = hasIds ? constantValue(words, size) : size;
      if (!m_groupSize[axis] && !old)
        return unsupported("overrideShaderThreadGroupSize of a size that is specialized");
      size = m_groupSize[axis] ? m_groupSize[axis] : old.value_or(0);
    }
    words[i] = plainMode;
    words[i + 2] = localSize;
  }
  return Error::success();
}

/// The text of a shader, up to the next section.
Error PipeReader::readShader(const Section &section, unsigned line) {
  std::string text;
  std::optional<StringRef> next;
  while ((next = m_lines.peekPhysical()) && !parseSection(*next))
    text += (m_lines.nextPhysical().value_or("") + "\n").str();
  return takeShader(section,
                    section.kind == SectionKind::Glsl ? ShaderLanguage::Glsl
                                                      : ShaderLanguage::SpirvAssembly,
                    text, line + 1);
}

/// The one line "fileName = NAME"; the name is relative to the file.
Error PipeReader::readShaderFile(const Section &section) {
  std::optional<StringRef> line = m_lines.nextPhysical();
  auto [key, name] = line.value_or("").split('=');
  if (key.trim() != "fileName" || name.trim().empty())
    return error("expected 'fileName = ...'");
  Expected<std::string> text = m_files.load(name.trim());
  if (!text)
    return atLine(m_lines.line(), text.takeError());
  ShaderLanguage language = section.kind == SectionKind::GlslFile ? ShaderLanguage::Glsl
                            : section.kind == SectionKind::AssemblyFile
                                ? ShaderLanguage::SpirvAssembly
                                : ShaderLanguage::SpirvBinary;
  return addContext(takeShader(section, language, *text, 1), name.trim());
}

/// Compiles \p text for the section's stage. InvalidInput when that stage has a shader already.
Error PipeReader::takeShader(const Section &section, ShaderLanguage language, StringRef text,
                             unsigned firstLine) {
  PipeShader &target = m_shaders[section.stage];
  if (target.shader)
    return error("the file has a " + getStageName(section.stage) + " shader already");
  ShaderText source{language, text, firstLine, versionsForAssembly(text, m_options), section.stage};
  Expected<Shader> shader = makeShader(source, m_files);
  if (!shader)
    return shader.takeError();
  target.shader = std::move(*shader);
  return Error::success();
}

Expected<Case> input::readPipe(StringRef text, StringRef path, const ReadOptions &options) {
  return PipeReader(text, path, options).read();
}
