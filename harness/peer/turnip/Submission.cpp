// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of registers and their fields: Mesa 25.0, src/freedreno/registers/adreno/a6xx.xml.
#include "harness/peer/turnip/Submission.h"

#include "harness/peer/turnip/CommandReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

namespace {

/// Registers that describe a compute dispatch.
enum class Register : uint8_t {
  CtrlReg0,   ///< SP_CS_CTRL_REG0.
  SharedSize, ///< SP_CS_UNKNOWN_A9B1.
  FirstExec,  ///< SP_CS_OBJ_FIRST_EXEC_OFFSET.
  ObjectLow,  ///< SP_CS_OBJ_START.
  ObjectHigh,
  PrivateItem, ///< SP_CS_PVT_MEM_PARAM.
  PrivateSize, ///< SP_CS_PVT_MEM_SIZE.
  InstrLen,    ///< SP_CS_INSTRLEN.
  Bindless,    ///< SP_CS_BINDLESS_BASE, two dwords each.
  ModeControl, ///< SP_MODE_CONTROL.
  Control,     ///< HLSQ_CS_CNTL.
  NdRange0,    ///< HLSQ_CS_NDRANGE_0.
  Ids,         ///< HLSQ_CS_CNTL_0, in a7xx SP_CS_CNTL_0.
  LinearId,    ///< HLSQ_CS_CNTL_1, in a7xx SP_CS_CNTL_1.
  BorderLow,   ///< SP_PS_TP_BORDER_COLOR_BASE_ADDR, that of compute shaders.
  BorderHigh,
};

/// The number of a register in each generation, counted in dwords.
struct RegisterRow {
  Register which;
  uint32_t a6xx, a7xx;
};

/// A row for each Register.
constexpr RegisterRow RegisterNumbers[] = {
    {Register::CtrlReg0, 0xa9b0, 0xa9b0},    {Register::SharedSize, 0xa9b1, 0xa9b1},
    {Register::FirstExec, 0xa9b3, 0xa9b3},   {Register::ObjectLow, 0xa9b4, 0xa9b4},
    {Register::ObjectHigh, 0xa9b5, 0xa9b5},  {Register::PrivateItem, 0xa9b6, 0xa9b6},
    {Register::PrivateSize, 0xa9b9, 0xa9b9}, {Register::InstrLen, 0xa9bc, 0xa9bc},
    {Register::Bindless, 0xa9e8, 0xa9e8},    {Register::ModeControl, 0xab00, 0xab00},
    {Register::Control, 0xb987, 0xa9cd},     {Register::NdRange0, 0xb990, 0xa9d4},
    {Register::Ids, 0xb997, 0xa9c2},         {Register::LinearId, 0xb998, 0xa9c3},
    {Register::BorderLow, 0xb180, 0xb180},   {Register::BorderHigh, 0xb181, 0xb181},
};

/// The registers at the dispatch. One that was not set is 0, as after a reset.
class Registers {
public:
  Registers(const std::map<uint32_t, uint32_t> &values, Generation generation)
      : m_values(values), m_generation(generation) {}

  /// Returns the register \p index dwords after \p which.
  uint32_t get(Register which, uint32_t index = 0) const {
    const auto *row =
        find_if(RegisterNumbers, [&](const RegisterRow &each) { return each.which == which; });
    uint32_t number = m_generation == Generation::A6xx ? row->a6xx : row->a7xx;
    auto found = m_values.find(number + index);
    return found == m_values.end() ? 0 : found->second;
  }
  /// Returns bits \p low to \p high, both included.
  uint32_t field(Register which, unsigned low, unsigned high) const {
    return get(which) >> low & maskTrailingOnes<uint32_t>(high - low + 1);
  }
  /// Returns the address in the register and the following one.
  uint64_t address(Register low) const { return get(low) | uint64_t(get(low, 1)) << 32; }
  Generation generation() const { return m_generation; }

private:
  const std::map<uint32_t, uint32_t> &m_values;
  Generation m_generation;
};

} // namespace

/// Instructions of one unit of SP_CS_INSTRLEN: 128 bytes.
static constexpr uint32_t InstructionsPerUnit = 16;
static constexpr uint32_t MaxUnits = 1u << 13; ///< More than any shader has.
/// Turnip's own border colors (tu_device.cc): six, 128 bytes each.
static constexpr uint32_t BorderColorBytes = 6 * 128;

/// Translates register fields into the units of Launch: bytes, vec4s, and instructions of 8 bytes.
static Launch decodeLaunch(const Registers &registers) {
  bool isA6xx = registers.generation() == Generation::A6xx;
  Launch launch;
  launch.halfRegisters = registers.field(Register::CtrlReg0, 1, 6);
  launch.fullRegisters = registers.field(Register::CtrlReg0, 7, 12);
  launch.branchStack = registers.field(Register::CtrlReg0, 14, 19);
  launch.fibersPerWave = registers.field(Register::CtrlReg0, 20, 20) ? 128 : 64;
  launch.earlyPreamble = registers.field(Register::CtrlReg0, 23, 23);
  launch.mergedRegisters = registers.field(Register::CtrlReg0, 31, 31);
  launch.constantVec4s = registers.field(Register::Control, 0, 7) * 4;
  launch.sharedConstants = isA6xx ? registers.field(Register::ModeControl, 3, 3)
                                  : registers.field(Register::Control, 9, 9);
  launch.demotesConstants = registers.field(Register::ModeControl, 0, 0);
  uint32_t sharedSize = registers.field(Register::SharedSize, 0, 4);
  launch.localBytes = sharedSize == 0 ? 32 * 1024 : (sharedSize + 1) * 1024;
  launch.privateBytesPerFiber = registers.field(Register::PrivateItem, 0, 7) * 512;
  launch.privatePerWave = registers.field(Register::PrivateSize, 31, 31);
  for (unsigned i = 0; i < 3; ++i)
    launch.localSize[i] = registers.field(Register::NdRange0, 2 + 10 * i, 11 + 10 * i) + 1;
  launch.workgroupIdRegister = registers.field(Register::Ids, 0, 7);
  launch.workgroupSizeRegister = registers.field(Register::Ids, 8, 15);
  launch.workgroupOffsetRegister = registers.field(Register::Ids, 16, 23);
  launch.localIdRegister = registers.field(Register::Ids, 24, 31);
  launch.localIndexRegister = registers.field(Register::LinearId, 0, 7);
  launch.firstInstruction = registers.get(Register::FirstExec) / 8;
  return launch;
}

/// Returns the instructions in whole units, with the padding at the end.
static std::vector<uint64_t> readCode(const Registers &registers, const DeviceMemory &memory) {
  uint64_t count = std::min(registers.get(Register::InstrLen), MaxUnits);
  std::vector<uint8_t> bytes =
      memory.read(registers.address(Register::ObjectLow), count * InstructionsPerUnit * 8);
  std::vector<uint64_t> code;
  for (size_t i = 0; i < bytes.size(); i += 8)
    code.push_back(support::endian::read64le(bytes.data() + i));
  return code;
}

/// Up to the last byte that is not 0, in whole descriptors, and not into another set.
static std::vector<BindlessBase> readBases(const Registers &registers, const DeviceMemory &memory,
                                           ArrayRef<uint64_t> room) {
  std::vector<BindlessBase> bases;
  for (uint32_t i = 0; i < std::min<size_t>(room.size(), 8); ++i) {
    uint64_t low = registers.get(Register::Bindless, 2 * i),
             high = registers.get(Register::Bindless, 2 * i + 1);
    if (uint64_t address = (low & ~3u) | high << 32)
      bases.push_back({i, 8u << (low & 3), address, {}});
  }
  for (BindlessBase &base : bases) {
    uint64_t bytes = alignTo(room[base.base], base.descriptorBytes);
    for (const BindlessBase &other : bases)
      if (other.address > base.address)
        bytes = std::min(bytes, other.address - base.address);
    base.bytes = memory.read(base.address, bytes);
    size_t used = base.bytes.size();
    while (used > 0 && base.bytes[used - 1] == 0)
      --used;
    base.bytes.resize(std::min<size_t>(alignTo(used, base.descriptorBytes), base.bytes.size()));
  }
  return bases;
}

/// Unsupported: what depends on the dispatch must be explained by its numbers.
static Error differs(const Twine &what) {
  return unsupported("turnip submits in a way that is not known: " + what +
                     " differs between dispatches");
}

/// What a dword is that was \p values[i] in dispatch i.
static std::optional<LoadedDword> explain(ArrayRef<uint32_t> values) {
  auto matches = [&](auto number) {
    for (auto [dispatch, value] : enumerate(values))
      if (number(static_cast<uint32_t>(dispatch)) != value)
        return false;
    return true;
  };
  if (matches([&](uint32_t) { return values.front(); }))
    return LoadedDword{DwordSource::Value, values.front()};
  for (uint32_t i = 0; i < 3; ++i) {
    if (matches([&](uint32_t dispatch) { return dispatchedGroups(dispatch, i); }))
      return LoadedDword{DwordSource::GroupCount, i};
    if (matches([&](uint32_t dispatch) { return dispatchedBase(dispatch, i); }))
      return LoadedDword{DwordSource::FirstGroup, i};
  }
  for (uint32_t i = 0; i < 64; ++i) // Vulkan's maxPushConstantsSize: 256 bytes.
    if (matches([&](uint32_t dispatch) { return dispatchedPushConstant(dispatch, i); }))
      return LoadedDword{DwordSource::PushConstant, i};
  return std::nullopt;
}

/// Returns the loads of the first dispatch, and for each dword where it comes from. Unsupported if
/// the dispatches load to different places.
static Expected<std::vector<Load>> explainLoads(ArrayRef<CommandReader> dispatches) {
  std::vector<Load> loads;
  ArrayRef<RawLoad> model = dispatches.front().loads();
  for (const CommandReader &dispatch : dispatches)
    if (dispatch.loads().size() != model.size())
      return differs("the count of loads");
  for (auto [i, load] : enumerate(model)) {
    Load &result = loads.emplace_back(Load{load.space, load.slot, load.first, {}});
    for (const CommandReader &dispatch : dispatches) {
      const RawLoad &other = dispatch.loads()[i];
      if (other.space != load.space || other.slot != load.slot || other.first != load.first ||
          other.dwords.size() != load.dwords.size())
        return differs("a load");
    }
    for (size_t dword = 0; dword < load.dwords.size(); ++dword) {
      SmallVector<uint32_t> values;
      for (const CommandReader &dispatch : dispatches)
        values.push_back(dispatch.loads()[i].dwords[dword]);
      std::optional<LoadedDword> source = explain(values);
      if (!source)
        return differs("dword " + Twine(load.first + dword) + " (0x" + utohexstr(values[0]) + ")");
      result.dwords.push_back(*source);
    }
  }
  return loads;
}

/// Unsupported unless launch, code and descriptors of all dispatches are those of \p shader.
static Error compareLaunches(ArrayRef<CommandReader> dispatches, ArrayRef<Submission> submissions,
                             Generation generation, ArrayRef<uint64_t> room,
                             const TurnipShader &shader) {
  for (auto [dispatch, submission] : zip_equal(dispatches, submissions)) {
    DeviceMemory memory(submission.memory);
    Registers registers(dispatch.registers(), generation);
    if (decodeLaunch(registers) != shader.launch)
      return differs("the launch");
    if (readCode(registers, memory) != shader.code)
      return differs("the code");
    if (readBases(registers, memory, room) != shader.bases)
      return differs("a descriptor");
  }
  return Error::success();
}

/// Takes code, launch and memory from the first submission. The others must agree with it in all
/// that does not depend on the numbers of a dispatch. Unsupported for another number of submissions
/// than dispatchCount.
Expected<TurnipShader> turnip::readSubmissions(ArrayRef<Submission> submissions,
                                               Generation generation, ArrayRef<uint64_t> room) {
  if (submissions.size() != dispatchCount)
    return unsupported("turnip: " + Twine(submissions.size()) + " submissions, not " +
                       Twine(dispatchCount));
  std::vector<DeviceMemory> memories;
  memories.reserve(submissions.size());
  std::vector<CommandReader> dispatches;
  for (const Submission &submission : submissions) {
    memories.emplace_back(submission.memory);
    dispatches.emplace_back(memories.back(), generation);
    if (Error error = dispatches.back().run(submission.streams))
      return std::move(error);
  }
  TurnipShader shader;
  Registers registers(dispatches.front().registers(), generation);
  shader.launch = decodeLaunch(registers);
  shader.code = readCode(registers, memories.front());
  shader.bases = readBases(registers, memories.front(), room);
  if (uint64_t border = registers.address(Register::BorderLow))
    shader.memory.push_back({border, memories.front().read(border, BorderColorBytes)});
  shader.registers.assign(dispatches.front().registers().begin(),
                          dispatches.front().registers().end());
  if (Error error = compareLaunches(dispatches, submissions, generation, room, shader))
    return std::move(error);
  Expected<std::vector<Load>> loads = explainLoads(dispatches);
  if (!loads)
    return loads.takeError();
  shader.loads = std::move(*loads);
  return shader;
}
