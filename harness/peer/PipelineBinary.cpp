// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesa 25.0: struct radv_shader_binary_legacy in radv_shader.h, which begins with ac_shader_config
// (ac_binary.h) and radv_shader_info (radv_shader_info.h).
#include "harness/peer/PipelineBinary.h"

#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using radv::RadvShader;
using radv::Stage;
using radv::UserData;

namespace {

/// Bytes from the start; each a u32 unless said.
enum Offset : uint32_t {
  BinaryType = 0x0,
  Config = 0x4, ///< sgprs, vgprs, shared vgprs, spilled, spilled, lds, ena, addr, mode, scratch...
  InlinePushMask = 0x38, ///< u64
  UsedSets = 0x44,
  WaveSize = 0x4b,    ///< u8
  UserDataOf = 0x50,  ///< {s8 first SGPR, u8 count}: 32 sets, then 26 other things.
  EnabledSets = 0xc4, ///< After them.
  WorkgroupSize = 0x12c,
  ShaderStage = 0x134,
  BlockSize = 0x334,  ///< 3 of u32
  Registers = 0x3e0,  ///< Addresses of PGM_LO, PGM_RSRC1 and 2.
  NumThreads = 0x45c, ///< COMPUTE_NUM_THREAD_X, Y, Z.
  TotalSize = 0x490,
  CodeSize = 0x498,
  ExecSize = 0x49c,
  IrSize = 0x4a0,
  DisassemblySize = 0x4a4,
  StatisticsSize = 0x4a8,
  DebugInfoSize = 0x4ac,
  Data = 0x4b0, ///< Statistics, then code.
};

constexpr unsigned SetCount = 32;
constexpr unsigned OtherCount = 26;

/// Things beside sets (enum radv_ud_index), of compute shaders.
struct UserDataRow {
  unsigned index;
  UserData data;
};
constexpr UserDataRow UserDataRows[] = {
    {0, UserData::ScratchRing},  {1, UserData::PushConstants}, {2, UserData::InlinePushConstants},
    {3, UserData::IndirectSets}, {18, UserData::GridSize},
};

/// gl_shader_stage.
struct StageRow {
  uint32_t number;
  Stage stage;
};
constexpr StageRow StageRows[] = {{0, Stage::Vertex}, {4, Stage::Fragment}, {5, Stage::Compute}};

/// COMPUTE_PGM_LO, COMPUTE_PGM_RSRC1, COMPUTE_PGM_RSRC2.
constexpr uint32_t ComputeRegisters[] = {0xb830, 0xb848, 0xb84c};

class BinaryReader {
public:
  explicit BinaryReader(ArrayRef<uint8_t> data) : m_data(data) {}

  Expected<RadvShader> read();

private:
  uint32_t word(uint32_t offset) const { return support::endian::read32le(m_data.data() + offset); }
  static Error odd(const Twine &what) {
    return unsupported("this Mesa lays out pipeline binaries in a way that is not known: " + what);
  }
  Error readSizes();
  Error readStage();
  Error readUserData();
  Error checkCompute() const;

  ArrayRef<uint8_t> m_data;
  RadvShader m_shader;
};

} // namespace

Error BinaryReader::readSizes() {
  if (m_data.size() < Data)
    return odd(Twine(m_data.size()) + " bytes");
  if (word(BinaryType) != 0)
    return odd("type " + Twine(word(BinaryType)));
  uint64_t code = word(CodeSize), exec = word(ExecSize), statistics = word(StatisticsSize);
  if (word(TotalSize) != m_data.size())
    return odd("a size of " + Twine(word(TotalSize)) + " in " + Twine(m_data.size()) + " bytes");
  uint64_t others = uint64_t(word(IrSize)) + word(DisassemblySize) + word(DebugInfoSize);
  if (exec == 0 || exec % 4 || exec > code || Data + statistics + code + others > m_data.size())
    return odd("code of " + Twine(code) + " bytes, " + Twine(exec) + " of them instructions");
  ArrayRef<uint8_t> bytes = m_data.slice(Data + statistics, code);
  m_shader.code.assign(bytes.begin(), bytes.end());
  m_shader.execBytes = static_cast<uint32_t>(exec);
  return Error::success();
}

Error BinaryReader::readStage() {
  const uint32_t config = Config;
  m_shader.sgprs = word(config);
  m_shader.vgprs = word(config + 4);
  m_shader.ldsUnits = word(config + 20);
  m_shader.scratchBytesPerWave = word(config + 36);
  m_shader.rsrc1 = word(config + 40);
  m_shader.rsrc2 = word(config + 44);
  m_shader.rsrc3 = word(config + 48);
  m_shader.waveSize = m_data[WaveSize];
  m_shader.inlinePushMask = support::endian::read64le(m_data.data() + InlinePushMask);
  if (m_shader.waveSize != 32 && m_shader.waveSize != 64)
    return odd("a wave size of " + Twine(m_shader.waveSize));
  for (const StageRow &row : StageRows)
    if (row.number == word(ShaderStage)) {
      m_shader.stage = row.stage;
      return Error::success();
    }
  return unsupported("RADV: shader stage " + Twine(word(ShaderStage)));
}

Error BinaryReader::readUserData() {
  auto range = [&](unsigned index) {
    const uint8_t *entry = m_data.data() + UserDataOf + 2 * index;
    return std::pair(static_cast<int8_t>(entry[0]), uint32_t(entry[1]));
  };
  uint32_t enabled = word(EnabledSets);
  for (unsigned set = 0; set < SetCount; ++set) {
    auto [first, count] = range(set);
    if ((first >= 0) != (enabled >> set & 1))
      return odd("set " + Twine(set) + " in SGPR " + Twine(int(first)));
    if (first >= 0)
      m_shader.userData.push_back(
          {UserData::DescriptorSet, set, static_cast<uint32_t>(first), count});
  }
  for (unsigned index = 0; index < OtherCount; ++index) {
    auto [first, count] = range(SetCount + index);
    if (first < 0)
      continue;
    const auto *row = std::find_if(std::begin(UserDataRows), std::end(UserDataRows),
                                   [&](const UserDataRow &each) { return each.index == index; });
    if (row == std::end(UserDataRows))
      return odd("user data " + Twine(index) + " in SGPR " + Twine(int(first)));
    m_shader.userData.push_back({row->data, 0, static_cast<uint32_t>(first), count});
  }
  return Error::success();
}

/// What the driver computes twice must agree.
Error BinaryReader::checkCompute() const {
  for (unsigned i = 0; i < std::size(ComputeRegisters); ++i)
    if (word(Registers + 4 * i) != ComputeRegisters[i])
      return odd("register 0x" + utohexstr(word(Registers + 4 * i)));
  uint32_t threads = 1;
  for (unsigned i = 0; i < 3; ++i) {
    uint32_t size = m_shader.blockSize[i];
    if (size == 0 || size > 1024 || (word(NumThreads + 4 * i) & 0xffff) != size)
      return odd("a workgroup of " + Twine(size) + " in dimension " + Twine(i));
    threads *= size;
  }
  if (word(WorkgroupSize) != threads)
    return odd("a workgroup of " + Twine(word(WorkgroupSize)) + ", not " + Twine(threads));
  if ((m_shader.rsrc2 >> 15 & 0x1ff) != m_shader.ldsUnits)
    return odd("LDS of " + Twine(m_shader.ldsUnits) + " units");
  if (m_shader.scratchBytesPerWave % (4 * m_shader.waveSize) ||
      (m_shader.rsrc2 & 1) != (m_shader.scratchBytesPerWave != 0))
    return odd("scratch of " + Twine(m_shader.scratchBytesPerWave) + " bytes");
  uint32_t sgprs = 0;
  for (const radv::UserRange &range : m_shader.userData)
    sgprs += range.count;
  if ((m_shader.rsrc2 >> 1 & 0x1f) != sgprs)
    return odd(Twine(sgprs) + " user SGPRs");
  return Error::success();
}

Expected<RadvShader> BinaryReader::read() {
  if (Error error = readSizes())
    return std::move(error);
  if (Error error = readStage())
    return std::move(error);
  if (m_shader.stage == Stage::Compute) {
    for (unsigned i = 0; i < 3; ++i)
      m_shader.blockSize[i] = word(BlockSize + 4 * i);
    if (Error error = readUserData())
      return std::move(error);
    if (Error error = checkCompute())
      return std::move(error);
  }
  if (Error error = radv::verifyRadvShader(m_shader))
    return odd(takeError(std::move(error)).message);
  return std::move(m_shader);
}

Expected<RadvShader> assay::readPipelineBinary(ArrayRef<uint8_t> data) {
  return BinaryReader(data).read();
}
