// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn_isa/Decoder.h"

#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

Decoder::~Decoder() = default;

/// Decodes from \p begin to \p end, which count bytes. Invalid dwords become instructions of four
/// bytes.
std::vector<Inst> Decoder::decodeRange(ArrayRef<uint8_t> code, uint64_t begin, uint64_t end) {
  std::vector<Inst> result;
  end = std::min<uint64_t>(end, code.size());
  // As many as there are when each has four bytes, but not the memory that much code would take.
  result.reserve(std::min<uint64_t>(end > begin ? (end - begin) / 4 : 0, 1024));
  for (uint64_t offset = begin; offset + 4 <= end;) {
    result.push_back(decode(code.take_front(end), offset));
    offset += result.back().size;
  }
  return result;
}

/// Unsupported for chips without tables.
Expected<std::unique_ptr<Decoder>> Decoder::create(StringRef cpu, unsigned waveSize) {
  std::optional<Chip> chip = findChip(cpu);
  if (!chip)
    return unsupported("decoder: no tables for the chip " + cpu);
  return std::make_unique<TableDecoder>(*chip, waveSize);
}
