// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines of a RadvDevice, and the binaries that are taken out of them.
#include "harness/peer/RadvState.h"

#include "compiler/spirv/Module.h"
#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using radv::DescriptorType;

StageInfo::StageInfo(const RadvModule &source, VkShaderModule module) {
  for (auto [value, bytes] : zip_equal(source.specialization, source.specializationBytes)) {
    m_entries.push_back({value.id, static_cast<uint32_t>(m_values.size() * 8), bytes});
    m_values.push_back(value.bits);
  }
  m_specialization = {static_cast<uint32_t>(m_entries.size()), m_entries.data(),
                      m_values.size() * 8, m_values.data()};
  m_subgroup.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  m_subgroup.requiredSubgroupSize = source.requiredSubgroupSize;
  m_info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  // Waves of graphics shaders have the size of RadvSettings.
  const bool isCompute = source.stage == ShaderStage::Compute;
  m_info.pNext = isCompute && source.requiredSubgroupSize ? &m_subgroup : nullptr;
  m_info.stage = VkShaderStageFlagBits(getStageInfo(source.stage).vulkanBit);
  m_info.module = module;
  m_info.pName = source.entryPoint.c_str();
  m_info.pSpecializationInfo = m_entries.empty() ? nullptr : &m_specialization;
  if (source.fullSubgroups)
    m_info.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
}

/// Compiles one compute shader. \p flags are chained only where any is set, because their structure
/// needs VK_KHR_maintenance5.
static Error createCompute(VkDevice device, const VkPipelineShaderStageCreateInfo &stage,
                           VkPipelineLayout layout, vk::PipelineCreateFlags2 &flags,
                           VkPipeline &result) {
  VkComputePipelineCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.pNext = flags.flags ? &flags : nullptr;
  info.stage = stage;
  info.layout = layout;
  return checkRadv(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &result),
                   "vkCreateComputePipelines");
}

/// Everything is in the pipeline and nothing is dynamic, so that RADV makes one shader of each
/// stage, without prolog and epilog.
static Error createGraphics(VkDevice device, const RadvPipeline &pipeline,
                            ArrayRef<VkPipelineShaderStageCreateInfo> stages,
                            VkPipelineLayout layout, vk::PipelineCreateFlags2 &flags,
                            VkPipeline &result) {
  DrawResources framebuffer;
  framebuffer.width = pipeline.width;
  framebuffer.height = pipeline.height;
  vulkan::GraphicsInfo graphics(pipeline.graphics, framebuffer);
  if (flags.flags)
    flags.pNext = std::exchange(graphics.info.pNext, &flags);
  graphics.info.stageCount = static_cast<uint32_t>(stages.size());
  graphics.info.pStages = stages.data();
  graphics.info.layout = layout;
  return checkRadv(
      vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &graphics.info, nullptr, &result),
      "vkCreateGraphicsPipelines");
}

Error RadvDevice::State::createPipeline(uint64_t flags, VkPipeline &result) const {
  std::vector<std::unique_ptr<StageInfo>> owners;
  std::vector<VkPipelineShaderStageCreateInfo> stages;
  for (auto [source, module] : zip_equal(pipeline.stages, modules)) {
    owners.push_back(std::make_unique<StageInfo>(source, module));
    stages.push_back(owners.back()->get());
  }
  vk::PipelineCreateFlags2 moreFlags;
  moreFlags.flags = flags;
  return pipeline.isGraphics() ? createGraphics(device, pipeline, stages, layout, moreFlags, result)
                               : createCompute(device, stages.front(), layout, moreFlags, result);
}

Expected<std::vector<std::vector<uint8_t>>>
RadvDevice::State::readBinaries(VkPipeline source) const {
  auto create = reinterpret_cast<vk::CreatePipelineBinaries>(
      vkGetDeviceProcAddr(device, "vkCreatePipelineBinariesKHR"));
  auto destroy = reinterpret_cast<vk::DestroyPipelineBinary>(
      vkGetDeviceProcAddr(device, "vkDestroyPipelineBinaryKHR"));
  auto getData = reinterpret_cast<vk::GetPipelineBinaryData>(
      vkGetDeviceProcAddr(device, "vkGetPipelineBinaryDataKHR"));
  if (!create || !destroy || !getData)
    return unsupported(description + ": functions of VK_KHR_pipeline_binary are missing");
  vk::PipelineBinaryCreateInfo info;
  info.pipeline = source;
  vk::PipelineBinaryHandlesInfo handles;
  if (Error error =
          checkRadv(create(device, &info, nullptr, &handles), "vkCreatePipelineBinariesKHR"))
    return std::move(error);
  std::vector<vk::PipelineBinary> binaries(handles.pipelineBinaryCount);
  handles.pPipelineBinaries = binaries.data();
  if (Error error =
          checkRadv(create(device, &info, nullptr, &handles), "vkCreatePipelineBinariesKHR"))
    return std::move(error);
  std::vector<std::vector<uint8_t>> data(binaries.size());
  Error error = Error::success();
  for (auto [binary, bytes] : zip_equal(binaries, data)) {
    vk::PipelineBinaryDataInfo dataInfo;
    dataInfo.pipelineBinary = binary;
    vk::PipelineBinaryKey key;
    size_t size = 0;
    if (!error)
      error =
          checkRadv(getData(device, &dataInfo, &key, &size, nullptr), "vkGetPipelineBinaryDataKHR");
    bytes.resize(size);
    if (!error)
      error = checkRadv(getData(device, &dataInfo, &key, &size, bytes.data()),
                        "vkGetPipelineBinaryDataKHR");
    destroy(device, binary, nullptr);
  }
  if (error)
    return std::move(error);
  return data;
}

// In the order of BindingKind; push constants have none.
static constexpr DescriptorType boundTypes[] = {
    DescriptorType::StorageBuffer,       DescriptorType::UniformBuffer,
    DescriptorType::StorageBuffer,       DescriptorType::UniformTexelBuffer,
    DescriptorType::StorageTexelBuffer,  DescriptorType::SampledImage,
    DescriptorType::StorageImage,        DescriptorType::Sampler,
    DescriptorType::CombinedImageSampler};

// For descriptors that the case leaves empty; in the order of DescriptorKind.
static constexpr DescriptorType emptyTypes[] = {
    DescriptorType::StorageBuffer, DescriptorType::StorageTexelBuffer, DescriptorType::StorageImage,
    DescriptorType::Sampler, DescriptorType::CombinedImageSampler};

/// Returns the type of what \p source binds there, or else a type that the node's kind allows.
static DescriptorType typeAt(const CasePipeline &source, uint32_t set, const DescriptorNode &node) {
  for (const BufferBinding &binding : source.bindings)
    if (binding.kind != BindingKind::PushConstant && binding.set == set &&
        binding.binding == node.binding)
      return boundTypes[size_t(binding.kind)];
  return emptyTypes[size_t(node.kind)];
}

// Bytes of each specialization constant; Vulkan: a bool is a VkBool32.
static std::map<uint32_t, uint32_t> specializationBytes(const spirv::Module &module) {
  std::map<uint32_t, uint32_t> bytes;
  for (const spirv::Instruction &instruction : module.globals)
    if (auto id = module.decorationValue(instruction.resultId, spv::Decoration::SpecId)) {
      const spirv::Type &type = module.type(instruction.typeId);
      bytes[*id] = type.kind == spirv::TypeKind::Bool ? 4 : type.width / 8;
    }
  return bytes;
}

/// Leaves out values for constants that the module does not have. Errors are those of decoding it.
static Expected<RadvModule> describeStage(const ShaderDescription &shader) {
  Expected<spirv::Module> module = spirv::decode(shader.spirv);
  if (!module)
    return module.takeError();
  RadvModule result;
  result.stage = shader.stage;
  result.spirv = shader.spirv;
  result.entryPoint = shader.entryPoint;
  std::map<uint32_t, uint32_t> bytes = specializationBytes(*module);
  for (const SpecializationValue &value : shader.specialization) {
    if (!bytes.count(value.id))
      continue; // The module has no such constant.
    result.specialization.push_back(value);
    result.specializationBytes.push_back(bytes[value.id]);
  }
  result.requiredSubgroupSize = shader.requiredSubgroupSize;
  return result;
}

/// Whether all stages are ones that oracles/radv can run: compute, vertex and fragment.
static bool hasUsualStages(const PipelineDescription &description) {
  return all_of(description.stages, [](const ShaderDescription &shader) {
    return shader.stage == ShaderStage::Compute || shader.stage == ShaderStage::Vertex ||
           shader.stage == ShaderStage::Fragment;
  });
}

Expected<RadvPipeline> assay::describeForRadv(const CasePipeline &source, uint32_t subgroupSize) {
  const PipelineDescription &description = source.description;
  if (!hasUsualStages(description))
    return unsupported("RADV: stages other than compute, vertex and fragment");
  RadvPipeline pipeline;
  for (const ShaderDescription &shader : description.stages) {
    Expected<RadvModule> stage = describeStage(shader);
    if (!stage)
      return stage.takeError();
    pipeline.stages.push_back(std::move(*stage));
  }
  if (pipeline.isGraphics()) {
    pipeline.graphics = description.graphics;
    pipeline.width = source.draw.width;
    pipeline.height = source.draw.height;
  } else {
    RadvModule &compute = pipeline.stages.front();
    if (!compute.requiredSubgroupSize)
      compute.requiredSubgroupSize = subgroupSize;
    compute.fullSubgroups = source.fullSubgroups;
  }
  pipeline.pushConstantBytes = description.layout.pushConstantDwords * 4;
  for (const DescriptorTable &table : description.layout.tables)
    for (const DescriptorNode &node : table.nodes)
      pipeline.bindings.push_back(
          {table.set, node.binding, typeAt(source, table.set, node), node.count});
  return pipeline;
}
