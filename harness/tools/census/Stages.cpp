// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/tools/census/Census.h"

#include "compiler/spirv/Module.h"
#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using radv::DescriptorType;

/// Locations between the stages, each a vec4, and colour targets of the draw.
static constexpr unsigned passedVectors = 16, attachmentCount = 8;

/// Values of VkFormat.
static constexpr auto formatRgba8 = TexelFormat(37), formatRgba32Float = TexelFormat(109),
                      formatDepth32 = TexelFormat(126);

/// Each output has the location of the input that it copies; Position gets the first input.
Expected<std::vector<uint32_t>> assay::makeVertexShader() {
  std::string header, types, body, interface;
  for (unsigned i = 0; i < passedVectors; ++i) {
    std::string n = std::to_string(i);
    interface += " %in" + n + " %out" + n;
    header +=
        "OpDecorate %in" + n + " Location " + n + "\nOpDecorate %out" + n + " Location " + n + "\n";
    types +=
        "%in" + n + " = OpVariable %inVec4 Input\n%out" + n + " = OpVariable %outVec4 Output\n";
    body += "%v" + n + " = OpLoad %vec4 %in" + n + "\nOpStore %out" + n + " %v" + n + "\n";
  }
  std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint Vertex %main \"main\" %position" +
                     interface + "\nOpDecorate %position BuiltIn Position\n" + header +
                     "%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
                     "%float = OpTypeFloat 32\n%vec4 = OpTypeVector %float 4\n"
                     "%inVec4 = OpTypePointer Input %vec4\n%outVec4 = OpTypePointer Output %vec4\n"
                     "%position = OpVariable %outVec4 Output\n" +
                     types + "%main = OpFunction %void None %function\n%entry = OpLabel\n" + body +
                     "OpStore %position %v0\nOpReturn\nOpFunctionEnd\n";
  return spirv::assemble(text);
}

/// Reads the inputs at locations 0 to 15 and writes their sum to location 0.
Expected<std::vector<uint32_t>> assay::makeFragmentShader() {
  std::string header, types, body, interface, sum = "%zero";
  for (unsigned i = 0; i < passedVectors; ++i) {
    std::string n = std::to_string(i);
    interface += " %in" + n;
    header += "OpDecorate %in" + n + " Location " + n + "\n";
    types += "%in" + n + " = OpVariable %inVec4 Input\n";
    body += "%v" + n + " = OpLoad %vec4 %in" + n + "\n%s" + n + " = OpFAdd %vec4 " + sum + " %v" +
            n + "\n";
    sum = "%s" + n;
  }
  std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                     "OpEntryPoint Fragment %main \"main\" %color" +
                     interface +
                     "\nOpExecutionMode %main OriginUpperLeft\nOpDecorate %color Location 0\n" +
                     header +
                     "%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
                     "%float = OpTypeFloat 32\n%vec4 = OpTypeVector %float 4\n"
                     "%zero = OpConstantNull %vec4\n"
                     "%inVec4 = OpTypePointer Input %vec4\n%outVec4 = OpTypePointer Output %vec4\n"
                     "%color = OpVariable %outVec4 Output\n" +
                     types + "%main = OpFunction %void None %function\n%entry = OpLabel\n" + body +
                     "OpStore %color " + sum + "\nOpReturn\nOpFunctionEnd\n";
  return spirv::assemble(text);
}

/// Walks the words without validating the module. Returns nothing for a module without entry points
/// and where the first one has another stage.
std::optional<ShaderStage> assay::findGraphicsStage(ArrayRef<uint32_t> words) {
  constexpr uint32_t OpEntryPoint = 15, Vertex = 0, Fragment = 4;
  for (size_t at = 5; at + 1 < words.size(); at += std::max<size_t>(words[at] >> 16, 1))
    if ((words[at] & 0xffff) == OpEntryPoint)
      return words[at + 1] == Vertex     ? std::optional(ShaderStage::Vertex)
             : words[at + 1] == Fragment ? std::optional(ShaderStage::Fragment)
                                         : std::nullopt;
  return std::nullopt;
}

/// Returns the type of the variable at \p set and \p binding without its arrays, or null where the
/// module has none there.
static const spirv::Type *resourceType(const spirv::Module &module, uint32_t set,
                                       uint32_t binding) {
  for (const spirv::Instruction &global : module.globals) {
    if (global.opcode != spv::Op::OpVariable ||
        module.decorationValue(global.resultId, spv::Decoration::DescriptorSet) != set ||
        module.decorationValue(global.resultId, spv::Decoration::Binding) != binding)
      continue;
    const spirv::Type *type = &module.type(module.type(global.typeId).element);
    while (type->kind == spirv::TypeKind::Array || type->kind == spirv::TypeKind::RuntimeArray)
      type = &module.type(type->element);
    return type;
  }
  return nullptr;
}

/// Returns the Vulkan type of the descriptor \p node. Storage and sampled images have the same kind
/// in a layout, so the module's image type decides.
static DescriptorType typeOf(const spirv::Module &module, uint32_t set,
                             const DescriptorNode &node) {
  const spirv::Type *type = resourceType(module, set, node.binding);
  bool isSampled = type && type->kind == spirv::TypeKind::Image && type->image.sampled == 1;
  switch (node.kind) {
  case DescriptorKind::Buffer:
    return DescriptorType::StorageBuffer;
  case DescriptorKind::TexelBuffer:
    return isSampled ? DescriptorType::UniformTexelBuffer : DescriptorType::StorageTexelBuffer;
  case DescriptorKind::Image:
    return isSampled ? DescriptorType::SampledImage : DescriptorType::StorageImage;
  case DescriptorKind::Sampler:
    return DescriptorType::Sampler;
  case DescriptorKind::CombinedImageSampler:
    return DescriptorType::CombinedImageSampler;
  }
  llvm_unreachable("a number that is no DescriptorKind");
}

/// Returns state with 16 vertex attributes in one binding, eight colour targets of two alternating
/// formats, a depth buffer and a viewport of 64 by 64.
static GraphicsState makeState() {
  GraphicsState state;
  state.input.bindings = {{.binding = 0, .stride = passedVectors * 16}};
  for (uint32_t i = 0; i < passedVectors; ++i)
    state.input.attributes.push_back({i, 0, formatRgba32Float, i * 16});
  for (unsigned i = 0; i < attachmentCount; ++i)
    state.colorTargets.push_back({.format = i % 2 ? formatRgba32Float : formatRgba8});
  state.depthStencil.depthTest = state.depthStencil.depthWrite = true;
  state.depthStencilFormat = formatDepth32;
  state.viewport.width = state.viewport.height = 64;
  return state;
}

/// Errors are those of decoding the measured module and of its resource layout. The other stage
/// keeps the entry point "main".
Expected<RadvPipeline> assay::describeDraw(std::vector<uint32_t> vertex,
                                           std::vector<uint32_t> fragment, ShaderStage measured) {
  bool isVertex = measured == ShaderStage::Vertex;
  Expected<spirv::Module> module = spirv::decode(isVertex ? vertex : fragment);
  if (!module)
    return module.takeError();
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  if (!layout)
    return layout.takeError();
  RadvPipeline input;
  input.stages.resize(2);
  input.stages[0].stage = ShaderStage::Vertex;
  input.stages[1].stage = ShaderStage::Fragment;
  auto model = isVertex ? spv::ExecutionModel::Vertex : spv::ExecutionModel::Fragment;
  auto entry = find_if(module->entryPoints, [&](const auto &each) { return each.model == model; });
  if (entry != module->entryPoints.end())
    input.stages[isVertex ? 0 : 1].entryPoint = entry->name;
  for (const DescriptorTable &table : layout->tables)
    for (const DescriptorNode &node : table.nodes)
      input.bindings.push_back(
          {table.set, node.binding, typeOf(*module, table.set, node), node.count});
  input.pushConstantBytes = layout->pushConstantDwords * 4;
  input.stages[0].spirv = std::move(vertex);
  input.stages[1].spirv = std::move(fragment);
  input.graphics = makeState();
  input.width = input.height = 64;
  return input;
}
