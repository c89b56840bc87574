// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waves of the fragment stage: what registers and LDS hold before the first instruction, and what
// is left of their exports. Sources: AMD's ISA manuals ("Initial wave state", "Parameter
// Interpolation"), AMD's register reference for SPI_PS_INPUT_*.
#pragma once

#include "oracles/machine/gcn/graphics/VertexLaunch.h"

namespace assay::gcn {

/// Parameters of one primitive as interpolation finds them in LDS.
using ParameterBlock = std::array<std::array<uint32_t, 4>, 3>; ///< P0, P10, P20.

/// Hardware PS: waves of quads of one primitive. A workgroup is one wave.
class PixelLaunch final : public Launch {
public:
  /// As Launch; \p registers outlives it.
  PixelLaunch(CodeImage &image, const PixelRegisters &registers, const TargetInfo &target,
              const CasePipeline &pipeline, llvm::ArrayRef<DescriptorWords> descriptors,
              std::vector<BufferState> &buffers, uint64_t seed);

  /// The quads of the next dispatch, and where their exports go: fragment f of quad q at 4 * q + f.
  /// \p parameters: where its inputs come from.
  void setQuads(const raster::FragmentPrimitive &primitive, const PrimitiveExports &parameters,
                llvm::ArrayRef<raster::Quad> quads, llvm::MutableArrayRef<PixelExports> exports);
  /// Waves that the quads of the next dispatch need.
  unsigned groupCount() const;

  Workgroup makeGroup(uint64_t index) override;
  std::unique_ptr<Wave> makeWave(Workgroup &group, unsigned number, const uint32_t id[3]) override;
  void takeResult(const Wave &wave) override;

private:
  unsigned quadsPerWave() const { return image().launch.waveSize / 4; }
  /// Writes the positions of samples into the table of rings, if the code has one.
  void writeSamplePositions();
  /// Fewer than quadsPerWave() in the last wave only.
  unsigned quadsInGroup(uint64_t index) const;
  std::unique_ptr<ExportPlan> makePlan(uint64_t index) const;
  /// What LDS holds for attribute \p attribute of the current primitive.
  ParameterBlock makeParameters(unsigned attribute) const;
  /// Writes the initial VGPRs of one lane. \p fragment is its number in the quad.
  void setLane(Wave &wave, unsigned lane, const raster::Quad &quad, unsigned fragment) const;
  void takeDualSource(const ExportRecord &record, size_t first, size_t end);

  const PixelRegisters &m_registers;
  const raster::FragmentPrimitive *m_primitive = nullptr;
  unsigned m_samples = 1; ///< Of a pixel.
  PrimitiveExports m_parameters;
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
