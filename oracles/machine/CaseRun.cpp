// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/CaseRun.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;

static Error copyBuffer(const BufferCopy &copy, std::vector<BufferState> &buffers) {
  const BufferState &source = buffers[copy.source];
  BufferState &destination = buffers[copy.destination];
  if (source.bytes.size() != destination.bytes.size())
    return invalidInput("line " + Twine(copy.line) + ": COPY between buffers of different size");
  destination = source;
  return Error::success();
}

Expected<Outcome> assay::runCommands(const Case &input, DispatchFunction dispatch) {
  std::vector<BufferState> buffers;
  buffers.reserve(input.buffers.size());
  for (const Buffer &buffer : input.buffers)
    buffers.push_back({buffer.bytes, {}, {}});

  Outcome outcome;
  bool inExpectations = false;
  for (const Command &command : input.commands) {
    if (std::holds_alternative<Expectation>(command)) {
      if (!inExpectations)
        outcome.checkpoints.push_back(buffers);
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
    if (!*goOn)
      return outcome;
  }
  outcome.checkpoints.push_back(std::move(buffers));
  return outcome;
}
