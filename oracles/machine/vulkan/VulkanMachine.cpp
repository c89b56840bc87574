// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/VulkanMachine.h"

#include "oracles/machine/CaseRun.h"
#include "oracles/machine/vulkan/DriverBugs.h"
#include "oracles/machine/vulkan/DriverTrial.h"
#include "oracles/machine/vulkan/MultisampleCopy.h"
#include "oracles/machine/vulkan/VulkanIcd.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <cfenv>

using namespace llvm;
using namespace assay;
using namespace assay::vulkan;

namespace {
/// A name for people, and the stem of the manifest.
struct Alias {
  const char *name, *icd;
};
} // namespace

/// What people call drivers whose manifests are called otherwise.
static constexpr Alias aliases[] = {
    {"lavapipe", "lvp"}, {"radv", "radeon"}, {"anv", "intel"}, {"hasvk", "intel_hasvk"}};

namespace {
/// A case on the device.
struct Prepared {
  std::unique_ptr<Resources> resources;
  std::vector<std::unique_ptr<MultisampleCopy>> copies;
  std::vector<std::unique_ptr<Pipeline>> pipelines;
};

/// Runs cases on one device. Artifacts are ignored: the driver compiles the case's SPIR-V.
class VulkanMachine : public Machine {
public:
  VulkanMachine(std::string name, std::unique_ptr<Device> device)
      : m_name(std::move(name)), m_device(std::move(device)) {}
  StringRef name() const override { return m_name; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  /// Unsupported for the first feature that the device lacks, a known bug of the driver, or a stage
  /// that checkStage() refuses.
  Error checkNeeds(const Case &input) const;
  /// Unsupported for stages after Fragment in ShaderStage, and for subgroup sizes that the device
  /// or the case does not have.
  Error checkStage(const Case &input, const ShaderDescription &shader) const;
  /// Creates all resources, copies and pipelines of \p input before any command runs.
  Expected<Prepared> prepare(const Case &input);
  Error execute(const Prepared &prepared, std::vector<BufferState> &buffers,
                function_ref<void(VkCommandBuffer)> record);

  std::string m_name;
  std::unique_ptr<Device> m_device;
};

/// Drivers change the host's floating point environment; nobody else shall notice.
class FloatGuard {
public:
  FloatGuard() { std::fegetenv(&m_environment); }
  ~FloatGuard() { std::fesetenv(&m_environment); }
  FloatGuard(const FloatGuard &) = delete;
  FloatGuard &operator=(const FloatGuard &) = delete;

private:
  std::fenv_t m_environment;
};
} // namespace

/// Features go first, then known bugs, then stages: the first reason is the message.
Error VulkanMachine::checkNeeds(const Case &input) const {
  const DeviceFeatures &features = m_device->features();
  Expected<std::string> missing = findMissingFeature(input, features);
  if (!missing)
    return missing.takeError();
  if (missing->empty() && !input.addresses.empty() &&
      !features.names.contains("bufferDeviceAddress"))
    *missing = "bufferDeviceAddress";
  if (!missing->empty())
    return unsupported(features.description + " lacks " + *missing);
  Expected<std::string> bug = findDriverBug(input, features.driver);
  if (!bug)
    return bug.takeError();
  if (!bug->empty())
    return unsupported(*bug);
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages)
      if (Error error = checkStage(input, shader))
        return addContext(std::move(error), "pipeline '" + pipeline.name + "'");
  return Error::success();
}

Error VulkanMachine::checkStage(const Case &input, const ShaderDescription &shader) const {
  const DeviceFeatures &features = m_device->features();
  if (shader.stage > ShaderStage::Fragment)
    return unsupported(getStageName(shader.stage) + " shaders");
  uint32_t required = shader.requiredSubgroupSize;
  bool inRange = required >= features.minSubgroupSize && required <= features.maxSubgroupSize;
  if (required && (!inRange || !features.names.contains("subgroupSizeControl")))
    return unsupported("subgroup size " + Twine(required) + " (" + features.description + " has " +
                       Twine(features.minSubgroupSize) + " to " + Twine(features.maxSubgroupSize) +
                       ")");
  uint32_t size = required ? required : features.subgroupSize;
  if (!input.subgroupSizes.empty() && !is_contained(input.subgroupSizes, size))
    return unsupported("subgroup size " + Twine(size) + " (the case needs another)");
  return Error::success();
}

/// Runs what \p record records, on \p buffers.
Error VulkanMachine::execute(const Prepared &prepared, std::vector<BufferState> &buffers,
                             function_ref<void(VkCommandBuffer)> record) {
  prepared.resources->upload(buffers);
  if (Error error = m_device->execute([&](VkCommandBuffer commands) {
        prepared.resources->recordUpload(commands);
        for (const std::unique_ptr<MultisampleCopy> &copy : prepared.copies)
          copy->record(commands, true);
        record(commands);
        for (const std::unique_ptr<MultisampleCopy> &copy : prepared.copies)
          copy->record(commands, false);
        prepared.resources->recordDownload(commands);
      }))
    return error;
  prepared.resources->download(buffers);
  return Error::success();
}

Expected<Prepared> VulkanMachine::prepare(const Case &input) {
  Prepared prepared;
  Expected<std::unique_ptr<Resources>> resources = Resources::create(*m_device, input);
  if (!resources)
    return resources.takeError();
  prepared.resources = std::move(*resources);
  for (unsigned i = 0; i < input.buffers.size(); ++i) {
    if (const auto &image = input.buffers[i].image; !image || image->samples == 1)
      continue;
    auto copy = MultisampleCopy::create(*m_device, *prepared.resources, input, i);
    if (!copy)
      return copy.takeError();
    prepared.copies.push_back(std::move(*copy));
  }
  for (const CasePipeline &source : input.pipelines) {
    auto pipeline = Pipeline::create(*m_device, *prepared.resources, input, source);
    if (!pipeline)
      return addContext(pipeline.takeError(), "pipeline " + source.name);
    prepared.pipelines.push_back(std::move(*pipeline));
  }
  return prepared;
}

/// The subgroup size of the outcome is the device's default: that of shaders which require no
/// other.
Expected<Outcome> VulkanMachine::run(const Case &input, ArrayRef<Artifact> /*artifacts*/,
                                     const RunOptions & /*options*/) {
  FloatGuard guard;
  if (Error error = checkNeeds(input))
    return std::move(error);
  Expected<Prepared> prepared = prepare(input);
  if (!prepared)
    return prepared.takeError();
  auto runOn = [&](std::vector<BufferState> &buffers,
                   function_ref<void(VkCommandBuffer)> record) -> Expected<bool> {
    if (Error error = execute(*prepared, buffers, record))
      return std::move(error);
    return true;
  };
  const std::vector<std::unique_ptr<Pipeline>> &pipelines = prepared->pipelines;
  auto dispatch = [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &) {
    return runOn(buffers, [&](VkCommandBuffer commands) {
      pipelines[command.pipeline]->recordDispatch(commands, command.groups, buffers);
    });
  };
  auto draw = [&](const Draw &command, std::vector<BufferState> &buffers, Outcome &) {
    return runOn(buffers, [&](VkCommandBuffer commands) {
      pipelines[command.pipeline]->recordDraw(commands, command, buffers);
    });
  };
  auto clear = [&](const Clear &command, std::vector<BufferState> &buffers, Outcome &) {
    return runOn(buffers, [&](VkCommandBuffer commands) {
      pipelines[command.pipeline]->recordClear(commands, command);
    });
  };
  auto addressOf = [&](unsigned buffer) { return prepared->resources->buffer(buffer).address; };
  Expected<Outcome> outcome = runCommands(input, dispatch, addressOf, DrawFunctions{draw, clear});
  if (outcome)
    outcome->subgroupSize = m_device->features().subgroupSize;
  return outcome;
}

/// Creates the device in a child process first: a driver may end it.
static Error tryDriver(StringRef name, const std::string &icd) {
  Expected<Trial> trial = tryOnce(icd, "device", [&]() -> Expected<std::string> {
    Expected<std::unique_ptr<Device>> device = Device::create(icd);
    if (!device)
      return device.takeError();
    return (*device)->features().description;
  });
  if (!trial)
    return trial.takeError();
  switch (trial->end) {
  case Trial::End::Returned:
    return Error::success();
  case Trial::End::Failed:
    return trial->isUnsupported
               ? unsupported("Vulkan driver '" + name + "' (" + icd + "): " + trial->text)
               : environmentError("Vulkan driver '" + name + "' (" + icd + "): " + trial->text);
  case Trial::End::Died:
    return unsupported("Vulkan driver '" + name + "' (" + icd + ") ends with " + trial->text +
                       " when a device is created");
  }
  llvm_unreachable("unknown end of a trial");
}

Expected<std::unique_ptr<Machine>>
assay::createVulkanMachine(StringRef name, std::function<void(StringRef)> onMessage) {
  const auto *alias = find_if(aliases, [&](const Alias &row) { return name == row.name; });
  std::string icd = findVulkanIcd(alias == std::end(aliases) ? name : StringRef(alias->icd));
  if (icd.empty())
    return unsupported(missingVulkanIcd(name));
  if (Error error = tryDriver(name, icd))
    return std::move(error);
  FloatGuard guard;
  Expected<std::unique_ptr<Device>> device = Device::create(icd, std::move(onMessage));
  if (!device)
    return device.takeError();
  return std::make_unique<VulkanMachine>(("vulkan:" + name).str(), std::move(*device));
}
