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
  /// \p shader and \p program, which is its code, outlive this; so do \p input and \p buffers.
  /// Those are mapped in place; images, and buffers without a whole last dword, are copied.
  TurnipLaunch(const turnip::TurnipShader &shader, const Program &program, const Case &input,
               const Dispatch &command, std::vector<BufferState> &buffers,
               const Arithmetic &arithmetic = {});

  const turnip::Launch &settings() const { return m_shader.launch; }
  const Program &program() const { return m_program; }
  simt::AddressSpace &memory() { return m_memory; }
  llvm::ArrayRef<uint32_t> constants() const { return m_constants; }
  /// Fibers of a workgroup, and waves.
  unsigned fibers() const;
  unsigned wavesPerGroup() const;
  /// After the dispatch: writes the copies back to the buffers.
  void storeCopies();
  /// Everything of a wave's environment but its own memory and its workgroup's.
  WaveEnvironment environment() const;

  /// Wave \p number of workgroup \p group, with its registers as the hardware sets them.
  Wave makeWave(const WaveEnvironment &environment, unsigned number, std::array<uint32_t, 3> group,
                uint32_t uninitialized) const;

  /// The registers that makeWave() sets.
  std::vector<unsigned> setRegisters() const;

private:
  /// Maps everything that the code can reach.
  void mapMemory();
  /// Maps one resource of the case.
  void mapResource(unsigned index);
  /// Fills const file and uniform buffers.
  void load(llvm::ArrayRef<uint32_t> pushConstants, const uint32_t groups[3]);
  /// Puts the addresses of slots into the const file (a4xx).
  void loadSlots();

  const turnip::TurnipShader &m_shader;
  const Program &m_program;
  const Case &m_input;
  std::vector<BufferState> &m_buffers;
  /// Copy of a resource, and the index of its buffer: an image, or a buffer whose size is not a
  /// multiple of four. Descriptors count whole dwords (tu_descriptor_set.cc,
  /// write_buffer_descriptor_addr).
  struct CopiedResource {
    unsigned index = 0;
    llvm::MutableArrayRef<uint8_t> memory;
  };
  std::vector<CopiedResource> m_copies;
  const Arithmetic m_arithmetic;
  simt::AddressSpace m_memory;
  std::vector<uint32_t> m_constants;
  std::vector<uint32_t> m_sharedImmediates;
  std::vector<std::vector<uint32_t>> m_uniformSlots;
  std::vector<uint64_t> m_bases;
  std::vector<uint32_t> m_descriptorBytes;
};

/// Unsupported for what this machine has no semantics of: images with several samples. InvalidInput
/// where the levels of an image do not fit.
llvm::Error verifyLaunch(const turnip::TurnipShader &shader, const Case &input);

} // namespace assay::adreno
