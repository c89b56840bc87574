// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program: the micro-ops of some ranges of code, linked to each other.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/OpFacts.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "llvm/Support/Error.h"
#include <deque>

namespace assay::gcn {

/// What binding an instruction needs to know of the chip and of the metadata.
struct ProgramOptions {
  unsigned gfxMajor = 9;
  unsigned waveSize = 64;
  unsigned vgprCount = 0; ///< Registers beyond it trap.
  unsigned sgprCount = 0;
  std::string targetName;
  /// From there on, halves of a wave share registers (SharedRegisters.h).
  unsigned privateVgprs = ~0u;
};

/// A half-open range of bytes in the code.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

class Program {
public:
  /// Decodes \p ranges of \p code, which lies at address \p base. An instruction that is not
  /// implemented becomes a micro-op that ends the run as unsupported when it is reached.
  Program(const ProgramOptions &options, Decoder &decoder, llvm::ArrayRef<uint8_t> code,
          uint64_t base, llvm::ArrayRef<CodeRange> ranges);
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  llvm::ArrayRef<MicroOp> ops() const { return m_ops; }
  /// For sanitizers: what is known of each micro-op, by its index.
  llvm::ArrayRef<OpFacts> facts() const { return m_facts; }
  const ProgramOptions &options() const { return m_options; }
  bool hasBarrier() const { return m_hasBarrier; }
  /// The index of the micro-op at \p address, or NoTarget.
  uint32_t findOp(uint64_t address) const;

private:
  void addRange(Decoder &decoder, llvm::ArrayRef<uint8_t> code, const CodeRange &range);
  void addEnd(uint64_t offset);
  void linkBranches();

  ProgramOptions m_options;
  uint64_t m_base;
  bool m_hasBarrier = false;
  std::vector<uint32_t> m_opAtWord; ///< By (address - base) / 4.
  std::deque<Inst> m_insts;
  std::vector<MicroOp> m_ops;
  std::vector<OpFacts> m_facts;
};

} // namespace assay::gcn
