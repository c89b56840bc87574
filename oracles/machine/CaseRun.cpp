// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/CaseRun.h"

#include "support/Error.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;

static constexpr uint64_t AddressBytes = 8;

static Error copyBuffer(const BufferCopy &copy, std::vector<BufferState> &buffers) {
  const BufferState &source = buffers[copy.source];
  BufferState &destination = buffers[copy.destination];
  if (source.bytes.size() != destination.bytes.size())
    return invalidInput("line " + Twine(copy.line) + ": COPY between buffers of different size");
  destination = source;
  return Error::success();
}

static Error writeAddresses(const Case &input, AddressFunction addressOf,
                            std::vector<BufferState> &buffers) {
  for (const AddressPatch &patch : input.addresses) {
    if (patch.target >= buffers.size() || patch.buffer >= buffers.size() ||
        patch.offset + AddressBytes > buffers[patch.buffer].bytes.size())
      return invalidInput("device address at byte " + Twine(patch.offset) + " of buffer " +
                          Twine(patch.buffer) + " does not fit");
    support::endian::write64le(&buffers[patch.buffer].bytes[patch.offset],
                               addressOf(patch.target) + patch.targetOffset);
  }
  return Error::success();
}

/// The buffers as everybody sees them: without the addresses, which each machine chooses.
static std::vector<BufferState> checkpointOf(const Case &input, std::vector<BufferState> buffers) {
  for (const AddressPatch &patch : input.addresses)
    std::fill_n(buffers[patch.buffer].bytes.begin() + static_cast<ptrdiff_t>(patch.offset),
                AddressBytes, uint8_t(0));
  return buffers;
}

Expected<Outcome> assay::runCommands(const Case &input, DispatchFunction dispatch,
                                     AddressFunction addressOf) {
  std::vector<BufferState> buffers;
  buffers.reserve(input.buffers.size());
  for (const Buffer &buffer : input.buffers)
    buffers.push_back({buffer.bytes, {}, {}});

  Outcome outcome;
  if (!input.addresses.empty() && !addressOf) {
    outcome.kind = OutcomeKind::Unsupported;
    outcome.reason = "device addresses of buffers";
    return outcome;
  }
  if (Error error = writeAddresses(input, addressOf, buffers))
    return std::move(error);
  bool inExpectations = false;
  for (const Command &command : input.commands) {
    if (std::holds_alternative<Expectation>(command)) {
      if (!inExpectations)
        outcome.checkpoints.push_back(checkpointOf(input, buffers));
      inExpectations = true;
      continue;
    }
    inExpectations = false;
    if (const auto *copy = std::get_if<BufferCopy>(&command)) {
      if (Error error = copyBuffer(*copy, buffers))
        return std::move(error);
      continue;
    }
    Expected<bool> goOn = dispatch(std::get<Dispatch>(command), buffers, outcome);
    if (!goOn)
      return goOn.takeError();
    if (!*goOn) {
      outcome.atEnd = checkpointOf(input, std::move(buffers));
      return outcome;
    }
  }
  outcome.checkpoints.push_back(checkpointOf(input, std::move(buffers)));
  return outcome;
}
