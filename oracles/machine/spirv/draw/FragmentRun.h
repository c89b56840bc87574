// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fragment shader of one draw: quads as workgroups of four, on threads.
#pragma once

#include "oracles/machine/spirv/draw/Fragment.h"
#include <memory>

namespace assay::reference {

/// Runs a fragment program for quads. What comes of it is independent of the number of threads.
class FragmentRun {
public:
  /// \p executions: of the same program and resources, one a thread; at least one. More than one
  /// may be used only where no shader of the draw has effects. \p maxInstructions: of the draw.
  FragmentRun(std::vector<std::unique_ptr<Execution>> executions, const FragmentInputs &inputs,
              unsigned samples, uint64_t maxInstructions);
  ~FragmentRun();

  const Program &program() const;
  /// As ShaderExecutor::runFragments; false when the run has ended: see ending().
  bool run(const raster::FragmentPrimitive &primitive, llvm::ArrayRef<raster::Quad> quads,
           llvm::MutableArrayRef<raster::FragmentOutput> outputs);

  const Ending &ending() const { return m_ending; }
  uint64_t instructions() const { return m_instructions; }
  bool sawAtomics() const;
  /// The first branch that depends on how the implementation rounds; empty if there was none.
  const std::string &imprecision() const { return m_imprecision; }

private:
  struct Chunk;
  struct Worker;
  class QuadRun;
  /// Runs some quads on \p execution and fills in what came of them.
  void runChunk(const raster::FragmentPrimitive &primitive, llvm::ArrayRef<raster::Quad> quads,
                llvm::MutableArrayRef<raster::FragmentOutput> outputs, Worker &worker,
                Chunk &chunk) const;
  bool takeChunk(const Chunk &chunk);

  std::vector<Worker> m_workers;
  const FragmentInputs &m_inputs; ///< Shared by all threads.
  unsigned m_samples;
  uint64_t m_maxInstructions;
  uint64_t m_instructions = 0;
  uint32_t m_firstGroup = 0; ///< The number of the next quad as a workgroup.
  Ending m_ending;
  std::string m_imprecision; ///< Of the first chunk that has one.
};

/// Whether the fragment shader runs per sample because of what it reads.
bool readsSamples(const Program &fragment);

} // namespace assay::reference
