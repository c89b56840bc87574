// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute shader of turnip made ready to run: code, const file, descriptors, memory. All of it is
// in the file that oracles/turnip reads; nothing here knows how turnip lays out anything.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/api/Outcome.h"
#include "oracles/machine/adreno/Wave.h"
#include "oracles/turnip/TurnipShader.h"

namespace assay::adreno {

/// One dispatch.
class TurnipLaunch {
public:
  /// \p shader and \p program, which is its code, outlive this; so do \p buffers, which are mapped
  /// in place.
  TurnipLaunch(const turnip::TurnipShader &shader, const Program &program,
               const CasePipeline &pipeline, const uint32_t groups[3],
               std::vector<BufferState> &buffers);

  const turnip::Launch &settings() const { return m_shader.launch; }
  const Program &program() const { return m_program; }
  simt::AddressSpace &memory() { return m_memory; }
  llvm::ArrayRef<uint32_t> constants() const { return m_constants; }
  /// Fibers of a workgroup, and waves.
  unsigned fibers() const;
  unsigned wavesPerGroup() const;
  /// Everything of a wave's environment but its own memory and its workgroup's.
  WaveEnvironment environment() const;

  /// Wave \p number of workgroup \p group, with its registers as the hardware sets them.
  Wave makeWave(const WaveEnvironment &environment, unsigned number, std::array<uint32_t, 3> group,
                uint32_t uninitialized) const;

private:
  void mapMemory(std::vector<BufferState> &buffers);
  void load(llvm::ArrayRef<uint32_t> pushConstants, const uint32_t groups[3]);

  const turnip::TurnipShader &m_shader;
  const Program &m_program;
  Arithmetic m_arithmetic;
  simt::AddressSpace m_memory;
  std::vector<uint32_t> m_constants;
  std::vector<uint32_t> m_sharedImmediates;
  std::vector<std::vector<uint32_t>> m_uniformSlots;
  std::vector<uint64_t> m_bases;
  std::vector<uint32_t> m_descriptorBytes;
};

/// Unsupported for what this machine has no semantics of: images.
llvm::Error verifyLaunch(const turnip::TurnipShader &shader, const Case &input);

} // namespace assay::adreno
