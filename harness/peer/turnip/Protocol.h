// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the peer asks of its guest program and what comes back. One request, in a file, is a device,
// the resources of a case and pipelines; the answer is a file of records, each written as soon as
// it is known, so that a driver that dies leaves what came before. Enumerations are Vulkan's own.
// Compiled into both programs: no LLVM here.
#pragma once

#include "oracles/turnip/Memory.h"
#include "oracles/turnip/Wire.h"
#include <optional>

namespace assay::turnip {

/// A structure to query: its VkStructureType, and its bytes with sType and pNext.
struct StructureQuery {
  uint32_t type = 0;
  uint32_t bytes = 0;
};

struct ImageRequest {
  uint32_t type = 0, format = 0, flags = 0, usage = 0;
  uint32_t width = 1, height = 1, depth = 1, levels = 1, layers = 1, samples = 1;
};

/// A buffer of \p bytes, or an image.
struct ResourceRequest {
  uint64_t bytes = 4;
  std::optional<ImageRequest> image;
};

/// Members of VkSamplerCreateInfo.
struct SamplerRequest {
  uint32_t magFilter = 0, minFilter = 0, mipFilter = 0;
  uint32_t address[3] = {};
  uint32_t border = 0;
  float minLod = 0, maxLod = 0, lodBias = 0;
  uint32_t unnormalized = 0, comparisonOn = 0, comparison = 0;
};

struct BindingRequest {
  uint32_t set = 0, binding = 0, type = 0, count = 1;
};

/// The contents of one descriptor. \p resource and \p sampler are indices; ~0 for none.
struct DescriptorRequest {
  uint32_t set = 0, binding = 0, element = 0, type = 0;
  uint32_t resource = ~0u, sampler = ~0u;
  uint64_t offset = 0, range = ~0ull;                  ///< Buffers and texel buffers.
  uint32_t viewType = 0, viewFormat = 0, aspect = 0;   ///< Of an image; the format of a texel
                                                       ///< buffer too.
  uint32_t firstLevel = 0, levels = ~0u, layers = ~0u; ///< Of an image.
};

struct SpecializationRequest {
  uint32_t id = 0, bytes = 4;
  uint64_t bits = 0;
};

struct PipelineRequest {
  std::vector<uint32_t> spirv;
  std::string entryPoint = "main";
  std::vector<SpecializationRequest> specialization;
  uint32_t requiredSubgroupSize = 0; ///< 0: the driver's choice.
  uint32_t stageFlags = 0;
  uint32_t pushConstantBytes = 0;
  std::vector<BindingRequest> bindings; ///< By set and binding.
  std::vector<DescriptorRequest> descriptors;
  /// Text in Mesa's assembler syntax that takes the place of what the driver compiled; empty: none.
  std::string assembly;
};

struct Request {
  uint64_t chip = 0; ///< As MSM_PARAM_CHIP_ID has it.
  /// Variables for the driver, "IR3_SHADER_DEBUG=fullsync".
  std::vector<std::string> environment;
  std::vector<StructureQuery> features, properties;
  std::vector<std::string> extensions; ///< Switched on where the device has them.
  std::vector<ResourceRequest> resources;
  std::vector<SamplerRequest> samplers;
  std::vector<PipelineRequest> pipelines;
};

/// Answers to StructureQuery, in their order: the bytes after sType and pNext.
struct DeviceAnswer {
  std::vector<std::string> extensions;
  std::vector<std::vector<uint8_t>> features, properties;
};

/// A command stream as it was submitted.
struct CommandStream {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

/// One dispatch as the kernel got it.
struct Submission {
  std::vector<CommandStream> streams;
  std::vector<MemoryRange> memory; ///< All of the device's memory that is not 0.
};

struct PipelineAnswer {
  std::string failure;        ///< "vkCreateComputePipelines: -13"; empty where all went well.
  bool isUnsupported = false; ///< The failure is something that the driver does not offer.
  std::vector<Statistic> statistics;
  std::string assembly;                ///< The driver's own disassembly.
  std::vector<Submission> submissions; ///< Of dispatch 0, 1, ... below.
};

struct Response {
  std::string failure; ///< Of what comes before the pipelines.
  std::optional<DeviceAnswer> device;
  std::vector<ResourcePlace> resources;
  std::vector<PipelineAnswer> pipelines; ///< Fewer than asked for where the driver died.
  bool isComplete = false;               ///< The guest came to its end.
};

/// A pipeline is dispatched several times with other numbers, which say in what is submitted where
/// workgroup counts, the first workgroup and the push constants go.
inline constexpr uint32_t dispatchCount = 2;
constexpr uint32_t dispatchedGroups(uint32_t dispatch, uint32_t dimension) {
  return 0x9e37u - 0x1357u * dispatch - 0x0b1du * dimension;
}
constexpr uint32_t dispatchedBase(uint32_t dispatch, uint32_t dimension) {
  return 0x5bd1e995u + 0x1b873593u * dispatch + 0x27d4eb2fu * dimension;
}
constexpr uint32_t dispatchedPushConstant(uint32_t dispatch, uint32_t dword) {
  return 0x6a09e667u + 0x510e527fu * dispatch + 0x3c6ef372u * dword;
}

std::vector<uint8_t> writeRequest(const Request &request);
/// Nothing when \p data is not what writeRequest() wrote.
std::optional<Request> readRequest(const uint8_t *data, size_t size);

/// The records of an answer.
void writeFailure(WireWriter &writer, const std::string &failure);
void writeDevice(WireWriter &writer, const DeviceAnswer &device);
void writeResources(WireWriter &writer, const std::vector<ResourcePlace> &resources);
void writePipeline(WireWriter &writer, const PipelineAnswer &pipeline);
void writeEnd(WireWriter &writer);
/// The records of \p data up to the first that is cut off or damaged.
Response readResponse(const uint8_t *data, size_t size);

} // namespace assay::turnip
