// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file: magic, format number, then the members of TurnipShader in their order (Wire.h).
#include "oracles/turnip/TurnipShader.h"

#include "oracles/turnip/Wire.h"
#include "support/Error.h"
#include "support/FileMagic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

static constexpr uint32_t FormatNumber = 1;

/// What the fields of registers can hold, and more than any shader has of the rest.
static constexpr uint32_t MaxInstructions = 1u << 22;
static constexpr uint32_t MaxConstantVec4s = 255 * 4;
static constexpr uint32_t MaxSharedDwords = 64;
static constexpr uint32_t MaxBufferDwords = 1u << 14; ///< A uniform buffer: 64 KiB.
static constexpr uint32_t MaxPushDwords = 1u << 10;
static constexpr uint32_t MaxBases = 8;
static constexpr uint32_t MaxRegister = 255;
static constexpr uint64_t MaxAddress = uint64_t(1) << 49;

// One function per structure lists its members, for WirePut and WireGet.

static constexpr auto plain = [](auto &io, auto &value) { io(value); };

static constexpr auto launchMembers = [](auto &io, auto &value) {
  for (auto *member :
       {&value.fullRegisters, &value.halfRegisters, &value.branchStack, &value.fibersPerWave,
        &value.constantVec4s, &value.localBytes, &value.privateBytesPerFiber, &value.localSize[0],
        &value.localSize[1], &value.localSize[2], &value.workgroupIdRegister,
        &value.workgroupSizeRegister, &value.workgroupOffsetRegister, &value.localIdRegister,
        &value.localIndexRegister, &value.firstInstruction})
    io(*member);
  for (auto *member : {&value.mergedRegisters, &value.earlyPreamble, &value.sharedConstants,
                       &value.demotesConstants, &value.privatePerWave})
    io(*member);
};

static constexpr auto loadedDword = [](auto &io, auto &value) {
  io.choice(value.source, 5);
  io(value.value);
};

static constexpr auto loadMembers = [](auto &io, auto &value) {
  io.choice(value.space, 3);
  io(value.slot);
  io(value.first);
  io.sequence(value.dwords, loadedDword);
};

static constexpr auto baseMembers = [](auto &io, auto &value) {
  io(value.base);
  io(value.descriptorBytes);
  io(value.address);
  io(value.bytes);
};

static constexpr auto levelMembers = [](auto &io, auto &value) {
  for (auto *member :
       {&value.offset, &value.size, &value.rowPitch, &value.arrayPitch, &value.depthPitch})
    io(*member);
};

static constexpr auto resourceMembers = [](auto &io, auto &value) {
  io(value.address);
  io(value.bytes);
  io.sequence(value.levels, levelMembers);
};

static constexpr auto memoryMembers = [](auto &io, auto &value) {
  io(value.address);
  io(value.bytes);
};

static constexpr auto registerMembers = [](auto &io, auto &value) {
  io(value.first);
  io(value.second);
};

static constexpr auto statisticMembers = [](auto &io, auto &value) {
  io(value.name);
  io(value.value);
};

static constexpr auto shaderMembers = [](auto &io, auto &value) {
  io(value.driver);
  io(value.target);
  launchMembers(io, value.launch);
  io.sequence(value.code, plain);
  io.sequence(value.loads, loadMembers);
  io.sequence(value.bases, baseMembers);
  io.sequence(value.resources, resourceMembers);
  io.sequence(value.memory, memoryMembers);
  io.sequence(value.registers, registerMembers);
  io.sequence(value.statistics, statisticMembers);
  io(value.assembly);
};

std::vector<uint8_t> turnip::writeTurnipShader(const TurnipShader &shader) {
  WireWriter writer;
  for (char letter : TurnipShaderMagic)
    writer.number(static_cast<uint8_t>(letter), 1);
  writer.word(FormatNumber);
  WirePut put(writer);
  shaderMembers(put, shader);
  return writer.get();
}

Expected<TurnipShader> turnip::readTurnipShader(ArrayRef<uint8_t> bytes) {
  if (!toStringRef(bytes).starts_with(TurnipShaderMagic))
    return invalidInput("no turnip shader: wrong magic number");
  bytes = bytes.drop_front(TurnipShaderMagic.size());
  WireReader reader(bytes.data(), bytes.size());
  if (uint32_t number = reader.word(); number != FormatNumber)
    return invalidInput("turnip shader: format " + Twine(number) + ", this build reads " +
                        Twine(FormatNumber));
  TurnipShader shader;
  WireGet get(reader);
  shaderMembers(get, shader);
  if (!reader.isGood() || !reader.atEnd())
    return invalidInput("turnip shader: truncated or damaged");
  if (Error error = verifyTurnipShader(shader))
    return std::move(error);
  return shader;
}

static Error wrong(const Twine &what) {
  return invalidInput("turnip shader: " + what);
}

static Error verifyLaunch(const Launch &launch) {
  if (launch.fibersPerWave != 32 && launch.fibersPerWave != 64 && launch.fibersPerWave != 128)
    return wrong("waves of " + Twine(launch.fibersPerWave) + " fibers");
  if (launch.fullRegisters > 63 || launch.halfRegisters > 63 || launch.branchStack > 63)
    return wrong("footprint of " + Twine(launch.fullRegisters) + " full and " +
                 Twine(launch.halfRegisters) + " half registers, branch stack of " +
                 Twine(launch.branchStack));
  if (launch.constantVec4s > MaxConstantVec4s)
    return wrong("const file of " + Twine(launch.constantVec4s) + " vec4s");
  if (launch.localBytes > 64 * 1024 || launch.privateBytesPerFiber > 255 * 512)
    return wrong(Twine(launch.localBytes) + " bytes of workgroup memory, " +
                 Twine(launch.privateBytesPerFiber) + " bytes of private memory");
  uint64_t fibers = 1;
  for (uint32_t size : launch.localSize) {
    if (size == 0 || size > 1024)
      return wrong("workgroup of size " + Twine(size) + " in a dimension");
    fibers *= size;
  }
  if (fibers > 2048)
    return wrong("workgroup of " + Twine(fibers) + " fibers");
  for (uint32_t number :
       {launch.workgroupIdRegister, launch.workgroupSizeRegister, launch.workgroupOffsetRegister,
        launch.localIdRegister, launch.localIndexRegister})
    if (number > MaxRegister)
      return wrong("register number " + Twine(number));
  return Error::success();
}

/// Dwords that a space has room for.
static uint32_t sizeOf(LoadSpace space) {
  constexpr uint32_t Sizes[] = {MaxConstantVec4s * 4, MaxSharedDwords, MaxBufferDwords};
  return Sizes[size_t(space)];
}

static Error verifyLoads(ArrayRef<Load> loads, size_t resources) {
  // In the order of DwordSource.
  constexpr uint32_t Limits[] = {~0u, MaxPushDwords - 1, 2, 2, ~0u - 3};
  for (const Load &load : loads) {
    uint32_t room = sizeOf(load.space);
    if (load.first > room || load.dwords.size() > room - load.first)
      return wrong("load of " + Twine(load.dwords.size()) + " dwords to dword " +
                   Twine(load.first));
    bool copies = any_of(load.dwords, [](const LoadedDword &dword) {
      return dword.source == DwordSource::Resource;
    });
    if (copies && (load.space != LoadSpace::Constants || load.slot >= resources))
      return wrong("load of resource " + Twine(load.slot));
    if (!copies && (load.slot > 255 || (load.slot && load.space != LoadSpace::UniformBuffer)))
      return wrong("load to slot " + Twine(load.slot));
    for (const LoadedDword &dword : load.dwords)
      if (dword.value > Limits[size_t(dword.source)])
        return wrong("load of a dword that does not exist: " + Twine(dword.value));
  }
  return Error::success();
}

namespace {
/// Address and end of what the launch has in memory.
using Place = std::pair<uint64_t, uint64_t>;
} // namespace

static Error addPlace(std::vector<Place> &places, uint64_t address, uint64_t bytes) {
  if (address > MaxAddress || bytes > MaxAddress - address)
    return wrong("memory of " + Twine(bytes) + " bytes at 0x" + utohexstr(address));
  if (bytes != 0)
    places.emplace_back(address, address + bytes);
  return Error::success();
}

static Error verifyMemory(const TurnipShader &shader) {
  std::vector<Place> places;
  std::vector<bool> seen(MaxBases);
  for (const BindlessBase &base : shader.bases) {
    if (base.base >= MaxBases || seen[base.base])
      return wrong("bindless base " + Twine(base.base) + " is unknown or there twice");
    seen[base.base] = true;
    if ((base.descriptorBytes != 16 && base.descriptorBytes != 64) || base.bytes.size() % 4)
      return wrong("descriptors of " + Twine(base.descriptorBytes) + " bytes, " +
                   Twine(base.bytes.size()) + " in all");
    if (Error error = addPlace(places, base.address, base.bytes.size()))
      return error;
  }
  for (const MemoryRange &range : shader.memory)
    if (Error error = addPlace(places, range.address, range.bytes.size()))
      return error;
  for (const ResourcePlace &resource : shader.resources) {
    if (Error error = addPlace(places, resource.address, resource.bytes))
      return error;
    for (const LevelPlace &level : resource.levels)
      if (level.offset > resource.bytes)
        return wrong("mip level at byte " + Twine(level.offset) + " of an image of " +
                     Twine(resource.bytes));
  }
  llvm::sort(places);
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i].first < places[i - 1].second)
      return wrong("ranges of memory overlap at 0x" + utohexstr(places[i].first));
  return Error::success();
}

Error turnip::verifyTurnipShader(const TurnipShader &shader) {
  if (shader.code.empty() || shader.code.size() > MaxInstructions ||
      shader.launch.firstInstruction >= shader.code.size())
    return wrong(Twine(shader.code.size()) + " instructions, the first at " +
                 Twine(shader.launch.firstInstruction));
  if (Error error = verifyLaunch(shader.launch))
    return error;
  if (Error error = verifyLoads(shader.loads, shader.resources.size()))
    return error;
  return verifyMemory(shader);
}
