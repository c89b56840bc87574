// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fixed-function state of a graphics pipeline: VkGraphicsPipelineCreateInfo (Vulkan 1.3, 10.3)
// with dynamic rendering's formats. Enumerators that say so are in the order of Vulkan's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

/// A VkFormat, by its number. oracles/api/TexelFormat.h describes those of colour and data.
enum class TexelFormat : uint16_t { Undefined = 0 };

enum class CompareOp : uint8_t { // In the order of VkCompareOp.
  Never,
  Less,
  Equal,
  LessOrEqual,
  Greater,
  NotEqual,
  GreaterOrEqual,
  Always
};

enum class PrimitiveTopology : uint8_t { // In the order of VkPrimitiveTopology.
  PointList,
  LineList,
  LineStrip,
  TriangleList,
  TriangleStrip,
  TriangleFan,
  LineListWithAdjacency,
  LineStripWithAdjacency,
  TriangleListWithAdjacency,
  TriangleStripWithAdjacency,
  PatchList
};

enum class PolygonMode : uint8_t { Fill, Line, Point }; // In the order of VkPolygonMode.
enum class FrontFace : uint8_t { CounterClockwise, Clockwise };
enum class ProvokingVertex : uint8_t { First, Last };

/// VkCullModeFlags: a set of faces.
enum CullFaces : uint8_t { CullNone = 0, CullFront = 1, CullBack = 2, CullFrontAndBack = 3 };

enum class StencilOp : uint8_t { // In the order of VkStencilOp.
  Keep,
  Zero,
  Replace,
  IncrementAndClamp,
  DecrementAndClamp,
  Invert,
  IncrementAndWrap,
  DecrementAndWrap
};

enum class BlendFactor : uint8_t { // In the order of VkBlendFactor.
  Zero,
  One,
  SrcColor,
  OneMinusSrcColor,
  DstColor,
  OneMinusDstColor,
  SrcAlpha,
  OneMinusSrcAlpha,
  DstAlpha,
  OneMinusDstAlpha,
  ConstantColor,
  OneMinusConstantColor,
  ConstantAlpha,
  OneMinusConstantAlpha,
  SrcAlphaSaturate,
  Src1Color,
  OneMinusSrc1Color,
  Src1Alpha,
  OneMinusSrc1Alpha
};

enum class BlendOp : uint8_t { // In the order of VkBlendOp.
  Add,
  Subtract,
  ReverseSubtract,
  Min,
  Max
};

/// VK_EXT_blend_operation_advanced, in the order of VkBlendOp from VK_BLEND_OP_ZERO_EXT on.
enum class AdvancedBlendOp : uint8_t {
  Zero,
  Src,
  Dst,
  SrcOver,
  DstOver,
  SrcIn,
  DstIn,
  SrcOut,
  DstOut,
  SrcAtop,
  DstAtop,
  Xor,
  Multiply,
  Screen,
  Overlay,
  Darken,
  Lighten,
  ColorDodge,
  ColorBurn,
  HardLight,
  SoftLight,
  Difference,
  Exclusion,
  Invert,
  InvertRgb,
  LinearDodge,
  LinearBurn,
  VividLight,
  LinearLight,
  PinLight,
  HardMix,
  HslHue,
  HslSaturation,
  HslColor,
  HslLuminosity,
  Plus,
  PlusClamped,
  PlusClampedAlpha,
  PlusDarker,
  Minus,
  MinusClamped,
  Contrast,
  InvertOvg,
  Red,
  Green,
  Blue
};

enum class LogicOp : uint8_t { // In the order of VkLogicOp.
  Clear,
  And,
  AndReverse,
  Copy,
  AndInverted,
  NoOp,
  Xor,
  Or,
  Nor,
  Equivalent,
  Invert,
  OrReverse,
  CopyInverted,
  OrInverted,
  Nand,
  Set
};

struct VertexInputBinding {
  uint32_t binding = 0;
  uint32_t stride = 0; ///< Bytes from an element to the next.
  bool perInstance = false;
  uint32_t divisor = 1; ///< Instances that use one element; 0: all.
  bool operator==(const VertexInputBinding &) const = default;
};

struct VertexInputAttribute {
  uint32_t location = 0;
  uint32_t binding = 0;
  TexelFormat format = TexelFormat::Undefined;
  uint32_t offset = 0; ///< Bytes into the element.
  bool operator==(const VertexInputAttribute &) const = default;
};

struct InputAssemblyState {
  PrimitiveTopology topology = PrimitiveTopology::TriangleList;
  bool primitiveRestart = false;
  uint32_t patchControlPoints = 3;
  std::vector<VertexInputBinding> bindings;     ///< Ascending binding.
  std::vector<VertexInputAttribute> attributes; ///< Ascending location.
  bool operator==(const InputAssemblyState &) const = default;
};

/// VkViewport, in pixels of the framebuffer.
struct Viewport {
  float x = 0, y = 0, width = 0, height = 0;
  float minDepth = 0, maxDepth = 1;
  bool operator==(const Viewport &) const = default;
};

struct RasterizationState {
  bool depthClamp = false;
  bool depthClip = true; ///< VkPipelineRasterizationDepthClipStateCreateInfoEXT.
  bool discard = false;  ///< rasterizerDiscardEnable.
  PolygonMode polygonMode = PolygonMode::Fill;
  CullFaces cullMode = CullNone;
  FrontFace frontFace = FrontFace::CounterClockwise;
  bool depthBias = false;
  float depthBiasConstant = 0, depthBiasClamp = 0, depthBiasSlope = 0;
  float lineWidth = 1;
  ProvokingVertex provokingVertex = ProvokingVertex::First;
  bool operator==(const RasterizationState &) const = default;
};

struct MultisampleState {
  uint32_t samples = 1; ///< Power of two, 1 to 64.
  bool sampleShading = false;
  float minSampleShading = 0;
  uint64_t sampleMask = ~uint64_t(0);
  bool alphaToCoverage = false;
  bool alphaToOne = false;
  bool operator==(const MultisampleState &) const = default;
};

struct StencilFaceState {
  StencilOp fail = StencilOp::Keep, pass = StencilOp::Keep, depthFail = StencilOp::Keep;
  CompareOp compare = CompareOp::Always;
  uint32_t compareMask = 0xff, writeMask = 0xff, reference = 0;
  bool operator==(const StencilFaceState &) const = default;
};

struct DepthStencilState {
  bool depthTest = false;
  bool depthWrite = false;
  CompareOp depthCompare = CompareOp::Less;
  bool depthBoundsTest = false;
  float minDepthBounds = 0, maxDepthBounds = 1;
  bool stencilTest = false;
  StencilFaceState front, back;
  bool operator==(const DepthStencilState &) const = default;
};

/// One colour target: its format, and VkPipelineColorBlendAttachmentState.
struct ColorTarget {
  TexelFormat format = TexelFormat::Undefined;
  bool blend = false;
  BlendFactor srcColor = BlendFactor::One, dstColor = BlendFactor::Zero;
  BlendOp colorOp = BlendOp::Add;
  BlendFactor srcAlpha = BlendFactor::One, dstAlpha = BlendFactor::Zero;
  BlendOp alphaOp = BlendOp::Add;
  /// Replaces both operations and all factors.
  std::optional<AdvancedBlendOp> advancedOp = std::nullopt;
  uint8_t writeMask = 0xf; ///< Bit 0 red to bit 3 alpha.
  bool operator==(const ColorTarget &) const = default;
};

/// All state of a graphics pipeline apart from its shaders and its layout.
struct GraphicsState {
  InputAssemblyState input;
  Viewport viewport; ///< The scissor is the whole framebuffer.
  RasterizationState rasterization;
  MultisampleState multisample;
  DepthStencilState depthStencil;
  TexelFormat depthStencilFormat = TexelFormat::Undefined; ///< Undefined: there is no attachment.
  std::vector<ColorTarget> colorTargets;                   ///< Index = location.
  std::optional<LogicOp> logicOp = std::nullopt;
  float blendConstants[4] = {0, 0, 0, 0};
  bool operator==(const GraphicsState &) const = default;
};

} // namespace assay
