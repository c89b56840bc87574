// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/PipeReader.h"

#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/ScriptLines.h"
#include "oracles/input/Shaders.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

enum class SectionKind { Settings, Info, State, Glsl, Assembly, GlslFile, AssemblyFile, SpirvFile };

struct SectionRow {
  StringRef name;
  SectionKind kind;
};

/// The bytes of the specialization constants, and which of them are whose.
struct SpecializationMap {
  struct Entry {
    std::optional<uint64_t> id, offset, size;
  };
  std::map<uint64_t, Entry> entries;
  std::vector<uint8_t> data;
};

class PipeReader {
public:
  PipeReader(StringRef text, StringRef path, const ReadOptions &options)
      : m_lines(text), m_files(path), m_options(options) {}
  Expected<Case> read();

private:
  Error readSection(const SectionRow &section, unsigned line);
  Error readSettings(SectionKind kind);
  Error readSetting(SectionKind kind, StringRef key, StringRef value);
  Error readInfo(StringRef key, StringRef value);
  Error readOption(StringRef key, StringRef value);
  Error readGroupSize(StringRef axis, StringRef value);
  Error overrideGroupSize(std::vector<uint32_t> &words) const;
  Error readSpecialization(StringRef key, StringRef value);
  Error readSpecializationData(ScalarKind kind, StringRef values);
  Error readShader(const SectionRow &section, unsigned line);
  Error readShaderFile(SectionKind kind);
  Error takeShader(ShaderLanguage language, StringRef text, unsigned firstLine);
  Expected<std::vector<SpecializationValue>> specialize() const;
  Expected<uint64_t> number(StringRef text, uint64_t max, StringRef what) const;
  Error error(const Twine &message) const { return errorAt(m_lines.line(), message); }

  ScriptLines m_lines;
  ScriptFiles m_files;
  const ReadOptions &m_options;
  std::optional<Shader> m_shader;
  std::string m_entryPoint = "main";
  SpecializationMap m_constants;
  Robustness m_robustness = Robustness::None;
  uint32_t m_subgroupSize = 0;
  uint32_t m_groupSize[3] = {}; ///< 0 = the shader's.
};

} // namespace

static constexpr SectionRow computeSections[] = {
    {"Version", SectionKind::Settings},
    {"ResourceMapping", SectionKind::Settings},
    {"CompileLog", SectionKind::Settings},
    {"CsInfo", SectionKind::Info},
    {"ComputePipelineState", SectionKind::State},
    {"CsGlsl", SectionKind::Glsl},
    {"ComputeShaderGlsl", SectionKind::Glsl},
    {"CsSpirv", SectionKind::Assembly},
    {"ComputeShaderSpirv", SectionKind::Assembly},
    {"CsGlslFile", SectionKind::GlslFile},
    {"ComputeShaderGlslFile", SectionKind::GlslFile},
    {"CsSpvasmFile", SectionKind::AssemblyFile},
    {"ComputeShaderSpvasmFile", SectionKind::AssemblyFile},
    {"CsSpvFile", SectionKind::SpirvFile},
    {"ComputeShaderSpvFile", SectionKind::SpirvFile}};

/// Why a section that is known is not read; nothing for an unknown one.
static std::optional<StringRef> foreignSection(StringRef name) {
  static constexpr StringRef graphics[] = {"GraphicsPipelineState", "VertexInputState",
                                           "GraphicsLibrary", "FsOutput", "ApiXfbOutInfo"};
  static constexpr StringRef stages[] = {"Vs",          "Tcs",      "Tes",      "Gs",
                                         "Fs",          "Task",     "Mesh",     "Vertex",
                                         "TessControl", "TessEval", "Geometry", "Fragment"};
  static constexpr StringRef rays[] = {"rgen", "sect", "ahit", "chit", "miss", "call"};
  static constexpr StringRef parts[] = {"Glsl",    "Spirv",      "Hlsl",     "GlslFile",
                                        "SpvFile", "SpvasmFile", "HlslFile", "Info"};
  auto isPart = [&](StringRef stage) {
    StringRef part = name;
    if (!part.consume_front(stage))
      return false;
    part.consume_front("Shader");
    return is_contained(parts, part);
  };
  if (name == "RayTracingPipelineState" || any_of(rays, isPart))
    return "ray tracing pipelines";
  if (is_contained(graphics, name) || any_of(stages, isPart))
    return "graphics pipelines";
  if (name == "CsHlsl" || name == "CsHlslFile" || name == "ComputeShaderHlsl")
    return "HLSL shaders";
  return std::nullopt;
}

/// The name of a section whose header \p line is; empty for any other line.
static StringRef sectionName(StringRef line) {
  line = line.trim();
  if (!line.consume_front("[") || !line.consume_back("]"))
    return "";
  bool isKnown = any_of(computeSections, [&](const SectionRow &row) { return row.name == line; });
  return isKnown || foreignSection(line) ? line : "";
}

Expected<uint64_t> PipeReader::number(StringRef text, uint64_t max, StringRef what) const {
  Expected<uint64_t> value = parseUnsigned(text, max, what);
  if (!value)
    return atLine(m_lines.line(), value.takeError());
  return value;
}

Expected<Case> PipeReader::read() {
  while (std::optional<StringRef> line = m_lines.nextPhysical()) {
    StringRef text = line->trim();
    if (text.empty() || text.starts_with(";"))
      continue;
    StringRef name = sectionName(text);
    if (name.empty())
      return error("expected a section such as [CsGlsl] instead of '" + text.take_front(40) + "'");
    if (std::optional<StringRef> reason = foreignSection(name))
      return unsupported(*reason + " (line " + Twine(m_lines.line()) + ")");
    const SectionRow *row =
        find_if(computeSections, [&](const SectionRow &section) { return section.name == name; });
    if (Error bad = readSection(*row, m_lines.line()))
      return std::move(bad);
  }
  if (!m_shader)
    return error("the file has no compute shader");
  Expected<CasePipeline> pipeline = makePipeline("pipeline", *m_shader, m_entryPoint);
  if (!pipeline)
    return pipeline.takeError();
  Expected<std::vector<SpecializationValue>> values = specialize();
  if (!values)
    return values.takeError();
  ShaderDescription &shader = pipeline->description.getShader(ShaderStage::Compute);
  shader.specialization = std::move(*values);
  if (Error bad = overrideGroupSize(shader.spirv))
    return std::move(bad);
  shader.requiredSubgroupSize = m_subgroupSize;
  pipeline->description.robustness = m_robustness;
  Case result;
  result.pipelines.push_back(std::move(*pipeline));
  return result;
}

Error PipeReader::readSection(const SectionRow &section, unsigned line) {
  switch (section.kind) {
  case SectionKind::Settings:
  case SectionKind::Info:
  case SectionKind::State:
    return readSettings(section.kind);
  case SectionKind::Glsl:
  case SectionKind::Assembly:
    return readShader(section, line);
  case SectionKind::GlslFile:
  case SectionKind::AssemblyFile:
  case SectionKind::SpirvFile:
    return readShaderFile(section.kind);
  }
  llvm_unreachable("a kind of section that does not exist");
}

/// Lines "key = value" up to the next section.
Error PipeReader::readSettings(SectionKind kind) {
  while (std::optional<StringRef> line = m_lines.peekPhysical()) {
    if (!sectionName(*line).empty())
      return Error::success();
    StringRef text = m_lines.nextPhysical()->trim();
    if (text.empty() || text.starts_with(";"))
      continue;
    auto [key, value] = text.split('=');
    key = key.trim();
    value = value.trim();
    if (!text.contains('=') || key.empty())
      return error("expected 'key = value' instead of '" + text.take_front(40) + "'");
    if (Error bad = readSetting(kind, key, value))
      return bad;
  }
  return Error::success();
}

Error PipeReader::readSetting(SectionKind kind, StringRef key, StringRef value) {
  if (value.empty())
    return error("expected a value after '" + key + " ='");
  if (kind == SectionKind::Info)
    return readInfo(key, value);
  if (kind == SectionKind::State && key.consume_front("options."))
    return readOption(key, value);
  return Error::success();
}

Error PipeReader::readInfo(StringRef key, StringRef value) {
  if (key == "entryPoint") {
    m_entryPoint = value.str();
    return Error::success();
  }
  if (key.consume_front("specConst."))
    return readSpecialization(key, value);
  if (key.consume_front("options."))
    return readOption(key, value);
  return key.starts_with("userDataNode[") || key.starts_with("descriptorRangeValue[")
             ? Error::success()
             : error("unknown setting '" + key.take_front(60) + "' of a shader");
}

/// Options that change the program; all others only say how to compile it.
Error PipeReader::readOption(StringRef key, StringRef value) {
  bool isOff = value == "0" || value == "false";
  if (key.consume_front("overrideShaderThreadGroupSize"))
    return readGroupSize(key, value);
  if ((key == "robustBufferAccess" || key == "enableRobustBufferAccess") && !isOff)
    m_robustness = std::max(m_robustness, Robustness::Access);
  if ((key == "extendedRobustness.robustBufferAccess" ||
       key == "extendedRobustness.robustImageAccess") &&
      !isOff)
    m_robustness = Robustness::Access2;
  if (key == "subgroupSize" && !isOff) {
    Expected<uint64_t> size = number(value, 128, "a subgroup size");
    if (!size)
      return size.takeError();
    if (!isPowerOf2_64(*size))
      return error("subgroup size " + Twine(*size) + " is no power of two");
    m_subgroupSize = static_cast<uint32_t>(*size);
  }
  return Error::success();
}

/// X, Y or Z of the workgroup; 0 leaves it to the shader.
Error PipeReader::readGroupSize(StringRef axis, StringRef value) {
  if (axis.size() != 1 || axis[0] < 'X' || axis[0] > 'Z')
    return error("unknown option 'overrideShaderThreadGroupSize" + axis.take_front(40) + "'");
  Expected<uint64_t> size = number(value, 1024, "a workgroup's size");
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
      size = m_groupSize[axis] ? m_groupSize[axis] : *old;
    }
    words[i] = plainMode;
    words[i + 2] = localSize;
  }
  return Error::success();
}

/// mapEntry[i].constantID, .offset, .size, or typed data.
Error PipeReader::readSpecialization(StringRef key, StringRef value) {
  static constexpr std::pair<StringRef, ScalarKind> kinds[] = {
      {"uintData", ScalarKind::Uint32},   {"intData", ScalarKind::Int32},
      {"floatData", ScalarKind::Float32}, {"doubleData", ScalarKind::Float64},
      {"uint64Data", ScalarKind::Uint64}, {"int64Data", ScalarKind::Int64}};
  for (const auto &[name, kind] : kinds)
    if (name == key)
      return readSpecializationData(kind, value);
  if (!key.consume_front("mapEntry["))
    return error("unknown setting 'specConst." + key.take_front(40) + "'");
  auto [index, member] = key.split("].");
  Expected<uint64_t> place = number(index, 0xffff, "an index");
  if (!place)
    return place.takeError();
  Expected<uint64_t> written = number(value, ~0u, member);
  if (!written)
    return written.takeError();
  SpecializationMap::Entry &entry = m_constants.entries[*place];
  if (member == "constantID")
    entry.id = *written;
  else if (member == "offset")
    entry.offset = *written;
  else if (member == "size")
    entry.size = *written;
  else
    return error("unknown member '" + member.take_front(40) + "' of an entry");
  return Error::success();
}

Error PipeReader::readSpecializationData(ScalarKind kind, StringRef values) {
  while (!values.empty()) {
    auto [value, rest] = values.split(',');
    values = rest.trim();
    Expected<uint64_t> bits = parseInRange(value.trim(), kind);
    if (!bits)
      return atLine(m_lines.line(), bits.takeError());
    size_t end = m_constants.data.size();
    m_constants.data.resize(end + scalarBytes(kind));
    storeScalar(m_constants.data, end, kind, *bits);
  }
  return Error::success();
}

Expected<std::vector<SpecializationValue>> PipeReader::specialize() const {
  std::vector<SpecializationValue> values;
  for (const auto &[index, entry] : m_constants.entries) {
    uint64_t size = entry.size.value_or(4);
    uint64_t offset = entry.offset.value_or(0);
    if (!entry.id || size == 0 || size > 8 || offset > m_constants.data.size() ||
        size > m_constants.data.size() - offset)
      return invalidInput("specConst.mapEntry[" + Twine(index) +
                          "] lacks an id, or lies outside the data");
    SpecializationValue value{static_cast<uint32_t>(*entry.id), 0};
    for (uint64_t i = 0; i < size; ++i)
      value.bits |= uint64_t(m_constants.data[offset + i]) << (8 * i);
    if (any_of(values, [&](const SpecializationValue &one) { return one.id == value.id; }))
      return invalidInput("specConst: constant " + Twine(value.id) + " is specialized twice");
    values.push_back(value);
  }
  return values;
}

/// The text of a shader, up to the next section.
Error PipeReader::readShader(const SectionRow &section, unsigned line) {
  std::string text;
  std::optional<StringRef> next;
  while ((next = m_lines.peekPhysical()) && sectionName(*next).empty())
    text += (*m_lines.nextPhysical() + "\n").str();
  return takeShader(section.kind == SectionKind::Glsl ? ShaderLanguage::Glsl
                                                      : ShaderLanguage::SpirvAssembly,
                    text, line + 1);
}

Error PipeReader::readShaderFile(SectionKind kind) {
  std::optional<StringRef> line = m_lines.nextPhysical();
  auto [key, name] = line.value_or("").split('=');
  if (key.trim() != "fileName" || name.trim().empty())
    return error("expected 'fileName = ...'");
  Expected<std::string> text = m_files.load(name.trim());
  if (!text)
    return atLine(m_lines.line(), text.takeError());
  ShaderLanguage language = kind == SectionKind::GlslFile       ? ShaderLanguage::Glsl
                            : kind == SectionKind::AssemblyFile ? ShaderLanguage::SpirvAssembly
                                                                : ShaderLanguage::SpirvBinary;
  return addContext(takeShader(language, *text, 1), name.trim());
}

Error PipeReader::takeShader(ShaderLanguage language, StringRef text, unsigned firstLine) {
  if (m_shader)
    return error("the file has a compute shader already");
  ShaderText source{language, text, firstLine, versionsForAssembly(text, m_options)};
  Expected<Shader> shader = makeShader(source, m_files);
  if (!shader)
    return shader.takeError();
  m_shader = std::move(*shader);
  return Error::success();
}

Expected<Case> input::readPipe(StringRef text, StringRef path, const ReadOptions &options) {
  return PipeReader(text, path, options).read();
}
