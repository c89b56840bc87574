// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/TurnipPeer.h"

#include "harness/peer/turnip/DescribeCase.h"
#include "harness/peer/turnip/Guest.h"
#include "oracles/machine/vulkan/Features.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// Numbers: Mesa 25.0, src/freedreno/common/freedreno_devices.py.
static constexpr Chip knownChips[] = {{"a630", 0x06030001, Generation::A6xx},
                                      {"a660", 0x06060001, Generation::A6xx},
                                      {"a740", 0x43050a01, Generation::A7xx}};

/// The first one is the chip that tryTurnip() asks for.
ArrayRef<Chip> turnip::chips() {
  return knownChips;
}

/// Unsupported for targets without a chip, and where turnip is not installed.
Expected<TurnipPeer> TurnipPeer::create(StringRef target) {
  const auto *chip = find_if(knownChips, [&](const Chip &each) { return each.target == target; });
  if (chip == std::end(knownChips))
    return unsupported("turnip: no chip is known for " + target);
  Expected<Installation> installation = findInstallation();
  if (!installation)
    return installation.takeError();
  return TurnipPeer(*chip, std::move(*installation));
}

/// What the driver offers. Unsupported where it had no device for us.
static Expected<std::unique_ptr<vulkan::DeviceFeatures>> readDevice(const Response &response) {
  if (!response.device)
    return unsupported("turnip: " + response.failure);
  return vulkan::readFeatures(
      {response.device->extensions, response.device->features, response.device->properties});
}

/// Unsupported for the first feature, subgroup size or number of push constants that the driver
/// does not offer. The answers of pipelines mean nothing then.
static Error checkOffered(const Case &input, const Request &request,
                          const vulkan::DeviceFeatures &features) {
  Expected<std::string> missing = vulkan::findMissingFeature(input, features);
  if (!missing)
    return missing.takeError();
  if (!missing->empty())
    return unsupported(features.description + " lacks " + *missing);
  for (const PipelineRequest &pipeline : request.pipelines) {
    uint32_t size = pipeline.requiredSubgroupSize;
    if (size && (size < features.minSubgroupSize || size > features.maxSubgroupSize))
      return unsupported(features.description + ": subgroups of " + Twine(size));
    if (pipeline.pushConstantBytes > features.limits.maxPushConstantsSize)
      return unsupported(features.description + ": push constants of " +
                         Twine(pipeline.pushConstantBytes) + " bytes");
  }
  return Error::success();
}

/// Returns a shader without driver and resources, which are the same for all pipelines.
static Expected<TurnipShader> readAnswer(const PipelineAnswer &answer, const Chip &chip,
                                         const PipelineRequest &request) {
  if (!answer.failure.empty())
    return answer.isUnsupported ? unsupported("turnip: " + answer.failure)
                                : environmentError("turnip: " + answer.failure);
  Expected<TurnipShader> shader =
      readSubmissions(answer.submissions, chip.generation, descriptorRoom(request));
  if (!shader)
    return shader.takeError();
  shader->target = chip.target.str();
  shader->statistics = answer.statistics;
  shader->assembly = answer.assembly;
  return shader;
}

/// \p environment are variables for the guest process.
Expected<Request> TurnipPeer::makeRequest(const Case &input, uint32_t subgroupSize,
                                          ArrayRef<std::string> environment) const {
  Expected<Request> request = describeCase(input, subgroupSize);
  if (!request)
    return request.takeError();
  request->chip = m_chip.number;
  request->environment = environment;
  return request;
}

/// Returns the shaders up to the pipeline that killed the driver, if one did, and the cause of
/// death. Unsupported where the device does not offer what the case requires.
Expected<Compilation> TurnipPeer::readCompilation(const Case &input, const Request &request,
                                                  const GuestAnswer &answer) const {
  const Response &response = answer.response;
  if (!response.device && !answer.death.empty())
    return Compilation{{}, answer.death};
  Expected<std::unique_ptr<vulkan::DeviceFeatures>> features = readDevice(response);
  if (!features)
    return features.takeError();
  if (Error error = checkOffered(input, request, **features))
    return std::move(error);
  if (!response.failure.empty())
    return environmentError("turnip: " + response.failure);
  Compilation result;
  result.death = answer.death;
  for (auto [pipeline, each] : zip(request.pipelines, response.pipelines)) {
    Expected<TurnipShader> shader = readAnswer(each, m_chip, pipeline);
    if (!shader)
      return addContext(shader.takeError(),
                        "pipeline '" + input.pipelines[result.shaders.size()].name + "'");
    shader->driver = (*features)->description;
    shader->resources = response.resources;
    if (Error error = verifyTurnipShader(*shader))
      return addContext(std::move(error), "what turnip submits");
    result.shaders.push_back(std::move(*shader));
  }
  return result;
}

/// Each call starts a process.
Expected<Compilation> TurnipPeer::compile(const Case &input, uint32_t subgroupSize,
                                          ArrayRef<std::string> environment) const {
  Expected<Request> request = makeRequest(input, subgroupSize, environment);
  if (!request)
    return request.takeError();
  Expected<GuestAnswer> answer = runGuest(m_installation, *request);
  if (!answer)
    return answer.takeError();
  return readCompilation(input, *request, *answer);
}

/// Compiles all inputs in one process where possible. The results have the order of the inputs; an
/// input that cannot be described has its error there. An error of the whole call means that the
/// guest could not run.
Expected<std::vector<Expected<Compilation>>>
TurnipPeer::compileAll(ArrayRef<const Case *> inputs, uint32_t subgroupSize,
                       ArrayRef<std::string> environment) const {
  std::vector<Expected<Request>> described;
  std::vector<Request> requests;
  for (const Case *input : inputs) {
    described.push_back(makeRequest(*input, subgroupSize, environment));
    if (described.back())
      requests.push_back(*described.back());
  }
  std::vector<GuestAnswer> answers;
  if (!requests.empty()) {
    Expected<std::vector<GuestAnswer>> all = runGuests(m_installation, requests);
    if (!all) {
      for (Expected<Request> &request : described)
        consumeError(request.takeError());
      return all.takeError();
    }
    answers = std::move(*all);
  }
  std::vector<Expected<Compilation>> results;
  size_t next = 0;
  for (auto [input, request] : zip_equal(inputs, described)) {
    if (!request) {
      results.push_back(request.takeError());
      continue;
    }
    results.push_back(readCompilation(*input, *request, answers[next++]));
  }
  return results;
}

/// Returns the description of the driver if it can make a device. Nothing is compiled.
Expected<std::string> turnip::tryTurnip() {
  Expected<Installation> installation = findInstallation();
  if (!installation)
    return installation.takeError();
  Request request;
  addQueries(request);
  request.chip = knownChips[0].number;
  Expected<GuestAnswer> answer = runGuest(*installation, request);
  if (!answer)
    return answer.takeError();
  if (!answer->death.empty())
    return unsupported("turnip dies: " + answer->death);
  Expected<std::unique_ptr<vulkan::DeviceFeatures>> features = readDevice(answer->response);
  if (!features)
    return features.takeError();
  return (*features)->description;
}
