// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on images and typed buffers, by the instructions of the hardware for them: what an op asks
// for is in compiler/lgc/Image.h and compiler/dialect/Lgc.td, how an instruction wants it in
// AMD's ISA manuals, "Image Instructions".
#include "oracles/machine/gcn/image/ImageDescriptor.h"
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/Cube.h"
#include "oracles/machine/ir/Hardware.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;

namespace {
/// In the order of the numbers that are in the IR.
struct DimRow {
  StringLiteral sampled; ///< Dimensions of instructions.
  StringLiteral storage;
  uint8_t texelCoordinates;
  uint8_t sampleCoordinates;
  uint8_t gradients;
  bool isCube;
  bool isArrayed;
};
constexpr DimRow dims[] = {
    {"1D", "1D", 1, 1, 1, false, false},
    {"2D", "2D", 2, 2, 2, false, false},
    {"3D", "3D", 3, 3, 3, false, false},
    {"CUBE", "2D_ARRAY", 3, 3, 0, true, false},
    {"1D_ARRAY", "1D_ARRAY", 2, 2, 1, false, true},
    {"2D_ARRAY", "2D_ARRAY", 3, 3, 2, false, true},
    {"CUBE", "2D_ARRAY", 3, 4, 0, true, true},
    {"2D_MSAA", "2D_MSAA", 3, 0, 0, false, false},
    {"2D_MSAA_ARRAY", "2D_MSAA_ARRAY", 4, 0, 0, false, true},
};
/// Bits of the flags operand.
enum Flag : uint16_t {
  HasLod = 4,
  HasGradients = 8,
  HasOffset = 16,
  HasCompare = 32,
  IsStorage = 64,
  HasBias = 512,
  ImplicitLod = 1024,
  HasMinLod = 2048,
};
/// The first of those that no op here knows: of sparse reads.
constexpr uint64_t firstUnknownFlag = 4096;
constexpr unsigned allComponents = 0xf;

/// In the order of the numbers that are in the IR.
constexpr StringLiteral atomics[] = {"swap",    "add",     "sub",     "smin",   "umin",
                                     "smax",    "umax",    "and",     "or",     "xor",
                                     "cmpswap", "add_flt", "min_flt", "max_flt"};
/// Index of cmpswap in atomics.
constexpr unsigned compareSwap = 10;
} // namespace

/// The row of operand 0; null with the machine stopped.
static const DimRow *findDim(ir::Machine &machine, const Inst &inst) {
  uint64_t number = immediate(inst, 0);
  if (number < std::size(dims))
    return &dims[number];
  machine.stop(RunState::Unsupported, "image dimension " + Twine(number));
  return nullptr;
}

/// Whether the flags in operand 1 are known; else the machine is stopped. Only draws have quads,
/// of which implicit levels are.
static bool checkFlags(ir::Machine &machine, const Inst &inst) {
  uint64_t flags = immediate(inst, 1);
  if (flags >= firstUnknownFlag)
    machine.stop(RunState::Unsupported, "an image op with a residency");
  else if (flags & ImplicitLod && !waveOf(machine).stage())
    machine.stop(RunState::Unsupported, "an image op with an implicit level outside of a draw");
  else
    return true;
  return false;
}

/// How mnemonics have the level and the offset of \p flags.
static std::string levelSuffix(uint64_t flags) {
  std::string suffix = flags & HasGradients  ? "_d"
                       : flags & HasBias     ? "_b"
                       : flags & ImplicitLod ? ""
                       : flags & HasLod      ? "_l"
                                             : "_lz";
  suffix += flags & HasMinLod ? "_cl" : "";
  return suffix + (flags & HasOffset ? "_o" : "");
}

/// Takes their results from lanes of quads that do not run as a whole: what they read at a level
/// that follows from their neighbours is undefined.
static void poisonPartialQuads(ir::Machine &machine, const Inst &inst) {
  uint64_t active = 0;
  for (const Lane *lane : machine.group())
    active |= uint64_t(1) << lane->number;
  for (Lane *lane : machine.group())
    if ((active >> (lane->number & ~3u) & 0xf) != 0xf)
      for (uint32_t i = 0; i < inst.count; ++i)
        ir::setPoison(lane->slots[inst.slot + i], inst.shape->elements[i].bits);
}

/// An image instruction "image_NAME" of dimension \p dim, without a sampler and without results.
static HardwareCall makeCall(ir::Machine &machine, StringRef name, StringRef dim, unsigned dmask) {
  HardwareCall call;
  call.mnemonic = ("image_" + name).str();
  call.mods.dmask = static_cast<uint8_t>(dmask);
  // GFX9 has the dimension in the descriptor alone.
  if (waveOf(machine).hardware().gfxMajor >= 10)
    call.mods.dimension = ("SQ_RSRC_IMG_" + dim).str();
  return call;
}

/// Whether \p type has elements of 64 bits.
static bool isWide(const Type *type) {
  return type->getScalarSizeInBits() == 64;
}

/// What a load gives: texels of 64 bits are two dwords, and what their format lacks.
static void writeTexel(const Inst &inst, Lane &lane, ArrayRef<uint32_t> words) {
  if (!isWide(inst.ir->getType()))
    return writeResult(inst, lane, words);
  writeResult(inst, lane, {words[0], words[1], 0, 0, 0, 0, 1, 0});
}

/// The mask of components to load: a texel of 64 bits is two dwords.
static unsigned componentsOf(const Type *type) {
  return isWide(type) ? 3 : allComponents;
}

/// The number of dwords that a load with that mask returns.
static unsigned dwordsOf(const Type *type) {
  return isWide(type) ? 2 : 4;
}

/// (dim, flags, image, coordinate, lod).
static void runLoad(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  if (!dim || !checkFlags(machine, inst))
    return;
  bool hasLod = immediate(inst, 1) & HasLod;
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    if (!readDescriptor(machine, inst, *lane, 2, own.resource) ||
        !appendDwords(machine, inst, *lane, 3, own.addresses, dim->texelCoordinates) ||
        (hasLod && !appendDwords(machine, inst, *lane, 4, own.addresses, 1)))
      return;
  }
  Type *type = inst.ir->getType();
  HardwareCall call =
      makeCall(machine, hasLod ? "load_mip" : "load", dim->storage, componentsOf(type));
  call.resultDwords = dwordsOf(type);
  runForResult(machine, inst, call, lanes, writeTexel);
}

/// (dim, flags, image, coordinate, texel).
static void runStore(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  if (!dim)
    return;
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    for (const ir::Scalar &word : ArrayRef(lane->get(inst.operands[4]), 4))
      own.data.push_back(static_cast<uint32_t>(ir::frozenBits(word).getZExtValue()));
    if (!readDescriptor(machine, inst, *lane, 2, own.resource) ||
        !appendDwords(machine, inst, *lane, 3, own.addresses, dim->texelCoordinates))
      return;
  }
  runHardware(machine, makeCall(machine, "store", dim->storage, allComponents), lanes);
}

/// A direction into a cube as the hardware wants it: the place on a face, in [1, 2], and the face,
/// eight a cube.
static void appendCube(ArrayRef<float> direction, float cube, SmallVectorImpl<uint32_t> &words) {
  CubeFace at = projectOnCube(direction[0], direction[1], direction[2]);
  float major = std::fabs(at.major);
  for (float value : {at.s / major + 1.5f, at.t / major + 1.5f, at.face + 8 * cube})
    words.push_back(bit_cast<uint32_t>(value));
}

/// Appends sampling coordinates as instructions have them: layers rounded to the nearest,
/// directions into cubes projected.
static bool appendCoordinates(ir::Machine &machine, const Inst &inst, const Lane &lane,
                              unsigned operand, const DimRow &dim,
                              SmallVectorImpl<uint32_t> &words) {
  SmallVector<uint32_t, 4> coordinates;
  if (!appendDwords(machine, inst, lane, operand, coordinates, dim.sampleCoordinates))
    return false;
  if (dim.isArrayed)
    coordinates.back() = bit_cast<uint32_t>(std::nearbyintf(bit_cast<float>(coordinates.back())));
  if (!dim.isCube) {
    words.append(coordinates.begin(), coordinates.end());
    return true;
  }
  float direction[3];
  for (unsigned i = 0; i < 3; ++i)
    direction[i] = bit_cast<float>(coordinates[i]);
  appendCube(direction, dim.isArrayed ? bit_cast<float>(coordinates[3]) : 0, words);
  return true;
}

/// (dim, flags, image, sampler, coordinate, lod, gradientX, gradientY, offset, compare, minLod).
static void runSample(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  if (!dim || !checkFlags(machine, inst))
    return;
  uint64_t flags = immediate(inst, 1);
  if (dim->isCube && flags & HasGradients)
    return machine.stop(RunState::Unsupported, "derivatives in a cube");
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    auto append = [&](unsigned flag, unsigned operand, unsigned count) {
      return !(flags & flag) || appendDwords(machine, inst, *lane, operand, own.addresses, count);
    };
    if (!readDescriptor(machine, inst, *lane, 2, own.resource) ||
        !readDescriptor(machine, inst, *lane, 3, own.sampler) || !append(HasOffset, 8, 1) ||
        !append(HasBias, 5, 1) || !append(HasCompare, 9, 1) ||
        !append(HasGradients, 6, dim->gradients) || !append(HasGradients, 7, dim->gradients) ||
        !appendCoordinates(machine, inst, *lane, 4, *dim, own.addresses) || !append(HasLod, 5, 1) ||
        !append(HasMinLod, 10, 1))
      return;
  }
  std::string name = (flags & HasCompare ? "sample_c" : "sample") + levelSuffix(flags);
  bool isScalar = !inst.ir->getType()->isVectorTy();
  HardwareCall call = makeCall(machine, name, dim->sampled, isScalar ? 1 : allComponents);
  call.resultDwords = isScalar ? 1 : 4;
  call.hasSampler = true;
  runForResult(machine, inst, call, lanes);
  if (flags & ImplicitLod)
    poisonPartialQuads(machine, inst);
}

/// (dim, flags, component, image, sampler, coordinate, offset, compare, lod).
static void runGather(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  if (!dim || !checkFlags(machine, inst))
    return;
  uint64_t flags = immediate(inst, 1);
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    auto append = [&](unsigned flag, unsigned operand) {
      return !(flags & flag) || appendDwords(machine, inst, *lane, operand, own.addresses, 1);
    };
    if (!readDescriptor(machine, inst, *lane, 3, own.resource) ||
        !readDescriptor(machine, inst, *lane, 4, own.sampler) || !append(HasOffset, 6) ||
        !append(HasBias, 8) || !append(HasCompare, 7) ||
        !appendCoordinates(machine, inst, *lane, 5, *dim, own.addresses) || !append(HasLod, 8))
      return;
  }
  std::string name = (flags & HasCompare ? "gather4_c" : "gather4") + levelSuffix(flags);
  HardwareCall call = makeCall(machine, name, dim->sampled, 1u << (immediate(inst, 2) & 3));
  call.resultDwords = 4;
  call.hasSampler = true;
  runForResult(machine, inst, call, lanes);
  if (flags & ImplicitLod)
    poisonPartialQuads(machine, inst);
}

/// Value and, for a comparison, what it is compared with: operands \p value and the one after it.
static bool appendAtomic(ir::Machine &machine, const Inst &inst, const Lane &lane, unsigned value,
                         uint64_t operation, LaneRegisters &own) {
  return appendDwords(machine, inst, lane, value, own.data) &&
         (operation != compareSwap || appendDwords(machine, inst, lane, value + 1, own.data));
}

/// (dim, flags, operation, image, coordinate, value, comparator).
static void runAtomic(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  uint64_t operation = immediate(inst, 2);
  if (!dim || operation >= std::size(atomics))
    return machine.stop(RunState::Unsupported, "an atomic operation on an image");
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    if (!readDescriptor(machine, inst, *lane, 3, own.resource) ||
        !appendDwords(machine, inst, *lane, 4, own.addresses, dim->texelCoordinates) ||
        !appendAtomic(machine, inst, *lane, 5, operation, own))
      return;
  }
  unsigned dwords = isWide(inst.ir->getType()) ? 2 : 1;
  unsigned dmask = (1u << lanes.front().data.size()) - 1;
  HardwareCall call =
      makeCall(machine, ("atomic_" + atomics[operation]).str(), dim->storage, dmask);
  call.mods.returnsOld = true;
  call.resultDwords = dwords;
  runForResult(machine, inst, call, lanes);
}

/// (dim, flags, image, lod).
static void runQuerySize(ir::Machine &machine, const Inst &inst) {
  const DimRow *dim = findDim(machine, inst);
  if (!dim)
    return;
  bool isStorage = immediate(inst, 1) & IsStorage;
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    if (!readDescriptor(machine, inst, *lane, 2, own.resource) ||
        !appendDwords(machine, inst, *lane, 3, own.addresses, 1))
      return;
  }
  HardwareCall call =
      makeCall(machine, "get_resinfo", isStorage ? dim->storage : dim->sampled, allComponents);
  call.resultDwords = 4;
  if (!runHardware(machine, call, lanes))
    return;
  for (auto [lane, own] : zip_equal(machine.group(), lanes)) {
    // Faces are counted one by one.
    if (dim->isCube && dim->isArrayed)
      own.data[2] /= 6;
    writeResult(inst, *lane, own.data);
  }
}

/// (image).
static void runQuerySamples(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    gcn::ImageWords words = {};
    if (!readDescriptor(machine, inst, *lane, 0, words))
      return;
    auto image = gcn::decodeImage(words, waveOf(machine).hardware().gfxMajor);
    lane->slots[inst.slot] = {APInt(inst.bits, image ? image->samples : 0)};
  }
}

/// A typed access of element \p index of the V# in \p buffer, operands both.
static bool gatherTexels(ir::Machine &machine, const Inst &inst, unsigned buffer, unsigned index,
                         SmallVectorImpl<LaneRegisters> &lanes) {
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    if (!readDescriptor(machine, inst, *lane, buffer,
                        MutableArrayRef<uint32_t>(own.resource).take_front(4)) ||
        !appendDwords(machine, inst, *lane, index, own.addresses, 1))
      return false;
  }
  return true;
}

/// A buffer instruction "buffer_NAME" with an index.
static HardwareCall makeBufferCall(const Twine &name) {
  HardwareCall call;
  call.mnemonic = ("buffer_" + name).str();
  call.mods.idxen = true;
  return call;
}

/// (flags, buffer, index).
static void runTexelLoad(ir::Machine &machine, const Inst &inst) {
  if (immediate(inst, 0) >= firstUnknownFlag)
    return machine.stop(RunState::Unsupported, "a texel buffer's residency");
  SmallVector<LaneRegisters, 64> lanes;
  if (!gatherTexels(machine, inst, 1, 2, lanes))
    return;
  HardwareCall call =
      makeBufferCall(isWide(inst.ir->getType()) ? "load_format_xy" : "load_format_xyzw");
  call.resultDwords = dwordsOf(inst.ir->getType());
  runForResult(machine, inst, call, lanes, writeTexel);
}

/// (flags, buffer, index, texel).
static void runTexelStore(ir::Machine &machine, const Inst &inst) {
  SmallVector<LaneRegisters, 64> lanes;
  if (!gatherTexels(machine, inst, 1, 2, lanes))
    return;
  for (auto [lane, own] : zip_equal(machine.group(), lanes))
    for (const ir::Scalar &word : ArrayRef(lane->get(inst.operands[3]), 4))
      own.data.push_back(static_cast<uint32_t>(ir::frozenBits(word).getZExtValue()));
  runHardware(machine, makeBufferCall("store_format_xyzw"), lanes);
}

/// (flags, operation, buffer, index, value, comparator).
static void runTexelAtomic(ir::Machine &machine, const Inst &inst) {
  uint64_t operation = immediate(inst, 1);
  if (operation >= std::size(atomics))
    return machine.stop(RunState::Unsupported, "an atomic operation on a typed buffer");
  SmallVector<LaneRegisters, 64> lanes;
  if (!gatherTexels(machine, inst, 2, 3, lanes))
    return;
  for (auto [lane, own] : zip_equal(machine.group(), lanes))
    if (!appendAtomic(machine, inst, *lane, 4, operation, own))
      return;
  bool isPair = isWide(inst.ir->getType());
  HardwareCall call = makeBufferCall("atomic_" + atomics[operation] + (isPair ? "_x2" : ""));
  call.mods.returnsOld = true;
  call.resultDwords = isPair ? 2 : 1;
  runForResult(machine, inst, call, lanes);
}

/// (buffer): its records, which a stride makes elements.
static void runTexelCount(ir::Machine &machine, const Inst &inst) {
  for (Lane *lane : machine.group()) {
    std::array<uint32_t, 4> words;
    if (!readDescriptor(machine, inst, *lane, 0, words))
      return;
    lane->slots[inst.slot] = {APInt(inst.bits, words[2])};
  }
}

ArrayRef<OpRow> irm::imageOps() {
  static constexpr OpRow Rows[] = {
      {"image.load", runLoad},
      {"image.store", runStore},
      {"image.sample", runSample},
      {"image.gather", runGather},
      {"image.atomic", runAtomic},
      {"image.query.size", runQuerySize},
      {"image.query.samples", runQuerySamples},
      {"texel.load", runTexelLoad},
      {"texel.store", runTexelStore},
      {"texel.atomic", runTexelAtomic},
      {"texel.count", runTexelCount},
  };
  return Rows;
}
