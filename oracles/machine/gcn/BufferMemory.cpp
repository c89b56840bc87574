// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Untyped buffer loads, stores and atomics (MUBUF, VBUFFER).
#include "oracles/machine/gcn/Atomics.h"
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/BufferDescriptor.h"
#include "oracles/machine/gcn/LaneWalk.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/TexelCodec.h"
#include "oracles/machine/gcn/Transfer.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// Operands: data, address, descriptor, scalar offset.
enum BufferSource : uint8_t { Data, Address, Descriptor, ScalarOffset };

struct BufferRun {
  BufferDescriptor descriptor;
  uint32_t scalarOffset = 0;
  std::optional<TexelView> texel; ///< Of formatted accesses.
};

} // namespace

static BufferAddress laneAddress(const Wave &wave, const MicroOp &op, const BufferRun &run,
                                 unsigned lane) {
  const Modifiers &mods = op.inst->mods;
  unsigned next = op.sources[Address].operand.index;
  BufferAddress address;
  address.scalar = run.scalarOffset;
  address.offset = static_cast<uint32_t>(mods.offset);
  address.isIndexed = mods.idxen;
  if (mods.idxen)
    address.index = wave.v[next++][lane];
  if (mods.offen)
    address.offset += wave.v[next][lane];
  if (run.descriptor.addTid)
    address.index += lane;
  return address;
}

/// Moves the bytes [done, done + bytes) of a lane's access. False: the run has ended.
static bool moveChunk(Wave &wave, const MicroOp &op, const BufferRun &run,
                      const BufferAddress &address, unsigned lane, MutableArrayRef<uint8_t> chunk) {
  uint64_t at = resolveAddress(run.descriptor, address);
  uint8_t *memory = findGlobal(wave, op, lane, at, static_cast<unsigned>(chunk.size()));
  if (!memory)
    return false;
  if (op.memory.isStore)
    std::memcpy(memory, chunk.data(), chunk.size());
  else
    std::memcpy(chunk.data(), memory, chunk.size());
  return true;
}

static bool moveLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  unsigned bytes = op.memory.bytes;
  BufferAddress address = laneAddress(wave, op, run, lane);
  uint8_t data[MaxAccessBytes] = {};
  if (op.memory.isStore)
    readStored(wave, op.memory, op.sources[Data].operand.index, lane, data);
  // GFX9 checks each dword on its own; a swizzled buffer scatters them.
  bool isWhole = wave.gfxMajor >= 10 || bytes <= 4;
  bool inRange = !isOutOfRange(run.descriptor, address, bytes, wave.gfxMajor);
  unsigned step = run.descriptor.swizzle || !inRange ? std::min(bytes, 4u) : bytes;
  for (unsigned done = 0; done < bytes && (inRange || !isWhole); done += step) {
    BufferAddress part = address;
    part.offset += done;
    if (!inRange && isOutOfRange(run.descriptor, part, step, wave.gfxMajor))
      continue;
    if (!moveChunk(wave, op, run, part, lane, MutableArrayRef(data + done, step)))
      return false;
  }
  if (!op.memory.isStore)
    writeLoaded(wave, op.memory, op.destination.index, lane, data);
  return true;
}

/// The number of the format in the encoding of a typed access (MTBUF; VBUFFER on GFX12). GFX9's
/// two fields stand the other way round than in descriptors.
static uint32_t typedFormat(const Inst &inst, unsigned gfxMajor) {
  if (gfxMajor >= 12)
    return inst.words[1] >> 23 & 0x7f;
  uint32_t field = inst.words[0] >> 19 & 0x7f;
  return gfxMajor == 9 ? (field & 15) << 3 | field >> 4 : field;
}

/// The texel that a number describes. On GFX9 it is made of two fields.
static std::optional<TexelView> texelOf(uint32_t number, const BufferDescriptor &descriptor,
                                        unsigned gfxMajor) {
  std::optional<HardwareFormat> format = decodeBufferFormat(number, gfxMajor);
  if (!format)
    return std::nullopt;
  TexelView view;
  view.format = *format;
  for (unsigned i = 0; i < 4; ++i)
    view.select[i] = static_cast<uint8_t>(descriptor.dstSelect >> (3 * i) & 7);
  return view;
}

/// A load or store with conversion. Out of range: the components that the format has are 0.
static bool formatLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  const TexelView &view = *run.texel;
  unsigned bytes = view.format.bytes();
  BufferAddress address = laneAddress(wave, op, run, lane);
  uint8_t *memory = nullptr;
  if (!isOutOfRange(run.descriptor, address, bytes, wave.gfxMajor)) {
    memory = findGlobal(wave, op, lane, resolveAddress(run.descriptor, address), bytes);
    if (!memory)
      return false;
  }
  if (op.memory.isStore) {
    TexelWords words = {};
    for (unsigned i = 0; i < op.memory.components; ++i)
      words[i] = wave.v[op.sources[Data].operand.index + i][lane];
    completeStored(words, op.memory.components, wave.gfxMajor);
    if (memory)
      encodeTexel(view.format, arrangeComponents(view, words), memory);
    return true;
  }
  TexelWords texel = memory ? decodeTexel(view.format, memory) : TexelWords{};
  TexelWords words = selectComponents(view, texel);
  for (unsigned i = 0; i < op.memory.components; ++i)
    wave.v[op.destination.index + i][lane] = words[i];
  return true;
}

static bool atomicLane(Wave &wave, const MicroOp &op, const BufferRun &run, unsigned lane) {
  const AtomicRow &row = *op.memory.atomic;
  BufferAddress address = laneAddress(wave, op, run, lane);
  uint8_t *memory = nullptr;
  if (!isOutOfRange(run.descriptor, address, row.bytes, wave.gfxMajor)) {
    memory = findGlobal(wave, op, lane, resolveAddress(run.descriptor, address), row.bytes);
    if (!memory)
      return false;
  }
  AtomicOperands operands;
  operands.data = op.sources[Data].operand.index;
  operands.compare = operands.data + row.bytes / 4;
  if (op.destinationCount)
    operands.result = op.destination.index;
  doAtomic(wave, op.memory, operands, lane, memory, MemorySpace::Global);
  return true;
}

static void runBuffer(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[Descriptor].operand.index], 4);
  BufferRun run;
  run.descriptor = decodeBufferDescriptor(words, wave.gfxMajor);
  run.scalarOffset = static_cast<uint32_t>(readUniform(wave, op.sources[ScalarOffset]));
  if (run.descriptor.type != 0)
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this is no buffer descriptor");
  auto doLane = op.memory.atomic ? atomicLane : moveLane;
  if (op.memory.components) {
    bool isTyped = StringRef(op.inst->mnemonic).starts_with("tbuffer_");
    uint32_t format = isTyped ? typedFormat(*op.inst, wave.gfxMajor) : run.descriptor.format;
    run.texel = texelOf(format, run.descriptor, wave.gfxMajor);
    if (!run.texel)
      return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "its format is none");
    doLane = formatLane;
  }
  for (unsigned lane : LaneWalk(wave, wave.exec()))
    if (!doLane(wave, op, run, lane))
      return;
}

/// "load_format_xyz": as many components as letters.
static bool findFormatted(StringRef name, MemoryAccess &access) {
  bool isStore = name.consume_front("store_format_");
  if (!isStore && !name.consume_front("load_format_"))
    return false;
  if (!StringRef("xyzw").starts_with(name))
    return false;
  access.isStore = isStore;
  access.components = static_cast<uint8_t>(name.size());
  access.bytes = static_cast<uint8_t>(name.size() * 4);
  return true;
}

BindResult gcn::bindBufferMemory(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  bool isTyped = name.consume_front("t");
  if (!name.consume_front("buffer_"))
    return BindResult::NotMine;
  const Modifiers &mods = inst.mods;
  bool isFormatted = findFormatted(name, op.memory);
  if ((!isFormatted && (isTyped || !findMemoryAccess(name, op.memory))) ||
      inst.operands.size() != 4 || mods.tfe || mods.lds)
    return BindResult::Unsupported;
  unsigned addressDwords = unsigned(mods.idxen) + unsigned(mods.offen);
  if (!hasDwords(inst.operands[Data], accessDwords(op.memory)) ||
      (addressDwords && inst.operands[Address].type != OperandType::Vgpr) ||
      !hasDwords(inst.operands[Address], addressDwords))
    return BindResult::Unsupported;
  bool loads = !op.memory.isStore && !op.memory.atomic;
  bool returns = loads || (op.memory.atomic && mods.returnsOld);
  if (returns) {
    op.destination = inst.operands[Data];
    op.destinationCount = 1;
    if (op.memory.atomic)
      op.destination.dwords = op.memory.atomic->bytes / 4;
  }
  for (unsigned i = 0; i < 4; ++i)
    addSource(op, inst.operands[i], OperandKind::U32);
  // The data register is not read - not even by loads of one half: memory merges them in order.
  if (loads)
    op.sources[Data].operand.type = OperandType::Off;
  op.run = runBuffer;
  return BindResult::Bound;
}
