// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PAL metadata of a graphics pipeline with a vertex shader, a fragment shader, or both (a part of a
// pipeline has one of them): a model that the lowering fills, and its way into the IR. LLVM's
// back-end adds what it alone knows: entry point symbols, counts of registers, sizes of scratch
// memory and LDS, SPI_PS_INPUT_ENA and _ADDR.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/api/Target.h"
#include "compiler/pal/Metadata.h"
#include <vector>

namespace assay::pal {

/// `.type` of the pipelines that are compiled (PAL: Abi::PipelineType).
enum class GraphicsPipelineType : uint8_t {
  VsPs, ///< Hardware stages VS and PS; GFX9 and GFX10 alone.
  Ngg,  ///< Hardware stages GS and PS.
};

/// Hardware stages of a graphics pipeline without tessellation and geometry shader.
enum class HardwareStage : uint8_t { Vs, Gs, Ps };

/// "_amdgpu_vs_main": the symbol of the stage's entry point (PAL: PipelineAbiSymbolNameStrings),
/// and the name that its function must have.
llvm::StringRef getEntryPointName(HardwareStage stage);

/// Values of SPI_SHADER_COL_FORMAT and SPI_SHADER_Z_FORMAT (Mesa, src/amd/registers,
/// SPI_SHADER_EX_FORMAT). Ar has red and alpha. The 16-bit ones export two values a register.
enum class ExportFormat : uint8_t {
  Zero, ///< Nothing is exported.
  R32,
  Gr32,
  Ar32,
  Fp16Abgr,
  Unorm16Abgr,
  Snorm16Abgr,
  Uint16Abgr,
  Sint16Abgr,
  Abgr32,
};

/// Values of `.spi_shader_pos_format` and `.spi_shader_idx_format`.
enum class PositionFormat : uint8_t { None = 0, OneComponent = 1, FourComponents = 4 };

/// `.vgt_gs_out_prim_type` (PAL: Abi::GsOutPrimType), in the order of the register's values.
enum class OutputPrimitive : uint8_t { PointList, LineStrip, TriangleStrip };

constexpr unsigned maxGraphicsUserSgprs = 32;
constexpr unsigned maxInterpolants = 32;
constexpr unsigned maxPositions = 5;

/// SPI_PS_INPUT_CNTL_n: where interpolant n comes from.
struct SpiPsInputCntl {
  uint32_t offset = 0;       ///< Exported parameter; bit 5: none, defaultValue instead.
  uint32_t defaultValue = 0; ///< 0: 0, 0, 0, 0; 1: 0, 0, 0, 1; 2: 1, 1, 1, 0; 3: all 1.
  bool flatShade = false;    ///< The provoking vertex's value; with bit 5 of offset: unprocessed.
  bool pointSprite = false;  ///< PT_SPRITE_TEX.
  bool fp16Interp = false;   ///< Two halves a component; attr0Valid, attr1Valid say which.
  bool attr0Valid = false, attr1Valid = false;
  bool perPrimitive = false; ///< PRIM_ATTR, GFX11+.
};

// A struct of numbers and flags for each register, named as in GraphicsRegisters.def, where all are
// listed with key, bits and generations: `struct SpiPsInControl { uint32_t numInterps = 0; ... };`
#define REGISTER(TYPE, MEMBER, KEY, PART, OFFSET) struct TYPE {
#define END(TYPE)                                                                                  \
  }                                                                                                \
  ;
#define FIELD(TYPE, MEMBER, KEY, LOW, WIDTH, SINCE, UNTIL) uint32_t MEMBER = 0;
#define FLAG(TYPE, MEMBER, KEY, LOW, SINCE, UNTIL) bool MEMBER = false;
#include "compiler/pal/GraphicsRegisters.def"

/// `.graphics_registers`. Everything is 0 until set; a field that the target lacks must stay so.
struct GraphicsRegisters {
#define REGISTER(TYPE, MEMBER, KEY, PART, OFFSET) TYPE MEMBER;
#define SINGLE_FIELD(MEMBER, KEY, PART, OFFSET, LOW, WIDTH, SINCE, UNTIL) uint32_t MEMBER = 0;
#define SINGLE_FLAG(MEMBER, KEY, PART, OFFSET, LOW, SINCE, UNTIL) bool MEMBER = false;
#include "compiler/pal/GraphicsRegisters.def"

  /// `.spi_shader_pos_format`, an element an exported position, without gaps.
  std::array<PositionFormat, maxPositions> spiShaderPosFormat{};
  /// `.vgt_gs_out_prim_type`, NGG alone.
  OutputPrimitive vgtGsOutPrimType = OutputPrimitive::PointList;
  /// `.spi_ps_input_cntl`: at most maxInterpolants. PAL needs one at least; the writer adds it.
  std::vector<SpiPsInputCntl> spiPsInputCntl;

  void setColorFormat(unsigned target, ExportFormat format); ///< SPI_SHADER_COL_FORMAT; target < 8.
  /// CB_SHADER_MASK; bit 0 of \p channels is red.
  void setColorMask(unsigned target, uint32_t channels);
};

/// An entry of `.hardware_stages`.
struct GraphicsStage {
  HardwareStage stage = HardwareStage::Vs;
  uint32_t wavefrontSize = 64;
  uint32_t userSgprs = 0;
  /// For each user SGPR a user data entry or a UserDataMapping.
  std::array<uint32_t, userDataRegMapSize> userDataRegMap;
  uint8_t floatMode = 0;
  uint32_t sgprLimit = 0;
  uint32_t vgprLimit = 0;
  uint32_t ldsSize = 0;     ///< Gs: bytes of a workgroup; LLVM writes it in 3.0 alone.
  bool wgpMode = false;     ///< Gs, GFX10+; LLVM overwrites it from the feature "cumode".
  bool usesUavs = false;    ///< Ps: storage buffers or images are written. (LLPC: or read.)
  bool writesUavs = false;  ///< Ps.
  bool writesDepth = false; ///< Ps.

  GraphicsStage() { userDataRegMap.fill(NotMapped); }
};

/// An entry of `.shaders`: an API shader and the hardware stage that it became.
struct ApiShader {
  ShaderStage stage = ShaderStage::Vertex;
  Hash128 hash;
  HardwareStage hardware = HardwareStage::Vs;
};

/// What one part of a pipeline tells the other about the values between them: PAL matches
/// `.ps_input_semantic` of a fragment part with `.preraster_output_semantic` of a vertex part.
struct Semantics {
  struct Output {
    uint32_t semantic = 0; ///< Location; a number that both parts agree on.
    uint32_t index = 0;    ///< Exported parameter.
  };
  std::vector<uint32_t> psInputs; ///< An element an interpolant, in order.
  std::vector<Output> preraster;
};

struct GraphicsMetadata {
  GraphicsPipelineType type = GraphicsPipelineType::VsPs;
  Hash128 pipelineHash;
  std::vector<ApiShader> shaders;
  std::vector<GraphicsStage> stages; ///< Each at most once.
  GraphicsRegisters registers;
  Semantics semantics;               ///< Of parts alone.
  std::vector<uint32_t> glue;        ///< '.glue' of unlinked parts (Glue.h).
  uint32_t userDataLimit = 0;        ///< Number of user data entries the pipeline can look at.
  uint32_t spillThreshold = noSpill; ///< First entry that is read from the spill table.
  /// A subgroup's vertices and primitives, the larger (NGG): `.nggSubgroupSize`.
  uint32_t nggSubgroupSize = 0;
  bool usesViewportArrayIndex = false;
  bool psSampleMask = false;  ///< The fragment shader reads or writes gl_SampleMask.
  bool psDummyExport = false; ///< The fragment shader exports nothing, and does so with EXP null.

  bool has(HardwareStage stage) const { return find(stage) != nullptr; }
  const GraphicsStage *find(HardwareStage stage) const;
};

/// Limit when a field is wider than its bits, Unsupported when it is set and \p target lacks it,
/// InvalidInput for stages that do not go with the type.
llvm::Error verifyGraphicsMetadata(const GraphicsMetadata &metadata, const TargetInfo &target);

/// The msgpack bytes, in version [3, 0], of \p metadata, which verifyGraphicsMetadata accepts.
/// compiler/pal/RegisterMetadata.h makes version 2.6 of them.
std::string writeMetadata(const GraphicsMetadata &metadata, const TargetInfo &target);

/// Puts \p metadata into \p module, where LLVM's back-end looks for it; replaces what is there.
void setModuleMetadata(llvm::Module &module, const GraphicsMetadata &metadata,
                       const TargetInfo &target);

} // namespace assay::pal
