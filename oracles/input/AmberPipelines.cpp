// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PIPELINE and DERIVE_PIPELINE of AmberScript.
#include "oracles/input/AmberPipelines.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

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
  };
  return rows;
}

void AmberPipelineReader::inherit(const CasePipeline &parent, const AmberPipeline &declared) {
  m_pipeline = parent;
  m_pipeline.name = m_name;
  m_shaderName = declared.shader;
  m_entryPoint = parent.description.getShader(ShaderStage::Compute).entryPoint;
  m_inherited = parent.bindings.size();
  m_derived = true;
}

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

Error AmberPipelineReader::readStatement(LineCursor &line) {
  Expected<StringRef> keyword = line.word("a statement");
  if (!keyword)
    return keyword.takeError();
  for (const HandlerRow &row : handlers())
    if (row.keyword == *keyword)
      return (this->*row.handler)(line);
  return line.error("unknown statement '" + keyword->take_front(40) + "' in a compute pipeline");
}

Expected<std::string> AmberPipelineReader::shaderNamed(LineCursor &line) {
  Expected<StringRef> name = line.word("a shader name");
  if (!name)
    return name.takeError();
  if (!m_reader.m_shaders.contains(*name))
    return line.error("unknown shader '" + *name + "'");
  return name->str();
}

Error AmberPipelineReader::readAttach(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  // As in Amber, another shader replaces the first.
  if (m_attachedHere && *name == m_shaderName)
    return line.error("shader '" + *name + "' is attached already");
  std::string stage = m_reader.m_shaders[*name].stage;
  bool isMulti = stage == "multi";
  if (line.tryWord("TYPE")) {
    Expected<StringRef> type = line.word("a shader stage");
    if (!type)
      return type.takeError();
    stage = type->str();
  }
  if (stage != "compute")
    return line.error("a " + stage + " shader can't be attached to a compute pipeline");
  m_attachedHere = true;
  m_shaderName = *name;
  m_entryPoint = "main";
  m_pipeline.description.addShader(ShaderStage::Compute).specialization.clear();
  if (line.tryWord("ENTRY_POINT")) {
    Expected<StringRef> entryPoint = line.word("an entry point");
    if (!entryPoint)
      return entryPoint.takeError();
    m_entryPoint = entryPoint->str();
  } else if (isMulti) {
    return line.error("a multi shader needs ENTRY_POINT");
  }
  while (line.tryWord("SPECIALIZE"))
    if (Error error = readSpecialize(line))
      return error;
  return Error::success();
}

Error AmberPipelineReader::readSpecialize(LineCursor &line) {
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
  auto &values = m_pipeline.description.getShader(ShaderStage::Compute).specialization;
  if (any_of(values, [&](const SpecializationValue &value) { return value.id == *id; }))
    return line.error("constant " + Twine(*id) + " is specialized twice");
  values.push_back({static_cast<uint32_t>(*id), *bits});
  return Error::success();
}

Error AmberPipelineReader::readOptimization(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  if (Error error = line.expectEnd())
    return error;
  if (*name != m_shaderName)
    return line.error("shader '" + *name + "' is not attached to the pipeline");
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
  const AmberShader &shader = m_reader.m_shaders[*name];
  if (passes.empty() || !shader.module)
    return Error::success();
  Expected<Shader> optimized = optimizeShader(*shader.module, passes);
  if (optimized) {
    m_optimized = std::move(*optimized);
    return Error::success();
  }
  Error left = m_reader.m_case.noteUnsupported(optimized.takeError(), line.line());
  return left ? atLine(line.line(), std::move(left)) : Error::success();
}

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

static Expected<bool> readSwitch(LineCursor &line, StringRef option) {
  bool isOn = line.tryWord("on");
  if (!isOn && !line.tryWord("off"))
    return line.error("expected on or off after " + option);
  return isOn;
}

Error AmberPipelineReader::readSubgroupOption(LineCursor &line) {
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
  m_pipeline.description.addShader(ShaderStage::Compute).requiredSubgroupSize =
      static_cast<uint32_t>(*size);
  return Error::success();
}

Error AmberPipelineReader::readSubgroup(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  if (*name != m_shaderName)
    return line.error("shader '" + *name + "' is not attached to the pipeline");
  if (Error error = line.expectEnd())
    return error;
  while (std::optional<LineCursor> inner = m_reader.m_lines.nextLogical()) {
    while (!inner->atEnd()) {
      if (inner->tryWord("END"))
        return inner->expectEnd();
      if (Error error = readSubgroupOption(*inner))
        return error;
    }
  }
  return line.error("SUBGROUP has no END");
}

/// In a compute pipeline it is the size of images that have none.
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

/// Gives images without a size that of the framebuffer: FRAMEBUFFER_SIZE may follow the BIND.
Error AmberPipelineReader::sizeImages(unsigned line) {
  for (const BufferBinding &binding : m_pipeline.bindings) {
    if (binding.kind == BindingKind::Sampler)
      continue;
    AmberBuffer &buffer = m_reader.m_buffers[m_reader.m_case.get().buffers[binding.buffer].name];
    if (!buffer.unsized)
      continue;
    ImageShape shape = *buffer.shape;
    shape.width = m_framebufferWidth << binding.baseMipLevel;
    shape.height = m_framebufferHeight << binding.baseMipLevel;
    if (Error error = m_reader.makeImage(LineCursor(line, {}), buffer, shape))
      return error;
  }
  return Error::success();
}

Error AmberPipelineReader::readForeign(LineCursor &line) {
  m_reader.m_case.addUnsupported("arguments of kernels", line.line());
  line.skipRest();
  return Error::success();
}

Error AmberPipelineReader::finish(unsigned line) {
  if (m_shaderName.empty())
    return errorAt(line, "pipeline '" + m_pipeline.name + "' has no shader");
  if (Error error = sizeImages(line))
    return error;
  AmberPipeline declared{0, true, m_shaderName};
  const AmberShader &shader = m_reader.m_shaders[m_shaderName];
  std::vector<CasePipeline> &pipelines = m_reader.m_case.get().pipelines;
  declared.index = static_cast<unsigned>(pipelines.size());
  if (m_derived && !m_attachedHere && !m_optimized) {
    // The parent's module, as optimized as it was there.
    declared.opaque = false;
    pipelines.push_back(std::move(m_pipeline));
  } else if (shader.module) {
    Expected<CasePipeline> made =
        makePipeline(m_pipeline.name, m_optimized ? *m_optimized : *shader.module, m_entryPoint);
    if (!made)
      return atLine(line, made.takeError());
    const ShaderDescription &read = m_pipeline.description.getShader(ShaderStage::Compute);
    ShaderDescription &shader = made->description.getShader(ShaderStage::Compute);
    shader.specialization = read.specialization;
    shader.requiredSubgroupSize = read.requiredSubgroupSize;
    made->fullSubgroups = m_pipeline.fullSubgroups;
    made->varyingSubgroupSize = m_pipeline.varyingSubgroupSize;
    made->bindings = std::move(m_pipeline.bindings);
    declared.opaque = false;
    pipelines.push_back(std::move(*made));
  }
  m_reader.m_pipelines[m_name] = declared;
  return Error::success();
}

Error AmberReader::readPipeline(LineCursor &line) {
  static constexpr StringRef foreign[] = {"graphics", "raytracing", "ray_tracing"};
  Expected<StringRef> kind = line.word("a kind of pipeline");
  if (!kind)
    return kind.takeError();
  bool isForeign = is_contained(foreign, *kind);
  if (!isForeign && *kind != "compute")
    return line.error("unknown kind of pipeline '" + *kind + "'");
  Expected<StringRef> name = line.word("a pipeline name");
  if (!name)
    return name.takeError();
  if (m_pipelines.contains(*name))
    return line.error("pipeline '" + *name + "' was declared before");
  if (Error error = line.expectEnd())
    return error;
  if (isForeign) {
    m_pipelines[*name] = {0, true, ""};
    m_case.addUnsupported(*kind + " pipelines", line.line());
    return skipToEnd("PIPELINE", line.line());
  }
  AmberPipelineReader reader(*this, *name);
  if (Error error = reader.readBody(line.line()))
    return error;
  return reader.finish(line.line());
}

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
  if ((*parent)->opaque) {
    m_pipelines[*name] = {0, true, ""};
    return skipToEnd("DERIVE_PIPELINE", line.line());
  }
  AmberPipelineReader reader(*this, *name);
  reader.inherit(m_case.get().pipelines[(*parent)->index], **parent);
  if (Error error = reader.readBody(line.line()))
    return error;
  return reader.finish(line.line());
}
