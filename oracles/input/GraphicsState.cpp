// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/GraphicsState.h"

#include "oracles/input/GraphicsNames.h"
#include "oracles/input/Literals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads "true" or "false" in any case. InvalidInput for other words.
static Error readSwitch(LineCursor &line, StringRef key, bool &value) {
  Expected<StringRef> word = line.word("true or false after " + key);
  if (!word)
    return word.takeError();
  value = word->equals_insensitive("true");
  if (!value && !word->equals_insensitive("false"))
    return line.error("expected true or false instead of '" + word->take_front(40) + "'");
  return Error::success();
}

/// Reads a finite number and rounds it to single precision. InvalidInput for infinities, NaN and
/// what overflows to them.
static Error readReal(LineCursor &line, StringRef key, float &value) {
  Expected<StringRef> word = line.word("a value of " + key);
  if (!word)
    return word.takeError();
  Expected<double> number = parseReal(*word, key);
  if (!number)
    return atLine(line.line(), number.takeError());
  value = static_cast<float>(*number);
  return std::isfinite(value) ? Error::success() : line.error(key + " must be a finite number");
}

/// Reads a number of 32 bits and keeps its low 8 bits, as stencil values have.
static Error readByte(LineCursor &line, StringRef key, uint32_t &value) {
  Expected<uint64_t> number = line.number(key, ~0u);
  if (!number)
    return number.takeError();
  value = static_cast<uint32_t>(*number & 0xff);
  return Error::success();
}

/// "VK_BLEND_OP_HARDLIGHT_EXT" is "hard_light": Vulkan's names are those of AmberScript in
/// capitals, except for where words end.
static bool isVulkanName(StringRef word, StringRef prefix, StringRef name) {
  if (!word.consume_front(prefix))
    return false;
  word.consume_back("_EXT");
  std::string plain = word.lower();
  erase(plain, '_');
  std::string wanted = name.lower();
  erase(wanted, '_');
  return plain == wanted;
}

/// Reads a name of Vulkan's with \p prefix; \p rows have AmberScript's names for the same values.
template <typename T, size_t N>
static Error readVulkanName(LineCursor &line, StringRef key, StringRef prefix,
                            const NamedValue<T> (&rows)[N], T &value) {
  Expected<StringRef> word = line.word("a value of " + key);
  if (!word)
    return word.takeError();
  for (const NamedValue<T> &row : rows)
    if (isVulkanName(*word, prefix, row.name)) {
      value = row.value;
      return Error::success();
    }
  return line.error("unknown value '" + word->take_front(60) + "' of " + key);
}

/// Flags with | between them, up to the end of the line.
template <size_t N>
static Error readFlags(LineCursor &line, StringRef key, const NamedValue<unsigned> (&rows)[N],
                       unsigned &flags) {
  flags = 0;
  if (line.atEnd())
    return line.error("expected a value of " + key);
  while (!line.atEnd()) {
    StringRef word = cantFail(line.word(""));
    for (StringRef name : split(word, '|')) {
      if (name.empty())
        continue;
      const auto *row = find_if(rows, [&](const auto &each) { return each.name == name; });
      if (row == std::end(rows))
        return line.error("unknown value '" + name.take_front(60) + "' of " + key);
      flags |= row->value;
    }
  }
  return Error::success();
}

static constexpr NamedValue<FrontFace> frontFaces[] = {
    {"counter_clockwise", FrontFace::CounterClockwise}, {"clockwise", FrontFace::Clockwise}};
/// Vulkan's names in lower case, without the prefix "VK_LOGIC_OP_".
static constexpr NamedValue<LogicOp> logicOps[] = {{"clear", LogicOp::Clear},
                                                   {"and", LogicOp::And},
                                                   {"and_reverse", LogicOp::AndReverse},
                                                   {"copy", LogicOp::Copy},
                                                   {"and_inverted", LogicOp::AndInverted},
                                                   {"no_op", LogicOp::NoOp},
                                                   {"xor", LogicOp::Xor},
                                                   {"or", LogicOp::Or},
                                                   {"nor", LogicOp::Nor},
                                                   {"equivalent", LogicOp::Equivalent},
                                                   {"invert", LogicOp::Invert},
                                                   {"or_reverse", LogicOp::OrReverse},
                                                   {"copy_inverted", LogicOp::CopyInverted},
                                                   {"or_inverted", LogicOp::OrInverted},
                                                   {"nand", LogicOp::Nand},
                                                   {"set", LogicOp::Set}};
static constexpr NamedValue<ProvokingVertex> provokingVertices[] = {
    {"first_vertex", ProvokingVertex::First}, {"last_vertex", ProvokingVertex::Last}};
/// Complete names of Vulkan's, as readFlags() compares them.
static constexpr NamedValue<unsigned> cullModes[] = {
    {"VK_CULL_MODE_NONE", CullNone},
    {"VK_CULL_MODE_FRONT_BIT", CullFront},
    {"VK_CULL_MODE_BACK_BIT", CullBack},
    {"VK_CULL_MODE_FRONT_AND_BACK", CullFrontAndBack}};
/// Bits of a colour write mask; "0" is the empty mask.
static constexpr NamedValue<unsigned> components[] = {{"VK_COLOR_COMPONENT_R_BIT", 1},
                                                      {"VK_COLOR_COMPONENT_G_BIT", 2},
                                                      {"VK_COLOR_COMPONENT_B_BIT", 4},
                                                      {"VK_COLOR_COMPONENT_A_BIT", 8},
                                                      {"0", 0}};

/// VK_LOGIC_OP_..., which switches the operation on. VkScript has a switch of its own.
static Error readLogicOp(LineCursor &line, StringRef key, GraphicsState &state) {
  LogicOp op = LogicOp::Clear;
  if (Error error = readVulkanName(line, key, "VK_LOGIC_OP_", logicOps, op))
    return error;
  state.logicOp = op;
  return Error::success();
}

/// The value for all targets.
template <typename Member, typename Read>
static Error forTargets(GraphicsState &state, Member member, Read read) {
  ColorTarget first;
  if (Error error = read(first.*member))
    return error;
  for (ColorTarget &target : state.colorTargets)
    target.*member = first.*member;
  return Error::success();
}

/// The blend factor of all colour targets.
template <BlendFactor ColorTarget::*Member>
static Error readFactor(LineCursor &line, StringRef key, GraphicsState &state) {
  return forTargets(state, Member, [&](BlendFactor &factor) {
    return readVulkanName(line, key, "VK_BLEND_FACTOR_", blendFactors, factor);
  });
}

/// An advanced operation is that of colour and alpha.
template <BlendOp ColorTarget::*Member>
static Error readBlendOp(LineCursor &line, StringRef key, GraphicsState &state) {
  StringRef word = line.peek();
  std::optional<AdvancedBlendOp> advanced;
  for (const NamedValue<AdvancedBlendOp> &row : advancedBlendOps)
    if (word.ends_with("_EXT") && isVulkanName(word, "VK_BLEND_OP_", row.name))
      advanced = row.value;
  for (ColorTarget &target : state.colorTargets)
    target.advancedOp = advanced;
  if (advanced) {
    line.tryWord(word);
    return Error::success();
  }
  return forTargets(state, Member, [&](BlendOp &op) {
    return readVulkanName(line, key, "VK_BLEND_OP_", blendOps, op);
  });
}

/// Reads a switch into \p Member of the state's \p Outer.
template <auto Outer, auto Member>
static Error readBool(LineCursor &line, StringRef key, GraphicsState &state) {
  return readSwitch(line, key, state.*Outer.*Member);
}
/// Reads a number into \p Member of the state's \p Outer.
template <auto Outer, auto Member>
static Error readFloat(LineCursor &line, StringRef key, GraphicsState &state) {
  return readReal(line, key, state.*Outer.*Member);
}
/// Reads the compare operation of one stencil face.
template <StencilFaceState DepthStencilState::*Face, CompareOp StencilFaceState::*Member>
static Error readFaceCompare(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_COMPARE_OP_", compareOps, state.depthStencil.*Face.*Member);
}
/// Reads a stencil operation of one face.
template <StencilFaceState DepthStencilState::*Face, StencilOp StencilFaceState::*Member>
static Error readFaceOp(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_STENCIL_OP_", stencilOps, state.depthStencil.*Face.*Member);
}
/// Reads a mask or reference of one stencil face, 8 bits.
template <StencilFaceState DepthStencilState::*Face, uint32_t StencilFaceState::*Member>
static Error readFaceNumber(LineCursor &line, StringRef key, GraphicsState &state) {
  return readByte(line, key, state.depthStencil.*Face.*Member);
}

/// Without VK_EXT_depth_clip_enable, clamping turns clipping off.
/// A later depthClipEnable overrides this.
static Error readDepthClamp(LineCursor &line, StringRef key, GraphicsState &state) {
  Error error = readSwitch(line, key, state.rasterization.depthClamp);
  state.rasterization.depthClip = !state.rasterization.depthClamp;
  return error;
}

/// Turning the switch on keeps an operation that was said before; off forgets it. Without such an
/// operation it is "clear".
static Error readLogicOpEnable(LineCursor &line, StringRef key, GraphicsState &state) {
  bool isOn = false;
  if (Error error = readSwitch(line, key, isOn))
    return error;
  state.logicOp = isOn ? std::optional(state.logicOp.value_or(LogicOp::Clear)) : std::nullopt;
  return Error::success();
}

/// Switches blending for all colour targets.
static Error readBlendEnable(LineCursor &line, StringRef key, GraphicsState &state) {
  return forTargets(state, &ColorTarget::blend,
                    [&](bool &value) { return readSwitch(line, key, value); });
}

/// The following readers expect one of Vulkan's names, with its prefix.
static Error readTopology(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_PRIMITIVE_TOPOLOGY_", topologies, state.input.topology);
}
static Error readPolygonMode(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_POLYGON_MODE_", polygonModes,
                        state.rasterization.polygonMode);
}
static Error readFrontFace(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_FRONT_FACE_", frontFaces, state.rasterization.frontFace);
}
/// Several faces may be combined with "|".
static Error readCullMode(LineCursor &line, StringRef key, GraphicsState &state) {
  unsigned flags = 0;
  Error error = readFlags(line, key, cullModes, flags);
  state.rasterization.cullMode = static_cast<CullFaces>(flags);
  return error;
}
/// The write mask of all colour targets.
static Error readWriteMask(LineCursor &line, StringRef key, GraphicsState &state) {
  unsigned flags = 0;
  Error error = readFlags(line, key, components, flags);
  for (ColorTarget &target : state.colorTargets)
    target.writeMask = static_cast<uint8_t>(flags);
  return error;
}
static Error readProvokingVertex(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_PROVOKING_VERTEX_MODE_", provokingVertices,
                        state.rasterization.provokingVertex);
}
/// A number of 64 bits, of which bit n is that of sample n.
static Error readSampleMask(LineCursor &line, StringRef key, GraphicsState &state) {
  Expected<uint64_t> number = line.number(key, ~uint64_t(0));
  if (!number)
    return number.takeError();
  state.multisample.sampleMask = *number;
  return Error::success();
}
/// Four numbers: red, green, blue, alpha.
static Error readBlendConstants(LineCursor &line, StringRef key, GraphicsState &state) {
  for (float &constant : state.blendConstants)
    if (Error error = readReal(line, key, constant))
      return error;
  return Error::success();
}
/// "divisor BINDING N"; Amber's n-th VERTEX_DATA is binding n.
static Error readDivisor(LineCursor &line, StringRef key, GraphicsState &state) {
  Expected<uint64_t> number = line.number("a binding", ~0u);
  if (!number)
    return number.takeError();
  auto binding = find_if(state.input.bindings,
                         [&](const VertexInputBinding &each) { return each.binding == *number; });
  if (binding == state.input.bindings.end() || !binding->perInstance)
    return line.error("binding " + Twine(*number) + " is none of instances");
  Expected<uint64_t> divisor = line.number(key, ~0u);
  if (!divisor)
    return divisor.takeError();
  binding->divisor = static_cast<uint32_t>(*divisor);
  return Error::success();
}
static Error readDepthCompare(LineCursor &line, StringRef key, GraphicsState &state) {
  return readVulkanName(line, key, "VK_COMPARE_OP_", compareOps, state.depthStencil.depthCompare);
}

namespace {
/// A key and the function that reads its value.
struct StateRow {
  StringRef key;
  Error (*read)(LineCursor &line, StringRef key, GraphicsState &state);
  bool isVkScript = true; ///< False: only the directive STATE has it.
};
using S = GraphicsState;
using D = DepthStencilState;
using R = RasterizationState;
using F = StencilFaceState;
using M = MultisampleState;
} // namespace

/// All keys that a script can set. Keys of VkScript come first.
static constexpr StateRow rows[] = {
    {"primitiveRestartEnable", readBool<&S::input, &InputAssemblyState::primitiveRestart>},
    {"depthClampEnable", readDepthClamp},
    {"rasterizerDiscardEnable", readBool<&S::rasterization, &R::discard>},
    {"depthBiasEnable", readBool<&S::rasterization, &R::depthBias>},
    {"logicOpEnable", readLogicOpEnable},
    {"blendEnable", readBlendEnable},
    {"depthTestEnable", readBool<&S::depthStencil, &D::depthTest>},
    {"depthWriteEnable", readBool<&S::depthStencil, &D::depthWrite>},
    {"depthBoundsTestEnable", readBool<&S::depthStencil, &D::depthBoundsTest>},
    {"stencilTestEnable", readBool<&S::depthStencil, &D::stencilTest>},
    {"topology", readTopology},
    {"polygonMode", readPolygonMode},
    {"logicOp", readLogicOp},
    {"frontFace", readFrontFace},
    {"cullMode", readCullMode},
    {"depthBiasConstantFactor", readFloat<&S::rasterization, &R::depthBiasConstant>},
    {"depthBiasClamp", readFloat<&S::rasterization, &R::depthBiasClamp>},
    {"depthBiasSlopeFactor", readFloat<&S::rasterization, &R::depthBiasSlope>},
    {"lineWidth", readFloat<&S::rasterization, &R::lineWidth>},
    {"minDepthBounds", readFloat<&S::depthStencil, &D::minDepthBounds>},
    {"maxDepthBounds", readFloat<&S::depthStencil, &D::maxDepthBounds>},
    {"srcColorBlendFactor", readFactor<&ColorTarget::srcColor>},
    {"dstColorBlendFactor", readFactor<&ColorTarget::dstColor>},
    {"srcAlphaBlendFactor", readFactor<&ColorTarget::srcAlpha>},
    {"dstAlphaBlendFactor", readFactor<&ColorTarget::dstAlpha>},
    {"colorBlendOp", readBlendOp<&ColorTarget::colorOp>},
    {"alphaBlendOp", readBlendOp<&ColorTarget::alphaOp>},
    {"depthCompareOp", readDepthCompare},
    {"front.compareOp", readFaceCompare<&D::front, &F::compare>},
    {"back.compareOp", readFaceCompare<&D::back, &F::compare>},
    {"front.failOp", readFaceOp<&D::front, &F::fail>},
    {"front.passOp", readFaceOp<&D::front, &F::pass>},
    {"front.depthFailOp", readFaceOp<&D::front, &F::depthFail>},
    {"back.failOp", readFaceOp<&D::back, &F::fail>},
    {"back.passOp", readFaceOp<&D::back, &F::pass>},
    {"back.depthFailOp", readFaceOp<&D::back, &F::depthFail>},
    {"front.compareMask", readFaceNumber<&D::front, &F::compareMask>},
    {"back.compareMask", readFaceNumber<&D::back, &F::compareMask>},
    {"front.writeMask", readFaceNumber<&D::front, &F::writeMask>},
    {"back.writeMask", readFaceNumber<&D::back, &F::writeMask>},
    {"front.reference", readFaceNumber<&D::front, &F::reference>},
    {"back.reference", readFaceNumber<&D::back, &F::reference>},
    {"colorWriteMask", readWriteMask},
    {"depthClipEnable", readBool<&S::rasterization, &R::depthClip>, false},
    {"provokingVertexMode", readProvokingVertex, false},
    {"sampleShadingEnable", readBool<&S::multisample, &M::sampleShading>, false},
    {"minSampleShading", readFloat<&S::multisample, &M::minSampleShading>, false},
    {"sampleMask", readSampleMask, false},
    {"alphaToCoverageEnable", readBool<&S::multisample, &M::alphaToCoverage>, false},
    {"alphaToOneEnable", readBool<&S::multisample, &M::alphaToOne>, false},
    {"blendConstants", readBlendConstants, false},
    {"divisor", readDivisor, false}};

/// Returns the row of \p key, null for an unknown one. Keys are compared with their case.
static const StateRow *findRow(StringRef key) {
  const auto *row = find_if(rows, [&](const StateRow &each) { return each.key == key; });
  return row == std::end(rows) ? nullptr : row;
}

/// True for the names that a directive may use.
bool input::isGraphicsStateKey(StringRef word) {
  return findRow(word) != nullptr;
}

/// True for the names that VkScript has, too.
bool input::isVkScriptStateKey(StringRef word) {
  const StateRow *row = findRow(word);
  return row && row->isVkScript;
}

/// The key must be one of isGraphicsStateKey(). Errors name the line and the key.
Error input::readGraphicsState(LineCursor &line, StringRef key, GraphicsState &state) {
  return findRow(key)->read(line, key, state);
}

/// The shortest decimal number that is read as \p value.
static std::string realOf(float value) {
  char text[32];
  return std::string(text, std::to_chars(text, std::end(text), value).ptr);
}

/// Returns \p prefix and AmberScript's name of \p value in capitals. It fits only enumerations with
/// the same word boundaries in both languages.
template <typename T, size_t N>
static std::string vulkanName(StringRef prefix, const NamedValue<T> (&names)[N], T value) {
  return prefix.str() + StringRef(nameOfValue(names, value)).upper();
}

/// The value as readSwitch() reads it.
template <auto Outer, auto Member> static std::string printBool(const GraphicsState &state) {
  return state.*Outer.*Member ? "true" : "false";
}
template <auto Outer, auto Member> static std::string printFloat(const GraphicsState &state) {
  return realOf(state.*Outer.*Member);
}
/// Copies one member, so that \p said has what was printed.
template <auto Outer, auto Member>
static void copyMember(const GraphicsState &state, GraphicsState &said) {
  said.*Outer.*Member = state.*Outer.*Member;
}

/// The text that readBlendConstants() reads.
static std::string printConstants(const GraphicsState &state) {
  return join(map_range(state.blendConstants, realOf), " ");
}
/// Both faces together have a name of their own, so one name is always enough.
static std::string printCullMode(const GraphicsState &state) {
  return nameOfValue(cullModes, unsigned(state.rasterization.cullMode)).str();
}
/// Returns "" without a logic operation: then no key is printed.
static std::string printLogicOp(const GraphicsState &state) {
  return state.logicOp ? vulkanName("VK_LOGIC_OP_", logicOps, *state.logicOp) : "";
}

/// Of the first target; that of the others must be the same.
static std::string printWriteMask(const GraphicsState &state) {
  std::string text;
  unsigned mask = state.colorTargets.empty() ? 0xf : state.colorTargets.front().writeMask;
  for (const NamedValue<unsigned> &component : components)
    if (mask & component.value)
      text += (text.empty() ? "" : "|") + component.name.str();
  return text.empty() ? "0" : text;
}
/// Targets without a format keep theirs.
static void copyWriteMask(const GraphicsState &state, GraphicsState &said) {
  for (ColorTarget &target : said.colorTargets)
    if (target.format != TexelFormat::Undefined)
      target.writeMask = state.colorTargets.front().writeMask;
}

namespace {
/// A key that says what AmberScript has no words for.
struct PrintedRow {
  StringRef key;
  /// Returns the value as text; "" when it cannot be said.
  std::string (*print)(const GraphicsState &state);
  void (*copy)(const GraphicsState &state, GraphicsState &said);
};
} // namespace

/// A row for a bool.
template <auto Outer, auto Member> static constexpr PrintedRow switchRow(StringRef key) {
  return {key, printBool<Outer, Member>, copyMember<Outer, Member>};
}
/// A row for a float.
template <auto Outer, auto Member> static constexpr PrintedRow numberRow(StringRef key) {
  return {key, printFloat<Outer, Member>, copyMember<Outer, Member>};
}

/// The keys that AmberWriter puts into directives, in their order there.
static constexpr PrintedRow printedRows[] = {
    switchRow<&S::input, &InputAssemblyState::primitiveRestart>("primitiveRestartEnable"),
    switchRow<&S::rasterization, &R::depthClip>("depthClipEnable"),
    switchRow<&S::rasterization, &R::discard>("rasterizerDiscardEnable"),
    numberRow<&S::rasterization, &R::lineWidth>("lineWidth"),
    switchRow<&S::multisample, &M::sampleShading>("sampleShadingEnable"),
    numberRow<&S::multisample, &M::minSampleShading>("minSampleShading"),
    switchRow<&S::multisample, &M::alphaToCoverage>("alphaToCoverageEnable"),
    switchRow<&S::multisample, &M::alphaToOne>("alphaToOneEnable"),
    switchRow<&S::depthStencil, &D::depthBoundsTest>("depthBoundsTestEnable"),
    {"cullMode", printCullMode, copyMember<&S::rasterization, &R::cullMode>},
    {"frontFace",
     [](const S &s) { return vulkanName("VK_FRONT_FACE_", frontFaces, s.rasterization.frontFace); },
     copyMember<&S::rasterization, &R::frontFace>},
    {"provokingVertexMode",
     [](const S &s) {
       return vulkanName("VK_PROVOKING_VERTEX_MODE_", provokingVertices,
                         s.rasterization.provokingVertex) +
              "_EXT";
     },
     copyMember<&S::rasterization, &R::provokingVertex>},
    {"sampleMask", [](const S &s) { return std::to_string(s.multisample.sampleMask); },
     copyMember<&S::multisample, &M::sampleMask>},
    {"blendConstants", printConstants,
     [](const S &from, S &into) {
       std::copy_n(from.blendConstants, std::size(from.blendConstants), into.blendConstants);
     }},
    {"logicOp", printLogicOp, [](const S &from, S &into) { into.logicOp = from.logicOp; }},
    {"colorWriteMask", printWriteMask, copyWriteMask}};

std::vector<std::string> input::printGraphicsState(const GraphicsState &state,
                                                   GraphicsState &said) {
  std::vector<std::string> lines;
  for (const PrintedRow &row : printedRows) {
    std::string text = row.print(state);
    if (text.empty() || text == row.print(said))
      continue;
    lines.push_back(row.key.str() + " " + text);
    row.copy(state, said);
  }
  for (const auto &[index, binding] : enumerate(state.input.bindings)) {
    if (index >= said.input.bindings.size() ||
        said.input.bindings[index].divisor == binding.divisor || !binding.perInstance)
      continue;
    lines.push_back("divisor " + std::to_string(binding.binding) + " " +
                    std::to_string(binding.divisor));
    said.input.bindings[index].divisor = binding.divisor;
  }
  return lines;
}
