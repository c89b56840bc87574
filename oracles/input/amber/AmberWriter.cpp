// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/amber/AmberWriter.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/DataTypes.h"
#include "oracles/input/ElementLayout.h"
#include "oracles/input/GraphicsNames.h"
#include "oracles/input/GraphicsState.h"
#include "oracles/input/Literals.h"
#include "oracles/input/amber/AmberNames.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

/// How a buffer is declared: the word for its type, and what that word means.
struct WrittenType {
  std::string words; ///< "vec4<float> STD140", "R8G8B8A8_UNORM".
  DataFormat format;
};

/// Writes one case; each Error is Unsupported for what AmberScript cannot say. Shaders, buffers,
/// samplers and pipelines are written in this order, the commands last.
class Writer {
public:
  explicit Writer(const Case &input) : m_case(input), m_os(m_text) { nameBuffers(); }

  /// Returns the whole script. Call it once.
  Expected<std::string> write();

private:
  Error writeShader(const ShaderDescription &shader, const std::string &name);
  Error checkGraphics(const CasePipeline &pipeline) const;
  void writeAttachments(const DrawResources &draw);
  void writeVertices(const CasePipeline &pipeline);
  void writeState(const CasePipeline &pipeline);
  void writeStencil(StringRef name, const StencilFaceState &face);
  std::string real(float value) const;
  Error writeBuffer(const Buffer &buffer);
  Error writeImage(const Buffer &buffer);
  void writeData(const Buffer &buffer, const DataFormat &format);
  void writeSampler(const Sampler &sampler);
  Error writePipeline(size_t index);
  Error writeBindings(ArrayRef<BufferBinding> bindings);
  Error writeDescriptors(ArrayRef<const BufferBinding *> elements);
  Error writeCommand(const Dispatch &dispatch);
  Error writeCommand(const Draw &draw);
  Error writeCommand(const Clear &clear);
  Error writeCommand(const BufferCopy &copy);
  Error writeCommand(const Expectation &expectation);
  Error writeValues(const Expectation &expectation);
  /// Writes what only directives can say.
  void writeDirectives();
  /// Fills m_names with unique words of a script.
  void nameBuffers();
  /// \p buffer must be an element of Case::buffers.
  const std::string &nameOf(const Buffer &buffer) const {
    return m_names[static_cast<size_t>(&buffer - m_case.buffers.data())];
  }

  const Case &m_case;
  std::vector<std::string> m_names; ///< Of the buffers, as words of a script.
  std::vector<WrittenType> m_types; ///< Of the buffers.
  std::string m_text;
  raw_string_ostream m_os;
};

} // namespace

/// Returns \p size bytes at \p offset as a little-endian number; at most 8.
static uint64_t loadBits(ArrayRef<uint8_t> bytes, uint64_t offset, unsigned size) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < size; ++i)
    bits |= uint64_t(bytes[offset + i]) << (8 * i);
  return bits;
}

/// Returns the float with these bits; every kind fits a double exactly.
static double valueOf(ScalarKind kind, uint64_t bits) {
  const fltSemantics &semantics = kind == ScalarKind::Float16   ? APFloat::IEEEhalf()
                                  : kind == ScalarKind::Float32 ? APFloat::IEEEsingle()
                                                                : APFloat::IEEEdouble();
  APFloat value(semantics, APInt(scalarBytes(kind) * 8, bits));
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

/// Returns the literal that parseScalar() reads as \p bits, if hasLiteral() says that there is one.
static std::string literalOf(ScalarKind kind, uint64_t bits) {
  if (!isFloat(kind)) {
    unsigned shift = 64 - scalarBytes(kind) * 8;
    return isSignedInt(kind) ? std::to_string(static_cast<int64_t>(bits << shift) >> shift)
                             : std::to_string(bits);
  }
  char text[64];
  double value = valueOf(kind, bits);
  auto end = kind == ScalarKind::Float64
                 ? std::to_chars(std::begin(text), std::end(text), value)
                 : std::to_chars(std::begin(text), std::end(text), static_cast<float>(value));
  return {text, end.ptr};
}

/// Returns whether parseScalar() reads literalOf() as \p bits. It does not for some floats, such as
/// most NaNs.
static bool hasLiteral(ScalarKind kind, uint64_t bits) {
  if (!isFloat(kind))
    return true;
  Expected<uint64_t> read = parseScalar(literalOf(kind, bits), kind);
  if (!read)
    consumeError(read.takeError());
  return read && *read == bits;
}

/// Returns true if elements of both formats lie in memory alike.
static bool sameFormat(const DataFormat &a, const DataFormat &b) {
  return a.scalar == b.scalar && a.rows == b.rows && a.columns == b.columns &&
         a.columnStride == b.columnStride && a.stride == b.stride;
}

/// Returns the type's name without "[]" and layout: "mat2x3<float>".
static std::string shapeName(const DataType &type) {
  std::string scalar = amberScalarName(type.scalar).str();
  if (type.columns > 1)
    return "mat" + utostr(type.columns) + "x" + utostr(type.rows) + "<" + scalar + ">";
  return type.rows > 1 ? "vec" + utostr(type.rows) + "<" + scalar + ">" : scalar;
}

/// Returns AmberScript's type that lies in memory as \p format, or nothing where it has none.
/// std430 is preferred to std140.
static std::optional<WrittenType> typeOf(const DataFormat &format) {
  for (BlockLayout layout : {BlockLayout::Std430, BlockLayout::Std140})
    for (bool isArray : {false, true}) {
      DataType type{format.scalar, format.rows, format.columns, isArray};
      if (!sameFormat(amberFormat(type, layout), format))
        continue;
      return WrittenType{shapeName(type) + (isArray ? "[]" : "") +
                             (layout == BlockLayout::Std140 ? " STD140" : ""),
                         format};
    }
  return std::nullopt;
}

/// Returns whether all of \p bytes can be written as values of \p format. The bytes between values
/// must be 0. No bytes can't be written.
static bool canSay(const DataFormat &format, ArrayRef<uint8_t> bytes) {
  if (bytes.empty() || bytes.size() % format.stride != 0)
    return false;
  std::vector<uint8_t> said(bytes.size());
  uint64_t count = bytes.size() / format.stride * componentsOf(format);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = valueOffset(format, i);
    uint64_t bits = loadBits(bytes, offset, scalarBytes(format.scalar));
    if (!hasLiteral(format.scalar, bits))
      return false;
    storeScalar(said, offset, format.scalar, bits);
  }
  return ArrayRef(said) == bytes;
}

/// Returns the widest type of unsigned integers that divides \p bytes. It can write every byte.
static WrittenType rawType(size_t bytes) {
  ScalarKind kind = bytes % 4 == 0   ? ScalarKind::Uint32
                    : bytes % 2 == 0 ? ScalarKind::Uint16
                                     : ScalarKind::Uint8;
  return *typeOf(makeDataFormat(kind, 1, 1, BlockLayout::Std430));
}

/// Returns the type that \p buffer is declared with: the name of its texel format, the type of its
/// elements, or unsigned integers. A buffer without a texel format that is bound as a texel buffer
/// gets it from the type when the script is read.
static WrittenType chooseType(const Buffer &buffer) {
  if (buffer.texelFormat) {
    WrittenType named{getTexelFormatInfo(*buffer.texelFormat).name.str(),
                      dataFormatOf(*buffer.texelFormat)};
    bool isOfType = texelFormatOf(buffer.format) == buffer.texelFormat;
    if (!isOfType || canSay(named.format, buffer.bytes))
      return named;
  }
  std::optional<WrittenType> type = typeOf(buffer.format);
  return type && canSay(type->format, buffer.bytes) ? *type : rawType(buffer.bytes.size());
}

/// Writes DATA to END, eight values a line. Every value of \p format has a literal.
void Writer::writeData(const Buffer &buffer, const DataFormat &format) {
  constexpr uint64_t PerLine = 8;
  uint64_t count = buffer.bytes.size() / format.stride * componentsOf(format);
  m_os << " DATA\n";
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = loadBits(buffer.bytes, valueOffset(format, i), scalarBytes(format.scalar));
    m_os << (i % PerLine ? " " : "  ") << literalOf(format.scalar, bits)
         << (i % PerLine == PerLine - 1 || i + 1 == count ? "\n" : "");
  }
  m_os << "END\n";
}

/// Returns true if all bytes are 0, also for no bytes at all.
static bool isZero(ArrayRef<uint8_t> bytes) {
  return all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

/// Returns the bits of all components of all elements if they are the same and have a literal.
static std::optional<uint64_t> commonBits(const DataFormat &format, ArrayRef<uint8_t> bytes) {
  if (!canSay(format, bytes))
    return std::nullopt;
  uint64_t count = bytes.size() / format.stride * componentsOf(format);
  uint64_t first = loadBits(bytes, valueOffset(format, 0), scalarBytes(format.scalar));
  for (uint64_t i = 1; i < count; ++i)
    if (loadBits(bytes, valueOffset(format, i), scalarBytes(format.scalar)) != first)
      return std::nullopt;
  return first;
}

/// Declares \p buffer with its contents, in a type that can say all of its bytes.
Error Writer::writeBuffer(const Buffer &buffer) {
  WrittenType type = chooseType(buffer);
  m_types.push_back(type);
  if (buffer.bytes.empty() || buffer.bytes.size() % type.format.stride != 0)
    return unsupported("buffer " + buffer.name + " has no whole number of elements");
  if (!canSay(type.format, buffer.bytes))
    return unsupported("texels of " + buffer.name + " that have no literals");
  m_os << "BUFFER " << nameOf(buffer) << " DATA_TYPE " << type.words;
  if (isZero(buffer.bytes))
    m_os << " SIZE " << buffer.bytes.size() / type.format.stride << " FILL 0\n";
  else
    writeData(buffer, type.format);
  return Error::success();
}

/// Declares an image with its texels. One value in all texels is written as FILL.
Error Writer::writeImage(const Buffer &buffer) {
  const ImageShape &shape = *buffer.image;
  DataFormat format = dataFormatOf(*buffer.texelFormat);
  StringRef name = getTexelFormatInfo(*buffer.texelFormat).name;
  m_types.push_back({name.str(), format});
  unsigned extents = static_cast<unsigned>(shape.dimension) + 1;
  m_os << "IMAGE " << nameOf(buffer) << " FORMAT " << name << " DIM_" << extents << "D WIDTH "
       << shape.width;
  struct {
    StringRef word;
    uint32_t value;
    bool isSaid;
  } const options[] = {{"HEIGHT", shape.height, extents >= 2},
                       {"DEPTH", shape.depth, extents == 3},
                       {"ARRAY_LAYERS", shape.layers, shape.layers > 1},
                       {"MIP_LEVELS", shape.mipLevels, shape.mipLevels > 1},
                       {"SAMPLES", shape.samples, shape.samples > 1}};
  for (const auto &option : options)
    if (option.isSaid)
      m_os << " " << option.word << " " << option.value;
  if (isZero(buffer.bytes)) {
    m_os << "\n";
    return Error::success();
  }
  if (layoutOfTexels(*buffer.texelFormat).isStruct())
    return unsupported("texels of " + buffer.name + " with depth and stencil that are not zero");
  if (std::optional<uint64_t> bits = commonBits(format, buffer.bytes)) {
    m_os << " FILL " << literalOf(format.scalar, *bits) << "\n";
    return Error::success();
  }
  if (shape.samples > 1 || !canSay(format, buffer.bytes))
    return unsupported("texels of " + buffer.name + " that have no literals");
  writeData(buffer, format);
  return Error::success();
}

/// Writes all values, also those that are defaults.
void Writer::writeSampler(const Sampler &sampler) {
  m_os << "SAMPLER " << sampler.name;
  if (!sampler.normalized)
    m_os << " UNNORMALIZED_COORDS"; // Sets both LODs, so it comes first.
  m_os << " MAG_FILTER " << nameOfValue(filters, sampler.magFilter) << " MIN_FILTER "
       << nameOfValue(filters, sampler.minFilter) << " MIP_FILTER "
       << nameOfValue(filters, sampler.mipFilter);
  for (unsigned i = 0; i < 3; ++i)
    m_os << " ADDRESS_MODE_" << "UVW"[i] << " " << nameOfValue(addressModes, sampler.address[i]);
  m_os << " BORDER_COLOR " << nameOfValue(borderColors, sampler.border);
  for (auto [word, lod] : {std::pair{" MIN_LOD ", sampler.minLod},
                           {" MAX_LOD ", sampler.maxLod},
                           {" LOD_BIAS ", sampler.lodBias}})
    m_os << word << literalOf(ScalarKind::Float32, bit_cast<uint32_t>(lod));
  if (sampler.compare)
    m_os << " COMPARE on COMPARE_OP " << nameOfValue(compareOps, *sampler.compare);
  m_os << "\n";
}

/// Returns the name of a shader: the number of its pipeline, and for graphics its stage.
static std::string shaderName(size_t pipeline, ShaderStage stage) {
  std::string name = "shader" + std::to_string(pipeline);
  return stage == ShaderStage::Compute ? name : name + "_" + amberStageName(stage).str();
}

/// Disassembles \p shader. A line END in it would end the shader early, so that is Unsupported.
Error Writer::writeShader(const ShaderDescription &shader, const std::string &name) {
  const std::vector<uint32_t> &words = shader.spirv;
  Expected<std::string> text = spirv::disassemble(words);
  if (!text)
    return text.takeError();
  uint32_t version = words[1];
  m_os << "\nSHADER " << amberStageName(shader.stage) << " " << name << " SPIRV-ASM TARGET_ENV spv"
       << (version >> 16 & 0xff) << "." << (version >> 8 & 0xff) << "\n";
  // The disassembler's comments on the header say what is said already, and change with every id.
  StringRef code = *text;
  while (code.starts_with(";"))
    code = code.split('\n').second;
  // A string of several lines may say what ends a shader.
  for (StringRef line : split(code, '\n'))
    if (line.trim().split(' ').first == "END")
      return unsupported("a shader with a line END in a string");
  m_os << code << "END\n\n";
  return Error::success();
}

/// Writes the BIND of one descriptor, or of one descriptor array with its elements in order.
/// Unsupported for an array with gaps or with elements of different kinds, levels or samplers.
Error Writer::writeDescriptors(ArrayRef<const BufferBinding *> elements) {
  const BufferBinding &first = *elements.front();
  bool isSampler = first.kind == BindingKind::Sampler;
  m_os << "  BIND " << (isSampler ? "SAMPLER" : "BUFFER") << (elements.size() > 1 ? "_ARRAY" : "");
  for (const auto &[index, element] : enumerate(elements)) {
    if (element->arrayElement != index || element->kind != first.kind ||
        element->baseMipLevel != first.baseMipLevel ||
        (!isSampler && element->sampler != first.sampler))
      return unsupported("a descriptor array with gaps or of different kinds");
    m_os << " " << (isSampler ? m_case.samplers[element->sampler].name : m_names[element->buffer]);
  }
  if (!isSampler)
    m_os << " AS " << bindingKindName(first.kind);
  if (first.kind == BindingKind::CombinedImageSampler)
    m_os << " SAMPLER " << m_case.samplers[first.sampler].name;
  if (first.kind != BindingKind::PushConstant)
    m_os << " DESCRIPTOR_SET " << first.set << " BINDING " << first.binding;
  if (first.baseMipLevel)
    m_os << " BASE_MIP_LEVEL " << first.baseMipLevel;
  if (any_of(elements, [](const auto *element) { return element->offset != 0; })) {
    m_os << " DESCRIPTOR_OFFSET";
    for (const BufferBinding *element : elements)
      m_os << " " << element->offset;
  }
  if (any_of(elements, [](const auto *element) { return element->range != ~0ull; })) {
    m_os << " DESCRIPTOR_RANGE";
    for (const BufferBinding *element : elements)
      m_os << " "
           << (element->range == ~0ull
                   ? m_case.buffers[element->buffer].bytes.size() - element->offset
                   : element->range);
  }
  m_os << "\n";
  return Error::success();
}

/// Groups the bindings by set and number; push constants come last.
Error Writer::writeBindings(ArrayRef<BufferBinding> bindings) {
  std::vector<const BufferBinding *> order;
  for (const BufferBinding &binding : bindings)
    order.push_back(&binding);
  auto key = [](const BufferBinding *binding) {
    return std::tuple(binding->kind == BindingKind::PushConstant, binding->set, binding->binding);
  };
  llvm::sort(order, [&](const auto *a, const auto *b) {
    return std::tuple(key(a), a->arrayElement) < std::tuple(key(b), b->arrayElement);
  });
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && key(order[end]) == key(order[begin]))
      ++end;
    if (Error error = writeDescriptors(ArrayRef(order).slice(begin, end - begin)))
      return error;
  }
  return Error::success();
}

/// Returns the shortest literal that is read as \p value.
std::string Writer::real(float value) const {
  return literalOf(ScalarKind::Float32, bit_cast<uint32_t>(value));
}

/// Returns \p state as it would be read back from statements alone. What they can't say has the
/// value that they leave.
static GraphicsState sayable(const GraphicsState &state) {
  GraphicsState said = state;
  said.input.primitiveRestart = false;
  for (VertexInputBinding &binding : said.input.bindings)
    binding.divisor = 1;
  RasterizationState &rasterization = said.rasterization;
  rasterization = RasterizationState();
  rasterization.depthClamp = state.rasterization.depthClamp;
  rasterization.depthClip = !rasterization.depthClamp;
  rasterization.polygonMode = state.rasterization.polygonMode;
  if (state.rasterization.depthBias) {
    rasterization.depthBias = true;
    rasterization.depthBiasConstant = state.rasterization.depthBiasConstant;
    rasterization.depthBiasClamp = state.rasterization.depthBiasClamp;
    rasterization.depthBiasSlope = state.rasterization.depthBiasSlope;
  }
  said.multisample = MultisampleState();
  said.multisample.samples = state.multisample.samples;
  DepthStencilState &depth = said.depthStencil;
  bool hasBounds = depth.depthBoundsTest && (depth.minDepthBounds > 0 || depth.maxDepthBounds < 1);
  depth.depthBoundsTest = hasBounds;
  if (!hasBounds)
    depth.minDepthBounds = 0, depth.maxDepthBounds = 1;
  ColorTarget blend = said.colorTargets.empty() ? ColorTarget() : said.colorTargets.front();
  blend.writeMask = 0xf;
  for (ColorTarget &target : said.colorTargets) {
    ColorTarget made = blend.blend ? blend : ColorTarget();
    made.format = target.format;
    target = target.format == TexelFormat::Undefined ? ColorTarget() : made;
  }
  said.logicOp = std::nullopt;
  std::fill(std::begin(said.blendConstants), std::end(said.blendConstants), 0.0f);
  return said;
}

/// Unsupported for state and resources that neither statements nor directives can say.
Error Writer::checkGraphics(const CasePipeline &pipeline) const {
  const GraphicsState &state = pipeline.description.graphics;
  GraphicsState said = sayable(state);
  printGraphicsState(state, said);
  if (!(said == state))
    return unsupported("graphics state that AmberScript has no words for");
  if (pipeline.draw.color.empty() || !pipeline.draw.color.front())
    return unsupported("a graphics pipeline without a first colour attachment");
  bool ended = false;
  for (const std::optional<Attachment> &color : pipeline.draw.color) {
    bool resolves = color && color->resolve;
    if (ended && resolves)
      return unsupported("resolve targets with gaps");
    ended = !resolves;
  }
  for (const auto &[index, binding] : enumerate(state.input.bindings)) {
    auto count = count_if(state.input.attributes, [&](const VertexInputAttribute &attribute) {
      return attribute.binding == binding.binding;
    });
    if (binding.binding != index || count != 1 || index >= pipeline.draw.vertexBuffers.size() ||
        pipeline.draw.vertexBuffers[index].offset != 0)
      return unsupported("vertex bindings of several attributes, or with offsets");
  }
  return Error::success();
}

/// Writes the size of the framebuffer and the attachments. Resolve targets are written in the order
/// of their attachments, by which they are matched.
void Writer::writeAttachments(const DrawResources &draw) {
  m_os << "  FRAMEBUFFER_SIZE " << draw.width << " " << draw.height << "\n";
  for (const auto &[location, color] : enumerate(draw.color)) {
    if (!color)
      continue;
    m_os << "  BIND BUFFER " << m_names[color->buffer] << " AS color LOCATION " << location;
    if (color->mipLevel)
      m_os << " BASE_MIP_LEVEL " << color->mipLevel;
    m_os << "\n";
  }
  for (const std::optional<Attachment> &color : draw.color)
    if (color && color->resolve)
      m_os << "  BIND BUFFER " << m_names[*color->resolve] << " AS resolve\n";
  if (draw.depthStencil)
    m_os << "  BIND BUFFER " << m_names[draw.depthStencil->buffer] << " AS depth_stencil\n";
}

/// Writes the vertex and index buffers. Each binding has one attribute: checkGraphics() made sure
/// of that.
void Writer::writeVertices(const CasePipeline &pipeline) {
  const InputAssemblyState &input = pipeline.description.graphics.input;
  for (const VertexInputBinding &binding : input.bindings) {
    const auto &attribute = *find_if(input.attributes, [&](const VertexInputAttribute &each) {
      return each.binding == binding.binding;
    });
    m_os << "  VERTEX_DATA " << m_names[pipeline.draw.vertexBuffers[binding.binding].buffer]
         << " LOCATION " << attribute.location << (binding.perInstance ? " RATE instance" : "")
         << " FORMAT " << getTexelFormatInfo(attribute.format).name << " OFFSET "
         << attribute.offset << " STRIDE " << binding.stride << "\n";
  }
  if (pipeline.draw.indexBuffer)
    m_os << "  INDEX_DATA " << m_names[pipeline.draw.indexBuffer->buffer] << "\n";
}

/// Writes the options of one face without the END, so that TEST may follow.
void Writer::writeStencil(StringRef name, const StencilFaceState &face) {
  m_os << "  STENCIL " << name << "\n    FAIL_OP " << nameOfValue(stencilOps, face.fail)
       << "\n    PASS_OP " << nameOfValue(stencilOps, face.pass) << "\n    DEPTH_FAIL_OP "
       << nameOfValue(stencilOps, face.depthFail) << "\n    COMPARE_OP "
       << nameOfValue(compareOps, face.compare) << "\n    COMPARE_MASK " << face.compareMask
       << "\n    WRITE_MASK " << face.writeMask << "\n    REFERENCE " << face.reference << "\n";
}

/// Writes what statements can say of the state. The rest is in directives.
void Writer::writeState(const CasePipeline &pipeline) {
  const GraphicsState &state = pipeline.description.graphics;
  const Viewport &viewport = state.viewport;
  const DepthStencilState &depth = state.depthStencil;
  const RasterizationState &rasterization = state.rasterization;
  m_os << "  VIEWPORT " << real(viewport.x) << " " << real(viewport.y) << " SIZE "
       << real(viewport.width) << " " << real(viewport.height) << " MIN_DEPTH "
       << real(viewport.minDepth) << " MAX_DEPTH " << real(viewport.maxDepth) << "\n  POLYGON_MODE "
       << nameOfValue(polygonModes, rasterization.polygonMode) << "\n  PATCH_CONTROL_POINTS "
       << state.input.patchControlPoints << "\n  DEPTH\n    TEST "
       << nameOfValue(switches, depth.depthTest) << "\n    WRITE "
       << nameOfValue(switches, depth.depthWrite) << "\n    CLAMP "
       << nameOfValue(switches, rasterization.depthClamp) << "\n    COMPARE_OP "
       << nameOfValue(compareOps, depth.depthCompare) << "\n";
  if (depth.depthBoundsTest)
    m_os << "    BOUNDS min " << real(depth.minDepthBounds) << " max " << real(depth.maxDepthBounds)
         << "\n";
  if (rasterization.depthBias)
    m_os << "    BIAS constant " << real(rasterization.depthBiasConstant) << " clamp "
         << real(rasterization.depthBiasClamp) << " slope " << real(rasterization.depthBiasSlope)
         << "\n";
  m_os << "  END\n";
  writeStencil("front", depth.front);
  m_os << "    TEST " << nameOfValue(switches, depth.stencilTest) << "\n  END\n";
  writeStencil("back", depth.back);
  m_os << "  END\n";
  const ColorTarget &blend = state.colorTargets.front();
  if (!blend.blend)
    return;
  auto op = [&](BlendOp plain) {
    return blend.advancedOp ? nameOfValue(advancedBlendOps, *blend.advancedOp)
                            : nameOfValue(blendOps, plain);
  };
  m_os << "  BLEND\n    SRC_COLOR_FACTOR " << nameOfValue(blendFactors, blend.srcColor)
       << "\n    DST_COLOR_FACTOR " << nameOfValue(blendFactors, blend.dstColor)
       << "\n    COLOR_OP " << op(blend.colorOp) << "\n    SRC_ALPHA_FACTOR "
       << nameOfValue(blendFactors, blend.srcAlpha) << "\n    DST_ALPHA_FACTOR "
       << nameOfValue(blendFactors, blend.dstAlpha) << "\n    ALPHA_OP " << op(blend.alphaOp)
       << "\n  END\n";
}

/// Writes pipeline \p index with its shaders, state and bindings. Specialization constants are
/// written as unsigned integers with the same bits.
Error Writer::writePipeline(size_t index) {
  const CasePipeline &pipeline = m_case.pipelines[index];
  bool isGraphics = pipeline.description.isGraphics();
  m_os << "\nPIPELINE " << (isGraphics ? "graphics" : "compute") << " pipeline" << index << "\n";
  for (const ShaderDescription &shader : pipeline.description.stages) {
    m_os << "  ATTACH " << shaderName(index, shader.stage);
    if (shader.entryPoint != "main")
      m_os << " ENTRY_POINT " << shader.entryPoint;
    for (const SpecializationValue &each : shader.specialization)
      m_os << " SPECIALIZE " << each.id << " AS " << (each.bits >> 32 ? "uint64" : "uint32") << " "
           << each.bits;
    m_os << "\n";
    if (!shader.requiredSubgroupSize && !pipeline.fullSubgroups && !pipeline.varyingSubgroupSize)
      continue;
    m_os << "  SUBGROUP " << shaderName(index, shader.stage) << "\n";
    if (shader.requiredSubgroupSize)
      m_os << "    REQUIRED_SIZE " << shader.requiredSubgroupSize << "\n";
    if (pipeline.fullSubgroups)
      m_os << "    FULLY_POPULATED on\n";
    if (pipeline.varyingSubgroupSize)
      m_os << "    VARYING_SIZE on\n";
    m_os << "  END\n";
  }
  if (isGraphics) {
    if (Error error = checkGraphics(pipeline))
      return error;
    writeAttachments(pipeline.draw);
    writeVertices(pipeline);
    writeState(pipeline);
  }
  if (Error error = writeBindings(pipeline.bindings))
    return error;
  m_os << "END\n";
  return Error::success();
}

/// Writes RUN with the number of workgroups in x, y and z.
Error Writer::writeCommand(const Dispatch &dispatch) {
  m_os << "RUN pipeline" << dispatch.pipeline << " " << dispatch.groups[0] << " "
       << dispatch.groups[1] << " " << dispatch.groups[2] << "\n";
  return Error::success();
}

/// The number of indices that pipeline \p pipeline has.
static uint64_t countIndices(const Case &input, unsigned pipeline) {
  const auto &indices = input.pipelines[pipeline].draw.indexBuffer;
  return indices ? input.buffers[indices->buffer].bytes.size() / indices->indexBytes : 0;
}

/// The topology is the pipeline's; START_IDX is the vertex offset of an indexed draw. Amber
/// nevertheless refuses START_IDX and COUNT that together are more than there are indices.
Error Writer::writeCommand(const Draw &draw) {
  if (!draw.indexed && draw.vertexOffset != 0)
    return unsupported("a vertex offset of a draw without indices");
  if (draw.indexed && (draw.firstVertex != 0 || draw.vertexOffset < 0))
    return unsupported("an indexed draw that does not begin with the first index, or with a "
                       "negative vertex offset");
  if (draw.indexed &&
      uint64_t(draw.vertexOffset) + draw.vertexCount > countIndices(m_case, draw.pipeline))
    return unsupported("an indexed draw with a vertex offset that leaves the indices");
  const GraphicsState &state = m_case.pipelines[draw.pipeline].description.graphics;
  m_os << "RUN pipeline" << draw.pipeline << " DRAW_ARRAY AS "
       << nameOfValue(topologies, state.input.topology) << (draw.indexed ? " INDEXED" : "")
       << " START_IDX "
       << (draw.indexed ? static_cast<uint32_t>(draw.vertexOffset) : draw.firstVertex) << " COUNT "
       << draw.vertexCount << " START_INSTANCE " << draw.firstInstance << " INSTANCE_COUNT "
       << draw.instanceCount << "\n";
  return Error::success();
}

/// Writes the values to clear with and then CLEAR. Channels must be whole 255ths.
Error Writer::writeCommand(const Clear &clear) {
  std::string name = "pipeline" + std::to_string(clear.pipeline);
  m_os << "CLEAR_COLOR " << name;
  for (float channel : clear.color) {
    float scaled = channel * 255.0f;
    bool isSayable = scaled >= 0 && scaled <= 255;
    auto number = isSayable ? static_cast<unsigned>(scaled + 0.5f) : 0u;
    if (!isSayable || static_cast<float>(number) / 255.0f != channel)
      return unsupported("a clear colour that is not a number of 255ths");
    m_os << " " << number;
  }
  m_os << "\n";
  if (m_case.pipelines[clear.pipeline].draw.depthStencil)
    m_os << "CLEAR_DEPTH " << name << " " << real(clear.depth) << "\nCLEAR_STENCIL " << name << " "
         << clear.stencil << "\n";
  m_os << "CLEAR " << name << "\n";
  return Error::success();
}

/// Writes COPY. Unsupported for a part of a buffer, which AmberScript has no words for.
Error Writer::writeCommand(const BufferCopy &copy) {
  if (copy.range)
    return unsupported("a copy of a part of a buffer");
  m_os << "COPY " << m_names[copy.source] << " TO " << m_names[copy.destination] << "\n";
  return Error::success();
}

/// Writes EXPECT for the values of a buffer, or for the comparison of two buffers with its
/// tolerance.
Error Writer::writeCommand(const Expectation &expectation) {
  if (expectation.kind == ExpectationKind::Values)
    return writeValues(expectation);
  m_os << "EXPECT " << m_names[expectation.buffer] << " "
       << nameOfValue(bufferComparisons, expectation.kind) << " "
       << m_names[expectation.otherBuffer];
  if (expectation.kind != ExpectationKind::EqualBuffers)
    m_os << " TOLERANCE " << literalOf(ScalarKind::Float64, bit_cast<uint64_t>(expectation.rmse));
  m_os << "\n";
  return Error::success();
}

/// Writes TOLERANCE and \p tolerances; nothing when there are none.
static void writeTolerances(raw_ostream &os, ArrayRef<Tolerance> tolerances) {
  if (!tolerances.empty())
    os << " TOLERANCE";
  for (const Tolerance &tolerance : tolerances)
    os << " " << literalOf(ScalarKind::Float64, bit_cast<uint64_t>(tolerance.value))
       << (tolerance.percent ? "%" : "");
}

/// In one line where the buffer is declared with the type of the expectation, else value by value.
Error Writer::writeValues(const Expectation &expectation) {
  const DataFormat &declared = m_types[expectation.buffer].format;
  const DataFormat &format = expectation.format;
  std::string head = "EXPECT " + m_names[expectation.buffer] + " IDX ";
  std::string comparator = " " + nameOfValue(comparators, expectation.comparator).str();
  ArrayRef<Tolerance> tolerances = expectation.tolerances;
  if (!all_of(expectation.values, [&](uint64_t bits) { return hasLiteral(format.scalar, bits); }))
    return unsupported("an expected value in buffer " + m_names[expectation.buffer] +
                       " that has no literal");
  if (sameFormat(declared, format)) {
    size_t forgotten = expectation.values.size() > 1 && faultPlanted(Fault::WriterForgetsValue);
    m_os << head << expectation.byteOffset;
    writeTolerances(m_os, tolerances.take_front(format.rows));
    m_os << comparator;
    for (uint64_t value : ArrayRef(expectation.values).drop_back(forgotten))
      m_os << " " << literalOf(format.scalar, value);
    m_os << "\n";
    return Error::success();
  }
  bool sameBits =
      !isFloat(format.scalar) && !isFloat(declared.scalar) && tolerances.empty() &&
      scalarBytes(format.scalar) == scalarBytes(declared.scalar) &&
      (expectation.comparator == Comparator::Eq || expectation.comparator == Comparator::Ne);
  if (declared.scalar != format.scalar && !sameBits)
    return unsupported("an expectation of " + StringRef(scalarName(format.scalar)) + " in buffer " +
                       m_names[expectation.buffer] + " of " + scalarName(declared.scalar));
  for (const auto &[index, value] : enumerate(expectation.values)) {
    m_os << head << expectation.byteOffset + valueOffset(format, index);
    if (!tolerances.empty())
      writeTolerances(m_os, tolerances[index % tolerances.size()]);
    m_os << comparator << " " << literalOf(declared.scalar, value) << "\n";
  }
  return Error::success();
}

/// Writes what only directives can say: subgroup sizes, addresses, and the rest of the state.
void Writer::writeDirectives() {
  if (!m_case.subgroupSizes.empty())
    m_os << "# ASSAY: SUBGROUP_SIZES "
         << join(map_range(m_case.subgroupSizes, [](uint32_t size) { return utostr(size); }), " ")
         << "\n";
  for (const AddressPatch &patch : m_case.addresses) {
    m_os << "# ASSAY: ADDRESS_OF " << m_names[patch.target] << " IN " << m_names[patch.buffer]
         << " OFFSET " << patch.offset;
    if (patch.targetOffset)
      m_os << " PLUS " << patch.targetOffset;
    m_os << "\n";
  }
  for (const auto &[index, pipeline] : enumerate(m_case.pipelines)) {
    const GraphicsState &state = pipeline.description.graphics;
    GraphicsState said = sayable(state);
    if (pipeline.description.isGraphics())
      for (const std::string &line : printGraphicsState(state, said))
        m_os << "# ASSAY: STATE pipeline" << index << " " << line << "\n";
  }
}

/// VkScript's buffers have names of several words.
void Writer::nameBuffers() {
  StringSet<> taken;
  for (const Buffer &buffer : m_case.buffers)
    taken.insert(buffer.name);
  for (const Buffer &buffer : m_case.buffers) {
    std::string name = buffer.name;
    bool isWord = none_of(name, [](char c) { return isSpace(c) || c == '#' || c == '\\'; });
    for (char &c : name)
      if (isSpace(c) || c == '#' || c == '\\')
        c = '_';
    while (!isWord && !taken.insert(name).second)
      name += '_';
    m_names.push_back(std::move(name));
  }
}

/// Writes in the order of declaration: features, shaders, buffers, samplers, pipelines, commands.
/// Unsupported for cases with requirements.
Expected<std::string> Writer::write() {
  if (!m_case.unsupported.empty())
    return unsupported(m_case.unsupported.front().reason);
  m_os << "#!amber\n";
  writeDirectives();
  for (const std::string &feature : m_case.features)
    m_os << (StringRef(feature).starts_with("VK_") ? "DEVICE_EXTENSION " : "DEVICE_FEATURE ")
         << feature << "\n";
  for (const auto &[index, pipeline] : enumerate(m_case.pipelines))
    for (const ShaderDescription &shader : pipeline.description.stages)
      if (Error error = writeShader(shader, shaderName(index, shader.stage)))
        return addContext(std::move(error), "writing AmberScript");
  for (const Buffer &buffer : m_case.buffers)
    if (Error error = buffer.image ? writeImage(buffer) : writeBuffer(buffer))
      return addContext(std::move(error), "writing AmberScript");
  for (const Sampler &sampler : m_case.samplers)
    writeSampler(sampler);
  for (size_t i = 0; i < m_case.pipelines.size(); ++i)
    if (Error error = writePipeline(i))
      return addContext(std::move(error), "writing AmberScript");
  m_os << "\n";
  for (const Command &command : m_case.commands)
    if (Error error = std::visit([&](const auto &each) { return writeCommand(each); }, command))
      return addContext(std::move(error), "writing AmberScript");
  return std::move(m_text);
}

Expected<std::string> assay::writeAmber(const Case &input) {
  return Writer(input).write();
}
