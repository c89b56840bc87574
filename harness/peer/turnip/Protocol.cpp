// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/Protocol.h"

using namespace assay::turnip;

namespace {
/// The number in front of a record. Its size in bytes follows.
enum class Record : uint32_t { Failure = 1, Device, Resources, Pipeline, End };
} // namespace

// One function per structure lists its members, for WirePut and WireGet.

/// A number, a string or a list of bytes, which WirePut and WireGet know themselves.
static constexpr auto plain = [](auto &io, auto &value) { io(value); };

/// Each of these lambdas lists the members of a structure once, for writing and reading alike.
static constexpr auto structureQuery = [](auto &io, auto &value) {
  io(value.type);
  io(value.bytes);
};

static constexpr auto imageRequest = [](auto &io, auto &value) {
  for (auto *member : {&value.type, &value.format, &value.flags, &value.usage, &value.width,
                       &value.height, &value.depth, &value.levels, &value.layers, &value.samples})
    io(*member);
};

static constexpr auto resourceRequest = [](auto &io, auto &value) {
  io(value.bytes);
  io.maybe(value.image, imageRequest);
};

static constexpr auto samplerRequest = [](auto &io, auto &value) {
  for (auto *member : {&value.magFilter, &value.minFilter, &value.mipFilter, &value.address[0],
                       &value.address[1], &value.address[2], &value.border, &value.unnormalized,
                       &value.comparisonOn, &value.comparison})
    io(*member);
  for (auto *member : {&value.minLod, &value.maxLod, &value.lodBias})
    io(*member);
};

static constexpr auto bindingRequest = [](auto &io, auto &value) {
  for (auto *member : {&value.set, &value.binding, &value.type, &value.count})
    io(*member);
};

static constexpr auto descriptorRequest = [](auto &io, auto &value) {
  for (auto *member : {&value.set, &value.binding, &value.element, &value.type, &value.resource,
                       &value.sampler, &value.viewType, &value.viewFormat, &value.aspect,
                       &value.firstLevel, &value.levels, &value.layers})
    io(*member);
  io(value.offset);
  io(value.range);
};

static constexpr auto specializationRequest = [](auto &io, auto &value) {
  io(value.id);
  io(value.bytes);
  io(value.bits);
};

static constexpr auto pipelineRequest = [](auto &io, auto &value) {
  io.sequence(value.spirv, plain);
  io(value.entryPoint);
  io.sequence(value.specialization, specializationRequest);
  for (auto *member : {&value.requiredSubgroupSize, &value.stageFlags, &value.pushConstantBytes})
    io(*member);
  io.sequence(value.bindings, bindingRequest);
  io.sequence(value.descriptors, descriptorRequest);
  io(value.assembly);
};

static constexpr auto wholeRequest = [](auto &io, auto &value) {
  io(value.chip);
  io.sequence(value.environment, plain);
  io.sequence(value.features, structureQuery);
  io.sequence(value.properties, structureQuery);
  io.sequence(value.extensions, plain);
  io.sequence(value.resources, resourceRequest);
  io.sequence(value.samplers, samplerRequest);
  io.sequence(value.pipelines, pipelineRequest);
};

static constexpr auto levelPlace = [](auto &io, auto &value) {
  for (auto *member :
       {&value.offset, &value.size, &value.rowPitch, &value.arrayPitch, &value.depthPitch})
    io(*member);
};

static constexpr auto resourcePlace = [](auto &io, auto &value) {
  io(value.address);
  io(value.bytes);
  io.sequence(value.levels, levelPlace);
};

static constexpr auto deviceAnswer = [](auto &io, auto &value) {
  io.sequence(value.extensions, plain);
  io.sequence(value.features, plain);
  io.sequence(value.properties, plain);
};

static constexpr auto statistic = [](auto &io, auto &value) {
  io(value.name);
  io(value.value);
};

static constexpr auto memoryRange = [](auto &io, auto &value) {
  io(value.address);
  io(value.bytes);
};

static constexpr auto commandStream = [](auto &io, auto &value) {
  io(value.address);
  io(value.bytes);
};

static constexpr auto submission = [](auto &io, auto &value) {
  io.sequence(value.streams, commandStream);
  io.sequence(value.memory, memoryRange);
};

static constexpr auto pipelineAnswer = [](auto &io, auto &value) {
  io(value.failure);
  io(value.isUnsupported);
  io.sequence(value.statistics, statistic);
  io(value.assembly);
  io.sequence(value.submissions, submission);
};

/// The numbers have the order in which readRequest() reads them.
std::vector<uint8_t> assay::turnip::writeRequest(const Request &request) {
  WireWriter writer;
  WirePut put(writer);
  wholeRequest(put, request);
  return writer.get();
}

/// Nothing for bytes that end early or are left over.
std::optional<Request> assay::turnip::readRequest(const uint8_t *data, size_t size) {
  WireReader reader(data, size);
  WireGet get(reader);
  Request request;
  wholeRequest(get, request);
  if (!reader.isGood() || !reader.atEnd())
    return std::nullopt;
  return request;
}

/// Writes number and size in front of the members that \p each lists, so that a reader can find a
/// record that is cut off.
template <typename Value, typename Each>
static void writeRecord(WireWriter &writer, Record record, const Value &value, Each each) {
  WireWriter body;
  WirePut put(body);
  each(put, value);
  writer.word(static_cast<uint32_t>(record));
  writer.bytes(body.get().data(), body.get().size());
}

/// A record says why no device or resources could be made.
void assay::turnip::writeFailure(WireWriter &writer, const std::string &failure) {
  writeRecord(writer, Record::Failure, failure, plain);
}

void assay::turnip::writeDevice(WireWriter &writer, const DeviceAnswer &device) {
  writeRecord(writer, Record::Device, device, deviceAnswer);
}

void assay::turnip::writeResources(WireWriter &writer,
                                   const std::vector<ResourcePlace> &resources) {
  writeRecord(writer, Record::Resources, resources,
              [](WirePut &put, const auto &value) { put.sequence(value, resourcePlace); });
}

/// Pipelines have no numbers: their records are in the order of the request.
void assay::turnip::writePipeline(WireWriter &writer, const PipelineAnswer &pipeline) {
  writeRecord(writer, Record::Pipeline, pipeline, pipelineAnswer);
}

/// Without this record the answer counts as incomplete: the guest died.
void assay::turnip::writeEnd(WireWriter &writer) {
  writeRecord(writer, Record::End, std::string(), plain);
}

/// False where the bytes of the record are not those of one.
static bool readRecord(Record record, const std::vector<uint8_t> &bytes, Response &response) {
  WireReader reader(bytes.data(), bytes.size());
  WireGet get(reader);
  std::string unused;
  switch (record) {
  case Record::Failure:
    get(response.failure);
    break;
  case Record::Device:
    deviceAnswer(get, response.device.emplace());
    break;
  case Record::Resources:
    get.sequence(response.resources, resourcePlace);
    break;
  case Record::Pipeline:
    pipelineAnswer(get, response.pipelines.emplace_back());
    break;
  case Record::End:
    get(unused);
    response.isComplete = true;
    break;
  default:
    return false;
  }
  return reader.isGood() && reader.atEnd();
}

/// Returns all whole records. A record that is cut off or malformed ends the reading, and the
/// response stays incomplete.
Response assay::turnip::readResponse(const uint8_t *data, size_t size) {
  WireReader reader(data, size);
  Response response;
  while (!reader.atEnd() && !response.isComplete) {
    Record record = Record(reader.word());
    std::vector<uint8_t> bytes = reader.bytes();
    if (!reader.isGood())
      return response;
    if (readRecord(record, bytes, response))
      continue;
    if (record == Record::Pipeline)
      response.pipelines.pop_back();
    response.isComplete = false;
    return response;
  }
  return response;
}
