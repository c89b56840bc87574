// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// image_bvh_intersect_ray, image_bvh64_intersect_ray: operands, nodes in memory. Addresses: AMD's
// RDNA ISA manuals, "VGPR_A Field Organization"; LLVM's lowering of the intrinsics for how halves
// share registers.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/image/ImageMemory.h"
#include "oracles/machine/gcn/image/RayIntersection.h"
#include "oracles/machine/gcn/memory/BufferAccess.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {
/// Reads address registers one after the other.
struct RegisterReader {
  const Wave &wave;
  const MicroOp &op;
  unsigned lane;
  unsigned next = 0;

  uint32_t take() { return wave.v[op.addresses[next++]][lane]; }
};

/// \c DescriptorType is the type field of a ray descriptor.
constexpr unsigned ResultDwords = 4, DescriptorDwords = 4, DescriptorType = 8;
constexpr unsigned NodeBytes = 64;
/// GFX11: flags of a pointer stand above its 54 bits.
constexpr unsigned PointerFlagsShift = 54;
} // namespace

/// Node pointers have 64 bits.
static bool isWide(const MicroOp &op) {
  return StringRef(op.inst->mnemonic).starts_with("image_bvh64");
}

static float halfToFloat(uint32_t half) {
  return llvm::bit_cast<float>(widenComponent(half & 0xffff, TexelClass::Float));
}

/// With a16, direction and inverse are halves: on GFX10 six in a row, later one of each in a
/// register.
static void takeHalves(RegisterReader &reader, Ray &ray) {
  std::array<uint32_t, 3> words;
  for (uint32_t &word : words)
    word = reader.take();
  for (unsigned i = 0; i < 3; ++i) {
    if (reader.wave.gfxMajor >= 11) {
      ray.direction[i] = halfToFloat(words[i]);
      ray.inverse[i] = halfToFloat(words[i] >> 16);
    } else {
      auto half = [&](unsigned index) { return halfToFloat(words[index / 2] >> (index % 2 * 16)); };
      ray.direction[i] = half(i);
      ray.inverse[i] = half(3 + i);
    }
  }
}

/// The registers after the node pointer.
static Ray takeRay(RegisterReader &reader) {
  Ray ray;
  auto takeFloat = [&] { return llvm::bit_cast<float>(reader.take()); };
  ray.extent = takeFloat();
  for (float &value : ray.origin)
    value = takeFloat();
  if (reader.op.inst->mods.a16) {
    takeHalves(reader, ray);
    return ray;
  }
  for (float &value : ray.direction)
    value = takeFloat();
  for (float &value : ray.inverse)
    value = takeFloat();
  return ray;
}

/// The dwords of a node; what is beyond the hierarchy reads as zeros. False after ending the run.
static bool readNode(Wave &wave, const MicroOp &op, const RayDescriptor &descriptor, unsigned lane,
                     uint64_t node, MutableArrayRef<uint32_t> words) {
  if (node + words.size() * 4 / NodeBytes - 1 > descriptor.lastNode)
    return true;
  auto bytes = static_cast<unsigned>(words.size() * 4);
  const uint8_t *memory = findGlobal(wave, op, lane, descriptor.base + node * NodeBytes, bytes);
  if (!memory)
    return false;
  std::memcpy(words.data(), memory, bytes);
  return true;
}

/// Nothing after ending the run.
static std::optional<RayWords> intersectLane(Wave &wave, const MicroOp &op,
                                             const RayDescriptor &descriptor, unsigned lane) {
  RegisterReader reader{wave, op, lane};
  uint64_t pointer = reader.take();
  if (isWide(op))
    pointer |= uint64_t(reader.take()) << 32;
  if (descriptor.hasPointerFlags) {
    if (pointer >> PointerFlagsShift) {
      wave.failUnsupported("flags in a pointer to a node (" + op.inst->text + ")");
      return std::nullopt;
    }
  }
  Ray ray = takeRay(reader);
  unsigned type = pointer & 7;
  std::array<uint32_t, RayBoxBytes / 4> words = {};
  unsigned bytes = type == unsigned(RayNode::Box) ? RayBoxBytes : RayTriangleBytes;
  if (type >= unsigned(RayNode::Instance)) // The shader's business.
    return RayWords{~0u, ~0u, ~0u, ~0u};
  if (type > 0 && type < unsigned(RayNode::BoxOfHalves)) {
    wave.failUnsupported("a node with several triangles (" + op.inst->text + ")");
    return std::nullopt;
  }
  MutableArrayRef<uint32_t> node = MutableArrayRef(words).take_front(bytes / 4);
  if (!readNode(wave, op, descriptor, lane, pointer >> 3, node))
    return std::nullopt;
  if (type == unsigned(RayNode::Triangle))
    return intersectTriangle(node, descriptor, ray);
  return intersectBoxes(node, type == unsigned(RayNode::BoxOfHalves), descriptor, ray);
}

/// Runs of a descriptor that is not modelled end as unsupported. Results are written after all
/// lanes are done, since they may overwrite addresses.
static void runRay(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[ImageResource].operand.index], DescriptorDwords);
  RayDescriptor descriptor = decodeRayDescriptor(words, wave.gfxMajor);
  if (descriptor.type != DescriptorType)
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this describes no hierarchy");
  if (descriptor.grow || descriptor.hasWideNodes || descriptor.heuristic > 2)
    return wave.failUnsupported("a hierarchy of other nodes or grown boxes (" + op.inst->text +
                                ")");
  std::array<RayWords, MaxLanes> results;
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    std::optional<RayWords> result = intersectLane(wave, op, descriptor, lane);
    if (!result)
      return;
    results[lane] = *result;
  }
  for (uint64_t left = wave.exec(); left; left &= left - 1) {
    auto lane = static_cast<unsigned>(countr_zero(left));
    for (unsigned i = 0; i < ResultDwords; ++i)
      wave.v[op.destination.index + i][lane] = results[lane][i];
  }
}

/// Operands: data, addresses in one tuple or several, T#.
BindResult gcn::bindRay(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  if (name != "image_bvh_intersect_ray" && name != "image_bvh64_intersect_ray")
    return BindResult::NotMine;
  unsigned needed = unsigned(name.contains("64")) + 2 + 3 + (inst.mods.a16 ? 3 : 6);
  if (inst.operands.size() < 3 || inst.operands[0].type != OperandType::Vgpr ||
      inst.operands.back().type != OperandType::Sgpr ||
      !hasDwords(inst.operands[0], ResultDwords) ||
      !hasDwords(inst.operands.back(), DescriptorDwords))
    return BindResult::Unsupported;
  for (const Operand &address : drop_end(drop_begin(inst.operands))) {
    if (address.type != OperandType::Vgpr)
      return BindResult::Unsupported;
    op.reads.push_back({true, address.index, address.dwords});
    for (unsigned i = 0; i < address.dwords; ++i)
      op.addresses.push_back(static_cast<uint16_t>(address.index + i));
  }
  if (op.addresses.size() < needed)
    return BindResult::Unsupported;
  op.destination = inst.operands[0];
  op.destinationCount = 1;
  op.memory.bytes = ResultDwords * 4;
  addSource(op, Operand(), OperandKind::U32); // As with other images, data would stand there.
  addSource(op, inst.operands.back(), OperandKind::U32);
  op.run = runRay;
  return BindResult::Bound;
}
