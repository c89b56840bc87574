// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/TrackedView.h"

#include "compiler/lgc/HashChain.h"
#include "support/Hash.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace assay;

void TrackedView::track(StringRef datum, const InOutPlace &place, ArrayRef<uint64_t> values) {
  CanonicalBytes bytes;
  for (uint64_t value : values)
    bytes.add(value);
  std::string name = (datum + " " + Twine(place.location) + " " + Twine(place.component)).str();
  extendHashChains(m_reader, {m_pass.str(), name, bytes.take()});
}

std::optional<TrackedView::Written> TrackedView::findWritten(const InOutPlace &place) {
  ArrayRef<OutputRecord> outputs;
  if (m_previous)
    outputs = m_previous->m_outputs;
  const auto *output =
      find_if(outputs, [&](const OutputRecord &each) { return each.place == place; });
  if (output == outputs.end()) {
    track("written", place, {});
    return std::nullopt;
  }
  // Not the constant's type: a stage that reads it has its own.
  if (output->constant)
    track("written", place, {1, *output->constant});
  else
    track("written", place, {0});
  return Written{output->constant};
}

std::optional<InOutPlace> TrackedView::findReader(const InOutPlace &place) {
  ArrayRef<InputRecord> inputs;
  if (m_next)
    inputs = m_next->m_inputs;
  const auto *input = find_if(inputs, [&](const InputRecord &each) { return each.place == place; });
  if (input == inputs.end()) {
    track("reader", place, {});
    return std::nullopt;
  }
  track("reader", place, {input->packed.location, input->packed.component});
  return input->packed;
}
