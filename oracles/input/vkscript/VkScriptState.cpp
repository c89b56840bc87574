// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/vkscript/VkScriptState.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Limits.h"
#include "oracles/input/Literals.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

/// What all commands together say about one buffer.
struct Extent {
  uint64_t bytes = 0;               ///< One after the last that is written.
  std::optional<DataFormat> format; ///< Of the first command with a type.
  unsigned line = 0;                ///< Of the first command.

  /// Extends the buffer to \p length bytes from \p offset. Limit above maxBufferBytes.
  Error cover(uint64_t offset, uint64_t length, unsigned where) {
    if (line == 0)
      line = where;
    if (offset > maxBufferBytes || length > maxBufferBytes)
      return limitExceeded("line " + Twine(where) + ": a buffer of more than " +
                           Twine(maxBufferBytes >> 20) + " MiB");
    bytes = std::max(bytes, offset + length);
    return Error::success();
  }
};

using Extents = std::map<VkBufferKey, Extent>;

/// Visits each command and collects what it says about sizes and types.
struct ExtentCollector {
  Extents &extents;

  /// A declared size is room from the beginning of the buffer.
  Error operator()(const VkSize &size) const {
    return extents[size.key].cover(0, size.bytes, size.line);
  }
  /// The first write or probe gives the buffer its format.
  Error operator()(const VkWrite &write) const {
    Extent &extent = extents[write.key];
    if (!extent.format)
      extent.format = write.format;
    // Whole elements, padding and all, up to the end of the layout.
    uint64_t elements = divideCeil(write.values.size(), componentsOf(write.format));
    return extent.cover(write.offset, elements * write.format.stride, write.line);
  }
  Error operator()(const VkProbe &probe) const {
    // A probe gives the type, but no room: beyond the end it is an error.
    auto found = extents.find(probe.key);
    if (found != extents.end() && !found->second.format)
      found->second.format = probe.expectation.format;
    return Error::success();
  }
  template <typename Other> Error operator()(const Other &) const { return Error::success(); }
};

} // namespace

/// Returns the name of the case's buffer: "ssbo 0:1", "push".
static std::string nameOf(const VkBufferKey &key) {
  if (key.first == VkBufferKind::Push)
    return "push";
  std::string place = std::to_string(key.second.first) + ":" + std::to_string(key.second.second);
  return (key.first == VkBufferKind::Ssbo ? "ssbo " : "ubo ") + place;
}

/// Returns how a kind of buffer is bound.
static BindingKind bindingKind(VkBufferKind kind) {
  if (kind == VkBufferKind::Ssbo)
    return BindingKind::Storage;
  return kind == VkBufferKind::Ubo ? BindingKind::Uniform : BindingKind::PushConstant;
}

/// Adds a zeroed buffer for each that any command touches, large enough for all writes. Without a
/// type its elements are signed bytes.
Error VkReplay::createBuffers(ArrayRef<VkCommand> commands) {
  Extents extents;
  for (const VkCommand &command : commands)
    if (Error error = std::visit(ExtentCollector{extents}, command))
      return error;
  for (const auto &[key, extent] : extents) {
    bool isPush = key.first == VkBufferKind::Push;
    if (isPush && extent.bytes > maxPushConstantBytes)
      return errorAt(extent.line,
                     "more than " + Twine(maxPushConstantBytes) + " bytes of push constants");
    if (extent.bytes == 0)
      return errorAt(extent.line, nameOf(key) + " has no bytes");
    DataFormat format =
        extent.format.value_or(makeDataFormat(ScalarKind::Int8, 1, 1, BlockLayout::Std430));
    Expected<unsigned> index = m_case.addBuffer(nameOf(key), format, extent.bytes);
    if (!index)
      return atLine(extent.line, index.takeError());
    m_buffers[key].index = *index;
  }
  return Error::success();
}

/// Creates all buffers, then replays the commands in order. A script that neither dispatches nor
/// draws still gets its pipelines.
Error VkReplay::run(ArrayRef<VkCommand> commands) {
  if (Error error = createBuffers(commands))
    return error;
  if (m_program.hasGraphics) {
    if (Error error = createAttachments())
      return error;
    if (Error error = createVertices())
      return error;
  }
  for (const VkCommand &command : commands)
    if (Error error = std::visit([this](const auto &one) { return replay(one); }, command))
      return error;
  // A script without a dispatch or a draw still has pipelines to compile.
  bool hasCompute = any_of(m_case.get().pipelines,
                           [](const CasePipeline &each) { return each.description.isCompute(); });
  if (m_program.find(ShaderStage::Compute) && !hasCompute)
    if (Error error = currentPipeline(1).takeError())
      return error;
  if (m_program.find(ShaderStage::Vertex) && !m_program.hasUnreadShader && !m_graphics) {
    VkDraw none;
    none.state.colorTargets.resize(1);
    none.line = 1;
    return graphicsPipeline(none).takeError();
  }
  return Error::success();
}

/// The bytes that \p write writes: whole elements, padding and all, up to its last value.
static uint64_t writtenBytes(const VkWrite &write) {
  size_t components = componentsOf(write.format);
  size_t whole = write.values.size() / components;
  if (whole * components == write.values.size())
    return whole * write.format.stride;
  return valuesExtent(write.format, write.values.size());
}

/// Stores the values of \p write from byte \p offset on. As in Amber, padding inside of whole
/// elements gets 0.
static void store(std::vector<uint8_t> &bytes, uint64_t offset, const VkWrite &write) {
  size_t whole = write.values.size() / componentsOf(write.format);
  std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(offset), whole * write.format.stride,
              uint8_t(0));
  for (size_t i = 0; i < write.values.size(); ++i)
    storeScalar(bytes, offset + valueOffset(write.format, i), write.format.scalar, write.values[i]);
}

/// Writes before the first command change initial contents. Later ones need a copy command or a new
/// buffer.
Error VkReplay::replay(const VkWrite &write) {
  Live &live = m_buffers[write.key];
  if (write.key.first == VkBufferKind::Ssbo && !m_case.get().commands.empty())
    return writeSsboLater(write, live);
  if (Error error = makeWritable(write, live))
    return error;
  store(m_case.get().buffers[live.index].bytes, write.offset, write);
  return Error::success();
}

/// Uniforms and push constants can't be written by shaders, so what a later dispatch sees is a copy
/// of the buffer with the new values.
Error VkReplay::makeWritable(const VkWrite &write, Live &live) {
  if (!live.used)
    return Error::success();
  const Buffer &old = m_case.get().buffers[live.index];
  std::string name = nameOf(write.key) + " #" + std::to_string(++live.copies);
  std::vector<uint8_t> bytes = old.bytes;
  Expected<unsigned> index = m_case.addBuffer(name, old.format, bytes.size());
  if (!index)
    return atLine(write.line, index.takeError());
  m_case.get().buffers[*index].bytes = std::move(bytes);
  live.index = *index;
  live.used = false;
  return Error::success();
}

/// A write after the first command is a copy from a hidden buffer: of the whole buffer while its
/// contents are known, which is before the first dispatch or draw, and of the written bytes later.
Error VkReplay::writeSsboLater(const VkWrite &write, Live &live) {
  const Buffer &target = m_case.get().buffers[live.index];
  uint64_t size = target.bytes.size();
  bool isWhole = !m_dispatched || (write.offset == 0 && writtenBytes(write) == size);
  bool isWholeMatrices =
      write.format.columns == 1 || write.values.size() % componentsOf(write.format) == 0;
  if (!isWhole && !isWholeMatrices) { // Padding between its columns stays.
    m_case.addUnsupported("ssbo subdata of a part of a matrix after a dispatch", write.line);
    return Error::success();
  }
  if (live.known.empty())
    live.known = target.bytes;
  BufferCopy copy;
  copy.destination = live.index;
  copy.line = write.line;
  if (!isWhole)
    copy.range = CopyRange{0, write.offset, writtenBytes(write)};
  std::string name = nameOf(write.key) + " (line " + std::to_string(write.line) + ")";
  Expected<unsigned> source = m_case.addBuffer(name, isWhole ? target.format : write.format,
                                               isWhole ? size : copy.range->bytes);
  if (!source)
    return atLine(write.line, source.takeError());
  copy.source = *source;
  Buffer &hidden = m_case.get().buffers[*source];
  if (isWhole) {
    hidden.bytes = live.known;
    store(hidden.bytes, write.offset, write);
    live.known = hidden.bytes;
  } else {
    store(hidden.bytes, 0, write);
  }
  return m_case.addCommand(copy);
}

/// Sets the entry point of later pipelines.
Error VkReplay::replay(const VkEntryPoint &entryPoint) {
  m_entryPoints[entryPoint.stage] = entryPoint.name;
  const Shader *shader = m_program.find(entryPoint.stage);
  if (shader && !shader->hasEntryPoint(entryPoint.stage, entryPoint.name))
    return errorAt(entryPoint.line, "the shader has no " + getStageName(entryPoint.stage) +
                                        " entry point '" + entryPoint.name + "'");
  return Error::success();
}

/// Returns null for a stage without a shader.
const Shader *VkProgram::find(ShaderStage stage) const {
  auto found = shaders.find(stage);
  return found == shaders.end() ? nullptr : &found->second;
}

/// Returns the entry point in force.
StringRef VkReplay::entryPointOf(ShaderStage stage) const {
  auto found = m_entryPoints.find(stage);
  return found == m_entryPoints.end() ? StringRef("main") : StringRef(found->second);
}

/// Binds the current buffer of each name.
void VkReplay::bindBuffers(CasePipeline &pipeline) {
  for (const auto &[bufferKey, live] : m_buffers) {
    BufferBinding binding;
    binding.kind = bindingKind(bufferKey.first);
    binding.buffer = live.index;
    binding.set = bufferKey.second.first;
    binding.binding = bufferKey.second.second;
    pipeline.bindings.push_back(binding);
  }
}

/// Two pipelines with equal keys are the same one.
VkReplay::PipelineKey VkReplay::keyOf(const CasePipeline &pipeline) {
  PipelineKey key;
  for (const ShaderDescription &shader : pipeline.description.stages)
    key.entryPoints.push_back((getStageName(shader.stage) + " " + shader.entryPoint).str());
  for (const BufferBinding &binding : pipeline.bindings)
    key.buffers.push_back(binding.buffer);
  for (const VertexBuffer &vertices : pipeline.draw.vertexBuffers)
    key.buffers.push_back(vertices.buffer);
  key.graphics = pipeline.description.graphics;
  return key;
}

/// The number of \p pipeline, which is added unless the case has it already.
unsigned VkReplay::addPipeline(CasePipeline pipeline) {
  PipelineKey key = keyOf(pipeline);
  auto found = find_if(m_pipelines, [&](const PipelineKey &other) { return other == key; });
  auto index = static_cast<unsigned>(found - m_pipelines.begin());
  if (found != m_pipelines.end())
    return index;
  if (!m_pipelines.empty())
    pipeline.name += " #" + std::to_string(m_pipelines.size());
  m_pipelines.push_back(std::move(key));
  m_case.get().pipelines.push_back(std::move(pipeline));
  return index;
}

/// The compute pipeline for the entry point and the buffers as they stand now.
Expected<unsigned> VkReplay::currentPipeline(unsigned line) {
  StringRef entryPoint = entryPointOf(ShaderStage::Compute);
  Expected<CasePipeline> pipeline =
      makePipeline(entryPoint, *m_program.find(ShaderStage::Compute), entryPoint);
  if (!pipeline)
    return atLine(line, pipeline.takeError());
  bindBuffers(*pipeline);
  return addPipeline(std::move(*pipeline));
}

/// From here on shaders have seen all buffers.
void VkReplay::markUsed() {
  m_dispatched = true;
  for (auto &[key, live] : m_buffers)
    live.used = true;
}

/// Adds a dispatch of the current compute pipeline.
Error VkReplay::replay(const VkDispatch &dispatch) {
  if (!m_program.find(ShaderStage::Compute)) {
    // Where the shader can't be used, the case is unsupported already.
    if (m_case.get().unsupported.empty())
      return errorAt(dispatch.line, "compute without a compute shader");
    return Error::success();
  }
  Expected<unsigned> pipeline = currentPipeline(dispatch.line);
  if (!pipeline)
    return pipeline.takeError();
  markUsed();
  return m_case.addDispatch(*pipeline, dispatch.groups, dispatch.line);
}

/// Expects values of the buffer that the name has now.
Error VkReplay::replay(const VkProbe &probe) {
  auto found = m_buffers.find(probe.key);
  if (found == m_buffers.end())
    return errorAt(probe.expectation.line, "unknown buffer '" + nameOf(probe.key) + "'");
  Expectation expectation = probe.expectation;
  expectation.buffer = found->second.index;
  return m_case.addValues(std::move(expectation));
}
