// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// VK_KHR_pipeline_binary and what it needs of VK_KHR_maintenance5, after the Vulkan specification:
// Debian 12's headers are older. Names as in the specification, but in this project's namespace.
#pragma once

#include <vulkan/vulkan.h>

namespace assay::vk {

constexpr const char *maintenance5Extension = "VK_KHR_maintenance5";
constexpr const char *pipelineBinaryExtension = "VK_KHR_pipeline_binary";

constexpr auto maintenance5FeaturesType = VkStructureType(1000470000);
constexpr auto createFlags2Type = VkStructureType(1000470005);
constexpr auto pipelineBinaryFeaturesType = VkStructureType(1000483000);
constexpr auto pipelineBinaryCreateInfoType = VkStructureType(1000483001);
constexpr auto pipelineBinaryKeyType = VkStructureType(1000483003);
constexpr auto releaseCapturedDataType = VkStructureType(1000483005);
constexpr auto pipelineBinaryDataInfoType = VkStructureType(1000483006);
constexpr auto pipelineBinaryHandlesInfoType = VkStructureType(1000483009);

/// VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR.
constexpr uint64_t captureDataBit = 0x80000000;

struct PipelineBinaryOpaque;
using PipelineBinary = PipelineBinaryOpaque *; ///< A non-dispatchable handle.

/// VkPhysicalDeviceMaintenance5FeaturesKHR and VkPhysicalDevicePipelineBinaryFeaturesKHR alike.
struct OneFeature {
  VkStructureType sType;
  void *pNext = nullptr;
  VkBool32 enabled = VK_FALSE;
};

/// VkPipelineCreateFlags2CreateInfoKHR.
struct PipelineCreateFlags2 {
  VkStructureType sType = createFlags2Type;
  const void *pNext = nullptr;
  uint64_t flags = 0;
};

/// VkPipelineBinaryCreateInfoKHR. Of the three sources only \p pipeline is used here.
struct PipelineBinaryCreateInfo {
  VkStructureType sType = pipelineBinaryCreateInfoType;
  const void *pNext = nullptr;
  const void *pKeysAndDataInfo = nullptr;
  VkPipeline pipeline = VK_NULL_HANDLE;
  const void *pPipelineCreateInfo = nullptr;
};

/// VkPipelineBinaryKeyKHR.
struct PipelineBinaryKey {
  VkStructureType sType = pipelineBinaryKeyType;
  void *pNext = nullptr;
  uint32_t keySize = 0;
  uint8_t key[32] = {};
};

/// VkPipelineBinaryInfoKHR for vkGetPipelineBinaryDataKHR.
struct PipelineBinaryDataInfo {
  VkStructureType sType = pipelineBinaryDataInfoType;
  void *pNext = nullptr;
  PipelineBinary pipelineBinary = nullptr;
};

/// VkPipelineBinaryHandlesInfoKHR. A first call without an array sets the count.
struct PipelineBinaryHandlesInfo {
  VkStructureType sType = pipelineBinaryHandlesInfoType;
  const void *pNext = nullptr;
  uint32_t pipelineBinaryCount = 0;
  PipelineBinary *pPipelineBinaries = nullptr;
};

using CreatePipelineBinaries = VkResult(VKAPI_PTR *)(VkDevice, const PipelineBinaryCreateInfo *,
                                                     const VkAllocationCallbacks *,
                                                     PipelineBinaryHandlesInfo *);
using DestroyPipelineBinary = void(VKAPI_PTR *)(VkDevice, PipelineBinary,
                                                const VkAllocationCallbacks *);
using GetPipelineBinaryData = VkResult(VKAPI_PTR *)(VkDevice, const PipelineBinaryDataInfo *,
                                                    PipelineBinaryKey *, size_t *, void *);

} // namespace assay::vk
