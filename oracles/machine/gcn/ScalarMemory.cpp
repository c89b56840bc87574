// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// s_load and s_buffer_load.
#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/BufferDescriptor.h"
#include "oracles/machine/gcn/Operands.h"
#include "oracles/machine/gcn/Transfer.h"
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct ScalarWidth {
  const char *names;
  uint8_t dwords;
  uint8_t bytes; ///< Below 4: a sub-dword load of GFX12.
  bool signExtend;
};

constexpr ScalarWidth Widths[] = {
    {"dword|b32", 1, 4, false},
    {"dwordx2|b64", 2, 8, false},
    {"b96", 3, 12, false},
    {"dwordx4|b128", 4, 16, false},
    {"dwordx8|b256", 8, 32, false},
    {"dwordx16|b512", 16, 64, false},
    {"u8", 1, 1, false},
    {"i8", 1, 1, true},
    {"u16", 1, 2, false},
    {"i16", 1, 2, true},
};

} // namespace

static const ScalarWidth *findScalarWidth(StringRef name) {
  for (const ScalarWidth &row : Widths)
    if (isNamed(row.names, name))
      return &row;
  return nullptr;
}

/// The byte offset: a register and an immediate, either of which may be missing.
static int64_t scalarOffset(const Wave &wave, const MicroOp &op) {
  const Source &source = op.sources[1];
  int64_t offset = op.inst->mods.offset;
  if (source.operand.type == OperandType::Sgpr)
    return offset + wave.s[source.operand.index];
  return offset + source.operand.value;
}

static void writeScalarLoad(Wave &wave, const MicroOp &op, const uint8_t *data) {
  const MemoryAccess &access = op.memory;
  if (access.bytes < 4) {
    uint32_t value = data[0] | (access.bytes == 2 ? uint32_t(data[1]) << 8 : 0);
    unsigned unused = 32 - 8 * access.bytes;
    value = access.signExtend ? uint32_t(int32_t(value << unused) >> unused) : value;
    return wave.writeScalar(op.destination.index, value);
  }
  for (size_t i = 0; i < access.bytes / 4u; ++i) {
    uint32_t value;
    std::memcpy(&value, data + 4 * i, 4);
    if (op.destination.index != sreg::Null)
      wave.s[op.destination.index + i] = value;
  }
}

static void failScalar(Wave &wave, const MicroOp &op, uint64_t address) {
  wave.fail(OutcomeKind::Trap, "MEM-FAULT", op,
            "a scalar load from address 0x" + Twine::utohexstr(address) + ", " +
                wave.group->memory->describe(address));
}

static void runScalarLoad(Wave &wave, const MicroOp &op) {
  uint64_t address =
      readUniform(wave, op.sources[0]) + static_cast<uint64_t>(scalarOffset(wave, op));
  address &= 0xffffffffffffull;
  if (op.memory.bytes >= 4)
    address &= ~uint64_t(3);
  const uint8_t *data = wave.group->memory->find(address, op.memory.bytes, Access::Read);
  if (!data)
    return failScalar(wave, op, address);
  noteAccess(wave, op, {MemorySpace::Global, true, false, false, 0, op.memory.bytes, address});
  writeScalarLoad(wave, op, data);
}

/// Dwords beyond the buffer's records read as 0.
static void runScalarBufferLoad(Wave &wave, const MicroOp &op) {
  ArrayRef<uint32_t> words(&wave.s[op.sources[0].operand.index], 4);
  BufferDescriptor descriptor = decodeBufferDescriptor(words, wave.gfxMajor);
  if (descriptor.type != 0)
    return wave.fail(OutcomeKind::Trap, "BAD-DESCRIPTOR", op, "this is no buffer descriptor");
  uint64_t size = uint64_t(descriptor.records) * (descriptor.stride ? descriptor.stride : 1);
  auto offset = static_cast<uint64_t>(scalarOffset(wave, op));
  unsigned step = std::min<unsigned>(op.memory.bytes, 4);
  offset &= ~uint64_t(step - 1);
  uint8_t data[64] = {};
  for (unsigned done = 0; done < op.memory.bytes; done += step) {
    if (offset + done + step > size)
      continue;
    uint64_t address = descriptor.base + offset + done;
    const uint8_t *from = wave.group->memory->find(address, step, Access::Read);
    if (!from)
      return failScalar(wave, op, address);
    noteAccess(wave, op, {MemorySpace::Global, true, false, false, 0, step, address});
    std::memcpy(data + done, from, step);
  }
  writeScalarLoad(wave, op, data);
}

BindResult gcn::bindScalarMemory(const Inst &inst, const ProgramOptions &, MicroOp &op) {
  StringRef name = inst.mnemonic;
  bool isBuffer = name.consume_front("s_buffer_load_");
  if (!isBuffer && !name.consume_front("s_load_"))
    return BindResult::NotMine;
  const ScalarWidth *width = findScalarWidth(name);
  if (!width || inst.operands.size() != 3)
    return BindResult::Unsupported;
  op.memory.bytes = width->bytes;
  op.memory.signExtend = width->signExtend;
  if (!hasDwords(inst.operands[0], width->dwords) || !hasDwords(inst.operands[1], isBuffer ? 4 : 2))
    return BindResult::Unsupported;
  op.destination = inst.operands[0];
  op.destinationCount = 1;
  addSource(op, inst.operands[1], OperandKind::B64);
  addSource(op, inst.operands[2], OperandKind::U32);
  op.run = isBuffer ? runScalarBufferLoad : runScalarLoad;
  return BindResult::Bound;
}
