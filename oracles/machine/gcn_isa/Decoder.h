// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code to instructions, by the tables of Isa.h. Safe on any bytes.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace assay::gcn {

/// Decodes for one chip and wave size. Not thread-safe.
class Decoder {
public:
  /// \p cpu is LLVM's name ("gfx1100"). Unsupported for one without tables.
  static llvm::Expected<std::unique_ptr<Decoder>> create(llvm::StringRef cpu, unsigned waveSize);
  virtual ~Decoder();

  /// The instruction at byte \p offset of \p code, which must be a multiple of 4 and inside. What
  /// does not decode gives a four-byte Inst with valid = false.
  virtual Inst decode(llvm::ArrayRef<uint8_t> code, uint64_t offset) = 0;

  /// All instructions from byte \p begin to \p end, by linear sweep; pc as in decode().
  std::vector<Inst> decodeRange(llvm::ArrayRef<uint8_t> code, uint64_t begin, uint64_t end);
};

} // namespace assay::gcn
