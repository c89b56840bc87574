// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each instruction that reaches memory is meant to do to a World, said a second time from the
// manuals and from the instruction's name alone: it shares no code with the handlers in gcn, whose
// judge it is. No machine runs it.
#pragma once

#include "oracles/machine/gcn/definitions/AtomicMeaning.h"
#include "oracles/machine/gcn/definitions/World.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <optional>

namespace assay::gcn::definitions {

/// How the offset of a DS instruction is written.
enum class OffsetForm : uint8_t { None, One, Two, Pattern };

/// What an image instruction has next to coordinates, in the order of its addresses.
struct ImageOperands {
  bool hasOffset = false;    ///< _o
  bool hasBias = false;      ///< _b
  bool hasReference = false; ///< _c
  bool hasGradients = false; ///< _d, _cd
  bool packsGradients = false;
  bool hasLevel = false; ///< _l, _mip; image_get_resinfo has nothing else.
  bool hasLeast = false; ///< _cl
  bool isLevelZero = false;
  bool isSample = false; ///< It has a sampler.
  bool isGather = false;
  bool isQuery = false; ///< image_get_lod.
  bool isSize = false;
  bool givesFour = false; ///< Whatever the mask says.
};

/// How the operands of a scalar instruction are written; registers are those of the Request.
enum class ScalarForm : uint8_t {
  None,
  Immediate,     ///< "5"
  NullImmediate, ///< "null, 5"
  Branch,        ///< A distance.
  Dst,           ///< "s[16:17]"
  Source,        ///< "s[4:5]"
  DstSource,
  DstBranch,
  SourceBranch,
  SourceSource,
  DstHwreg,     ///< "s16, hwreg(...)"
  HwregSource,  ///< "hwreg(...), s4"
  HwregLiteral, ///< "hwreg(...), 0x..."
  Message,      ///< "sendmsg(...)"
  DstMessage,
  SourceMode, ///< "s4, gpr_idx(...)"
  Mode,       ///< "gpr_idx(...)"
  Barrier,    ///< A number, or m0.
  DstBarrier,
};

/// The meaning of one mnemonic, and which operands it has: as many registers as these say.
struct Effect {
  unsigned dst = 0; ///< Registers written; of atomics, when the old value is asked for.
  unsigned data0 = 0;
  unsigned data1 = 0;
  bool hasAddress = false;
  bool isBuffer = false; ///< SMEM: the base is a descriptor.
  bool isAtomic = false; ///< Request::returns says whether dst is written.
  bool isStore = false;
  bool needsGds = false;
  bool allowsGds = false;
  /// What it does is nothing that code can see: caches, prefetches.
  bool isInert = false;
  OffsetForm offset = OffsetForm::None;
  ImageOperands image;
  ScalarForm scalar = ScalarForm::None; ///< With \ref dst and \ref data0 SGPRs.
  std::function<void(const Request &request, World &world)> run;
};

/// \p effect as an atomic operation through memory: old value, one or two operands of its width.
Effect makeAtomicEffect(Effect effect, const AtomicMeaning &meaning,
                        std::function<void(const Request &request, World &world)> run);

/// Nothing for names that the family has not; what a generation has is for the instruction tables
/// to say.
std::optional<Effect> scalarMemoryEffect(llvm::StringRef name);
std::optional<Effect> shareEffect(llvm::StringRef name);
std::optional<Effect> flatEffect(llvm::StringRef name);
std::optional<Effect> bufferEffect(llvm::StringRef name);
std::optional<Effect> imageEffect(llvm::StringRef name);
/// Scalar instructions that are no arithmetic: control, modes, messages, masks, barriers.
std::optional<Effect> controlEffect(llvm::StringRef name);
/// Interpolation of attributes, and what loads their parameters.
std::optional<Effect> interpolationEffect(llvm::StringRef name);
/// EXP, and GFX12's VEXPORT.
std::optional<Effect> exportEffect(llvm::StringRef name);
/// Where exports of generation \p gfx go: "mrt7", "param31"; "" for numbers that are none.
std::string exportTarget(unsigned number, unsigned gfx);
/// The documented part of image_bvh*_intersect_ray.
std::optional<Effect> rayEffect(llvm::StringRef name);

} // namespace assay::gcn::definitions
