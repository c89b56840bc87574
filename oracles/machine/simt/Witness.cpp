// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/Witness.h"

#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

void WitnessDigest::add(const void *data, size_t bytes) {
  uint64_t both[2] = {m_value, xxh3_64bits(ArrayRef(static_cast<const uint8_t *>(data), bytes))};
  m_value = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(both), sizeof(both)));
}

void Witness::note(Track &track, uint64_t pc, uint64_t digest) {
  if (!isCut())
    track.push_back({digest, pc, m_count++});
}

std::optional<WitnessPlace> Witness::findDifference(const Witness &other) const {
  std::optional<WitnessPlace> first;
  uint64_t firstTurn = ~uint64_t(0);
  for (const auto &[key, steps] : m_waves) {
    auto found = other.m_waves.find(key);
    for (size_t i = 0; i < steps.size() && steps[i].turn < firstTurn; ++i) {
      bool isThere = found != other.m_waves.end() && i < found->second.size();
      if (isThere ? found->second[i].digest == steps[i].digest : other.isCut())
        continue;
      first = {std::get<0>(key), std::get<1>(key), std::get<2>(key), i, steps[i].pc};
      firstTurn = steps[i].turn;
      break;
    }
  }
  return first;
}
