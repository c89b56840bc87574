// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/CommandReader.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// Bytes that no range has read as 0.
std::vector<uint8_t> DeviceMemory::read(uint64_t address, uint64_t bytes) const {
  std::vector<uint8_t> result(bytes);
  for (const MemoryRange &range : m_ranges) {
    uint64_t begin = std::max(address, range.address);
    uint64_t end = std::min(address + bytes, range.address + range.bytes.size());
    if (begin < end)
      std::memcpy(result.data() + (begin - address), range.bytes.data() + (begin - range.address),
                  end - begin);
  }
  return result;
}

/// Dwords are little-endian; what no range has reads as 0.
std::vector<uint32_t> DeviceMemory::readDwords(uint64_t address, uint64_t count) const {
  std::vector<uint8_t> bytes = read(address, count * 4);
  std::vector<uint32_t> dwords(count);
  for (uint64_t i = 0; i < count; ++i)
    dwords[i] = support::endian::read32le(bytes.data() + i * 4);
  return dwords;
}

// adreno_pm4.xml: adreno_pm4_type3_packets.
static constexpr uint32_t CpIndirectBuffer = 0x3f;
static constexpr uint32_t CpIndirectBufferChain = 0x57;
static constexpr uint32_t CpExecCs = 0x33;
static constexpr uint32_t CpLoadState6[] = {0x32, 0x34, 0x36}; // _GEOM, _FRAG, plain.

namespace {
/// A type-7 packet that can't be followed.
struct PacketName {
  uint32_t opcode;
  StringLiteral name;
};
} // namespace

/// Packets that change registers, or which packets run, in ways that are not followed.
static constexpr PacketName refusedPackets[] = {
    {0x21, "CP_REG_RMW"},       {0x39, "CP_COND_INDIRECT_BUFFER_PFE"},
    {0x42, "CP_MEM_TO_REG"},    {0x44, "CP_COND_EXEC"},
    {0x47, "CP_COND_REG_EXEC"}, {0x4d, "CP_SCRATCH_TO_REG"}};

/// HLSQ_SHARED_CONSTS_IMM, a7xx: 64 registers.
static constexpr uint32_t SharedConstantRegisters = 0xab40, SharedConstantCount = 64;

/// Unsupported: how the driver submits is no fault of the case.
static Error notKnown(const Twine &what) {
  return unsupported("turnip submits in a way that is not known: " + what);
}

/// Follows the streams in order and stops after the first dispatch. Unsupported where there is
/// none, or where a packet may change what the dispatch reads in a way that is not followed.
Error CommandReader::run(ArrayRef<CommandStream> streams) {
  for (const CommandStream &stream : streams) {
    if (Error error = follow(stream.address, stream.bytes / 4, 0))
      return error;
    if (m_isDispatched)
      return Error::success();
  }
  return notKnown("no dispatch in " + Twine(streams.size()) + " command streams");
}

/// \p depth counts nested indirect buffers. Limits on depth and on the sum of all dwords end
/// endless streams.
Error CommandReader::follow(uint64_t address, uint64_t dwords, unsigned depth) {
  if (depth > 8 || dwords > m_dwordsLeft)
    return notKnown("endless command streams");
  m_dwordsLeft -= dwords;
  std::vector<uint32_t> words = m_memory.readDwords(address, dwords);
  ArrayRef<uint32_t> rest = words;
  while (!rest.empty() && !m_isDispatched) {
    uint32_t header = rest.front(), type = header >> 28;
    uint32_t count = type == 7 ? header & 0x3fff : header & 0x7f;
    if ((type != 4 && type != 7) || count >= rest.size())
      return notKnown("packet header 0x" + utohexstr(header));
    ArrayRef<uint32_t> payload = rest.slice(1, count);
    rest = rest.drop_front(count + 1);
    if (type == 4)
      setRegisters(header >> 8 & 0x3ffff, payload);
    else if (Error error = runPacket(header >> 16 & 0x7f, payload, depth))
      return error;
  }
  return Error::success();
}

/// Notes the values of consecutive registers. On A7xx some of them are the shared constants.
void CommandReader::setRegisters(uint32_t first, ArrayRef<uint32_t> values) {
  for (auto [i, value] : enumerate(values))
    m_registers[first + static_cast<uint32_t>(i)] = value;
  uint32_t past = SharedConstantRegisters + SharedConstantCount;
  if (m_generation == Generation::A7xx && first >= SharedConstantRegisters &&
      first + values.size() <= past)
    m_loads.push_back(
        {LoadSpace::SharedConstants, 0, first - SharedConstantRegisters, values.vec()});
}

/// Executes a type 7 packet. Packets that no shader can see are ignored.
Error CommandReader::runPacket(uint32_t opcode, ArrayRef<uint32_t> payload, unsigned depth) {
  for (const PacketName &refused : refusedPackets)
    if (refused.opcode == opcode)
      return notKnown(refused.name);
  if (opcode == CpExecCs)
    m_isDispatched = true;
  if (is_contained(CpLoadState6, opcode))
    return load(payload);
  if (opcode != CpIndirectBuffer && opcode != CpIndirectBufferChain)
    return Error::success(); // Waits, events, markers, draw states of no draw.
  if (payload.size() < 3)
    return notKnown("an indirect buffer of " + Twine(payload.size()) + " dwords");
  return follow(payload[0] | uint64_t(payload[1]) << 32, payload[2] & 0xfffff, depth + 1);
}

namespace {
/// CP_LOAD_STATE6's first dword: enums a6xx_state_type, a6xx_state_src, a6xx_state_block.
enum StateType : uint32_t { ShaderOrSampler = 0, ConstantsOrTexture = 1, UniformBuffers = 2 };
enum StateSource : uint32_t { Direct = 0, Bindless = 1, Indirect = 2 };
/// Turnip loads the shared constants of compute shaders as if they were images of all stages.
enum StateBlock : uint32_t { ComputeShader = 13, SharedImages = 14 };
} // namespace

/// Executes CP_LOAD_STATE6 of a compute shader. Units are four dwords of constants, two of uniform
/// buffers and one of shared constants. Prefetches of descriptors and code are ignored.
Error CommandReader::load(ArrayRef<uint32_t> payload) {
  if (payload.size() < 3)
    return notKnown("CP_LOAD_STATE6 of " + Twine(payload.size()) + " dwords");
  uint32_t first = payload[0] & 0x3fff, type = payload[0] >> 14 & 3, source = payload[0] >> 16 & 3,
           block = payload[0] >> 18 & 0xf;
  size_t units = payload[0] >> 22;
  uint64_t address = payload[1] | uint64_t(payload[2]) << 32;
  ArrayRef<uint32_t> data = payload.drop_front(3);
  if (source == Bindless)
    return Error::success(); // Fetches descriptors into a cache.
  auto cutOff = [&] { return notKnown("CP_LOAD_STATE6 of " + Twine(units) + " units, cut off"); };
  if (block == SharedImages && type == UniformBuffers && source == Direct) {
    if (data.size() < units)
      return cutOff();
    m_loads.push_back({LoadSpace::SharedConstants, 0, first, data.take_front(units).vec()});
    return Error::success();
  }
  if (block == ComputeShader && type == ShaderOrSampler)
    return Error::success(); // Fetches instructions into a cache.
  if (block == ComputeShader && type == ConstantsOrTexture && source != 3) {
    if (source == Direct && data.size() < units * 4)
      return cutOff();
    std::vector<uint32_t> dwords = source == Direct ? data.take_front(units * 4).vec()
                                                    : m_memory.readDwords(address, units * 4);
    m_loads.push_back({LoadSpace::Constants, 0, first * 4, std::move(dwords)});
    return Error::success();
  }
  if (block == ComputeShader && type == UniformBuffers && source == Direct) {
    if (data.size() < units * 2)
      return cutOff();
    loadUniformBuffers(first, data.take_front(units * 2));
    return Error::success();
  }
  return notKnown("CP_LOAD_STATE6 with block " + Twine(block) + ", type " + Twine(type) +
                  ", source " + Twine(source));
}

/// A descriptor (a6xx_ubo) is an address of 49 bits and a count of vec4s.
void CommandReader::loadUniformBuffers(uint32_t firstSlot, ArrayRef<uint32_t> descriptors) {
  for (uint32_t i = 0; i < descriptors.size(); i += 2) {
    uint64_t address = descriptors[i] | uint64_t(descriptors[i + 1] & 0x1ffff) << 32;
    uint32_t vec4s = descriptors[i + 1] >> 17;
    m_loads.push_back({LoadSpace::UniformBuffer, firstSlot + i / 2, 0,
                       m_memory.readDwords(address, uint64_t(vec4s) * 4)});
  }
}
