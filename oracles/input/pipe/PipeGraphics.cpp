// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/pipe/PipeGraphics.h"

#include "oracles/api/TexelFormat.h"
#include "oracles/input/GraphicsNames.h"
#include "oracles/input/Literals.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

constexpr uint64_t maxTargets = 8, maxVertexInputs = 64; ///< Of one pipeline.

/// What a flag of [GraphicsPipelineState] does.
struct FlagRow {
  StringLiteral key;
  void (*set)(GraphicsState &, bool);
};

/// A number of [GraphicsPipelineState].
struct NumberRow {
  StringLiteral key;
  uint64_t max;
  void (*set)(GraphicsState &, uint32_t);
};

/// A setting that Assay has no state for: anything but 0 is unsupported.
struct UnsupportedRow {
  StringLiteral key;
  StringLiteral reason; ///< For Case::unsupported.
};

} // namespace

/// Settings that are 0, 1, true or false.
static constexpr FlagRow flagRows[] = {
    {"depthClipEnable", [](GraphicsState &state, bool on) { state.rasterization.depthClip = on; }},
    {"rasterizerDiscardEnable",
     [](GraphicsState &state, bool on) { state.rasterization.discard = on; }},
    {"depthBiasEnable", [](GraphicsState &state, bool on) { state.rasterization.depthBias = on; }},
    {"alphaToCoverageEnable",
     [](GraphicsState &state, bool on) { state.multisample.alphaToCoverage = on; }},
    {"perSampleShading", [](GraphicsState &state, bool on) {
       state.multisample.sampleShading = on;
       state.multisample.minSampleShading = on ? 1 : 0;
     }}};

/// Settings that are numbers from 0 to their maximum.
static constexpr NumberRow numberRows[] = {
    {"patchControlPoints", 32,
     [](GraphicsState &state, uint32_t value) { state.input.patchControlPoints = value; }},
    {"numSamples", 64, [](GraphicsState &state, uint32_t value) {
       state.multisample.samples = std::max(value, 1u);
     }}};

/// Settings that make the case unsupported, unless they are 0.
static constexpr UnsupportedRow unsupportedRows[] = {
    {"enableMultiView", "multiview"},
    {"usrClipPlaneMask", "user clip planes"},
    {"innerCoverage", "inner coverage"},
    {"rasterStream", "rasterization of other streams"},
    {"useVertexBufferDescArray", "vertex buffers as an array of descriptors"},
    {"useSoftwareVertexBufferDescriptors", "vertex buffers as an array of descriptors"},
    {"enableColorClampVs", "OpenGL"},
    {"enableColorClampFs", "OpenGL"},
    {"enableFlatShade", "OpenGL"},
    {"enableMapClipDistMask", "OpenGL"},
    {"disablePointCoord", "OpenGL"},
    {"alphaTestFunc", "OpenGL"},
    {"numTexPointSprite", "OpenGL"},
    {"texPointSpriteLocs", "OpenGL"}};

/// Settings that say how to compile, or of dynamic state, and leave the program what it is.
static constexpr StringLiteral ignoredKeys[] = {"deviceIndex",
                                                "disableVertexReuse",
                                                "switchWinding",
                                                "pixelShaderSamples",
                                                "samplePatternIdx",
                                                "dynamicSampleInfo",
                                                "dualSourceBlendDynamic",
                                                "unlinked",
                                                "dynamicVertexStride",
                                                "enableUberFetchShader",
                                                "enableColorExportShader",
                                                "enableEarlyCompile",
                                                "dynamicTopology",
                                                "enableInitUndefZero",
                                                "originUpperLeft",
                                                "vbAddressLowBitsKnown",
                                                "forceDisableStreamOut",
                                                "forceEnablePrimStats",
                                                "clientMetadata",
                                                "shaderTraceMask",
                                                "shaderLibrary",
                                                "includeDisassembly",
                                                "includeIr",
                                                "scalarBlockLayout"};
/// What the keys of further such settings begin with.
static constexpr StringLiteral ignoredPrefixes[] = {"nggState.", "rtState.", "tessLevelInner[",
                                                    "tessLevelOuter[", "outLocationMaps["};

PipeGraphics::PipeGraphics() {
  // LLPC's state is all zeros before it is read.
  m_state.input.topology = PrimitiveTopology::PointList;
  m_state.depthStencil.depthCompare = CompareOp::Always;
}

/// InvalidInput with the value, cut off at 60 characters, and its key.
static Error unknownValue(StringRef key, StringRef value) {
  return invalidInput("unknown value '" + value.take_front(60) + "' of '" + key + "'");
}

/// The value that \p names calls \p value, whose name has \p prefix before it.
/// The names are compared without their case.
template <typename Value, size_t Size>
static Error readName(StringRef key, StringRef value, StringRef prefix,
                      const NamedValue<Value> (&names)[Size], Value &result) {
  StringRef name = value;
  if (name.consume_front(prefix))
    for (const NamedValue<Value> &row : names)
      if (StringRef(row.name).equals_insensitive(name)) {
        result = row.value;
        return Error::success();
      }
  return unknownValue(key, value);
}

/// Reads 0, 1, true or false.
static Expected<bool> readFlag(StringRef key, StringRef value) {
  if (value == "1" || value == "true")
    return true;
  if (value == "0" || value == "false")
    return false;
  return unknownValue(key, value);
}

/// Reads a setting that has a name of Vulkan's as its value. InvalidInput for an unknown key.
static Error readNames(StringRef key, StringRef value, GraphicsState &state) {
  static constexpr NamedValue<CullFaces> cullModes[] = {{"NONE", CullNone},
                                                        {"FRONT_BIT", CullFront},
                                                        {"BACK_BIT", CullBack},
                                                        {"FRONT_AND_BACK", CullFrontAndBack}};
  static constexpr NamedValue<FrontFace> frontFaces[] = {
      {"COUNTER_CLOCKWISE", FrontFace::CounterClockwise}, {"CLOCKWISE", FrontFace::Clockwise}};
  static constexpr NamedValue<ProvokingVertex> provoking[] = {
      {"FIRST_VERTEX_EXT", ProvokingVertex::First}, {"LAST_VERTEX_EXT", ProvokingVertex::Last}};
  RasterizationState &raster = state.rasterization;
  if (key == "topology")
    return readName(key, value, "VK_PRIMITIVE_TOPOLOGY_", topologies, state.input.topology);
  if (key == "polygonMode")
    return readName(key, value, "VK_POLYGON_MODE_", polygonModes, raster.polygonMode);
  if (key == "cullMode")
    return readName(key, value, "VK_CULL_MODE_", cullModes, raster.cullMode);
  if (key == "frontFace")
    return readName(key, value, "VK_FRONT_FACE_", frontFaces, raster.frontFace);
  if (key == "provokingVertexMode")
    return readName(key, value, "VK_PROVOKING_VERTEX_MODE_", provoking, raster.provokingVertex);
  return invalidInput("unknown setting '" + key.take_front(60) + "' of a graphics pipeline");
}

/// "NAME[i].member": the index and the member.
static Expected<std::pair<uint64_t, StringRef>> splitIndex(StringRef key, StringRef name,
                                                           uint64_t count) {
  auto [index, member] = key.drop_front(name.size()).split("].");
  Expected<uint64_t> place = parseUnsigned(index, count - 1, "an index of " + name.str() + "]");
  if (!place)
    return place.takeError();
  return std::pair(*place, member);
}

/// Ignores known keys without effect on the program; keys that Assay lacks become requirements
/// unless they are 0. InvalidInput for unknown keys and bad values.
Error PipeGraphics::readState(StringRef key, StringRef value) {
  if (key.starts_with("colorBuffer[")) {
    auto place = splitIndex(key, "colorBuffer[", maxTargets);
    return place ? readTarget(place->first, place->second, value) : place.takeError();
  }
  if (is_contained(ignoredKeys, key) ||
      any_of(ignoredPrefixes, [&](StringRef prefix) { return key.starts_with(prefix); }))
    return Error::success();
  for (const UnsupportedRow &row : unsupportedRows)
    if (row.key == key) {
      if (value != "0" && value != "false")
        m_unsupported.push_back(row.reason.str());
      return Error::success();
    }
  if (key.starts_with("uniformConstantMaps[") || key.starts_with("advancedBlendInfo.") ||
      key.starts_with("xfbOutInfo[")) {
    m_unsupported.push_back("'" + key.str() + "'");
    return Error::success();
  }
  for (const NumberRow &row : numberRows)
    if (row.key == key) {
      Expected<uint64_t> number = parseUnsigned(value, row.max, key);
      if (!number)
        return number.takeError();
      row.set(m_state, static_cast<uint32_t>(*number));
      return Error::success();
    }
  bool isDualSource = key == "dualSourceBlendEnable";
  const FlagRow *row =
      find_if(flagRows, [&](const FlagRow &candidate) { return candidate.key == key; });
  if (!isDualSource && row == std::end(flagRows))
    return readNames(key, value, m_state);
  Expected<bool> isOn = readFlag(key, value);
  if (!isOn)
    return isOn.takeError();
  if (isDualSource)
    m_dualSource = *isOn;
  else
    row->set(m_state, *isOn);
  return Error::success();
}

/// A format that has no row in TexelFormat.h is left undefined and is a reason.
Error PipeGraphics::readFormat(StringRef value, TexelFormat &format) {
  if (value == "VK_FORMAT_UNDEFINED") {
    format = TexelFormat::Undefined;
    return Error::success();
  }
  if (!value.starts_with("VK_FORMAT_"))
    return unknownValue("format", value);
  std::optional<TexelFormat> found = findTexelFormat(value);
  if (!found)
    m_unsupported.push_back(value.str());
  format = found.value_or(TexelFormat::Undefined);
  return Error::success();
}

/// A member of colorBuffer[index].
Error PipeGraphics::readTarget(uint64_t index, StringRef member, StringRef value) {
  Target &target = m_targets[index];
  if (member == "format")
    return readFormat(value, target.state.format);
  if (member == "palFormat")
    return Error::success();
  if (member == "channelWriteMask") {
    Expected<uint64_t> mask = parseUnsigned(value, 0xf, member);
    if (!mask)
      return mask.takeError();
    target.state.writeMask = static_cast<uint8_t>(*mask);
    return Error::success();
  }
  bool isBlend = member == "blendEnable";
  if (!isBlend && member != "blendSrcAlphaToColor")
    return invalidInput("unknown member '" + member.take_front(40) + "' of a color buffer");
  Expected<bool> isOn = readFlag(member, value);
  if (!isOn)
    return isOn.takeError();
  (isBlend ? target.state.blend : target.blendsAlphaToColor) = *isOn;
  return Error::success();
}

/// InvalidInput for unknown keys and indices above maxVertexInputs.
Error PipeGraphics::readVertexInput(StringRef key, StringRef value) {
  if (is_contained(ignoredKeys, key))
    return Error::success();
  using Reader = Error (PipeGraphics::*)(uint64_t, StringRef, StringRef);
  static constexpr std::pair<StringLiteral, Reader> readers[] = {
      {"binding[", &PipeGraphics::readBinding},
      {"attribute[", &PipeGraphics::readAttribute},
      {"divisor[", &PipeGraphics::readDivisor}};
  for (const auto &[name, reader] : readers)
    if (key.starts_with(name)) {
      auto place = splitIndex(key, name, maxVertexInputs);
      return place ? (this->*reader)(place->first, place->second, value) : place.takeError();
    }
  return invalidInput("unknown setting '" + key.take_front(60) + "' of the vertex input");
}

/// Reads an unsigned number of 32 bits.
static Error readNumber(StringRef what, StringRef value, uint32_t &result) {
  Expected<uint64_t> number = parseUnsigned(value, ~0u, what);
  if (!number)
    return number.takeError();
  result = static_cast<uint32_t>(*number);
  return Error::success();
}

/// A member of binding[index]; the index is the entry's, not the binding's number.
Error PipeGraphics::readBinding(uint64_t index, StringRef member, StringRef value) {
  VertexInputBinding &binding = m_bindings[index];
  if (member == "binding")
    return readNumber(member, value, binding.binding);
  if (member == "stride")
    return readNumber(member, value, binding.stride);
  if (member != "inputRate")
    return invalidInput("unknown member '" + member.take_front(40) + "' of a binding");
  binding.perInstance = value == "VK_VERTEX_INPUT_RATE_INSTANCE";
  if (!binding.perInstance && value != "VK_VERTEX_INPUT_RATE_VERTEX")
    return unknownValue(member, value);
  return Error::success();
}

/// A member of attribute[index].
Error PipeGraphics::readAttribute(uint64_t index, StringRef member, StringRef value) {
  VertexInputAttribute &attribute = m_attributes[index];
  if (member == "location")
    return readNumber(member, value, attribute.location);
  if (member == "binding")
    return readNumber(member, value, attribute.binding);
  if (member == "offset")
    return readNumber(member, value, attribute.offset);
  if (member == "format")
    return readFormat(value, attribute.format);
  if (member == "vbAddressLowBits")
    return Error::success();
  return invalidInput("unknown member '" + member.take_front(40) + "' of an attribute");
}

/// A member of divisor[index].
Error PipeGraphics::readDivisor(uint64_t index, StringRef member, StringRef value) {
  std::pair<uint32_t, uint32_t> &divisor = m_divisors[index];
  if (member == "binding")
    return readNumber(member, value, divisor.first);
  if (member == "divisor")
    return readNumber(member, value, divisor.second);
  return invalidInput("unknown member '" + member.take_front(40) + "' of a divisor");
}

/// Files say whether a target is blended and whether the source's alpha takes part, not how: such
/// factors are chosen that have these properties.
void PipeGraphics::finishTargets() {
  for (auto &[index, target] : m_targets) {
    if (target.state.blend) {
      target.state.srcColor = target.blendsAlphaToColor ? BlendFactor::SrcAlpha : BlendFactor::One;
      target.state.dstColor = BlendFactor::One;
    }
    m_state.colorTargets.resize(index + 1);
    m_state.colorTargets[index] = target.state;
  }
  if (!m_dualSource || m_state.colorTargets.empty())
    return;
  m_state.colorTargets[0].blend = true;
  m_state.colorTargets[0].dstColor = BlendFactor::Src1Color;
}

/// Copies bindings and attributes to the state, sorted by number and location. Divisors of bindings
/// that do not exist are ignored. InvalidInput for a number or location that is there twice.
Error PipeGraphics::finishVertexInput() {
  InputAssemblyState &input = m_state.input;
  for (const auto &[index, binding] : m_bindings)
    input.bindings.push_back(binding);
  // LLPC takes a binding that is not described as one of stride 0.
  for (const auto &[index, attribute] : m_attributes)
    if (none_of(input.bindings, [&](const VertexInputBinding &binding) {
          return binding.binding == attribute.binding;
        }))
      input.bindings.push_back({.binding = attribute.binding});
  llvm::sort(input.bindings, [](const auto &a, const auto &b) { return a.binding < b.binding; });
  for (const auto &[index, divisor] : m_divisors)
    for (VertexInputBinding &binding : input.bindings)
      if (binding.binding == divisor.first)
        binding.divisor = divisor.second;
  for (const auto &[index, attribute] : m_attributes)
    input.attributes.push_back(attribute);
  llvm::sort(input.attributes,
             [](const auto &a, const auto &b) { return a.location < b.location; });
  for (size_t i = 1; i < input.bindings.size(); ++i)
    if (input.bindings[i].binding == input.bindings[i - 1].binding)
      return invalidInput("binding " + Twine(input.bindings[i].binding) +
                          " of the vertex input is described twice");
  for (size_t i = 1; i < input.attributes.size(); ++i)
    if (input.attributes[i].location == input.attributes[i - 1].location)
      return invalidInput("location " + Twine(input.attributes[i].location) +
                          " of the vertex input is described twice");
  return Error::success();
}

/// InvalidInput where sample count, targets or vertex inputs do not go together.
Expected<GraphicsState> PipeGraphics::finish() {
  if (!isPowerOf2_32(m_state.multisample.samples))
    return invalidInput(Twine(m_state.multisample.samples) + " samples are no power of two");
  finishTargets();
  if (Error bad = finishVertexInput())
    return std::move(bad);
  return m_state;
}
