// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PIPELINE and DERIVE_PIPELINE of AmberScript.
#include "oracles/input/AmberReader.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace assay::input {

/// Reads the body of one compute pipeline.
class AmberPipelineReader {
public:
  AmberPipelineReader(AmberReader &reader, StringRef name) : m_reader(reader), m_name(name) {
    m_pipeline.name = m_name;
  }

  /// Starts from \p parent instead of from nothing: what is said again replaces what it had.
  void inherit(const CasePipeline &parent, const AmberPipeline &declared);
  Error readBody(unsigned firstLine);
  /// Adds the pipeline to the case and to the names.
  Error finish(unsigned line);

private:
  using Handler = Error (AmberPipelineReader::*)(LineCursor &);
  struct HandlerRow {
    StringRef keyword;
    Handler handler;
  };
  static ArrayRef<HandlerRow> handlers();

  /// The options behind the kind of a BIND.
  struct BindOptions {
    std::optional<uint64_t> set;
    std::optional<uint64_t> binding;
    std::vector<uint64_t> dynamicOffsets;
    std::vector<uint64_t> offsets;
    std::vector<uint64_t> ranges;
  };

  Error readStatement(LineCursor &line);
  Error readAttach(LineCursor &line);
  Error readSpecialize(LineCursor &line);
  Error readBind(LineCursor &line);
  Error readOptimization(LineCursor &line);
  Error readCompileOptions(LineCursor &line);
  Error readSubgroup(LineCursor &line);
  Error readForeign(LineCursor &line);
  Error readBindOptions(LineCursor &line, BindOptions &options, size_t buffers);
  Error readNumbers(LineCursor &line, std::vector<uint64_t> &numbers, size_t count);
  Error bind(LineCursor &line, BindingKind kind, ArrayRef<AmberBuffer> buffers,
             const BindOptions &options);
  Error placeBinding(LineCursor &line, const BufferBinding &binding);
  Expected<std::string> shaderNamed(LineCursor &line);

  AmberReader &m_reader;
  std::string m_name;
  CasePipeline m_pipeline;
  std::string m_shaderName;
  std::string m_entryPoint = "main";
  std::optional<Shader> m_optimized;
  bool m_attachedHere = false;
  bool m_derived = false;
  size_t m_inherited = 0; ///< The first so many bindings may be replaced.
};

} // namespace assay::input

ArrayRef<AmberPipelineReader::HandlerRow> AmberPipelineReader::handlers() {
  using R = AmberPipelineReader;
  static constexpr HandlerRow rows[] = {
      {"ATTACH", &R::readAttach},
      {"BIND", &R::readBind},
      {"SHADER_OPTIMIZATION", &R::readOptimization},
      {"COMPILE_OPTIONS", &R::readCompileOptions},
      {"SUBGROUP", &R::readSubgroup},
      {"SET", &R::readForeign},
      {"FRAMEBUFFER_SIZE", &R::readForeign},
  };
  return rows;
}

void AmberPipelineReader::inherit(const CasePipeline &parent, const AmberPipeline &declared) {
  m_pipeline = parent;
  m_pipeline.name = m_name;
  m_shaderName = declared.shader;
  m_entryPoint = parent.description.compute.entryPoint;
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
  if (m_attachedHere)
    return line.error("the pipeline has a compute shader already");
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
  m_pipeline.description.compute.specialization.clear();
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
  auto &values = m_pipeline.description.compute.specialization;
  if (any_of(values, [&](const SpecializationValue &value) { return value.id == *id; }))
    return line.error("constant " + Twine(*id) + " is specialized twice");
  values.push_back({static_cast<uint32_t>(*id), *bits});
  return Error::success();
}

/// Kinds of BIND BUFFER that exist in Amber beyond the ones read.
static bool isForeignBinding(StringRef kind) {
  static constexpr StringRef kinds[] = {
      "color",   "depth_stencil",          "storage_image",        "sampled_image",
      "resolve", "combined_image_sampler", "uniform_texel_buffer", "storage_texel_buffer"};
  return is_contained(kinds, kind);
}

Error AmberPipelineReader::readBind(LineCursor &line) {
  struct KindRow {
    StringRef name;
    BindingKind kind;
    bool dynamic;
  };
  static constexpr KindRow kinds[] = {{"storage", BindingKind::Storage, false},
                                      {"uniform", BindingKind::Uniform, false},
                                      {"push_constant", BindingKind::PushConstant, false},
                                      {"storage_dynamic", BindingKind::Storage, true},
                                      {"uniform_dynamic", BindingKind::Uniform, true}};
  if (line.tryWord("SAMPLER") || line.tryWord("ACCELERATION_STRUCTURE")) {
    m_reader.m_case.addUnsupported("samplers and acceleration structures", line.line());
    line.skipRest();
    return Error::success();
  }
  bool isArray = line.tryWord("BUFFER_ARRAY");
  if (!isArray && !line.tryWord("BUFFER"))
    return line.error("expected BUFFER, BUFFER_ARRAY or SAMPLER after BIND");
  std::vector<AmberBuffer> buffers;
  do {
    Expected<AmberBuffer> buffer = m_reader.bufferNamed(line);
    if (!buffer)
      return buffer.takeError();
    buffers.push_back(*buffer);
  } while (isArray && !line.atEnd() && line.peek() != "AS");
  if (line.peek() == "KERNEL") {
    m_reader.m_case.addUnsupported("arguments of kernels", line.line());
    line.skipRest();
    return Error::success();
  }
  if (Error error = line.expect("AS"))
    return error;
  Expected<StringRef> name = line.word("a kind of binding");
  if (!name)
    return name.takeError();
  if (isForeignBinding(*name)) {
    m_reader.m_case.addUnsupported("BIND AS " + *name, line.line());
    line.skipRest();
    return Error::success();
  }
  const KindRow *row = find_if(kinds, [&](const KindRow &kind) { return kind.name == *name; });
  if (row == std::end(kinds))
    return line.error("unknown kind of binding '" + *name + "'");
  BindOptions options;
  if (Error error = readBindOptions(line, options, buffers.size()))
    return error;
  if (row->dynamic == options.dynamicOffsets.empty())
    return line.error(row->dynamic ? Twine("expected OFFSET for a dynamic descriptor")
                                   : Twine("OFFSET is for dynamic descriptors"));
  return bind(line, row->kind, buffers, options);
}

Error AmberPipelineReader::readNumbers(LineCursor &line, std::vector<uint64_t> &numbers,
                                       size_t count) {
  if (!numbers.empty())
    return line.error("an option is given twice");
  for (size_t i = 0; i < count; ++i) {
    Expected<uint64_t> number = line.number("an offset or range", maxBufferBytes);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return Error::success();
}

Error AmberPipelineReader::readBindOptions(LineCursor &line, BindOptions &options, size_t buffers) {
  while (!line.atEnd()) {
    if (line.tryWord("DESCRIPTOR_SET") || line.peek() == "BINDING") {
      bool isBinding = line.tryWord("BINDING");
      std::optional<uint64_t> &place = isBinding ? options.binding : options.set;
      if (place)
        return line.error("an option is given twice");
      Expected<uint64_t> number = line.number(isBinding ? "a binding" : "a descriptor set", 0xffff);
      if (!number)
        return number.takeError();
      place = *number;
    } else if (line.tryWord("OFFSET")) {
      if (Error bad = readNumbers(line, options.dynamicOffsets, buffers))
        return bad;
    } else if (line.tryWord("DESCRIPTOR_OFFSET")) {
      if (Error bad = readNumbers(line, options.offsets, buffers))
        return bad;
    } else if (line.tryWord("DESCRIPTOR_RANGE")) {
      if (Error bad = readNumbers(line, options.ranges, buffers))
        return bad;
    } else {
      return line.error("unknown option '" + line.peek() + "' of BIND");
    }
  }
  return Error::success();
}

Error AmberPipelineReader::bind(LineCursor &line, BindingKind kind, ArrayRef<AmberBuffer> buffers,
                                const BindOptions &options) {
  bool isPush = kind == BindingKind::PushConstant;
  if (isPush && (options.set || options.binding || buffers.size() != 1))
    return line.error("push constants have neither set nor binding");
  if (!isPush && (!options.set || !options.binding))
    return line.error("expected DESCRIPTOR_SET and BINDING");
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].opaque)
      continue;
    BufferBinding binding;
    binding.kind = kind;
    binding.buffer = buffers[i].index;
    binding.set = static_cast<uint32_t>(options.set.value_or(0));
    binding.binding = static_cast<uint32_t>(options.binding.value_or(0));
    binding.arrayElement = static_cast<uint32_t>(i);
    binding.offset = (options.offsets.empty() ? 0 : options.offsets[i]) +
                     (options.dynamicOffsets.empty() ? 0 : options.dynamicOffsets[i]);
    binding.range = options.ranges.empty() ? ~0ull : options.ranges[i];
    uint64_t size = m_reader.m_case.get().buffers[binding.buffer].bytes.size();
    bool fits =
        binding.offset < size &&
        (binding.range == ~0ull || (binding.range > 0 && binding.range <= size - binding.offset));
    if (!fits)
      return line.error("offset and range leave the buffer, which has " + Twine(size) + " bytes");
    if (isPush && size > maxPushConstantBytes)
      return line.error("more than " + Twine(maxPushConstantBytes) + " bytes of push constants");
    if (Error error = placeBinding(line, binding))
      return error;
  }
  return Error::success();
}

/// Adds \p binding; one that was inherited gives way, one of this body is an error.
Error AmberPipelineReader::placeBinding(LineCursor &line, const BufferBinding &binding) {
  bool isPush = binding.kind == BindingKind::PushConstant;
  std::vector<BufferBinding> &bindings = m_pipeline.bindings;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const BufferBinding &other = bindings[i];
    bool otherPush = other.kind == BindingKind::PushConstant;
    bool same = isPush
                    ? otherPush
                    : !otherPush && other.set == binding.set && other.binding == binding.binding &&
                          other.arrayElement == binding.arrayElement;
    if (!same)
      continue;
    if (i >= m_inherited)
      return line.error(isPush ? Twine("push constants are bound twice")
                               : "set " + Twine(binding.set) + " binding " +
                                     Twine(binding.binding) + " is bound twice");
    bindings.erase(bindings.begin() + static_cast<ptrdiff_t>(i));
    --m_inherited;
    break;
  }
  bindings.push_back(binding);
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

/// Which wave size a subgroup size means is the machine's choice, and no target can be told yet.
Error AmberPipelineReader::readSubgroup(LineCursor &line) {
  Expected<std::string> name = shaderNamed(line);
  if (!name)
    return name.takeError();
  m_reader.m_case.addUnsupported("SUBGROUP size control", line.line());
  return m_reader.skipToEnd("SUBGROUP", line.line());
}

Error AmberPipelineReader::readForeign(LineCursor &line) {
  m_reader.m_case.addUnsupported("graphics or kernel state in a compute pipeline", line.line());
  line.skipRest();
  return Error::success();
}

Error AmberPipelineReader::finish(unsigned line) {
  if (m_shaderName.empty())
    return errorAt(line, "pipeline '" + m_pipeline.name + "' has no shader");
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
    made->description.compute.specialization = m_pipeline.description.compute.specialization;
    made->bindings = std::move(m_pipeline.bindings);
    declared.opaque = false;
    pipelines.push_back(std::move(*made));
  }
  m_reader.m_pipelines[m_name] = declared;
  return Error::success();
}

Error AmberReader::readPipeline(LineCursor &line) {
  static constexpr StringRef foreign[] = {"graphics", "raytracing"};
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
