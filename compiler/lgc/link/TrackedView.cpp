// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lgc/link/TrackedView.h"

#include "compiler/lgc/HashChain.h"
#include "support/Fault.h"
#include "support/Hash.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Returns the number of \p place in the order of the first questions, from 0.
unsigned TrackedView::numberOf(const InOutPlace &place) {
  auto number = static_cast<unsigned>(m_numbers.size());
  return m_numbers.try_emplace(place, number).first->second;
}

void TrackedView::track(StringRef datum, const InOutPlace &place, ArrayRef<uint64_t> values) {
  CanonicalBytes bytes;
  for (uint64_t value : values)
    bytes.add(value);
  if (faultPlanted(Fault::LinkCountsRuns)) {
    static uint64_t run;
    bytes.add(++run);
  }
  bool hasNumber = !faultPlanted(Fault::LinkForgetsNumber);
  std::string name = datum.str() + (hasNumber ? " " + std::to_string(numberOf(place)) : "");
  extendHashChains(m_reader, {m_pass.str(), name, bytes.take()});
}

std::optional<TrackedView::Written> TrackedView::findWritten(const InOutPlace &place) {
  ArrayRef<OutputRecord> outputs;
  if (m_previous)
    outputs = m_previous->m_outputs;
  const auto *output =
      find_if(outputs, [&](const OutputRecord &each) { return each.place == place; });
  bool isWritten = output != outputs.end();
  std::vector<uint64_t> values;
  if (isWritten) // Not the constant's type: a stage that reads it has its own.
    values.push_back(uint64_t(output->constant.has_value()));
  if (isWritten && output->constant && !faultPlanted(Fault::LinkSkipsConstant))
    values.push_back(*output->constant);
  if (!faultPlanted(Fault::LinkSkipsWritten))
    track("written", place, values);
  return isWritten ? std::optional(Written{output->constant}) : std::nullopt;
}

std::optional<InOutPlace> TrackedView::findReader(const InOutPlace &place) {
  ArrayRef<InputRecord> inputs;
  if (m_next)
    inputs = m_next->m_inputs;
  const auto *input = find_if(inputs, [&](const InputRecord &each) { return each.place == place; });
  bool isRead = input != inputs.end();
  std::vector<uint64_t> values;
  if (isRead && faultPlanted(Fault::LinkSkipsPlace))
    values.push_back(1);
  else if (isRead)
    values = {input->packed.location, input->packed.component};
  if (!faultPlanted(Fault::LinkSkipsReader))
    track("reader", place, values);
  return isRead ? std::optional(input->packed) : std::nullopt;
}
