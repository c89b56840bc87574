// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PIPELINE and DERIVE_PIPELINE of AmberScript.
#include "oracles/input/amber/AmberPipelines.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/amber/AmberNames.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// The statements of a pipeline's body and their readers.
ArrayRef<AmberPipelineReader::HandlerRow> AmberPipelineReader::handlers() {
  using R = AmberPipelineReader;
  static constexpr HandlerRow rows[] = {
      {"ATTACH", &R::readAttach},
      {"BIND", &R::readBind},
      {"SHADER_OPTIMIZATION", &R::readOptimization},
      {"COMPILE_OPTIONS", &R::readCompileOptions},
      {"SUBGROUP", &R::readSubgroup},
      {"FRAMEBUFFER_SIZE", &R::readFramebufferSize},
      {"SET", &R::readForeign},
      {"VIEWPORT", &R::readViewport, true},
      {"VERTEX_DATA", &R::readVertexData, true},
      {"INDEX_DATA", &R::readIndexData, true},
      {"POLYGON_MODE", &R::readPolygonMode, true},
      {"PATCH_CONTROL_POINTS", &R::readPatchControlPoints, true},
      {"DEPTH", &R::readDepth, true},
      {"STENCIL", &R::readStencil, true},
      {"BLEND", &R::readBlend, true},
  };
  return rows;
}

/// The pipeline has Amber's defaults until its statements are read.
AmberPipelineReader::AmberPipelineReader(AmberReader &reader, StringRef name, bool isGraphics)
    : m_reader(reader), m_name(name), m_isGraphics(isGraphics) {
  m_pipeline.name = m_name;
  if (isGraphics) // Amber's default.
    m_pipeline.description.graphics.depthStencil.depthCompare = CompareOp::Always;
}

/// Starts from a copy of the parent as it was declared. A viewport that the parent does not state
/// follows a new framebuffer size.
void AmberPipelineReader::inherit(const AmberPipeline &parent) {
  m_pipeline = parent.declared;
  m_pipeline.name = m_name;
  m_shaders = parent.shaders;
  for (AttachedShader &shader : m_shaders)
    shader.inherited = true;
  m_inherited = m_pipeline.bindings.size();
  m_vertexCount = parent.vertexCount;
  m_opaque = parent.opaque;
  const DrawResources &draw = m_pipeline.draw;
  if (draw.width)
    m_framebufferWidth = draw.width;
  if (draw.height)
    m_framebufferHeight = draw.height;
  m_viewportSaid = parent.hasViewport;
  m_blend = parent.blend;
  for (const std::optional<Attachment> &color : draw.color)
    if (color && color->resolve)
      m_resolves.push_back(*color->resolve);
}

/// Reads up to END. \p firstLine is the line of the statement, for the error at the end of the
/// script.
Error AmberPipelineReader::readBody(unsigned firstLine) {
  while (std::optional<LineCursor> line = m_reader.m_lines.nextLogical()) {
    if (line->tryWord("END"))
      return line->expectEnd();
    if (Error error = readStatement(*line))
      return error;
    if (Error error = line->expectEnd())
      return error;
  }
  return errorAt(firstLine, "PIPELINE has no END");
}

/// Reads one statement by its keyword. InvalidInput for graphics statements in a compute pipeline.
Error AmberPipelineReader::readStatement(LineCursor &line) {
  Expected<StringRef> keyword = line.word("a statement");
  if (!keyword)
    return keyword.takeError();
  for (const HandlerRow &row : handlers())
    if (row.keyword == *keyword && (m_isGraphics || !row.isGraphics))
      return (this->*row.handler)(line);
  return line.error("unknown statement '" + keyword->take_front(40) + "' in a " +
                    (m_isGraphics ? "graphics" : "compute") + " pipeline");
}

/// Returns the name of a declared shader, which need not be attached.
Expected<std::string> AmberPipelineReader::shaderNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a shader name");
  if (!name)
    return name.takeError();
  if (!m_reader.m_shaders.contains(*name))
    return line.error("unknown shader '" + *name + "'");
  return name->str();
}

/// Returns the shader of this pipeline that is named next; the pointer is valid until a shader is
/// attached. InvalidInput for a shader that is not attached.
Expected<AttachedShader *> AmberPipelineReader::attachedNamed(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  auto found = find_if(m_shaders, [&](const AttachedShader &each) { return each.name == *name; });
  if (found == m_shaders.end())
    return line.error("shader '" + *name + "' is not attached to the pipeline");
  return &*found;
}

/// Adds \p shader. As in Amber, it replaces the one that its stage had, with its specialization.
/// InvalidInput for the same shader twice, unless the first is inherited.
Error AmberPipelineReader::attach(const LineCursor &line, AttachedShader shader) {
  auto old =
      find_if(m_shaders, [&](const AttachedShader &each) { return each.stage == shader.stage; });
  if (old != m_shaders.end() && !old->inherited && old->name == shader.name)
    return line.error("shader '" + shader.name + "' is attached already");
  if (old != m_shaders.end())
    m_shaders.erase(old);
  m_pipeline.description.addShader(shader.stage).specialization.clear();
  m_shaders.push_back(std::move(shader));
  return Error::success();
}

/// Reads shader [TYPE stage] [ENTRY_POINT name] [SPECIALIZE ...]. A multi shader needs TYPE and
/// ENTRY_POINT. InvalidInput for a stage that the pipeline can't have.
Error AmberPipelineReader::readAttach(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  const AmberShader &declared = m_reader.m_shaders[*name];
  std::optional<ShaderStage> stage = declared.stage;
  StringRef stageName = declared.stageName;
  if (line.tryWord("TYPE")) {
    Expected<StringRef> type = line.word("a shader stage");
    if (!type)
      return type.takeError();
    stageName = *type;
    stage = findAmberStage(*type);
  }
  if (!stage || (m_isGraphics ? !isGraphicsStage(*stage) : *stage != ShaderStage::Compute))
    return line.error("a " + stageName + " shader can't be attached to a " +
                      (m_isGraphics ? "graphics" : "compute") + " pipeline");
  AttachedShader shader;
  shader.name = *name;
  shader.stage = *stage;
  if (line.tryWord("ENTRY_POINT")) {
    Expected<StringRef> entryPoint = line.word("an entry point");
    if (!entryPoint)
      return entryPoint.takeError();
    shader.entryPoint = entryPoint->str();
  } else if (!declared.stage) {
    return line.error("a multi shader needs ENTRY_POINT");
  }
  if (Error error = attach(line, std::move(shader)))
    return error;
  while (line.tryWord("SPECIALIZE"))
    if (Error error = readSpecialize(line, *stage))
      return error;
  return Error::success();
}

/// Reads id AS type value, after SPECIALIZE. The bits are kept in the width of the type.
/// InvalidInput for a type that is no scalar and for an id that has a value already.
Error AmberPipelineReader::readSpecialize(LineCursor &line, ShaderStage stage) {
  Expected<uint64_t> id = line.number("a specialization id", ~0u);
  if (!id)
    return id.takeError();
  if (Error error = line.expect("AS"))
    return error;
  Expected<StringRef> typeName = line.word("a data type");
  if (!typeName)
    return typeName.takeError();
  std::optional<DataType> type = parseAmberType(*typeName);
  if (!type || type->rows * type->columns != 1)
    return line.error("'" + *typeName + "' is no scalar type");
  Expected<StringRef> text = line.word("a value");
  if (!text)
    return text.takeError();
  Expected<uint64_t> bits = parseScalar(*text, type->scalar);
  if (!bits)
    return atLine(line.line(), bits.takeError());
  auto &values = m_pipeline.description.getShader(stage).specialization;
  if (any_of(values, [&](const SpecializationValue &value) { return value.id == *id; }))
    return line.error("constant " + Twine(*id) + " is specialized twice");
  values.push_back({static_cast<uint32_t>(*id), *bits});
  return Error::success();
}

/// Reads the shader's name, and passes of spirv-opt up to END. Their result replaces the module in
/// this pipeline only. A pass that spirv-opt does not have makes the case unsupported.
Error AmberPipelineReader::readOptimization(LineCursor &line) {
  Expected<AttachedShader *> attached = attachedNamed(line);
  if (!attached)
    return attached.takeError();
  if (Error error = line.expectEnd())
    return error;
  std::vector<std::string> passes;
  bool ended = false;
  while (!ended) {
    std::optional<LineCursor> inner = m_reader.m_lines.nextLogical();
    if (!inner)
      return line.error("SHADER_OPTIMIZATION has no END");
    ended = inner->tryWord("END");
    while (!ended && !inner->atEnd())
      passes.push_back(cantFail(inner->word("a pass")).ltrim('-').str());
    if (Error error = inner->expectEnd())
      return error;
  }
  const AmberShader &shader = m_reader.m_shaders[(*attached)->name];
  if (passes.empty() || !shader.module)
    return Error::success();
  Expected<Shader> optimized = optimizeShader(*shader.module, passes);
  if (optimized) {
    (*attached)->optimized = std::move(*optimized);
    (*attached)->inherited = false;
    return Error::success();
  }
  Error left = m_reader.m_case.noteUnsupported(optimized.takeError(), line.line());
  return left ? atLine(line.line(), std::move(left)) : Error::success();
}

/// Steps over the options of an OpenCL C shader up to END, which make the case unsupported.
/// InvalidInput for a shader in another language.
Error AmberPipelineReader::readCompileOptions(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  // Amber has them for OpenCL C alone, which is unsupported where the shader is declared.
  if (m_reader.m_shaders[*name].module)
    return line.error("COMPILE_OPTIONS are for OPENCL-C shaders");
  m_reader.m_case.addUnsupported("COMPILE_OPTIONS", line.line());
  line.skipRest();
  return m_reader.skipToEnd("COMPILE_OPTIONS", line.line());
}

/// Reads "on" or "off".
static Expected<bool> readSwitch(LineCursor &line, StringRef option) {
  bool isOn = line.tryWord("on");
  if (!isOn && !line.tryWord("off"))
    return line.error("expected on or off after " + option);
  return isOn;
}

/// FULLY_POPULATED, VARYING_SIZE or REQUIRED_SIZE with its value. A required size is a power of two
/// up to 128 lanes; MIN and MAX make the case unsupported.
Error AmberPipelineReader::readSubgroupOption(LineCursor &line, ShaderStage stage) {
  StringRef option = cantFail(line.word(""));
  if (option == "FULLY_POPULATED" || option == "VARYING_SIZE") {
    Expected<bool> isOn = readSwitch(line, option);
    if (!isOn)
      return isOn.takeError();
    (option == "VARYING_SIZE" ? m_pipeline.varyingSubgroupSize : m_pipeline.fullSubgroups) = *isOn;
    return Error::success();
  }
  if (option != "REQUIRED_SIZE")
    return line.error("unknown option '" + option.take_front(40) + "' of SUBGROUP");
  if (line.peek() == "MIN" || line.peek() == "MAX") {
    // A case does not know its device.
    m_reader.m_case.addUnsupported("SUBGROUP REQUIRED_SIZE " + line.peek(), line.line());
    line.skipRest();
    return Error::success();
  }
  Expected<uint64_t> size = line.number("a subgroup size", 128);
  if (!size)
    return size.takeError();
  if (!isPowerOf2_64(*size))
    return line.error("subgroup size " + Twine(*size) + " is no power of two");
  m_pipeline.description.addShader(stage).requiredSubgroupSize = static_cast<uint32_t>(*size);
  return Error::success();
}

/// Reads the shader's name, and options up to END. The shader must be attached already. Several
/// options may be on a line.
Error AmberPipelineReader::readSubgroup(LineCursor &line) {
  Expected<AttachedShader *> attached = attachedNamed(line);
  if (!attached)
    return attached.takeError();
  if (Error error = line.expectEnd())
    return error;
  while (std::optional<LineCursor> inner = m_reader.m_lines.nextLogical()) {
    while (!inner->atEnd()) {
      if (inner->tryWord("END"))
        return inner->expectEnd();
      if (Error error = readSubgroupOption(*inner, (*attached)->stage))
        return error;
    }
  }
  return line.error("SUBGROUP has no END");
}

/// Reads the size of attachments, and of images in any pipeline that have none. Both extents are
/// from 1 to maxImageExtent.
Error AmberPipelineReader::readFramebufferSize(LineCursor &line) {
  for (uint32_t *extent : {&m_framebufferWidth, &m_framebufferHeight}) {
    Expected<uint64_t> number = line.number("a framebuffer's size", maxImageExtent);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return line.error("the framebuffer's size must be positive");
    *extent = static_cast<uint32_t>(*number);
  }
  return Error::success();
}

/// Gives \p shape the width and height with which its level \p level has the size of the
/// framebuffer. Limit above maxImageExtent.
Error AmberPipelineReader::sizeLevel(const LineCursor &line, uint32_t level,
                                     ImageShape &shape) const {
  uint64_t width = uint64_t(m_framebufferWidth) << level;
  uint64_t height = uint64_t(m_framebufferHeight) << level;
  if (std::max(width, height) > maxImageExtent)
    return atLine(line.line(), limitExceeded("an image of " + Twine(width) + " x " + Twine(height) +
                                             " texels, whose level " + Twine(level) +
                                             " has the size of the framebuffer"));
  shape.width = static_cast<uint32_t>(width);
  shape.height = static_cast<uint32_t>(height);
  return Error::success();
}

/// Gives bound images without a size that of the framebuffer: FRAMEBUFFER_SIZE may follow the BIND.
/// The level that is bound has this size. \p line is for messages.
Error AmberPipelineReader::sizeImages(unsigned line) {
  for (const BufferBinding &binding : m_pipeline.bindings) {
    if (binding.kind == BindingKind::Sampler)
      continue;
    AmberBuffer &buffer = m_reader.m_buffers[m_reader.m_case.get().buffers[binding.buffer].name];
    if (!buffer.unsized)
      continue;
    ImageShape shape = *buffer.shape;
    LineCursor place(line, {});
    if (Error error = sizeLevel(place, binding.baseMipLevel, shape))
      return error;
    if (Error error = m_reader.makeImage(place, buffer, shape))
      return error;
  }
  return Error::success();
}

/// Steps over arguments of OpenCL kernels, which make the case unsupported.
Error AmberPipelineReader::readForeign(LineCursor &line) {
  m_reader.m_case.addUnsupported("arguments of kernels", line.line());
  line.skipRest();
  return Error::success();
}

/// Gives the stages their modules; false when one of them isn't read. InvalidInput for a stage
/// without the named entry point. The version of the pipeline is that of a shader with a guessed
/// version if there is one, else that of the first.
Expected<bool> AmberPipelineReader::finishShaders(unsigned line) {
  PipelineDescription &description = m_pipeline.description;
  bool isComplete = true;
  for (const AttachedShader &attached : m_shaders) {
    const AmberShader &declared = m_reader.m_shaders[attached.name];
    if (!attached.optimized && !declared.module) {
      isComplete = false;
      continue;
    }
    const Shader &shader = attached.optimized ? *attached.optimized : *declared.module;
    if (!attached.inherited)
      if (Error error = setStage(description, attached.stage, shader, attached.entryPoint))
        return atLine(line, std::move(error));
    if (m_pipeline.version.text.empty() || shader.version.isGuess)
      m_pipeline.version = shader.version;
  }
  if (!isComplete)
    return false;
  if (Error error = updateLayout(description))
    return atLine(line, std::move(error));
  return true;
}

/// Completes the pipeline and makes it known by its name. A pipeline that Assay cannot run is
/// opaque: it has no entry in the case.
Error AmberPipelineReader::finish(unsigned line) {
  if (m_shaders.empty())
    return errorAt(line, "pipeline '" + m_pipeline.name + "' has no shader");
  LineCursor where(line, {});
  if (m_isGraphics)
    if (Error error = finishAttachments(where))
      return error;
  if (Error error = sizeImages(line))
    return error;
  Expected<bool> isComplete = finishShaders(line);
  if (!isComplete)
    return isComplete.takeError();
  AmberPipeline declared;
  declared.isGraphics = m_isGraphics;
  declared.opaque = m_opaque || !*isComplete;
  declared.shaders = std::move(m_shaders);
  declared.vertexCount = m_vertexCount;
  declared.hasViewport = m_viewportSaid;
  declared.blend = m_blend;
  declared.declared = m_pipeline;
  std::vector<CasePipeline> &pipelines = m_reader.m_case.get().pipelines;
  declared.index = static_cast<unsigned>(pipelines.size());
  declared.clear.pipeline = declared.index;
  if (!declared.opaque)
    pipelines.push_back(std::move(m_pipeline));
  m_reader.m_pipelines[m_name] = std::move(declared);
  return Error::success();
}

/// Reads kind name, and the body up to END, after PIPELINE. Ray tracing pipelines are opaque and
/// make the case unsupported. InvalidInput for an unknown kind and for a name that is declared
/// already.
Error AmberReader::readPipeline(LineCursor &line) {
  static constexpr StringRef foreign[] = {"raytracing", "ray_tracing"}; ///< Kinds that are skipped.
  Expected<StringRef> kind = line.word("a kind of pipeline");
  if (!kind)
    return kind.takeError();
  bool isForeign = is_contained(foreign, *kind);
  if (!isForeign && *kind != "compute" && *kind != "graphics")
    return line.error("unknown kind of pipeline '" + *kind + "'");
  Expected<StringRef> name = line.word("a pipeline name");
  if (!name)
    return name.takeError();
  if (m_pipelines.contains(*name))
    return line.error("pipeline '" + *name + "' was declared before");
  if (Error error = line.expectEnd())
    return error;
  if (isForeign) {
    m_pipelines[*name].opaque = true;
    m_case.addUnsupported(*kind + " pipelines", line.line());
    return skipToEnd("PIPELINE", line.line());
  }
  AmberPipelineReader reader(*this, *name, *kind == "graphics");
  if (Error error = reader.readBody(line.line()))
    return error;
  return reader.finish(line.line());
}

/// Reads name FROM parent, and the body up to END. What the body says replaces what the parent had.
/// A pipeline derived from a ray tracing pipeline is opaque, too.
Error AmberReader::readDerivedPipeline(LineCursor &line) {
  Expected<StringRef> name = line.word("a pipeline name");
  if (!name)
    return name.takeError();
  if (m_pipelines.contains(*name))
    return line.error("pipeline '" + *name + "' was declared before");
  if (Error error = line.expect("FROM"))
    return error;
  Expected<AmberPipeline *> parent = pipelineNamed(line);
  if (!parent)
    return parent.takeError();
  if (Error error = line.expectEnd())
    return error;
  if ((*parent)->shaders.empty()) { // Of a ray tracing pipeline.
    m_pipelines[*name].opaque = true;
    return skipToEnd("DERIVE_PIPELINE", line.line());
  }
  AmberPipelineReader reader(*this, *name, (*parent)->isGraphics);
  reader.inherit(**parent);
  if (Error error = reader.readBody(line.line()))
    return error;
  return reader.finish(line.line());
}
