// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/ShaderCase.h"

#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::input;
using spirv::TypeKind;

namespace {
/// What is at one location of an interface.
struct Slot {
  TypeKind kind = TypeKind::Float;
  bool isSigned = false;
  uint32_t width = 32;
  uint32_t components = 0; ///< One more than the last.
};

/// Collects the locations of an entry point's inputs or outputs.
class SlotCollector {
public:
  SlotCollector(const spirv::Module &module, spv::StorageClass storage)
      : m_module(module), m_storage(storage) {}

  std::map<uint32_t, Slot> slots;

  /// Adds the interface variables of \p entry in the storage class. Built-ins have no location and
  /// are left out.
  void add(const spirv::EntryPoint &entry);

private:
  /// Adds a value of type \p id from \p location on, and moves \p location past it. Members with a
  /// location of their own set it.
  void addType(spirv::Id id, uint32_t component, uint32_t &location);
  /// Adds a vector, or a scalar as one of \p count 1, whose first component is \p component.
  void addVector(const spirv::Type &scalar, uint32_t count, uint32_t component, uint32_t &location);
  /// Returns the array's length, at most 32. A length that is no 32-bit constant counts as 1.
  uint32_t lengthOf(const spirv::Type &array) const;

  const spirv::Module &m_module;
  const spv::StorageClass m_storage;
  unsigned m_visited = 0; ///< Calls of addType(); arrays in arrays could ask for any number.
};

/// The formats of one scalar type with one to four components (VkFormat).
struct FormatRow {
  TypeKind kind;
  bool isSigned;       ///< Of integers.
  uint32_t width;      ///< Bits.
  uint16_t formats[4]; ///< VkFormat, by components less one.
};
} // namespace

/// Numbers of VkFormat for one to four components.
static constexpr FormatRow Formats[] = {
    {TypeKind::Int, false, 8, {13, 20, 27, 41}},
    {TypeKind::Int, true, 8, {14, 21, 28, 42}},
    {TypeKind::Int, false, 16, {74, 81, 88, 95}},
    {TypeKind::Int, true, 16, {75, 82, 89, 96}},
    {TypeKind::Float, false, 16, {76, 83, 90, 97}},
    {TypeKind::Int, false, 32, {98, 101, 104, 107}},
    {TypeKind::Int, true, 32, {99, 102, 105, 108}},
    {TypeKind::Float, false, 32, {100, 103, 106, 109}},
    {TypeKind::Int, false, 64, {110, 113, 116, 119}},
    {TypeKind::Int, true, 64, {111, 114, 117, 120}},
    {TypeKind::Float, false, 64, {112, 115, 118, 121}},
};

/// Returns the format of \p components numbers of the slot's type; Undefined for a type without
/// one. \p components is at least 1.
static TexelFormat findFormat(const Slot &slot, uint32_t components) {
  for (const FormatRow &row : Formats)
    if (row.kind == slot.kind && row.isSigned == slot.isSigned && row.width == slot.width)
      return static_cast<TexelFormat>(row.formats[std::min(components, 4u) - 1]);
  return TexelFormat::Undefined;
}

/// Returns 1 for lengths without a value, and at most MostElements.
uint32_t SlotCollector::lengthOf(const spirv::Type &array) const {
  constexpr uint32_t MostElements = 32; // More than any device has locations.
  Expected<uint32_t> length = spirv::evaluateLength({m_module, {}}, array.lengthId);
  if (length)
    return std::min(*length, MostElements);
  consumeError(length.takeError());
  return 1;
}

/// Components of 64 bits take two, and a vector of more than two of them two locations.
void SlotCollector::addVector(const spirv::Type &scalar, uint32_t count, uint32_t component,
                              uint32_t &location) {
  Slot &slot = slots[location];
  slot.kind = scalar.kind;
  slot.isSigned = scalar.kind == TypeKind::Int && scalar.isSigned;
  slot.width = scalar.width;
  bool isWide = scalar.width == 64;
  slot.components = std::max(slot.components, (isWide ? component / 2 : component) + count);
  location += isWide && count > 2 ? 2 : 1;
}

/// Adds the slots of a value from \p location on and moves it past them. Locations of members take
/// precedence.
void SlotCollector::addType(spirv::Id id, uint32_t component, uint32_t &location) {
  constexpr unsigned MostVisited = 4096; // No device has as many locations.
  if (++m_visited > MostVisited)
    return;
  const spirv::Type &type = m_module.type(id);
  switch (type.kind) {
  case TypeKind::Struct:
    for (uint32_t i = 0; i < type.members.size(); ++i) {
      for (const spirv::Decoration &each : m_module.memberDecorations(id, i))
        if (each.kind == spv::Decoration::Location)
          location = each.operands[0];
      addType(type.members[i], component, location);
    }
    return;
  case TypeKind::Array:
    for (uint32_t i = 0; i < lengthOf(type); ++i)
      addType(type.element, component, location);
    return;
  case TypeKind::Matrix:
    for (uint32_t i = 0; i < type.count; ++i)
      addType(type.element, component, location);
    return;
  case TypeKind::Vector:
    return addVector(m_module.type(type.element), type.count, component, location);
  default:
    return addVector(type, 1, component, location);
  }
}

/// Adds all variables of the entry point in the storage class that have locations. Built-ins have
/// none.
void SlotCollector::add(const spirv::EntryPoint &entry) {
  for (spirv::Id id : entry.interface) {
    const spirv::Instruction *variable = m_module.findGlobal(id);
    const spirv::Type *pointer = variable ? m_module.findType(variable->typeId) : nullptr;
    if (!pointer || pointer->kind != TypeKind::Pointer || pointer->storageClass != m_storage)
      continue;
    const spirv::Type &type = m_module.type(pointer->element);
    bool isBlockOfLocations =
        type.kind == TypeKind::Struct && !type.members.empty() &&
        any_of(m_module.memberDecorations(type.id, 0), [](const spirv::Decoration &each) {
          return each.kind == spv::Decoration::Location;
        });
    std::optional<uint32_t> location = m_module.decorationValue(id, spv::Decoration::Location);
    if (!location && !isBlockOfLocations)
      continue;
    uint32_t next = location.value_or(0);
    addType(type.id, m_module.decorationValue(id, spv::Decoration::Component).value_or(0), next);
  }
}

/// Adds a binding and an attribute for each location that \p entry reads. Each binding has the
/// number of its location and a stride of 32 bytes.
static void addAttributes(const spirv::Module &module, const spirv::EntryPoint &entry,
                          GraphicsState &state) {
  constexpr uint32_t BytesOfVector = 32; // Of four numbers of 64 bits.
  SlotCollector collector(module, spv::StorageClass::Input);
  collector.add(entry);
  for (const auto &[location, slot] : collector.slots) {
    state.input.bindings.push_back({.binding = location, .stride = BytesOfVector});
    state.input.attributes.push_back(
        {.location = location, .binding = location, .format = findFormat(slot, slot.components)});
  }
}

/// Adds a colour target for each location below 8 that \p entry writes; those in between have no
/// format.
static void addTargets(const spirv::Module &module, const spirv::EntryPoint &entry,
                       GraphicsState &state) {
  constexpr uint32_t MostTargets = 8, Components = 4;
  SlotCollector collector(module, spv::StorageClass::Output);
  collector.add(entry);
  for (const auto &[location, slot] : collector.slots) {
    if (location >= MostTargets)
      continue;
    if (state.colorTargets.size() <= location)
      state.colorTargets.resize(location + 1);
    state.colorTargets[location].format = findFormat(slot, Components);
  }
}

/// Text of a vertex shader that passes an attribute of four floats on at each of \p locations, the
/// first one as position, too.
static std::string passingVertexText(const std::map<uint32_t, Slot> &locations) {
  std::string interface, decorations, variables, body;
  for (const auto &[location, slot] : locations) {
    std::string n = std::to_string(location);
    interface += " %in" + n + " %out" + n;
    decorations +=
        "OpDecorate %in" + n + " Location " + n + "\nOpDecorate %out" + n + " Location " + n + "\n";
    variables +=
        "%in" + n + " = OpVariable %inVec4 Input\n%out" + n + " = OpVariable %outVec4 Output\n";
    body += "%v" + n + " = OpLoad %vec4 %in" + n + "\nOpStore %out" + n + " %v" + n + "\n";
  }
  std::string position = "%zero";
  if (!locations.empty())
    position = "%v" + std::to_string(locations.begin()->first);
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint Vertex %main \"main\" %position" +
         interface + "\nOpDecorate %position BuiltIn Position\n" + decorations +
         "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
         "%vec4 = OpTypeVector %float 4\n%zero = OpConstantNull %vec4\n"
         "%inVec4 = OpTypePointer Input %vec4\n%outVec4 = OpTypePointer Output %vec4\n"
         "%position = OpVariable %outVec4 Output\n" +
         variables + "%main = OpFunction %void None %function\n%entry = OpLabel\n" + body +
         "OpStore %position " + position + "\nOpReturn\nOpFunctionEnd\n";
}

/// Gives a fragment shader that is alone a vertex shader that provides its inputs.
static Error addVertexShader(const spirv::Module &module, const spirv::EntryPoint &entry,
                             PipelineDescription &pipeline) {
  SlotCollector inputs(module, spv::StorageClass::Input);
  inputs.add(entry);
  Expected<std::vector<uint32_t>> words = spirv::assemble(passingVertexText(inputs.slots));
  if (!words)
    return words.takeError();
  Expected<spirv::Module> vertex = spirv::decode(*words);
  if (!vertex)
    return vertex.takeError();
  addAttributes(*vertex, vertex->entryPoints.front(), pipeline.graphics);
  ShaderDescription &shader = pipeline.addShader(ShaderStage::Vertex);
  shader.spirv = std::move(*words);
  return Error::success();
}

/// Makes the pipeline of the vertex and fragment entry points. Unsupported when there is neither.
static Expected<Case> makeGraphicsCase(const Shader &shader) {
  Expected<spirv::Module> module = spirv::decode(shader.words);
  if (!module)
    return module.takeError();
  CasePipeline pipeline;
  pipeline.name = "pipeline";
  pipeline.version = shader.version;
  GraphicsState &state = pipeline.description.graphics;
  for (ShaderStage stage : {ShaderStage::Vertex, ShaderStage::Fragment}) {
    StringRef name = shader.findEntryPoint(stage);
    if (name.empty())
      continue;
    if (Error error = setStage(pipeline.description, stage, shader, name))
      return std::move(error);
    const spirv::EntryPoint *entry = module->findEntryPoint(
        name, static_cast<spv::ExecutionModel>(getStageInfo(stage).executionModel));
    (stage == ShaderStage::Vertex ? addAttributes : addTargets)(*module, *entry, state);
    if (!pipeline.description.find(ShaderStage::Vertex))
      if (Error error = addVertexShader(*module, *entry, pipeline.description))
        return std::move(error);
  }
  if (pipeline.description.stages.empty())
    return unsupported(getStageName(shader.entryPoints.front().stage) + " shaders");
  if (Error error = updateLayout(pipeline.description))
    return std::move(error);
  Case result;
  result.pipelines.push_back(std::move(pipeline));
  return result;
}

/// A compute entry point takes precedence; without one the case is a graphics pipeline.
Expected<Case> input::makeShaderCase(const Shader &shader) {
  StringRef compute = shader.findEntryPoint(ShaderStage::Compute);
  if (compute.empty())
    return makeGraphicsCase(shader);
  Expected<CasePipeline> pipeline = makePipeline("pipeline", shader, compute);
  if (!pipeline)
    return pipeline.takeError();
  Case result;
  result.pipelines.push_back(std::move(*pipeline));
  return result;
}
