// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's intrinsics for images and typed buffers: their names are those of instructions. Orders of
// operands: LLVM's IntrinsicsAMDGPU.td.
#include "oracles/machine/ir/Calls.h"
#include "oracles/machine/ir/Hardware.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using ir::Inst;
using ir::Lane;
using ir::RunState;

namespace {
/// Dimensions as intrinsics name them, and as gcn does, after "SQ_RSRC_IMG_".
constexpr std::pair<StringLiteral, StringLiteral> dimensions[] = {
    {"1d", "1D"},
    {"2d", "2D"},
    {"3d", "3D"},
    {"cube", "CUBE"},
    {"1darray", "1D_ARRAY"},
    {"2darray", "2D_ARRAY"},
    {"2dmsaa", "2D_MSAA"},
    {"2darraymsaa", "2D_MSAA_ARRAY"},
};

/// An image intrinsic by its name and types.
struct ImageName {
  std::string operation; ///< "sample_lz".
  StringRef dimension;
  bool isStore = false, isAtomic = false, hasSampler = false;
};
} // namespace

/// Name of the intrinsic that \p inst calls, without type suffixes.
static StringRef baseName(const Inst &inst) {
  return Intrinsic::getBaseName(cast<IntrinsicInst>(inst.ir)->getIntrinsicID());
}

/// Parses "llvm.amdgcn.image.OPERATION.DIM"; nothing for other names and unknown dimensions.
static std::optional<ImageName> parseName(StringRef name) {
  if (!name.consume_front("llvm.amdgcn.image."))
    return std::nullopt;
  auto [operation, dim] = name.rsplit('.');
  const auto *row = find_if(dimensions, [&](const auto &each) { return each.first == dim; });
  if (row == std::end(dimensions))
    return std::nullopt;
  ImageName result;
  result.dimension = row->second;
  result.isStore = operation.starts_with("store");
  result.isAtomic = operation.starts_with("atomic");
  result.hasSampler = operation.starts_with("sample") || operation.starts_with("gather4");
  result.operation = operation == "getresinfo" ? "get_resinfo" : operation.str();
  std::replace(result.operation.begin(), result.operation.end(), '.', '_');
  return result;
}

/// Operands: data of stores and atomics, then the mask of components (not of atomics), addresses,
/// T#, S#, and modifiers.
namespace {
struct ImageOperands {
  unsigned dataEnd = 0;
  unsigned addressBegin = 0;
  unsigned resource = 0;
};
} // namespace

/// Finds the groups of operands from both ends of the list: the number of addresses varies.
static ImageOperands findOperands(const Inst &inst, const ImageName &name) {
  ImageOperands operands;
  bool isCompare = name.isAtomic && StringRef(name.operation).ends_with("cmpswap");
  operands.dataEnd = isCompare ? 2 : name.isStore || name.isAtomic ? 1 : 0;
  operands.addressBegin = operands.dataEnd + !name.isAtomic;
  auto count = static_cast<unsigned>(cast<CallBase>(inst.ir)->arg_size());
  // After T#: S# and unorm where there is a sampler; texfail and cache policy.
  operands.resource = count - (name.hasSampler ? 5 : 3);
  return operands;
}

/// Reads one lane's data, addresses and descriptors into \p own. Poison data becomes some number;
/// poison addresses and descriptors stop the machine, as does data of 16 bits.
static bool readLane(ir::Machine &machine, const Inst &inst, const ImageName &name,
                     const ImageOperands &operands, const Lane &lane, LaneRegisters &own) {
  for (unsigned i = 0; i < operands.dataEnd; ++i)
    for (const ir::Scalar &scalar : ArrayRef(lane.get(inst.operands[i]), inst.operands[i].count)) {
      if (scalar.bits.getBitWidth() != 32 && scalar.bits.getBitWidth() != 64) {
        machine.stop(RunState::Unsupported, "an image of short data");
        return false;
      }
      APInt bits = ir::frozenBits(scalar);
      for (unsigned at = 0; at < bits.getBitWidth(); at += 32)
        own.data.push_back(static_cast<uint32_t>(bits.extractBitsAsZExtValue(32, at)));
    }
  for (unsigned i = operands.addressBegin; i < operands.resource; ++i)
    if (!appendDwords(machine, inst, lane, i, own.addresses))
      return false;
  return readDescriptor(machine, inst, lane, operands.resource, own.resource) &&
         (!name.hasSampler ||
          readDescriptor(machine, inst, lane, operands.resource + 1, own.sampler));
}

/// Dwords of the result of \p inst: two for each element of 64 bits, one for others.
static unsigned resultDwords(const Inst &inst) {
  unsigned dwords = 0;
  for (uint32_t i = 0; i < inst.count; ++i)
    dwords += inst.shape->elements[i].bits == 64 ? 2 : 1;
  return dwords;
}

/// Every image intrinsic. Atomics return the old value; their mask follows from the size of the
/// data.
static void runImage(ir::Machine &machine, const Inst &inst) {
  std::optional<ImageName> name = parseName(baseName(inst));
  if (!name)
    return machine.stop(RunState::Unsupported, "intrinsic " + baseName(inst));
  ImageOperands operands = findOperands(inst, *name);
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group())
    if (!readLane(machine, inst, *name, operands, *lane, lanes.emplace_back()))
      return;
  HardwareCall call;
  call.mnemonic = "image_" + name->operation;
  call.hasSampler = name->hasSampler;
  call.mods.dmask = static_cast<uint8_t>(
      name->isAtomic ? (1u << lanes.front().data.size()) - 1
                     : inst.operands[operands.dataEnd].constant->bits.getZExtValue());
  call.mods.returnsOld = name->isAtomic;
  if (name->hasSampler)
    call.mods.unorm = !inst.operands[operands.resource + 2].constant->bits.isZero();
  if (waveOf(machine).hardware().gfxMajor >= 10)
    call.mods.dimension = ("SQ_RSRC_IMG_" + name->dimension).str();
  call.resultDwords = resultDwords(inst);
  runForResult(machine, inst, call, lanes);
}

/// struct.buffer.load.format, store.format and atomics: data, V#, index, offset, scalar offset,
/// cache policy.
static void runTypedBuffer(ir::Machine &machine, const Inst &inst) {
  StringRef name = baseName(inst);
  name.consume_front("llvm.amdgcn.struct.buffer.");
  bool isAtomic = name.consume_front("atomic."), isLoad = name.starts_with("load");
  unsigned data = isLoad ? 0 : name == "cmpswap" ? 2 : 1;
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    for (unsigned i = 0; i < data; ++i)
      if (!appendDwords(machine, inst, *lane, i, own.data))
        return;
    SmallVector<uint32_t, 2> offsets;
    if (!readDescriptor(machine, inst, *lane, data,
                        MutableArrayRef<uint32_t>(own.resource).take_front(4)) ||
        !appendDwords(machine, inst, *lane, data + 1, own.addresses) ||
        !appendDwords(machine, inst, *lane, data + 2, offsets) ||
        !appendDwords(machine, inst, *lane, data + 3, offsets))
      return;
    if (offsets[0] || offsets[1])
      return machine.stop(RunState::Unsupported, "a typed buffer with an offset");
  }
  HardwareCall call;
  call.mods.idxen = true;
  unsigned dwords =
      isLoad || isAtomic ? resultDwords(inst) : static_cast<unsigned>(lanes.front().data.size());
  if (isAtomic)
    call.mnemonic = ("buffer_atomic_" + name + (dwords == 2 ? "_x2" : "")).str();
  else
    call.mnemonic = ("buffer_" + Twine(isLoad ? "load" : "store") + "_format_" +
                     StringRef("xyzw").take_front(dwords))
                        .str();
  call.mods.returnsOld = isAtomic;
  call.resultDwords = resultDwords(inst);
  runForResult(machine, inst, call, lanes);
}

/// Index and offset of a buffer without swizzling, from operands \p first and those that follow it:
/// V#, index, offset, scalar offset.
static bool readPlace(ir::Machine &machine, const Inst &inst, const Lane &lane, unsigned first,
                      LaneRegisters &own) {
  SmallVector<uint32_t, 2> offsets;
  if (!readDescriptor(machine, inst, lane, first,
                      MutableArrayRef<uint32_t>(own.resource).take_front(4)) ||
      !appendDwords(machine, inst, lane, first + 1, own.addresses) ||
      !appendDwords(machine, inst, lane, first + 2, offsets) ||
      !appendDwords(machine, inst, lane, first + 3, offsets))
    return false;
  own.addresses.push_back(offsets[0] + offsets[1]);
  return true;
}

/// struct.tbuffer.load, of vertex attributes: the place, format, cache policy.
static void runAttributeLoad(ir::Machine &machine, const Inst &inst) {
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group())
    if (!readPlace(machine, inst, *lane, 0, lanes.emplace_back()))
      return;
  HardwareCall call;
  call.mods.idxen = call.mods.offen = true;
  call.mods.format = static_cast<uint8_t>(immediate(inst, 4));
  call.resultDwords = resultDwords(inst);
  call.mnemonic = ("tbuffer_load_format_" + StringRef("xyzw").take_front(call.resultDwords)).str();
  runForResult(machine, inst, call, lanes);
}

/// Operands: data, the place, cache policy.
void irm::runRingStore(ir::Machine &machine, const Inst &inst) {
  SmallVector<LaneRegisters, 64> lanes;
  for (const Lane *lane : machine.group()) {
    LaneRegisters &own = lanes.emplace_back();
    for (const ir::Scalar &scalar : ArrayRef(lane->get(inst.operands[0]), inst.operands[0].count))
      own.data.push_back(static_cast<uint32_t>(ir::frozenBits(scalar).getZExtValue()));
    if (!readPlace(machine, inst, *lane, 1, own))
      return;
  }
  HardwareCall call;
  call.mods.idxen = call.mods.offen = true;
  call.mnemonic = "buffer_store_b" + std::to_string(32 * lanes.front().data.size());
  runHardware(machine, call, lanes);
}

/// \p baseName is the name without its overloads. Null for other intrinsics.
ir::Handler irm::findImageIntrinsic(StringRef baseName) {
  if (parseName(baseName))
    return runImage;
  if (baseName == "llvm.amdgcn.struct.tbuffer.load")
    return runAttributeLoad;
  bool isTyped = baseName.starts_with("llvm.amdgcn.struct.buffer.atomic.") ||
                 baseName == "llvm.amdgcn.struct.buffer.load.format" ||
                 baseName == "llvm.amdgcn.struct.buffer.store.format";
  return isTyped ? runTypedBuffer : nullptr;
}
