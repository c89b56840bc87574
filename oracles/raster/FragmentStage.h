// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to the fragments of a shape: tests before or after the shader, and the targets
// (Vulkan 1.3, "Fragment Operations").
#pragma once

#include "oracles/raster/DepthStencil.h"
#include "oracles/raster/Draw.h"
#include "oracles/raster/Shape.h"

namespace assay::raster {

/// Takes the quads of shapes in order, and runs the shader for many of one shape together.
class FragmentStage {
public:
  FragmentStage(const DrawInput &input, ShaderExecutor &shaders, const Framebuffer &framebuffer);

  /// Draws all fragments of \p shape.
  llvm::Error draw(const Shape &shape);

private:
  void collectQuad(const Shape &shape, int32_t x, int32_t y);
  void addQuad(const Shape &shape, Quad quad);
  llvm::Error flush(const Shape &shape);
  Place getSamplePlace(const Quad &quad, unsigned fragment, unsigned sample) const;
  Range getDepth(const Shape &shape, const Place &place) const;
  Range clampDepth(Range depth) const;
  void testEarly(const Shape &shape, Quad &quad);
  void finishWatched(const Shape &shape, const Quad &quad, unsigned fragment,
                     FragmentOutput &output);
  void finishAll(const Shape &shape, const Quad &quad, unsigned fragment, FragmentOutput &output);
  void finish(const Shape &shape, const Quad &quad, unsigned fragment, FragmentOutput &output);
  Answer testSample(const Shape &shape, const Quad &quad, unsigned fragment, unsigned sample,
                    Answer isCovered, const FragmentOutput *output);
  void applyAlpha(FragmentOutput &output, Coverage &coverage) const;
  void writeColors(const Shape &shape, const Quad &quad, unsigned fragment, Coverage coverage,
                   const FragmentOutput &output);

  const DrawInput &m_input;
  const GraphicsState &m_state;
  ShaderExecutor &m_shaders;
  const Framebuffer &m_framebuffer;
  llvm::ArrayRef<SamplePosition> m_samples;
  bool m_perSample;                        ///< The shader runs for each sample.
  bool m_testsDepth, m_testsStencil;       ///< Or updates it.
  const TexelComponent *m_depth = nullptr; ///< Of the depth and stencil target.
  std::vector<Quad> m_quads;               ///< That wait for the shader.
  std::vector<FragmentOutput> m_outputs;
};

} // namespace assay::raster
