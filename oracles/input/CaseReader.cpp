// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/CaseReader.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/Limits.h"
#include "oracles/input/ShaderCase.h"
#include "oracles/input/ShaderJob.h"
#include "oracles/input/Shaders.h"
#include "oracles/input/amber/AmberReader.h"
#include "oracles/input/pipe/PipeReader.h"
#include "oracles/input/vkscript/VkScriptReader.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// An empty name leaves the version to the script. InvalidInput for unknown names.
Expected<ReadOptions> assay::makeReadOptions(StringRef environment) {
  ReadOptions options;
  if (environment.empty())
    return options;
  if (Error error = parseTargetEnvironment(environment).moveInto(options.spirvVersion))
    return std::move(error);
  return options;
}

/// The first line of \p text that has a word on it, from that word on; comments begin with \p
/// marks.
static StringRef firstStatement(StringRef text, StringRef marks) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (!line.empty() && !marks.contains(line.front()))
      return line;
  }
  return {};
}

/// Returns true when "#!amber" is among the comment lines at the start of \p text.
static bool hasAmberHeader(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.starts_with("#!amber"))
      return true;
    if (!line.empty() && line.front() != '#')
      return false;
  }
  return false;
}

/// SPIR-V's magic number in either byte order.
static bool hasMagicNumber(StringRef bytes) {
  return bytes.starts_with(StringRef("\x03\x02\x23\x07", 4)) ||
         bytes.starts_with(StringRef("\x07\x23\x02\x03", 4));
}

/// Returns the kind of a text that begins with the line "[section": sections of `.pipe` files begin
/// with an upper-case letter ([CsGlsl]), those of VkScript do not ([compute shader]).
static InputKind kindOfSection(StringRef line) {
  StringRef name = line.drop_front();
  return !name.empty() && isUpper(name.front()) ? InputKind::Pipe : InputKind::VkScript;
}

/// Returns the kind of input by its first bytes or statement. InvalidInput when nothing matches.
/// Pipe text and VkScript both begin with "["; comments are ";" in the first and "#" in the second.
static Expected<InputKind> kindOfContent(StringRef text) {
  if (hasMagicNumber(text))
    return InputKind::SpirvBinary;
  if (hasAmberHeader(text))
    return InputKind::Amber;
  if (text.ltrim().starts_with("#version"))
    return InputKind::Glsl;
  if (StringRef line = firstStatement(text, "#"); line.starts_with("["))
    return kindOfSection(line);
  if (firstStatement(text, ";").starts_with("["))
    return InputKind::Pipe;
  StringRef first = firstStatement(text, ";");
  if (first.starts_with("Op") || (first.starts_with("%") && first.contains("= Op")))
    return InputKind::SpirvAssembly;
  return invalidInput("neither name nor content says what kind of input this is (expected SPIR-V, "
                      "SPIR-V assembly, GLSL, AmberScript, VkScript or an LLPC pipeline)");
}

/// Decides by the extension, and for unknown ones by the content. Unsupported for kinds of shaders
/// that no reader knows.
Expected<InputKind> assay::detectInputKind(StringRef path, StringRef text) {
  static constexpr std::pair<StringRef, InputKind> kinds[] = {
      {".spv", InputKind::SpirvBinary},   {".spvasm", InputKind::SpirvAssembly},
      {".comp", InputKind::Glsl},         {".glsl", InputKind::Glsl},
      {".vert", InputKind::Glsl},         {".shader_test", InputKind::VkScript},
      {".vkscript", InputKind::VkScript}, {".pipe", InputKind::Pipe},
      {".frag", InputKind::ShaderJob}};
  static constexpr std::pair<StringRef, StringRef> foreign[] = {
      {".geom", "geometry shaders"},
      {".tesc", "tessellation shaders"},
      {".tese", "tessellation shaders"},
      {".mesh", "mesh shaders"},
      {".task", "task shaders"},
      {".rgen", "ray tracing shaders"},
      {".rint", "ray tracing shaders"},
      {".rahit", "ray tracing shaders"},
      {".rchit", "ray tracing shaders"},
      {".rmiss", "ray tracing shaders"},
      {".rcall", "ray tracing shaders"},
      {".hlsl", "HLSL (its SPIR-V, made by glslang -D or dxc -spirv, is read)"},
      {".cl", "OpenCL C"}};
  StringRef extension = sys::path::extension(path);
  for (const auto &[name, what] : foreign)
    if (name == extension)
      return unsupported(what);
  for (const auto &[name, kind] : kinds)
    if (name == extension)
      return kind;
  // Both script languages use this one.
  if (extension == ".amber" && !hasAmberHeader(text))
    return firstStatement(text, "#").starts_with("[") ? InputKind::VkScript : InputKind::Amber;
  if (extension == ".amber")
    return InputKind::Amber;
  return kindOfContent(text);
}

/// Passes on the error of the shader.
static Expected<Case> caseOfShader(Expected<Shader> shader) {
  return shader ? makeShaderCase(*shader) : shader.takeError();
}

/// The stage that the extension of a GLSL file says; compute for any other.
static ShaderStage stageOf(StringRef path) {
  StringRef extension = sys::path::extension(path);
  return extension == ".vert"   ? ShaderStage::Vertex
         : extension == ".frag" ? ShaderStage::Fragment
                                : ShaderStage::Compute;
}

/// Whether \p path, a fragment shader, has the values of its uniforms next to it.
static bool isShaderJob(StringRef path) {
  SmallString<128> values = path;
  sys::path::replace_extension(values, ".json");
  return sys::fs::exists(values);
}

/// Reads a SPIR-V binary in either byte order.
static Expected<Shader> shaderOfBytes(StringRef bytes) {
  Expected<std::vector<uint32_t>> words = spirv::wordsFromBytes(arrayRefFromStringRef(bytes));
  if (!words)
    return words.takeError();
  return inspectShader(std::move(*words));
}

/// Returns \p text without the byte order mark that editors on Windows write in front of UTF-8.
static StringRef dropByteOrderMark(StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  return text;
}

/// No script or shader text may contain a zero byte; some of the libraries below stop there
/// silently.
static Error checkText(StringRef text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return errorAt(1, "the text is UTF-16; save it as UTF-8");
  size_t position = text.find('\0');
  if (position == StringRef::npos)
    return Error::success();
  return errorAt(static_cast<unsigned>(text.take_front(position).count('\n') + 1),
                 "a zero byte in the text");
}

/// Calls the reader for \p kind. A fragment shader without a JSON file is read as plain GLSL.
static Expected<Case> readKind(InputKind kind, StringRef text, StringRef path,
                               const ReadOptions &options) {
  if (kind == InputKind::SpirvBinary)
    return caseOfShader(shaderOfBytes(text));
  if (Error error = checkText(text))
    return error;
  switch (kind) {
  case InputKind::Amber:
    return readAmber(text, path, options);
  case InputKind::VkScript:
    return readVkScript(text, path, options);
  case InputKind::Pipe:
    return readPipe(text, path, options);
  case InputKind::ShaderJob:
    if (isShaderJob(path))
      return readShaderJob(text, path);
    return readKind(InputKind::Glsl, text, path, options);
  case InputKind::Glsl:
    return caseOfShader(
        makeShader({ShaderLanguage::Glsl, text, 1, {}, stageOf(path)}, ScriptFiles(path)));
  case InputKind::SpirvAssembly:
    return caseOfShader(
        makeShader({ShaderLanguage::SpirvAssembly, text, 1, versionsForAssembly(text, options)},
                   ScriptFiles(path)));
  case InputKind::SpirvBinary:
    break;
  }
  llvm_unreachable("unknown InputKind");
}

/// Adds the path to \p error; the planted faults are for the judge of readers.
static Error refuse(Error error, StringRef path) {
  if (faultPlanted(Fault::ReaderForgetsFile))
    return error;
  if (faultPlanted(Fault::ReaderBlamesMachine))
    return environmentError(takeError(std::move(error)).message);
  return addContext(std::move(error), path);
}

/// \p path gives the kind of the text and the folder of further files; it need not exist. Limit for
/// texts above maxTextBytes.
Expected<Case> assay::readCaseFromText(StringRef text, StringRef path, StringRef id,
                                       const ReadOptions &options) {
  if (text.size() > maxTextBytes)
    return addContext(limitExceeded("more than " + Twine(maxTextBytes >> 20) + " MiB"), path);
  text = dropByteOrderMark(text);
  Expected<InputKind> kind = detectInputKind(path, text);
  if (!kind)
    return addContext(kind.takeError(), path);
  Expected<Case> result = readKind(*kind, text, path, options);
  if (!result)
    return refuse(result.takeError(), path);
  result->id = id.str();
  result->path = path.str();
  for (CasePipeline &pipeline : result->pipelines)
    if (!pipeline.bindings.empty() && faultPlanted(Fault::BindingOfNoBuffer))
      pipeline.bindings.front().buffer = static_cast<unsigned>(result->buffers.size());
  return result;
}

/// Errors name the path.
Expected<Case> assay::readCase(StringRef path, StringRef id, const ReadOptions &options) {
  Expected<std::string> text = readFileText(path, maxTextBytes);
  if (!text)
    return text.takeError();
  return readCaseFromText(*text, path, id, options);
}
