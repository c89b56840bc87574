// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A decoded instruction made ready to execute: the function that does it, and its operands bound.
#pragma once

#include "oracles/machine/gcn/Wave.h"

namespace assay::gcn {

struct AtomicRow;
struct KernelPlan;
struct MatrixShape;

using Handler = void (*)(Wave &wave, const MicroOp &op);
/// Of the s_*_saveexec family: (source, EXEC) to the new EXEC.
using MaskFunction = uint64_t (*)(uint64_t source, uint64_t exec);

constexpr uint32_t NoTarget = ~0u;

/// What a memory instruction moves.
struct MemoryAccess {
  uint8_t bytes = 4; ///< Of one element in memory: 1, 2, 4, 8, 12, 16.
  bool signExtend = false;
  bool d16 = false;  ///< Loads and stores one half of a register.
  bool high = false; ///< The high half.
  bool isStore = false;
  uint8_t elements = 1;     ///< 2: ds_read2 and the like, bytes each.
  uint8_t components = 0;   ///< Of a texel, by the descriptor's format; 0: bytes as they are.
  uint16_t elementStep = 0; ///< What offset0 and offset1 are multiplied with.
  const AtomicRow *atomic = nullptr;
};

/// What an image instruction does, of which its name and modifiers tell.
struct ImageAccess {
  uint8_t dmask = 0;
  uint8_t kind = 0;      ///< An ImageType from the instruction; 0: the descriptor says it (GFX9).
  uint8_t dwords = 0;    ///< Registers of data, without the one that tells of residency.
  bool hasLod = false;   ///< An address is a level.
  bool hasBias = false;  ///< One is added to the level.
  bool hasClamp = false; ///< The last one is the least level.
  bool hasGradients = false;
  bool packsGradients = false; ///< g16: those of one direction share registers.
  bool hasCompare = false;
  bool hasOffset = false;
  bool isLevelZero = false;
  bool isGather = false;
  bool isLodQuery = false;     ///< image_get_lod.
  bool isSize = false;         ///< Its one address is a level.
  bool isRaw = false;          ///< pck: bits as they are,
  bool isRawSigned = false;    ///< with the sign of 8 and 16 bits.
  bool isFragments = false;    ///< image_msaa_load: one component of four samples.
  bool tellsResidency = false; ///< tfe or lwe: a register after the data.
};

/// One source operand, bound.
struct Source {
  Operand operand;
  OperandKind kind = OperandKind::None;
  uint64_t constant = 0; ///< Its bits, when operand is a constant.
};

/// In MicroOp::wideScalars.
constexpr uint8_t WideResult = 0x80;

struct alignas(64) MicroOp {
  // What every step looks at, in one line of the cache.
  Handler run = nullptr;
  std::shared_ptr<const KernelPlan> plan; ///< Where a kernel runs (Valu.h).
  const AluOp *alu = nullptr;
  uint32_t next = 0;          ///< Index of the micro-op after this one.
  uint32_t target = NoTarget; ///< Index of a direct branch's target.
  uint16_t simm16 = 0;
  uint8_t sourceCount = 0;
  uint8_t wideScalars = 0; ///< Of runs by findFastSalu(): bit per source of 64 bits, WideResult.
  uint8_t destinationCount = 0;
  bool raisesCounter = false;
  bool waitsFirst = false;     ///< It is a wait for limits, and then an operation (VINTERP).
  bool hasImplicitVcc = false; ///< The carry-in is VCC, though no operand says so.
  Handler whole = nullptr;     ///< Where run goes over halves of the wave: what it does with each.

  MaskFunction mask = nullptr;
  const MatrixShape *matrix = nullptr;
  uint64_t pc = 0; ///< Address of the instruction.
  uint32_t size = 0;
  Operand destination;
  Operand carryOut; ///< Off where there is none.
  Operand carryIn;
  std::array<Source, 4> sources;
  MemoryAccess memory;
  ImageAccess image;
  std::vector<uint16_t> addresses; ///< Registers with the address of an image instruction.
  WaitEvent event;
  WaitLimits limits; ///< Of a wait instruction.
  llvm::SmallVector<PendingRegisters, 5> reads;
  llvm::SmallVector<PendingRegisters, 2> writes;
  const Inst *inst = nullptr; ///< Text and modifiers; owned by the Program.
  std::vector<MicroOp> dual;  ///< The second half of a VOPD pair.
};

} // namespace assay::gcn
