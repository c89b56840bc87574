// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/fat_pointers/BufferAccessTarget.h"

#include "support/Fault.h"
#include "llvm/IR/Function.h"
#include "llvm/TargetParser/TargetParser.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// Whether the last mention of \p feature in a list "+a,-b" turns it on.
static bool hasFeature(StringRef features, StringRef feature) {
  bool isOn = false;
  for (StringRef entry : split(features, ','))
    if (entry.drop_front(std::min<size_t>(entry.size(), 1)) == feature)
      isOn = entry.starts_with("+");
  return isOn;
}

/// A function without a target-cpu has generation 0.
BufferTarget BufferTarget::of(const Function &function) {
  BufferTarget target;
  AMDGPU::IsaVersion version =
      AMDGPU::getIsaVersion(function.getFnAttribute("target-cpu").getValueAsString());
  target.major = version.Major;
  target.minor = version.Minor;
  target.stepping = version.Stepping;
  StringRef features = function.getFnAttribute("target-features").getValueAsString();
  target.unalignedAccess = hasFeature(features, "unaligned-access-mode");
  target.cuMode = target.major < 10 || hasFeature(features, "cumode");
  target.flushesDenormals =
      function.getDenormalMode(APFloat::IEEEsingle()).Output != DenormalMode::IEEE;
  return target;
}

// --- Cache policy

namespace {
/// Bits of the auxiliary operand: IntrinsicsAMDGPU.td.
enum : unsigned {
  Glc = 1,        // GFX9 to GFX11
  Dlc = 4,        // GFX10, GFX11
  ScopeShift = 3, // GFX12: 1 shader engine, 2 device, 3 system
  Volatile = 1u << 31,
};

/// How far others see an access, in the order of GFX12's scope field.
enum class Reach : unsigned { Lane, Workgroup, Device, System };
} // namespace

/// Returns Lane for accesses that are not atomic, and otherwise what the synchronization scope
/// says. Scopes that restrict an ordering to one address space ("-one-as") reach equally far.
static Reach getReach(const Function &function, const AccessTraits &traits) {
  if (!isStrongerThanUnordered(traits.ordering))
    return Reach::Lane;
  StringRef name;
  if (std::optional<StringRef> known = function.getContext().getSyncScopeName(traits.scope))
    name = *known;
  name.consume_back("-one-as");
  if (name == "singlethread" || name == "wavefront")
    return Reach::Lane;
  if (name == "workgroup")
    return Reach::Workgroup;
  return name == "agent" || name == "cluster" ? Reach::Device : Reach::System;
}

bool amdgpu::isVolatilePolicy(unsigned policy) {
  return policy & Volatile;
}

/// Returns the last operand of a buffer intrinsic: bits that bypass the caches which the other
/// lanes in reach do not share.
unsigned amdgpu::getCachePolicy(const Function &function, const AccessTraits &traits,
                                AccessKind kind) {
  unsigned policy = traits.isVolatile && !faultPlanted(Fault::FatDroppedVolatile) ? Volatile : 0u;
  Reach reach = getReach(function, traits);
  if (reach == Reach::Lane || (reach == Reach::Device && faultPlanted(Fault::FatCachedAtomic)))
    return policy;
  BufferTarget target = BufferTarget::of(function);
  // One compute unit has one first-level cache: nothing to bypass within a workgroup.
  if (reach == Reach::Workgroup && target.cuMode)
    reach = Reach::Lane;
  if (reach == Reach::Lane)
    return policy;
  if (target.major >= 12)
    return policy | static_cast<unsigned>(reach) << ScopeShift;
  // Stores always reach the second level; what an instruction reads and writes is done there.
  if (kind != AccessKind::Load)
    return policy;
  return policy | Glc | (target.major == 10 && reach >= Reach::Device ? Dlc : 0u);
}

// --- Native atomics

/// Returns whether the target has \p operation on integers of \p bits bits. Nand exists nowhere.
static bool isNativeInteger(const BufferTarget &target, AtomicRMWInst::BinOp operation,
                            unsigned bits) {
  if (operation == AtomicRMWInst::USubCond)
    return bits == 32 && target.major >= 12;
  // BUFFER_ATOMIC_CSUB of RDNA 2: 0 where the result would be negative.
  if (operation == AtomicRMWInst::USubSat)
    return bits == 32 && (target.major > 10 || (target.major == 10 && target.minor >= 3));
  return operation != AtomicRMWInst::Nand && (bits == 32 || bits == 64);
}

/// Returns whether the target adds floats of \p type, or pairs of 16-bit floats, in memory.
static bool isNativeAdd(const BufferTarget &target, Type *type, const AccessTraits &traits) {
  if (type->isFloatTy()) {
    // GFX11's flushes denormals, the others' does not (LLVM's feature
    // memory-atomic-fadd-f32-denormal-support).
    bool mayFlush = target.flushesDenormals || traits.ignoresDenormalMode;
    return target.major >= 12 || (target.major == 9 && target.minor >= 4) ||
           (mayFlush && (target.major == 11 || target.isDataCentre()));
  }
  if (type->isDoubleTy())
    return target.isDataCentre();
  auto *vector = dyn_cast<FixedVectorType>(type);
  if (!vector || vector->getNumElements() != 2)
    return false;
  if (vector->getElementType()->isHalfTy())
    return target.major >= 12 || target.isDataCentre();
  return vector->getElementType()->isBFloatTy() && target.major >= 12;
}

/// Operations without a case are integer operations.
bool amdgpu::isNativeAtomic(const BufferTarget &target, AtomicRMWInst::BinOp operation, Type *type,
                            const AccessTraits &traits) {
  switch (operation) {
  case AtomicRMWInst::FAdd:
    return isNativeAdd(target, type, traits);
  case AtomicRMWInst::FMin:
  case AtomicRMWInst::FMax:
    if (type->isFloatTy())
      return target.major >= 10;
    return type->isDoubleTy() && (target.major == 10 || target.isDataCentre());
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::FMaximum:
  case AtomicRMWInst::FMinimum:
    return false;
  case AtomicRMWInst::Xchg: // By integers of the same width: LLVM has no f64 (bugs/README.md).
    return type->isPointerTy() || type->getPrimitiveSizeInBits() == 32 ||
           type->getPrimitiveSizeInBits() == 64;
  default:
    return type->isIntegerTy() && isNativeInteger(target, operation, type->getIntegerBitWidth());
  }
}
