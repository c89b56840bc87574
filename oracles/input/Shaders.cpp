// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/Shaders.h"

#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "compiler/spirv/ToolsContext.h"
#include "oracles/input/Glsl.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <spirv-tools/optimizer.hpp>

using namespace llvm;
using namespace assay;
using namespace assay::input;

bool Shader::hasEntryPoint(ShaderStage stage, StringRef name) const {
  return any_of(entryPoints, [&](const ShaderEntry &entry) {
    return entry.stage == stage && entry.name == name;
  });
}

/// Prefers "main"; empty where the stage has no entry point.
StringRef Shader::findEntryPoint(ShaderStage stage) const {
  if (hasEntryPoint(stage, "main"))
    return "main";
  auto found = find_if(entryPoints, [&](const ShaderEntry &entry) { return entry.stage == stage; });
  return found == entryPoints.end() ? StringRef() : StringRef(found->name);
}

/// InvalidInput for modules that cannot be decoded or have no entry point, Unsupported where no
/// execution model is a stage of Vulkan. Does not validate.
Expected<Shader> input::inspectShader(std::vector<uint32_t> words) {
  Expected<spirv::Module> module = spirv::decode(words);
  if (!module)
    return module.takeError();
  if (module->entryPoints.empty())
    return invalidInput("the module has no entry point");
  Shader shader;
  for (const spirv::EntryPoint &entry : module->entryPoints)
    if (std::optional<ShaderStage> stage = findStage(static_cast<uint32_t>(entry.model)))
      shader.entryPoints.push_back({*stage, entry.name});
  if (shader.entryPoints.empty())
    return unsupported("modules of execution model " +
                       Twine(static_cast<unsigned>(module->entryPoints[0].model)));
  shader.words = std::move(words);
  return shader;
}

/// Words of a hexadecimal text: "0x07230203 00010300, ..."; eight digits a word at most.
/// A comment begins with # and ends with its line. InvalidInput for other words and without
/// SPIR-V's magic number.
static Expected<std::vector<uint32_t>> wordsFromHex(const ShaderText &source) {
  std::vector<uint32_t> words;
  ScriptLines lines(source.text);
  while (std::optional<StringRef> line = lines.nextPhysical()) {
    StringRef rest = *line;
    while (!(rest = rest.ltrim(" \t,")).empty() && rest.front() != '#') {
      StringRef word = rest.take_until([](char c) { return StringRef(" \t,").contains(c); });
      rest = rest.drop_front(word.size());
      StringRef digits = word;
      digits.consume_front("0x") || digits.consume_front("0X");
      uint32_t value = 0;
      if (digits.size() > 8 || digits.getAsInteger(16, value))
        return errorAt(source.firstLine + lines.line() - 1,
                       "'" + word.take_front(40) + "' is not a hexadecimal SPIR-V word");
      words.push_back(value);
    }
  }
  if (words.size() < 5 || words[0] != spv::MagicNumber)
    return errorAt(source.firstLine, "the words are no SPIR-V module (magic number, five words)");
  return words;
}

/// Empty lines in front make SPIRV-Tools count as the script does. The assembler writes its own
/// version into the header, and nothing else of the words depends on it.
/// InvalidInput for a shader without instructions.
static Expected<std::vector<uint32_t>> assembleText(const ShaderText &source,
                                                    VersionChoice &version) {
  std::string text(source.firstLine - 1, '\n');
  text += source.text;
  Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  if (!words)
    return words.takeError();
  if (words->size() <= 5)
    return errorAt(source.firstLine, "SPIR-V assembly: the shader is empty");
  version = applyVersion(source.versions, *words);
  return words;
}

/// Returns the SPIR-V of \p source. Sets \p version for assembly only: other languages contain a
/// version.
static Expected<std::vector<uint32_t>> wordsOf(const ShaderText &source, const ScriptFiles &files,
                                               VersionChoice &version) {
  switch (source.language) {
  case ShaderLanguage::Glsl:
    return compileGlsl(source.stage, source.text, source.firstLine, files);
  case ShaderLanguage::SpirvAssembly:
    return assembleText(source, version);
  case ShaderLanguage::SpirvHex:
    return wordsFromHex(source);
  case ShaderLanguage::SpirvBinary:
    return spirv::wordsFromBytes(arrayRefFromStringRef(source.text));
  }
  llvm_unreachable("unknown ShaderLanguage");
}

/// Errors name the line of the shader.
Expected<Shader> input::makeShader(const ShaderText &source, const ScriptFiles &files) {
  VersionChoice version;
  Expected<std::vector<uint32_t>> words = wordsOf(source, files, version);
  if (!words)
    return words.takeError();
  Expected<Shader> shader = inspectShader(std::move(*words));
  if (!shader)
    return atLine(source.firstLine, shader.takeError());
  shader->version = std::move(version);
  return shader;
}

/// Runs the passes in order. Unsupported for passes that this version of SPIRV-Tools does not have.
Expected<Shader> input::optimizeShader(const Shader &shader, ArrayRef<std::string> passes) {
  spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_3);
  std::string message;
  optimizer.SetMessageConsumer(
      [&message](spv_message_level_t, const char *, const spv_position_t &, const char *text) {
        if (message.empty())
          message = text;
      });
  for (const std::string &pass : passes)
    if (!optimizer.RegisterPassFromFlag("--" + pass))
      return unsupported("spirv-opt pass '" + pass + "' (" + spirv::spirvToolsVersion() + ")");
  std::vector<uint32_t> words;
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  spirv::ParsableWords source(shader.words);
  if (!optimizer.Run(source.data(), source.size(), &words, options))
    return invalidInput("spirv-opt rejects the module: " + message);
  Expected<Shader> optimized = inspectShader(std::move(words));
  if (optimized)
    optimized->version = shader.version;
  return optimized;
}

/// A vertex shader that copies the attribute at location 0 to the position.
static constexpr StringRef passthroughText = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %block %attribute
               OpMemberDecorate %perVertex 0 BuiltIn Position
               OpDecorate %perVertex Block
               OpDecorate %attribute Location 0
       %void = OpTypeVoid
      %float = OpTypeFloat 32
    %v4float = OpTypeVector %float 4
        %int = OpTypeInt 32 1
      %int_0 = OpConstant %int 0
  %perVertex = OpTypeStruct %v4float
    %toBlock = OpTypePointer Output %perVertex
 %toPosition = OpTypePointer Output %v4float
%toAttribute = OpTypePointer Input %v4float
   %function = OpTypeFunction %void
      %block = OpVariable %toBlock Output
  %attribute = OpVariable %toAttribute Input
       %main = OpFunction %void None %function
      %entry = OpLabel
   %position = OpLoad %v4float %attribute
     %member = OpAccessChain %toPosition %block %int_0
               OpStore %member %position
               OpReturn
               OpFunctionEnd
)";

/// Assembled once.
const Shader &input::passthroughShader() {
  static const Shader shader = [] {
    std::vector<uint32_t> words = cantFail(spirv::assemble(passthroughText));
    words[1] = 0x00010000; // SPIR-V 1.0, as Amber's.
    return cantFail(inspectShader(std::move(words)));
  }();
  return shader;
}

/// Adds the stage, or replaces its module. The layout has to be updated after the last stage.
Error input::setStage(PipelineDescription &pipeline, ShaderStage stage, const Shader &shader,
                      StringRef entryPoint) {
  if (!shader.hasEntryPoint(stage, entryPoint))
    return invalidInput("the shader has no " + getStageName(stage) + " entry point '" + entryPoint +
                        "'");
  ShaderDescription &description = pipeline.addShader(stage);
  description.spirv = shader.words;
  description.entryPoint = entryPoint.str();
  return Error::success();
}

/// Computes the resource layout from all stages together.
Error input::updateLayout(PipelineDescription &pipeline) {
  std::vector<spirv::Module> modules;
  for (const ShaderDescription &shader : pipeline.stages) {
    Expected<spirv::Module> module = spirv::decode(shader.spirv);
    if (!module)
      return module.takeError();
    modules.push_back(std::move(*module));
  }
  std::vector<spirv::SpecializedModule> specialized;
  for (const auto &[module, shader] : zip_equal(modules, pipeline.stages))
    specialized.push_back({module, shader.specialization});
  return spirv::layoutFor(specialized).moveInto(pipeline.layout);
}

/// Makes a compute pipeline with its layout, without bindings.
Expected<CasePipeline> input::makePipeline(StringRef name, const Shader &shader,
                                           StringRef entryPoint) {
  CasePipeline pipeline;
  pipeline.name = name.str();
  if (Error error = setStage(pipeline.description, ShaderStage::Compute, shader, entryPoint))
    return std::move(error);
  if (Error error = updateLayout(pipeline.description))
    return std::move(error);
  pipeline.version = shader.version;
  return pipeline;
}
