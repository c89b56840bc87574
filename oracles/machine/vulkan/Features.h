// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device features by their Vulkan names: what a driver has, what of it is switched on, and whether
// a case gets what it needs.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/VersionTuple.h"
#include <memory>
#include <vulkan/vulkan.h>

namespace assay::vulkan {

/// Every feature structure that we know, to be chained.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};
  VkPhysicalDeviceVulkan13Features v13 = {};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomicFloat = {};
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomicFloat2 = {};
  VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR workgroupLayout = {};
  VkPhysicalDeviceShaderClockFeaturesKHR clock = {};
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2 = {};
  VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR uniformControlFlow = {};
  VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT imageAtomicInt64 = {};
  VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor = {};
  VkPhysicalDeviceIndexTypeUint8FeaturesEXT indexUint8 = {};
  VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT listRestart = {};
  VkPhysicalDeviceDepthClipEnableFeaturesEXT depthClip = {};
  VkPhysicalDeviceProvokingVertexFeaturesEXT provokingVertex = {};
  VkPhysicalDeviceBlendOperationAdvancedFeaturesEXT advancedBlend = {};
};

/// A driver and its version.
struct DriverVersion {
  VkDriverId driver = VK_DRIVER_ID_MAX_ENUM;
  llvm::VersionTuple mesa; ///< 22.3.6; empty for a driver that is not Mesa's.
};

/// What a physical device offers. The chain stays where it is: it is full of pointers to itself.
struct DeviceFeatures {
  FeatureChain chain;
  llvm::StringSet<> names;      ///< Features that are on, subgroup operations among them.
  llvm::StringSet<> extensions; ///< All that the device has.
  std::vector<const char *> enabledExtensions;
  uint32_t subgroupSize = 0, minSubgroupSize = 0, maxSubgroupSize = 0;
  VkPhysicalDeviceLimits limits = {};
  DriverVersion driver;
  std::string description; ///< "llvmpipe (LLVM 15.0.6, 256 bits), Mesa 25.0.7".
};

/// A structure that queryFeatures() wants filled in.
struct StructureSize {
  VkStructureType type;
  uint32_t bytes;
};

/// The members of one structure (the bytes that follow sType and pNext) as a driver filled them in.
using StructureMembers = std::vector<uint8_t>;

/// What a driver of another process answered, to featureStructures() and propertyStructures() in
/// their order.
struct RecordedAnswers {
  std::vector<std::string> extensions;
  std::vector<StructureMembers> features, properties;
};

/// All structures of features and of properties; the first of each heads the chain.
std::vector<StructureSize> featureStructures();
std::vector<StructureSize> propertyStructures();
/// Extensions that a device needs switched on for its features.
std::vector<std::string> featureExtensions();

/// The same as queryFeatures(); the chain is no use. Environment for answers of the wrong size.
llvm::Expected<std::unique_ptr<DeviceFeatures>> readFeatures(const RecordedAnswers &answers);

/// Asks \p physical. What it has is to be enabled as a whole: \p chain goes into
/// VkDeviceCreateInfo.
std::unique_ptr<DeviceFeatures> queryFeatures(VkPhysicalDevice physical);

/// The first thing that \p input needs and the device lacks ("shaderInt16"), or an empty string.
/// Looks at the case's own list and at the capabilities of its modules.
llvm::Expected<std::string> findMissingFeature(const Case &input, const DeviceFeatures &features);

} // namespace assay::vulkan
