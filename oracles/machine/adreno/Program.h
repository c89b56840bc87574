// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a shader, decoded once: each instruction with the function that executes it.
#pragma once

#include "oracles/machine/adreno/Touch.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace assay::adreno {

class Wave;
struct Op;

/// Executes an instruction for the active lanes of a wave; afterwards the wave is at another place,
/// has ended or failed.
using Handler = void (*)(Wave &wave, const Op &op);

/// What each step needs to know of an instruction, computed when it is decoded.
struct OpFacts {
  bool ss = false, sy = false; ///< It waits before it begins.
  bool joins = false;          ///< (jp).
  bool isAlu = false;          ///< Categories 1 to 3.
  /// Of the scalar ALU: its result is a shared register, and all its sources are the same for all
  /// fibers (Mesa, ir3.h, is_scalar_alu).
  bool isScalar = false;
  bool readsLate = false; ///< Categories 4 to 6, which read their sources late.
  /// Its sources are not to be overwritten before a flag: of categories 4 to 6, and of what writes
  /// a shared register (Mesa, ir3.h, is_war_hazard_producer).
  bool holdsSources = false;
  bool isHalf = false; ///< Its sources are half registers.
  bool clamps = false; ///< (sat) of a float.
  SyncFlag result = SyncFlag::None;
  uint8_t slots = 0; ///< That it takes, its (nopN) included.
};

/// Registers of a plain instruction without (rptN), packed for the sanitizer. Sources that there
/// are not have ConstCell, and so has a result.
struct PackedTouches {
  struct Source {
    uint16_t cell = ConstCell;
    /// How much later than an ALU result of a full and of a half register it is read.
    uint8_t wait[2] = {0, 0};
  };
  std::array<Source, 3> sources;
  uint16_t result = ConstCell;
  uint8_t resultParts = 3; ///< Of its cell.
  bool resultHalf = false;
};

/// The registers that an instruction uses.
struct Footprint {
  /// The same each time; \p touches has them, for the active lanes, or for all that are at the
  /// place where category 0 reads a predicate. Else they depend on a0.x, on descriptors or on
  /// aliases: collectTouches().
  bool isFixed = false;
  /// Fixed, of category 0 to 3 without (ss) and (sy), and without shared registers and a1.x.
  bool isPlain = false;
  bool isPacked = false; ///< Plain, and \p packed has its registers.
  PackedTouches packed;
  llvm::SmallVector<Touch, 0> touches;
};

/// A source that makes a row of lanes in one step.
struct RowSource {
  enum class Kind : uint8_t {
    Row,     ///< Full register \p number.
    Changed, ///< The same with (neg) or (abs) of a float.
    Bits,    ///< \p bits in all lanes.
    Constant ///< Dword \p number of the const file.
  };
  Kind kind = Kind::Row;
  uint16_t number = 0;
  uint32_t bits = 0;
  uint32_t kept = ~0U, flipped = 0; ///< Of Changed.
};

/// One instruction.
struct Op {
  Inst inst;
  Handler handler = nullptr;
  const AluRow *alu = nullptr;         ///< Of categories 2 to 4.
  AluKernel kernel = nullptr;          ///< Of \p alu: for this width, (sat) and host.
  AluFields fields;                    ///< Of \p alu.
  std::array<RowSource, 3> rowSources; ///< Of what executeRows() executes.
  OpFacts facts;
  Footprint footprint;
  llvm::SmallVector<Operand, 3> sources; ///< Of categories 1 to 4.
  uint16_t dst = 0;                      ///< Number of the register, or what is added to a0.x.
  bool dstHalf = false;
  bool dstRelative = false;
  uint8_t repeat = 0;
};

/// The code of a shader.
class Program {
public:
  /// Words that are no instruction, and instructions without semantics, fail when they are
  /// executed.
  Program(llvm::ArrayRef<uint64_t> words, Chip chip);

  /// The chip that the code is for.
  Chip chip() const { return m_chip; }
  /// All instructions, also of padding.
  llvm::ArrayRef<Op> ops() const { return m_ops; }
  /// The text of instruction \p index, "raw 0x..." for what is none.
  std::string textOf(uint32_t index) const;

private:
  Chip m_chip;
  std::vector<uint64_t> m_words;
  std::vector<Op> m_ops;
};

/// \name Functions that execute instructions, by name. Null: there is none.
/// @{
Handler findFlowHandler(llvm::StringRef name);
Handler findMoveHandler(llvm::StringRef name);
Handler findMemoryHandler(llvm::StringRef name);
Handler findSubgroupHandler(llvm::StringRef name);
/// @}
/// Executes what has a row of arithmetic.
void executeAlu(Wave &wave, const Op &op);
/// The same of simple instructions.
void executeRows(Wave &wave, const Op &op);
/// Whether \p op, which has a kernel, is simple: without (rptN), all sources are rows, and the
/// result is a full register or a predicate and is stored as it is. Sets Op::rowSources.
bool makeRowSources(Op &op);

} // namespace assay::adreno
