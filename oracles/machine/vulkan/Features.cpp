// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/Features.h"

#include "compiler/spirv/Capabilities.h"
#include "oracles/machine/vulkan/DescribeGraphics.h"
#include "oracles/machine/vulkan/VulkanMachine.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstddef>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

namespace {
/// One feature structure: where it lies, its members in the order of the header (all VkBool32).
struct StructureRow {
  size_t offset, firstMember;
  VkStructureType type;
  const char *extension; ///< Needed for it; empty for core.
  const char *members;
};
} // namespace

/// The first row heads the chain. Rows with an extension are chained only where the device has it.
static constexpr StructureRow structures[] = {
    {offsetof(FeatureChain, core), offsetof(FeatureChain, core.features.robustBufferAccess),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, "",
     "robustBufferAccess fullDrawIndexUint32 imageCubeArray independentBlend "
     "geometryShader tessellationShader sampleRateShading dualSrcBlend logicOp "
     "multiDrawIndirect drawIndirectFirstInstance depthClamp depthBiasClamp "
     "fillModeNonSolid depthBounds wideLines largePoints alphaToOne multiViewport "
     "samplerAnisotropy textureCompressionETC2 textureCompressionASTC_LDR "
     "textureCompressionBC occlusionQueryPrecise pipelineStatisticsQuery "
     "vertexPipelineStoresAndAtomics fragmentStoresAndAtomics "
     "shaderTessellationAndGeometryPointSize shaderImageGatherExtended "
     "shaderStorageImageExtendedFormats shaderStorageImageMultisample "
     "shaderStorageImageReadWithoutFormat shaderStorageImageWriteWithoutFormat "
     "shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing "
     "shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing "
     "shaderClipDistance shaderCullDistance shaderFloat64 shaderInt64 shaderInt16 "
     "shaderResourceResidency shaderResourceMinLod sparseBinding sparseResidencyBuffer "
     "sparseResidencyImage2D sparseResidencyImage3D sparseResidency2Samples "
     "sparseResidency4Samples sparseResidency8Samples sparseResidency16Samples "
     "sparseResidencyAliased variableMultisampleRate inheritedQueries"},
    {offsetof(FeatureChain, v11), offsetof(FeatureChain, v11.storageBuffer16BitAccess),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, "",
     "storageBuffer16BitAccess uniformAndStorageBuffer16BitAccess storagePushConstant16 "
     "storageInputOutput16 multiview multiviewGeometryShader multiviewTessellationShader "
     "variablePointersStorageBuffer variablePointers protectedMemory "
     "samplerYcbcrConversion shaderDrawParameters"},
    {offsetof(FeatureChain, v12), offsetof(FeatureChain, v12.samplerMirrorClampToEdge),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, "",
     "samplerMirrorClampToEdge drawIndirectCount storageBuffer8BitAccess "
     "uniformAndStorageBuffer8BitAccess storagePushConstant8 shaderBufferInt64Atomics "
     "shaderSharedInt64Atomics shaderFloat16 shaderInt8 descriptorIndexing "
     "shaderInputAttachmentArrayDynamicIndexing "
     "shaderUniformTexelBufferArrayDynamicIndexing "
     "shaderStorageTexelBufferArrayDynamicIndexing "
     "shaderUniformBufferArrayNonUniformIndexing shaderSampledImageArrayNonUniformIndexing "
     "shaderStorageBufferArrayNonUniformIndexing shaderStorageImageArrayNonUniformIndexing "
     "shaderInputAttachmentArrayNonUniformIndexing "
     "shaderUniformTexelBufferArrayNonUniformIndexing "
     "shaderStorageTexelBufferArrayNonUniformIndexing "
     "descriptorBindingUniformBufferUpdateAfterBind "
     "descriptorBindingSampledImageUpdateAfterBind "
     "descriptorBindingStorageImageUpdateAfterBind "
     "descriptorBindingStorageBufferUpdateAfterBind "
     "descriptorBindingUniformTexelBufferUpdateAfterBind "
     "descriptorBindingStorageTexelBufferUpdateAfterBind "
     "descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound "
     "descriptorBindingVariableDescriptorCount runtimeDescriptorArray samplerFilterMinmax "
     "scalarBlockLayout imagelessFramebuffer uniformBufferStandardLayout "
     "shaderSubgroupExtendedTypes separateDepthStencilLayouts hostQueryReset "
     "timelineSemaphore bufferDeviceAddress bufferDeviceAddressCaptureReplay "
     "bufferDeviceAddressMultiDevice vulkanMemoryModel vulkanMemoryModelDeviceScope "
     "vulkanMemoryModelAvailabilityVisibilityChains shaderOutputViewportIndex "
     "shaderOutputLayer subgroupBroadcastDynamicId"},
    {offsetof(FeatureChain, v13), offsetof(FeatureChain, v13.robustImageAccess),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, "",
     "robustImageAccess inlineUniformBlock "
     "descriptorBindingInlineUniformBlockUpdateAfterBind pipelineCreationCacheControl "
     "privateData shaderDemoteToHelperInvocation shaderTerminateInvocation "
     "subgroupSizeControl computeFullSubgroups synchronization2 textureCompressionASTC_HDR "
     "shaderZeroInitializeWorkgroupMemory dynamicRendering shaderIntegerDotProduct "
     "maintenance4"},
    {offsetof(FeatureChain, atomicFloat),
     offsetof(FeatureChain, atomicFloat.shaderBufferFloat32Atomics),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     "VK_EXT_shader_atomic_float",
     "shaderBufferFloat32Atomics shaderBufferFloat32AtomicAdd shaderBufferFloat64Atomics "
     "shaderBufferFloat64AtomicAdd shaderSharedFloat32Atomics shaderSharedFloat32AtomicAdd "
     "shaderSharedFloat64Atomics shaderSharedFloat64AtomicAdd shaderImageFloat32Atomics "
     "shaderImageFloat32AtomicAdd sparseImageFloat32Atomics sparseImageFloat32AtomicAdd"},
    {offsetof(FeatureChain, atomicFloat2),
     offsetof(FeatureChain, atomicFloat2.shaderBufferFloat16Atomics),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT,
     "VK_EXT_shader_atomic_float2",
     "shaderBufferFloat16Atomics shaderBufferFloat16AtomicAdd "
     "shaderBufferFloat16AtomicMinMax shaderBufferFloat32AtomicMinMax "
     "shaderBufferFloat64AtomicMinMax shaderSharedFloat16Atomics "
     "shaderSharedFloat16AtomicAdd shaderSharedFloat16AtomicMinMax "
     "shaderSharedFloat32AtomicMinMax shaderSharedFloat64AtomicMinMax "
     "shaderImageFloat32AtomicMinMax sparseImageFloat32AtomicMinMax"},
    {offsetof(FeatureChain, workgroupLayout),
     offsetof(FeatureChain, workgroupLayout.workgroupMemoryExplicitLayout),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
     "VK_KHR_workgroup_memory_explicit_layout",
     "workgroupMemoryExplicitLayout workgroupMemoryExplicitLayoutScalarBlockLayout "
     "workgroupMemoryExplicitLayout8BitAccess workgroupMemoryExplicitLayout16BitAccess"},
    {offsetof(FeatureChain, clock), offsetof(FeatureChain, clock.shaderSubgroupClock),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, "VK_KHR_shader_clock",
     "shaderSubgroupClock shaderDeviceClock"},
    {offsetof(FeatureChain, robustness2), offsetof(FeatureChain, robustness2.robustBufferAccess2),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, "VK_EXT_robustness2",
     "robustBufferAccess2 robustImageAccess2 nullDescriptor"},
    {offsetof(FeatureChain, uniformControlFlow),
     offsetof(FeatureChain, uniformControlFlow.shaderSubgroupUniformControlFlow),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
     "VK_KHR_shader_subgroup_uniform_control_flow", "shaderSubgroupUniformControlFlow"},
    {offsetof(FeatureChain, imageAtomicInt64),
     offsetof(FeatureChain, imageAtomicInt64.shaderImageInt64Atomics),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT,
     "VK_EXT_shader_image_atomic_int64", "shaderImageInt64Atomics sparseImageInt64Atomics"},
    {offsetof(FeatureChain, divisor),
     offsetof(FeatureChain, divisor.vertexAttributeInstanceRateDivisor),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT,
     "VK_EXT_vertex_attribute_divisor",
     "vertexAttributeInstanceRateDivisor vertexAttributeInstanceRateZeroDivisor"},
    {offsetof(FeatureChain, indexUint8), offsetof(FeatureChain, indexUint8.indexTypeUint8),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, "VK_EXT_index_type_uint8",
     "indexTypeUint8"},
    {offsetof(FeatureChain, listRestart),
     offsetof(FeatureChain, listRestart.primitiveTopologyListRestart),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT,
     "VK_EXT_primitive_topology_list_restart",
     "primitiveTopologyListRestart primitiveTopologyPatchListRestart"},
    {offsetof(FeatureChain, depthClip), offsetof(FeatureChain, depthClip.depthClipEnable),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, "VK_EXT_depth_clip_enable",
     "depthClipEnable"},
    {offsetof(FeatureChain, provokingVertex),
     offsetof(FeatureChain, provokingVertex.provokingVertexLast),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, "VK_EXT_provoking_vertex",
     "provokingVertexLast transformFeedbackPreservesProvokingVertex"},
    {offsetof(FeatureChain, advancedBlend),
     offsetof(FeatureChain, advancedBlend.advancedBlendCoherentOperations),
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_FEATURES_EXT,
     "VK_EXT_blend_operation_advanced", "advancedBlendCoherentOperations"},
};

namespace {
/// A subgroup operation, or a stage with such, and its name in DeviceFeatures::names, after
/// "subgroup " or "subgroups in ".
struct SubgroupRow {
  VkFlags bit;
  const char *name;
};
} // namespace

/// Names as cases require them.
static constexpr SubgroupRow subgroupOperations[] = {
    {VK_SUBGROUP_FEATURE_BASIC_BIT, "basic"},
    {VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
    {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
    {VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
    {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
    {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle relative"},
    {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
    {VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"},
};

/// Stages that Amber names, and in which a device may lack subgroup operations; all have compute
/// shaders.
static constexpr SubgroupRow subgroupStages[] = {
    {VK_SHADER_STAGE_VERTEX_BIT, "vertex"},
    {VK_SHADER_STAGE_FRAGMENT_BIT, "fragment"},
    {VK_SHADER_STAGE_GEOMETRY_BIT, "geometry"},
    {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tessellationControl"},
    {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tessellationEvaluation"},
};

/// Float controls are properties, though their names begin like those of features: members of
/// VkPhysicalDeviceVulkan12Properties in the order of the header.
static constexpr StringRef floatControls =
    "shaderSignedZeroInfNanPreserveFloat16 shaderSignedZeroInfNanPreserveFloat32 "
    "shaderSignedZeroInfNanPreserveFloat64 shaderDenormPreserveFloat16 "
    "shaderDenormPreserveFloat32 shaderDenormPreserveFloat64 shaderDenormFlushToZeroFloat16 "
    "shaderDenormFlushToZeroFloat32 shaderDenormFlushToZeroFloat64 shaderRoundingModeRTEFloat16 "
    "shaderRoundingModeRTEFloat32 shaderRoundingModeRTEFloat64 shaderRoundingModeRTZFloat16 "
    "shaderRoundingModeRTZFloat32 shaderRoundingModeRTZFloat64";

/// Extensions without features of their own that cases may need.
static constexpr const char *plainExtensions[] = {
    "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote", "VK_EXT_shader_stencil_export",
    "VK_EXT_depth_range_unrestricted"};

/// Fills enabledExtensions from the extensions that the device has. The pointers are to string
/// literals.
static void enableExtensions(DeviceFeatures &features) {
  for (const char *name : plainExtensions)
    if (features.extensions.contains(name))
      features.enabledExtensions.push_back(name);
  for (const StructureRow &row : structures)
    if (*row.extension && features.extensions.contains(row.extension))
      features.enabledExtensions.push_back(row.extension);
}

/// Fills \p features.extensions with all extensions of the device.
static void readExtensions(VkPhysicalDevice physical, DeviceFeatures &features) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, extensions.data());
  for (const VkExtensionProperties &extension : extensions)
    features.extensions.insert(extension.extensionName);
}

/// The names of the features that are on in the chain.
static void nameFeatures(DeviceFeatures &features) {
  char *base = reinterpret_cast<char *>(&features.chain);
  for (const StructureRow &row : structures) {
    auto *member = reinterpret_cast<const VkBool32 *>(base + row.firstMember);
    SmallVector<StringRef> names;
    SplitString(row.members, names);
    for (size_t i = 0; i < names.size(); ++i)
      if (member[i])
        features.names.insert(names[i]);
  }
}

/// Chains the structures that the device knows and has the driver fill them in. Extensions must
/// have been read.
static void fillChain(VkPhysicalDevice physical, DeviceFeatures &features) {
  char *base = reinterpret_cast<char *>(&features.chain);
  void **next = nullptr;
  for (const StructureRow &row : structures) {
    if (*row.extension && !features.extensions.contains(row.extension))
      continue;
    auto *structure = reinterpret_cast<VkBaseOutStructure *>(base + row.offset);
    structure->sType = row.type;
    if (next)
      *next = structure;
    next = reinterpret_cast<void **>(&structure->pNext);
  }
  vkGetPhysicalDeviceFeatures2(physical, &features.chain.core);
}

/// Of "Mesa 22.3.6 (LLVM 15.0.6)". Not of driverVersion, which lavapipe sets to 1.
static VersionTuple readMesaVersion(StringRef driverInfo) {
  VersionTuple version;
  if (driverInfo.consume_front("Mesa "))
    version.tryParse(driverInfo.take_while([](char c) { return isDigit(c) || c == '.'; }));
  return version;
}

namespace {
/// The property structures that are queried, without a chain.
struct Properties {
  VkPhysicalDeviceProperties2 core = {};
  VkPhysicalDeviceVulkan11Properties v11 = {};
  VkPhysicalDeviceVulkan12Properties v12 = {};
  VkPhysicalDeviceVulkan13Properties v13 = {};
};
} // namespace

/// Takes limits, driver, subgroup sizes and operations, and float controls from \p properties.
/// Subgroup operations count only where compute shaders have them.
static void describeProperties(const Properties &properties, DeviceFeatures &features) {
  const VkPhysicalDeviceVulkan11Properties &v11 = properties.v11;
  const VkPhysicalDeviceVulkan12Properties &v12 = properties.v12;
  features.limits = properties.core.properties.limits;
  features.description = std::string(properties.core.properties.deviceName) + ", " + v12.driverInfo;
  features.driver = {v12.driverID, readMesaVersion(v12.driverInfo)};
  features.subgroupSize = v11.subgroupSize;
  features.minSubgroupSize = properties.v13.minSubgroupSize;
  features.maxSubgroupSize = properties.v13.maxSubgroupSize;
  if (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT)
    for (const SubgroupRow &row : subgroupOperations)
      if (v11.subgroupSupportedOperations & row.bit)
        features.names.insert((Twine("subgroup ") + row.name).str());
  for (const SubgroupRow &row : subgroupStages)
    if (v11.subgroupSupportedStages & row.bit)
      features.names.insert((Twine("subgroups in ") + row.name).str());
  SmallVector<StringRef> controls;
  SplitString(floatControls, controls);
  const VkBool32 *control = &v12.shaderSignedZeroInfNanPreserveFloat16;
  for (size_t i = 0; i < controls.size(); ++i)
    if (control[i])
      features.names.insert(controls[i]);
}

/// Chains the property structures and has the driver fill them in.
static void readProperties(VkPhysicalDevice physical, DeviceFeatures &features) {
  Properties properties;
  properties.v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  properties.v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  properties.v12.pNext = &properties.v13;
  properties.v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  properties.v11.pNext = &properties.v12;
  properties.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.core.pNext = &properties.v11;
  vkGetPhysicalDeviceProperties2(physical, &properties.core);
  describeProperties(properties, features);
}

/// The order matters: the chain and the enabled extensions depend on the device's extensions.
std::unique_ptr<DeviceFeatures> assay::vulkan::queryFeatures(VkPhysicalDevice physical) {
  auto features = std::make_unique<DeviceFeatures>();
  readExtensions(physical, *features);
  enableExtensions(*features);
  fillChain(physical, *features);
  nameFeatures(*features);
  readProperties(physical, *features);
  return features;
}

/// Sizes are computed from the members' names and rounded up to the alignment of pointers.
std::vector<StructureSize> assay::vulkan::featureStructures() {
  std::vector<StructureSize> sizes;
  for (const StructureRow &row : structures) {
    SmallVector<StringRef> names;
    SplitString(row.members, names);
    size_t bytes = row.firstMember - row.offset + names.size() * sizeof(VkBool32);
    sizes.push_back({row.type, static_cast<uint32_t>(alignTo(bytes, alignof(void *)))});
  }
  return sizes;
}

/// In the order in which readFeatures() expects their members.
std::vector<StructureSize> assay::vulkan::propertyStructures() {
  return {{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, sizeof(VkPhysicalDeviceProperties2)},
          {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
           sizeof(VkPhysicalDeviceVulkan11Properties)},
          {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
           sizeof(VkPhysicalDeviceVulkan12Properties)},
          {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
           sizeof(VkPhysicalDeviceVulkan13Properties)}};
}

/// Extensions without feature structures, and those that the structures belong to.
std::vector<std::string> assay::vulkan::featureExtensions() {
  std::vector<std::string> names(std::begin(plainExtensions), std::end(plainExtensions));
  for (const StructureRow &row : structures)
    if (*row.extension)
      names.emplace_back(row.extension);
  return names;
}

/// Copies \p answers into the structures at \p targets, past sType and pNext.
static Error copyMembers(ArrayRef<StructureMembers> answers, ArrayRef<StructureSize> sizes,
                         ArrayRef<char *> targets) {
  if (answers.size() != sizes.size())
    return environmentError("a driver answered to " + Twine(answers.size()) + " of " +
                            Twine(sizes.size()) + " queries");
  constexpr size_t Head = sizeof(VkBaseOutStructure);
  for (auto [answer, size, target] : zip_equal(answers, sizes, targets)) {
    if (answer.size() != size.bytes - Head)
      return environmentError("a driver answered with " + Twine(answer.size()) + " of " +
                              Twine(size.bytes - Head) + " bytes");
    std::memcpy(target + Head, answer.data(), answer.size());
  }
  return Error::success();
}

/// Rebuilds what queryFeatures() would return from answers of another process. Fails where their
/// structures have other sizes than here.
Expected<std::unique_ptr<DeviceFeatures>>
assay::vulkan::readFeatures(const RecordedAnswers &answers) {
  auto features = std::make_unique<DeviceFeatures>();
  for (const std::string &extension : answers.extensions)
    features->extensions.insert(extension);
  enableExtensions(*features);
  std::vector<char *> targets;
  for (const StructureRow &row : structures)
    targets.push_back(reinterpret_cast<char *>(&features->chain) + row.offset);
  if (Error error = copyMembers(answers.features, featureStructures(), targets))
    return std::move(error);
  nameFeatures(*features);
  Properties properties;
  targets = {reinterpret_cast<char *>(&properties.core), reinterpret_cast<char *>(&properties.v11),
             reinterpret_cast<char *>(&properties.v12), reinterpret_cast<char *>(&properties.v13)};
  if (Error error = copyMembers(answers.properties, propertyStructures(), targets))
    return std::move(error);
  describeProperties(properties, *features);
  return features;
}

/// What Amber calls "Float16Int8Features.shaderFloat16" or "SubgroupSupportedOperations.basic", as
/// DeviceFeatures has it; empty where every device has it.
static std::string plainName(StringRef name) {
  auto [group, member] = name.rsplit('.');
  if (group.starts_with("SubgroupSupportedStages"))
    return member == "compute" ? "" : "subgroups in " + member.str();
  if (member.empty())
    return name.str();
  if (!group.starts_with("SubgroupSupportedOperations"))
    return member.str();
  return member == "shuffleRelative" ? "subgroup shuffle relative" : "subgroup " + member.str();
}

/// Whether \p name is a feature that is on, an extension, or something that every device has.
static bool has(const DeviceFeatures &features, StringRef name) {
  std::string plain = plainName(name);
  return plain.empty() || features.names.contains(plain) || features.extensions.contains(plain);
}

/// All feature names of the tables here and of the capability table. Extensions are not among them.
static StringSet<> makeKnownNames() {
  StringSet<> known;
  auto addAll = [&](StringRef list) {
    SmallVector<StringRef> names;
    SplitString(list, names);
    for (StringRef name : names)
      known.insert(name);
  };
  for (const StructureRow &row : structures)
    addAll(row.members);
  addAll(floatControls);
  for (const SubgroupRow &row : subgroupOperations)
    known.insert((Twine("subgroup ") + row.name).str());
  for (const SubgroupRow &row : subgroupStages)
    known.insert((Twine("subgroups in ") + row.name).str());
  // Of extensions younger than the headers.
  for (const spirv::CapabilityRow &row : spirv::capabilityTable())
    known.insert(row.feature);
  return known;
}

/// Only the spelling is checked, not whether any device has the feature.
bool assay::isKnownDeviceFeature(StringRef name) {
  static const StringSet<> Known = makeKnownNames();
  std::string plain = plainName(name);
  return plain.empty() || StringRef(plain).starts_with("VK_") || Known.contains(plain);
}

namespace {
/// A feature that \p capability needs in addition where it is used on images.
struct TexelRule {
  spv::Capability capability;
  const char *feature;
};
} // namespace

/// One capability represents buffers, workgroup memory and images; the device has a feature each.
static constexpr TexelRule texelRules[] = {
    {spv::Capability::AtomicFloat32AddEXT, "shaderImageFloat32AtomicAdd"},
    {spv::Capability::AtomicFloat32MinMaxEXT, "shaderImageFloat32AtomicMinMax"},
};

namespace {
/// A float control and the name of its property.
struct ControlRule {
  spv::ExecutionMode mode;
  const char *feature; ///< Without the width.
};
} // namespace

/// A float control is a property of each width; the capability table names that of 32 bits.
static constexpr ControlRule controlRules[] = {
    {spv::ExecutionMode::SignedZeroInfNanPreserve, "shaderSignedZeroInfNanPreserveFloat"},
    {spv::ExecutionMode::DenormPreserve, "shaderDenormPreserveFloat"},
    {spv::ExecutionMode::DenormFlushToZero, "shaderDenormFlushToZeroFloat"},
    {spv::ExecutionMode::RoundingModeRTE, "shaderRoundingModeRTEFloat"},
    {spv::ExecutionMode::RoundingModeRTZ, "shaderRoundingModeRTZFloat"},
};

/// Returns the first float control that an execution mode of \p module uses and the device lacks,
/// or an empty string.
static std::string findMissingControl(const spirv::Module &module, const DeviceFeatures &features) {
  for (const spirv::ExecutionMode &mode : module.executionModes)
    for (const ControlRule &rule : controlRules)
      if (mode.mode == rule.mode && !mode.operands.empty()) {
        std::string name = rule.feature + std::to_string(mode.operands[0]);
        if (!has(features, name))
          return name;
      }
  return "";
}

/// Whether \p module has texel pointers, which image atomics use.
static bool pointsAtTexels(const spirv::Module &module) {
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &instruction : block.instructions)
        if (instruction.opcode == spv::Op::OpImageTexelPointer)
          return true;
  return false;
}

/// Whether the type of \p id is a pointer to workgroup memory.
static bool isWorkgroupPointer(const spirv::Module &module,
                               const DenseMap<spirv::Id, spirv::Id> &types, spirv::Id id) {
  const spirv::Instruction *global = module.findGlobal(id);
  const spirv::Type *type = module.findType(global ? global->typeId : types.lookup(id));
  return type && type->kind == spirv::TypeKind::Pointer &&
         type->storageClass == spv::StorageClass::Workgroup;
}

/// Whether an atomic that has a result of 64 bits works on workgroup memory: capability
/// Int64Atomics is that of buffers, too.
static bool hasWideWorkgroupAtomics(const spirv::Module &module) {
  DenseMap<spirv::Id, spirv::Id> types;
  for (const spirv::Function &function : module.functions)
    for (const spirv::Block &block : function.blocks)
      for (const spirv::Instruction &instruction : block.instructions) {
        types[instruction.resultId] = instruction.typeId;
        bool isAtomic = instruction.opcode >= spv::Op::OpAtomicLoad &&
                        instruction.opcode <= spv::Op::OpAtomicXor && instruction.typeId;
        const spirv::Type *type = isAtomic ? module.findType(instruction.typeId) : nullptr;
        if (type && type->kind == spirv::TypeKind::Int && type->width == 64 &&
            isWorkgroupPointer(module, types, instruction.operand(0)))
          return true;
      }
  return false;
}

/// Returns the first feature that \p module needs and the device lacks, or an empty string. Float
/// controls and atomics are checked more exactly than the capability table does.
static std::string findMissingFeature(const spirv::Module &module, const DeviceFeatures &features) {
  for (const spirv::CapabilityRow *row : spirv::usedRows(module))
    if (!row->feature.empty() && !floatControls.contains(row->feature) &&
        !has(features, row->feature))
      return row->feature.str();
  if (std::string control = findMissingControl(module, features); !control.empty())
    return control;
  if (is_contained(module.capabilities, spv::Capability::Int64Atomics) &&
      !has(features, "shaderSharedInt64Atomics") && hasWideWorkgroupAtomics(module))
    return "shaderSharedInt64Atomics";
  if (pointsAtTexels(module))
    for (const TexelRule &rule : texelRules)
      if (is_contained(module.capabilities, rule.capability) && !has(features, rule.feature))
        return rule.feature;
  return "";
}

/// The case's list is checked first, then each pipeline: its state, then its shaders.
Expected<std::string> assay::vulkan::findMissingFeature(const Case &input,
                                                        const DeviceFeatures &features) {
  for (const std::string &name : input.features)
    if (!has(features, name))
      return name;
  for (const CasePipeline &pipeline : input.pipelines) {
    if (pipeline.description.isGraphics())
      if (std::string missing = findMissingGraphicsFeature(pipeline, features); !missing.empty())
        return missing;
    for (const ShaderDescription &shader : pipeline.description.stages) {
      Expected<spirv::Module> module = spirv::decode(shader.spirv);
      if (!module)
        return module.takeError();
      if (std::string missing = ::findMissingFeature(*module, features); !missing.empty())
        return missing;
    }
  }
  return std::string();
}
