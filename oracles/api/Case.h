// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Case: pipelines, buffers, what is run, and what is expected. Pure data, read by oracles/input.
#pragma once

#include "compiler/api/Pipeline.h"
#include "oracles/api/TexelFormat.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay {

enum class ScalarKind : uint8_t {
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float16,
  Float32,
  Float64
};
unsigned scalarBytes(ScalarKind kind);
const char *scalarName(ScalarKind kind); ///< "int32", ...

/// How a buffer's bytes are read: an array of scalars, vectors or column-major matrices.
struct DataFormat {
  ScalarKind scalar = ScalarKind::Uint32;
  unsigned rows = 1;         ///< Components of a vector or of a matrix column.
  unsigned columns = 1;      ///< 1 unless a matrix.
  unsigned columnStride = 4; ///< Bytes from a column to the next.
  unsigned stride = 4;       ///< Bytes from an element to the next.

  /// Byte offset of a component inside its element.
  uint64_t componentOffset(unsigned column, unsigned row) const {
    return uint64_t(column) * columnStride + uint64_t(row) * scalarBytes(scalar);
  }
};

enum class BlockLayout { Std140, Std430 };
/// The format of an array of (columns x rows) \p scalar in \p layout (Vulkan 1.3, 15.6.4).
DataFormat makeDataFormat(ScalarKind scalar, unsigned rows, unsigned columns, BlockLayout layout);

enum class ImageDimension : uint8_t { Dim1D, Dim2D, Dim3D };

/// Makes an image of a buffer. Its bytes are then texels of \p format without padding: mip level
/// after level; in a level layer after layer; in a layer slice after slice, row after row, texel
/// after texel; in a texel sample after sample. Cubes are six layers of a 2D image; the shader's
/// OpTypeImage chooses the view.
struct ImageShape {
  ImageDimension dimension = ImageDimension::Dim2D;
  uint32_t width = 1, height = 1, depth = 1; ///< Of level 0; 1 where the dimension lacks it.
  uint32_t layers = 1;
  uint32_t mipLevels = 1;
  uint32_t samples = 1;
};

struct Buffer {
  std::string name;
  DataFormat format;
  std::vector<uint8_t> bytes; ///< Initial contents.
  /// Of an image, or of a buffer that is bound as a texel buffer.
  std::optional<TexelFormat> texelFormat = std::nullopt;
  std::optional<ImageShape> image = std::nullopt;
};

/// Bytes of one level of \p shape, all layers; of all levels.
uint64_t getLevelBytes(const ImageShape &shape, TexelFormat format, uint32_t level);
uint64_t getImageBytes(const ImageShape &shape, TexelFormat format);

enum class Filter : uint8_t { Nearest, Linear };
enum class AddressMode : uint8_t {
  Repeat,
  MirroredRepeat,
  ClampToEdge,
  ClampToBorder,
  MirrorClampToEdge
};
enum class BorderColor : uint8_t {
  FloatTransparentBlack,
  IntTransparentBlack,
  FloatOpaqueBlack,
  IntOpaqueBlack,
  FloatOpaqueWhite,
  IntOpaqueWhite
};
/// The part of VkSamplerCreateInfo that a script can describe.
struct Sampler {
  std::string name;
  Filter magFilter = Filter::Nearest, minFilter = Filter::Nearest, mipFilter = Filter::Nearest;
  AddressMode address[3] = {AddressMode::Repeat, AddressMode::Repeat, AddressMode::Repeat};
  BorderColor border = BorderColor::FloatTransparentBlack;
  float minLod = 0, maxLod = 1000, lodBias = 0;
  bool normalized = true;
  std::optional<CompareOp> compare = std::nullopt;
};

enum class BindingKind {
  Storage,
  Uniform,
  PushConstant,
  UniformTexelBuffer,
  StorageTexelBuffer,
  SampledImage,
  StorageImage,
  Sampler,
  CombinedImageSampler
};

/// One resource bound to one descriptor (array element), or the source of the push constants.
struct BufferBinding {
  BindingKind kind = BindingKind::Storage;
  unsigned buffer = 0; ///< Index into Case::buffers; not for Sampler.
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t arrayElement = 0;
  uint64_t offset = 0;       ///< Bytes into the buffer; a dynamic offset is added already.
  uint64_t range = ~0ull;    ///< Bytes; ~0 = to the end.
  unsigned sampler = 0;      ///< Index into Case::samplers: Sampler, CombinedImageSampler.
  uint32_t baseMipLevel = 0; ///< Images: the view starts there and goes to the last level.
};

/// Why an assembled module has its SPIR-V version, for messages.
struct VersionChoice {
  /// "SPIR-V 1.4, because line 3 lists VK_KHR_spirv_1_4"; empty for a module that says its version.
  std::string text;
  /// Neither the script nor the command line says it, and it is not Amber's default.
  bool isGuess = false;
};

/// A level of an image that a graphics pipeline draws into: all its layers.
struct Attachment {
  unsigned buffer = 0; ///< Index into Case::buffers.
  uint32_t mipLevel = 0;
  /// Index into Case::buffers: an image with one sample, which every draw resolves this one into.
  std::optional<unsigned> resolve = std::nullopt;
};

/// Bytes of a buffer from \p offset on, for vertex binding \p binding.
struct VertexBuffer {
  uint32_t binding = 0;
  unsigned buffer = 0; ///< Index into Case::buffers.
  uint64_t offset = 0;
};

struct IndexBuffer {
  unsigned buffer = 0;     ///< Index into Case::buffers.
  unsigned indexBytes = 4; ///< 1, 2 or 4.
};

/// What a graphics pipeline draws from and into. Formats and strides are in GraphicsState.
struct DrawResources {
  uint32_t width = 0, height = 0; ///< Of the framebuffer.
  /// Index = location; none where nothing is attached.
  std::vector<std::optional<Attachment>> color;
  std::optional<Attachment> depthStencil;
  std::vector<VertexBuffer> vertexBuffers; ///< Ascending binding.
  std::optional<IndexBuffer> indexBuffer;
};

struct CasePipeline {
  std::string name;
  PipelineDescription description;
  std::vector<BufferBinding> bindings;
  DrawResources draw = {};          ///< Of a graphics pipeline.
  bool fullSubgroups = false;       ///< Every subgroup is full, if the workgroup allows.
  bool varyingSubgroupSize = false; ///< The driver may choose the size.
  VersionChoice version;
};

/// Before anything runs, the device address of a buffer is written (8 bytes, little endian) into
/// another. The bytes at \p offset read as 0 at every checkpoint.
struct AddressPatch {
  unsigned target = 0; ///< Buffer whose address it is.
  unsigned buffer = 0; ///< Where it is written.
  uint64_t offset = 0;
  uint64_t targetOffset = 0; ///< Added to the address.
};

struct Dispatch {
  unsigned pipeline = 0; ///< Index into Case::pipelines.
  uint32_t groups[3] = {1, 1, 1};
  unsigned line = 0;
};

/// Draws the vertices [firstVertex, firstVertex + vertexCount), or the indices in that range of the
/// index buffer, as the topology of the pipeline says. Rectangles and grids of scripts are draws of
/// vertices that the reader makes.
struct Draw {
  unsigned pipeline = 0; ///< Index into Case::pipelines.
  bool indexed = false;
  uint32_t firstVertex = 0, vertexCount = 0; ///< Indices where \p indexed.
  uint32_t firstInstance = 0, instanceCount = 1;
  int32_t vertexOffset = 0; ///< Added to each index.
  unsigned line = 0;
};

/// Clears all attachments of a graphics pipeline.
struct Clear {
  unsigned pipeline = 0;         ///< Index into Case::pipelines.
  float color[4] = {0, 0, 0, 0}; ///< Of every colour attachment.
  float depth = 1;
  uint32_t stencil = 0;
  unsigned line = 0;
};

/// The bytes that a copy reads and writes. All numbers are bytes.
struct CopyRange {
  uint64_t sourceOffset = 0;
  uint64_t destinationOffset = 0;
  uint64_t bytes = 0;

  bool operator==(const CopyRange &) const = default;
};

/// Copies bytes of one buffer into another.
struct BufferCopy {
  unsigned source = 0;
  unsigned destination = 0;
  unsigned line = 0;
  /// None: all bytes of both, which then have the same size (COPY of AmberScript).
  std::optional<CopyRange> range = std::nullopt;
};

enum class Comparator { Eq, Ne, Lt, Le, Gt, Ge };
enum class ExpectationKind { Values, EqualBuffers, RmseBuffers, HistogramBuffers };

/// How far a value may lie from the expected one.
struct Tolerance {
  double value = 0;
  bool percent = false;
};

/// One EXPECT or probe, judged on the buffers as they are at that point of the script.
struct Expectation {
  ExpectationKind kind = ExpectationKind::Values;
  unsigned buffer = 0;
  unsigned otherBuffer = 0; ///< Of the kinds that compare buffers.
  uint64_t byteOffset = 0;  ///< Values: where the first value stands.
  DataFormat format;        ///< Values: how the bytes are read, element after element.
  Comparator comparator = Comparator::Eq;
  std::vector<uint64_t> values; ///< Bits, zero-extended, as format.scalar; components in order.
  std::vector<Tolerance> tolerances; ///< None, one for all, or one per component of an element.
  /// RmseBuffers: the bound; HistogramBuffers: that of the earth mover's distance between the
  /// histograms of a channel (elements are four bytes), where 1 is the whole range.
  double rmse = 0;
  unsigned line = 0;
  std::string text; ///< The line as written, for messages.
};

/// Visited with std::visit and Overloaded, so that a new kind is missed nowhere.
using Command = std::variant<Dispatch, Draw, Clear, BufferCopy, Expectation>;

/// Why a machine can't run a case that is perfectly good.
struct Requirement {
  std::string reason; ///< "storage images (line 12)".
};

struct Case {
  std::string id;              ///< Stable name: path as given, without the folder of the corpus.
  std::string path;            ///< Where it was read from.
  std::vector<Buffer> buffers; ///< And images.
  std::vector<Sampler> samplers;
  std::vector<AddressPatch> addresses;
  std::vector<CasePipeline> pipelines;
  std::vector<Command> commands; ///< In order of the script.
  /// Names of device features and extensions the case needs, as Amber spells them ("shaderInt16",
  /// "VK_KHR_shader_clock"). A machine that lacks one gives Unsupported.
  std::vector<std::string> features;
  /// Subgroup sizes under which the expectations hold; empty = every one.
  std::vector<uint32_t> subgroupSizes;
  /// What the script needs beyond what Assay reads; not empty = every verdict is unsupported.
  std::vector<Requirement> unsupported;
};

/// The pipeline that \p command runs or clears, if it does either.
std::optional<unsigned> getPipeline(const Command &command);

/// Calls \p visit with each number of a buffer in \p input: of bindings, attachments, vertices and
/// indices, addresses, and commands. Numbers without a meaning (of a sampler's binding, the second
/// buffer of values) are among them.
void forEachBufferNumber(Case &input, llvm::function_ref<void(unsigned &)> visit);
/// The same for numbers that have a meaning, and without changing them.
void forEachBufferUse(const Case &input, llvm::function_ref<void(unsigned)> visit);

/// A checkpoint is a maximal run of Expectations, and one more is at the end of the script:
/// the points at which buffers are looked at. Returns how many there are.
unsigned countCheckpoints(const Case &input);

} // namespace assay
