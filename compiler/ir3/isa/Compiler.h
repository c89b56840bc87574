// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler knows about a chip (ir3_compiler of the notes): latencies, sizes, features.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace assay::ir3 {

/// The first generation with other accesses of buffers than a3xx and a4xx, as Compiler::generation.
constexpr unsigned FirstAfter4xx = 500;

/// Facts of one chip. Sources: Mesa 25.0, src/freedreno/ir3/ir3_compiler.c, ir3_delay.c and
/// src/freedreno/common/freedreno_devices.py.
struct Compiler {
  llvm::StringLiteral name; ///< "a630".
  uint16_t generation;      ///< Mesa's number of the generation times 100.
  /// Slots between an ALU result and its use: by the ALU at the same width, by anything else (and
  /// of a0.x, a1.x and p0), as third source of mad, and added when the widths differ.
  uint8_t aluDelay, farDelay, thirdDelay, widthDelay;
  bool mergedRegisters;     ///< hr(2k) and hr(2k+1) are the halves of full register k.
  uint8_t predicates;       ///< Components of p0.
  bool hasNopCount;         ///< (nopN).
  bool hasScalarAlu;        ///< The ALU may write shared registers.
  bool hasPredication;      ///< predt, predf, prede.
  bool hasBranchAndOr;      ///< braa, brao.
  bool hasImmediateOffset;  ///< Of ldib and stib; the same chips have isam.v.
  bool hasShuffle;          ///< shfl.
  bool hasFiberId;          ///< getfiberid.
  bool hasPrivateMemory;    ///< stp and ldp are usable, therefore spilling.
  uint16_t vec4Registers;   ///< Vectors of registers that waves of one core share.
  uint8_t instructionAlign; ///< Instructions that code is padded to.
  uint16_t constVectors;    ///< Vectors of the const file that a compute shader can use.
  uint8_t constUploadUnit;  ///< Vectors.
  uint16_t threadsizeBase;  ///< Fibers of a wave.
  uint8_t waveGranularity, maxWaves;
  uint8_t branchStack; ///< Places at which fibers of a wave may wait.
  uint32_t localBytes;

  /// Atomics of 64 bits on buffers: turnip offers shaderBufferInt64Atomics on a740 alone.
  bool hasWideAtomics() const { return generation >= 700; }
  /// Buffers are reached by the numbers of slots. Their addresses, of 32 bits, are in the const
  /// file (Mesa 25.0, ir3_a4xx.c). There are no descriptors with a set, and no registers that a
  /// wave shares.
  bool hasSlots() const { return generation < FirstAfter4xx; }
  /// The address of slot n is dword SlotConstants + 4 * n of the const file, which ends there.
  static constexpr unsigned SlotConstants = 0x700, SlotCount = 64;
  /// Vectors of full registers that one shader can name.
  unsigned registerVectors() const { return vec4Registers < 48 ? vec4Registers : 48; }
};

/// Null for an unknown chip.
const Compiler *findCompiler(llvm::StringRef name);
llvm::ArrayRef<Compiler> allCompilers();

/// Waves that run at the same time on a core when a shader uses \p vectors vectors of full
/// registers, with double waves or not.
unsigned maxWaves(const Compiler &compiler, unsigned vectors, bool isDouble);

} // namespace assay::ir3
