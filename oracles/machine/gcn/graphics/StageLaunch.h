// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves of vertex and fragment stages: what registers and LDS hold before the first instruction,
// and what is left of their exports. Sources: AMD's ISA manuals ("Initial wave state", "Parameter
// Interpolation"), AMD's register reference for SPI_PS_INPUT_* and PA_CL_VS_OUT_CNTL, and Mesa 25's
// radv_shader_args.c for the order of VGPRs.
#pragma once

#include "oracles/machine/gcn/Launch.h"
#include "oracles/machine/gcn/graphics/GraphicsProgram.h"
#include "oracles/raster/Draw.h"

namespace assay::gcn {

/// What a run of the vertex shader exported. Bits of registers.
struct VertexExports {
  /// POS0 to POS4; which components were written.
  std::array<std::array<uint32_t, 4>, 5> positions{};
  std::array<uint8_t, 5> positionMask{};
  std::array<std::array<uint32_t, 4>, MaxParameters> parameters{};
  std::array<uint8_t, MaxParameters> parameterMask{};
  bool isDone = false;
};

/// What a run of the fragment shader exported.
struct PixelExports {
  bool isDone = false; ///< An export with DONE was executed by the wave.
  bool isKept = false; ///< This lane was active there.
  /// MRT0 to MRT7 and MRTZ, and which registers were written; \p isPacked: pairs of 16 bits.
  static constexpr unsigned Depth = 8;
  std::array<std::array<uint32_t, 4>, 9> values{};
  std::array<uint8_t, 9> mask{};
  std::array<bool, 9> isPacked{};
};

/// Values of a draw for its vertex shader.
struct VertexInputs {
  int32_t baseVertex = 0;
  uint32_t firstInstance = 0;
  /// Per binding of the state: address of its first byte and the bytes from there on.
  struct Source {
    uint32_t binding = 0;
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint32_t stride = 0;
  };
  std::vector<Source> sources;
};

/// Hardware VS, or NGG: each lane of a wave is one run of the vertex shader. A workgroup is one
/// wave. NGG lanes also stand for primitives; every vertex is a primitive of its own here, because
/// oracles/raster has assembled them. With GFX11 and later, parameters go to the attribute ring.
class VertexLaunch final : public Launch {
public:
  /// As Launch; \p registers and \p inputs outlive it.
  VertexLaunch(CodeImage &image, const VertexRegisters &registers, const VertexInputs &inputs,
               const TargetInfo &target, const CasePipeline &pipeline,
               llvm::ArrayRef<DescriptorWords> descriptors, std::vector<BufferState> &buffers,
               uint64_t seed);

  /// The runs of the next dispatch, and where their exports go; both outlive it. \p primitiveId:
  /// of all of them.
  void setRuns(llvm::ArrayRef<raster::VertexInvocation> runs,
               llvm::MutableArrayRef<VertexExports> exports, uint32_t primitiveId = 0);
  unsigned groupCount() const;

  Workgroup makeGroup(uint64_t index) override;
  std::unique_ptr<Wave> makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) override;
  void takeResult(const Wave &wave) override;
  /// Takes the parameters of the last dispatch from the attribute ring, if there is one.
  void readRing();

private:
  void mapVertexBuffers();
  void mapRing();
  void setVsInputs(Wave &wave, size_t first, unsigned count) const;
  void setNggInputs(Wave &wave, size_t first, unsigned count) const;
  bool hasRing() const { return m_registers.isNgg && target().major >= 11; }
  /// Bytes of the attribute ring that a wave has.
  uint64_t ringBytesOfWave() const;
  /// Runs of the wave that begins with run \p first.
  unsigned countRuns(size_t first) const;

  const VertexRegisters &m_registers;
  const VertexInputs &m_inputs;
  llvm::ArrayRef<raster::VertexInvocation> m_runs;
  llvm::MutableArrayRef<VertexExports> m_exports;
  uint32_t m_primitiveId = 0;
  llvm::MutableArrayRef<uint8_t> m_ring;
};

/// Parameters of one primitive as interpolation finds them in LDS.
using ParameterBlock = std::array<std::array<uint32_t, 4>, 3>; ///< P0, P10, P20.

/// Hardware PS: waves of quads of one primitive. A workgroup is one wave.
class PixelLaunch final : public Launch {
public:
  PixelLaunch(CodeImage &image, const PixelRegisters &registers, const TargetInfo &target,
              const CasePipeline &pipeline, llvm::ArrayRef<DescriptorWords> descriptors,
              std::vector<BufferState> &buffers, uint64_t seed);

  /// The quads of the next dispatch, and where their exports go: fragment f of quad q at 4 * q + f.
  /// \p vertices: the exports of all vertices of the draw.
  void setQuads(const raster::FragmentPrimitive &primitive, llvm::ArrayRef<VertexExports> vertices,
                llvm::ArrayRef<raster::Quad> quads, llvm::MutableArrayRef<PixelExports> exports);
  unsigned groupCount() const;

  Workgroup makeGroup(uint64_t index) override;
  std::unique_ptr<Wave> makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) override;
  void takeResult(const Wave &wave) override;

private:
  unsigned quadsPerWave() const { return image().launch.waveSize / 4; }
  ParameterBlock makeParameters(unsigned attribute) const;
  void setLane(Wave &wave, unsigned lane, const raster::Quad &quad, unsigned fragment) const;
  void takeDualSource(const ExportRecord &record, size_t first, size_t end);

  const PixelRegisters &m_registers;
  const raster::FragmentPrimitive *m_primitive = nullptr;
  unsigned m_samples = 1;
  llvm::ArrayRef<VertexExports> m_vertices;
  llvm::ArrayRef<raster::Quad> m_quads;
  llvm::MutableArrayRef<PixelExports> m_exports;
};

/// Why a program's fragment stage cannot be run; empty if it can.
std::string whyNotRunnable(const PixelRegisters &registers);

/// Depth and stencil tests come before the shader (DB_SHADER_CONTROL.DEPTH_BEFORE_SHADER).
bool testsEarly(const PixelRegisters &registers);
/// The shader runs for each sample.
bool runsPerSample(const PixelRegisters &registers);

} // namespace assay::gcn
