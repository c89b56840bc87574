// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesa 25.0: struct radv_shader_binary_legacy in radv_shader.h, which begins with ac_shader_config
// (ac_binary.h) and radv_shader_info (radv_shader_info.h).
#include "harness/peer/PipelineBinary.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
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
  IsNgg = 0xc8,       ///< u8, as are all flags.
  IsPassthrough = 0xc9,
  ParameterOffsets = 0xd8, ///< 64 of u8
  ClipMask = 0x118,        ///< u8, cull mask, parameters, primitive parameters.
  CullMask = 0x119,
  Parameters = 0x11a,
  PrimitiveParameters = 0x11b,
  ViewportPerPrimitive = 0x120,
  ExportsPrimitiveId = 0x123,
  PrimitiveIdPerPrimitive = 0x124,
  PositionExports = 0x128,
  WorkgroupSize = 0x12c,
  ForcesVrs = 0x130,
  ShaderStage = 0x134,
  SeparatelyCompiled = 0x146,
  NeedsDrawId = 0x190,
  NeedsStartInstance = 0x1a9,
  DescriptorsPerAttribute = 0x1aa,
  VertexDescriptors = 0x1ac,
  HasProlog = 0x1b4,
  HasDynamicInputs = 0x1b5,
  HasSampleShading = 0x2c8,
  ReadsPointCoord = 0x2d1, ///< Then primitive id, viewport index.
  ReadsPrimitiveId = 0x2d2,
  ReadsViewportIndex = 0x2d3,
  ReadsClipCull = 0x2d4, ///< u8, bit per distance.
  InputMasks = 0x2d8,    ///< 7 of u32, in the order of PixelInputs.
  InputCount = 0x2f4,
  InputEna = 0x310,
  InputAddr = 0x314,
  ColorsWritten = 0x318,
  ColorFormat = 0x31c,
  ColorMask = 0x320,
  LoadsProvokingVertex = 0x325,
  HasEpilog = 0x329,
  BlockSize = 0x334,        ///< 3 of u32
  VerticesPerGroup = 0x3bc, ///< hw_max_esverts, max_gsprims.
  PrimitivesPerGroup = 0x3c0,
  Registers = 0x3e0,      ///< Addresses of PGM_LO, PGM_RSRC1 and 2.
  PrimitiveIdEn = 0x438,  ///< VGT_PRIMITIVEID_EN.
  ShaderControl = 0x444,  ///< DB_SHADER_CONTROL.
  InControl = 0x44c,      ///< SPI_PS_IN_CONTROL.
  DepthFormat = 0x450,    ///< SPI_SHADER_Z_FORMAT.
  NumThreads = 0x45c,     ///< COMPUTE_NUM_THREAD_X, Y, Z.
  OutControl = 0x480,     ///< PA_CL_VS_OUT_CNTL.
  OutConfig = 0x484,      ///< SPI_VS_OUT_CONFIG.
  PositionFormat = 0x488, ///< SPI_SHADER_POS_FORMAT.
  TotalSize = 0x490,
  CodeSize = 0x498,
  ExecSize = 0x49c,
  IrSize = 0x4a0,
  DisassemblySize = 0x4a4,
  StatisticsSize = 0x4a8,
  DebugInfoSize = 0x4ac,
  Data = 0x4b0, ///< Statistics, then code.
};

/// PERSP_* and LINEAR_* of SPI_PS_INPUT_ENA.
constexpr uint32_t AllBarycentrics = 0x7f;
/// Descriptor sets, which are the first entries of user data.
constexpr unsigned SetCount = 32;
/// Entries of user data after the sets.
constexpr unsigned OtherCount = 26;

/// Bits for UserDataRow::stages.
constexpr unsigned InCompute = 1, InVertex = 2, InPixel = 4, InGraphics = InVertex | InPixel,
                   InAll = InCompute | InGraphics;

/// User data other than sets (enum radv_ud_index), and in which stages an index has that meaning.
struct UserDataRow {
  unsigned index;
  unsigned stages;
  UserData data;
};
/// An index without a row for a stage is a layout that is not known.
constexpr UserDataRow UserDataRows[] = {
    {0, InCompute, UserData::ScratchRing}, {0, InGraphics, UserData::RingTable},
    {1, InAll, UserData::PushConstants},   {2, InAll, UserData::InlinePushConstants},
    {3, InAll, UserData::IndirectSets},    {4, InGraphics, UserData::ViewIndex},
    {8, InVertex, UserData::NggCulling},   {9, InVertex, UserData::NggViewport},
    {18, InCompute, UserData::GridSize},   {18, InVertex, UserData::VertexBuffers},
    {19, InVertex, UserData::BaseVertex}, ///< Draw id and start instance may follow.
    {22, InPixel, UserData::PixelState},
};

/// gl_shader_stage.
struct StageRow {
  uint32_t number;
  Stage stage;
};
/// Other stages are not supported.
constexpr StageRow StageRows[] = {{0, Stage::Vertex}, {4, Stage::Fragment}, {5, Stage::Compute}};

/// Addresses of the PGM_LO, PGM_RSRC1 and PGM_RSRC2 of a hardware stage.
struct HardwareStage {
  Stage stage;
  bool isNgg;
  uint32_t registers[3];
};
constexpr uint32_t Gfx12ProgramOfEs = 0xb224; ///< SPI_SHADER_PGM_LO_ES.
/// The combinations that RADV writes; others mean another layout.
constexpr HardwareStage HardwareStages[] = {
    {Stage::Compute, false, {0xb830, 0xb848, 0xb84c}},
    {Stage::Fragment, false, {0xb020, 0xb028, 0xb02c}},
    {Stage::Vertex, false, {0xb120, 0xb128, 0xb12c}},
    {Stage::Vertex, true, {0xb320, 0xb228, 0xb22c}},
    {Stage::Vertex, true, {Gfx12ProgramOfEs, 0xb228, 0xb22c}},
};

/// Reads one binary and compares what it says more than once. Each function that returns an Error
/// returns Unsupported for a layout that is not known.
class BinaryReader {
public:
  explicit BinaryReader(ArrayRef<uint8_t> data) : m_data(data) {}

  /// Returns the shader of the whole binary.
  Expected<BinaryShader> read();

private:
  /// The little-endian u32 at \p offset, which must be inside the data.
  uint32_t word(uint32_t offset) const { return support::endian::read32le(m_data.data() + offset); }
  /// The u8 at \p offset as a flag.
  bool flag(uint32_t offset) const { return m_data[offset] != 0; }
  /// Unsupported, for a binary of another Mesa.
  static Error odd(const Twine &what) {
    return unsupported("this Mesa lays out pipeline binaries in a way that is not known: " + what);
  }
  /// Sets the code of the result. Must be called first: the other functions read at fixed offsets,
  /// which it has found to be inside the data.
  Error readSizes();
  /// Sets the stage, and what all stages have: counts of registers, scratch, LDS, RSRC registers
  /// and the wave size.
  Error readStage();
  /// Compares the addresses of registers in the data with those of the stage's hardware stage.
  Error checkRegisters() const;
  /// Sets and checks what only the stage of the shader has.
  Error readStageFields();
  /// Sets the ranges of user SGPRs. A set has one exactly if its bit is in the mask of enabled
  /// sets.
  Error readUserData();
  /// Adds the range of user data \p index, counted after the sets: \p count SGPRs from number \p
  /// first on.
  Error addUserData(unsigned index, uint32_t first, uint32_t count);
  /// Adds one SGPR each for the base vertex and, where the shader needs them, the draw id and the
  /// start instance.
  Error addVertexIds(uint32_t first, uint32_t count);
  /// Sets registers and outputs. Unsupported for a shader that needs a prolog, or other parts that
  /// are compiled elsewhere.
  Error readVertex();
  /// Sets registers and inputs. Unsupported for a shader that needs an epilog.
  Error readPixel();
  Error checkCompute() const;
  Error checkVertex() const;
  Error checkPixel() const;
  /// Compares the sum of all ranges with \p expected, a field of RSRC2.
  Error checkUserSgprs(uint32_t expected) const;

  ArrayRef<uint8_t> m_data;
  BinaryShader m_result;
  RadvShader &m_shader = m_result.shader;
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
      return checkRegisters();
    }
  return unsupported("RADV: shader stage " + Twine(word(ShaderStage)));
}

Error BinaryReader::checkRegisters() const {
  const bool isNgg = m_shader.stage == Stage::Vertex && flag(IsNgg);
  if (any_of(HardwareStages, [&](const HardwareStage &row) {
        return row.stage == m_shader.stage && row.isNgg == isNgg &&
               all_of(enumerate(row.registers), [&](const auto &each) {
                 return word(Registers + 4 * static_cast<uint32_t>(each.index())) == each.value();
               });
      }))
    return Error::success();
  return odd("registers from 0x" + utohexstr(word(Registers)));
}

static unsigned stageBitOf(Stage stage) {
  return stage == Stage::Compute ? InCompute : stage == Stage::Vertex ? InVertex : InPixel;
}

/// The base vertex, then the draw id and the start instance if the shader reads them
/// (declare_vs_specific_input_sgprs in radv_shader_args.c).
Error BinaryReader::addVertexIds(uint32_t first, uint32_t count) {
  std::vector<UserData> ids = {UserData::BaseVertex};
  if (flag(NeedsDrawId))
    ids.push_back(UserData::DrawId);
  if (flag(NeedsStartInstance))
    ids.push_back(UserData::StartInstance);
  if (count != ids.size())
    return odd(Twine(count) + " SGPRs of vertex and instance");
  for (uint32_t i = 0; i < count; ++i)
    m_shader.userData.push_back({ids[i], 0, first + i, 1});
  return Error::success();
}

Error BinaryReader::addUserData(unsigned index, uint32_t first, uint32_t count) {
  const auto *row = find_if(UserDataRows, [&](const UserDataRow &each) {
    return each.index == index && (each.stages & stageBitOf(m_shader.stage));
  });
  if (row == std::end(UserDataRows))
    return odd("user data " + Twine(index) + " in SGPR " + Twine(first));
  if (row->data == UserData::BaseVertex)
    return addVertexIds(first, count);
  // The table of rings of NGG is in s0 and s1, which are no user SGPRs.
  if (row->data == UserData::RingTable && m_result.vertex.isNgg)
    return first == 0 && count == 2 ? Error::success() : odd("the ring table of NGG");
  m_shader.userData.push_back({row->data, 0, first, count});
  return Error::success();
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
    if (Error error = addUserData(index, static_cast<uint32_t>(first), count))
      return error;
  }
  return Error::success();
}

Error BinaryReader::readVertex() {
  if (flag(HasProlog) || flag(HasDynamicInputs) || flag(SeparatelyCompiled) || flag(ForcesVrs))
    return unsupported("RADV: a vertex shader that is not complete by itself");
  radv::VertexRegisters &registers = m_result.vertex;
  registers.isPassthrough = flag(IsPassthrough);
  registers.positionFormat = word(PositionFormat);
  registers.outControl = word(OutControl);
  registers.outConfig = word(OutConfig);
  registers.primitiveId = word(PrimitiveIdEn);
  // PRIMITIVEID_EN is set with the draw (radv_emit_primitive_id, radv_emit_hw_ngg).
  if (flag(ExportsPrimitiveId))
    registers.primitiveId |= 1;
  registers.parameters = m_data[Parameters];
  registers.primitiveParameters = m_data[PrimitiveParameters];
  registers.vertexDescriptors = word(VertexDescriptors);
  registers.descriptorsPerAttribute = flag(DescriptorsPerAttribute);
  if (registers.isNgg) {
    registers.verticesPerGroup = word(VerticesPerGroup);
    registers.primitivesPerGroup = word(PrimitivesPerGroup);
  }
  VertexOutputs &outputs = m_result.outputs;
  copy(m_data.slice(ParameterOffsets, outputs.parameters.size()), outputs.parameters.begin());
  outputs.primitiveIdIsPerPrimitive = flag(PrimitiveIdPerPrimitive);
  outputs.viewportIsPerPrimitive = flag(ViewportPerPrimitive);
  return Error::success();
}

Error BinaryReader::readPixel() {
  if (flag(HasEpilog))
    return unsupported("RADV: a fragment shader with an epilog");
  radv::PixelRegisters &registers = m_result.pixel;
  registers.inputEna = word(Config + 24);
  registers.inputAddr = word(Config + 28);
  registers.colorFormat = word(ColorFormat);
  registers.colorMask = word(ColorMask);
  registers.depthFormat = word(DepthFormat);
  registers.shaderControl = word(ShaderControl);
  registers.loadsProvokingVertex = flag(LoadsProvokingVertex);
  PixelInputs &inputs = m_result.inputs;
  inputs.pointCoord = flag(ReadsPointCoord);
  inputs.primitiveId = flag(ReadsPrimitiveId);
  inputs.viewportIndex = flag(ReadsViewportIndex);
  inputs.clipCullMask = m_data[ReadsClipCull];
  uint32_t offset = InputMasks;
  for (uint32_t *mask :
       {&inputs.locations, &inputs.primitiveLocations, &inputs.interpolated, &inputs.explicitly,
        &inputs.explicitlyStrict, &inputs.halves, &inputs.highHalves}) {
    *mask = word(offset);
    offset += 4;
  }
  inputs.count = word(InputCount);
  inputs.hasSampleShading = flag(HasSampleShading);
  return Error::success();
}

/// What the driver computes twice must agree.
Error BinaryReader::checkCompute() const {
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
  return checkUserSgprs(m_shader.rsrc2 >> 1 & 0x1f);
}

Error BinaryReader::checkUserSgprs(uint32_t expected) const {
  uint32_t sgprs = 0;
  for (const radv::UserRange &range : m_shader.userData)
    sgprs += range.count;
  return sgprs == expected ? Error::success() : odd(Twine(sgprs) + " user SGPRs");
}

/// USER_SGPR and USER_SGPR_MSB of SPI_SHADER_PGM_RSRC2_VS, _GS and _PS.
static uint32_t countUserSgprs(uint32_t rsrc2) {
  return (rsrc2 >> 1 & 0x1f) | (rsrc2 >> 27 & 1) << 5;
}

/// radv_precompute_registers_hw_vs and radv_precompute_registers_hw_ngg.
Error BinaryReader::checkVertex() const {
  const radv::VertexRegisters &registers = m_result.vertex;
  uint32_t positions = word(PositionExports), format = 0;
  for (uint32_t i = 0; i < std::max(positions, 1u) && i < 4; ++i)
    format |= 4u << (4 * i); // SPI_SHADER_4COMP.
  if (registers.positionFormat != format)
    return odd("position format 0x" + utohexstr(registers.positionFormat));
  uint32_t clip = m_data[ClipMask], all = clip | m_data[CullMask];
  if ((registers.outControl & 0xffff) != (all << 8 | clip))
    return odd("PA_CL_VS_OUT_CNTL 0x" + utohexstr(registers.outControl));
  // VS_EXPORT_COUNT and PRIM_EXPORT_COUNT, which GFX12 has in another register and place.
  const bool isGfx12 = word(Registers) == Gfx12ProgramOfEs;
  const uint32_t vertexCount = registers.outConfig >> (isGfx12 ? 0 : 1) & 0x1f;
  const uint32_t primitiveCount = registers.outConfig >> (isGfx12 ? 5 : 8) & 0x1f;
  if (vertexCount != std::max(registers.parameters, 1u) - 1 ||
      primitiveCount != registers.primitiveParameters)
    return odd("SPI_VS_OUT_CONFIG 0x" + utohexstr(registers.outConfig));
  if (registers.isNgg && (registers.verticesPerGroup == 0 || registers.verticesPerGroup > 256 ||
                          registers.primitivesPerGroup == 0 || registers.primitivesPerGroup > 256))
    return odd("groups of " + Twine(registers.verticesPerGroup) + " vertices and " +
               Twine(registers.primitivesPerGroup) + " primitives");
  return checkUserSgprs(countUserSgprs(m_shader.rsrc2));
}

/// A mask with four bits for each target that \p formats names (ac_get_cb_shader_mask).
static bool hasTargets(uint32_t formats, uint32_t mask) {
  for (unsigned i = 0; i < 32; i += 4)
    if (!(formats >> i & 0xf) != !(mask >> i & 0xf))
      return false;
  return true;
}

/// radv_precompute_registers_hw_fs and gather_shader_info_fs.
Error BinaryReader::checkPixel() const {
  const radv::PixelRegisters &registers = m_result.pixel;
  const PixelInputs &inputs = m_result.inputs;
  if (registers.inputEna == 0 || (registers.inputEna & ~registers.inputAddr))
    return odd("SPI_PS_INPUT_ENA 0x" + utohexstr(registers.inputEna));
  // The hardware wants some barycentrics; a shader that reads none has those of LLVM's choice.
  if (word(InputEna) & ~registers.inputAddr & ~AllBarycentrics)
    return odd("inputs 0x" + utohexstr(word(InputEna)) + " and SPI_PS_INPUT_ADDR 0x" +
               utohexstr(registers.inputAddr));
  if (!hasTargets(registers.colorFormat, registers.colorMask))
    return odd("SPI_SHADER_COL_FORMAT 0x" + utohexstr(registers.colorFormat) +
               " with CB_SHADER_MASK 0x" + utohexstr(registers.colorMask));
  uint32_t interpolants = word(InControl) & 0x3f; // GFX10.3 and GFX12 have the count elsewhere.
  if (inputs.count > 32 || (interpolants && interpolants != inputs.count))
    return odd(Twine(inputs.count) + " inputs and " + Twine(interpolants) + " interpolants");
  return checkUserSgprs(countUserSgprs(m_shader.rsrc2));
}

Error BinaryReader::readStageFields() {
  switch (m_shader.stage) {
  case Stage::Compute:
    for (unsigned i = 0; i < 3; ++i)
      m_shader.blockSize[i] = word(BlockSize + 4 * i);
    return checkCompute();
  case Stage::Vertex:
    if (Error error = readVertex())
      return error;
    return checkVertex();
  case Stage::Fragment:
    if (Error error = readPixel())
      return error;
    return checkPixel();
  }
  llvm_unreachable("a number that is no stage");
}

Expected<BinaryShader> BinaryReader::read() {
  if (Error error = readSizes())
    return std::move(error);
  if (Error error = readStage())
    return std::move(error);
  m_result.vertex.isNgg = m_shader.stage == Stage::Vertex && flag(IsNgg);
  if (Error error = readUserData())
    return std::move(error);
  if (Error error = readStageFields())
    return std::move(error);
  if (Error error = radv::verifyRadvShader(m_shader))
    return odd(takeError(std::move(error)).message);
  return std::move(m_result);
}

Expected<BinaryShader> assay::readPipelineBinary(ArrayRef<uint8_t> data) {
  return BinaryReader(data).read();
}
