// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/ShaderJob.h"

#include "oracles/input/CaseBuilder.h"
#include "oracles/input/DataTypes.h"
#include "oracles/input/DrawVertices.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptFiles.h"
#include "oracles/input/Shaders.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

/// How a function of OpenGL says the type of a uniform.
struct FunctionRow {
  StringRef name; ///< "glUniform2f".
  ScalarKind scalar;
  unsigned rows, columns; ///< Components of a column, and columns.
};

/// "uniform vec2 resolution;" outside any block.
struct LooseUniform {
  StringRef type, name;
  size_t begin = 0, end = 0; ///< Of the declaration, its semicolon included.
};

/// Reads one job: the values of the uniforms, then the pipeline, then what is drawn.
class ShaderJobReader {
public:
  ShaderJobReader(StringRef text, StringRef path) : m_text(text), m_path(path), m_files(path) {}
  /// Returns the case. Unsupported without a JSON file of the shader's name. Call it once.
  Expected<Case> read();

private:
  Error readUniforms();
  /// The size of the framebuffer, by default 256 x 256.
  Error readSize();
  /// Unsupported for functions that are not in the table, InvalidInput for a wrong number of
  /// arguments and for those that do not fit the type.
  Error addUniform(StringRef name, const json::Value &value, uint32_t binding, bool isPush);
  Error addTexture(StringRef name, const json::Object &uniform, uint32_t binding);
  /// Compiles the fragment shader with uniforms in blocks, adds a passthrough vertex shader, and
  /// makes the image that is drawn into.
  Error makePipeline();
  Error draw();

  StringRef m_text, m_path;
  ScriptFiles m_files;
  json::Object m_job;   ///< Entries are erased when they are bound.
  std::string m_shader; ///< With uniforms in blocks.
  CaseBuilder m_case;
  CasePipeline m_pipeline;
};

} // namespace

/// "glUniformMatrix2x3fv" has 2 columns of 3 rows, as in OpenGL.
static constexpr FunctionRow functions[] = {{"glUniform1f", ScalarKind::Float32, 1, 1},
                                            {"glUniform2f", ScalarKind::Float32, 2, 1},
                                            {"glUniform3f", ScalarKind::Float32, 3, 1},
                                            {"glUniform4f", ScalarKind::Float32, 4, 1},
                                            {"glUniform1i", ScalarKind::Int32, 1, 1},
                                            {"glUniform2i", ScalarKind::Int32, 2, 1},
                                            {"glUniform3i", ScalarKind::Int32, 3, 1},
                                            {"glUniform4i", ScalarKind::Int32, 4, 1},
                                            {"glUniform1ui", ScalarKind::Uint32, 1, 1},
                                            {"glUniform2ui", ScalarKind::Uint32, 2, 1},
                                            {"glUniform3ui", ScalarKind::Uint32, 3, 1},
                                            {"glUniform4ui", ScalarKind::Uint32, 4, 1},
                                            {"glUniform1fv", ScalarKind::Float32, 1, 1},
                                            {"glUniform2fv", ScalarKind::Float32, 2, 1},
                                            {"glUniform3fv", ScalarKind::Float32, 3, 1},
                                            {"glUniform4fv", ScalarKind::Float32, 4, 1},
                                            {"glUniform1iv", ScalarKind::Int32, 1, 1},
                                            {"glUniform2iv", ScalarKind::Int32, 2, 1},
                                            {"glUniform3iv", ScalarKind::Int32, 3, 1},
                                            {"glUniform4iv", ScalarKind::Int32, 4, 1},
                                            {"glUniform1uiv", ScalarKind::Uint32, 1, 1},
                                            {"glUniform2uiv", ScalarKind::Uint32, 2, 1},
                                            {"glUniform3uiv", ScalarKind::Uint32, 3, 1},
                                            {"glUniform4uiv", ScalarKind::Uint32, 4, 1},
                                            {"glUniformMatrix2fv", ScalarKind::Float32, 2, 2},
                                            {"glUniformMatrix3fv", ScalarKind::Float32, 3, 3},
                                            {"glUniformMatrix4fv", ScalarKind::Float32, 4, 4},
                                            {"glUniformMatrix2x3fv", ScalarKind::Float32, 3, 2},
                                            {"glUniformMatrix3x2fv", ScalarKind::Float32, 2, 3},
                                            {"glUniformMatrix2x4fv", ScalarKind::Float32, 4, 2},
                                            {"glUniformMatrix4x2fv", ScalarKind::Float32, 2, 4},
                                            {"glUniformMatrix3x4fv", ScalarKind::Float32, 4, 3},
                                            {"glUniformMatrix4x3fv", ScalarKind::Float32, 3, 4}};

/// True for the characters of a GLSL identifier.
static bool isWordChar(char c) {
  return isAlnum(c) || c == '_';
}

/// The text with comments blanked out, so that places are the same.
/// Line ends stay. A comment without an end reaches to the end of the text.
static std::string blankComments(StringRef text) {
  std::string blank = text.str();
  for (size_t i = 0; i + 1 < blank.size(); ++i) {
    StringRef rest = StringRef(blank).drop_front(i);
    bool isLine = rest.starts_with("//");
    if (!isLine && !rest.starts_with("/*"))
      continue;
    size_t end = isLine ? rest.find('\n') : rest.find("*/", 2);
    end = end == StringRef::npos ? blank.size() : i + end + (isLine ? 0 : 2);
    for (; i < end; ++i)
      if (blank[i] != '\n')
        blank[i] = ' ';
    --i;
  }
  return blank;
}

/// The loose uniforms of \p text; names point into \p text.
/// Uniforms with a layout and blocks are not among them. \p blank is \p text without comments.
static std::vector<LooseUniform> findUniforms(StringRef text, StringRef blank) {
  std::vector<LooseUniform> uniforms;
  size_t begin = 0;
  while ((begin = blank.find("uniform", begin)) != StringRef::npos) {
    size_t after = begin + StringRef("uniform").size();
    bool isWord = (begin == 0 || !isWordChar(blank[begin - 1])) && after < blank.size() &&
                  !isWordChar(blank[after]);
    size_t previous = blank.take_front(begin).find_last_not_of(" \t\r\n");
    bool hasLayout = previous != StringRef::npos && blank[previous] == ')';
    size_t end = blank.find_first_of(";{", after);
    if (isWord && !hasLayout && end != StringRef::npos && blank[end] == ';') {
      StringRef words = text.slice(after, end).trim();
      for (StringRef precision : {"lowp", "mediump", "highp"})
        if (words.consume_front(precision))
          words = words.ltrim();
      StringRef type = words.take_while(isWordChar);
      StringRef name = words.drop_front(type.size()).ltrim();
      uniforms.push_back({type, name.take_while(isWordChar), begin, end + 1});
    }
    begin = after;
  }
  return uniforms;
}

/// Values one after another in an array of elements in std140, or in one element.
Error ShaderJobReader::addUniform(StringRef name, const json::Value &value, uint32_t binding,
                                  bool isPush) {
  const json::Object *uniform = value.getAsObject();
  std::optional<StringRef> function = uniform ? uniform->getString("func") : std::nullopt;
  if (!function)
    return invalidInput("uniform '" + name + "' has no \"func\"");
  if (function->starts_with("sampler"))
    return addTexture(name, *uniform, binding);
  const auto *row = find_if(functions, [&](const auto &each) { return each.name == *function; });
  const json::Array *arguments = uniform->getArray("args");
  if (row == std::end(functions))
    return unsupported("uniforms by " + *function);
  uint64_t components = uint64_t(row->rows) * row->columns;
  if (!arguments || arguments->empty() || arguments->size() % components != 0)
    return invalidInput("uniform '" + name + "' needs " + Twine(components) +
                        " numbers in \"args\", or several times as many");
  bool isArray = arguments->size() > components;
  DataFormat format =
      makeDataFormat(row->scalar, row->rows, row->columns,
                     isArray || row->columns > 1 ? BlockLayout::Std140 : BlockLayout::Std430);
  Expected<unsigned> index =
      m_case.addBuffer(name, format, arguments->size() / components * format.stride);
  if (!index)
    return index.takeError();
  for (const auto &[place, argument] : enumerate(*arguments)) {
    std::optional<double> number = argument.getAsNumber();
    if (!number)
      return invalidInput("uniform '" + name + "' has an argument that is not a number");
    Expected<uint64_t> bits =
        isFloat(row->scalar) ? bitsOfReal(*number, row->scalar)
        : *number == std::floor(*number) && std::fabs(*number) <= 0xffffffffu
            ? Expected<uint64_t>(static_cast<uint32_t>(static_cast<int64_t>(*number)))
            : invalidInput("uniform '" + name + "' has an argument that is no integer");
    if (!bits)
      return bits.takeError();
    storeScalar(m_case.get().buffers[*index].bytes, valueOffset(format, place), format.scalar,
                *bits);
  }
  BufferBinding bound;
  bound.kind = isPush ? BindingKind::PushConstant : BindingKind::Uniform;
  bound.buffer = *index;
  bound.binding = isPush ? 0 : binding;
  m_pipeline.bindings.push_back(bound);
  return Error::success();
}

/// The texture "DEFAULT", as gfauto draws it: x, x xor y and y as red, green and blue.
Error ShaderJobReader::addTexture(StringRef name, const json::Object &uniform, uint32_t binding) {
  constexpr uint32_t Extent = 256;
  if (uniform.getString("func") != StringRef("sampler2D") ||
      uniform.getString("texture") != StringRef("DEFAULT"))
    return unsupported("uniform '" + name + "': textures other than the sampler2D DEFAULT");
  TexelFormat format = *findTexelFormat(StringRef("B8G8R8A8_UNORM"));
  ImageShape shape;
  shape.width = shape.height = Extent;
  Expected<unsigned> index =
      m_case.addBuffer(name, dataFormatOf(format), getImageBytes(shape, format));
  if (!index)
    return index.takeError();
  Buffer &image = m_case.get().buffers[*index];
  image.texelFormat = format;
  image.image = shape;
  for (uint32_t y = 0; y < Extent; ++y)
    for (uint32_t x = 0; x < Extent; ++x) {
      const uint32_t texel[] = {y, x ^ y, x, 255};
      for (unsigned i = 0; i < 4; ++i)
        image.bytes[(y * Extent + x) * 4 + i] = static_cast<uint8_t>(texel[i]);
    }
  Sampler sampler;
  sampler.name = (name + "_sampler").str();
  sampler.maxLod = 1; // Amber's default.
  BufferBinding bound;
  bound.kind = BindingKind::CombinedImageSampler;
  bound.buffer = *index;
  bound.binding = binding;
  bound.sampler = static_cast<unsigned>(m_case.get().samplers.size());
  m_case.get().samplers.push_back(std::move(sampler));
  m_pipeline.bindings.push_back(bound);
  return Error::success();
}

/// Binds all uniforms, and puts loose ones into blocks on the lines on which they are declared.
Error ShaderJobReader::readUniforms() {
  std::string blank = blankComments(m_text);
  size_t done = 0;
  uint32_t next = 0;
  for (const auto &[name, value] : m_job)
    if (const json::Object *uniform = value.getAsObject())
      if (std::optional<int64_t> binding = uniform->getInteger("binding"))
        next = std::max(next, static_cast<uint32_t>(*binding & 0xffff) + 1);
  for (const LooseUniform &each : findUniforms(m_text, blank)) {
    const json::Value *value = m_job.get(each.name);
    if (!value)
      return invalidInput("uniform '" + each.name + "' has no value in the JSON file");
    uint32_t binding = next++;
    if (Error error = addUniform(each.name, *value, binding, false))
      return error;
    m_shader += m_text.slice(done, each.begin);
    m_shader += "layout(set = 0, binding = " + utostr(binding) + ") uniform ";
    StringRef declaration =
        m_text.slice(each.begin, each.end).drop_front(StringRef("uniform").size());
    bool isOpaque = each.type.starts_with("sampler");
    m_shader += isOpaque ? declaration.ltrim().str()
                         : ("block_" + each.name + " {" + declaration + "};").str();
    done = each.end;
    m_job.erase(each.name);
  }
  m_shader += m_text.drop_front(done);
  // The others are in blocks already, which the file knows by binding.
  std::map<std::string, const json::Value *> rest; // In a stable order.
  for (const auto &[name, value] : m_job)
    if (!StringRef(name).starts_with("$"))
      rest[StringRef(name).str()] = &value;
  for (const auto &[name, value] : rest) {
    const json::Object *uniform = value->getAsObject();
    bool isPush = uniform && uniform->getBoolean("push_constant").value_or(false);
    std::optional<int64_t> binding = uniform ? uniform->getInteger("binding") : std::nullopt;
    if (!isPush && !binding)
      continue; // A uniform that was optimized away, as GraphicsFuzz's own tools take it.
    if (Error error =
            addUniform(name, *value, static_cast<uint32_t>(binding.value_or(0) & 0xffff), isPush))
      return error;
  }
  return Error::success();
}

/// $framebuffer {width, height}.
/// InvalidInput for an extent that is missing or out of range.
Error ShaderJobReader::readSize() {
  constexpr uint32_t Extent = 256; // gfauto's.
  m_pipeline.draw.width = m_pipeline.draw.height = Extent;
  const json::Object *framebuffer = m_job.getObject("$framebuffer");
  if (!framebuffer)
    return Error::success();
  for (auto [name, extent] : {std::pair<StringRef, uint32_t *>{"width", &m_pipeline.draw.width},
                              {"height", &m_pipeline.draw.height}}) {
    std::optional<int64_t> value = framebuffer->getInteger(name);
    if (!value || *value < 1 || *value > maxImageExtent)
      return invalidInput("$framebuffer has no " + name + " between 1 and " +
                          Twine(maxImageExtent));
    *extent = static_cast<uint32_t>(*value);
  }
  return Error::success();
}

/// The pipeline draws with Amber's passthrough vertex shader into one 8-bit BGRA image.
Error ShaderJobReader::makePipeline() {
  m_pipeline.name = "pipeline";
  ShaderText source{ShaderLanguage::Glsl, m_shader, 1, {}, ShaderStage::Fragment};
  Expected<Shader> fragment = makeShader(source, m_files);
  if (!fragment)
    return fragment.takeError();
  PipelineDescription &description = m_pipeline.description;
  if (Error error = setStage(description, ShaderStage::Vertex, passthroughShader(), "main"))
    return error;
  if (Error error = setStage(description, ShaderStage::Fragment, *fragment, "main"))
    return error;
  if (Error error = updateLayout(description))
    return error;
  TexelFormat format = *findTexelFormat(StringRef("B8G8R8A8_UNORM"));
  ImageShape shape;
  shape.width = m_pipeline.draw.width;
  shape.height = m_pipeline.draw.height;
  Expected<unsigned> color =
      m_case.addBuffer("framebuffer", dataFormatOf(format), getImageBytes(shape, format));
  if (!color)
    return color.takeError();
  m_case.get().buffers[*color].texelFormat = format;
  m_case.get().buffers[*color].image = shape;
  m_pipeline.draw.color.push_back(Attachment{*color});
  GraphicsState &state = description.graphics;
  state.viewport = {0, 0, static_cast<float>(shape.width), static_cast<float>(shape.height)};
  state.depthStencil.depthCompare = CompareOp::Always; // As in Amber.
  state.colorTargets.resize(1);
  state.colorTargets[0].format = format;
  return Error::success();
}

/// $grid {dimensions: [columns, rows]}, or one rectangle.
Error ShaderJobReader::draw() {
  const DrawArea whole{-1, -1, 2, 2};
  std::vector<float> positions = rectanglePositions(whole);
  m_pipeline.description.graphics.input.topology = PrimitiveTopology::TriangleStrip;
  if (const json::Object *grid = m_job.getObject("$grid")) {
    const json::Array *cells = grid->getArray("dimensions");
    if (!cells || cells->size() != 2)
      return invalidInput("$grid has no two \"dimensions\"");
    std::optional<int64_t> columns = (*cells)[0].getAsInteger(), rows = (*cells)[1].getAsInteger();
    if (!columns || !rows || *columns < 1 || *rows < 1 || *columns > 1024 || *rows > 1024)
      return invalidInput("the dimensions of $grid must lie between 1 and 1024");
    positions = gridPositions(whole, static_cast<uint64_t>(*columns), static_cast<uint64_t>(*rows));
    m_pipeline.description.graphics.input.topology = PrimitiveTopology::TriangleList;
  }
  Expected<unsigned> vertices =
      m_case.addBuffer("vertices", positionFormat(), positions.size() * 4);
  if (!vertices)
    return vertices.takeError();
  m_case.get().buffers[*vertices].bytes = positionBytes(positions);
  setPositions(m_pipeline, *vertices);
  m_case.get().pipelines.push_back(std::move(m_pipeline));
  Clear clear;
  clear.color[3] = 1;
  if (Error error = m_case.addCommand(clear))
    return error;
  Draw draw;
  draw.vertexCount = static_cast<uint32_t>(positions.size() / 2);
  return m_case.addCommand(draw);
}

/// Unsupported where no JSON file is next to the shader.
Expected<Case> ShaderJobReader::read() {
  std::string file = (sys::path::stem(m_path) + ".json").str();
  if (!m_files.exists(file))
    return unsupported("fragment shaders without a JSON file of uniforms next to them");
  Expected<std::string> text = m_files.load(file);
  if (!text)
    return text.takeError();
  Expected<json::Value> parsed = json::parse(*text);
  if (!parsed)
    return invalidInput(file + ": " + toString(parsed.takeError()));
  json::Object *job = parsed->getAsObject();
  if (!job)
    return invalidInput(file + ": expected an object of uniforms");
  m_job = std::move(*job);
  if (Error error = readSize())
    return addContext(std::move(error), file);
  if (Error error = readUniforms())
    return addContext(std::move(error), file);
  if (Error error = makePipeline())
    return std::move(error);
  if (Error error = draw())
    return addContext(std::move(error), file);
  return std::move(m_case.get());
}

Expected<Case> input::readShaderJob(StringRef text, StringRef path) {
  return ShaderJobReader(text, path).read();
}
