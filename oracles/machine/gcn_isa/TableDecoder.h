// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decoder that walks the project's own tables.
#pragma once

#include "oracles/machine/gcn_isa/Codec.h"
#include "oracles/machine/gcn_isa/Decoder.h"

namespace assay::gcn {

/// May be used from all threads, though the interface does not promise it.
class TableDecoder final : public Decoder {
public:
  TableDecoder(Chip chip, unsigned waveSize) : m_table(IsaTable::get(chip)), m_waveSize(waveSize) {}
  Inst decode(llvm::ArrayRef<uint8_t> code, uint64_t offset) override;

private:
  bool decodeWords(const Words &words, Inst &inst) const;
  bool decodeSecondHalf(const InstForm &first, const Words &words, Inst &inst) const;
  bool decodeForm(const InstForm &form, const Words &words, Inst &inst) const;

  const IsaTable &m_table;
  unsigned m_waveSize;
};

} // namespace assay::gcn
