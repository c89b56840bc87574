// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sanitizers need to know of an instruction, found out once when the program is made: its
// class, every register it reads and writes (the implicit ones, too), where what is uninitialized
// would matter, and which hazards it can be part of.
#pragma once

#include "oracles/machine/gcn/MicroOp.h"
#include "oracles/machine/gcn/RegisterSet.h"
#include "oracles/machine/gcn/sanitizer/DefinednessFlow.h"
#include "oracles/machine/gcn/sanitizer/SanitizerRules.h"

namespace assay::gcn {

struct ProgramOptions;

/// Bits of OpFacts::classes.
enum OpClass : uint32_t {
  ClassSalu = 1u << 0, ///< Scalar, but not memory; SOPP among them.
  ClassSopp = 1u << 1, ///< Writes no register.
  ClassValu = 1u << 2,
  ClassTrans = 1u << 3, ///< VALU, on the transcendental unit.
  ClassSmem = 1u << 4,
  ClassVmem = 1u << 5, ///< Buffer, image, flat, global, scratch.
  ClassFlat = 1u << 6, ///< VMEM that may turn out to be LDS.
  ClassLds = 1u << 7,
  ClassLdsDirect = 1u << 8,
  ClassExport = 1u << 9,
  ClassBranch = 1u << 10,
  ClassDpp = 1u << 11,
  ClassLaneSelect = 1u << 12, ///< v_readlane, v_writelane.
  ClassWriteLane = 1u << 13,
  ClassPermlane = 1u << 14,
  ClassDivFmas = 1u << 15,
  ClassVcmpx = 1u << 16,
  ClassVnop = 1u << 17,
  ClassSnop = 1u << 18,
  ClassReadsM0Late = 1u << 19, ///< GFX9: needs a wait state after a SALU write of M0.
  ClassSetreg = 1u << 20,
  ClassGetreg = 1u << 21,
  ClassNsa = 1u << 22,       ///< An image instruction with addresses in several tuples.
  ClassWideNsa = 1u << 23,   ///< Whose encoding has two further dwords or more.
  ClassOddBuffer = 1u << 24, ///< MUBUF, MTBUF with one of the bits 2:1 of the offset.
  ClassFloatAtomic = 1u << 25,
  ClassDenormMode = 1u << 26,
  ClassWideStore = 1u << 27,  ///< GFX9: its data may be overwritten too soon.
  ClassMaskReader = 1u << 28, ///< VALU with a lane mask as a source.
  ClassCounterWait = 1u << 29,
  ClassVmemStore = 1u << 30,    ///< VMEM without a result.
  ClassCacheControl = 1u << 31, ///< By way of VMEM or LDS, without registers; of no other class.
};

/// How definedness goes through an instruction.
enum class OpFlow : uint8_t {
  None,     ///< It writes no register.
  Defines,  ///< What it writes is defined.
  Scalar,   ///< SALU by a FlowFunction.
  Vector,   ///< VALU by a FlowFunction.
  Move,     ///< It moves bits; run on the shadows, it moves those.
  ExecMask, ///< The s_*_saveexec family.
  Memory,
};

/// Registers whose bits must be defined when the instruction executes (vector ones: in the active
/// lanes).
struct DefinedUse {
  SanitizerRule rule;
  bool vector;
  uint16_t first;
  uint16_t count;
  uint32_t mask; ///< The bits that matter.
};

struct alignas(64) OpFacts {
  // What every step looks at, in one line of the cache.
  RegisterSet touched; ///< What it reads or writes.
  uint32_t classes = 0;
  OpFlow flow = OpFlow::None;
  /// Its registers are known only when it runs, or memory's definedness counts.
  bool isDynamic = false;
  /// No sanitizer has anything to do, as long as all that it touches is defined and no hazard is
  /// pending; one wait state. Set by markHazards().
  bool isQuiet = false;

  RegisterSet reads;
  RegisterSet writes;
  FlowFunction function = nullptr;
  FlowFunction dualFunction = nullptr; ///< Of the second half of a VOPD pair.
  llvm::SmallVector<DefinedUse, 4> uses;

  /// Of hazards (HazardTable.h): bits by row of the table, what ends a hazard, and which of the
  /// trackers want to see the instruction.
  uint32_t produces = 0;
  uint32_t consumes = 0;
  uint32_t resolves = 0;
  uint32_t watchers = 0;

  bool is(uint32_t classBits) const { return classes & classBits; }
};

/// What is true of \p op by itself; hazards are added by markHazards().
OpFacts describeOp(const MicroOp &op, const ProgramOptions &options);
/// Instructions by \p name that access no memory, and do nothing for a lane.
bool isCacheControl(llvm::StringRef name);

} // namespace assay::gcn
