// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/CaseRun.h"

#include "oracles/machine/StateCopy.h"
#include "support/Error.h"
#include "support/Overloaded.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;

/// Size of a device address in a buffer; little-endian.
static constexpr uint64_t AddressBytes = 8;

/// Copies a range or a whole buffer, with all that is uncertain about its bytes. InvalidInput for a
/// range beyond the end of a buffer, and for whole buffers of different sizes.
static Error copyBuffer(const BufferCopy &copy, std::vector<BufferState> &buffers) {
  const BufferState &source = buffers[copy.source];
  BufferState &destination = buffers[copy.destination];
  if (copy.range) {
    auto fits = [&](uint64_t offset, const BufferState &state) {
      return offset <= state.bytes.size() && copy.range->bytes <= state.bytes.size() - offset;
    };
    if (!fits(copy.range->sourceOffset, source) ||
        !fits(copy.range->destinationOffset, destination))
      return invalidInput("line " + Twine(copy.line) +
                          ": a copy of bytes beyond the end of a buffer");
    pasteBytes(takeBytes(source, copy.range->sourceOffset, copy.range->bytes),
               copy.range->destinationOffset, destination);
    return Error::success();
  }
  if (source.bytes.size() != destination.bytes.size())
    return invalidInput("line " + Twine(copy.line) + ": COPY between buffers of different size");
  destination = source;
  return Error::success();
}

/// Writes the device addresses of the case into \p buffers. InvalidInput for a buffer that does not
/// exist or an address beyond its end.
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

/// "draws (line 12)".
static std::string describeLine(const char *what, unsigned line) {
  return std::string(what) + " (line " + std::to_string(line) + ")";
}

/// What no machine does yet; empty where there is nothing of it.
static std::string findUnsupported(const Case &input) {
  for (const Command &command : input.commands) {
    std::string reason =
        std::visit(Overloaded{[](const Draw &draw) { return describeLine("draws", draw.line); },
                              [](const Clear &clear) { return describeLine("clears", clear.line); },
                              [](const Dispatch &) { return std::string(); },
                              [](const BufferCopy &) { return std::string(); },
                              [](const Expectation &) { return std::string(); }},
                   command);
    if (!reason.empty())
      return reason;
  }
  return "";
}

/// Consecutive expectations share one checkpoint: nothing has changed between them. The last
/// checkpoint is the state after all commands.
Expected<Outcome> assay::runCommands(const Case &input, DispatchFunction dispatch,
                                     AddressFunction addressOf,
                                     std::optional<DrawFunctions> draws) {
  std::vector<BufferState> buffers;
  buffers.reserve(input.buffers.size());
  for (const Buffer &buffer : input.buffers)
    buffers.push_back({buffer.bytes, {}, {}});

  Outcome outcome;
  if (!input.addresses.empty() && !addressOf)
    outcome.reason = "device addresses of buffers";
  else if (!draws)
    outcome.reason = findUnsupported(input);
  if (!outcome.reason.empty()) {
    outcome.kind = OutcomeKind::Unsupported;
    return outcome;
  }
  if (Error error = writeAddresses(input, addressOf, buffers))
    return std::move(error);
  bool inExpectations = false;
  Overloaded run = {[&](const Dispatch &command) { return dispatch(command, buffers, outcome); },
                    [&](const Draw &command) { return draws->draw(command, buffers, outcome); },
                    [&](const Clear &command) { return draws->clear(command, buffers, outcome); },
                    [&](const BufferCopy &copy) -> Expected<bool> {
                      if (Error error = copyBuffer(copy, buffers))
                        return std::move(error);
                      return true;
                    },
                    [&](const Expectation &) -> Expected<bool> {
                      if (!inExpectations)
                        outcome.checkpoints.push_back(checkpointOf(input, buffers));
                      return true;
                    }};
  for (const Command &command : input.commands) {
    Expected<bool> goOn = std::visit(run, command);
    inExpectations = std::holds_alternative<Expectation>(command);
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
