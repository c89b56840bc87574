// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/MultisampleCopy.h"

#include "compiler/spirv/ResourceInterface.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

namespace {
/// An unsigned format that a view of any format with texels of its size may have.
struct RawFormat {
  unsigned words;
  StringRef name;   ///< Of the texels.
  StringRef format; ///< In SPIR-V.
};
} // namespace

/// Texels of one, two and four words; others cannot be copied.
static constexpr RawFormat rawFormats[] = {
    {1, "R32_UINT", "R32ui"}, {2, "R32G32_UINT", "Rg32ui"}, {4, "R32G32B32A32_UINT", "Rgba32ui"}};

/// The raw format with texels of the size of \p format, or null.
static const RawFormat *findRawFormat(TexelFormat format) {
  for (const RawFormat &raw : rawFormats)
    if (getTexelFormatInfo(format).bytes == raw.words * 4)
      return &raw;
  return nullptr;
}

/// Workgroups are 8 x 8 pixels of one sample of one layer.
static constexpr uint32_t groupSize = 8;

/// Types, variables and constants.
static std::string declarations(const ImageShape &shape, const RawFormat &raw) {
  bool arrayed = shape.layers > 1;
  std::string text = "OpCapability Shader\nOpCapability StorageImageMultisample\n";
  if (arrayed)
    text += "OpCapability ImageMSArray\n";
  if (raw.words == 2)
    text += "OpCapability StorageImageExtendedFormats\n";
  text += R"(OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 8 8 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v2uint = OpTypeVector %uint 2
%v3uint = OpTypeVector %uint 3
%v4uint = OpTypeVector %uint 4
%ptr_v3uint = OpTypePointer Input %v3uint
%id = OpVariable %ptr_v3uint Input
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%ptr_block = OpTypePointer StorageBuffer %block
%ptr_word = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %ptr_block StorageBuffer
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%three = OpConstant %uint 3
)";
  text += ("%width = OpConstant %uint " + Twine(shape.width) + "\n%height = OpConstant %uint " +
           Twine(shape.height) + "\n%samples = OpConstant %uint " + Twine(shape.samples) +
           "\n%count = OpConstant %uint " + Twine(raw.words) + "\n%type = OpTypeImage %uint 2D 0 " +
           (arrayed ? "1" : "0") + " 1 2 " + raw.format + "\n")
              .str();
  return text + R"(%ptr_image = OpTypePointer UniformConstant %type
%image = OpVariable %ptr_image UniformConstant
)";
}

/// The begin of main: one invocation a sample finds its texel and the first word in the buffer.
static std::string prologue(bool arrayed) {
  std::string text = R"(%main = OpFunction %void None %fn
%entry = OpLabel
%where = OpLoad %v3uint %id
%x = OpCompositeExtract %uint %where 0
%y = OpCompositeExtract %uint %where 1
%z = OpCompositeExtract %uint %where 2
%in_x = OpULessThan %bool %x %width
%in_y = OpULessThan %bool %y %height
%inside = OpLogicalAnd %bool %in_x %in_y
OpSelectionMerge %done None
OpBranchConditional %inside %copy %done
%copy = OpLabel
%layer = OpUDiv %uint %z %samples
%sample = OpUMod %uint %z %samples
%rows_before = OpIMul %uint %layer %height
%row = OpIAdd %uint %rows_before %y
%texels_before = OpIMul %uint %row %width
%texel = OpIAdd %uint %texels_before %x
%samples_before = OpIMul %uint %texel %samples
%index = OpIAdd %uint %samples_before %sample
%first = OpIMul %uint %index %count
%view = OpLoad %type %image
)";
  return text + (arrayed ? "%at = OpCompositeConstruct %v3uint %x %y %layer\n"
                         : "%at = OpCompositeConstruct %v2uint %x %y\n");
}

/// Returns the assembly of the shader that copies from the buffer (\p toImage) or to it. Each
/// invocation copies one sample, word by word.
static std::string makeShader(const ImageShape &shape, const RawFormat &raw, bool toImage) {
  static constexpr StringRef numbers[] = {"%zero", "%one", "%two", "%three"};
  std::string text = declarations(shape, raw) + prologue(shape.layers > 1);
  if (!toImage)
    text += "%value = OpImageRead %v4uint %view %at Sample %sample\n";
  std::string value;
  for (unsigned i = 0; i < 4; ++i) {
    if (i >= raw.words) {
      value += " %zero";
      continue;
    }
    std::string n = std::to_string(i);
    text += "%place" + n + " = OpIAdd %uint %first " + numbers[i].str() + "\n%word" + n +
            " = OpAccessChain %ptr_word %buffer %zero %place" + n + "\n";
    text += toImage ? "%part" + n + " = OpLoad %uint %word" + n + "\n"
                    : "%part" + n + " = OpCompositeExtract %uint %value " + n + "\nOpStore %word" +
                          n + " %part" + n + "\n";
    value += " %part" + n;
  }
  if (toImage)
    text += "%value = OpCompositeConstruct %v4uint" + value +
            "\nOpImageWrite %view %at %value Sample %sample\n";
  return text + "OpBranch %done\n%done = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

/// Assembles \p text and makes a pipeline of it. Binding 0 is image \p buffer as a storage image,
/// binding 1 the same buffer's bytes.
static Error describe(unsigned buffer, std::string text, CasePipeline &result) {
  Expected<std::vector<uint32_t>> words = spirv::assemble(text);
  if (!words)
    return words.takeError();
  (*words)[1] = 0x00010300; // 1.4 and later list every variable in the entry point's interface.
  Expected<spirv::Module> module = spirv::decode(*words);
  if (!module)
    return module.takeError();
  Expected<ResourceLayout> layout = spirv::layoutFor(*module);
  if (!layout)
    return layout.takeError();
  result.name = "copy of a multisample image";
  result.description.addShader(ShaderStage::Compute).spirv = std::move(*words);
  result.description.layout = std::move(*layout);
  for (uint32_t place : {0u, 1u}) {
    BufferBinding binding;
    binding.kind = place == 0 ? BindingKind::StorageImage : BindingKind::Storage;
    binding.buffer = buffer;
    binding.binding = place;
    result.bindings.push_back(binding);
  }
  return Error::success();
}

/// The size of the image is a constant in both shaders, so each image has its pair.
Expected<std::unique_ptr<MultisampleCopy>> MultisampleCopy::create(Device &device,
                                                                   const Resources &resources,
                                                                   const Case &input,
                                                                   unsigned buffer) {
  const Buffer &source = input.buffers[buffer];
  const RawFormat *raw = findRawFormat(*source.texelFormat);
  if (!raw)
    return unsupported("multisample images of " + getTexelFormatInfo(*source.texelFormat).name);
  std::unique_ptr<MultisampleCopy> copy(new MultisampleCopy(*source.image));
  for (bool toImage : {false, true}) {
    CasePipeline &pipeline = copy->m_sources[toImage];
    if (Error error = describe(buffer, makeShader(*source.image, *raw, toImage), pipeline))
      return std::move(error);
    auto made = Pipeline::create(device, resources, input, pipeline, findTexelFormat(raw->name));
    if (!made)
      return addContext(made.takeError(), "copy of image '" + source.name + "'");
    copy->m_pipelines[toImage] = std::move(*made);
  }
  return copy;
}

/// Makes all that was written visible to whoever comes next.
static void recordFullBarrier(VkCommandBuffer commands) {
  VkMemoryBarrier barrier = {};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

/// The third dimension of the dispatch is layer * samples + sample.
void MultisampleCopy::record(VkCommandBuffer commands, bool toImage) const {
  auto groupsFor = [](uint32_t extent) { return (extent + groupSize - 1) / groupSize; };
  const uint32_t groups[3] = {groupsFor(m_shape.width), groupsFor(m_shape.height),
                              m_shape.layers * m_shape.samples};
  recordFullBarrier(commands);
  m_pipelines[toImage]->recordDispatch(commands, groups, {});
  recordFullBarrier(commands);
}
