// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s_*_saveexec and s_*_wrexec. Their width is their name's, not the wave's: the _b32 forms leave
// EXEC_HI alone, the _b64 forms write it in wave32, too, where it is no mask.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/Operands.h"

using namespace assay::gcn;

/// EXEC or EXEC_LO, for 2 or 1 \p Words.
template <unsigned Words> static uint64_t readExec(const Wave &wave) {
  return Words == 2 ? wave.readScalar64(sreg::ExecLo) : wave.s[sreg::ExecLo];
}

/// EXEC = \p value, cut to the width; SCC says whether any of its bits is set.
template <unsigned Words> static uint64_t writeExec(Wave &wave, uint64_t value) {
  if (Words == 1)
    value &= 0xffffffff;
  writeScalarResult(wave, {.type = OperandType::Sgpr, .index = sreg::ExecLo}, value, 32 * Words);
  wave.scc = value != 0;
  return value;
}

/// D = EXEC; EXEC = f(S, EXEC).
template <unsigned Words> static void runSaveExec(Wave &wave, const MicroOp &op) {
  uint64_t old = readExec<Words>(wave);
  writeExec<Words>(wave, op.mask(readUniform(wave, op.sources[0]), old));
  writeScalarResult(wave, op.destination, old, 32 * Words);
}

/// EXEC = f(S, EXEC); D = EXEC.
template <unsigned Words> static void runWriteExec(Wave &wave, const MicroOp &op) {
  uint64_t source = readUniform(wave, op.sources[0]);
  uint64_t value = writeExec<Words>(wave, op.mask(source, readExec<Words>(wave)));
  writeScalarResult(wave, op.destination, value, 32 * Words);
}

#define MASK_ROWS(OLD, NEW, HANDLER, EXPRESSION)                                                   \
  {"s_" OLD "_b32|s_" NEW "_b32", HANDLER<1>, 1, OperandKind::U32,                                 \
   [](uint64_t s, uint64_t e) -> uint64_t { return EXPRESSION; }},                                 \
  {                                                                                                \
    "s_" OLD "_b64|s_" NEW "_b64", HANDLER<2>, 1, OperandKind::U64,                                \
        [](uint64_t s, uint64_t e) -> uint64_t { return EXPRESSION; }                              \
  }
#define MASK_ROW(NAME, EXPRESSION) MASK_ROWS(NAME, NAME, runSaveExec, EXPRESSION)

llvm::ArrayRef<OpRow> assay::gcn::execMaskRows() {
  static constexpr OpRow Rows[] = {
      MASK_ROW("and_saveexec", s & e),
      MASK_ROW("or_saveexec", s | e),
      MASK_ROW("xor_saveexec", s ^ e),
      MASK_ROW("nand_saveexec", ~(s & e)),
      MASK_ROW("nor_saveexec", ~(s | e)),
      MASK_ROW("xnor_saveexec", ~(s ^ e)),
      MASK_ROWS("andn1_saveexec", "and_not0_saveexec", runSaveExec, ~s & e),
      MASK_ROWS("andn2_saveexec", "and_not1_saveexec", runSaveExec, s & ~e),
      MASK_ROWS("orn1_saveexec", "or_not0_saveexec", runSaveExec, ~s | e),
      MASK_ROWS("orn2_saveexec", "or_not1_saveexec", runSaveExec, s | ~e),
      MASK_ROWS("andn1_wrexec", "and_not0_wrexec", runWriteExec, ~s & e),
      MASK_ROWS("andn2_wrexec", "and_not1_wrexec", runWriteExec, s & ~e),
  };
  return Rows;
}
